"""Counts that units read beside truths: where they are together, by the sign of a comparison of them.

docs/certificate.md, section 5, Feed-forward output. A file whose units read no counts never imports this.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from ...kernel.language import Place
from ...kernel.numbers import ZERO, add, multiply, ratio
from ...kernel.reading.records import ApproximateCount, ExactCount
from ...kernel.verdicts import refuse
from ..formula.feed_forward.by_cases import RationalInterval
from ..formula.feed_forward.piecewise import NeuronForm
from ..formula.proof import Proof


def find_interval(proof: Proof, form: NeuronForm, signs: Mapping[Place, int],
                  truths: Mapping[Place, bool]) -> RationalInterval | None:
    """The counts in a form: a times a comparison's T, less the truths here; None if T cannot have its sign.

    T is an integer of the assigned sign, and within what it can be when every count is in 0..max_n.

    Raises:
        Rejected: if the counts are not in the proportions of a comparison whose sign is assigned.
    """
    read, here, budget = dict[Place, Fraction](), ZERO, proof.budget
    for source, c in form:
        meaning = proof.directions[source]
        if isinstance(meaning, ApproximateCount | ExactCount):
            read[meaning.count] = add(budget, read.get(meaning.count, ZERO), c)
        if isinstance(meaning, ApproximateCount) and truths[proof.language.counted(meaning.count)]:
            here = add(budget, here, c)
    for comparison, sign in signs.items():
        _, counts, (_, first, *coefficients) = proof.language.nodes[comparison]
        a = ratio(read, dict(zip(counts, map(Fraction, coefficients), strict=True)))
        if a is not None:
            constant, greatest = int(first), proof.claim.max_n
            least = constant + greatest * sum(min(int(c), 0) for c in coefficients) if sign < 0 else sign
            most = constant + greatest * sum(max(int(c), 0) for c in coefficients) if sign > 0 else sign
            if least > most:
                return None
            low, high = (add(budget, multiply(budget, a, Fraction(end - constant)), -here) for end in (least, most))
            return min(low, high), max(low, high)
    refuse("a unit does not read the counts in the proportions that are compared")
