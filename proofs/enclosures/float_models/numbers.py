"""The numbers of a float execution, as integers: mantissa * 2**exponent, rounded to a format after each operation.

No result is a floating-point number of the machine: each is exact, then rounded by integer arithmetic.
"""

from dataclasses import dataclass
from fractions import Fraction

from constructions.network.float_formats import Format

Number = tuple[int, int]
"""A pair (mantissa, exponent); a number has several such pairs."""
ZERO: Number = (0, 0)
ONE: Number = (1, 0)


class NotFinite(Exception):
    """A result is greater than the largest number of its format: an execution would overflow to infinity."""


def exact_value(x: Number) -> Fraction:
    """Return the rational value.

    >>> exact_value((3, -2))
    Fraction(3, 4)
    """
    mantissa, exponent = x
    return Fraction(mantissa << exponent) if exponent >= 0 else Fraction(mantissa, 1 << -exponent)


def reduced(x: Number) -> Number:
    """Return the same number with an odd mantissa.

    >>> reduced((12, -3)), reduced((0, 5))
    ((3, -1), (0, 0))
    """
    mantissa, exponent = x
    if not mantissa:
        return ZERO
    zeros = (mantissa & -mantissa).bit_length() - 1
    return mantissa >> zeros, exponent + zeros


def add_exactly(x: Number, y: Number) -> Number:
    """Return x + y exactly."""
    if x[1] >= y[1]:
        return (x[0] << (x[1] - y[1])) + y[0], y[1]
    return x[0] + (y[0] << (y[1] - x[1])), x[1]


def multiply_exactly(x: Number, y: Number) -> Number:
    """Return x * y exactly."""
    return x[0] * y[0], x[1] + y[1]


def negated(x: Number) -> Number:
    """Return -x."""
    return -x[0], x[1]


@dataclass(frozen=True)
class Arithmetic:
    """Operations on numbers of ``format``, rounded to nearest, ties to even.

    Results below the least normal number are subnormal numbers or, with ``flush``, 0.
    """

    format: Format
    flush: bool = False

    def round(self, x: Number) -> Number:
        """Round an exact result to the format.

        >>> from constructions.network.float_formats import FORMATS
        >>> Arithmetic(FORMATS["bfloat16"]).round((257, 0)), Arithmetic(FORMATS["bfloat16"]).round((259, 0))
        ((128, 1), (130, 1))

        Raises:
            NotFinite: if it is greater than the largest number.
        """
        mantissa, exponent = x
        if not mantissa:
            return ZERO
        return self._finish(*self._to_nearest(mantissa, exponent))

    def _to_nearest(self, mantissa: int, exponent: int) -> Number:
        precision, least = self.format.precision, self.format.least
        dropped = max(mantissa.bit_length() - precision, least - precision + 1 - exponent)
        if dropped <= 0:
            return mantissa, exponent
        quotient = mantissa >> dropped
        twice = (mantissa - (quotient << dropped)) << 1
        step = 1 << dropped
        if twice > step or (twice == step and quotient & 1):
            quotient += 1
        return quotient, exponent + dropped

    def _finish(self, mantissa: int, exponent: int) -> Number:
        top = mantissa.bit_length() + exponent - 1  # 2^top <= |x| < 2^(top+1)
        if not mantissa or (self.flush and top < self.format.least):
            return ZERO
        if top > self.format.greatest:
            raise NotFinite
        return mantissa, exponent

    def add(self, x: Number, y: Number) -> Number:
        """Return x + y, rounded."""
        return self.round(add_exactly(x, y))

    def multiply(self, x: Number, y: Number) -> Number:
        """Return x * y, rounded."""
        return self.round(multiply_exactly(x, y))

    def divide(self, x: Number, y: Number) -> Number:
        """Return x / y for y > 0, rounded; the last computed bit is sticky, so that inexact quotients are not ties.

        >>> from constructions.network.float_formats import FORMATS
        >>> exact_value(Arithmetic(FORMATS["binary16"]).divide((1, 0), (3, 0)))
        Fraction(1365, 4096)
        """
        if not x[0]:
            return ZERO
        bits = max(self.format.precision + 3 + y[0].bit_length() - x[0].bit_length(), 0)
        quotient, left = divmod(abs(x[0]) << bits, y[0])
        quotient = quotient << 1 | (left > 0)
        return self.round((quotient if x[0] > 0 else -quotient, x[1] - y[1] - bits - 1))

    def number(self, x: Fraction) -> Number:
        """Round a rational to the format."""
        return self.divide((x.numerator, 0), (x.denominator, 0))
