"""An upper bound of the error of a lookup of a sum of counts: the share of all other positions, each at its greatest.

Claim       With two positions for each of the gaps -c (k² - 2 k E), 0 < k < longest, the error is at most the share of
            the others (``common.kernels``): under softmax S/(1 + S), S = 2 Σ exp(-c (k² - 2 k E)).
Proof       docs/background/obligations.md, section 5, lookup of a sum. The bound need not be attained on a word.
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
    """The share of all other positions, each with its greatest weight."""

    obligation: LookupOfSumObligation

    @property
    def n(self) -> int:
        """The length of the word."""
        assert self.obligation.least is not None
        return self.obligation.least.n

    @property
    def i(self) -> int:
        """The position of the query."""
        assert self.obligation.least is not None
        return self.obligation.least.i

    @property
    def claimed(self) -> Fraction:
        """The stated bound: ``upper``, with room up to 1/4 for a checker with coarser enclosures."""
        return bound_to_claim(self.upper, self.weighting)

    def terms(self) -> list[tuple[Fraction, Fraction]]:
        """Return the score and the error of the target position, and of all others."""
        return [(Fraction(0), Fraction(0)),
                *((drop, Fraction(1)) for drop in drops(self.obligation) for _ in range(2))]


def drops(obligation: LookupOfSumObligation) -> list[Fraction]:
    """Return the greatest score at each distance 1, 2, ... from the target position, minus the score there."""
    if obligation.least is None:
        return []
    curvature, error = obligation.least.curvature, obligation.error
    return [curvature * (2 * k * error - k * k) for k in range(1, obligation.lengths.last)]


def find_sum_worst_case(obligation: LookupOfSumObligation, bits: int) -> WorstCase:
    """Bound the error; no extreme if all values are the target."""
    weighting = obligation.head.weighting
    if obligation.least is None:
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
