"""All words in which a query has a winner, as winning paths through a prefix automaton.

Path        A winning path goes through the automaton (prefix_automaton.py) before a head's layer up to a position with
            the query; it contains the winner, and no greater score. These are the prefixes of the words in which the
            query has this winner, alone or with others. All positions except the first one of the winner are rivals.
Claim       Every result is exact over all winning paths. Proof. A transition is kept iff a winning path takes it: it is
            reachable from the start, and a query is reachable from it. Greatest sums along paths, their first words,
            and their multisets of rivals are computed by dynamic programming over transitions.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import chain
from operator import add

from proofs.softened.prefix_automaton import PrefixAutomaton

Place = tuple[int, bool]
"""A node, and whether the path contains the winner."""
Letters = tuple[int, ...]
BEGIN: Place = 0, False


@dataclass(frozen=True, slots=True)
class Transition:
    """A transition to the next level by a rival or the winner (None), with the first letter that has it."""

    before: Place
    rival: int | None
    after: Place
    letter: int


class HeadSteps:
    """The steps of an automaton as a head reads them: ids of the query, and of the key and values (``read``)."""

    def __init__(self, automaton: PrefixAutomaton, read: Sequence[Sequence[Sequence[tuple[int, int]]]],
                 prefix: Sequence[int]):
        self.moves: list[list[tuple[int, int, int, int]]] = []
        self.query_steps: dict[int, list[tuple[int, int, int, int]]] = {}
        for depth, (level, rows) in enumerate(zip(automaton, read, strict=False)):
            moves: dict[tuple[int, int, int], int] = {}
            query_steps: dict[tuple[int, int, int], int] = {}
            for node, (steps, row) in enumerate(zip(level, rows, strict=True)):
                for k, ((_, after), (query, seen)) in enumerate(zip(steps, row, strict=True)):
                    letter = prefix[depth] if depth < len(prefix) else k
                    moves.setdefault((node, seen, after), letter)
                    query_steps.setdefault((query, node, seen), letter)
            self.moves.append([(*move, letter) for move, letter in moves.items()])
            for (query, node, seen), letter in query_steps.items():
                self.query_steps.setdefault(query, []).append((depth, node, seen, letter))
        self.seen = sorted({seen for level in self.moves for _, seen, _, _ in level})

    @property
    def number_of_moves(self) -> int:
        """The number of different moves."""
        return sum(map(len, self.moves))


class WinningPaths:
    """The winning paths of a query and winner; ``below`` has the winner, and all keys and values of no higher score."""

    def __init__(self, head_steps: HeadSteps, query: int, winner: int, below: Set[int]):
        ends: list[list[tuple[Place, int | None, int]]] = [[] for _ in head_steps.moves]
        for depth, node, seen, letter in head_steps.query_steps[query]:
            if seen == winner:
                ends[depth].append(((node, False), None, letter))
            if seen in below:
                ends[depth].append(((node, True), seen, letter))
        self._steps = _reached(_open(head_steps, ends, winner, below))
        reached = [{BEGIN}, *({step.after for step in steps} for steps in self._steps)]
        self._ends = [[end for end in some if end[0] in places] for some, places in zip(ends, reached, strict=False)]
        passed = chain((step.rival for steps in self._steps for step in steps),
                       (rival for some in self._ends for _, rival, _ in some))
        self.used = sorted({rival for rival in passed if rival is not None})

    def profiles(self, rivals: Mapping[int, int], most: int) -> set[tuple[int, ...]] | None:
        """Return the multisets of rivals, by their ids, on all paths; None if they are more than ``most``.

        Different multisets at one place remain different when one rival is added to both, so their number cannot fall.
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
        """Return, for each of ``width`` columns, the greatest sum of the weights of rivals along a path, at least 0."""
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

    def first(self, chosen: set[int], n: int) -> tuple[Letters, int] | None:
        """Return the first word of length n, and its first position, at the end of a path with one of these rivals."""
        found: list[tuple[Letters, int]] = []
        here: dict[tuple[Place, bool], Letters] = {(BEGIN, False): ()}
        for depth, ends in enumerate(self._ends):
            found.extend(((*here[before, hit], letter, *(0,) * (n - depth - 1)), depth + 1)
                         for before, rival, letter in ends for hit in (False, True)
                         if (before, hit) in here and (hit or rival in chosen))
            following: dict[tuple[Place, bool], Letters] = {}
            for step in self._steps[depth]:
                for hit in (False, True):
                    if (step.before, hit) in here:
                        word, after = (*here[step.before, hit], step.letter), (step.after, hit or step.rival in chosen)
                        following[after] = min(word, following.get(after, word))
            here = following
        return min(found, default=None)


def _with(some: tuple[int, ...], ids: Mapping[int, int], rival: int | None) -> tuple[int, ...]:
    """Return a multiset of ids with the id of a rival added; unchanged for the winner (None)."""
    return some if rival is None else tuple(sorted((*some, ids[rival])))


def _open(head_steps: HeadSteps, ends: Sequence[Sequence[tuple[Place, int | None, int]]], winner: int,
          below: Set[int]) -> list[list[Transition]]:
    """Return, for each level, the transitions from which a query is reachable."""
    found: list[list[Transition]] = []
    open_after: set[Place] = set()
    for moves, some in zip(reversed(head_steps.moves), reversed(ends), strict=True):
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
    """Return, for each level, the transitions that are reachable from the start."""
    found: list[list[Transition]] = []
    here = {BEGIN}
    for steps in levels:
        found.append([step for step in steps if step.before in here])
        here = {step.after for step in found[-1]}
    return found
