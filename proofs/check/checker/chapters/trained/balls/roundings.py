"""Roundings to multiples of a scale, in ball arithmetic.

Proved in docs/background/trained_rules.md, section 6, *Roundings*.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from ....kernel.budget import Budget
from ....kernel.numbers import ZERO
from ..reading.network import Rounding
from .precision import Precision, Undecided, ceil_norm, ceil_sqrt

Inexact = tuple[Sequence[int], int]
"""A vector in fixed point, and its error bound in the 2-norm."""


class Grid(NamedTuple):
    """Enclosures: of the scale, by numbers over ``whole``; of the zero point, by integers."""

    scales: tuple[int, int]
    whole: int
    zeros: tuple[int, int]


class Rounder:
    """A rounding at a precision; ``reads`` bounds the 2-norm of a vector, ``bound`` the result's."""

    def __init__(self, rounding: Rounding, precision: Precision, budget: Budget, reads: int, units: int) -> None:
        self._rounding, self._budget = rounding, budget
        self.of_input, scale = rounding.of_input, rounding.scale or Fraction(2 * reads, rounding.greatest)
        if rounding.scale is not None:
            scale *= precision.one
            self._grid = Grid((scale.numerator,) * 2, scale.denominator, (rounding.zero,) * 2)
        self._step, side = scale.__ceil__(), ceil_sqrt(units)
        self.bound = reads + side * (self._step + 2)
        if rounding.scale is not None:
            steps = max(rounding.greatest - rounding.zero, rounding.zero - rounding.least)
            self.bound = min(self.bound, side * (steps * self._step + 2))

    def apply(self, vectors: Sequence[Inexact]) -> list[Inexact]:
        """Return the rounded vectors of tokens; a range of the input is shared by all of them.

        Raises:
            Undecided: if a range may be 0, or a vector exceeds the bound.
        """
        if self._rounding.scale is not None:
            return [self._rounded(self._grid, vector) for vector in vectors]
        groups = [vectors] if self.of_input else [[vector] for vector in vectors]
        return [self._rounded(grid, vector) for group in groups for grid in [self.grid_of(group)] for vector in group]

    def ends(self, grid: Grid, least: int, greatest: int) -> tuple[int, int]:
        """Enclose, in numbers over ``grid.whole``, the results for numbers between ``least`` and ``greatest``."""
        (small, large), whole, (first, last) = grid
        limits = self._rounding
        low = nearest(least * whole, large if least >= 0 else small)
        high = nearest(greatest * whole, small if greatest >= 0 else large)
        low = min(max(low, limits.least - last), limits.greatest - last)
        high = min(max(high, limits.least - first), limits.greatest - first)
        return low * (small if low >= 0 else large), high * (large if high >= 0 else small)

    def near(self, least: int, greatest: int) -> tuple[list[int], list[int], int]:
        """Return points, values and a bound of the results' distance from interpolation; the scale must be given."""
        (scale, _), whole, (zero, _) = self._grid
        low, high = self.ends(self._grid, least, greatest)
        low, high = low // whole, -(-high // whole)
        if high - low <= self._step:
            return [least, greatest], [low + high >> 1] * 2, (high - low >> 1) + 1
        limits = [(limit - zero) * scale // whole for limit in (self._rounding.least, self._rounding.greatest)]
        points = [least, *(limit for limit in limits if least < limit < greatest), greatest]
        return points, [min(max(x, limits[0]), limits[1]) for x in points], (self._step >> 1) + 3

    def _rounded(self, grid: Grid, vector: Inexact) -> Inexact:
        (x, e), twice = vector, 2 * grid.whole
        self._budget.spend((1 + len(x)) * (1 + (grid.whole.bit_length() >> 10)))
        ends = [self.ends(grid, y - e, y + e) for y in x]
        found = [(low + high) // twice for low, high in ends]
        if ceil_norm(found) > self.bound:
            raise Undecided
        return found, ceil_norm((high - low) // twice + 2 for low, high in ends)

    def grid_of(self, vectors: Sequence[Inexact], slack: Fraction = ZERO) -> Grid:
        """Return the grid of the range of all numbers of these vectors, and 0; quotients may be off by ``slack``."""
        top, steps = self._rounding.greatest, [(min(x), max(x), e) for x, e in vectors]
        below = [min(0, *(low + sign * e for low, _, e in steps)) for sign in (-1, 1)]
        above = [max(0, *(high + sign * e for _, high, e in steps)) for sign in (-1, 1)]
        if above[0] <= below[1]:
            raise Undecided
        a, b = slack.numerator, slack.denominator
        zeros = (nearest(-below[1] * top * (b - a), (above[1] - below[1]) * b),
                 min(top, nearest(-below[0] * top * (b + a), (above[0] - below[0]) * b)))
        return Grid((above[0] - below[1], above[1] - below[0]), top, zeros)


def nearest(numerator: int, denominator: int) -> int:
    """Return the integer nearest to a quotient, ties to even; the denominator is positive."""
    found, rest = divmod(2 * numerator + denominator, 2 * denominator)
    return found - (rest == 0 and found & 1)
