"""All words in which a query meets a winner, as routes through a course: never one by one.

Route       A path through the course (courses.py) of a head's layer up to a position that asks the query, on which the
            winner is read and nothing scores more. These are the prefixes of words where the query meets this winner,
            alone or with others. What they pass beside it are its rivals: all but the first position that reads it.
Claim       Every result is exact over all routes. Proof. A transition is kept if a route takes it: it can be reached
            from the beginning, and a query can be reached from it. The greatest of a sum along routes, the first of
            their words, and the multisets that they collect are found transition by transition, since what follows a
            place does not depend on how it was reached.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain
from operator import add

from proofs.softened.prefix_automaton import Course

Place = tuple[int, bool]
"""A node, and whether the winner was passed."""
Letters = tuple[int, ...]
BEGIN: Place = 0, False


@dataclass(frozen=True, slots=True)
class Transition:
    """From a place to a place of the next level, past a rival or the winner, by the first letter that does so."""

    before: Place
    rival: int | None
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


class WinningPaths:
    """The routes of one query and winner; ``below`` are all keys and values with no higher score, the winner's too."""

    def __init__(self, readings: Readings, query: int, winner: int, below: Set[int]):
        ends: list[list[tuple[Place, int | None, int]]] = [[] for _ in readings.moves]
        for depth, node, seen, letter in readings.asking[query]:
            if seen == winner:
                ends[depth].append(((node, False), None, letter))
            if seen in below:
                ends[depth].append(((node, True), seen, letter))
        self._steps = _reached(_open(readings, ends, winner, below))
        reached = [{BEGIN}, *({step.after for step in steps} for steps in self._steps)]
        self._ends = [[end for end in some if end[0] in places] for some, places in zip(ends, reached, strict=False)]
        passed = chain((step.rival for steps in self._steps for step in steps),
                       (rival for some in self._ends for _, rival, _ in some))
        self.used = sorted({rival for rival in passed if rival is not None})

    def situations(self, rivals: Mapping[int, int], most: int) -> set[tuple[int, ...]] | None:
        """Return the multisets of rivals, by their ids, on all routes; None if they are more than ``most``.

        Different multisets at one place differ still when the same is added to both, so that there are no fewer later.
        """
        found: set[tuple[int, ...]] = set()
        here: dict[Place, set[tuple[int, ...]]] = {BEGIN: {()}}
        for depth, ends in enumerate(self._ends):
            for before, rival, _ in ends:
                found.update([_with(some, rivals, rival) for some in here[before]])
            following: dict[Place, set[tuple[int, ...]]] = {}
            for step in self._steps[depth]:
                following.setdefault(step.after, set()).update(
                    [_with(some, rivals, step.rival) for some in here[step.before]])
            here = following
            if max(map(len, (found, *here.values()))) > most:
                return None
        return found

    def greatest_sums(self, weights: Mapping[int, tuple[int, ...]], width: int) -> tuple[int, ...]:
        """For each of ``width`` columns the greatest sum, along any route, of the weights of rivals, never negative."""
        nothing = (0,) * width
        best, here = nothing, {BEGIN: nothing}
        for depth, ends in enumerate(self._ends):
            for before, rival, _ in ends:
                added = nothing if rival is None else weights.get(rival, nothing)
                best = tuple(map(max, best, map(add, here[before], added)))
            following: dict[Place, tuple[int, ...]] = {}
            for step in self._steps[depth]:
                sums = here[step.before]
                if step.rival is not None and step.rival in weights:
                    sums = tuple(map(add, sums, weights[step.rival]))
                known = following.get(step.after)
                following[step.after] = sums if known is None or known == sums else tuple(map(max, known, sums))
            here = following
        return best

    def first(self, wanted: set[int], n: int) -> tuple[Letters, int] | None:
        """Return the first word of length n, and its first position, at the end of a route past one of these rivals."""
        found: list[tuple[Letters, int]] = []
        here: dict[tuple[Place, bool], Letters] = {(BEGIN, False): ()}
        for depth, ends in enumerate(self._ends):
            found.extend(((*here[before, hit], letter, *(0,) * (n - depth - 1)), depth + 1)
                         for before, rival, letter in ends for hit in (False, True)
                         if (before, hit) in here and (hit or rival in wanted))
            following: dict[tuple[Place, bool], Letters] = {}
            for step in self._steps[depth]:
                for hit in (False, True):
                    if (step.before, hit) in here:
                        word, after = (*here[step.before, hit], step.letter), (step.after, hit or step.rival in wanted)
                        following[after] = min(word, following.get(after, word))
            here = following
        return min(found, default=None)


def _with(some: tuple[int, ...], ids: Mapping[int, int], rival: int | None) -> tuple[int, ...]:
    """Return a multiset of ids with one more, unless it is no rival but the winner."""
    return some if rival is None else tuple(sorted((*some, ids[rival])))


def _open(readings: Readings, ends: Sequence[Sequence[tuple[Place, int | None, int]]], winner: int,
          below: Set[int]) -> list[list[Transition]]:
    """For each level the transitions from which a query can be reached."""
    found: list[list[Transition]] = []
    open_after: set[Place] = set()
    for moves, some in zip(reversed(readings.moves), reversed(ends), strict=True):
        steps = []
        for node, seen, after, letter in moves:
            if seen == winner and (after, True) in open_after:
                steps.append(Transition((node, False), None, (after, True), letter))
            if seen in below:
                steps.extend([Transition((node, won), seen, (after, won), letter) for won in (False, True)
                              if (after, won) in open_after and (won or seen != winner)])
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
