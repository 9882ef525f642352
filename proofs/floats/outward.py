"""Outward rounding of bounds to short dyadic numbers, and upper bounds of exponentials."""

from fractions import Fraction

from constructions.network.float_formats import Format, exponent_of, power_of_two
from proofs.enclosures.exponential import enclose_exp

BITS = 64
"""Significant bits of a bound."""
GRAIN = Fraction(1, 1 << 20)
"""Exponents are rounded to multiples of this before exp is enclosed, so that few are ever looked at."""
LEAST_EXPONENT = -4096
"""Below it e^x is bounded by e^LEAST_EXPONENT."""


def up(x: Fraction) -> Fraction:
    """Return a number of BITS significant bits that is at least x >= 0.

    >>> up(Fraction(1, 4)), up(Fraction(1, 3)) > Fraction(1, 3)
    (Fraction(1, 4), True)
    """
    if not x.numerator or ((x.denominator & (x.denominator - 1)) == 0 and x.numerator.bit_length() <= BITS):
        return x
    unit = power_of_two(exponent_of(x) - BITS)
    return -(-x // unit) * unit


def exp_up(x: Fraction) -> Fraction:
    """At least e^x, by no more than 2^-19 of it for x >= LEAST_EXPONENT."""
    argument = max(-(-x // GRAIN) * GRAIN, Fraction(LEAST_EXPONENT))
    found = enclose_exp(argument, BITS)
    return found.upper * power_of_two(found.exponent)


def exp_down(x: Fraction) -> Fraction:
    """At most e^x, and positive."""
    return 1 / exp_up(-x)


def gamma(k: int, u: Fraction) -> Fraction | None:
    """k u / (1 - k u): the relative error of k roundings in a row; None if k u is 1 or more."""
    return k * u / (1 - k * u) if k * u < 1 else None


def half_unit(target: Format, x: Fraction) -> Fraction:
    """How far a number of absolute value at most x may be from the nearest one of the format, flushing apart.

    Half a unit in the last place at x; but the power of 2 that is at most x is a number of the format, and units below
    it are half as large.
    """
    half = target.unit(x) / 2
    if not x or (exponent := exponent_of(x)) <= target.least:
        return half
    return min(half, max(half / 2, x - power_of_two(exponent)))
