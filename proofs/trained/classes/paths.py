"""Longest paths: exact ranges of c · z over the words of many classes (docs/background/trained_rules.md, section 5).

The greatest sum over all paths of max(low (V - s), high (V - s)) is convex and decreasing in s; where it is 0, s is the
bound. Newton's method finds it from any start, in a handful of passes over the levels.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proofs.trained.classes.graph import ClassGraph

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

MAX_PASSES = 60
CLOSE = 2**-43  # relative tolerance, far below the room of ranges
LEAST_WEIGHT = 2**-1000


@dataclass(frozen=True)
class PathLevel:
    """The kept nodes of a level; predecessors [most, nodes] are places among those of the level before, padded."""

    nodes: Indices
    letters: Indices
    predecessors: Indices


class Skeleton:
    """The nodes on paths to asked nodes; where a query sees whole words, also those reached from asked nodes."""

    def __init__(self, graph: ClassGraph, asked: Sequence[tuple[int, int]], whole: bool = False) -> None:
        """Keep the nodes; ``asked`` are (level, index in the graph), ascending, at least one."""
        self.graph, self.asked = graph, list(asked)
        self.last = len(graph.levels) - 1 if whole else asked[-1][0]
        kept = self._reaching()
        if whole:
            kept = self._with_reached(kept)
        self.levels: list[PathLevel] = []
        for depth, nodes in enumerate(kept):
            letters = np.asarray(graph.levels[depth].letters, np.intp)[nodes]
            self.levels.append(PathLevel(nodes, letters, self._predecessors(depth, nodes, kept)))

    def _reaching(self) -> list[Indices]:
        reaching: list[Indices] = []
        asked: list[set[int]] = [set() for _ in range(self.last + 1)]
        for depth, node in self.asked:
            asked[depth].add(node)
        after: set[int] = set()
        for depth in range(self.last, -1, -1):
            successors = enumerate(self.graph.levels[depth].successors)
            own = asked[depth] | {node for node, next_nodes in successors if not after.isdisjoint(next_nodes)}
            reaching.append(np.array(sorted(own), np.intp))
            after = own
        return reaching[::-1]

    def _with_reached(self, kept: list[Indices]) -> list[Indices]:
        """Add the nodes that are reached from asked nodes."""
        asked = {*self.asked}
        found, reached = [], set[int]()
        for depth, nodes in enumerate(kept):
            reached |= {node for level, node in asked if level == depth}
            found.append(np.array(sorted({*nodes.tolist()} | reached), np.intp))
            reached = {successor for node in reached for successor in self.graph.levels[depth].successors[node]}
        return found

    def _predecessors(self, depth: int, nodes: Indices, kept: list[Indices]) -> Indices:
        table = self.graph.predecessors[depth][:, nodes]
        if not depth:
            return np.zeros((0, len(nodes)), np.intp)
        is_kept = np.isin(table, kept[depth - 1])
        some = table[is_kept.argmax(axis=0), np.arange(len(nodes))]
        return np.searchsorted(kept[depth - 1], np.where(is_kept, table, some))

    def places(self, queries: Sequence[tuple[int, int]]) -> Indices:
        """Return, for each node (level, index in the graph), its place among the kept nodes of its level."""
        return np.array([np.searchsorted(self.levels[level].nodes, node) for level, node in queries], np.intp)


@dataclass(frozen=True)
class Terms:
    """Terms of the nodes of each level, for queries ordered by level, deepest first; weights are in [low, high].

    ``low`` and ``high`` are [columns, queries] for each level (level 0: the tokens before the word, all of them on
    every path). ``values`` [columns, 1 or queries, directions] are upper bounds of c · value. ``column`` is the
    column of each node. ``alone`` [queries, directions] is an upper bound on paths where all weights are 0, and -∞
    where there is no such path.
    """

    low: list[Array]
    high: list[Array]
    values: list[Array]
    column: list[Indices]
    alone: Array | None = None

    def hull(self) -> tuple[Array, Array]:
        """Return the least and the greatest value of all columns, [1 or queries, directions]."""
        values = [level for level in self.values if len(level)]
        return (np.min([level.min(axis=0) for level in values], axis=0),
                np.max([level.max(axis=0) for level in values], axis=0))  # fmt: skip

    def at(self, level: int, chosen: Indices, s: Array) -> tuple[Array, Array]:
        """Return the terms max(low (V - s), high (V - s)) and their weights, [columns, chosen, directions]."""
        values = self.values[level]
        gaps = (values if values.shape[1] == 1 else values[:, chosen]) - s
        low, high = self.low[level], self.high[level]
        weights = high[:, chosen, np.newaxis]
        if low is high:
            return gaps * weights, weights
        weights = np.where(gaps > 0, weights, low[:, chosen, np.newaxis])
        return gaps * weights, weights


@dataclass(frozen=True)
class Ends:
    """Ends of paths: levels (deepest first), places among the kept nodes, and the query of each.

    With ``through``, levels and places, paths pass there and end anywhere on their level.
    """

    levels: Indices
    places: Indices
    queries: Indices
    through: tuple[Indices, Indices] | None = None

    def only(self, chosen: Indices) -> Ends:
        """Return the ends of these indices."""
        through = self.through and (self.through[0][chosen], self.through[1][chosen])
        return Ends(self.levels[chosen], self.places[chosen], self.queries[chosen], through)

    def masked(self, depth: int, sums: Array) -> Array:
        """Return the sums [nodes, ends, …] at a level, -∞ where paths do not pass."""
        if self.through is None:
            return sums
        levels, places = (one[: sums.shape[1]] for one in self.through)
        missed = (levels == depth) & (np.arange(len(sums))[:, np.newaxis] != places)
        return np.where(missed.reshape(*missed.shape, *[1] * (sums.ndim - 2)), -np.inf, sums)

    def lasts(self, ending: Indices, sums: Array) -> Indices:
        """Return the nodes at which paths end, for the ends on this level: [ends, …] from sums [nodes, ends, …]."""
        if self.through is None:
            places = self.places[ending].reshape(-1, *[1] * (sums.ndim - 2))
            return np.broadcast_to(places, (len(ending), *sums.shape[2:]))
        return np.asarray(sums[:, ending].argmax(axis=0))


def greatest(skeleton: Skeleton, ends: Ends, terms: Terms, start: Array | None = None) -> Array:
    """Return, for each end and direction, the least upper bound s over the words of the class: [ends, directions].

    A ``start`` [ends, directions] is best near it, and below. Where Newton's method does not end in time, the
    result is the greatest value of all nodes, which is sound, too.
    """
    least, most = (np.broadcast_to(hull, (len(ends.levels), hull.shape[1])) for hull in terms.hull())
    s = least.copy() if start is None else np.clip(start, least, most)
    open_ends = np.arange(len(s))
    for _ in range(MAX_PASSES):
        sums, weights = longest(skeleton, ends.only(open_ends), terms, s[open_ends])
        before = s[open_ends]
        s[open_ends] = np.minimum(before + sums / np.maximum(weights, LEAST_WEIGHT), most[open_ends])
        steps = np.abs(s[open_ends] - before)
        moving = ~(steps <= CLOSE * (1 + np.abs(before))).all(axis=1)
        open_ends = open_ends[moving]
        if not len(open_ends):
            break
    s[open_ends] = most[open_ends]
    return s if terms.alone is None else np.maximum(s, terms.alone[ends.queries])


def longest(skeleton: Skeleton, ends: Ends, terms: Terms, s: Array) -> tuple[Array, Array]:
    """Return the greatest sums over all paths to each end and the weights on these paths, [ends, directions]."""
    total, weight = np.empty_like(s), np.empty_like(s)
    added, weights = terms.at(0, ends.queries, s)
    sums = added.sum(axis=0, keepdims=True)
    along = np.broadcast_to(weights, added.shape).sum(axis=0, keepdims=True)
    for depth in range(skeleton.last + 1):
        going = int(np.searchsorted(-ends.levels, -depth, side="right"))
        if depth:
            sums, along = _next_level(skeleton.levels[depth], sums[:, :going], along[:, :going])
            added, weights = terms.at(depth, ends.queries[:going], s[:going])
            column = terms.column[depth]
            sums += added[column]
            along += weights[column]
            sums = ends.masked(depth, sums)
        ending = np.nonzero(ends.levels[:going] == depth)[0]
        chosen = ends.lasts(ending, sums)[np.newaxis]
        for found, kept in ((total, sums), (weight, along)):
            found[ending] = np.take_along_axis(kept[:, ending], chosen, axis=0)[0]
    return total, weight


def _next_level(level: PathLevel, sums: Array, along: Array) -> tuple[Array, Array]:
    """Return the best predecessor's sums and weights for each node."""
    best, weights = sums[level.predecessors[0]], along[level.predecessors[0]]
    for column in level.predecessors[1:]:
        other = sums[column]
        better = other > best
        best = np.maximum(best, other)
        weights = np.where(better, along[column], weights)
    return best, weights


def words(skeleton: Skeleton, ends: Ends, terms: Terms, s: Array) -> list[tuple[int, ...]]:
    """Return, for each end, the nodes (indices in the graph, levels 1 … ) of a longest path; s is [ends, 1]."""
    added, _ = terms.at(0, ends.queries, s)
    sums = added.sum(axis=0)[np.newaxis, :, 0]
    choices: list[Indices] = [np.zeros((1, len(s)), np.intp)]
    for depth in range(1, skeleton.last + 1):
        going = int(np.searchsorted(-ends.levels, -depth, side="right"))
        options = sums[:, :going][skeleton.levels[depth].predecessors]
        choice = options.argmax(axis=0)
        choices.append(skeleton.levels[depth].predecessors[choice, np.arange(options.shape[1])[:, np.newaxis]])
        added, _ = terms.at(depth, ends.queries[:going], s[:going])
        sums = ends.masked(depth, options.max(axis=0) + added[terms.column[depth], :, 0])
    places = ends.places if ends.through is None else ends.lasts(np.arange(len(s)), sums)
    return [_trace_back(skeleton, choices, int(level), int(place), index)
            for index, (level, place) in enumerate(zip(ends.levels, places, strict=True))]


def _trace_back(skeleton: Skeleton, choices: list[Indices], level: int, place: int, index: int) -> tuple[int, ...]:
    nodes = []
    for depth in range(level, 0, -1):
        nodes.append(int(skeleton.levels[depth].nodes[place]))
        place = int(choices[depth][place, index])
    return tuple(reversed(nodes))
