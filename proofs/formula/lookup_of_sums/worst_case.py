"""The worst case of a lookup of a sum of counts, as far as it is known: all other positions together, each at its most.

Claim       With two things of each of the gaps -c (k² - 2 k E), 0 < k < longest, the error is at most the share of
            the others (``common.kernels``): under softmax S/(1 + S), S = 2 Σ exp(-c (k² - 2 k E)).
Proof       docs/background/obligations.md, lookup of a sum. Some word may come near it, or none.
"""

from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from proofs.enclosures.exponential import exact_ends, exp_ball, working_precision
from proofs.formula.common.extremes import Extreme, WorstCase, proved_bound
from proofs.formula.common.kernels import enclose_mean_of, share_of_others
from proofs.formula.lookup.worst_case import SMALLEST_LOOKUP_BOUND, bound_to_claim
from proofs.formula.lookup_of_sums.obligation import LookupOfSumObligation

ZERO = Fraction(0)


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
        return bound_to_claim(self.upper, self.weighting)

    def terms(self) -> list[tuple[Fraction, Fraction]]:
        """Return the position that is looked for, and all others."""
        return [(Fraction(0), Fraction(0)),
                *((drop, Fraction(1)) for drop in drops(self.obligation) for _ in range(2))]


def drops(obligation: LookupOfSumObligation) -> list[Fraction]:
    """The greatest score at each distance 1, 2, ... from the position that is looked for, less the score there."""
    if obligation.bluntest is None:
        return []
    curvature, miss = obligation.bluntest.curvature, obligation.miss
    return [curvature * (2 * k * miss - k * k) for k in range(1, obligation.lengths.last)]


def find_sum_worst_case(obligation: LookupOfSumObligation, bits: int) -> WorstCase:
    """Return the bound; none where all values are the target."""
    weighting = obligation.head.weighting
    if obligation.bluntest is None:
        return WorstCase(None, None, otherwise=SMALLEST_LOOKUP_BOUND if weighting.is_softmax else ZERO)
    if weighting.is_softmax:
        with working_precision(bits):
            others = sum((exp_ball(drop, bits) for drop in drops(obligation)), arb(0)) * 2
            lower, upper = exact_ends(others / (1 + others))
    else:
        terms = SumExtreme(ZERO, ZERO, obligation).terms()
        upper = share_of_others(weighting, [(1, gap) for gap, _ in terms[1:]], bits)
        lower = enclose_mean_of(weighting, terms, bits).lower
    extreme = SumExtreme(max(lower, ZERO), proved_bound(upper), obligation, weighting=weighting)
    return WorstCase(extreme, extreme)
