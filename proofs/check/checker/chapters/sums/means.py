"""Heads of equal scores that count; docs/background/obligations.md, Equal scores, has the proof."""

from fractions import Fraction
from typing import cast

from ...kernel.language import Place
from ...kernel.numbers import ZERO, add
from ...kernel.reading.records import Average, Mean, Truth
from ...kernel.verdicts import require
from ..formula.families import Covered, WrittenDirection
from ..formula.proof import ProofContext
from ..formula.uniform import check_mask, check_scores


def check_mean_of_counts(proof: ProofContext, written: WrittenDirection) -> Covered:
    """Prove that a head writes the mean of a count, or the average of a sum of counts, at all rows.

    The values are truths of the counted formulas, times the coefficients of the counts; the mask is the range of the
    counts.
    """
    (head,), meaning = written.heads, cast(Mean | Average, written.meaning)
    counts = proof.language.counts_of(meaning.count if isinstance(meaning, Mean) else meaning.term)
    truths = [(proof.directions[source], c) for source, c in head.values[written.name].items()]
    read = dict[Place, Fraction]()
    for truth, c in truths:
        if isinstance(truth, Truth):
            read[truth.formula] = add(proof.budget, read.get(truth.formula, ZERO), c)
    of_truths = all(isinstance(truth, Truth) for truth, _ in truths)
    fits = of_truths and read == {proof.language.counted(count): c for count, c in counts.items()}
    multiple = "1" if isinstance(meaning, Mean) else "as often as its count"
    require(fits, "the value is not {} times the truth of the counted formula", multiple)
    for count in counts:
        check_mask(proof, head, count)
    check_scores(proof, head)
    return Covered(sum(proof.claim.lengths))
