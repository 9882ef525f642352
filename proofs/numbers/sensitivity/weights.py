"""Bounds of the weights of a head over all words, and of their change when scores change.

There are four kinds of weights. D_j bounds the change of score j (over τ); α and α' are the weights of two words.

soft        softmax; softmax plus one is softmax with one more position, whose score and value are 0. Scores differ by
            at most D_j + D_k for two positions j, k, so the quotients of weights stay within a factor e^(D_j + D_k) of
            one another, and TV(α, α') <= tanh(greatest (D_j + D_k)/4). And along the segment from z to z' each dα_j is
            α_j (dz_j - Σ α dz), so TV <= (1/2) Σ α_j |dz_j - Σ α dz| <= Σ α_j |dz_j|: the greatest mean of the D_j.
shares      sparsemax: along the segment α changes as the scores of its support do, each minus their mean over it, so TV
            <= Σ D_j. Entmax 1.5 has weights p_j = ReLU(z_j/2 - θ)², dp_j = √p_j (dz_j - m) with m the mean of dz under
            weights √p_j, and TV <= Σ √p_j |dz_j| <= Σ D_j. Geometric (stick-breaking) attention leaves a rest, which
            reads 0: dz_j changes α_j by α_j (1 - σ_j), and the positions behind j, rest included, by as much the other
            way, as they weigh (1 - σ_j)/σ_j times α_j; so TV <= Σ α_j (1 - σ_j) D_j <= Σ D_j/4. Everywhere TV <= 1,
            and positions that never have a weight are omitted from the sums.
hard        average-, leftmost- and rightmost-hard attention have α = α' if no score changes; else TV <= 1.
added       ReLU, ReLU over n, sigmoid: each weight is a function of its own score, with a slope of at most 1, 1/n, 1/4.
            The sum of weights may be any number: the result changes by at most Σ (greatest α_j) Δv_j + (change of α_j)
            (greatest |v_j|).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

from constructions.network.exact_weights import hard_weights
from constructions.network.transformer import Head
from constructions.network.weightings import Weighting, WeightingShape
from proofs.enclosures.by_mpmath import seconded
from proofs.enclosures.intervals import Interval, point
from proofs.enclosures.rationals import ZERO, from_flint, to_flint
from proofs.enclosures.softmax import Weight, weights_in_common_units
from proofs.enclosures.weightings import Scored, enclose_attended, enclose_weights
from proofs.numbers.sensitivity.units import GRID, UNIT, between, in_units, times

BITS = 96
"""The precision of the weights of softmax."""
SPREAD = 1 << 12
ANY_SHARE: Weight = (0, 1)
NOTHING = point(ZERO)
"""The score and the value of the additional position of softmax plus one."""


class WeightingMode(Enum):
    """The four kinds of weights."""

    SOFT = "soft"
    SHARES = "shares"
    HARD = "hard"
    ADDED = "added"


@dataclass(frozen=True)
class WeightBounds:
    """Bounds of the weights at the visible positions: proportional to them, or (``added``) themselves, in 2^-GRID.

    ``phantom`` is the least weight of an additional position that reads 0, or None. ``slope`` is the greatest slope
    of the sum of shares, or of an added weight, by a score.
    """

    way: WeightingMode
    bounds: list[Weight]
    phantom: int | None = None
    slope: Any = ZERO

    @property
    def may_be_shifted(self) -> bool:
        """True if the weights are invariant under adding one number to all scores."""
        return self.way is not WeightingMode.ADDED and self.phantom is None

    @property
    def least(self) -> int:
        """The sum of the lower bounds."""
        return sum(low for low, _ in self.bounds) + (self.phantom or 0)


def weights_of_all_words(head: Head, scores: Sequence[Interval], n: int) -> WeightBounds:
    """Return the bounds for scores (over τ) in these intervals."""
    shape = head.weighting.row.shape
    match shape:
        case WeightingShape.HARD:
            return WeightBounds(WeightingMode.HARD, _hard_shares(head, scores))
        case WeightingShape.EXPONENTIAL:
            extra = head.weighting.row.extra
            found = weights_in_common_units([*scores, *[NOTHING] * extra], BITS, SPREAD)
            phantom = sum(low for low, _ in found[len(scores):]) if extra else None
            return WeightBounds(WeightingMode.SOFT, found[:len(scores)], phantom)
    bounds = [(-in_units(-weight.lower), in_units(weight.upper))
              for weight in enclose_weights(head.weighting, Scored(scores, n, head.mask), BITS)]
    slope = to_flint(_slope(head.weighting, n))
    match shape:
        case WeightingShape.THRESHOLD:
            return WeightBounds(WeightingMode.SHARES, bounds, slope=slope)
        case WeightingShape.STICK:
            left = max(0, UNIT - sum(high for _, high in bounds))
            return WeightBounds(WeightingMode.SHARES, bounds, left, slope)
        case WeightingShape.ADDITIVE:
            return WeightBounds(WeightingMode.ADDED, bounds, slope=slope)


def _slope(weighting: Weighting, n: int) -> Fraction:
    """Return the greatest slope of the sum of shares, or of an added weight, by a score: 1 with a threshold."""
    slope = weighting.row.response.slope if weighting.row.response else Fraction(1)
    return slope / n if weighting.row.over_n else slope


def weigh(head: Head, scores: Sequence[Interval], values: Mapping[str, Sequence[Interval]],
          n: int) -> dict[str, Interval]:
    """Enclose the output of the head, for scores (over τ) and values in these intervals."""
    if not head.weighting.is_hard:
        return enclose_attended(head.weighting, Scored(scores, n, head.mask), values, BITS, SPREAD)
    bounds = _hard_shares(head, scores)
    return {name: _mean_by_shares(bounds, column) for name, column in values.items()}


def _hard_shares(head: Head, scores: Sequence[Interval]) -> list[Weight]:
    """Return exact shares if the scores are exact; else any share for positions that may have the greatest score."""
    if all(score.is_point for score in scores):
        shares = hard_weights([from_flint(score.lower) for score in scores], head.weighting)
        return [(1, 1) if share else (0, 0) for share in shares]
    least = max(score.lower for score in scores)
    return [ANY_SHARE if score.upper >= least else (0, 0) for score in scores]


def _mean_by_shares(weights: Sequence[Weight], values: Sequence[Interval]) -> Interval:
    chosen = [value for value, (_, high) in zip(values, weights, strict=True) if high]
    if ANY_SHARE in weights:
        return between(min(value.lower for value in chosen), max(value.upper for value in chosen))
    return sum(chosen, NOTHING).scaled(1 / (ZERO + len(chosen)))


# -- bounds of their change --------------------------------------------------------------------------------------------


def bound_total_variation(weights: WeightBounds, moves: Sequence[tuple[int, Weight]]) -> int:
    """Bound the TV of the weights of two words, in units; ``moves`` are the D_j above 0, with the bounds of weights."""
    if not moves or weights.way is WeightingMode.HARD:
        return UNIT if moves else 0
    if weights.way is WeightingMode.SHARES:
        return min(UNIT, sum(times(weights.slope, moved) for moved, (_, high) in moves if high))
    greatest = sorted((moved for moved, _ in moves), reverse=True)[:2]
    return min(tanh_of_quarter(sum(greatest)), greatest_mean(moves, weights.least), UNIT)


def tanh_of_quarter(moved: int) -> int:
    """Return tanh(D/4), rounded up; at most 1.

    >>> tanh_of_quarter(0), tanh_of_quarter(1000 * UNIT) == UNIT
    (0, True)
    """
    if moved >= 4 * BITS * UNIT:
        return UNIT
    upper = seconded(lambda real: real(Fraction(moved, 4 * UNIT)).tanh(), GRID).upper
    return min(UNIT, -(-upper.numerator * UNIT // upper.denominator))


def greatest_mean(values: Sequence[tuple[int, Weight]], least: int) -> int:
    """Return the greatest mean of non-negative numbers, rounded up, with each weight between its bounds.

    ``least`` is the sum of the lower bounds of all weights; omitted numbers are 0. Raising the weight of a number
    raises the mean as long as the number exceeds it, so the greatest numbers have their upper bounds.

    >>> greatest_mean([(6, (1, 2)), (1, (1, 1))], 3)
    4
    """
    if least == 0:
        return max((value for value, (_, high) in values if high), default=0)
    total, weighted = least, sum(value * low for value, (low, _) in values)
    for value, (low, high) in sorted(values, reverse=True):
        if value * total <= weighted:
            break
        total += high - low
        weighted += (high - low) * value
    return -(-weighted // total)
