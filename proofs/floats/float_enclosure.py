"""Float enclosures of a direction, a query, a key or a score: real values, and an error bound of the computed one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from constructions.network.float_formats import Format, power_of_two
from proofs.floats.outward import half_unit, up
from proofs.formula.failures import NotDerived

ZERO, ONE = Fraction(0), Fraction(1)
ANY_GRID = 1 << 20
"""The grid of 0, which is a multiple of every number."""


@dataclass(frozen=True)
class FloatEnclosure:
    """The real value is in [lower, upper], the computed one within ``error`` of it.

    If ``error`` is 0, it is a multiple of 2^``grid``.
    """

    lower: Fraction
    upper: Fraction
    error: Fraction
    grid: int

    @property
    def size(self) -> Fraction:
        """The greatest absolute value, over the reals."""
        return max(self.upper, -self.lower)

    @property
    def computed_size(self) -> Fraction:
        """The greatest absolute value of the computed number."""
        return self.size + self.error

    @property
    def is_single_bit(self) -> bool:
        """Whether it is always 0, or plus or minus one power of 2: products with it are exact."""
        return not self.error and self.size <= power_of_two(self.grid) if self.grid < ANY_GRID else not self.error

    def join(self, other: FloatEnclosure) -> FloatEnclosure:
        """Return the interval hull, with the greater error."""
        return FloatEnclosure(min(self.lower, other.lower), max(self.upper, other.upper), max(self.error, other.error),
                              min(self.grid, other.grid))


TRUTH = FloatEnclosure(ZERO, ONE, ZERO, 0)
NOTHING = FloatEnclosure(ZERO, ZERO, ZERO, ANY_GRID)


def enclose_number(x: Fraction) -> FloatEnclosure:
    """Return an exact number.

    Raises:
        NotDerived: if it is not a dyadic rational.
    """
    grid = grid_of(x)
    if grid is None:
        raise NotDerived(f"{x} is not a dyadic number")
    return FloatEnclosure(x, x, ZERO, grid)


def join_all(parts: Iterable[FloatEnclosure]) -> FloatEnclosure:
    """Return the hull of the parts, of which there is one at least."""
    first, *rest = parts
    for part in rest:
        first = first.join(part)
    return first


def grid_of(x: Fraction) -> int | None:
    """Return the greatest k such that x is a multiple of 2^k, if there is one.

    >>> grid_of(Fraction(12)), grid_of(Fraction(5, 8)), grid_of(Fraction(1, 3))
    (2, -3, None)
    """
    if not x.numerator:
        return ANY_GRID
    if x.denominator & (x.denominator - 1):
        return None
    return (x.numerator & -x.numerator).bit_length() - x.denominator.bit_length()


def stored(x: Fraction, target: Format) -> FloatEnclosure:
    """Return the number x, rounded to a format.

    Raises:
        NotDerived: if it is greater than the largest number of the format.
    """
    try:
        rounded = target.round(x)
    except OverflowError:
        raise NotDerived(f"{describe(x)} is greater than the largest number of {target}") from None
    error = abs(rounded - x)
    if rounded and abs(rounded) < target.smallest_normal:  # it may be flushed
        error = max(error, abs(x))
    grid = None if error else grid_of(x)
    return FloatEnclosure(x, x, error, ANY_GRID if grid is None else grid)


def fits(enclosure: FloatEnclosure, target: Format) -> bool:
    """Return whether all enclosed numbers are numbers of the format, and none is subnormal."""
    if enclosure.error:
        return False
    return not enclosure.size or (enclosure.grid >= target.least and enclosure.size <= target.largest
                             and enclosure.size <= power_of_two(target.precision + enclosure.grid))


def round_to(enclosure: FloatEnclosure, target: Format) -> FloatEnclosure:
    """Return the enclosure after rounding to a format.

    Raises:
        NotDerived: if a number may be greater than the largest of the format.
    """
    if fits(enclosure, target):
        return enclosure
    error = up(enclosure.error + half_unit(target, enclosure.computed_size) + target.smallest_normal)
    check_finite(enclosure.size + error, target)
    return FloatEnclosure(enclosure.lower, enclosure.upper, error, ANY_GRID)


def check_finite(size: Fraction, target: Format) -> None:
    """Raise NotDerived if a number of this size may be greater than the largest of the format."""
    if size > target.largest:
        raise NotDerived(f"a number may be {describe(size)}, and the largest of {target} is {describe(target.largest)}")


def describe(x: Fraction) -> str:
    """Write a number in a few digits, for messages.

    >>> describe(Fraction(-1, 3)), describe(Fraction(3 * 10**12)), describe(Fraction(1, 80000))
    ('-0.333', '3e12', '1.25e-5')
    """
    exponent = _decimal_exponent(abs(x))
    if -4 < exponent < 9:
        return _decimal(x)
    return f"{_decimal(x / Fraction(10) ** exponent)}e{exponent}"


def _decimal_exponent(x: Fraction) -> int:
    if not x:
        return 0
    exponent = len(str(x.numerator)) - len(str(x.denominator))
    return exponent - (x < Fraction(10) ** exponent)


def _decimal(x: Fraction) -> str:
    thousandths = round(abs(x) * 1000)
    text = f"{thousandths // 1000}.{thousandths % 1000:03d}".rstrip("0").rstrip(".")
    return "-" + text if x < 0 and thousandths else text
