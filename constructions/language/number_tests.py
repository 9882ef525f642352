"""What can be asked of a number: is it a square, a power of two, a prime? False of negative numbers and of fractions.

The built-in predicates of these names ask it of a position or a count, and the conditions of users' predicates of any
number: ``NEXT_PRIME(k) := PRIME(2*k+1)``.
"""

from collections.abc import Callable, Mapping
from math import isqrt

from constructions.language.functions import Number, UndefinedError

GREATEST_PRIME_TESTED = 1 << 30
"""PRIME tries divisors one by one, so it takes no greater numbers."""


def is_square(x: Number) -> bool:
    """Whether x is the square of an integer.

    >>> [x for x in range(-4, 10) if is_square(x)]
    [0, 1, 4, 9]
    """
    return x.denominator == 1 and x >= 0 and isqrt(x.numerator) ** 2 == x


def is_power_of_two(x: Number) -> bool:
    """Whether x is 1, 2, 4, 8, ...

    >>> [x for x in range(-4, 10) if is_power_of_two(x)]
    [1, 2, 4, 8]
    """
    return x.denominator == 1 and x > 0 and x.numerator & (x.numerator - 1) == 0


def is_prime(x: Number) -> bool:
    """Whether x is a prime number.

    >>> [x for x in range(-4, 10) if is_prime(x)]
    [2, 3, 5, 7]

    Raises:
        UndefinedError: if x is too large to be tested.
    """
    if x > GREATEST_PRIME_TESTED:
        raise UndefinedError("is not defined (PRIME takes numbers up to 2^30)")
    return x.denominator == 1 and x >= 2 and all(
        x.numerator % divisor for divisor in range(2, isqrt(x.numerator) + 1))


NUMBER_TESTS: Mapping[str, Callable[[Number], bool]] = {
    "SQUARE": is_square, "POW2": is_power_of_two, "PRIME": is_prime}
"""By name; the names are those of the built-in predicates."""
