"""The functions of expressions: log2ceil, log2floor, and ln and sqrt rounded down to a multiple of 10^-30.

What is certified is the network with these rational numbers; docs/certificate.md, section 1.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isqrt

from .budget import Budget
from .exponential import WORKING_BITS, enclose_series

UNITS = 10**30  # ln and sqrt are multiples of 1 / UNITS: enough digits for every use, and the same ones everywhere
MAX_ARGUMENT = 1 << 4096  # numerators and denominators of arguments are below it; others have no value


def log2floor(x: Fraction) -> int:
    """The greatest integer k with 2^k <= x."""
    k = x.numerator.bit_length() - x.denominator.bit_length()
    return k - (Fraction(2) ** k > x)


def log2ceil(x: Fraction) -> int:
    """The least integer k with 2^k >= x."""
    return -log2floor(1 / x)


def floor_sqrt(x: Fraction) -> Fraction:
    """The greatest multiple of 10^-30 that is at most the square root of x >= 0.

    Proof. k/U <= sqrt(p/q) iff k^2 <= U^2 p/q iff k^2 <= floor(U^2 p/q), for whole k >= 0.
    """
    return Fraction(isqrt(UNITS**2 * x.numerator // x.denominator), UNITS)


def floor_ln(x: Fraction, budget: Budget, bits: int = WORKING_BITS) -> Fraction:
    """The greatest multiple of 10^-30 that is at most ln(x), for x > 0.

    Proof. x = 2^k y with 1 <= y < 2, so ln(x) = 2 k atanh(1/3) + 2 atanh(z), where z = (y - 1)/(y + 1) is in [0, 1/3),
    and atanh(z) is the series of the z^(2m+1)/(2m+1). Both ends have one floor at last: ln(1) is enclosed from 0 to
    less than 10^-30, and every other logarithm is irrational (Lindemann).
    """
    budget.spend(bits * (1 + (bits >> 7) + (bits * bits >> 25)))
    k = log2floor(x)
    y = x / Fraction(2) ** k
    lower = upper = 0
    for times, z in ((k, Fraction(1, 3)), (1, (y - 1) / (y + 1))):
        ends = enclose_series(int(z * 2**bits), int(z * z * 2**bits), bits, lambda m: (2 * m - 1, 2 * m + 1))
        lower += min(times * end for end in ends)
        upper += max(times * end for end in ends)
    floor, other = (2 * UNITS * end >> bits for end in (lower, upper))
    return Fraction(floor, UNITS) if floor == other else floor_ln(x, budget, 2 * bits)


FUNCTIONS: dict[str, Callable[[Fraction, Budget], Fraction]] = {
    "log2ceil": lambda x, _: Fraction(log2ceil(x)),
    "log2floor": lambda x, _: Fraction(log2floor(x)),
    "sqrt": lambda x, _: floor_sqrt(x),
    "ln": floor_ln,
}


def apply(name: str, x: Fraction, budget: Budget) -> Fraction | None:
    """The value of a function at x, or None where it has none."""
    fits = x > 0 or (name == "sqrt" and x == 0)
    return FUNCTIONS[name](x, budget) if fits and x.numerator < MAX_ARGUMENT > x.denominator else None
