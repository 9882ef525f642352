"""mpmath's view of a worst case that Arb enclosed: another library, another algorithm, the same number to 40 digits.

It guards against a wrong enclosure by raising an error; it never turns a verdict into a better one.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import mpmath

from constructions.network.weightings import Response, Weighting
from proofs.enclosures.softmax import MAX_SPREAD
from proofs.formula.additive.responses import Bump
from proofs.formula.additive.worst_case import BumpExtreme
from proofs.formula.attention.worst_case import SweepExtreme
from proofs.formula.common.extremes import Extreme
from proofs.formula.stick_breaking.worst_case import StickExtreme

DIGITS = 60
AGREEMENT = Fraction(1, 10**25)
"""Relative, or absolute where weights end at 0; enclosures of 128 bits are about 10^-38 wide."""
LEAST_EXPONENT = -2 * MAX_SPREAD
"""Smaller errors count as 0: enclosures are not finer, and as rationals they would fill the memory."""


def error_by_mpmath(extreme: Extreme) -> Fraction:
    """The error on the input of ``extreme``, by mpmath at 60 digits (an accurate number, not a bound)."""
    with mpmath.workdps(DIGITS):
        match extreme:
            case BumpExtreme():
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
    """The sum of errors, each times the weight of the score beside it."""
    terms = extreme.terms()
    weights = weigh([_mpf(score) for score, _ in terms], extreme.weighting)
    error = mpmath.fdot((weight, _mpf(error)) for weight, (_, error) in zip(weights, terms, strict=True))
    if extreme.weighting.row.extra and isinstance(extreme, SweepExtreme) and extreme.truth:
        error += 1 - mpmath.fsum(weights)  # what is missing from the sum errs, too
    return error


def weigh(scores: Sequence[mpmath.mpf], weighting: Weighting) -> list[mpmath.mpf]:
    """The weights of these scores: thresholds are found by halving an interval that has them."""
    top = max(scores)
    if weighting.is_sparse:
        return _by_threshold([(score - top) * _mpf(weighting.slope) for score in scores], int(1 / weighting.slope))
    raised = [mpmath.exp(score - top) for score in scores]
    total = mpmath.fsum(raised) + (weighting.row.extra * mpmath.exp(-top) if weighting.row.extra else 0)
    return [weight / total for weight in raised]


def _by_threshold(scores: Sequence[mpmath.mpf], power: int) -> list[mpmath.mpf]:
    """max(score - θ, 0)^power, with the sum 1, of scores up to 0: θ is from -1 to 0."""
    heavy = [score for score in scores if score > -1]
    low, high = mpmath.mpf(-1), mpmath.mpf(0)
    for _ in range(mpmath.mp.prec):
        middle = (low + high) / 2
        if mpmath.fsum(max(score - middle, 0)**power for score in heavy) > 1:
            low = middle
        else:
            high = middle
    return [max(score - low, mpmath.mpf(0))**power for score in scores]


def _error_of_bump(bump: Bump, truth: bool) -> Any:
    """What the bump misses 1 by at its peak, or has elsewhere."""
    with mpmath.extradps(bump.distances.stop * 8 if bump.response is Response.SIGMOID else 0):
        weights = {d: sum(_mpf(factor) * _weight(bump.response, _mpf(slope * d + offset))
                          for factor, slope, offset in bump.parts) for d in bump.distances}
        return 1 - weights[bump.peak] if truth else sum(weight for d, weight in weights.items() if d != bump.peak)


def _weight(response: Response, score: Any) -> Any:
    match response:
        case Response.RELU:
            return max(score, mpmath.mpf(0))
        case Response.SIGMOID:
            return 1 / (1 + mpmath.exp(-score))


def _error_of_stick(extreme: StickExtreme) -> Any:
    """What is left of each position's value by those that are nearer, and how far the sum is from the truth."""
    held = mpmath.mpf(0)
    for score, value in extreme.read():
        taken = _weight(Response.SIGMOID, _mpf(score))
        held = (1 - taken) * held + taken * _mpf(value)
    return 1 - held if extreme.truth else held


def agrees(extreme: Extreme) -> bool:
    """Whether mpmath's error lies where the enclosure says, up to 25 digits."""
    error = error_by_mpmath(extreme)
    slack = AGREEMENT * (max(error, extreme.lower) if extreme.weighting.is_softmax else 1)
    return extreme.lower - slack <= error <= extreme.upper + slack


def _mpf(x: Fraction) -> mpmath.mpf:
    return mpmath.mpf(x.numerator) / x.denominator
