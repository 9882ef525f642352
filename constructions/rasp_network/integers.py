"""Integers that a program computes, as exact linear forms, and their bounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from constructions.network.transformer import Coefficients
from constructions.rasp.syntax import Variable as Place
from constructions.rasp_network.tables import Table, combine, constant

ZERO, ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True)
class Line:
    """The function ``constant + before * (i - 1) + after * (n - i)``.

    One such function is below another at all 1 <= i <= n exactly if all three coefficients are.
    """

    constant: Fraction = ZERO
    before: Fraction = ZERO
    after: Fraction = ZERO

    def plus(self, other: Line, factor: Fraction = ONE) -> Line:
        """Return the sum; the other summand is multiplied by ``factor``."""
        return Line(self.constant + factor * other.constant, self.before + factor * other.before,
                    self.after + factor * other.after)

    def least(self, other: Line) -> Line:
        """Return a line below both at all 1 <= i <= n."""
        return Line(min(self.constant, other.constant), min(self.before, other.before), min(self.after, other.after))

    @property
    def is_natural(self) -> bool:
        """True if it is never negative."""
        return min(self.constant, self.before, self.after) >= 0

    def opposite(self) -> Line:
        """Return the line with the opposite sign."""
        return Line().plus(self, -ONE)

    def greatest(self, other: Line) -> Line:
        """Return a line above both at all 1 <= i <= n."""
        return self.opposite().least(other.opposite()).opposite()


@dataclass(frozen=True)
class IntegerBounds:
    """Bounds ``lower`` and ``upper`` at position i of every word of length n."""

    lower: Line
    upper: Line

    def plus(self, other: IntegerBounds, factor: Fraction = ONE) -> IntegerBounds:
        """Bound the sum; the other summand is multiplied by ``factor``."""
        low, high = (other.lower, other.upper) if factor > 0 else (other.upper, other.lower)
        return IntegerBounds(self.lower.plus(low, factor), self.upper.plus(high, factor))

    def hull(self, other: IntegerBounds) -> IntegerBounds:
        """Return the interval hull."""
        return IntegerBounds(self.lower.least(other.lower), self.upper.greatest(other.upper))

    def magnitude(self) -> Line:
        """Bound the absolute value."""
        return self.upper.greatest(self.lower.opposite())

    def signs(self) -> tuple[Fraction, ...]:
        """Return the possible signs of the value: a ReLU of each sign is needed."""
        return (ONE,) if self.lower.is_natural else (ONE, -ONE)

    def elsewhere(self, before: bool, after: bool) -> IntegerBounds:
        """Bound at i a value from position j, where ``before`` allows j < i and ``after`` j > i."""
        return IntegerBounds(_elsewhere(self.lower.opposite(), before, after).opposite(),
                             _elsewhere(self.upper, before, after))


def _elsewhere(upper: Line, before: bool, after: bool) -> Line:
    """Bound an upper line at j: j - 1 is between 0 (or i - 1) and n - 1 (or i - 1); n - j is symmetric."""
    result = Line(upper.constant)
    if upper.before > 0 or not before:
        result = result.plus(Line(before=ONE, after=ONE if after and upper.before > 0 else ZERO), upper.before)
    if upper.after > 0 or not after:
        result = result.plus(Line(before=ONE if before and upper.after > 0 else ZERO, after=ONE), upper.after)
    return result


def between(lower: int | Fraction, upper: int | Fraction) -> IntegerBounds:
    """Return constant bounds."""
    return IntegerBounds(Line(Fraction(lower)), Line(Fraction(upper)))


_ZERO_TABLE = constant(0)


@dataclass(frozen=True)
class Integer:
    """The sum of linear forms on the residual vectors at i and at j, and of a function of finitely many cases."""

    rows: Mapping[Place, Coefficients] = field(default_factory=dict)
    table: Table = _ZERO_TABLE

    @property
    def places(self) -> frozenset[Place]:
        """The positions that the integer depends on."""
        return frozenset(self.rows) | self.table.places

    def plus(self, other: Integer, factor: int = 1) -> Integer:
        """Return the sum; the other summand is multiplied by ``factor``.

        Raises:
            TooManyCasesError: if the sum of the tables has too many cases.
        """
        rows = {place: added(self.rows.get(place, {}), other.rows.get(place, {}), factor)
                for place in (*self.rows, *(place for place in other.rows if place not in self.rows))}
        return Integer({place: row for place, row in rows.items() if row},
                       combine(lambda mine, theirs: mine + factor * theirs, self.table, other.table))

    def at(self, place: Place) -> Integer:
        """Return the same integer at ``place`` instead of i."""
        return Integer(dict(zip([place], self.rows.values(), strict=False)), self.table.at(place))


def added(row: Coefficients, other: Coefficients, factor: int | Fraction = 1) -> Coefficients:
    """Return the sum of two linear forms, the second multiplied by ``factor``, without zero coefficients."""
    result = dict(row)
    for name, weight in other.items():
        result[name] = result.get(name, ZERO) + factor * weight
    return {name: weight for name, weight in result.items() if weight}
