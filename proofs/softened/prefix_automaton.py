"""What all words hold in each layer, where every head is future-masked: layer by layer, words that are alike as one.

Course      For words with a common prefix of letters, a graph of the vectors that they hold when a layer begins: level
            i has a node for every way to go on after i positions, a node for each next letter the vector there and the
            node after it. Every word is a path.
Claim       ``run_layer`` finds the course of the next layer, and takes every step that some word takes, and no other.
Method      What comes out at a position depends on the vector there and on what the heads have seen, so it is found
            once for each node and what is seen on coming there. Nodes from which the same comes out are then one.
Contenders  Which queries may come at each position is known from the course. Of what a hard head has seen only what has
            the greatest score for a query that may come here or later is kept: anything else loses to something that
            remains visible, and never wins.
"""

from __future__ import annotations

from collections.abc import Sequence

from proofs.softened.heads import Seen
from proofs.softened.layers import LayerRun

MAX_STATES = 200_000
"""How many nodes with what was seen a layer may have; a state takes about 1 kB."""
LEAST_ROOM, ROOM_PER_WORD = 1_000_000, 100
"""So many scores are compared, or moves made, for a layer: less than its words take one by one."""
Steps = tuple[tuple[int, int], ...]
"""For each letter, in order: the id of the vector, and the node of the next level."""
Course = list[list[Steps]]
"""For each number of positions the nodes after them; the last level has one node without steps."""
State = tuple[int, tuple[Seen, ...]]
"""A node, and what each head has seen on the way there, as far as it matters."""


class TooManyStates(Exception):
    """Words have too little in common to be run together."""


def number_of_words(course: Course) -> int:
    """How many paths there are."""
    numbers = [1]
    for level in reversed(course[:-1]):
        numbers = [sum([numbers[after] for _, after in steps]) for steps in level]
    return sum(numbers)


def expect_room(needed: int, course: Course) -> None:
    """Raise TooManyStates if so much is more than the words of a course are worth."""
    if needed > LEAST_ROOM + ROOM_PER_WORD * number_of_words(course):
        raise TooManyStates


def first_course(starts: Sequence[Sequence[int]], prefix: Sequence[int]) -> Course:
    """Return the course of the words with a prefix, from the initial vectors: at each position one for each letter."""
    letters = [prefix[i : i + 1] or range(len(at)) for i, at in enumerate(starts)]
    return [[tuple([(at[x], 0) for x in chosen])] for at, chosen in zip(starts, letters, strict=True)] + [[()]]


def queries_to_come(layer: LayerRun, place: int, course: Course) -> tuple[list[int], list[int]]:
    """The queries of a head, last ones first, and how many of them may come at each position or later; 0 at the end."""
    queries: dict[int, None] = {}
    numbers = [0]
    for level in reversed(course[:-1]):
        queries |= dict.fromkeys([layer.read[vector][place][0] for steps in level for vector, _ in steps])
        numbers.append(len(queries))
    return list(queries), numbers[::-1]


def run_layer(layer: LayerRun, course: Course) -> Course:
    """Return the course when the next layer begins.

    Raises:
        Tied: if a hard head ties.
        TooManyStates: if words have too little in common.
    """
    views = [_View(layer, place, course) for place in range(len(layer.heads))]
    start: State = 0, ((),) * len(views)
    reached: list[dict[State, list[tuple[int, State]]]] = [{start: []}]
    number = 0
    for level in course[:-1]:
        following: dict[State, list[tuple[int, State]]] = {}
        for (node, histories), out in reached[-1].items():
            for vector, after in level[node]:
                vector_after, grown = _step(layer, views, vector, histories)
                following.setdefault((after, grown), [])
                out.append((vector_after, (after, grown)))
        number += len(following)
        expect_room(number * sum(view.number_of_queries for view in views), course)
        if number > MAX_STATES:
            raise TooManyStates
        for view in views:
            view.advance()
        reached.append(following)
    return _merged(reached)


def _step(layer: LayerRun, views: Sequence[_View], vector: int,
          histories: tuple[Seen, ...]) -> tuple[int, tuple[Seen, ...]]:
    """Return the vector after the layer, and what the heads have seen then."""
    grown, step = [], [vector]
    for view, history, (query, seen) in zip(views, histories, layer.read[vector], strict=True):
        visible, history_after = view.see(history, seen)
        step.append(view.head.outcome(query, visible))
        grown.append(history_after)
    return layer.steps[tuple(step)], tuple(grown)


class _View:
    """What a head sees on the way from one level to the next."""

    def __init__(self, layer: LayerRun, place: int, course: Course):
        self.head = layer.heads[place]
        queries, self._numbers = queries_to_come(layer, place, course)
        seen = {layer.read[vector][place][1] for level in course for steps in level for vector, _ in steps}
        self.number_of_queries = len(queries)
        expect_room(len(queries) * len(seen), course)
        self.head.expect(queries, sorted(seen))
        self._i = 0
        self._known: dict[tuple[Seen, int], tuple[Seen, Seen]] = {}

    def see(self, history: Seen, seen: int) -> tuple[Seen, Seen]:
        """With what is seen here, as it matters here, and as it matters later."""
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


def _merged(reached: Sequence[dict[State, list[tuple[int, State]]]]) -> Course:
    """Return the course of what comes out: states from which the same comes out are one node."""
    course: Course = []
    nodes: dict[State, int] = {}
    for states in reversed(reached):
        places: dict[Steps, int] = {}
        nodes = {state: places.setdefault(tuple([(vector, nodes[after]) for vector, after in out]), len(places))
                 for state, out in states.items()}
        course.append(list(places))
    return course[::-1]
