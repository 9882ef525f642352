"""mpmath's view of a worst case that Arb enclosed: another library, another algorithm, the same number to 40 digits.

It guards against a wrong enclosure by raising an error; it never turns a verdict into a better one.
"""

from fractions import Fraction
from typing import Any

import mpmath

from constructions.network.weightings import Response
from proofs.enclosures.by_mpmath import mpf_of, respond, weigh
from proofs.enclosures.softmax import MAX_SPREAD
from proofs.formula.additive.responses import TentFunction
from proofs.formula.additive.worst_case import TentExtreme
from proofs.formula.attention.worst_case import SweepExtreme
from proofs.formula.common.extremes import Extreme
from proofs.formula.stick_breaking.worst_case import StickExtreme

DIGITS = 60
AGREEMENT = Fraction(1, 10**25)
"""Relative, or absolute where weights end at 0; enclosures of 128 bits are about 10^-38 wide."""
LEAST_EXPONENT = -2 * MAX_SPREAD
"""Smaller errors count as 0: enclosures are not finer, and as rationals they would fill the memory."""


def error_by_mpmath(extreme: Extreme) -> Fraction:
    """Return the error on the input of ``extreme``, by mpmath at 60 digits (an accurate number, not a bound)."""
    with mpmath.workdps(DIGITS):
        match extreme:
            case TentExtreme():
                error = _error_of_bump(extreme.bump, extreme.truth)
            case StickExtreme():
                error = _error_of_stick(extreme)
            case _:
                error = _error_of_mean(extreme)
    mantissa, exponent = error.man_exp  # without the sign
    if exponent < LEAST_EXPONENT:
        return Fraction(0)
    return (-1 if error < 0 else 1) * Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _error_of_mean(extreme: Extreme) -> Any:
    """Return the sum of errors, each times the weight of the score beside it."""
    terms = extreme.terms()
    weights = weigh([mpf_of(score) for score, _ in terms], extreme.weighting)
    error = mpmath.fdot((weight, mpf_of(error)) for weight, (_, error) in zip(weights, terms, strict=True))
    if extreme.weighting.row.extra and isinstance(extreme, SweepExtreme) and extreme.truth:
        error += 1 - mpmath.fsum(weights)  # what is missing from the sum errs, too
    return error


def _error_of_bump(bump: TentFunction, truth: bool) -> Any:
    """What the bump misses 1 by at its peak, or has elsewhere."""
    with mpmath.extradps(bump.distances.stop * 8 if bump.response is Response.SIGMOID else 0):
        weights = {d: sum(mpf_of(factor) * respond(bump.response, mpf_of(slope * d + offset))
                          for factor, slope, offset in bump.parts) for d in bump.distances}
        return 1 - weights[bump.peak] if truth else sum(weight for d, weight in weights.items() if d != bump.peak)


def _error_of_stick(extreme: StickExtreme) -> Any:
    """What is left of each position's value by those that are nearer, and how far the sum is from the truth."""
    held = mpmath.mpf(0)
    for score, value in extreme.read():
        taken = respond(Response.SIGMOID, mpf_of(score))
        held = (1 - taken) * held + taken * mpf_of(value)
    return 1 - held if extreme.truth else held


def agrees(extreme: Extreme) -> bool:
    """Whether mpmath's error lies where the enclosure says, up to 25 digits."""
    error = error_by_mpmath(extreme)
    slack = AGREEMENT * (max(error, extreme.lower) if extreme.weighting.is_softmax else 1)
    return extreme.lower - slack <= error <= extreme.upper + slack
