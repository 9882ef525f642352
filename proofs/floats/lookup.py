"""Heads that look up a number: the error bound of the output (rule 4)."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise

from constructions.language.semantics import counted_length
from proofs.enclosures.float_models.model import FloatModel
from proofs.floats.approximate_truths import Deviation, RowScores, deviate, quotient_error
from proofs.floats.float_enclosure import ZERO, check_finite
from proofs.floats.outward import exp_down, exp_up, half_unit, up
from proofs.floats.rows import RowByRow
from proofs.floats.scores import HeadScores
from proofs.formula.failures import NotDerived
from proofs.formula.lookup.obligation import LookupObligation
from proofs.formula.lookup.scores import Parabola, Quadratic

LARGEST_THETA = Fraction(64)
"""Sharp parabolas tolerate large errors of scores."""
TRIED = (*map(Fraction, (32, 16, 64, 128)), None)
"""Score differences from which positions are far, the most promising first; None: no position is."""
ENOUGH = Fraction(1, 64)
"""No better bound is sought for rows whose error is at most 5/4 of that over the reals, plus this."""


@dataclass(frozen=True)
class OthersBound:
    """The error bound of the output in the worst rows."""

    delta: Fraction
    theta: Fraction
    error: Fraction


class OthersErrors:
    """The error bounds of one lookup head, memoised by length."""

    def __init__(self, obligation: LookupObligation, scores: HeadScores, run: FloatModel):
        """Store the obligation; bounds are computed on demand."""
        self.obligation, self.scores, self.run = obligation, scores, run
        self._by_length: dict[int, OthersBound] = {}
        self._rows = RowByRow(scores.numbers, obligation)

    def up_to(self, first: int, last: int) -> OthersBound:
        """Return the worst error over words of lengths ``first`` to ``last``.

        Raises:
            NotDerived: if the scores are not a parabola around the count, or their errors are too large.
        """
        return max((self.of_length(n) for n in range(first, last + 1)), key=lambda bound: bound.error)

    def of_length(self, n: int) -> OthersBound:
        """Return the worst error over the rows of words of length n."""
        if n not in self._by_length:
            self._check_values(n)
            self._by_length[n] = self._of_length(n)
        return self._by_length[n]

    def _of_length(self, n: int) -> OthersBound:
        """Return the bound by rule 4, or by rule 7, if that is less."""
        found, curvatures, fault = [], self._curvatures(n), NotDerived("")
        try:
            found.append(self._of_rows(n, range(1, n + 1), curvatures))
        except NotDerived as why:
            fault = why
        if not found or found[0].error > self._enough(n, curvatures):
            with suppress(NotDerived):
                rows = self._rows.of_length(n)
                found.append(OthersBound(rows.delta, rows.theta, rows.error))
        if not found:
            raise fault
        return min(found, key=lambda bound: bound.error)

    def _curvatures(self, n: int) -> list[Fraction | None]:
        """Return, for each row, the factor of the parabola; None where one position is visible only.

        Raises:
            NotDerived: if the scores are not a parabola, or the value at its top is not the number looked up.
        """
        problem, mask = self.obligation.problem, self.obligation.head.mask
        scales, values = problem.scores.scales(n), problem.values(n)
        found: list[Fraction | None] = []
        for i, quadratic in enumerate(problem.scores.quadratics(n), start=1):
            visible = mask.visible(i, n)
            parabola = _parabola_of_two(quadratic) if n == 2 else quadratic.parabola
            alone = len(visible) == 1
            offset = visible[0] if alone else parabola.offset if parabola else None
            if offset is None:
                raise NotDerived(f"the scores are not a parabola around the count at i = {i}, n = {n}")
            self._check_top(offset, values, visible, counted_length(self.obligation.count, i, n))
            scale = scales[i - 1 if len(scales) > 1 else 0]
            found.append(None if alone or parabola is None else parabola.curvature * scale)
        return found

    def _check_top(self, offset: int, values: Sequence[Fraction], visible: range, length: int) -> None:
        """Check that the position for each count is visible, and its value is the count."""
        if offset not in visible or offset + length - 1 not in visible or values[offset - 1] != 0:
            raise NotDerived("the value at the top of the parabola is not the number looked up")

    def _check_values(self, n: int) -> None:
        """Check that values are exact, not negative, at most n, and rise by 1 from position to position."""
        problem = self.obligation.problem
        form, values = self.scores.numbers.value_form(problem.value, n, n), problem.values(n)
        if max(values) > n or min(values) < 0 or form.error:
            raise NotDerived(f"values are not from 0 to {n} at n = {n}")
        if any(after - before != 1 for before, after in pairwise(values)):
            raise NotDerived(f"values do not rise by 1 at n = {n}")

    def _of_rows(self, n: int, rows: range, curvatures: Sequence[Fraction | None]) -> OthersBound:
        """Return the error in these rows of words of length n: all at once, or by halves."""
        fault = NotDerived("")
        try:
            bound = self._of_block(n, rows, curvatures)
            if len(rows) == 1 or bound.error <= self._enough(n, curvatures):
                return bound
        except NotDerived as why:
            fault = why
        if len(rows) == 1:
            raise NotDerived(f"at i = {rows[0]}, n = {n}: {fault}")
        middle = len(rows) // 2
        later = self._of_rows(n, rows[middle:], curvatures[middle:])
        return max(self._of_rows(n, rows[:middle], curvatures[:middle]), later, key=lambda bound: bound.error)

    def _of_block(self, n: int, rows: range, curvatures: Sequence[Fraction | None]) -> OthersBound:
        scores, fault = self.scores.over(n, rows), NotDerived("")
        flattest, enough = _least(curvatures), self._enough(n, curvatures)
        found: list[OthersBound] = []
        for far in TRIED:
            try:
                deviation = deviate(RowScores(n, scores.enclosure, scores.spread), far, self.run, LARGEST_THETA)
                found.append(OthersBound(scores.delta, deviation.theta, self._error(n, flattest, deviation)))
            except NotDerived as why:
                fault = why
            if found and found[-1].error <= enough:
                break
        if not found:
            raise fault
        return min(found, key=lambda bound: bound.error)

    def _enough(self, n: int, curvatures: Sequence[Fraction | None]) -> Fraction:
        real = _miss_of(_least(curvatures))
        return ENOUGH + real * Fraction(5, 4) + half_unit(self.run.storage, Fraction(n))

    def _error(self, n: int, curvature: Fraction | None, deviation: Deviation) -> Fraction:
        target = exp_down(-deviation.theta) - deviation.flushed
        if target <= 0:
            raise NotDerived("the weight of the target may be flushed to 0")
        missed = exp_up(deviation.theta) * _miss_of(curvature) + n * n * deviation.additive
        real = missed / target
        quotient, loose = quotient_error(n, deviation, self.run, None)
        computed = real + quotient * (n + real) + loose * n
        # A bound of sums of weights, the greatest being 1, times values of at most n; sums err by less than half.
        check_finite(2 * n * (exp_up(deviation.theta) + 2 * missed), self.run.sums)
        return up(computed + half_unit(self.run.storage, n + computed) + self.run.storage.smallest_normal)


def _parabola_of_two(quadratic: Quadratic) -> Parabola | None:
    """Return the parabola over two positions: its step is c (2 off - 3) + 2 c m."""
    constant, by_here, by_others = quadratic.slope
    sharpness = by_others / 2
    if by_here or sharpness <= 0 or ((constant / sharpness + 3) / 2).denominator != 1:
        return None
    return Parabola(sharpness, int((constant / sharpness + 3) / 2))


def _least(curvatures: Sequence[Fraction | None]) -> Fraction | None:
    return min((curvature for curvature in curvatures if curvature is not None), default=None)


def _miss_of(curvature: Fraction | None) -> Fraction:
    return ZERO if curvature is None else miss(curvature)


@cache
def miss(curvature: Fraction) -> Fraction:
    """Bound the sum of k e^(-c k^2) over k >= 1 from above.

    With x = e^-c it is at most x / (1 - x^3)^2, as k^2 - 1 >= 3 (k - 1).

    Raises:
        NotDerived: if c is less than 1.
    """
    if curvature < 1:
        raise NotDerived("the scores are too flat")
    x = exp_up(-curvature)
    return up(x / (1 - x**3)**2)
