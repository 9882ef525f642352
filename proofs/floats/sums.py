"""The relative error of adding weights in any order: by the number of roundings, or by their tails (lemma T)."""

from fractions import Fraction

from proofs.enclosures.float_models.model import FloatModel
from proofs.floats.float_enclosure import ONE, ZERO
from proofs.floats.outward import exp_up, gamma, up


def roundoff_of_sums(run: FloatModel) -> Fraction:
    """Return the greater unit roundoff of the two formats in which weights are added."""
    return max(run.sums.roundoff, run.softmax.roundoff)


def error_by_length(n: int, rescalings: int, run: FloatModel) -> Fraction | None:
    """n numbers that are not negative and their rescalings; None if they are too many for the format."""
    return gamma(n + rescalings, roundoff_of_sums(run))


def error_by_tails(n: int, apart: Fraction, theta: Fraction, run: FloatModel) -> Fraction | None:
    """Weights whose real scores differ by at least ``apart`` >= 1, each within e^±theta, theta <= 1, of the real one.

    The values are 0 or 1, whatever the word. Each quotient is rounded once more than theta says. Of the terms
    min(u, e^(2 theta + 4 u_X) e^(-apart (j-1)) / (1 - e^-apart)) those beyond the place where they are below 2^-20 u
    are bounded by a geometric sum. None if there are too many numbers for the format.
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
    """U: the relative error of a weighted mean of numbers that are not negative, ``rho`` being that of its sums."""
    if rho >= 1:
        return None
    single = (1 + run.softmax.roundoff) * (1 + run.weights.roundoff) * (1 + run.sums.roundoff)
    return up((1 + rho) * single * single / (1 - rho) - ONE)
