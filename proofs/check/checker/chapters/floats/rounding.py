"""Numbers of a floating-point format, grids, and rounding to nearest; docs/reference/floats.md, section 1.

Powers of two are compared by their exponents: a format may have numbers as small as 2^-16447, and few checks need one
of them written out.
"""

from collections.abc import Iterable
from fractions import Fraction

from ...kernel.budget import Budget
from ...kernel.functions import log2floor
from ...kernel.numbers import ZERO, size
from ..float_models.reading import Format
from ..float_models.roundoff import tiny

ENDLESS = 1 << 30  # the grid of 0, which is a multiple of every power of two
BITS = 96  # a bound is rounded up (or down) to this many
LEAST_BOUND = -512  # a bound that is not 0 is at least 2^-512


def up(x: Fraction) -> Fraction:
    """Return a bound that is not less than x >= 0, with few bits."""
    if size(x) <= BITS:
        return x
    shift = x.numerator.bit_length() - x.denominator.bit_length() - BITS
    if shift < LEAST_BOUND:
        return Fraction(-(-(x.numerator << -LEAST_BOUND) // x.denominator), 1 << -LEAST_BOUND)
    above, below = x.numerator << max(-shift, 0), x.denominator << max(shift, 0)
    return Fraction(-(-above // below) << max(shift, 0), 1 << max(-shift, 0))


def rounding_error(form: Format, most: Fraction) -> Fraction:
    """Bound the error of rounding a number of at most this absolute value.

    The bound is half a unit in the last place, plus less than 2^e if the result is flushed. The greatest power of two
    below is a number of the format, and numbers below it have units half as large.
    """
    if most == 0:
        return ZERO
    k = log2floor(most)
    half = power_of_two(k - form.precision)
    return (half if k <= form.least else min(half, max(half / 2, most - power_of_two(k)))) + tiny(form)


def power_of_two(exponent: int) -> Fraction:
    """Return 2^exponent."""
    return Fraction(1 << max(exponent, 0), 1 << max(-exponent, 0))


def at_most_power(x: Fraction, exponent: int) -> bool:
    """Return whether x <= 2^exponent, for x >= 0."""
    length = x.numerator.bit_length() - x.denominator.bit_length()  # 2^(length - 1) < x < 2^(length + 1), if x > 0
    if x == 0 or abs(exponent - length) > 1:
        return x == 0 or exponent > length
    return x.numerator << max(-exponent, 0) <= x.denominator << max(exponent, 0)


def is_finite(form: Format, x: Fraction) -> bool:
    """Return whether |x| is at most the greatest number of the format, (2 - 2^(1-p)) 2^E."""
    p, length = form.precision, abs(x.numerator).bit_length() - x.denominator.bit_length()
    if x == 0 or abs(length - form.greatest) > 2:
        return x == 0 or length < form.greatest
    return abs(x.numerator) << (p - 1) <= ((1 << p) - 1) * (x.denominator << form.greatest)


def is_normal(form: Format, x: Fraction) -> bool:
    """Return whether |x| >= 2^e."""
    return x != 0 and at_most_power(1 / abs(x), -form.least)


def grid_of(x: Fraction) -> int | None:
    """Return the greatest g such that x is a multiple of 2^g; None if there is none."""
    if x == 0:
        return ENDLESS
    if x.denominator & (x.denominator - 1):
        return None
    return (x.numerator & -x.numerator).bit_length() - x.denominator.bit_length()


def coarsest(grids: Iterable[int | None]) -> int | None:
    """Return the greatest g such that numbers of these grids are multiples of 2^g; None if one has no grid."""
    found = ENDLESS
    for grid in grids:
        if grid is None:
            return None
        found = min(found, grid)
    return found


def fits(form: Format, grid: int | None, magnitude: Fraction) -> bool:
    """Return whether all multiples of 2^grid up to this magnitude are numbers of the format, normal or 0."""
    return (grid is not None and (magnitude == 0 or grid >= form.least)
            and at_most_power(magnitude, form.precision + grid) and is_finite(form, magnitude))


def is_number(form: Format, x: Fraction) -> bool:
    """Return whether x is 0 or a normal number of the format, so that nothing can flush or round it."""
    grid = grid_of(x)
    if x == 0 or grid is None:
        return x == 0
    return at_most_power(abs(x), form.precision + grid) and is_finite(form, x) and is_normal(form, x)


def nearest(budget: Budget, form: Format, x: Fraction) -> Fraction | None:
    """Return x rounded to nearest, ties to even; None if it is not normal (and not 0), or not finite.

    With 2^k <= |x| < 2^(k+1), the numbers of the format around it are the multiples of 2^(k-p+1), and 2^(k+1) is one of
    them. A number below 2^e could be flushed or not, so the result is not one number.
    """
    budget.spend(4 + (size(x) >> 8))
    if x == 0:
        return ZERO
    if not is_normal(form, x) or not is_finite(form, x):
        return None
    shift = log2floor(abs(x)) - form.precision + 1
    scaled = round(Fraction(x.numerator << max(-shift, 0), x.denominator << max(shift, 0)))
    return Fraction(scaled << max(shift, 0), 1 << max(-shift, 0))
