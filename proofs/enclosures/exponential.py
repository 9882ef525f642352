"""exp of a rational, enclosed between two dyadic rationals by Arb (ball arithmetic with proved bounds).

mpmath's interval exp is not used: it misses the true value at some points (its issue 1181), near ties above all.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from flint import arb, ctx, fmpq

PRECISIONS = (128, 256, 512)
"""Bits of relative precision, tried in turn while a verdict is undecided."""


@dataclass(frozen=True)
class Dyadic:
    """An enclosure [lower, upper] * 2**exponent with integer ends."""

    lower: int
    upper: int
    exponent: int


@lru_cache(maxsize=200_000)
def enclose_exp(x: Fraction, bits: int) -> Dyadic:
    """An enclosure of e^x of relative width about 2**-bits; exact at 0.

    >>> enclose_exp(Fraction(0), 128)
    Dyadic(lower=1, upper=1, exponent=0)
    """
    saved = ctx.prec
    ctx.prec = bits + 16
    try:
        ball = arb(fmpq(x.numerator, x.denominator)).exp()
        (low, low_exponent), (high, high_exponent) = (
            (int(m), int(e)) for m, e in (ball.lower().man_exp(), ball.upper().man_exp()))
    finally:
        ctx.prec = saved
    if low <= 0:
        return Dyadic(0, high, high_exponent)
    exponent = min(low_exponent, high_exponent)
    return Dyadic(low << (low_exponent - exponent), high << (high_exponent - exponent), exponent)


def round_up(x: Fraction, digits: int) -> Fraction:
    """A decimal fraction of ``digits`` or one more significant digits, the least that is at least x >= 0; 0 stays 0.

    >>> str(round_up(Fraction(1, 3), 3)), str(round_up(Fraction(1, 4), 3))
    ('1667/5000', '1/4')
    """
    if x <= 0:
        return Fraction(0)
    magnitude = (x.numerator.bit_length() - x.denominator.bit_length()) * 30103 // 100000
    scale = Fraction(10) ** (digits - magnitude)
    while x * scale >= Fraction(10) ** (digits + 1):
        scale /= 10
    scaled = x * scale
    return Fraction(-((-scaled.numerator) // scaled.denominator)) / scale
