"""All words in which a query meets a winner, as routes through a course: never one by one.

Route       A path through the course (courses.py) of a head's layer up to a position that asks the query, on which the
            winner is read once and everything else scores less. These are the prefixes of words where the query meets
            the winner, no other; what they pass beside the winner are its rivals.
Claim       Every result is exact over all routes. Proof. A transition is kept if a route takes it: it can be reached
            from the beginning, and a query can be reached from it. The greatest of a sum along routes, the first of
            their words, and the multisets that they collect are found transition by transition, since what follows a
            place does not depend on how it was reached.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from operator import add

from proofs.perturbation.courses import Course

Place = tuple[int, bool]
"""A node, and whether the winner was passed."""
Letters = tuple[int, ...]
BEGIN: Place = 0, False


@dataclass(frozen=True, slots=True)
class Transition:
    """From a place to a place of the next level, past what is ``seen`` there, by the first letter that does so."""

    before: Place
    seen: int
    after: Place
    letter: int


class Readings:
    """What a head reads along a course: at each step an id of a query, and of a key and values (``read``)."""

    def __init__(self, course: Course, read: Sequence[Sequence[Sequence[tuple[int, int]]]], prefix: Sequence[int]):
        self.moves: list[list[tuple[int, int, int, int]]] = []
        self.asking: dict[int, list[tuple[int, int, int, int]]] = {}
        for depth, (level, rows) in enumerate(zip(course, read, strict=False)):
            moves: dict[tuple[int, int, int], int] = {}
            asking: dict[tuple[int, int, int], int] = {}
            for node, (steps, row) in enumerate(zip(level, rows, strict=True)):
                for k, ((_, after), (query, seen)) in enumerate(zip(steps, row, strict=True)):
                    letter = prefix[depth] if depth < len(prefix) else k
                    moves.setdefault((node, seen, after), letter)
                    asking.setdefault((query, node, seen), letter)
            self.moves.append([(*move, letter) for move, letter in moves.items()])
            for (query, node, seen), letter in asking.items():
                self.asking.setdefault(query, []).append((depth, node, seen, letter))
        self.seen = sorted({seen for level in self.moves for _, seen, _, _ in level})

    @property
    def number_of_moves(self) -> int:
        """How many different moves there are."""
        return sum(map(len, self.moves))


class Routes:
    """The routes of one query and winner; ``losers`` are all keys and values with a lower score than the winner."""

    def __init__(self, readings: Readings, query: int, winner: int, losers: Set[int]):
        ends: list[list[tuple[Place, int, int]]] = [[] for _ in readings.moves]
        for depth, node, seen, letter in readings.asking[query]:
            if seen == winner or seen in losers:
                ends[depth].append(((node, seen != winner), seen, letter))
        self._steps = _reached(_open(readings, ends, winner, losers))
        reached = [{BEGIN}, *({step.after for step in steps} for steps in self._steps)]
        self._ends = [[end for end in some if end[0] in places] for some, places in zip(ends, reached, strict=False)]
        self.used = sorted({step.seen for steps in self._steps for step in steps}
                           .union(seen for some in self._ends for _, seen, _ in some) - {winner})

    def situations(self, rivals: Mapping[int, int], most: int) -> set[tuple[int, ...]] | None:
        """The multisets of rivals, by their ids, on all routes; None if they are more than ``most``.

        Different multisets at one place differ still when the same is added to both, so that there are no fewer later.
        """
        found: set[tuple[int, ...]] = set()
        here: dict[Place, set[tuple[int, ...]]] = {BEGIN: {()}}
        for depth, ends in enumerate(self._ends):
            for before, seen, _ in ends:
                found.update([_with(some, rivals.get(seen)) for some in here[before]])
            following: dict[Place, set[tuple[int, ...]]] = {}
            for step in self._steps[depth]:
                following.setdefault(step.after, set()).update(
                    [_with(some, rivals.get(step.seen)) for some in here[step.before]])
            here = following
            if max(map(len, (found, *here.values()))) > most:
                return None
        return found

    def greatest_sums(self, weights: Mapping[int, tuple[int, ...]], width: int) -> tuple[int, ...]:
        """For each of ``width`` columns the greatest sum, along any route, of the weights of rivals, never negative."""
        nothing = (0,) * width
        best, here = nothing, {BEGIN: nothing}
        for depth, ends in enumerate(self._ends):
            for before, seen, _ in ends:
                best = tuple(map(max, best, map(add, here[before], weights.get(seen, nothing))))
            following: dict[Place, tuple[int, ...]] = {}
            for step in self._steps[depth]:
                sums = here[step.before]
                if step.seen in weights:
                    sums = tuple(map(add, sums, weights[step.seen]))
                known = following.get(step.after)
                following[step.after] = sums if known is None or known == sums else tuple(map(max, known, sums))
            here = following
        return best

    def first(self, wanted: set[int], n: int) -> tuple[Letters, int] | None:
        """The first word of length n, and its first position, at the end of a route past one of these rivals."""
        found: list[tuple[Letters, int]] = []
        here: dict[tuple[Place, bool], Letters] = {(BEGIN, False): ()}
        for depth, ends in enumerate(self._ends):
            found.extend(((*here[before, hit], letter, *(0,) * (n - depth - 1)), depth + 1)
                         for before, seen, letter in ends for hit in (False, True)
                         if (before, hit) in here and (hit or seen in wanted))
            following: dict[tuple[Place, bool], Letters] = {}
            for step in self._steps[depth]:
                for hit in (False, True):
                    if (step.before, hit) in here:
                        word, after = (*here[step.before, hit], step.letter), (step.after, hit or step.seen in wanted)
                        following[after] = min(word, following.get(after, word))
            here = following
        return min(found, default=None)


def _with(some: tuple[int, ...], rival: int | None) -> tuple[int, ...]:
    """A multiset with one more, unless it is no rival but the winner."""
    return some if rival is None else tuple(sorted((*some, rival)))


def _open(readings: Readings, ends: Sequence[Sequence[tuple[Place, int, int]]], winner: int,
          losers: Set[int]) -> list[list[Transition]]:
    """For each level the transitions from which a query can be reached."""
    found: list[list[Transition]] = []
    open_after: set[Place] = set()
    for moves, some in zip(reversed(readings.moves), reversed(ends), strict=True):
        steps = []
        for node, seen, after, letter in moves:
            if seen == winner:
                if (after, True) in open_after:
                    steps.append(Transition((node, False), seen, (after, True), letter))
            elif seen in losers:
                steps.extend([Transition((node, won), seen, (after, won), letter) for won in (False, True)
                              if (after, won) in open_after])
        found.append(steps)
        open_after = {step.before for step in steps}.union([before for before, _, _ in some])
    return found[::-1]


def _reached(levels: Sequence[Sequence[Transition]]) -> list[list[Transition]]:
    """Of the transitions those that can be reached from the beginning."""
    found: list[list[Transition]] = []
    here = {BEGIN}
    for steps in levels:
        found.append([step for step in steps if step.before in here])
        here = {step.after for step in found[-1]}
    return found
