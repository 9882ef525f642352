"""Means by heads of equal weights under a float model; docs/background/floats_rules.md, section 4, rule 1.

All scores are exactly 0 (queries are empty), so all differences to the greatest are 0, and all exponentials 1.
"""

from fractions import Fraction
from typing import NamedTuple

from ...kernel.budget import Cache
from ...kernel.numbers import ONE, ZERO
from ...kernel.verdicts import require
from ..float_models.reading import Format
from ..float_models.roundoff import gamma, tiny, unit_roundoff
from .forms import Arithmetic, FloatValue
from .rounding import fits, grid_of, is_normal, nearest, power_of_two, up

MOST_BITS, MOST_UNITS = 16, 64  # limits for sums that are enumerated unit by unit
TOO_LONG = "the mean over {} positions may be rounded in too many ways"


class FloatCell(NamedTuple):
    """At one row: the real number, and the least and the greatest that may be computed."""

    real: Fraction
    low: Fraction
    high: Fraction

    @property
    def error(self) -> Fraction:
        """An upper bound of the error of the computed number."""
        return max(abs(self.low - self.real), abs(self.high - self.real))


class VisibleValues(NamedTuple):
    """The values at the visible positions of a row, all of them exact multiples of 2^grid.

    Attributes:
        length: the number of positions (L).
        total: the sum of the values (s).
        most: at least the sum of the positive ones, and that of the others' absolute values (V).
        others: at least the number of nonzero values (K).
        has_one_sign: whether no two values have different signs.
    """

    length: int
    total: Fraction
    most: Fraction
    others: int
    grid: int | None
    has_one_sign: bool


def visible_values(total: Fraction, length: int, values: FloatValue) -> VisibleValues:
    """Return ``length`` visible values with this sum; ``values`` encloses each of them, exactly."""
    if values.low < 0 < values.high:
        return VisibleValues(length, total, length * values.magnitude, length, values.grid, False)
    others = length if values.grid is None or values.grid < 0 else min(length, int(abs(total)) >> values.grid)
    return VisibleValues(length, total, abs(total), others, values.grid, True)


class Means:
    """Means with equal weights under a float model."""

    def __init__(self, arithmetic: Arithmetic) -> None:
        self._arithmetic, self._claim, self._budget = arithmetic, arithmetic.claim, arithmetic.budget
        self._known = Cache[VisibleValues, FloatCell]()
        self._weights: dict[int, Fraction] = {}
        self._sums: dict[tuple[Fraction, int], tuple[Fraction, Fraction]] = {}

    def mean(self, visible: VisibleValues) -> FloatCell:
        """Return the mean of these values."""
        known = self._known.get(visible)
        if known is not None:
            return known
        self._budget.spend(100)
        require(fits(self._claim.softmax, 0, Fraction(visible.length)), TOO_LONG, visible.length)
        found = []
        if self._claim.normalised != "before":
            found += self._after(visible)
        if self._claim.normalised != "after":
            found += self._before(visible)
        return self._known.keep(visible, FloatCell(visible.total / visible.length, min(found), max(found)))

    def _after(self, visible: VisibleValues) -> list[Fraction]:
        """Return the exact sum's quotient, rounded and then stored."""
        require(fits(self._claim.sums, visible.grid, visible.most), TOO_LONG, visible.length)
        quotient = self._nearest(self._claim.softmax, visible.total / visible.length)
        return [self._nearest(self._claim.storage, quotient)]

    def _before(self, visible: VisibleValues) -> list[Fraction]:
        """Return the ends with one weight for all; products and sums are exact by G, or each of them is rounded."""
        weight, sums = self._weight(visible.length), self._claim.sums
        whole, grids = visible.most * weight, (visible.grid, grid_of(weight))
        grid = None if None in grids else sum(grid for grid in grids if grid is not None)
        if fits(sums, grid, whole):
            return [self._nearest(self._claim.storage, visible.total * weight)]
        scale, sign = power_of_two(0 if visible.grid is None else visible.grid), -1 if visible.total < 0 else 1
        followed = grid is not None and visible.has_one_sign and sums.precision <= MOST_BITS
        if followed and abs(visible.total) <= MOST_UNITS * scale and is_normal(sums, weight * scale):
            ends = self.sums_of_units(weight * scale, int(abs(visible.total) / scale))
            return [self._nearest(self._claim.storage, sign * end) for end in ends]
        factor = gamma(visible.others, unit_roundoff(sums))
        error = (factor * whole + 2 * visible.others * tiny(sums)) * (1 if visible.has_one_sign else 2)
        return [self._outward(visible.total * weight + sign * up(error), sign) for sign in (-1, 1)]

    def sums_of_units(self, scale: Fraction, count: int) -> tuple[Fraction, Fraction]:
        """Return the least and the greatest computed sum of products that are ``count`` units together, in any order.

        A product is added as it is, or rounded; rounding is monotone, so a sum is least where both parts are.
        """
        if (scale, count) not in self._sums:
            self._budget.spend(20 * count)
            parts = [(self.sums_of_units(scale, r), self.sums_of_units(scale, count - r))
                     for r in range(1, count // 2 + 1)]
            lows, highs = zip((count * scale,) * 2, *((a[0] + b[0], a[1] + b[1]) for a, b in parts), strict=True)
            low, high = self._nearest(self._claim.sums, min(lows)), self._nearest(self._claim.sums, max(highs))
            self._sums[scale, count] = min(low, count * scale), max(high, count * scale)
        return self._sums[scale, count]

    def _weight(self, length: int) -> Fraction:
        """Return the weight of each of ``length`` positions."""
        if length not in self._weights:
            quotient = self._nearest(self._claim.softmax, ONE / length)
            self._weights[length] = self._nearest(self._claim.weights, quotient)
        return self._weights[length]

    def _nearest(self, form: Format, x: Fraction) -> Fraction:
        """Return the number rounded to the format."""
        found = nearest(self._budget, form, x)
        require(found is not None, "a mean is too small or too large for its format")
        return ZERO if found is None else found

    def _outward(self, x: Fraction, sign: int) -> Fraction:
        """Return an end of an interval, as it is stored; next to 0 it may be flushed, so it is moved outward."""
        return sign * tiny(self._claim.storage) if abs(x) < tiny(self._claim.storage) else self._nearest(
            self._claim.storage, x)
