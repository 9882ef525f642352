"""The output map that makes the cross-entropy small, chosen in floating point and rounded to exact numbers.

The cross-entropy is convex in slope and offsets, so the best offsets for a slope are found by bisection, and the slope
by golden-section search. Soundness does not depend on the choice: the cross-entropy is enclosed at it.
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from proofs.numbers.cross_entropy.predictions import OutputMap, PrefixGroup

UNITS = 1 << 12
"""Slope and offsets are multiples of 1/UNITS."""
GREATEST_OFFSET = 64.0
BISECTIONS, SECTIONS = 40, 40
GOLDEN = (math.sqrt(5) - 1) / 2
Terms = Sequence[tuple[float, float, float]]
"""For each group its value, the weight of the question, and the weight of the answer yes."""


def choose_output(groups: Sequence[PrefixGroup], alphabet: Sequence[str], steepest: Fraction) -> OutputMap:
    """Return the map with a slope in [-steepest, steepest] that approximately minimises the cross-entropy."""
    terms = _terms(groups, alphabet)
    slope = _least(lambda slope: sum(_cost(part, slope, _offset(part, slope)) for part in terms.values()),
                   float(steepest))
    return choose_offsets(groups, alphabet, min(max(_exact(slope), -steepest), steepest))


def choose_offsets(groups: Sequence[PrefixGroup], alphabet: Sequence[str], slope: Fraction) -> OutputMap:
    """Return the map with this slope that approximately minimises the cross-entropy."""
    return OutputMap(slope, {symbol: _exact(_offset(part, float(slope)))
                             for symbol, part in _terms(groups, alphabet).items()})


def _terms(groups: Sequence[PrefixGroup], alphabet: Sequence[str]) -> dict[str, Terms]:
    """Return the terms of the cost by last symbols."""
    return {symbol: [(float(group.value.lower), float(group.asked), float(group.yes)) for group in groups
                     if group.last == symbol and group.asked] for symbol in alphabet}


def _exact(x: float) -> Fraction:
    return Fraction(round(x * UNITS), UNITS)


def _cost(terms: Terms, slope: float, offset: float) -> float:
    return sum(yes * _softplus(-(slope * x + offset)) + (total - yes) * _softplus(slope * x + offset)
               for x, total, yes in terms)


def _softplus(x: float) -> float:
    return max(x, 0.0) + math.log1p(math.exp(-abs(x)))


def _offset(terms: Terms, slope: float) -> float:
    """Return the offset at which the derivative of the cost changes its sign."""
    low, high = -GREATEST_OFFSET, GREATEST_OFFSET
    for _ in range(BISECTIONS if terms else 0):
        middle = (low + high) / 2
        excess = sum(total * _logistic(slope * x + middle) - yes for x, total, yes in terms)
        low, high = (low, middle) if excess > 0 else (middle, high)
    return (low + high) / 2


def _logistic(x: float) -> float:
    return (1 + math.tanh(x / 2)) / 2


def _least(cost: Callable[[float], float], greatest: float) -> float:
    """Minimise a convex function on [-greatest, greatest]."""
    low, high = -greatest, greatest
    for _ in range(SECTIONS):
        left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        low, high = (low, right) if cost(left) <= cost(right) else (left, high)
    return (low + high) / 2
