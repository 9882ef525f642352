"""Enclosure of a softmax-weighted mean."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from math import lcm

from proofs.enclosures.exponential import Dyadic, enclose_exp
from proofs.enclosures.intervals import Interval, point

MAX_SPREAD = 1 << 20
Weight = tuple[int, int]
"""Lower and upper bound of a positive weight, in units shared by all weights of one softmax."""


def weights_in_common_units(scores: Sequence[Interval], bits: int, spread: int = MAX_SPREAD) -> list[Weight]:
    """Enclose exp(score - largest score) for each score, all in units of one power of 2.

    Only the weights are rounded; sums of them are exact. Equal exact scores give equal weights. A weight more than
    ``spread`` bits below the largest one is enclosed by 0 and 1 unit.

    >>> weights_in_common_units([point(Fraction(5)), point(Fraction(5))], 128)
    [(1, 1), (1, 1)]
    """
    top = max(score.upper for score in scores)
    highs = [enclose_exp(score.upper - top, bits) for score in scores]
    return in_common_units([(high if score.lower is score.upper else enclose_exp(score.lower - top, bits), high)
                            for score, high in zip(scores, highs, strict=True)], spread)


def in_common_units(ends: Sequence[tuple[Dyadic, Dyadic]], spread: int = MAX_SPREAD) -> list[Weight]:
    """Enclose weights, from the lower end of one enclosure to the upper end of another, in units of one power of 2."""
    highest = max(high.exponent + high.upper.bit_length() for _, high in ends)
    unit = max(min(min(low.exponent, high.exponent) for low, high in ends), highest - spread)
    return [(_in_units(low.lower, low.exponent - unit), -_in_units(-high.upper, high.exponent - unit))
            for low, high in ends]


def places_without_gaps(exponents: Iterable[int], width: int) -> dict[int, int]:
    """Return smaller exponents for which sums of terms mantissa * 2**exponent have the same signs.

    Terms and the carries of their sum occupy ``width`` bits from an exponent on. Bits in none of these ranges are
    removed. The terms below a gap sum to less than the lowest bit above it: the sign of a sum is decided by the part
    above the gap, or, if that part is exactly 0, by the part below.

    >>> places_without_gaps([-10**30, 3, 5], 100)
    {-1000000000000000000000000000000: 0, 3: 100, 5: 102}
    """
    starts = sorted(set(exponents))
    places = dict.fromkeys(starts[:1], 0)
    for before, start in pairwise(starts):
        places[start] = places[before] + min(start - before, width)
    return places


def _in_units(mantissa: int, shift: int) -> int:
    """Return mantissa * 2**shift, rounded down."""
    if shift >= 0 or mantissa == 0:
        return mantissa << shift if mantissa else 0
    return mantissa >> -shift if -shift <= 2 * MAX_SPREAD else -(mantissa < 0)


def enclose_mean(scores: Sequence[Interval], values: Sequence[Interval], bits: int,
                 spread: int = MAX_SPREAD, counts: Sequence[int] | None = None) -> Interval:
    """Enclose the softmax-weighted mean of values, for scores and values in the given intervals.

    The mean of equal numbers is exact for all weights. With ``counts``, each value has this multiplicity.
    """
    first = values[0]
    if first.is_point and all(value == first for value in values):
        return first
    weights = weights_in_common_units(scores, bits, spread)
    if counts is not None:
        weights = [(low * count, high * count) for (low, high), count in zip(weights, counts, strict=True)]
    kind = type(first.lower)  # a Fraction, or another library's rational in a run
    lower = _over_one_denominator([value.lower for value in values])
    upper = lower if all(x.lower is x.upper for x in values) else _over_one_denominator([x.upper for x in values])
    (least, below), (most, above) = (_greatest_mean(weights, [-x for x in lower[0]]), _greatest_mean(weights, upper[0]))
    return Interval(kind(-least, below * lower[1]), kind(most, above * upper[1]))


def _over_one_denominator(values: Sequence[Fraction]) -> tuple[list[int], int]:
    """Return integers and the denominator over which they are these values."""
    ratios = [(int(value.numerator), int(value.denominator)) for value in values]
    unit = lcm(*{denominator for _, denominator in ratios})
    return [numerator * (unit // denominator) for numerator, denominator in ratios], unit


def _greatest_mean(weights: Sequence[Weight], values: Sequence[int]) -> tuple[int, int]:
    """Return numerator and denominator of the greatest weighted mean of ``values`` with each weight in its interval.

    The greatest values have their weights at the upper ends and the rest at the lower ends: starting from the lower
    ends, raising one weight raises the mean as long as its value exceeds the mean.
    """
    total = sum(low for low, _ in weights)
    if total == 0:
        return max(values), 1
    weighted = sum([low * value for (low, _), value in zip(weights, values, strict=True)])
    for value, (low, high) in sorted(zip(values, weights, strict=True), reverse=True):
        if value * total <= weighted:
            break
        total += high - low
        weighted += (high - low) * value
    return weighted, total


__all__ = ["Weight", "enclose_mean", "point", "weights_in_common_units"]
