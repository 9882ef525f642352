"""The checker proves what classes decide, and rejects a range that is too narrow."""

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from constructions.network.json_form import write_canonical
from constructions.trained.claim import Case, Row, WordsClaim
from constructions.trained.network import TrainedNetwork
from proofs.check import Rejected, check_text
from proofs.trained.certificate import Unit, WordsUnit, cover_of, decision_text
from proofs.trained.classes.refine import ClassSearch
from proofs.trained.classes.rows import worst_row
from proofs.trained.forward import FloatNetwork
from proofs.words.tracking import track
from tests.trained.class_claims import by_counts, by_states, causal_network, words

LAST = 4
OFFSET = 0
CANDIDATES: list[Row] = [((token, Fraction(sign)),) for token, sign in product((0, 1), (1, -1))]
CANDIDATES += [((0, Fraction(sign)), (1, Fraction(-sign))) for sign in (1, -1)]


def true_claim(network: TrainedNetwork, claim: WordsClaim) -> WordsClaim:
    """Return the claim with the rows that hold by a tenth wherever their case does, on all words, at one offset."""
    floats, tracker = FloatNetwork(network), track(claim)
    kept: list[Case] = []
    for index, case in enumerate(claim.cases):
        every = replace(claim, cases=(*claim.cases[:index], replace(case, above=tuple(CANDIDATES))))
        least = dict.fromkeys(range(len(CANDIDATES)), np.inf)
        for word in (word for n in range(1, LAST + 1) for word in words(n)):
            state = tracker.start
            for letter in word:
                state = tracker.step(state, letter)
            if index in tracker.cases(state):
                for row in least:
                    alone = replace(every, cases=(*every.cases[:index], replace(case, above=(CANDIDATES[row],))))
                    least[row] = min(least[row], worst_row(floats, alone, OFFSET, word, [index])[0])
        kept.append(replace(case, above=tuple(CANDIDATES[row] for row, value in least.items() if value > 0.1)))
    return replace(claim, cases=tuple(kept), offsets=(OFFSET, OFFSET))


def decided(seed: int, claim: WordsClaim) -> tuple[str, int]:
    """Return the certificate of the claim made true, and how many obligations classes cover; the others by words."""
    network = causal_network(seed)
    claim = true_claim(network, claim)
    found = ClassSearch(network, claim).decide(OFFSET, 1, LAST)
    assert not found.wrong
    units: list[Unit] = [*found.units, *(WordsUnit(OFFSET, at, at) for at in found.open)]
    return decision_text(network, claim, cover_of(units)), LAST - len(found.open)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("claim", [by_states((1, LAST)), by_counts((1, LAST))], ids=("each", "after"))
@pytest.mark.parametrize("seed", [0, 1, 4, 8, 12, 1000, 1002, 1003])
def test_what_classes_decide_the_checker_accepts(seed: int, claim: WordsClaim) -> None:
    text, by_classes = decided(seed, claim)
    assert by_classes > 0
    coverage = check_text(text.encode()).coverage
    assert isinstance(coverage, Mapping)
    assert coverage["obligations"] == LAST


def test_a_range_that_is_narrower_than_the_averages_is_rejected() -> None:
    text, _ = decided(0, by_states((1, LAST)))
    document = json.loads(text)
    unit = document["evidence"]["units"][0]
    numbers = np.frombuffer(b64decode(unit["ranges"]), "<i4").copy()
    numbers[0] = numbers[1]  # the least average of the first asked node becomes the greatest, which is another
    unit["ranges"] = b64encode(numbers.tobytes()).decode()
    with pytest.raises(Rejected):
        check_text(write_canonical(document).encode())
