"""Sums of ReLUs of one number x: piecewise linear functions, the intervals where they are constant, and their minimum.

f(x) = sum of weight * ReLU(scale x + bias). Between two neighbouring breakpoints -bias/scale it is slope x + intercept.
At a breakpoint, from left to right, a unit of positive scale becomes active, and one of negative scale inactive: either
way the slope grows by weight |scale|, and the intercept by weight times bias, with the sign of the scale.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import NamedTuple

from ....kernel.budget import ENTRY_BITS, Budget
from ....kernel.numbers import ONE, ZERO, add, divide, multiply, size, total
from ....kernel.reading.records import Neuron

NeuronForm = tuple[tuple[str, Fraction], ...]
"""Directions and coefficients, the first of which is 1."""

Range = tuple[Fraction | None, Fraction | None]
"""An interval; an end that is None is infinite."""


class Ramp(NamedTuple):
    """The function weight * ReLU(scale x + bias); the scale is not 0."""

    scale: Fraction
    bias: Fraction
    weight: Fraction


class PiecewiseLinear:
    """A sum of ramps."""

    def __init__(self, budget: Budget, ramps: Sequence[Ramp]) -> None:
        self._budget = budget
        falling = [ramp for ramp in ramps if ramp.scale < 0]
        slope = total(budget, (multiply(budget, ramp.weight, ramp.scale) for ramp in falling))
        intercept = total(budget, (multiply(budget, ramp.weight, ramp.bias) for ramp in falling))
        self._breaks: list[Fraction] = []
        self._longest = max((size(ramp.scale) + size(ramp.bias) for ramp in ramps), default=0)  # of a breakpoint
        budget.spend(len(ramps) * len(ramps).bit_length() * (1 + (self._longest**2 >> 16)))
        self._slopes, self._intercepts = [slope], [intercept]
        for place, ramp in sorted((divide(budget, -ramp.bias, ramp.scale), ramp) for ramp in ramps):
            slope = add(budget, slope, multiply(budget, ramp.weight, abs(ramp.scale)))
            signed = ramp.bias if ramp.scale > 0 else -ramp.bias
            intercept = add(budget, intercept, multiply(budget, ramp.weight, signed))
            self._breaks.append(place)
            self._slopes.append(slope)
            self._intercepts.append(intercept)
            budget.hold(ENTRY_BITS + size(place) + size(slope) + size(intercept))

    def value_on(self, low: Fraction | None, high: Fraction | None, or_more: bool) -> Fraction | None:
        """Return the one value of f on [low, high], or None if there are several; an end that is None is infinite.

        With ``or_more`` and two finite ends, return the minimum of f, which is at an end or at a breakpoint between.
        """
        if or_more and low is not None and high is not None:
            first, last = self._first_piece(low), self._last_piece(high)
            self._budget.spend(1 + max(0, last - first))
            between = (self._value(piece, self._breaks[piece]) for piece in range(first, last))
            return min(self._value(first, low), self._value(last, high), *between)
        first = 0 if low is None else self._first_piece(low)
        if low is not None and low == high:
            return self._value(first, low)
        last = len(self._breaks) if high is None else self._last_piece(high)
        self._budget.spend(last - first + 1)
        return None if any(self._slopes[first : last + 1]) else self._intercepts[first]

    def _first_piece(self, low: Fraction) -> int:
        """Return the index of the piece to the right of a number."""
        self._budget.spend(10 + (size(low) * self._longest >> 13))
        return bisect_right(self._breaks, low)

    def _last_piece(self, high: Fraction) -> int:
        """Return the index of the piece to the left of a number."""
        self._budget.spend(10 + (size(high) * self._longest >> 13))
        return bisect_left(self._breaks, high)

    def _value(self, piece: int, x: Fraction) -> Fraction:
        """Return the value of a piece at a number in it or at one of its ends."""
        return add(self._budget, multiply(self._budget, self._slopes[piece], x), self._intercepts[piece])


def add_ranges(budget: Budget, parts: Iterable[tuple[Fraction, Range]], start: Range = (ZERO, ZERO)) -> Range:
    """Return the range of a linear form, plus ``start``, over independent ranges of its parts."""
    low, high = start
    for c, ends in parts:
        first, last = (None if end is None else multiply(budget, c, end) for end in (ends if c > 0 else ends[::-1]))
        low = None if low is None or first is None else add(budget, low, first)
        high = None if high is None or last is None else add(budget, high, last)
    return low, high


def group_by_form(budget: Budget, name: str, units: Sequence[Neuron]) -> dict[NeuronForm, PiecewiseLinear]:
    """Group the hidden units that write a direction by form: units that read multiples of one form are one sum."""
    ramps: dict[NeuronForm, list[Ramp]] = {}
    for unit in units:
        scale = next(iter(unit.reads.values()), ONE)
        form = tuple((source, divide(budget, c, scale)) for source, c in unit.reads.items())
        ramps.setdefault(form, []).append(Ramp(scale, unit.bias, unit.writes[name]))
    return {form: PiecewiseLinear(budget, same) for form, same in ramps.items()}
