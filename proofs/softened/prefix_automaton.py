"""Prefix automata of the vectors of all words in each layer, where every head is future-masked.

Automaton   For words with a common prefix, an acyclic automaton of their vectors before a layer: level i has the nodes
            after i positions. A node has for each next letter the vector there and the next node. Every word is a path.
Claim       ``run_layer`` builds the automaton of the next layer, and takes exactly the steps that some word takes.
Method      The output at a position depends on the vector there and on the histories of the heads, so it is computed
            once for each node and its histories. Nodes with equal outputs on all paths are then merged.
Contenders  The automaton determines the queries that may come at each position. The history of a hard head keeps only
            the keys and values with the greatest score for a query that may come here or later: all others lose to
            something that remains visible.
"""

from __future__ import annotations

from collections.abc import Sequence

from proofs.softened.heads import Seen
from proofs.softened.layers import LayerRun

MAX_STATES = 200_000
"""The limit of nodes with histories in a layer; a state takes about 1 kB."""
LEAST_ROOM, ROOM_PER_WORD = 1_000_000, 100
"""The limit of scores and steps of a layer: less than its words need one by one."""
Steps = tuple[tuple[int, int], ...]
"""For each letter, in order: the id of the vector, and the node of the next level."""
PrefixAutomaton = list[list[Steps]]
"""The nodes by level; the last level has one node without steps."""
State = tuple[int, tuple[Seen, ...]]
"""A node, and the relevant history of each head there."""


class TooManyStates(Exception):
    """Words have too many different prefixes to be run together."""


def number_of_words(automaton: PrefixAutomaton) -> int:
    """Return the number of paths."""
    numbers = [1]
    for level in reversed(automaton[:-1]):
        numbers = [sum([numbers[after] for _, after in steps]) for steps in level]
    return sum(numbers)


def expect_room(needed: int, automaton: PrefixAutomaton) -> None:
    """Raise TooManyStates if the needed work exceeds the work of the words one by one."""
    if needed > LEAST_ROOM + ROOM_PER_WORD * number_of_words(automaton):
        raise TooManyStates


def first_automaton(starts: Sequence[Sequence[int]], prefix: Sequence[int]) -> PrefixAutomaton:
    """Build the automaton of the words with a prefix, from the initial vectors by position and letter."""
    letters = [prefix[i : i + 1] or range(len(at)) for i, at in enumerate(starts)]
    return [[tuple([(at[x], 0) for x in chosen])] for at, chosen in zip(starts, letters, strict=True)] + [[()]]


def expected_queries(layer: LayerRun, place: int, automaton: PrefixAutomaton) -> tuple[list[int], list[int]]:
    """Return the queries of a head, last ones first, and the number that may come at each position or later."""
    queries: dict[int, None] = {}
    numbers = [0]
    for level in reversed(automaton[:-1]):
        queries |= dict.fromkeys([layer.read[vector][place][0] for steps in level for vector, _ in steps])
        numbers.append(len(queries))
    return list(queries), numbers[::-1]


def run_layer(layer: LayerRun, automaton: PrefixAutomaton) -> PrefixAutomaton:
    """Return the automaton of the next layer.

    Raises:
        Tied: if a head that does not average ties.
        TooManyStates: if words have too many different prefixes.
    """
    views = [_View(layer, place, automaton) for place in range(len(layer.heads))]
    start: State = 0, ((),) * len(views)
    reached: list[dict[State, list[tuple[int, State]]]] = [{start: []}]
    number = 0
    for level in automaton[:-1]:
        following: dict[State, list[tuple[int, State]]] = {}
        for (node, histories), out in reached[-1].items():
            for vector, after in level[node]:
                vector_after, grown = _step(layer, views, vector, histories)
                following.setdefault((after, grown), [])
                out.append((vector_after, (after, grown)))
        number += len(following)
        expect_room(number * sum(view.number_of_queries for view in views), automaton)
        if number > MAX_STATES:
            raise TooManyStates
        for view in views:
            view.advance()
        reached.append(following)
    return _merged(reached)


def _step(layer: LayerRun, views: Sequence[_View], vector: int,
          histories: tuple[Seen, ...]) -> tuple[int, tuple[Seen, ...]]:
    """Return the vector after the layer, and the next histories of the heads."""
    grown, step = [], [vector]
    for view, history, (query, seen) in zip(views, histories, layer.read[vector], strict=True):
        visible, history_after = view.see(history, seen)
        step.append(view.head.outcome(query, visible))
        grown.append(history_after)
    return layer.steps[tuple(step)], tuple(grown)


class _View:
    """The histories of a head from one level to the next."""

    def __init__(self, layer: LayerRun, place: int, automaton: PrefixAutomaton):
        self.head = layer.heads[place]
        queries, self._numbers = expected_queries(layer, place, automaton)
        seen = {layer.read[vector][place][1] for level in automaton for steps in level for vector, _ in steps}
        self.number_of_queries = len(queries)
        expect_room(len(queries) * len(seen), automaton)
        self.head.expect(queries, sorted(seen))
        self._i = 0
        self._known: dict[tuple[Seen, int], tuple[Seen, Seen]] = {}

    def see(self, history: Seen, seen: int) -> tuple[Seen, Seen]:
        """Extend a history; return its relevant part at this position, and that at later ones."""
        known = self._known.get((history, seen))
        if known is None:
            here, later = self._numbers[self._i : self._i + 2]
            visible = self.head.kept((*history, seen), here)
            known = self._known[history, seen] = visible, visible if here == later else self.head.kept(visible, later)
        return known

    def advance(self) -> None:
        """Go to the next position."""
        self._i += 1
        self._known.clear()


def _merged(reached: Sequence[dict[State, list[tuple[int, State]]]]) -> PrefixAutomaton:
    """Return the automaton of the output: states with equal steps are merged."""
    automaton: PrefixAutomaton = []
    nodes: dict[State, int] = {}
    for states in reversed(reached):
        places: dict[Steps, int] = {}
        nodes = {state: places.setdefault(tuple([(vector, nodes[after]) for vector, after in out]), len(places))
                 for state, out in states.items()}
        automaton.append(list(places))
    return automaton[::-1]
