"""The worst case of a lookup of a sum of counts, as far as it is known: all other positions together, each at its most.

Claim       With S = 2 Σ exp(-c (k² - 2 k E)) over 0 < k < longest the error is at most S / (1 + S).
Proof       docs/certificate.md, section 5, lookup of a sum. Some word may come near it, or none.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from constructions.network.meanings import ALLOWED_ERROR
from proofs.enclosures.exponential import exact_ends, exp_ball, working_precision
from proofs.exact.extremes import Extreme, WorstCase, proved_bound
from proofs.exact.lookup import ROOM, SMALLEST_LOOKUP_BOUND
from proofs.obligations.lookup_of_sums import LookupOfSumObligation


@dataclass(frozen=True)
class SumExtreme(Extreme):
    """The share of all other positions, if each weighs as much as it can."""

    obligation: LookupOfSumObligation

    @property
    def n(self) -> int:
        """The length of the word."""
        assert self.obligation.bluntest is not None
        return self.obligation.bluntest.n

    @property
    def i(self) -> int:
        """The position of the query."""
        assert self.obligation.bluntest is not None
        return self.obligation.bluntest.i

    @property
    def claimed(self) -> Fraction:
        """``upper``, with room up to 1/4 for a checker that encloses more coarsely."""
        return max(self.upper, min(proved_bound(max(self.upper * ROOM, SMALLEST_LOOKUP_BOUND)), ALLOWED_ERROR))

    def terms(self) -> list[tuple[Fraction, Fraction]]:
        """The position that is looked for, and all others."""
        return [(Fraction(0), Fraction(0)),
                *((drop, Fraction(1)) for drop in drops(self.obligation) for _ in range(2))]


def drops(obligation: LookupOfSumObligation) -> list[Fraction]:
    """The greatest score at each distance 1, 2, ... from the position that is looked for, less the score there."""
    if obligation.bluntest is None:
        return []
    curvature, miss = obligation.bluntest.curvature, obligation.miss
    return [curvature * (2 * k * miss - k * k) for k in range(1, obligation.lengths.last)]


def find_sum_worst_case(obligation: LookupOfSumObligation, bits: int) -> WorstCase:
    """The bound; none where all values are the target."""
    if obligation.bluntest is None:
        return WorstCase(None, None, otherwise=SMALLEST_LOOKUP_BOUND)
    with working_precision(bits):
        others = sum((exp_ball(drop, bits) for drop in drops(obligation)), arb(0)) * 2
        lower, upper = exact_ends(others / (1 + others))
    extreme = SumExtreme(max(lower, Fraction(0)), proved_bound(upper), obligation)
    return WorstCase(extreme, extreme)
