"""Sums that are rescaled block by block, with exponentials to base 2: products of maxima are rounded each time anew."""

from __future__ import annotations

from fractions import Fraction
from math import log
from typing import Any, cast

import pytest

from proofs.check.checker.chapters.float_models.reading import FloatClaim, Format
from proofs.check.checker.chapters.floats.rows import FINE, RowByRow
from proofs.check.checker.chapters.floats.score_differences import ScoreSpread
from proofs.check.checker.chapters.floats.softmax import Softmax
from proofs.check.checker.chapters.trained.floats.dyadics import (
    Dyadic,
    add,
    multiply,
    negated,
    quotient,
    rounded,
    value,
)
from proofs.check.checker.chapters.trained.floats.functions import computed, log2_of_e
from proofs.check.checker.kernel.budget import Budget, Cache
from tests.check.trained_corpus import float_executions
from tests.check.trained_networks import Weights, make_claim, mean_network, refusal_of

FORM, SCORE, HALF = Format(16, -60, 60), 93.0, 32
CLASS = dict.fromkeys(("storage", "inputs", "sums", "scores", "softmax", "weights"), "float(16,-60,60)") | {
    "normalised": "after", "exp_ulp": "1", "exp_base": "2", "block": 1}


def certificate(margin: Fraction, **fields: Any) -> dict[str, Any]:
    """Return the average of 32 ones and then 32 zeros, all of one score, is above the margin."""
    network, w = mean_network(), Weights(1)
    w.tensors = network["tensors"]
    head = network["steps"][0]["heads"][0]
    head["query"], head["key"] = ({"weight": head["query"]["weight"], "bias": w.view([x])} for x in (1.0, SCORE))
    claim = make_claim(alphabet=["0"], tokens=[0], before=[1] * HALF + [0] * (HALF - 1), max_n=1, read="last",
                       margin=str(margin), cases=[{"when": {"formula": "true"}, "above": [[[0, "1"]]]}])
    return float_executions(network, claim, CLASS | fields)


def rescaling() -> Dyadic:
    """Return the rescaling in a run: exp2 of the maximum times log2(e), exact minus rounded."""
    budget = Budget(10)
    exact = multiply((int(SCORE), 0), log2_of_e(FORM, budget))
    return computed("exp2", value(add(exact, negated(rounded(exact, FORM)))), FORM, budget)


def average() -> Fraction:
    """Return the average in a run."""
    factor = rescaling()
    sums: list[Dyadic] = [(0, 0), (0, 0)]
    for place in range(2 * HALF):
        sums = [rounded(multiply(x, factor), FORM) for x in sums]
        sums = [rounded(add(x, (more, 0)), FORM) for x, more in zip(sums, (1, place < HALF), strict=True)]
    return value(quotient(sums[1], sums[0], FORM))


def test_what_a_run_falls_below_is_not_accepted() -> None:
    margin = average()
    assert Fraction(485, 1000) < margin < Fraction(492, 1000)
    assert refusal_of(certificate(margin)) is not None
    assert refusal_of(certificate(margin, block=64)) is None
    assert refusal_of(certificate(margin, exp_base="e")) is None
    assert refusal_of(certificate(Fraction(15, 100))) is None


def test_no_sum_is_rescaled_by_which_exponentials_are_divided_that_are_not() -> None:
    """With ones only, their rescaled sum over itself is 1; 64 over it is not, which the float model excludes."""
    network, w = mean_network(), Weights(1)
    w.tensors = network["tensors"]
    head = network["steps"][0]["heads"][0]
    head["query"], head["key"] = ({"weight": head["query"]["weight"], "bias": w.view([x])} for x in (1.0, SCORE))
    claim = make_claim(alphabet=["1"], tokens=[1], before=[1] * (2 * HALF - 1), max_n=1, read="last", margin="99/100",
                       cases=[{"when": {"formula": "true"}, "above": [[[0, "1"]]]}])
    factor, total = value(quotient((1, 0), rescaling(), FORM)), Fraction(0)
    for _ in range(2 * HALF):
        total = total * factor + 1
    assert 2 * HALF / total < Fraction(97, 100)
    for normalised in ("before", "after", "either"):
        assert refusal_of(float_executions(network, claim, CLASS | {"normalised": normalised})) is None


def flash(block: int, base: str) -> FloatClaim:
    """Return a class in the format."""
    formats: dict[str, Any] = dict.fromkeys(("storage", "inputs", "sums", "scores", "softmax", "weights"), FORM)
    return FloatClaim(name="flash", **formats, normalised="after", exp_ulp=Fraction(1), exp_base=base, block=block,
                      sum_ulp=Fraction(1), max_n=2 * HALF)


@pytest.mark.parametrize(("block", "base"), [(1, "2"), (64, "2"), (1, "e")])
def test_of_networks_of_formulas_weights_are_as_far_off_as_those_of_a_run(block: int, base: str) -> None:
    zero = Fraction(0)
    spread = ScoreSpread(zero, None, zero, Fraction(int(SCORE)), None)
    theta = Softmax(Budget(10), flash(block, base), 2 * HALF).weights(spread, None).theta
    apart = (1 - 2 * HALF) * log(value(rescaling()))  # of the logarithms of the first and the last weight
    assert 0.08 < apart < 0.09
    assert (2 * theta > apart) is (block == 1 and base == "2")


def test_row_by_row_weights_are_between_bounds_as_far_apart_as_those_of_a_run() -> None:
    """The first weight of a run, of one for each of 16 positions, is a power of the last one's."""
    length, score, nothing = 16, int(SCORE) << FINE, cast(Any, None)
    claim = flash(block=1, base="2")
    row = RowByRow(nothing, nothing, Softmax(Budget(10), claim, length), nothing, "", nothing, Cache())
    bounds = row.weigh([(score, score)] * length)
    assert bounds is not None
    apart = (1 - length) * log(value(rescaling()))
    assert 0.019 < apart < log(bounds[1][0]) - log(bounds[0][-1]) < 0.15
