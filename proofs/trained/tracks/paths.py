"""The greatest output of a head along a direction, over the inputs of a class: longest paths over columns.

For weights w and values v the average is at most T iff the greatest sum of w (v - T) over all inputs is at most 0
(docs/background/tracks_rules.md, section 5). Sums are lines in T. Each step of Newton's method takes the greatest
line. Floats find T here, and the checker proves it in integers.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proofs.trained.tracks.queries import Restricted

Array = NDArray[np.float64]
Indices = NDArray[np.intp]
MOST_ROUNDS = 60
STILL = 10**-13  # relative step at which Newton's method stops
NEVER = -np.inf
AT_ONCE = 1 << 21  # numbers


@dataclass(frozen=True)
class Lines:
    """Σ w v and Σ w of each step, each last state and the fixed places; the greatest line on the last axis counts."""

    values: tuple[Array, ...]
    weights: tuple[Array, ...]
    last_values: Array
    last_weights: Array
    value: Array
    weight: Array


@dataclass(frozen=True)
class VisibleSources:
    """Sources visible to a query: ``fixed``, [step, place] of each column, and [state, place] of last states."""

    fixed: Indices
    columns: tuple[Indices, ...]
    lasts: Indices


def lines(visible: VisibleSources, least: Array, greatest: Array, values: Array) -> Lines:
    """Return the sums for weights between two ends and for values, each by source."""
    columns = [_lines(rows, least, greatest, values) for rows in visible.columns]
    lasts, (value, weight) = (_lines(rows, least, greatest, values) for rows in (visible.lasts, visible.fixed))
    return Lines(tuple(one[0] for one in columns), tuple(one[1] for one in columns), *lasts, value, weight)


def _lines(rows: Indices, least: Array, greatest: Array, values: Array) -> tuple[Array, Array]:
    """Return the lines [..., lines] of which the greatest is the sum of w (v - T), for sources [..., sources]."""
    low, high, value = least[rows], greatest[rows], values[rows]
    if (low == high).all():
        return (low * value).sum(axis=-1)[..., np.newaxis], low.sum(axis=-1)[..., np.newaxis]
    order = np.argsort(-value, axis=-1)
    low, high, value = (np.take_along_axis(one, order, -1) for one in (low, high, value))
    found = []
    for first, second in ((low * value, high * value), (low, high)):
        more = np.cumsum(second - first, axis=-1)
        more = np.concatenate([np.zeros((*more.shape[:-1], 1)), more], axis=-1)
        found.append(first.sum(axis=-1)[..., np.newaxis] + more)
    return found[0], found[1]


class Edges:
    """Lines of a column that may be greatest among those from one state to another; ``steps`` has the step of each."""

    def __init__(self, source: Indices, target: Indices, values: Array, weights: Array, steps: Indices) -> None:
        self.source, self.target, self.values, self.weights, self.steps = source, target, values, weights, steps
        self._orders = [_Order(target), _Order(source)]

    def advance(self, values: Array, weights: Array, tops: Array, forward: bool) -> tuple[Array, Array]:
        """Return the greatest sums [states, classes] one column further, and their weights."""
        new, new_weights = np.full_like(values, NEVER), np.ones_like(values)
        size = max(1, AT_ONCE // max(1, len(self.steps)))
        for first in range(0, len(tops) if len(self.steps) else 0, size):
            mine = slice(first, first + size)
            self._advance(new[:, mine], new_weights[:, mine], values[:, mine], weights[:, mine], tops[mine], forward)
        return new, new_weights

    def _advance(self, new: Array, new_weights: Array, values: Array, weights: Array, tops: Array, forward: bool
                 ) -> None:
        order = self._orders[0 if forward else 1]
        here = (self.source if forward else self.target)[order.lines]
        sums = self.values[order.lines, np.newaxis] - self.weights[order.lines, np.newaxis] * tops + values[here]
        totals = self.weights[order.lines, np.newaxis] + weights[here]
        if len(order.starts) == len(order.lines):
            new[order.states], new_weights[order.states] = sums, totals
            return
        most = np.maximum.reduceat(sums, order.starts, axis=0)
        totals = np.where(sums == np.repeat(most, order.sizes, axis=0), totals, 0)
        new[order.states], new_weights[order.states] = most, np.maximum.reduceat(totals, order.starts, axis=0)


class _Order:
    """Lines grouped by target state."""

    def __init__(self, states: Indices) -> None:
        self.lines = np.argsort(states, kind="stable")
        self.states, self.starts, self.sizes = np.unique(states[self.lines], return_index=True, return_counts=True)


class Paths:
    """Greatest ratios over the classes of a restricted query."""

    def __init__(self, restricted: Restricted, sums: Lines, least: np.float64, greatest: np.float64) -> None:
        """Prepare paths; ``least`` and ``greatest`` bound all values, and so all ratios."""
        self.restricted, self.sums, self.least, self.greatest = restricted, sums, least, greatest
        columns = restricted.query.columns
        self.states, self.start = columns.states, columns.claim.machine.start
        by = restricted.query.by
        self.length = len(columns.source)
        self.column = self.length if by is None else by
        self.edges = {column: self._edges(column) for column in range(self.length) if column != self.column}

    def _edges(self, column: int) -> Edges:
        columns, sums = self.restricted.query.columns, self.sums
        kept = np.flatnonzero(self.restricted.kept[column])
        key = columns.source[column][kept] * self.states + columns.target[column][kept]
        values, weights = sums.values[column][kept].ravel(), sums.weights[column][kept].ravel()
        several = sums.values[column].shape[1]
        kept, key = np.repeat(kept, several), np.repeat(key, several)
        low, high = values - self.least * weights, values - self.greatest * weights
        order = np.lexsort((-high, -low, key))
        starts = np.flatnonzero(np.concatenate([[True], np.diff(key[order]) > 0])) if len(order) else order
        chosen = np.ones(len(order), np.bool_)
        for first, end in zip(starts, [*starts[1:], len(order)], strict=True) if len(starts) < len(order) else ():
            best = np.maximum.accumulate(high[order[first:end]])
            chosen[first + 1:end] = best[1:] > best[:-1]
        those = order[chosen]
        source, target = np.divmod(key[those], self.states)
        return Edges(source, target, values[those], weights[those], kept[those])

    def greatest_ratios(self, members: Indices) -> tuple[Array, Array]:
        """Return, for some classes, the greatest ratios, and the sums of weights there."""
        top = np.full(len(members), self.least)
        weight = np.ones(len(members))
        open_ones = np.arange(len(members))
        for _ in range(MOST_ROUNDS):
            value, weight[open_ones] = self.best(members[open_ones], top[open_ones])
            with np.errstate(divide="ignore", invalid="ignore"):
                new = np.nan_to_num(top[open_ones] + value / weight[open_ones], nan=self.least, posinf=self.greatest)
            moved = new > top[open_ones] + STILL * (1 + np.abs(new))
            top[open_ones] = np.maximum(new, top[open_ones])
            open_ones = open_ones[moved]
            if not len(open_ones):
                break
        return top, weight

    def best(self, members: Indices, tops: Array) -> tuple[Array, Array]:
        """Return, for each class, the greatest Σ w (v - T), for its T, and Σ w there."""
        before, after = self._forward(tops), self._backward(tops)
        columns, sums = self.restricted.query.columns, self.sums
        each = np.arange(len(members))
        if self.column == self.length:
            own, own_weight = _most(sums.last_values[members], sums.last_weights[members], tops)
            return before[0][members, each] + own, before[1][members, each] + own_weight
        source, target = columns.source[self.column][members], columns.target[self.column][members]
        own, own_weight = _most(sums.values[self.column][members], sums.weights[self.column][members], tops)
        return (before[0][source, each] + own + after[0][target, each],
                before[1][source, each] + own_weight + after[1][target, each])

    def _forward(self, tops: Array) -> tuple[Array, Array]:
        values = np.full((self.states, len(tops)), NEVER)
        weights = np.ones((self.states, len(tops)))
        values[self.start], weights[self.start] = _most(self.sums.value, self.sums.weight, tops)
        for column in range(self.column):
            values, weights = self.edges[column].advance(values, weights, tops, forward=True)
        return values, weights

    def _backward(self, tops: Array) -> tuple[Array, Array]:
        values, weights = _most(self.sums.last_values[:, np.newaxis], self.sums.last_weights[:, np.newaxis], tops)
        values = np.where(self.restricted.lasts[:, np.newaxis], values, NEVER)
        for column in reversed(range(self.column + 1, self.length)):
            values, weights = self.edges[column].advance(values, weights, tops, forward=False)
        return values, weights

    def input(self, member: int, top: np.float64) -> tuple[int, ...]:
        """Return the columns (indices of letters) of an input of the class with the greatest sum for T."""
        columns = self.restricted.query.columns
        lasts = self.restricted.lasts & (np.arange(self.states) == member) if self.column == self.length else (
            self.restricted.lasts)
        ahead = [np.where(lasts, (self.sums.last_values - self.sums.last_weights * top).max(axis=-1), NEVER)]
        for column in reversed(range(self.length)):
            values = np.full(self.states, NEVER)
            for step, value in self._steps(column, member, top):
                source, target = columns.source[column][step], columns.target[column][step]
                values[source] = max(values[source], value + ahead[0][target])
            ahead.insert(0, values)
        state, chosen = self.start, list[int]()
        for column in range(self.length):
            step = max((value + ahead[column + 1][columns.target[column][step]], step)
                       for step, value in self._steps(column, member, top) if columns.source[column][step] == state)[1]
            chosen.append(int(columns.letters[column][step]))
            state = int(columns.target[column][step])
        return tuple(chosen)

    def _steps(self, column: int, member: int, top: np.float64) -> list[tuple[int, np.float64]]:
        """Return the steps that may be greatest, and their sums; in the answer's column that of the class."""
        values, weights = self.sums.values[column], self.sums.weights[column]
        steps = [member] if column == self.column else self.edges[column].steps.tolist()
        return [(step, (values[step] - top * weights[step]).max()) for step in steps]


def _most(values: Array, weights: Array, tops: Array) -> tuple[Array, Array]:
    """Return, for each T, the greatest of the lines on the last axis, and its weight."""
    if values.shape[-1] == 1:
        found = values[..., 0] - weights[..., 0] * tops
        return found, np.broadcast_to(weights[..., 0], found.shape)
    sums = values - weights * tops[:, np.newaxis]
    place = sums.argmax(axis=-1)[..., np.newaxis]
    weights = np.broadcast_to(weights, sums.shape)
    return np.take_along_axis(sums, place, -1)[..., 0], np.take_along_axis(weights, place, -1)[..., 0]
