"""Heads near a truth: bounds of their computed outputs from certified errors over the reals (rule 3)."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction

from constructions.network.float_formats import power_of_two
from constructions.network.meanings import ALLOWED_ERROR
from proofs.enclosures.float_models.model import ExpBase, FloatModel
from proofs.floats.float_enclosure import ONE, ZERO, FloatEnclosure, describe
from proofs.floats.outward import exp_down, exp_up, gamma, up
from proofs.floats.sums import error_by_length, error_by_tails, error_of_quotient, roundoff_of_sums
from proofs.formula.failures import NotDerived

FAR = (None, *map(Fraction, (8, 12, 16, 24, 32, 48, 64, 96, 128, 256)))
"""Score differences from which positions are far; None: no position is."""
LARGEST_THETA = Fraction(4)
"""With a greater theta, nothing can be proved about a truth."""
UPPER_OF_ALL = ONE + ALLOWED_ERROR


@dataclass(frozen=True)
class RowScores:
    """Rows of words up to length ``n``: the enclosure of scores, and the greatest difference within a row."""

    n: int
    enclosure: FloatEnclosure
    spread: Fraction


@dataclass(frozen=True)
class Deviation:
    """Weights are within e^±theta of the real ones, relative to the greatest, and ± ``flushed``.

    Far positions have weights of at most ``far`` instead, and of at most ``far_real`` over the reals.
    """

    theta: Fraction
    flushed: Fraction
    far: Fraction = ZERO
    far_real: Fraction = ZERO

    @property
    def additive(self) -> Fraction:
        """The absolute error bound of any weight beyond its factor; ``far`` includes ``flushed``."""
        return max(self.flushed, self.far)

    @property
    def total(self) -> Fraction:
        """The sum of the absolute bounds of flushed and of far weights."""
        return self.flushed + self.far


def deviate(scores: RowScores, far: Fraction | None, run: FloatModel, most: Fraction = LARGEST_THETA) -> Deviation:
    """Bound the errors of the weights of a head.

    Raises:
        NotDerived: if theta is more than ``most``.
    """
    delta, u, tiny = scores.enclosure.error, run.softmax.roundoff, run.softmax.smallest_normal
    if far is not None and far < 2 * delta:
        raise NotDerived(_off(delta))
    spread = scores.spread if far is None else min(scores.spread, far)
    exp_error = run.exp_error / (1 - run.exp_error)
    theta = delta + _subtraction_error(scores.enclosure, spread, run) + exp_error
    theta += run.weights.roundoff / (1 - run.weights.roundoff)
    rescalings = rescalings_of(scores.n, run)
    if run.exp_base is not ExpBase.E:
        theta += 3 * u * (spread + (1 + rescalings) * (scores.enclosure.size + 3 * delta)) + 4 * (1 + rescalings) * tiny
    if rescalings:
        theta += rescalings * (exp_error + 3 * u + tiny) + u * (spread + 2 * delta) + tiny
    theta = up(theta)
    if theta > most:
        raise NotDerived(f"{_off(delta)}, so that weights may err by e^{describe(theta)}")
    smallest = 2 * (run.softmax.smallest_normal + run.weights.smallest_normal)
    flushed = up(smallest * exp_up(theta))
    if far is None:
        return Deviation(theta, flushed)
    decay = (far - 2 * delta) * (1 - 8 * u)
    return Deviation(theta, flushed, up(exp_up(theta - decay) + flushed), exp_up(-far))


def _off(delta: Fraction) -> str:
    return f"scores may err by {describe(delta)}"


def _subtraction_error(enclosure: FloatEnclosure, spread: Fraction, run: FloatModel) -> Fraction:
    """Bound the error of the difference to the maximum; 0 where it is exact."""
    softmax, grid = run.softmax, enclosure.grid
    if not enclosure.error and grid >= softmax.least and spread <= power_of_two(softmax.precision + grid):
        return ZERO
    return softmax.roundoff * (spread + 2 * enclosure.error) + softmax.smallest_normal


def rescalings_of(n: int, run: FloatModel) -> int:
    """Return the greatest number of rescalings of partial sums over n positions."""
    return max(0, -(-n // run.block) - 1) if run.block else 0


def share_of(error: Fraction, deviation: Deviation, n: int) -> Fraction:
    """Bound the share of weight that counts against a target, if it is at most ``error`` over the reals.

    Raises:
        NotDerived: if the weight on the target may be 0.
    """
    against = error * exp_up(deviation.theta) + n * (deviation.flushed + deviation.far)
    rest = (1 - error) * exp_down(-deviation.theta) - n * (deviation.flushed + deviation.far_real)
    if rest <= 0:
        raise NotDerived("what remains of the weight on the target may be flushed to 0")
    return up(against / (against + rest))


@dataclass(frozen=True)
class NearBound:
    """The error bound of the output of a head near a truth, in every execution."""

    delta: Fraction
    theta: Fraction
    share: Fraction
    error: Fraction
    above_one: Fraction

    @property
    def holds(self) -> bool:
        """Whether the output is within 1/4 of the truth, and never above 5/4."""
        return self.error <= ALLOWED_ERROR and self.above_one <= ALLOWED_ERROR


def bound_near(scores: RowScores, errors: tuple[Fraction, Fraction], run: FloatModel,
               find_gap: Callable[[], Fraction | None]) -> NearBound:
    """Return the least bound over the choices of far positions and of lemmas for sums.

    ``errors`` are certified over the reals, for false and for true targets. ``find_gap`` returns a lower bound of
    the difference of real scores of two positions, if all values are 0 or 1; it is called only if bounds by length
    fail.

    Raises:
        NotDerived: if no choice gives a bound.
    """
    ways = _deviations(scores, errors, run)
    found = _bounds(scores, ways, run, None)
    may_hold = any(max(shares) <= ALLOWED_ERROR for _, shares in ways)
    if may_hold and not any(bound.holds for bound in found) and (gap := find_gap()) is not None:
        found += _bounds(scores, ways, run, gap)
    if not found:
        raise NotDerived(f"sums of {scores.n} weights may err by too much in {run.sums} or {run.softmax}")
    return min(found, key=lambda bound: max(bound.error, bound.above_one))


Way = tuple[Deviation, list[Fraction]]
"""Error bounds of weights, and so the shares of weight that count against false and true targets."""


def _deviations(scores: RowScores, errors: tuple[Fraction, Fraction], run: FloatModel) -> list[Way]:
    """Return the deviation and shares for each choice of where far positions begin.

    Raises:
        NotDerived: if no choice gives one.
    """
    found: list[Way] = []
    fault = NotDerived("")
    for far in FAR:
        try:
            deviation = deviate(scores, far, run)
            found.append((deviation, [share_of(error, deviation, scores.n) for error in errors]))
        except NotDerived as why:
            fault = why
    if not found:
        raise fault
    return found


def _bounds(scores: RowScores, ways: Sequence[Way], run: FloatModel, gap: Fraction | None) -> list[NearBound]:
    found = []
    for deviation, shares in ways:
        with suppress(NotDerived):
            quotient, loose = quotient_error(scores.n, deviation, run, gap)
            above = up(shares[0] * (1 + quotient) + loose)
            below = up(1 - (1 - shares[1]) * (1 - quotient) + loose)
            found.append(NearBound(scores.enclosure.error, deviation.theta, max(shares), max(above, below),
                                   up(quotient + loose)))
    return found


def quotient_error(n: int, deviation: Deviation, run: FloatModel, gap: Fraction | None) -> tuple[Fraction, Fraction]:
    """Return U and ν: the relative and the absolute error of the weighted mean of n values from 0 to 1.

    With a ``gap`` sums are bounded by their tails.

    Raises:
        NotDerived: if n is too long for the formats.
    """
    rescalings, u = rescalings_of(n, run), roundoff_of_sums(run)
    loose = 2 * n * sum((each.smallest_normal for each in (run.weights, run.softmax, run.sums)), ZERO)
    if 2 * n * u > 1:
        loose *= 2
    rho = None
    if gap is None:
        rho = error_by_length(n, rescalings, run)
    elif not rescalings and gap >= 1 >= deviation.theta and 2 * n * deviation.total * exp_up(deviation.theta) <= 1:
        rho = error_by_tails(n, gap, deviation.theta, run)
        if rho is not None and (factor := gamma(n, u)) is not None:
            loose += up(16 * (1 + factor) * (n + 3) ** 2 * exp_up(deviation.theta) * deviation.total)
    quotient = None if rho is None or rho > Fraction(1, 3) else error_of_quotient(rho, run)
    if quotient is None:
        raise NotDerived(f"sums of {n} weights may err by too much in {run.sums} or {run.softmax}")
    return quotient, loose
