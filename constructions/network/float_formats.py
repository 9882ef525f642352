"""Binary floating-point formats, and rounding exact numbers to them: to nearest, ties to even.

Source      IEEE 754-2019, sections 3.3 and 4.3.1; bfloat16 and tf32 as their makers state precision and exponents.
Claim       ``round_to_format`` is exact integer arithmetic: no value passes through another format on its way, so
            nothing is rounded twice. Numbers below the least normal one are rounded to multiples of the least
            subnormal one. A number that would round beyond the greatest finite one raises ``TooLargeError``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction


class TooLargeError(OverflowError):
    """A number that rounds beyond the greatest finite one of the format."""


@dataclass(frozen=True)
class Format:
    """The finite numbers m * 2^e with |m| < 2^precision and e >= least_exponent - precision + 1, up to ``greatest``.

    ``least_exponent`` is that of the least normal number, which is 2^least_exponent.

    >>> binary16.greatest, binary16.least_step
    (65504, -24)
    """

    name: str
    precision: int
    least_exponent: int
    greatest: int

    def __str__(self) -> str:
        return self.name

    @property
    def least_step(self) -> int:
        """The exponent of the least subnormal number: every number of the format is a multiple of 2^least_step."""
        return self.least_exponent - self.precision + 1


def _ieee(name: str, precision: int, greatest_exponent: int) -> Format:
    """A format whose exponents are those of IEEE 754: from 1 - greatest_exponent to greatest_exponent."""
    return Format(name, precision, 1 - greatest_exponent, (2**precision - 1) << (greatest_exponent - precision + 1))


binary64 = _ieee("binary64", 53, 1023)
binary32 = _ieee("binary32", 24, 127)
binary16 = _ieee("binary16", 11, 15)
bfloat16 = _ieee("bfloat16", 8, 127)
tf32 = _ieee("tf32", 11, 127)

FORMATS: Mapping[str, Format] = {form.name: form for form in (binary64, binary32, binary16, bfloat16, tf32)}


def round_to_format(x: Fraction, form: Format) -> Fraction:
    """The number of the format nearest to x; of two as near, the one whose last bit is 0.

    >>> [str(round_to_format(Fraction(x), bfloat16)) for x in (257, 259, Fraction(1, 3))]
    ['256', '260', '171/512']
    >>> round_to_format(Fraction(65520), binary16)
    Traceback (most recent call last):
        ...
    constructions.network.float_formats.TooLargeError: a number is too large for binary16

    Raises:
        TooLargeError: if it rounds beyond the greatest finite number.
    """
    if not x:
        return x
    step = max(_exponent(x) - form.precision + 1, form.least_step)
    steps = _nearest(x.numerator << max(-step, 0), x.denominator << max(step, 0))
    rounded = Fraction(steps << max(step, 0), 1 << max(-step, 0))
    if abs(rounded) > form.greatest:
        raise TooLargeError(f"a number is too large for {form}")
    return rounded


def _exponent(x: Fraction) -> int:
    """The e with 2^e <= |x| < 2^(e + 1)."""
    numerator, denominator = abs(x.numerator), x.denominator
    e = numerator.bit_length() - denominator.bit_length()
    return e if numerator << max(-e, 0) >= denominator << max(e, 0) else e - 1


def _nearest(numerator: int, denominator: int) -> int:
    """The integer nearest to the quotient, the even one of two as near."""
    floor, rest = divmod(numerator, denominator)
    return floor + (2 * rest > denominator or (2 * rest == denominator and floor % 2 == 1))
