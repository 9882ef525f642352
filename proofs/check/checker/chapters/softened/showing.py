"""Error bounds in messages: a few digits, rounded up."""

from __future__ import annotations

from fractions import Fraction

DIGITS = 6


def show_upper(x: Fraction) -> str:
    """About x >= 0: at least x, by at most a millionth of it.

    Numbers of any length are shown: 30103/100000 is about log10(2), and where it misleads there are more digits.

    >>> show_upper(Fraction(1, 3))
    '33333334e-8'
    """
    if not x:
        return "0"
    exponent = (x.numerator.bit_length() - x.denominator.bit_length()) * 30103 // 100000 - 1 - DIGITS
    return f"{-(-x // Fraction(10) ** exponent)}e{exponent}"
