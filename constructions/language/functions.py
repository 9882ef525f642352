"""Functions of expressions: log2ceil, log2floor, ln and sqrt, from rationals to rationals; and tests of numbers.

Source      docs/reference/certificate.md, section 1. ln and sqrt are rounded down, exactly, to a multiple of 10^-48,
or to more
            digits: proofs are searched with that rational number; the checker encloses the real one.
Tests       SQUARE, POW2 and PRIME: built-in predicates apply them to a position or a count, and the conditions of
            users' predicates to any number, as in ``NEXT_PRIME(k) := PRIME(2*k+1)``.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache, partial
from math import isqrt

from flint import arb, ctx, fmpq

Number = int | Fraction

DIGITS = 48
MAX_ARGUMENT_BITS = 4096


class UndefinedError(ArithmeticError):
    """A function outside its domain; the message continues the sentence that begins with the expression."""


def log2floor(x: Number) -> int:
    """Return the greatest integer k with 2^k <= x.

    >>> log2floor(Fraction(7, 4)), log2floor(Fraction(1, 3))
    (0, -2)
    """
    return (x.numerator // x.denominator).bit_length() - 1 if x >= 1 else -log2ceil(1 / Fraction(x))


def log2ceil(x: Number) -> int:
    """Return the least integer k with 2^k >= x.

    >>> log2ceil(5), log2ceil(4), log2ceil(Fraction(1, 3))
    (3, 2, -1)
    """
    return (-(-x.numerator // x.denominator) - 1).bit_length() if x >= 1 else -log2floor(1 / Fraction(x))


def sqrt(x: Number, digits: int = DIGITS) -> Fraction:
    """Return the square root, rounded down to a multiple of 10^-digits.

    >>> sqrt(Fraction(9, 4)), sqrt(2) ** 2 < 2
    (Fraction(3, 2), True)
    """
    units = 10**digits
    return Fraction(isqrt(x.numerator * x.denominator * units**2) // x.denominator, units)


@lru_cache(maxsize=1 << 16)
def ln(x: Number, digits: int = DIGITS) -> Fraction:
    """Return the natural logarithm, rounded down to a multiple of 10^-digits.

    Arb encloses it at growing precision until the whole enclosure rounds down to one number. This ends: ln(1) is
    exactly 0, and every other logarithm of a rational is irrational, so never such a multiple.

    >>> ln(1), float(ln(2))
    (Fraction(0, 1), 0.6931471805599453)
    """
    precision, floor = 4 * digits, None
    while floor is None:
        with ctx.workprec(precision):
            floor = (arb(fmpq(x.numerator, x.denominator)).log() * 10**digits).floor().unique_fmpz()
        precision *= 2
    return Fraction(int(floor), 10**digits)


def _checked(name: str, function: Callable[[Number], Number], from_zero: bool = False) -> Callable[[Number], Number]:
    def checked(x: Number) -> Number:
        if x < 0 or (x == 0 and not from_zero):
            raise UndefinedError(f"is not defined ({name} takes numbers {'from' if from_zero else 'above'} 0)")
        if max(x.numerator, x.denominator).bit_length() > MAX_ARGUMENT_BITS:
            limit = f"2^{MAX_ARGUMENT_BITS}"
            raise UndefinedError(f"is not defined ({name} takes numerators and denominators below {limit})")
        return function(x)

    return checked


@lru_cache(maxsize=16)
def functions_to(digits: int) -> Mapping[str, Callable[[Number], Number]]:
    """Return the functions by name, with ln and sqrt to this number of digits.

    They raise UndefinedError if the argument is not positive (for sqrt, negative), or too long.
    """
    return {
        "log2ceil": _checked("log2ceil", log2ceil),
        "log2floor": _checked("log2floor", log2floor),
        "ln": _checked("ln", partial(ln, digits=digits)),
        "sqrt": _checked("sqrt", partial(sqrt, digits=digits), from_zero=True),
    }


FUNCTIONS = functions_to(DIGITS)


# -- tests: false for negative numbers and fractions ---------------------------------------------------------------

GREATEST_PRIME_TESTED = 1 << 30
"""PRIME uses trial division, so it does not accept greater numbers."""


def is_square(x: Number) -> bool:
    """Return whether x is the square of an integer.

    >>> [x for x in range(-4, 10) if is_square(x)]
    [0, 1, 4, 9]
    """
    return x.denominator == 1 and x >= 0 and isqrt(x.numerator) ** 2 == x


def is_power_of_two(x: Number) -> bool:
    """Return whether x is 1, 2, 4, 8, ...

    >>> [x for x in range(-4, 10) if is_power_of_two(x)]
    [1, 2, 4, 8]
    """
    return x.denominator == 1 and x > 0 and x.numerator & (x.numerator - 1) == 0


def is_prime(x: Number) -> bool:
    """Return whether x is a prime number.

    >>> [x for x in range(-4, 10) if is_prime(x)]
    [2, 3, 5, 7]

    Raises:
        UndefinedError: if x exceeds the limit.
    """
    if x > GREATEST_PRIME_TESTED:
        raise UndefinedError("is not defined (PRIME takes numbers up to 2^30)")
    return x.denominator == 1 and x >= 2 and all(
        x.numerator % divisor for divisor in range(2, isqrt(x.numerator) + 1))


NUMBER_TESTS: Mapping[str, Callable[[Number], bool]] = {
    "SQUARE": is_square, "POW2": is_power_of_two, "PRIME": is_prime}
"""Tests by the names of the built-in predicates."""
