"""The public constant in binary64: the keys, scores and weights of two writes, as numpy computes them."""

import numpy as np
import pytest

from proofs.numbers.instances.machine_binary64 import ADDRESS, key, older_share, score
from tests.numbers.instances.helpers import verdicts


def computed(tokens: int) -> tuple[float, float, float]:
    """Return the keys of both writes, and the weight of the older one, every operation rounded once."""
    address, constant = np.float64(ADDRESS), np.float64(1e10)
    recent = [np.float64(1) / np.log(np.float64(2)) - np.float64(1) / np.log(np.float64(tokens - before + 2))
              for before in (14, 12)]
    older, newer = (-(address * address) + np.float64(0.3) * x for x in recent)
    scores = [(constant * address) * (np.float64(2) * address) + constant * y for y in (older, newer)]
    return float(older), float(newer), float(1 / (1 + np.exp(min(scores[1] - scores[0], np.float64(700)))))


@pytest.mark.parametrize("tokens", [*range(15, 60), 97, 417, 1000])
def test_keys_and_weights_are_those_that_numpy_computes(tokens: int) -> None:
    older, newer, share = computed(tokens)
    assert (key(tokens - 14), key(tokens - 12)) == (older, newer)
    found = older_share(tokens)
    assert found is not None and abs(float(found.upper) - share) < 1e-12


def test_at_token_97_both_writes_have_one_key_and_weigh_alike() -> None:
    """Measured with the real weights: 7f for ff."""
    assert key(83) == key(85) and computed(97)[2] == 0.5
    assert verdicts("machine-binary64", 97) == {False}


def test_keys_that_differ_may_have_scores_that_do_not() -> None:
    older, newer = key(22 - 14), key(22 - 12)
    assert older is not None and newer is not None and older < newer and score(older) == score(newer)
