from fractions import Fraction

import pytest

from constructions.network.transformer import Mask
from proofs.numbers.instances.proposition_11_end_markers import marker, uniform
from tests.numbers.instances.helpers import examined, verdicts

NAMES = ["proposition-11-a", "proposition-11-b", "proposition-11-remark-a", "proposition-11-remark-b"]


@pytest.mark.parametrize("name", NAMES)
def test_it_holds_at_every_position(name: str) -> None:
    for n in (1, 2, 3, 4, 31, 32):
        assert verdicts(name, n) == {True} and len(examined(name, n)) == n


def test_the_markers_are_exact() -> None:
    assert marker(1, Mask.FUTURE) == marker(1, Mask.PAST) == [1]
    assert marker(4, Mask.FUTURE) == [1, 0, 0, 0] and marker(4, Mask.PAST) == [0, 0, 0, 1]


def test_the_mean_before_the_feed_forward_layer_reaches_one_third() -> None:
    """So no threshold below 1/3 separates the ends from the rest."""
    signs = [Fraction(1), Fraction(-1), Fraction(1)]
    assert uniform(signs, Mask.FUTURE)[2] == uniform(signs, Mask.PAST)[0] == Fraction(1, 3)
    assert uniform(signs[1:], Mask.PAST) == [0, 1]


def test_the_wrong_mask_does_not_give_the_reciprocals() -> None:
    assert uniform(marker(3, Mask.FUTURE), Mask.PAST) != [Fraction(1, 3), Fraction(1, 2), Fraction(1)]
