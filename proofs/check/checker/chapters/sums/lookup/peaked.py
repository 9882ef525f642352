"""Lookups whose scores are one parabola, by few cases that imply all; docs/background/obligations.md, Lookup head.

A truth comes under rule 4 (under 6, if weights are sparse), a number of others under 5 (6); the page proves them. Here
k = j - p is the distance from the target position p = m + off, and C is the least curvature, which implies all others.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import chain
from typing import Any, NamedTuple

from ....kernel.numbers import ZERO, multiply, over_one_denominator
from ....kernel.reading.records import ApproximateTruth, Head
from ...formula.composition import names_in
from ...formula.families import Covered
from ...formula.kernels import FALLS, suffices
from ...formula.proof import ProofContext
from .case import LookupCase, is_proved
from .parabola import Parabola, VisibleRow, reach_of, rows_of
from .target import LookupTarget


class PeakValues(NamedTuple):
    """The values over ``size``, and the goals by b and m; None where the guard does not hold."""

    size: int
    values: Sequence[int]
    goals: tuple[Sequence[int | None], Sequence[int | None]]


class ApproximateTruthPeak:
    """A lookup of a truth."""

    def __init__(self, proof: ProofContext, head: Head, name: str, target: LookupTarget, least: Fraction) -> None:
        self._proof, self._head, self._target, self._value = proof, head, target, head.values[name]
        self._least, self._reach = least, reach_of(least, FALLS[head.weighting])
        self._mentions_length = proof.mentions_length([*proof.places_of(self._value), *target.order])
        self._content: PeakValues | None = None
        self._rows: set[tuple[VisibleRow, int, int]] = set()  # proved for this content, with b and off
        self._uncut: dict[tuple[int, int], range] = {}  # by b and off, the m whose proved windows no edge cuts
        self._windows: dict[tuple[object, ...], bool] = {}

    def guarded(self, n: int) -> int:
        """Return the number of rows at which the guard can hold: spans are 1..n, and a row has m < its span."""
        content = self._content_at(n)
        least = min(next((m for m, goal in enumerate(goals) if goal is not None), n) for goals in content.goals)
        return max(0, n - least)

    def proves(self, n: int, offs: tuple[int, int]) -> bool:
        """Return whether all rows of a length are proved, where the target position is m + offs[b]."""
        content = self._content_at(n)
        if not 0 <= min(content.values[:n]) <= max(content.values[:n]) <= content.size:
            return False
        return all(self._proves_row(content, row, b, off) for row in rows_of(
            self._proof, self._head, self._target, n) for b, off in enumerate(offs))

    def _content_at(self, n: int) -> PeakValues:
        length = n if self._mentions_length else self._proof.claim.max_n
        if self._content is None or length != len(self._content.values):
            (column,) = self._proof.known_forms([self._value], length)
            size, (values,) = over_one_denominator(self._proof.budget, [column])
            settled = self._proof.language.settle(self._target.order, length, 1)
            goals = [[self._target.goal(m, self._target.truths(length, settled, bool(b), m)) for m in range(length)]
                     for b in (0, 1)]
            self._content = PeakValues(size, values, (goals[0], goals[1]))
            self._rows.clear()
            self._uncut.clear()
        return self._content

    def _proves_row(self, content: PeakValues, row: VisibleRow, b: int, off: int) -> bool:
        """Return whether all windows of a row are proved, except those that were proved without a cut."""
        if (row, b, off) in self._rows:
            return True
        low, high = row.first - off + self._reach, row.last - off - self._reach  # m whose windows no edge cuts
        start = min(max(low, 0), row.span)
        stop = max(start, min(high + 1, row.span))
        done = self._uncut.get((b, off), range(0))
        edges = chain(range(start), range(stop, row.span))
        inner = chain(range(start, min(stop, done.start)), range(max(start, done.stop), stop))
        proved = all(self._proves_window(content, row, m, off, content.goals[b][m]) for m in chain(edges, inner))
        if proved:
            self._rows.add((row, b, off))
            if not done:
                self._uncut[b, off] = range(start, stop)
            elif start <= done.stop and done.start <= stop:
                self._uncut[b, off] = range(min(start, done.start), max(stop, done.stop))
        return proved

    def _proves_window(self, content: PeakValues, row: VisibleRow, m: int, off: int, goal: int | None) -> bool:
        """Return whether one case is proved at the least curvature, without the positions beyond the window.

        A window that no edge cuts is treated as if positions were beyond it, so that it serves all rows.
        """
        if goal is None:
            return True
        p = m + off
        if not row.first <= p <= row.last:
            return False
        begin, end = max(row.first, p - self._reach), min(row.last, p + self._reach)
        offsets = tuple(value - goal * content.size for value in content.values[begin - 1 : end])
        may_see_more = row.first <= p - self._reach or p + self._reach <= row.last
        window = (content.size, offsets, p - begin, goal, may_see_more)
        if window not in self._windows:
            self._proof.budget.spend(10 * len(offsets))
            falls = [-self._least.numerator * (k - p) ** 2 for k in range(begin, end + 1)]
            self._windows[window] = offsets[p - begin] == 0 and self._proves_peak(content.size, falls, offsets, goal,
                                                                                  may_see_more)
        return self._windows[window]

    def _proves_peak(self, size: int, falls: Sequence[int], offsets: Sequence[int], goal: int, sees_more: bool) -> bool:
        if self._head.weighting != "softmax":  # positions beyond the window have the weight 0
            bad = [fall for fall, offset in zip(falls, offsets, strict=True) if offset]
            gaps = [Fraction(fall, self._least.denominator) for fall in bad]
            ((_, error),) = self._target.sides(goal)
            return suffices(self._proof.weigher, self._proof.budget, self._head.weighting, gaps, 0, error)
        near = tuple((fall * size, offset) for fall, offset in zip(falls, offsets, strict=True))
        far = size.bit_length() if sees_more else 0
        return is_proved(self._proof, LookupCase(self._least.denominator, size, near, far, self._target.sides(goal)))


def find_covered(proof: ProofContext, head: Head, name: str, target: LookupTarget) -> Mapping[int, Covered]:
    """Return the coverage of the lengths all of whose rows are proved; nothing is rejected here."""
    if not speaks_of_count(proof, target) or not all(
            proof.is_known(proof.directions[one]) for one in names_in([*head.keys, head.values[name]])):
        return {}
    shapes = find_shapes(proof, head, target)
    least = min((curvature for _, curvature in shapes.values()), default=ZERO)
    if multiply(proof.budget, least, proof.weigher.rate) < 1 and (head.weighting == "softmax" or least <= 0):
        return {}
    if isinstance(target.meaning, ApproximateTruth):
        peak: Any = ApproximateTruthPeak(proof, head, name, target, least)
    else:
        from .peaked_numbers import ApproximateCountPeak

        peak = ApproximateCountPeak(proof, head, name, target, least)
    return {n: Covered(n, peak.guarded(n)) for n, (offs, _) in shapes.items() if peak.proves(n, offs)}


def find_shapes(proof: ProofContext, head: Head, target: LookupTarget) -> Mapping[int,
                                                                                  tuple[tuple[int, int], Fraction]]:
    """Return the offsets and the least curvature over the temperature, by length, where the scores are one parabola."""
    parabola = Parabola(proof, head, target)
    found = {n: parabola.find(n) for n in proof.claim.lengths}
    return {n: shape for n, shape in found.items() if shape is not None}


def speaks_of_count(proof: ProofContext, target: LookupTarget) -> bool:
    """Return whether goals depend on the count and b only, b may be both, and no constant guard is false."""
    language = proof.language
    positional = [place for place in target.order if language.is_positional(place)]
    constant = not any(language.leaves(place) & {"i", "n"} for place in positional)
    guard = target.meaning.when if isinstance(target.meaning, ApproximateTruth) else None
    return constant and target.counted not in positional and (
        guard not in positional or guard is None or language.holds_at(guard, 1, 1))
