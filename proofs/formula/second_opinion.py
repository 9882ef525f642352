"""Recomputation by mpmath of a worst case that Arb encloses: another library and algorithm, the same number.

A difference is raised as an error; it never improves a verdict.
"""

from fractions import Fraction
from typing import Any

import mpmath

from constructions.network.weightings import Response
from proofs.enclosures.by_mpmath import mpf_of, respond, weigh
from proofs.enclosures.softmax import MAX_SPREAD
from proofs.formula.additive.responses import ResponseFunction
from proofs.formula.additive.worst_case import ResponseExtreme
from proofs.formula.attention.worst_case import SweepExtreme
from proofs.formula.common.extremes import Extreme
from proofs.formula.stick_breaking.worst_case import StickExtreme

DIGITS = 60
AGREEMENT = Fraction(1, 10**25)
"""Relative, or absolute where weights end at 0; enclosures of 128 bits are about 10^-38 wide."""
LEAST_EXPONENT = -2 * MAX_SPREAD
"""Smaller errors count as 0: enclosures are not finer, and rationals would exhaust the memory."""


def error_by_mpmath(extreme: Extreme) -> Fraction:
    """Compute the error on the input of ``extreme`` by mpmath at 60 digits: an accurate number, not a bound."""
    with mpmath.workdps(DIGITS):
        match extreme:
            case ResponseExtreme():
                error = _error_of_response(extreme.function, extreme.truth)
            case StickExtreme():
                error = _error_of_stick(extreme)
            case _:
                error = _error_of_mean(extreme)
    mantissa, exponent = error.man_exp  # without the sign
    if exponent < LEAST_EXPONENT:
        return Fraction(0)
    return (-1 if error < 0 else 1) * Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _error_of_mean(extreme: Extreme) -> Any:
    """Compute the sum of errors, each times the weight of its score."""
    terms = extreme.terms()
    weights = weigh([mpf_of(score) for score, _ in terms], extreme.weighting)
    error = mpmath.fdot((weight, mpf_of(error)) for weight, (_, error) in zip(weights, terms, strict=True))
    if extreme.weighting.row.extra and isinstance(extreme, SweepExtreme) and extreme.truth:
        error += 1 - mpmath.fsum(weights)  # the weight of the additional 1 errs, too
    return error


def _error_of_response(function: ResponseFunction, truth: bool) -> Any:
    """Compute 1 minus the response function at its peak, or the sum of its values elsewhere."""
    with mpmath.extradps(function.distances.stop * 8 if function.response is Response.SIGMOID else 0):
        weights = {d: sum(mpf_of(factor) * respond(function.response, mpf_of(slope * d + offset))
                          for factor, slope, offset in function.parts) for d in function.distances}
        peak = function.peak
        return 1 - weights[peak] if truth else sum(weight for d, weight in weights.items() if d != peak)


def _error_of_stick(extreme: StickExtreme) -> Any:
    """Compute the output letter by letter, and its distance from the truth."""
    held = mpmath.mpf(0)
    for score, value in extreme.read():
        taken = respond(Response.SIGMOID, mpf_of(score))
        held = (1 - taken) * held + taken * mpf_of(value)
    return 1 - held if extreme.truth else held


def agrees(extreme: Extreme) -> bool:
    """Return whether the error by mpmath is within the enclosure, up to 25 digits."""
    error = error_by_mpmath(extreme)
    slack = AGREEMENT * (max(error, extreme.lower) if extreme.weighting.is_softmax else 1)
    return extreme.lower - slack <= error <= extreme.upper + slack
