"""mpmath's view of a worst case that Arb enclosed: another library, another algorithm, the same number to 40 digits.

It guards against a wrong enclosure by raising an error; it never turns a verdict into a better one.
"""

from __future__ import annotations

from fractions import Fraction

import mpmath

from proofs.enclosures.softmax import MAX_SPREAD
from proofs.exact.extremes import Extreme

DIGITS = 60
AGREEMENT = Fraction(1, 10**25)
"""Relative; enclosures of 128 bits are about 10^-38 wide."""
LEAST_EXPONENT = -2 * MAX_SPREAD
"""Smaller errors count as 0: enclosures are not finer, and as rationals they would fill the memory."""


def error_by_mpmath(extreme: Extreme) -> Fraction:
    """The error on the input of ``extreme``, by mpmath at 60 digits (an accurate number, not a bound)."""
    terms = extreme.terms()
    top = max(score for score, _ in terms)
    with mpmath.workdps(DIGITS):
        total = wrong = mpmath.mpf(0)
        for score, error in terms:
            weight = mpmath.exp(_mpf(score - top))
            total += weight
            wrong += weight * _mpf(error)
        error = wrong / total
    mantissa, exponent = error.man_exp  # without the sign
    if exponent < LEAST_EXPONENT:
        return Fraction(0)
    return (-1 if error < 0 else 1) * Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def agrees(extreme: Extreme) -> bool:
    """Whether mpmath's error lies where the enclosure says, up to 25 digits."""
    error = error_by_mpmath(extreme)
    slack = AGREEMENT * max(error, extreme.lower)
    return extreme.lower - slack <= error <= extreme.upper + slack


def _mpf(x: Fraction) -> mpmath.mpf:
    return mpmath.mpf(x.numerator) / x.denominator
