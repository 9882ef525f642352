"""Position functions and temperatures at one position of words of one length, with the real ln and sqrt, enclosed."""

from fractions import Fraction
from functools import lru_cache

from constructions.language.brackets import PositionFunction
from constructions.language.expressions import Expression
from proofs.enclosures.intervals import Interval, point
from proofs.enclosures.rationals import to_flint

MOST_CACHED = 1 << 14


@lru_cache(maxsize=MOST_CACHED)
def enclose_at(function: PositionFunction, i: int, n: int) -> Interval:
    """Return the value at (n, i); a point where it is rational.

    >>> from constructions.language.expressions import parse_expression
    >>> enclose_at(parse_expression("i/sqrt(n)"), 1, 4)
    Interval(lower=Fraction(1, 2), upper=Fraction(1, 2))

    Raises:
        InputError: if there is no value there, or enclosures do not say whether there is one.
    """
    return _between(*function.enclose(i=i, n=n))


def enclose_in_length(expression: Expression, n: int) -> Interval:
    """Return the value at n of an expression in n alone; otherwise as ``enclose_at``."""
    return _between(*expression.enclose(n=n))


def _between(lower: Fraction, upper: Fraction) -> Interval:
    return point(lower) if lower == upper else Interval(lower, upper)


@lru_cache(maxsize=MOST_CACHED)
def flint_at(function: PositionFunction, i: int, n: int) -> Interval:
    """Return the value at (n, i) in FLINT's rationals."""
    return in_flint(enclose_at(function, i, n))


@lru_cache(maxsize=MOST_CACHED)
def sharpness_at(temperature: Expression, i: int, n: int) -> Interval:
    """What scores are multiplied by, in FLINT's rationals: 1 over a temperature that is positive."""
    heat = enclose_at(temperature, i, n)
    return in_flint(point(1 / heat.lower) if heat.is_point else Interval(1 / heat.upper, 1 / heat.lower))


def in_flint(x: Interval) -> Interval:
    """Return the same interval, in FLINT's rationals."""
    return point(to_flint(x.lower)) if x.is_point else Interval(to_flint(x.lower), to_flint(x.upper))
