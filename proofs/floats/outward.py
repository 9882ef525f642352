"""Outward rounding of bounds to short dyadic numbers, and upper bounds of exponentials."""

from fractions import Fraction

from constructions.network.float_formats import Format, exponent_of, power_of_two
from proofs.enclosures.exponential import enclose_exp

BITS = 64
"""Significant bits of a bound."""
GRAIN = Fraction(1, 1 << 20)
"""Exponents are rounded to multiples of this before exp is enclosed, so that few are ever computed."""
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
    """Bound e^x from above, with a relative error of at most 2^-19 for x >= LEAST_EXPONENT."""
    argument = max(-(-x // GRAIN) * GRAIN, Fraction(LEAST_EXPONENT))
    found = enclose_exp(argument, BITS)
    return found.upper * power_of_two(found.exponent)


def exp_down(x: Fraction) -> Fraction:
    """Bound e^x from below by a positive number."""
    return 1 / exp_up(-x)


def gamma(k: int, u: Fraction) -> Fraction | None:
    """Return k u / (1 - k u): the relative error of k consecutive roundings; None if k u is 1 or more."""
    return k * u / (1 - k * u) if k * u < 1 else None


def half_unit(target: Format, x: Fraction) -> Fraction:
    """Bound the error of rounding a number of absolute value at most x to the format, except for flushing.

    It is half a unit in the last place at x. But the greatest power of 2 that is at most x is a number of the
    format, and units below it are half as large.
    """
    half = target.unit(x) / 2
    if not x or (exponent := exponent_of(x)) <= target.least:
        return half
    return min(half, max(half / 2, x - power_of_two(exponent)))
