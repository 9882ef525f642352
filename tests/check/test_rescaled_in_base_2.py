"""Sums that are rescaled block by block, with exponentials to base 2: products of maxima are rounded each time anew."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from proofs.check.checker.chapters.run_classes.reading import Format
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
from proofs.check.checker.kernel.budget import Budget
from tests.check.trained_corpus import float_runs
from tests.check.trained_networks import Weights, make_claim, mean_network, refusal_of

FORM, SCORE, HALF = Format(16, -60, 60), 93.0, 32
CLASS = dict.fromkeys(("storage", "inputs", "sums", "scores", "softmax", "weights"), "float(16,-60,60)") | {
    "normalised": "after", "exp_ulp": "1", "exp_base": "2", "block": 1}


def certificate(margin: Fraction, **fields: Any) -> dict[str, Any]:
    """The average of 32 ones and then 32 zeros, all of one score, is above the margin."""
    network, w = mean_network(), Weights(1)
    w.tensors = network["tensors"]
    head = network["steps"][0]["heads"][0]
    head["query"], head["key"] = ({"weight": head["query"]["weight"], "bias": w.view([x])} for x in (1.0, SCORE))
    claim = make_claim(alphabet=["0"], tokens=[0], before=[1] * HALF + [0] * (HALF - 1), max_n=1, read="last",
                       margin=str(margin), cases=[{"when": {"formula": "true"}, "above": [[[0, "1"]]]}])
    return float_runs(network, claim, CLASS | fields)


def average() -> Fraction:
    """That of a run: the same maximum, times log2(e), is taken from itself, once exact and once rounded."""
    budget = Budget(10)
    exact = multiply((int(SCORE), 0), log2_of_e(FORM, budget))
    factor = computed("exp2", value(add(exact, negated(rounded(exact, FORM)))), FORM, budget)
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
