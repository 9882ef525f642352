"""Exact numbers as decimals, rounded so that what is printed is true."""

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction

from proofs.enclosures.intervals import Interval

GREATEST_EXPONENT = 4 * 10**8
"""The greatest exponent of decimals, near the limit of Python with 32-bit addresses, as in a browser."""


def decimal(x: Fraction, digits: int = 6, rounding: str = ROUND_HALF_EVEN) -> str:
    """Format ``x`` with ``digits`` significant digits, rounded to nearest by default; bounds give a direction.

    >>> decimal(Fraction(1, 3)), decimal(Fraction(1, 3), rounding=ROUND_CEILING)
    ('0.333333', '0.333334')
    """
    context = Context(prec=digits, rounding=rounding, Emax=GREATEST_EXPONENT, Emin=-GREATEST_EXPONENT)
    return str(context.divide(Decimal(x.numerator), Decimal(x.denominator)))


def decimal_lower(x: Fraction, digits: int = 12) -> str:
    """Return a decimal at or below ``x``."""
    return decimal(x, digits, ROUND_FLOOR)


def decimal_upper(x: Fraction, digits: int = 12) -> str:
    """Return a decimal at or above ``x``."""
    return decimal(x, digits, ROUND_CEILING)


def enclosed(lower: Fraction, upper: Fraction) -> str:
    """Return six digits that both ends share when rounded, or the two ends, rounded outward.

    >>> enclosed(Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**12))
    '0.333333'
    """
    low, high = decimal(lower), decimal(upper)
    return low if low == high else f"{decimal_lower(lower, 6)} .. {decimal_upper(upper, 6)}"


def ends_to_json(x: Interval, of: str = "") -> dict[str, str]:
    """Return the endpoints as decimals, rounded outward; ``of`` is the prefix of their names.

    >>> ends_to_json(Interval(Fraction(1, 3), Fraction(1, 3)), "value_")
    {'value_lower': '0.333333333333', 'value_upper': '0.333333333334'}
    """
    return {f"{of}lower": decimal_lower(x.lower), f"{of}upper": decimal_upper(x.upper)}
