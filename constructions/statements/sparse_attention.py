"""Softening by sparsemax or entmax-1.5: a temperature where it equals average-hard attention exactly.

Source      Ours. Weightings and their α are defined in docs/reference/certificate.md, section 2; the gap γ(n), the
least
            positive difference from a greatest score, in docs/reference/softened.md, section 1.
Row         Let m scores s_j, those of I, be greatest and all others lower by at least g. Then α-entmax of s_j/τ is 1/m
            on I and 0 elsewhere if g/τ >= 1/(α - 1). Proof: with θ = (α - 1) max s/τ - m^(1-α) the weight max((α - 1)
            s_j/τ - θ, 0)^(1/(α-1)) is 1/m on I, so they add up to 1, and 0 elsewhere, as (α - 1) g/τ >= 1 >= m^(1-α). θ
            is unique: where the sum of the weights is positive it strictly decreases in θ. ∎ (It holds if and only if
            g/τ >= m^(1-α)/(α - 1).)
Theorem     At every τ(n) <= (α - 1) γ(n) the transformer with this weighting in all heads equals the one with
            average-hard attention exactly, including ties, for every word of length n. Proof: layer by layer the scores
            are the same, so the weights are; no error arises. ∎ No logarithm of n is needed.
"""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from constructions.language.expressions import Expression, parse_expression
from constructions.network.weightings import Weighting
from constructions.statements.theorem_26_uniform_tieless import Law, law_below

SOFTENING = tuple(weighting for weighting in Weighting if weighting.row.alpha)
"""The weightings that can soften hard attention: every α-entmax, of which the first is softmax."""
SLOPES = {weighting: weighting.slope for weighting in SOFTENING if weighting.is_sparse}
"""α - 1 of the weightings for which the theorem holds."""


def law_of_exact_gaps(gaps: Mapping[int, Fraction | None]) -> Law:
    """Return a law c/n^k nowhere above γ(n), which may exceed 1: the one with the least greatest quotient.

    >>> str(law_of_exact_gaps({1: None, 2: Fraction(6), 3: Fraction(4)})), str(law_of_exact_gaps({1: None}))
    ('12/n', '1')
    """
    return law_below({n: gap for n, gap in gaps.items() if gap is not None})


def exact_temperature(weighting: Weighting, gap: Law) -> Expression:
    """Return τ(n) = (α - 1) γ(n), for the law that bounds the gap.

    >>> [str(exact_temperature(weighting, Law(Fraction(1), -1))) for weighting in SLOPES]
    ['1/n', '1/(2*n)']
    """
    return parse_expression(str(replace(gap, factor=gap.factor * SLOPES[weighting])))


def is_exact(weighting: Weighting, temperature: Fraction, gap: Fraction | None) -> bool:
    """Return whether the theorem applies at a length with this gap."""
    return gap is None or temperature <= SLOPES[weighting] * gap
