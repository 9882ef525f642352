"""Integers that a program computes, as exact linear forms; and how far from 0 they can be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from constructions.network.transformer import Row
from constructions.rasp.syntax import Variable as Place
from constructions.rasp_network.tables import Table, combine, constant

ZERO = Fraction(0)


@dataclass(frozen=True)
class Line:
    """The function ``position * i + length * n + constant``."""

    position: Fraction = ZERO
    length: Fraction = ZERO
    constant: Fraction = ZERO

    def plus(self, other: Line, factor: Fraction = Fraction(1)) -> Line:
        """The sum, the other one multiplied by ``factor``."""
        return Line(self.position + factor * other.position, self.length + factor * other.length,
                    self.constant + factor * other.constant)

    def least(self, other: Line) -> Line:
        """A line below both at all 1 <= i <= n."""
        return Line(min(self.position, other.position), min(self.length, other.length),
                    min(self.constant, other.constant))

    def opposite(self) -> Line:
        """The line with the opposite sign."""
        return Line().plus(self, Fraction(-1))

    def greatest(self, other: Line) -> Line:
        """A line above both at all 1 <= i <= n."""
        return self.opposite().least(other.opposite()).opposite()


@dataclass(frozen=True)
class Bounds:
    """Between ``lower`` and ``upper`` at position i of every word of length n."""

    lower: Line
    upper: Line

    def plus(self, other: Bounds, factor: Fraction = Fraction(1)) -> Bounds:
        """Bounds of the sum, the other summand multiplied by ``factor``."""
        low, high = (other.lower, other.upper) if factor > 0 else (other.upper, other.lower)
        return Bounds(self.lower.plus(low, factor), self.upper.plus(high, factor))

    def hull(self, other: Bounds) -> Bounds:
        """Bounds of what is one or the other."""
        return Bounds(self.lower.least(other.lower), self.upper.greatest(other.upper))

    def magnitude(self) -> Line:
        """A bound of the absolute value."""
        return self.upper.greatest(self.lower.opposite())

    def signs(self) -> tuple[Fraction, ...]:
        """The signs that the value may have: ReLUs with both are needed only if it may be negative."""
        low = self.lower
        return (Fraction(1),) if min(low.position, low.length, low.constant) >= 0 else (Fraction(1), Fraction(-1))

    def elsewhere(self, before: bool, after: bool) -> Bounds:
        """Bounds at i of a value that comes from a position j, where ``before`` allows j < i and ``after`` j > i.

        j is at least 1, or i; and at most n, or i. So a coefficient of j stays, or moves to the constant or to n.
        """
        return Bounds(_elsewhere(self.lower.opposite(), before, after).opposite(),
                      _elsewhere(self.upper, before, after))


def _elsewhere(upper: Line, before: bool, after: bool) -> Line:
    slope = upper.position
    if slope > 0 and after:
        return Line(ZERO, upper.length + slope, upper.constant)
    if slope < 0 and before:
        return Line(ZERO, upper.length, upper.constant + slope)
    return upper


def between(lower: int | Fraction, upper: int | Fraction) -> Bounds:
    """Constant bounds."""
    return Bounds(Line(constant=Fraction(lower)), Line(constant=Fraction(upper)))


_ZERO_TABLE = constant(0)


@dataclass(frozen=True)
class Integer:
    """The sum of linear forms on the residual vectors at i and at j, and of a function of finitely many cases."""

    rows: Mapping[Place, Row] = field(default_factory=dict)
    table: Table = _ZERO_TABLE

    @property
    def places(self) -> frozenset[Place]:
        """The positions it depends on."""
        return frozenset(self.rows) | self.table.places

    def plus(self, other: Integer, factor: int = 1) -> Integer:
        """The sum, the other summand multiplied by ``factor``.

        Raises:
            TooManyCasesError: if the function that is added has too many cases.
        """
        rows = {place: added(self.rows.get(place, {}), other.rows.get(place, {}), factor)
                for place in (*self.rows, *(place for place in other.rows if place not in self.rows))}
        return Integer({place: row for place, row in rows.items() if row},
                       combine(lambda mine, theirs: mine + factor * theirs, self.table, other.table))

    def at(self, place: Place) -> Integer:
        """The same integer at ``place``, being one of position i."""
        return Integer(dict(zip([place], self.rows.values(), strict=False)), self.table.at(place))


def added(row: Row, other: Row, factor: int | Fraction = 1) -> Row:
    """The sum of two linear forms, the second multiplied by ``factor``; without zeros."""
    result = dict(row)
    for name, weight in other.items():
        result[name] = result.get(name, ZERO) + factor * weight
    return {name: weight for name, weight in result.items() if weight}
