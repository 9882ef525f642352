"""Enclosures of exp of a rational by two dyadic rationals, by Arb (ball arithmetic with proved bounds).

mpmath's interval exp is not used: it misses the true value at some points (its issue 1181), especially near ties.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import gcd
from typing import Any

from flint import arb, ctx, fmpq

PRECISIONS = (128, 256, 512)
"""Bits of relative precision, tried in turn while a verdict is undecided."""
GUARD_BITS = 16
FINEST = 1 << 16
"""The exponent of the finest grid: no end of an enclosure other than 0 is closer to 0 than 2^-FINEST."""


@dataclass(frozen=True)
class Dyadic:
    """An enclosure [lower, upper] * 2**exponent with integer ends."""

    lower: int
    upper: int
    exponent: int


@contextmanager
def working_precision(bits: int) -> Iterator[None]:
    """Set the precision of Arb to ``bits`` and some guard bits within the context."""
    saved = ctx.prec
    ctx.prec = bits + GUARD_BITS
    try:
        yield
    finally:
        ctx.prec = saved


def ball(x: Fraction | int) -> arb:
    """Return a ball around a rational, at the working precision."""
    return arb(fmpq(x.numerator, x.denominator))


def exp_ball(x: Fraction, bits: int) -> arb:
    """Return a ball around e^x of relative width about 2**-bits; exact at 0."""
    with working_precision(bits + _integer_bits(x)):
        return ball(x).exp()


def enclose_exp(x: Fraction, bits: int) -> Dyadic:
    """Enclose e^x with relative width about 2**-bits; exact at 0.

    >>> enclose_exp(Fraction(0), 128)
    Dyadic(lower=1, upper=1, exponent=0)
    """
    return _enclose_exp(int(x.numerator), int(x.denominator), bits)


def enclose_exp_of_ratio(numerator: int, denominator: int, bits: int) -> Dyadic:
    """Enclose e^(numerator/denominator), like the exponential of the rational; the denominator is positive.

    >>> enclose_exp_of_ratio(-6, 4, 128) == enclose_exp(Fraction(-3, 2), 128)
    True
    """
    common = gcd(numerator, denominator)
    return _enclose_exp(numerator // common, denominator // common, bits)


@lru_cache(maxsize=200_000)
def _enclose_exp(numerator: int, denominator: int, bits: int) -> Dyadic:
    """Cache by numerator and denominator, as the hash of a Fraction costs more than many exponentials."""
    x = fmpq(numerator, denominator)
    with working_precision(bits + _integer_bits(x)):
        (low, low_exponent), (high, high_exponent) = _ends(arb(x).exp())
    if low <= 0:
        return Dyadic(0, high, high_exponent)
    exponent = min(low_exponent, high_exponent)
    return Dyadic(low << (low_exponent - exponent), high << (high_exponent - exponent), exponent)


def _integer_bits(x: Any) -> int:
    """Return about the bits of the integer part of |x|, which exp loses of a relative error of x."""
    return max(0, int(x.numerator).bit_length() - int(x.denominator).bit_length())


def exact_ends(x: arb) -> tuple[Fraction, Fraction]:
    """Return rationals around every number of the ball, as close as the working precision and 2^-FINEST allow.

    >>> [str(x) for x in exact_ends(arb(1) / 2)], exact_ends(arb(-10**30).exp())[0]
    (['1/2', '1/2'], Fraction(0, 1))
    """
    (low, low_exponent), (high, high_exponent) = _ends(x)
    return _outward(low, low_exponent), -_outward(-high, high_exponent)


def _outward(mantissa: int, exponent: int) -> Fraction:
    """Return mantissa * 2**exponent, or -2**-FINEST or 0 below it if it is closer to 0 than 2**-FINEST."""
    if exponent < -FINEST and mantissa.bit_length() + exponent < -FINEST:
        return Fraction(-(mantissa < 0), 1 << FINEST)
    return Fraction(mantissa) * Fraction(2) ** exponent


def _ends(x: arb) -> list[tuple[int, int]]:
    return [(int(m), int(e)) for m, e in (x.lower().man_exp(), x.upper().man_exp())]


def round_up(x: Fraction, digits: int) -> Fraction:
    """Return the least decimal of ``digits`` or one more significant digits that is at least x >= 0; 0 stays 0.

    >>> str(round_up(Fraction(1, 3), 3)), str(round_up(Fraction(1, 4), 3))
    ('1667/5000', '1/4')
    """
    if x <= 0:
        return Fraction(0)
    places = digits - (x.numerator.bit_length() - x.denominator.bit_length()) * 30103 // 100000
    numerator, denominator = x.numerator * 10 ** max(places, 0), x.denominator * 10 ** max(-places, 0)
    while numerator >= denominator * 10 ** (digits + 1):
        places, denominator = places - 1, denominator * 10
    return Fraction(-(-numerator // denominator) * 10 ** max(-places, 0), 10 ** max(places, 0))
