"""What a head of equal weights holds in a float run; docs/floats.md, section 4, rule 1.

All scores are exactly 0 (no query reads anything), so all differences to the greatest are 0, and all exponentials 1.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from ..budget import Cache
from ..numbers import ONE, ZERO
from ..reading.floats import Format
from ..verdicts import require
from .forms import Arithmetic, Value, gamma
from .rounding import fits, grid_of, is_number, nearest, tiny, unit, up

TOO_LONG = "the mean over {} positions may be rounded in too many ways"


class Cell(NamedTuple):
    """At one row: the real number, and the least and the greatest that may be computed."""

    real: Fraction
    low: Fraction
    high: Fraction

    @property
    def error(self) -> Fraction:
        """How far the computed number may be off."""
        return max(abs(self.low - self.real), abs(self.high - self.real))


class Means:
    """Sums of values with equal weights, in a class of runs."""

    def __init__(self, arithmetic: Arithmetic) -> None:
        self._arithmetic, self._claim, self._budget = arithmetic, arithmetic.claim, arithmetic.budget
        self._known = Cache[tuple[object, ...], Cell]()

    def mean(self, total: Fraction, length: int, values: Value) -> Cell:
        """The mean of so many values with this sum; ``values`` says what each of them is, exactly.

        Raises:
            Rejected: if it is not finite, or may be too small, or the number of positions is no number of the format.
        """
        key = (total, length, values.magnitude, values.grid)
        known = self._known.get(key)
        if known is not None:
            return known
        self._budget.spend(100)
        require(fits(self._claim.softmax, 0, Fraction(length)), TOO_LONG, length)
        found = []
        if self._claim.normalised != "before":
            found += self._after(total, length, values)
        if self._claim.normalised != "after":
            found += self._before(total, length, values)
        return self._known.keep(key, Cell(total / length, min(found), max(found)))

    def _after(self, total: Fraction, length: int, values: Value) -> list[Fraction]:
        """The sum is exact; its quotient is rounded, and then stored."""
        largest = values.magnitude
        fit = fits(self._claim.sums, values.grid, length * largest) and is_number(self._claim.weights, largest)
        require(fit, TOO_LONG, length)
        return [self._nearest(self._claim.storage, self._nearest(self._claim.softmax, total / length))]

    def _before(self, total: Fraction, length: int, values: Value) -> list[Fraction]:
        """One weight for all; products and sums are exact by G, or each of them is rounded."""
        weight = self._nearest(self._claim.weights, self._nearest(self._claim.softmax, ONE / length))
        sums, whole, grids = self._claim.sums, length * values.magnitude * weight, (values.grid, grid_of(weight))
        grid = None if None in grids else sum(grid for grid in grids if grid is not None)
        if fits(sums, grid, whole):
            return [self._nearest(self._claim.storage, total * weight)]
        factor = gamma(length, unit(sums))
        error = up(factor * whole + 2 * length * (1 + factor) * tiny(sums))
        return [self._outward(total * weight - error, -1), self._outward(total * weight + error, 1)]

    def _nearest(self, form: Format, x: Fraction) -> Fraction:
        """Rounded to one number.

        Raises:
            Rejected: if it is not finite, or might be flushed.
        """
        found = nearest(self._budget, form, x)
        require(found is not None, "a mean is too small or too large for its format")
        return ZERO if found is None else found

    def _outward(self, x: Fraction, sign: int) -> Fraction:
        """An end of an interval, as it is stored; next to 0 it may be flushed, so it is put beyond."""
        return sign * tiny(self._claim.storage) if abs(x) < tiny(self._claim.storage) else self._nearest(
            self._claim.storage, x)
