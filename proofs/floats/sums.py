"""The relative error of sums of weights in any order: by the number of roundings, or by their tails (lemma T)."""

from fractions import Fraction

from proofs.enclosures.float_models.model import FloatModel
from proofs.floats.float_enclosure import ONE, ZERO
from proofs.floats.outward import exp_up, gamma, up


def roundoff_of_sums(run: FloatModel) -> Fraction:
    """Return the greater unit roundoff of the two formats in which weights are added."""
    return max(run.sums.roundoff, run.softmax.roundoff)


def error_by_length(n: int, rescalings: int, run: FloatModel) -> Fraction | None:
    """Return the error for n nonnegative numbers and their rescalings; None if they are too many for the format."""
    return gamma(n + rescalings, roundoff_of_sums(run))


def error_by_tails(n: int, apart: Fraction, theta: Fraction, run: FloatModel) -> Fraction | None:
    """Return the error for weights whose real scores differ by ``apart`` >= 1, each within e^±theta, theta <= 1.

    The values are 0 or 1, for any word. Each quotient is rounded once more than theta includes. Of the terms min(u,
    e^(2 theta + 4 u_X) e^(-apart (j-1)) / (1 - e^-apart)) those after the first one below 2^-20 u are bounded by a
    geometric sum. None if there are too many numbers for the format.
    """
    u = roundoff_of_sums(run)
    if (factor := gamma(n, u)) is None:
        return None
    ratio = exp_up(-apart)
    term, total = exp_up(2 * theta + 4 * run.softmax.roundoff) / (1 - ratio), ZERO
    for _ in range(2, n + 1):
        term = up(term * ratio)
        total += min(u, term)
        if term < u / (1 << 20):
            total += term * ratio / (1 - ratio)
            break
    return up((1 + factor) * total + u)


def error_of_quotient(rho: Fraction, run: FloatModel) -> Fraction | None:
    """Return U: the relative error of a weighted mean of nonnegative numbers, ``rho`` being that of its sums."""
    if rho >= 1:
        return None
    single = (1 + run.softmax.roundoff) * (1 + run.weights.roundoff) * (1 + run.sums.roundoff)
    return up((1 + rho) * single * single / (1 - rho) - ONE)
