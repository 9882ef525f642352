"""Words on forms: each token sees all that its attention allows, and what is asked of softmax is for so many tokens."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest

from proofs.check.checker.chapters.trained.floats.classes import AttentionInRuns
from proofs.check.checker.chapters.trained.floats.one_run import OneRun, Way
from proofs.check.checker.chapters.trained.floats.proof import ProverOfRuns, WalkOfRuns, read_float_runs
from proofs.check.checker.chapters.trained.forms import UNIT, AffineForm, spread
from proofs.check.checker.chapters.trained.packed import unpack
from proofs.check.checker.chapters.trained.ranges import PathBounds
from proofs.check.checker.kernel.budget import Budget
from tests.check.trained_corpus import BINARY32, float_runs
from tests.check.trained_networks import Weights, make_claim


def prover_of(layers: int, causal: bool) -> ProverOfRuns:
    """Of a network with so many attention steps, each with two heads."""
    w, d = Weights(3), 4
    steps = [w.attention(d, 2, None, 8) for _ in range(layers)]
    given = read_float_runs(float_runs(w.network(3, d, 8, steps, causal, 2), make_claim(), BINARY32), Budget())
    return ProverOfRuns(given, given.floats[0])


@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("causal", [True, False])
def test_a_run_is_within_the_form_of_each_place_and_forms_are_narrow(layers: int, causal: bool) -> None:
    """So narrow that those of another word, or of fewer tokens, are others."""
    prover = prover_of(layers, causal)
    stack, words, centres = prover._stack, [(2, 0, 1, 1), (2, 0, 1), (2, 0, 1, 0)], dict[Any, Any]()
    run = OneRun(Budget(), stack.network, stack.operations.run, Way("forwards", False, True, "e"))
    walk = WalkOfRuns(stack, 1)
    for word in words:
        for place, logits in walk.logits(word, range(len(word))):
            known = spread(Budget(1), logits)
            for x, centre, reach in zip(run.logits(word, 1, place), *known, strict=True):
                assert abs(x - Fraction(centre, UNIT)) * UNIT <= reach < UNIT >> 12
            centres[word, place] = [centre >> 34 for centre in known.centres]
    for word in words[1:]:
        for place in range(3):
            assert (centres[words[0], place] == centres[word, place]) == causal


def test_what_is_asked_of_softmax_by_classes_is_for_all_tokens_before_and_the_one_that_asks() -> None:
    prover, asked = prover_of(1, True), list[tuple[str, int]]()
    stack = prover._stack
    attention = AttentionInRuns(stack, stack.stages[0].attention)

    class Recorded:
        def beside(self, greatest: Sequence[int], count: int) -> list[int]:
            asked.append(("beside", count))
            return [UNIT >> 20] * len(greatest)

        def exponents(self, stored: Sequence[PathBounds], count: int, floor: int) -> list[int]:
            asked.append(("exponents", count))
            assert floor == UNIT
            return [5] * len(stored)

    attention._softmax = Recorded()  # type: ignore[assignment]
    found = attention.logarithms({(0, 0): PathBounds(-UNIT, UNIT), (0, 1): PathBounds(-3 * UNIT, 0),
                                  (1, 0): PathBounds(UNIT, 2 * UNIT)}, 4)
    assert [*found.values()] == [PathBounds(-UNIT - 5, UNIT + 5), PathBounds(-3 * UNIT - 5, 5),
                                 PathBounds(UNIT - 5, 2 * UNIT + 5)]
    stream = AffineForm([UNIT] * 4, 3, [0] * 4, [UNIT] * 4)
    averages = [AffineForm([UNIT + (UNIT >> 3 << 128)] * 2, 2, [0] * 2, [2 * UNIT] * 2) for _ in range(2)]
    written = attention.write(stream, averages, [[UNIT] * 2] * 2, 4)
    attention.write_sum(stream, [stream, stream], [[UNIT] * 2] * 2, 4)
    assert asked == [("exponents", 5)] + [("beside", 5)] * 4
    first, second = ([unpack(row, written.slots)[k] for row in written.rows] for k in (3, 4))
    assert any(first) and any(second) and first != second  # averages have symbols of their own, one after another
