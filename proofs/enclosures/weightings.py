"""Enclosures of head outputs under weightings other than softmax and the hard ones.

See docs/reference/certificate.md, section 2.

Each weighting has a function from scores to weights, both as intervals; weights of exact scores are exact where they
are rational. Softmax-plus-one is softmax with an extra position, whose score and values are 0.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any

from constructions.network.exact_weights import relu_weights, sparsemax_threshold, sparsemax_weights
from constructions.network.transformer import Mask
from constructions.network.weightings import Weighting
from proofs.enclosures.exponential import ball, exact_ends, working_precision
from proofs.enclosures.intervals import Interval, point
from proofs.enclosures.softmax import MAX_SPREAD, enclose_mean

FARTHEST = 4096
"""Beyond this many nats the logistic function is enclosed by 0 or 1: e^-4096 is below any relevant error."""


@dataclass(frozen=True)
class Scored:
    """The scaled scores of a row at its visible positions, in the order of the word, of n symbols."""

    scores: Sequence[Interval]
    n: int
    mask: Mask


def enclose_attended(weighting: Weighting, row: Scored, columns: Mapping[str, Sequence[Interval]], bits: int,
                     spread: int = MAX_SPREAD) -> dict[str, Interval]:
    """Enclose the output of a soft head at one row, by direction; ``columns`` are values at visible positions."""
    if weighting.is_exponential:
        nothing = [point(row.scores[0].lower * 0)] * weighting.row.extra
        scores = [*row.scores, *nothing]
        return {name: enclose_mean(scores, [*values, *nothing], bits, spread) for name, values in columns.items()}
    weights = enclose_weights(weighting, row, bits)
    return {name: _weighted_sum(weights, values, weighting.sums_to_one) for name, values in columns.items()}


def enclose_weights(weighting: Weighting, row: Scored, bits: int) -> list[Interval]:
    """Enclose the weights of one row under a weighting that is neither exponential nor hard."""
    return WEIGHTS[weighting](row, bits)


def _weighted_sum(weights: Sequence[Interval], values: Sequence[Interval], is_mean: bool) -> Interval:
    """Enclose the sum of weight times value; a mean of equal numbers is that number."""
    first = values[0]
    if is_mean and first.is_point and all(value == first for value in values):
        return first
    total = point(first.lower * 0)
    for weight, value in zip(weights, values, strict=True):
        if weight.upper:
            total += weight * value
    if not is_mean:
        return total
    return Interval(max(total.lower, min(value.lower for value in values)),
                    min(total.upper, max(value.upper for value in values)))


def sparsemax_intervals(row: Scored, bits: int) -> list[Interval]:
    """Enclose max(score - θ, 0); θ grows with the scores, so its ends come from theirs."""
    if all(score.is_point for score in row.scores):
        return list(map(point, sparsemax_weights([score.lower for score in row.scores])))
    low = sparsemax_threshold([score.lower for score in row.scores])
    high = sparsemax_threshold([score.upper for score in row.scores])
    return [_positive_part(Interval(score.lower - high, score.upper - low)) for score in row.scores]


def entmax_intervals(row: Scored, bits: int) -> list[Interval]:
    """Enclose max(score/2 - θ, 0)², where θ grows with the scores; exact where the weights above 0 are equal."""
    if all(score.is_point for score in row.scores):
        return entmax_weights([score.lower for score in row.scores], bits)
    low = _Support([score.lower for score in row.scores]).threshold(bits)
    high = _Support([score.upper for score in row.scores]).threshold(bits)
    return [_square(_positive_part(Interval(score.lower / 2 - high.upper, score.upper / 2 - low.lower)))
            for score in row.scores]


def entmax_weights(scores: Sequence[Fraction], bits: int) -> list[Interval]:
    """Enclose the weights of exact scores under 1.5-entmax.

    >>> entmax_weights([Fraction(2), Fraction(2), Fraction(0)], 64)[0]
    Interval(lower=Fraction(1, 2), upper=Fraction(1, 2))
    """
    support = _Support(scores)
    root = square_root(support.discriminant, bits)
    return [support.weight(score, root) for score in scores]


class _Support:
    """The support of 1.5-entmax, found exactly: θ is the lesser root of Σ (a_j - θ)² = 1 over it.

    With the halves a_1 >= a_2 >= ... of the scores, k of them exceed θ if the squares of a_j - a_k, j < k, sum to less
    than 1. With S = Σ (a_1 - a_j) and Q the sum of their squares, θ = a_1 - (S + √(S² - k (Q - 1)))/k.
    """

    def __init__(self, scores: Sequence[Fraction]):
        """Find the support of these scores."""
        halves = sorted((score / 2 for score in scores), reverse=True)
        self.top = halves[0]
        self.total = squares = self.top * 0
        self.count = 0
        for half in halves:
            drop = self.top - half
            if squares - 2 * drop * self.total + self.count * drop * drop >= 1:
                break
            self.total, squares, self.count = self.total + drop, squares + drop * drop, self.count + 1
        self.discriminant = self.total * self.total - self.count * (squares - 1)

    def threshold(self, bits: int) -> Interval:
        """Enclose θ."""
        root = square_root(self.discriminant, bits)
        return Interval(self.top - (self.total + root.upper) / self.count,
                        self.top - (self.total + root.lower) / self.count)

    def weight(self, score: Fraction, root: Interval) -> Interval:
        """Enclose ((p + √D)/k)² with p = S - k (a_1 - score/2), multiplied out: exact if p = 0, or the root is."""
        p = self.total - self.count * (self.top - score / 2)
        if p + root.upper <= 0:
            return point(p * 0)
        twice = root.scaled(2 * p)
        fixed = p * p + self.discriminant
        weight = Interval((fixed + twice.lower) / self.count**2, (fixed + twice.upper) / self.count**2)
        return weight if p + root.lower >= 0 else Interval(p * 0, weight.upper)


def square_root(x: Any, bits: int) -> Interval:
    """Enclose the square root of a rational of 0 or more, in its type of rationals; exact if it is rational.

    >>> square_root(Fraction(9, 4), 64).is_point
    True
    """
    numerator, denominator = (int(x.numerator), int(x.denominator)) if isinstance(x, Fraction) else (int(x.p), int(x.q))
    number = numerator * denominator
    kind = type(x)
    whole = isqrt(number)
    if whole * whole == number:
        return point(kind(whole, denominator))
    scale = 1 << bits
    floor = isqrt(number * scale * scale)
    return Interval(kind(floor, denominator * scale), kind(floor + 1, denominator * scale))


def relu_intervals(row: Scored, bits: int) -> list[Interval]:
    """Enclose max(score, 0)."""
    return _by_ends(row, relu_weights)


def relu_over_n_intervals(row: Scored, bits: int) -> list[Interval]:
    """Enclose max(score, 0)/n."""
    return _by_ends(row, lambda scores: relu_weights(scores, row.n))


def _by_ends(row: Scored, weights: Callable[[Sequence[Fraction]], list[Fraction]]) -> list[Interval]:
    """Enclose weights that grow with their own score and do not depend on others."""
    low = weights([score.lower for score in row.scores])
    if all(score.is_point for score in row.scores):
        return list(map(point, low))
    return list(map(Interval, low, weights([score.upper for score in row.scores])))


def sigmoid_intervals(row: Scored, bits: int) -> list[Interval]:
    """Enclose the logistic function of the scores."""
    return [logistic(score, bits) for score in row.scores]


def stick_breaking_intervals(row: Scored, bits: int) -> list[Interval]:
    """Enclose the weights of geometric and stick-breaking attention: each position takes its share of the rest.

    Positions are visited from the nearest one. The position itself, the last of a future mask and the first of a past
    one, has the weight 0.
    """
    nearest_first = list(row.scores) if row.mask is Mask.PAST else list(reversed(row.scores))
    zero = row.scores[0].lower * 0
    left, weights = point(zero + 1), [point(zero)]
    for score in nearest_first[1:]:
        share = logistic(score, bits)
        weights.append(left * share)
        left = left * Interval(1 - share.upper, 1 - share.lower)
    return weights if row.mask is Mask.PAST else list(reversed(weights))


def logistic(score: Interval, bits: int) -> Interval:
    """Enclose σ(x) = 1/(1 + e^-x), in the rationals of the score; exact at 0.

    >>> logistic(point(Fraction(0)), 64)
    Interval(lower=Fraction(1, 2), upper=Fraction(1, 2))
    """
    lower = _logistic_ends(score.lower, bits)[0]
    upper = _logistic_ends(score.upper, bits)[1]
    return point(lower) if lower == upper else Interval(lower, upper)


def _logistic_ends(x: Any, bits: int) -> tuple[Any, Any]:
    kind = type(x)
    within = max(kind(-FARTHEST), min(kind(FARTHEST), x))
    exact = within if isinstance(within, Fraction) else Fraction(int(within.p), int(within.q))
    with working_precision(bits):
        lower, upper = exact_ends(1 / (1 + ball(-exact).exp()))
    return (kind(0) if x < -FARTHEST else kind(lower.numerator, lower.denominator),
            kind(1) if x > FARTHEST else kind(upper.numerator, upper.denominator))


def _positive_part(x: Interval) -> Interval:
    zero = x.lower * 0
    return x if x.lower >= zero else Interval(zero, max(x.upper, zero))


def _square(x: Interval) -> Interval:
    """Return the squares of numbers of 0 or more."""
    return Interval(x.lower * x.lower, x.upper * x.upper)


WEIGHTS: Mapping[Weighting, Callable[[Scored, int], list[Interval]]] = {
    Weighting.SPARSEMAX: sparsemax_intervals,
    Weighting.ENTMAX: entmax_intervals,
    Weighting.RELU: relu_intervals,
    Weighting.RELU_OVER_N: relu_over_n_intervals,
    Weighting.SIGMOID: sigmoid_intervals,
    Weighting.GEOMETRIC: stick_breaking_intervals,
    Weighting.STICK_BREAKING: stick_breaking_intervals,
}
"""The enclosures of the soft weightings that are not exponential."""
