"""Enclosures of ln and sqrt by neighbouring multiples of 1/U, U = 10^digits, where they are irrational."""

from fractions import Fraction
from math import isqrt

from ..budget import Budget
from ..exponential import enclose_series
from ..functions import DIGITS, LOG2, has_short_terms, log2floor
from ..numbers import ZERO, Enclosure, Number, size


def enclose_sqrt(x: Fraction, budget: Budget, digits: int = DIGITS) -> Number:
    """Return the square root of x >= 0, or its enclosure.

    Proof. In lowest terms p/q is the square of a rational iff p and q are squares; its root is irrational otherwise.
    k/U <= sqrt(p/q) iff k^2 <= U^2 p/q iff k^2 <= floor(U^2 p/q), for whole k >= 0.
    """
    budget.spend(2 + ((size(x) + 8 * digits) ** 2 >> 16))
    p, q = isqrt(x.numerator), isqrt(x.denominator)
    if p * p == x.numerator and q * q == x.denominator:
        return Fraction(p, q)
    return enclose_from(isqrt(10 ** (2 * digits) * x.numerator // x.denominator), digits)


def enclose_ln(x: Fraction, budget: Budget, digits: int = DIGITS) -> Number:
    """Enclose the natural logarithm of x > 0, which is irrational except at 1 (Lindemann)."""
    return ZERO if x == 1 else enclose_from(floor_ln(x, budget, 4 * digits, digits), digits)


def enclose_from(units: int, digits: int) -> Enclosure:
    """Return the enclosure of a number whose multiple of 1/U, rounded down, is ``units``; U = 10^digits."""
    return Enclosure(Fraction(units, 10**digits), Fraction(units + 1, 10**digits))


def floor_ln(x: Fraction, budget: Budget, bits: int = 4 * DIGITS, digits: int = DIGITS) -> int:
    """Return floor(U ln(x)), U = 10^digits, for x > 0 other than 1.

    Proof. x = 2^k y with 1 <= y < 2, so ln(x) = 2 k atanh(1/3) + 2 atanh(z), z = (y - 1)/(y + 1) in [0, 1/3). atanh(z)
    is the series of the z^(2m+1)/(2m+1). Both ends have one floor at last, as ln(x) is irrational.
    """
    budget.spend(bits * (1 + (bits >> 7) + (bits * bits >> 25)))
    k = log2floor(x)
    y = x / Fraction(2) ** k
    lower = upper = 0
    for times, z in ((k, Fraction(1, 3)), (1, (y - 1) / (y + 1))):
        ends = enclose_series(int(z * 2**bits), int(z * z * 2**bits), bits, lambda m: (2 * m - 1, 2 * m + 1))
        lower += min(times * end for end in ends)
        upper += max(times * end for end in ends)
    floor, other = (2 * 10**digits * end >> bits for end in (lower, upper))
    return floor if floor == other else floor_ln(x, budget, 2 * bits, digits)


def apply_function(name: str, x: Fraction, budget: Budget, digits: int = DIGITS) -> Number | None:
    """Enclose a function at x; None where it is undefined. None of the four functions decreases."""
    if not has_short_terms(x) or not (x > 0 or (name == "sqrt" and x == 0)):
        return None
    if name in LOG2:
        return Fraction(LOG2[name](x))
    return enclose_sqrt(x, budget, digits) if name == "sqrt" else enclose_ln(x, budget, digits)
