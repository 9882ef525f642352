"""Binary floating-point formats, and rounding of exact numbers to them (docs/reference/floats.md, section 1)."""

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from constructions.errors import InputError

MIN_PRECISION, MAX_PRECISION = 2, 64
MIN_EXPONENT, MAX_EXPONENT = 2, 1 << 14
"""The smallest and the largest supported formats."""


class TooLargeError(OverflowError):
    """A number that rounds beyond the greatest number of the format."""


@dataclass(frozen=True)
class Format:
    """``precision`` significant bits, least normal exponent and greatest exponent; to nearest, ties to even."""

    precision: int
    least: int
    greatest: int

    @cached_property
    def roundoff(self) -> Fraction:
        """The unit roundoff u = 2^-p: the relative error of rounding to a normal number is at most u."""
        return Fraction(1, 1 << self.precision)

    @cached_property
    def largest(self) -> Fraction:
        """The greatest number of the format."""
        return (2 - 2 * self.roundoff) * power_of_two(self.greatest)

    @cached_property
    def smallest_normal(self) -> Fraction:
        """2^e: smaller results may be flushed to 0."""
        return power_of_two(self.least)

    def unit(self, x: Fraction) -> Fraction:
        """Return the unit in the last place of the numbers of the format around x.

        >>> FORMATS["bfloat16"].unit(Fraction(3))
        Fraction(1, 64)
        """
        exponent = exponent_of(x) if x else self.least
        return power_of_two(max(exponent, self.least) - self.precision + 1)

    def round(self, x: Fraction) -> Fraction:
        """Round x to the nearest number of the format, ties to even.

        >>> FORMATS["binary16"].round(Fraction(1, 3)), FORMATS["bfloat16"].round(Fraction(257))
        (Fraction(1365, 4096), Fraction(256, 1))

        Raises:
            TooLargeError: if the result exceeds the largest number.
        """
        unit = self.unit(x)
        rounded = round(x / unit) * unit
        if abs(rounded) > self.largest:
            raise TooLargeError(f"a number is too large for {self}")
        return rounded

    def holds(self, x: Fraction) -> bool:
        """Return whether x is a number of the format, 0 or normal.

        >>> FORMATS["bfloat16"].holds(Fraction(256)), FORMATS["bfloat16"].holds(Fraction(257))
        (True, False)
        """
        if not x:
            return True
        return self.smallest_normal <= abs(x) <= self.largest and (x / self.unit(x)).denominator == 1

    def __str__(self) -> str:
        return _NAMES.get(self) or f"float({self.precision},{self.least},{self.greatest})"


FORMATS = {
    "binary64": Format(53, -1022, 1023),
    "binary32": Format(24, -126, 127),
    "tf32": Format(11, -126, 127),
    "binary16": Format(11, -14, 15),
    "bfloat16": Format(8, -126, 127),
}
ALIASES = {"fp64": "binary64", "float64": "binary64", "double": "binary64", "fp32": "binary32", "float32": "binary32",
           "fp16": "binary16", "float16": "binary16", "half": "binary16", "bf16": "bfloat16"}
"""Names of the formats in libraries."""
_NAMES = {known: name for name, known in FORMATS.items()}
_WRITTEN = re.compile(r"float\((\d{1,2}),(-\d{1,5}),(\d{1,5})\)")


def format_name(text: str) -> str:
    """Return our name of a format, or of a float model such as bf16/fp32; other names stay.

    >>> format_name("fp32"), format_name("bf16/float32"), format_name("flash")
    ('binary32', 'bfloat16/binary32', 'flash')
    """
    return "/".join(ALIASES.get(part, part) for part in text.split("/"))


def parse_format(text: str) -> Format:
    """Parse a format given by its name, or as ``float(p,e,E)``.

    >>> parse_format("float(4,-6,8)")
    Format(precision=4, least=-6, greatest=8)

    Raises:
        InputError: if there is no such format.
    """
    if (name := format_name(text)) in FORMATS:
        return FORMATS[name]
    if written := _WRITTEN.fullmatch(text):
        precision, least, greatest = map(int, written.groups())
        if (MIN_PRECISION <= precision <= MAX_PRECISION and MIN_EXPONENT <= -least <= MAX_EXPONENT
                and MIN_EXPONENT <= greatest <= MAX_EXPONENT):
            return Format(precision, least, greatest)
    raise InputError(f"format {text!r}: expected {', '.join(FORMATS)} or float(p,e,E) with "
                     f"{MIN_PRECISION} to {MAX_PRECISION} bits")


def exponent_of(x: Fraction) -> int:
    """Return the integer k with 2^k <= |x| < 2^(k+1), for x other than 0.

    >>> exponent_of(Fraction(5)), exponent_of(Fraction(1, 3)), exponent_of(Fraction(-1, 4))
    (2, -2, -2)
    """
    numerator, denominator = abs(x.numerator), x.denominator
    k = numerator.bit_length() - denominator.bit_length()
    below = (numerator << -k if k < 0 else numerator) < (denominator << k if k > 0 else denominator)
    return k - below


def power_of_two(k: int) -> Fraction:
    """Return 2^k."""
    return Fraction(1 << k) if k >= 0 else Fraction(1, 1 << -k)
