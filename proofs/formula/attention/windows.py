"""Windows: a bound of the error at all rows of a group, from the scores around the position that decides the target.

Setting. The target remembers one truth. Either every letter *keeps* (the memory stays, and is the target's truth) or
*resets* (memory and target become one truth, from both memories); or every letter *overwrites* the memory, and the
target's truth is the previous memory. `since` and `until` are of the first kind, `prev` and `next` of the second. So
every word has a *pivot*, the last position that resets (or the one before the row), whose letter gives the target's
truth t; the letters before it are free, those after it keep (or there is one, which is free). Only a word whose letters
all keep has no pivot; its target is false.

Claim. Let every letter that makes a pivot have the value t, and let every letter that keeps have the value 0 if t is
false. The *bad* letters of a position q are those that may occur there and have another value than t. The gap at q is
the greatest score of a bad letter at q, minus the least score of a letter that makes the pivot. Then the error is at
most the share of the others for these gaps (``common.kernels``); under softmax B/(1 + B), B the sum of e^gap.

Proof. The pivot has error 0; all other positions have errors in [0, 1], and error 0 unless their letter is bad. The
additional 1 of softmax plus one has score and value 0, and errs where t is true: its gap is minus the least score of a
pivot.

One window bounds all pivots of a group: at each distance from the pivot it has their greatest gap, which makes the
share no smaller. A pivot at place p of the longest row has p - 1 positions before it, and the rest after it; for a
sparse weighting, where few gaps matter, the share is the greatest over all p. Gaps below the greatest one by CUT nats
are not listed, nor gaps of weight 0: there are fewer of them than positions, and none exceeds ``beyond``, a running
maximum.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import accumulate
from operator import sub

from constructions.network.weightings import Weighting
from proofs.formula.attention.obligation import AttentionObligation
from proofs.formula.common.kernels import WEIGHS_NOTHING_FROM, share_of_others
from proofs.formula.common.reading import HeadReading, Offered, RowGroup

CUT = 60
FAINT = 200
"""Gaps below minus this many nats are not listed either; e^-200 is below any error that matters."""
BITS = 128
KEEPS = (0, 3)
RESETS = {False: (0, 0), True: (3, 3)}
OVERWRITES = {False: (0, 1), True: (2, 3)}
"""Effects of letters on a target that remembers one truth: 2 * next memory + truth, by what is remembered."""


class PivotMemory(Enum):
    """The kind of a target that remembers one truth, by the effects of the letters that make a pivot."""

    LASTING = "since"
    FLEETING = "prev"

    @property
    def pivots(self) -> dict[bool, tuple[int, int]]:
        """The effect of a letter that makes a pivot, by the truth that it gives."""
        return RESETS if self is PivotMemory.LASTING else OVERWRITES


def memory_of(offered: Sequence[Offered]) -> PivotMemory | None:
    """Return the kind of the target; None if it is neither of the two."""
    effects = {letter.effect for each in offered for letter in each.letters}
    if effects <= {KEEPS, *RESETS.values()}:
        return PivotMemory.LASTING
    return PivotMemory.FLEETING if effects <= {*OVERWRITES.values()} else None


@dataclass(frozen=True)
class Window:
    """Gaps to the pivot at distances 1, 2, ... before and after it, in reading order; None where no letter is bad.

    ``has_pivots`` is False if no word has a pivot. Each number in ``beyond`` bounds the gaps of at most ``positions``
    positions that are not listed. ``apart`` has the gap of the additional 1 of softmax plus one, if that errs.
    """

    weighting: Weighting
    before: tuple[Fraction | None, ...]
    after: tuple[Fraction | None, ...]
    beyond: tuple[Fraction, ...]
    positions: int
    has_pivots: bool
    apart: tuple[Fraction, ...] = ()

    @cached_property
    def error(self) -> Fraction:
        """An upper bound of the error."""
        return max(self._share(self.before[:before], self.after[:after])
                   for before, after in listed_at_places(self.weighting, len(self.before), len(self.after),
                                                         self.positions))

    def _share(self, before: Sequence[Fraction | None], after: Sequence[Fraction | None]) -> Fraction:
        gaps = [(1, gap) for gap in (*before, *after, *self.apart) if gap is not None]
        gaps += [(self.positions, gap) for gap in self.beyond]
        return share_of_others(self.weighting, gaps, BITS)


def listed_at_places(weighting: Weighting, before: int, after: int, positions: int) -> list[tuple[int, int]]:
    """Return the numbers of listed gaps before and after the pivot, for each place of it; dominated ones are left out.

    If the weighting is not sparse, all listed gaps are taken at once.

    >>> listed_at_places(Weighting.SPARSEMAX, 1, 1, 2), listed_at_places(Weighting.SPARSEMAX, 1, 1, 3)
    ([(0, 1), (1, 0)], [(1, 1)])
    """
    if not weighting.is_sparse or before + after < positions:
        return [(before, after)]
    places = range(max(1, positions - after), min(positions, before + 1) + 1)
    return [(place - 1, positions - place) for place in places]


class Windows:
    """The scores from which the windows of a head's groups are computed, for one truth of the target."""

    def __init__(self, reading: HeadReading, memory: PivotMemory, truth: bool):
        """Find the kinds of positions to which the claim does not apply."""
        self._reading, self._memory, self._truth = reading, memory, truth
        self.unfit = {kind for kind, offered in enumerate(reading.offered) if self._is_unfit(offered)}

    def _is_unfit(self, offered: Offered) -> bool:
        """Return whether the claim does not apply to groups that read positions of this kind."""
        values = [(letter.effect, offered.base_value + letter.value) for letter in offered.letters]
        pivot = self._memory.pivots[self._truth]
        return any((effect == pivot and value != self._truth) or (effect == KEEPS and value and not self._truth)
                   for effect, value in values)

    def line(self, group: RowGroup) -> _Line | None:
        """Return the scores from which the window of a group is computed; None if the claim does not apply to it."""
        order = self._reading.order(group)
        all_kinds = self._reading.positions(group.n).kinds
        kinds = [all_kinds[j - 1] for j in order]
        if not self.unfit.isdisjoint(kinds):
            return None
        if self._memory is PivotMemory.FLEETING and order[0] in group.rows:
            return None  # nothing was remembered there
        return self._line(group, order, kinds)

    def _line(self, group: RowGroup, order: range, kinds: Sequence[int]) -> _Line:
        scores = self._reading.scores(group)
        base = [scores.base[j - 1] for j in order]
        adds = {kind: self._adds(self._reading.offered[kind], scores.adds[kind]) for kind in set(kinds)}
        widest = max(map(abs, (x for each in adds.values() for x in each if x is not None)), default=0)
        nowhere = 4 * (max(map(abs, base)) + widest + FAINT * scores.unit)
        missing = (2 * nowhere, -2 * nowhere, -2 * nowhere)
        filled = {kind: [none if x is None else x for x, none in zip(each, missing, strict=True)]
                  for kind, each in adds.items()}
        pivots, bad, after = ([x + filled[kind][which] for x, kind in zip(base, kinds, strict=True)]
                              for which in range(3))
        if self._memory is PivotMemory.FLEETING:
            rows = frozenset(group.rows)
            pivots = [x if j in rows else 2 * nowhere for x, j in zip(pivots, order[1:], strict=False)] + [2 * nowhere]
        return _Line(scores.unit, nowhere, pivots, bad, after)

    def _adds(self, offered: Offered, adds: Sequence[int]) -> tuple[int | None, int | None, int | None]:
        """Return the least term of a pivot in a score, the greatest of a bad letter, of one after a pivot; or None."""
        letters = list(zip(offered.letters, adds, strict=True))
        bad = [(letter.effect, x) for letter, x in letters if offered.base_value + letter.value != self._truth]
        pivots = [x for letter, x in letters if letter.effect == self._memory.pivots[self._truth]]
        following = [x for effect, x in bad if effect == KEEPS or self._memory is PivotMemory.FLEETING]
        return min(pivots, default=None), max((x for _, x in bad), default=None), max(following, default=None)


Found = dict[Hashable, dict[bool, "Window | None"]]


@lru_cache(maxsize=16)
def _found_before(*_problem: object) -> Found:
    """Return the cache of windows of a head whose rows are the same problem for every n; callers add to it."""
    return {}


class AllWindows:
    """The windows of an obligation, each computed once."""

    def __init__(self, obligation: AttentionObligation):
        """Prepare the windows; if the target is neither of the two kinds, no group has one."""
        self._reading = obligation.reading
        self.weighting = obligation.head.weighting
        self.memory = memory_of(obligation.reading.offered)
        self._finders = {truth: Windows(obligation.reading, self.memory, truth)
                         for truth in (False, True) if self.memory}
        self._is_free = obligation.reading.is_free_of_length
        self._windows = (_found_before(self.weighting, *obligation.reading.problem()[1:]) if self._is_free else Found())

    def find(self, group: RowGroup, truth: bool) -> Window | None:
        """Find the window of a group; None if it has none."""
        key = (group.query, group.rows) if self._is_free else group
        if key not in self._windows:  # both truths at once, as they share scores, and often the window
            lines = {truth: finder.line(group) for truth, finder in self._finders.items()}
            equal = not self.weighting.row.extra and lines.get(False) == lines.get(True)
            found = {each: self._window(line, each) for each, line in lines.items() if line and not (each and equal)}
            self._windows[key] = {each: found.get(each, found.get(False)) if line else None
                                  for each, line in lines.items()}
        return self._windows[key].get(truth)

    def _window(self, line: _Line, truth: bool) -> Window:
        assert self.memory
        before, after = line.gaps(self.memory, WEIGHS_NOTHING_FROM.get(self.weighting))
        beyond = tuple(rest for _, rest in (before, after) if rest is not None)
        has_pivots = min(line.pivots) < line.nowhere
        apart = (Fraction(-min(line.pivots), line.unit),) * self.weighting.row.extra if truth and has_pivots else ()
        return Window(self.weighting, before[0], after[0], beyond, len(line.pivots), has_pivots, apart)

    def values_by_context(self, truth: bool) -> dict[tuple[bool, ...], list[set[Fraction]]]:
        """Return the values of each letter by the truths of the predicates, at positions to which the claim applies."""
        found: dict[tuple[bool, ...], list[set[Fraction]]] = {}
        for (context, base_value), kind in self._reading.kinds.items():
            if kind not in self._finders[truth].unfit:
                letters = self._reading.offered[kind].letters
                values = found.setdefault(context, [set() for _ in letters])
                for letter, those in zip(letters, values, strict=True):
                    those.add(base_value + letter.value)
        return found

    def has_no_word(self, group: RowGroup, truth: bool) -> bool:
        """Return whether the window of a group proves that the target never has this truth at its rows."""
        window = self.find(group, truth)
        return window is not None and not window.has_pivots and (truth or self.memory is PivotMemory.FLEETING)

    def greatest_error(self, group: RowGroup) -> Fraction:
        """Return the bound of the error by the windows of a group, for both truths of the target; 1 without them."""
        found = [self.find(group, truth) for truth in (False, True)]
        return max(Fraction(1) if window is None else window.error for window in found)

    def bounds_error(self, group: RowGroup, truth: bool, bound: Fraction) -> bool:
        """Return whether the window of a group proves that no row errs by more than ``bound``."""
        window = self.find(group, truth)
        return window is not None and window.error <= bound


@dataclass(frozen=True)
class _Line:
    """Scores in reading order, over ``unit``: the least of a pivot, the greatest of a bad letter before it, and after.

    Exactly the gaps of absent letters are at most -``nowhere``.
    """

    unit: int
    nowhere: int
    pivots: list[int]
    bad: list[int]
    after: list[int]

    def gaps(self, memory: PivotMemory, nothing_from: Fraction | None = None) -> tuple[_Gaps, _Gaps]:
        """Return the greatest gap at each distance before a pivot, and at each distance after it.

        ``nothing_from`` is the greatest gap of weight 0, if there is one.
        """
        earlier = list(accumulate(self.bad, max))
        follower = self._greatest(self.after[::-1], self.pivots[::-1], 1)
        if memory is PivotMemory.FLEETING:  # the row is the next position after the pivot
            least = self._least(nothing_from, self._greatest(earlier, self.pivots, 1), follower)
            return self._side(self.bad, earlier, self.pivots, least), (self._shown([follower]), None)
        later = list(accumulate(reversed(self.after), max))
        least = self._least(nothing_from, self._greatest(earlier, self.pivots, 1),
                            self._greatest(later, self.pivots[::-1], 1))
        return (self._side(self.bad, earlier, self.pivots, least),
                self._side(self.after[::-1], later, self.pivots[::-1], least))

    def _least(self, nothing_from: Fraction | None, *greatest: int) -> int:
        """Return the greatest gap that is not listed."""
        if nothing_from is not None:
            return max(int(nothing_from) * self.unit, -self.nowhere)
        return max(max(greatest) - CUT * self.unit, -FAINT * self.unit, -self.nowhere)

    def _side(self, bad: list[int], nearer: list[int], pivots: list[int], least: int) -> _Gaps:
        """Return the listed gaps, and a bound of the others, if any; ``nearer`` has running maxima."""
        gaps = list[int]()
        for distance in range(1, len(pivots)):
            gap = self._greatest(bad, pivots, distance)
            is_far = gap <= least and (not gaps or gaps[-1] <= least)  # positions of one parity may be far, others not
            if is_far and (beyond := self._greatest(nearer, pivots, distance)) <= least:
                return self._shown(gaps), self._fraction(beyond)
            gaps.append(gap)
        return self._shown(gaps), None

    def _greatest(self, bad: list[int], pivots: list[int], distance: int) -> int:
        """Return the greatest gap at this distance before a pivot."""
        return max(map(sub, bad, pivots[distance:]), default=-self.nowhere)

    def _shown(self, gaps: Sequence[int]) -> tuple[Fraction | None, ...]:
        return tuple(map(self._fraction, gaps))

    def _fraction(self, gap: int) -> Fraction | None:
        return None if gap <= -self.nowhere else Fraction(gap, self.unit)


_Gaps = tuple[tuple[Fraction | None, ...], Fraction | None]
