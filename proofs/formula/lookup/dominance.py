"""Cases of a lookup head that dominate all others: their errors are at least as great.

Setting. In a case with curvature C the visible position at offset k from the peak, -left <= k <= right, has the weight
e^(-C k^2), and its value minus the target is x_k. The error is E = sum x_k w_k / sum w_k (its negative for a shortfall:
negate all x_k). E <= e iff F(e) = sum (e - x_k) w_k >= 0.

One scale per row. Rows with equal visible positions, quadratics, values and targets differ in their scale only, so
their cases differ in C only. Among the rows of one i the row of least C dominates.

Rule ``others``. Let x_k = k, and take a *reference* with left = 0, curvature C0, right0 and e = E(reference) < 1. Every
case with C >= C0 and right <= right0 has E <= e. Proof: the terms of k < 0 are (e - k) w > 0, as e >= 0; without them F
is not greater. The terms of k > right are (e - k) w < 0, as e < 1 <= k; with those up to right0 F is not greater. The
remainder e - sum over k = 1, ..., right0 of (k - e) e^(-C k^2) grows with C and is 0 at C0. Shortfalls are the excesses
of the mirror image. By the first two steps, the case with the least left and the greatest right dominates its row: so
one case of each row is computed for each side.

Rule ``near``. Let all x_k be 0 or 1 (in a shortfall, after negation), and x_0 = 0. Let h be the least k^2 with x_k = 1.
If the sum over x_k = 0, k^2 > h of (k^2 - h) e^(-C0 k^2) is at most h, then E(C) <= E(C0) for all C >= C0. Proof: let
e = E(C0) and H(C) = e^(C h) F(e), so H(C0) = 0. Its terms are (e - x_k) e^(C (h - k^2)). Where x_k = 1 both e - x_k and
h - k^2 are at most 0: the term does not decrease. Where x_k = 0 and k^2 <= h it does not decrease either, and the term
of k = 0 has the derivative e h e^(C h). The other derivatives are -e (k^2 - h) e^(C (h - k^2)). So the derivative of H
is at least e e^(C h) (h - sum (k^2 - h) e^(-C k^2)) >= 0 for C >= C0, as the sum decreases with C. Where no x_k is 1,
E = 0. So among equal windows (equal misses up to the reach at the least C, with equal cuts) the one of least C
dominates: at that C they are one profile, whose enclosure includes all positions beyond the window.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from flint import arb

from constructions.language.semantics import counted_length
from constructions.network.meanings import Others
from constructions.network.transformer import Mask
from proofs.enclosures.exponential import working_precision
from proofs.formula.lookup.obligation import LookupObligation, LookupProblem
from proofs.formula.lookup.scores import Parabola
from proofs.formula.lookup.worst_case import CountCase, LookupProfile, LookupProfiles, profiles_of_every_case

NO_TARGET = 2
Case = tuple[int, int, bool, int]
"""The case n, i, here, others."""


@dataclass(frozen=True)
class SquareRow:
    """A row with scores -curvature * (j - others - offset)^2; the peaks of all its cases are visible."""

    n: int
    i: int
    curvature: Fraction
    first: int
    last: int
    peaks: range


@dataclass(frozen=True)
class RowGroup:
    """The square rows of one length, or those of least scale of all lengths; and the rows with other scores."""

    square: list[SquareRow]
    other: list[tuple[int, int]]


def find_profiles(obligation: LookupObligation, bits: int) -> LookupProfiles:
    """Find profiles among which there is a worst one: the undominated ones, or all if the rules do not apply."""
    problem, profiles = obligation.problem, LookupProfiles(obligation, bits)
    rule = (OthersRule(problem) if isinstance(obligation.meaning, Others)
            else NearRule(problem, profiles.reach))
    other: list[tuple[int, int]] = []
    for group in groups_of(problem):
        other += group.other
        if not rule.covers(group):
            return profiles_of_every_case(obligation, bits)
    cases = rule.undominated()
    if cases is None:
        return profiles_of_every_case(obligation, bits)
    for n, i, here, others in cases:
        profiles.add_case(CountCase(problem.row(n, i), here, others))
    with working_precision(bits):
        if not all(rule.is_sound_for(profiles, profile) for profile, _ in profiles.cases):
            return profiles_of_every_case(obligation, bits)
    for n, i in other:
        profiles.add_row(problem.row(n, i))
    return profiles


def groups_of(problem: LookupProblem) -> Iterator[RowGroup]:
    """Yield all rows, except those that equal another row up to a greater scale."""
    targets = problem.targets
    if (problem.mask is Mask.FUTURE and targets.count.side == "left"
            and not (problem.scores.queries_mention_n or problem.values_mention_n or targets.mention_n)):
        yield _rows_of_least_scale(problem)
    else:
        for n in reversed(list(problem.lengths)):
            yield rows_of_length(problem, n)


def rows_of_length(problem: LookupProblem, n: int) -> RowGroup:
    """Return the rows of one length."""
    scales = problem.scores.scales(n)
    group = RowGroup([], [])
    for i, quadratic in enumerate(problem.scores.quadratics(n), start=1):
        row = _square_row(problem, n, i, scales[i - 1 if len(scales) > 1 else 0], quadratic.parabola)
        if row:
            group.square.append(row)
        else:
            group.other.append((n, i))
    return group


def _rows_of_least_scale(problem: LookupProblem) -> RowGroup:
    by_keys: dict[int, list[int]] = {}
    for n in reversed(list(problem.lengths)):
        by_keys.setdefault(problem.scores.group(n), []).append(n)
    group = RowGroup([], [])
    for lengths in by_keys.values():
        for i, n in enumerate(_lengths_of_least_scale(problem, lengths), start=1):
            row = _square_row(problem, n, i, problem.scores.scale(n, i), problem.scores.quadratic(n, i).parabola)
            if row:
                group.square.append(row)
            else:
                group.other.extend((length, i) for length in lengths if length >= i)
    return group


def _lengths_of_least_scale(problem: LookupProblem, lengths: list[int]) -> list[int]:
    """Return for i = 1, 2, ... the longest length of least scale among those from i on; the ``lengths`` descend."""
    scores, temperature = problem.scores, problem.scores.temperature
    if temperature.mentions_i and temperature.mentions_n:
        return _lengths_of_least(lengths, scores.scales)
    least = [lengths[0]] * lengths[0]
    best = None
    for n in lengths:  # what is least at one i is so at every i
        number = scores.scales(n)[0] if temperature.mentions_n else scores.factor(n)
        if best is None or number < best[0]:
            best = number, n
        least[:n] = [best[1]] * n
    return least


def _lengths_of_least(lengths: list[int], scales: Callable[[int], list[Fraction]]) -> list[int]:
    least = [(scale, lengths[0]) for scale in scales(lengths[0])]
    for n in lengths[1:]:
        least[:n] = [(scale, n) if scale < before[0] else before
                     for scale, before in zip(scales(n), least[:n], strict=True)]
    return [n for _, n in least]


def _square_row(problem: LookupProblem, n: int, i: int, scale: Fraction, parabola: Parabola | None) -> SquareRow | None:
    if parabola is None:
        return None
    visible = problem.mask.visible(i, n)
    first, last = visible[0], visible[-1]
    peaks = range(parabola.offset, parabola.offset + counted_length(problem.targets.count, i, n))
    if peaks[0] < first or peaks[-1] > last:
        return None
    return SquareRow(n, i, scale * parabola.curvature, first, last, peaks)


@dataclass(frozen=True)
class _Reference:
    """A case, its curvature, and the number of positions to the right of its peak."""

    curvature: Fraction
    right: int
    case: Case

    def covers(self, other: _Reference) -> bool:
        """Return whether this case dominates the other one, for any number of positions to the left of that."""
        return self.curvature <= other.curvature and self.right >= other.right


class OthersRule:
    """The rule ``others``: the case of least curvature, by side of the error and greatest offset."""

    def __init__(self, problem: LookupProblem):
        self._problem = problem
        self._references: dict[tuple[bool, int], _Reference] = {}
        self._to_cover: dict[tuple[bool, int], _Reference] = {}
        self._shifts: dict[int, int | None] = {}

    def covers(self, group: RowGroup) -> bool:
        """Add the rows of a group, if their values minus the target are the offsets from the peak; return whether."""
        if any(row.peaks[0] != self._shift(row.n) for row in group.square):
            return False
        for row in group.square:
            low, high = row.peaks[0], row.peaks[-1]
            self._take(True, row, low - row.first, row.last - low, 0)
            self._take(False, row, row.last - high, high - row.first, len(row.peaks) - 1)
        return True

    def _shift(self, n: int) -> int | None:
        """Return j minus the value at j, if it is the same integer for all j."""
        if not self._problem.values_mention_n:
            n = self._problem.lengths.last
        if n not in self._shifts:
            self._shifts[n] = _find_shift(self._problem.values(n))
        return self._shifts[n]

    def _take(self, excess: bool, row: SquareRow, left: int, right: int, others: int) -> None:
        """Add the worst case of a row for one side; for a shortfall ``left`` and ``right`` are exchanged."""
        kept = self._to_cover if left else self._references
        before = kept.get((excess, right))
        if before is None or row.curvature < before.curvature:
            kept[excess, right] = _Reference(row.curvature, right, (row.n, row.i, False, others))

    def undominated(self) -> list[Case] | None:
        """Return the references that no other one covers; None if they do not cover all cases."""
        found = []
        for excess in (True, False):
            references = _greatest_reach_first([x for (side, _), x in self._references.items() if side is excess])
            hidden = [x for (side, _), x in self._to_cover.items() if side is excess]
            if any(not any(x.covers(case) for x in references) for case in hidden):
                return None
            found += [reference.case for reference in references]
        return found

    def is_sound_for(self, profiles: LookupProfiles, profile: LookupProfile) -> bool:
        """Return whether the error of the reference is below 1."""
        return bool(abs(profiles.mean_miss(profile)) < 1)


def _find_shift(values: tuple[Fraction, ...]) -> int | None:
    first = values[0]
    if first.denominator != 1 or any(value != first.numerator + k for k, value in enumerate(values)):
        return None
    return 1 - first.numerator


def _greatest_reach_first(references: list[_Reference]) -> list[_Reference]:
    """Return the references that no other one covers: their curvature and reach ascend."""
    found: list[_Reference] = []
    for each in sorted(references, key=lambda each: (each.curvature, -each.right)):
        if not found or each.right > found[-1].right:
            found.append(each)
    return found


class NearRule:
    """The rule ``near``: the case of least curvature, by window of misses."""

    def __init__(self, problem: LookupProblem, reach: Callable[[Fraction], int]):
        """Start without cases; ``reach`` returns the radius of the window at a curvature."""
        self._problem = problem
        self._reach = reach
        self._found: dict[tuple[object, ...], tuple[Fraction, Case]] = {}

    def covers(self, group: RowGroup) -> bool:
        """Add the rows of a group, if values are 0 and 1 and targets do not depend on the position; return whether."""
        if not group.square:
            return True
        if self._problem.targets.mention_i:
            return False
        n = max(row.n for row in group.square)
        values = self._problem.values(n)
        if any(value.denominator != 1 or value.numerator not in (0, 1) for value in values):
            return False
        bits = bytes(value.numerator for value in values)
        targets = _targets(self._problem, group, n)
        reach = self._reach(min(row.curvature for row in group.square))
        for row, peaks in _find_new_peaks(group.square, reach):
            for peak in peaks:
                self._take(row, peak, reach, bits, targets)
        return True

    def _take(self, row: SquareRow, peak: int, reach: int, bits: bytes, targets: tuple[bytes, bytes]) -> None:
        """Add the windows of the cases with this peak."""
        left, right, others = min(peak - row.first, reach), min(row.last - peak, reach), peak - row.peaks[0]
        window = bits[peak - 1 - left:peak + right]
        cut = (peak - row.first > reach, row.last - peak > reach)
        for here in (False, True):
            if (target := targets[here][others]) != NO_TARGET:
                key = (window, target, left, cut)
                before = self._found.get(key)
                if before is None or row.curvature < before[0]:
                    self._found[key] = row.curvature, (row.n, row.i, here, others)

    def undominated(self) -> list[Case]:
        """Return, for every window, the case of least curvature."""
        return [case for _, case in self._found.values()]

    def is_sound_for(self, profiles: LookupProfiles, profile: LookupProfile) -> bool:
        """Return whether no greater curvature has a greater error."""
        return is_worst_at_least_curvature(profiles, profile)


def _targets(problem: LookupProblem, group: RowGroup, n: int) -> tuple[bytes, bytes]:
    """Return the target by ``here`` and ``others``, or NO_TARGET, in the row with the most cases; i does not matter."""
    longest = max(group.square, key=lambda row: len(row.peaks))
    by_here = problem.targets.at(n, longest.i)
    first, second = (bytes(NO_TARGET if target is None else target for target in targets) for targets in by_here)
    return first, second


def _find_new_peaks(rows: list[SquareRow], reach: int) -> Iterator[tuple[SquareRow, range]]:
    """Yield rows and peaks that together have every window of the group, each at its least curvature.

    In two rows with the same first position, a peak has the same window if both rows extend beyond its reach.
    """
    seen = _SeenPeaks(reach)
    for row in sorted(rows, key=lambda row: row.curvature):
        yield row, seen.new_peaks(row)


class _SeenPeaks:
    """Peaks whose windows were added, by the edges of the visible positions that a window may contain."""

    def __init__(self, reach: int):
        self._reach = reach
        self._by_both: dict[tuple[int, int], range] = {}
        self._by_first: dict[int, range] = {}
        self._by_last: dict[int, range] = {}

    def new_peaks(self, row: SquareRow) -> range:
        """Return the peaks of a row that may have new windows, and mark all of its peaks as seen."""
        peaks, both = row.peaks, (row.first, row.last)
        far_right = range(peaks.start, min(peaks.stop, row.last - self._reach))
        far_left = range(max(peaks.start, row.first + self._reach + 1), peaks.stop)
        new = peaks
        if _includes(self._by_both.get(both), peaks):
            new = range(0)
        elif (known := self._by_first.get(row.first)) and known.start <= peaks.start:
            new = range(max(peaks.start, min(known.stop, far_right.stop)), peaks.stop)
        elif (known := self._by_last.get(row.last)) and peaks.stop <= known.stop:
            new = range(peaks.start, min(peaks.stop, max(known.start, far_left.start)))
        _widen(self._by_both, both, peaks)
        _widen(self._by_first, row.first, far_right)
        _widen(self._by_last, row.last, far_left)
        return new


Edge = TypeVar("Edge")


def _includes(wide: range | None, narrow: range) -> bool:
    return wide is not None and wide.start <= narrow.start and narrow.stop <= wide.stop


def _widen(ranges: dict[Edge, range], edge: Edge, found: range) -> None:
    """Replace a range by one that includes it."""
    if edge not in ranges or _includes(found, ranges[edge]):
        ranges[edge] = found


def is_worst_at_least_curvature(profiles: LookupProfiles, profile: LookupProfile) -> bool:
    """Return whether the condition of the rule ``near`` holds, so that no greater curvature has a greater error."""
    if profile.misses[profile.left] or not {abs(miss) for miss in profile.misses} <= {0, profiles.scale}:
        return False
    squares = [offset * offset for offset in range(-profile.left, profile.right + 1)]
    missed = [square for square, miss in zip(squares, profile.misses, strict=True) if miss]
    if not missed:
        return True
    nearest, window = min(missed), profile.window
    start = window.left - profile.left
    weights = window.weights[start:start + len(squares)]
    total = sum((weight * (square - nearest) for weight, square, miss
                 in zip(weights, squares, profile.misses, strict=True) if not miss and square > nearest), arb(0))
    beyond = sum((weight for cut, weight in zip(profile.cut, window.beyond, strict=True) if cut), arb(0))
    return bool(total + beyond * profiles.positions**3 <= nearest)
