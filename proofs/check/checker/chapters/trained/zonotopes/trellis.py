"""Proof that a graph of classes covers all words: every word follows one path, whose nodes have its tokens.

The tokens of an input are *columns*: the tokens of ``before``, one node each, then the levels 1, 2, ... of the graph. A
node of a column has a token, and the nodes of the column before from which it is reached; none in the first column.
docs/reference/trained.md, section 4, Graph and Rows of a node.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import NamedTuple

from ....kernel.budget import ENTRY_BITS, Budget
from ....kernel.verdicts import expect, require
from ...word_semantics.tracker import Tracker, TrackerState
from ..reading.cover import Graph
from ..reading.words_claim import TrainedClaim

GraphNode = tuple[int, int]
"""A column, and the index in it."""


class GraphColumns(NamedTuple):
    """Tokens and predecessors of each node of a column; and the cases that hold in a state of each node of a level."""

    tokens: list[list[int]]
    previous: list[list[tuple[int, ...]]]
    cases: list[list[frozenset[int]]]


class LevelNodes(NamedTuple):
    """The nodes of a level: tokens of the edges into them, predecessors, tracker states."""

    tokens: list[int]
    previous: list[tuple[int, ...]]
    states: list[set[TrackerState]]


def follow(budget: Budget, graph: Graph, claim: TrainedClaim, tracker: Tracker, n: int | None,
           levels: int) -> GraphColumns:
    """Return the columns of the levels 0 ... levels of a graph; n is its length, or None if it is by place.

    Raises:
        Malformed: if levels are missing, or a node has another number of successors, or one that does not exist.
        Rejected: if edges of different letters lead to a node, or none does.
    """
    expect(len(graph) > levels if n is None else len(graph) == levels + 1, "graph: {} levels, expected {}", len(graph),
           levels + 1)
    expect(len(graph[0]) == 1, "graph: level 0 has {} nodes, expected 1", len(graph[0]))
    reached = LevelNodes([], [], [{tracker.start()}])
    tokens = [[token] for token in claim.before]
    previous: list[list[tuple[int, ...]]] = [[(0,) if p else ()] for p in range(len(claim.before))]
    cases, held = [cases_of(reached)], 0
    for level in range(levels):
        if n is None or level < n:
            reached = follow_level(budget, graph, claim.tokens, level, reached, partial(tracker.step, i=level + 1))
        else:  # one token of ``after``, which changes no state
            token = claim.after[level - n]
            reached = follow_level(budget, graph, [token], level, reached, lambda state, _: state)
        budget.release(held)
        held = ENTRY_BITS * sum(map(len, reached.states))
        budget.hold(held)
        tokens.append(reached.tokens)
        previous.append(reached.previous if previous else [()] * len(reached.tokens))
        cases.append(cases_of(reached))
    budget.release(held)
    expect(n is None or not any(graph[levels]), "graph: a node of the last level has successors")
    return GraphColumns(tokens, previous, cases)


def cases_of(reached: LevelNodes) -> list[frozenset[int]]:
    """Return, for each node, the cases that hold in one of its states."""
    return [frozenset(case for state in states for case in state.cases) for states in reached.states]


def follow_level(budget: Budget, graph: Graph, tokens: Sequence[int], level: int, reached: LevelNodes,
                 step: Callable[[TrackerState, int], TrackerState]) -> LevelNodes:
    """Return the next level, entered by letters with these tokens; ``step`` is the transition of a state.

    Raises:
        Malformed: if a node has another number of successors, or one that does not exist.
        Rejected: if edges of different letters lead to a node, or none does.
    """
    size = len(graph[level + 1])
    letters: list[int | None] = [None] * size
    previous: list[dict[int, None]] = [{} for _ in range(size)]
    states: list[set[TrackerState]] = [set() for _ in range(size)]
    for index, successors in enumerate(graph[level]):
        budget.spend(1 + len(tokens))
        expect(len(successors) == len(tokens), "graph: {} successors of a node of level {}, expected {}",
               len(successors), level, len(tokens))
        expect(max(successors) < size, "graph: a successor of a node of level {} is not there", level)
        for letter, target in enumerate(successors):
            require(letters[target] in (None, letter), "graph: edges of different letters lead to a node of level {}",
                    level + 1)
            letters[target] = letter
            previous[target][index] = None
            states[target] |= {step(state, letter) for state in reached.states[index]}
    budget.spend(1 + sum(map(len, states)))
    require(None not in letters, "graph: no edge leads to a node of level {}", level + 1)
    return LevelNodes([tokens[letter] for letter in letters if letter is not None], list(map(tuple, previous)), states)


def ancestors(columns: GraphColumns, nodes: Iterable[GraphNode]) -> list[set[int]]:
    """Return, for each column, the nodes from which one of these is reached, they themselves among them."""
    found: list[set[int]] = [set() for _ in columns.tokens]
    for column, index in nodes:
        found[column].add(index)
    for column in range(len(found) - 1, 0, -1):
        for index in found[column]:
            found[column - 1].update(columns.previous[column][index])
    return found


def on_paths(columns: GraphColumns, nodes: Collection[GraphNode]) -> list[set[int]]:
    """Return, for each column, the nodes on a path from the first to the last one through one of these."""
    found, reached = ancestors(columns, nodes), [set[int]() for _ in columns.tokens]
    for column, index in nodes:
        reached[column].add(index)
    for column, previous in enumerate(columns.previous[1:], 1):
        reached[column].update(index for index, one in enumerate(previous) if not reached[column - 1].isdisjoint(one))
    return [one | other for one, other in zip(found, reached, strict=True)]


def in_order(nodes: Iterable[set[int]]) -> list[GraphNode]:
    """Return the nodes column by column, by index."""
    return [(column, index) for column, indices in enumerate(nodes) for index in sorted(indices)]
