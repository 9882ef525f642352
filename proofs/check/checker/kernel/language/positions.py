"""The built-in predicates of an integer i (mostly a position) and the length n of a word."""

from collections.abc import Callable
from math import isqrt


def is_prime(i: int) -> bool:
    """Return whether i is a prime number, by trial division; the caller bounds i."""
    return i > 1 and all(i % divisor for divisor in range(2, isqrt(i) + 1))


PREDICATES: dict[str, Callable[..., bool]] = {
    "ODD": lambda n, i: i % 2 == 1,
    "EVEN": lambda n, i: i % 2 == 0,
    "MOD": lambda n, i, modulus, remainder: i % modulus == remainder,
    "FIRST": lambda n, i: i == 1,
    "LAST": lambda n, i: i == n,
    "SQUARE": lambda n, i: i >= 0 and isqrt(i) ** 2 == i,
    "POW2": lambda n, i: i > 0 and i.bit_count() == 1,
    "PRIME": lambda n, i: is_prime(i),
}

OF_NUMBERS = frozenset({"SQUARE", "POW2", "PRIME"})
"""The predicates that conditions may apply to any number; they are false of fractions."""

MAX_PRIME = 1 << 30  # PRIME is undefined above it, as it is decided by trial division
