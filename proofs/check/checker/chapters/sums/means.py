"""Heads of equal scores that count; docs/certificate.md, section 5, Equal scores, has the proof."""

from __future__ import annotations

from fractions import Fraction
from typing import cast

from ...kernel.language import Place
from ...kernel.numbers import ONE, ZERO, add
from ...kernel.reading.records import Average, Head, Mean, Truth
from ...kernel.verdicts import require
from ..formula.families import Covered, WrittenDirection
from ..formula.proof import Proof
from ..formula.uniform import check_scores


def check_mean_of_counts(proof: Proof, written: WrittenDirection) -> Covered:
    """The mean of the values is that of a count or of a sum of counts."""
    (head,) = written.heads
    check_counts(proof, head, written.name, cast(Mean | Average, written.meaning))
    check_scores(proof, head)
    return Covered(sum(proof.claim.lengths))


def check_counts(proof: Proof, head: Head, name: str, meaning: Mean | Average) -> None:
    """The values are truths of what is counted, as often as its count is meant.

    Raises:
        Rejected: if they are not, or the mask sees other positions than the counts.
    """
    counts, read = multiples_of(proof, meaning), dict[Place, Fraction]()
    for source, c in head.values[name].items():
        truth = proof.directions[source]
        if isinstance(truth, Truth):
            read[truth.formula] = add(proof.budget, read.get(truth.formula, ZERO), c)
    of_truths = all(isinstance(proof.directions[source], Truth) for source in head.values[name])
    fits = of_truths and read == {proof.language.counted(count): c for count, c in counts.items()}
    multiple = "1" if isinstance(meaning, Mean) else "as often as its count"
    require(fits, "the value is not {} on the truth of what is counted", multiple)
    for count in counts:
        check_mask(proof, head, count)


def multiples_of(proof: Proof, meaning: Mean | Average) -> dict[Place, Fraction]:
    """The counts that a mean or an average is about, and their coefficients."""
    if isinstance(meaning, Mean):
        return {meaning.count: ONE}
    _, counts, (_, _, *coefficients) = proof.language.nodes[meaning.term]
    return {count: Fraction(int(c)) for count, c in zip(counts, coefficients, strict=True)}


def check_mask(proof: Proof, head: Head, count: Place) -> None:
    """A head sees what a count looks at."""
    operator = proof.language.nodes[count].operator
    mask = "future" if operator == "#<" else "past"
    require(head.mask == mask, "a {} mask does not see what {} counts", head.mask, operator)
