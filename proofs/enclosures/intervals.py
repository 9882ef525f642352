"""Closed intervals with rational ends, for running a network: exact where the numbers are exact.

Their ends are Fractions; while words are replayed, they are rationals of another library (``enclosures.rationals``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from constructions.network.transformer import Coefficients

ZERO = Fraction(0)

@dataclass(frozen=True, slots=True)
class Interval:
    """All reals x with lower <= x <= upper."""

    lower: Fraction
    upper: Fraction

    def __add__(self, other: Interval) -> Interval:
        if self.lower is self.upper and other.lower is other.upper:  # points are most of what a network holds
            return point(self.lower + other.lower)
        return Interval(self.lower + other.lower, self.upper + other.upper)

    def __mul__(self, other: Interval) -> Interval:
        if self.lower is self.upper and other.lower is other.upper:
            return point(self.lower * other.lower)
        products = [a * b for a in (self.lower, self.upper) for b in (other.lower, other.upper)]
        return Interval(min(products), max(products))

    def scaled(self, factor: Fraction) -> Interval:
        """Return the interval of factor * x.

        >>> Interval(Fraction(1), Fraction(2)).scaled(Fraction(-3))
        Interval(lower=Fraction(-6, 1), upper=Fraction(-3, 1))
        """
        if self.lower is self.upper:
            return point(self.lower * factor)
        ends = (self.lower * factor, self.upper * factor)
        return Interval(min(ends), max(ends))

    @property
    def is_point(self) -> bool:
        """True if it contains one number only."""
        return self.lower == self.upper

    def within(self, lower: Fraction, upper: Fraction | None) -> bool:
        """Return whether all numbers of the interval are in [lower, upper], or from ``lower`` on without ``upper``."""
        return lower <= self.lower and (upper is None or self.upper <= upper)

    def misses(self, lower: Fraction, upper: Fraction | None) -> bool:
        """Return whether no number of the interval is in [lower, upper], or from ``lower`` on without ``upper``."""
        return self.upper < lower or (upper is not None and upper < self.lower)


@dataclass(frozen=True)
class AtLeast:
    """All reals x with lower <= x."""

    lower: Fraction
    upper: ClassVar[None] = None


def point(x: Fraction) -> Interval:
    """Return the interval that contains x only."""
    return Interval(x, x)


def enclose_form(row: Coefficients, values: Mapping[str, Interval], zero: Fraction = ZERO) -> Interval:
    """Enclose a linear form; directions without a value count as ``zero``, the 0 of the rationals in use."""
    exact, wide = zero, None
    for name, weight in row.items():
        if (value := values.get(name)) is None:
            continue
        if value.lower is not value.upper:
            term = value.scaled(weight)
            wide = term if wide is None else wide + term
        elif value.lower:  # most of what a network holds is exactly 0
            exact += value.lower * weight
    return point(exact) if wide is None else Interval(wide.lower + exact, wide.upper + exact)
