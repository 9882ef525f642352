"""Enclosures of position functions and temperatures at one (n, i), with the real ln and sqrt."""

from fractions import Fraction
from functools import lru_cache

from constructions.language.brackets import PositionFunction
from constructions.language.expressions import Expression
from proofs.enclosures.intervals import Interval, point
from proofs.enclosures.rationals import to_flint

MOST_CACHED = 1 << 14


@lru_cache(maxsize=MOST_CACHED)
def enclose_at(function: PositionFunction, i: int, n: int) -> Interval:
    """Enclose the value at (n, i); a point where it is rational.

    >>> from constructions.language.expressions import parse_expression
    >>> enclose_at(parse_expression("i/sqrt(n)"), 1, 4)
    Interval(lower=Fraction(1, 2), upper=Fraction(1, 2))

    Raises:
        InputError: if it is undefined there, or enclosures do not decide whether it is.
    """
    return _between(*function.enclose(i=i, n=n))


def enclose_in_length(expression: Expression, n: int) -> Interval:
    """Enclose the value at n of an expression in n only; otherwise as ``enclose_at``."""
    return _between(*expression.enclose(n=n))


def _between(lower: Fraction, upper: Fraction) -> Interval:
    return point(lower) if lower == upper else Interval(lower, upper)


@lru_cache(maxsize=MOST_CACHED)
def flint_at(function: PositionFunction, i: int, n: int) -> Interval:
    """Enclose the value at (n, i), in FLINT's rationals."""
    return in_flint(enclose_at(function, i, n))


@lru_cache(maxsize=MOST_CACHED)
def sharpness_at(temperature: Expression, i: int, n: int) -> Interval:
    """Enclose the inverse of a positive temperature, in FLINT's rationals."""
    value = enclose_at(temperature, i, n)
    return in_flint(point(1 / value.lower) if value.is_point else Interval(1 / value.upper, 1 / value.lower))


def in_flint(x: Interval) -> Interval:
    """Convert an interval to FLINT's rationals."""
    return point(to_flint(x.lower)) if x.is_point else Interval(to_flint(x.lower), to_flint(x.upper))
