"""The built-in predicates of a position i of a word of length n."""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt


def is_prime(i: int) -> bool:
    """Whether i is a prime number; i is at most a few thousand."""
    return i > 1 and all(i % divisor for divisor in range(2, isqrt(i) + 1))


PREDICATES: dict[str, Callable[..., bool]] = {
    "ODD": lambda n, i: i % 2 == 1,
    "EVEN": lambda n, i: i % 2 == 0,
    "MOD": lambda n, i, modulus, remainder: i % modulus == remainder,
    "FIRST": lambda n, i: i == 1,
    "LAST": lambda n, i: i == n,
    "SQUARE": lambda n, i: isqrt(i) ** 2 == i,
    "POW2": lambda n, i: i.bit_count() == 1,
    "PRIME": lambda n, i: is_prime(i),
}
