"""Heads that look up a number: how far the number held may be off in a float run (rule 4)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from proofs.failures import NotDerived
from proofs.floats.held import ZERO, describe
from proofs.floats.near import Deviation, Scores, deviate, quotient_error
from proofs.floats.outward import exp_down, exp_up, half_unit, up
from proofs.floats.run_class import RunClass
from proofs.floats.scores import HeadScores
from proofs.obligations.lookup import LookupObligation
from proofs.obligations.lookup_scores import Quadratic

LARGEST_THETA = Fraction(64)
"""Sharp parabolas leave room for scores that are off by much."""
TRIED = (*map(Fraction, (32, 16, 64, 128)), None)
"""Where far positions may begin, the most promising first; None leaves none apart."""
ENOUGH = Fraction(1, 16)
"""Of a row that errs by no more, no better bound is sought."""


@dataclass(frozen=True)
class OthersBound:
    """How far the number held may be from the true one, in the worst row."""

    delta: Fraction
    theta: Fraction
    error: Fraction
    n: int
    i: int


class OthersErrors:
    """The errors of one lookup head, all lengths worked out once."""

    def __init__(self, obligation: LookupObligation, scores: HeadScores, run: RunClass):
        """Nothing is worked out before it is asked for."""
        self.obligation, self.scores, self.run = obligation, scores, run
        self._by_length: dict[int, OthersBound] = {}

    def up_to(self, first: int, last: int) -> OthersBound:
        """The worst error over words of lengths ``first`` to ``last``.

        Raises:
            NotDerived: if the scores are no parabola around the count, or too far off.
        """
        return max((self.of_length(n) for n in range(first, last + 1)), key=lambda bound: bound.error)

    def of_length(self, n: int) -> OthersBound:
        """The worst error over the rows of words of length n."""
        if n not in self._by_length:
            self._check_values(n)
            self._by_length[n] = max((self._of_row(n, i, curvature) for i, curvature in self._curvatures(n)),
                                     key=lambda bound: bound.error)
        return self._by_length[n]

    def _curvatures(self, n: int) -> list[tuple[int, Fraction | None]]:
        """For each row the factor of the parabola; None where one position is visible only."""
        scores, mask = self.obligation.problem.scores, self.obligation.head.mask
        scales = scores.scales(n)
        found: list[tuple[int, Fraction | None]] = []
        for i, quadratic in enumerate(scores.quadratics(n), start=1):
            sharpness = _sharpness_of_two(quadratic) if n == 2 else _sharpness(quadratic)
            alone = len(mask.visible(i, n)) == 1
            if sharpness is None and not alone:
                raise NotDerived(f"the scores are no parabola around the count at i = {i}, n = {n}")
            scale = scales[i - 1 if len(scales) > 1 else 0]
            found.append((i, None if alone or sharpness is None else sharpness * scale))
        return found

    def _check_values(self, n: int) -> None:
        value = self.scores.numbers.value_form(self.obligation.problem.value, n, n)
        if value.size > n:
            raise NotDerived(f"a value is {describe(value.size)} at n = {n}")

    def _of_row(self, n: int, i: int, curvature: Fraction | None) -> OthersBound:
        held, fault = self.scores.at(n, i).held, NotDerived("")
        found = []
        for far in TRIED:
            try:
                deviation = deviate(Scores(n, held, held.upper - held.lower), far, self.run, LARGEST_THETA)
                found.append(OthersBound(held.error, deviation.theta, self._error(n, curvature, deviation), n, i))
            except NotDerived as why:
                fault = why
            if found and found[-1].error <= ENOUGH:
                break
        if not found:
            raise NotDerived(f"at i = {i}, n = {n}: {fault}")
        return min(found, key=lambda bound: bound.error)

    def _error(self, n: int, curvature: Fraction | None, deviation: Deviation) -> Fraction:
        target = exp_down(-deviation.theta) - deviation.flushed
        if target <= 0:
            raise NotDerived("the weight of the target may be flushed to 0")
        aside = exp_up(deviation.theta) * (ZERO if curvature is None else miss(curvature)) + n * n * deviation.stray
        real = aside / target
        quotient, loose = quotient_error(n, deviation, self.run, None)
        computed = real + quotient * (n + real) + loose * n
        return up(computed + half_unit(self.run.storage, n + computed) + self.run.storage.smallest_normal)


def _sharpness(quadratic: Quadratic) -> Fraction | None:
    return quadratic.parabola.sharpness if quadratic.parabola else None


def _sharpness_of_two(quadratic: Quadratic) -> Fraction | None:
    """The factor of a parabola that is seen at two positions only: its step is c (2 off - 3) + 2 c m."""
    constant, by_here, by_others = quadratic.slope
    sharpness = by_others / 2
    if by_here or sharpness <= 0 or ((constant / sharpness + 3) / 2).denominator != 1:
        return None
    return sharpness


def miss(curvature: Fraction) -> Fraction:
    """At least the sum of k e^(-c k^2) over k >= 1.

    With x = e^-c it is at most x / (1 - x^3)^2, as k^2 - 1 >= 3 (k - 1).
    """
    x = exp_up(-curvature)
    if (rest := 1 - x**3) <= 0:
        raise NotDerived("the scores are too flat")
    return up(x / rest**2)


