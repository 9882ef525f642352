"""The greatest that a head may hear along a direction, over the inputs of a class: shortest paths over columns.

For weights w and values v the average is at most T iff the greatest sum of w (v - T) over all inputs is at most 0
(docs/tracks.md, section 5). Sums are lines in T; each step of Newton's method takes the line that is greatest. Floats
find T here, and the checker proves it in integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proofs.trained.tracks.queries import Query, Restricted

Array = NDArray[np.float64]
Indices = NDArray[np.intp]
MOST_ROUNDS = 60
STILL = 10**-13  # a step that is relatively smaller is none
NEVER = -np.inf


@dataclass(frozen=True)
class Lines:
    """Σ w v and Σ w of each step of each column, of each last state, and of what stands outside columns."""

    values: tuple[Array, ...]
    weights: tuple[Array, ...]
    last_values: Array
    last_weights: Array
    value: np.float64
    weight: np.float64


def lines(query: Query, weights: Array, values: Array) -> Lines:
    """Sums over all places that the query sees, for weights and values [place, token]."""
    columns, form = query.columns, query.columns.form
    products = weights * values
    found_values = [np.zeros(len(source)) for source in columns.source]
    found_weights = [np.zeros(len(source)) for source in columns.source]
    last_values, last_weights = np.zeros(columns.states), np.zeros(columns.states)
    value = weight = np.float64(0)
    for place, one in enumerate(form.layout[: query.place + 1]):
        if one.kind == "token":
            value += products[place, one.index]
            weight += weights[place, one.index]
        elif one.kind == "end":
            tokens = columns.ends(one)
            last_values += np.where(tokens >= 0, products[place, tokens], 0)
            last_weights += np.where(tokens >= 0, weights[place, tokens], 0)
        else:
            tokens = columns.tokens(one)
            found_values[one.column] += products[place, tokens]
            found_weights[one.column] += weights[place, tokens]
    return Lines(tuple(found_values), tuple(found_weights), last_values, last_weights, value, weight)


@dataclass(frozen=True)
class Bundle:
    """The lines of the steps from one state to another that may be greatest; ``steps`` says whose they are."""

    source: int
    target: int
    values: Array
    weights: Array
    steps: Indices


class Paths:
    """Greatest ratios over the classes of a restricted query."""

    def __init__(self, restricted: Restricted, sums: Lines, least: np.float64, greatest: np.float64) -> None:
        """``least`` and ``greatest`` are bounds of all values: ratios lie between them."""
        self.restricted, self.sums, self.least, self.greatest = restricted, sums, least, greatest
        columns = restricted.query.columns
        self.states, self.start = columns.states, columns.claim.machine.start
        answer = restricted.query.answer
        self.length = len(columns.source)
        self.column = self.length if answer.kind == "end" else answer.column
        self.bundles = [self._bundles(column) if column != self.column else [] for column in range(self.length)]

    def _bundles(self, column: int) -> list[Bundle]:
        columns, sums = self.restricted.query.columns, self.sums
        kept = np.flatnonzero(self.restricted.kept[column])
        key = columns.source[column][kept] * self.states + columns.target[column][kept]
        low = sums.values[column][kept] - self.least * sums.weights[column][kept]
        high = sums.values[column][kept] - self.greatest * sums.weights[column][kept]
        order = np.lexsort((-high, -low, key))
        found = []
        for those in np.split(order, np.flatnonzero(np.diff(key[order])) + 1) if len(order) else []:
            best = np.maximum.accumulate(high[those])
            chosen = those[np.concatenate([[True], high[those][1:] > best[:-1]])]
            steps = kept[chosen]
            state, target = divmod(int(key[chosen[0]]), self.states)
            found.append(Bundle(state, target, sums.values[column][steps], sums.weights[column][steps], steps))
        return found

    def greatest_ratios(self, members: Indices) -> tuple[Array, Array]:
        """For some classes the greatest ratios, and the sums of weights there."""
        top = np.full(len(members), self.least)
        weight = np.ones(len(members))
        open_ones = np.arange(len(members))
        for _ in range(MOST_ROUNDS):
            value, weight[open_ones] = self.best(members[open_ones], top[open_ones])
            new = top[open_ones] + value / weight[open_ones]
            moved = new > top[open_ones] + STILL * (1 + np.abs(new))
            top[open_ones] = np.maximum(new, top[open_ones])
            open_ones = open_ones[moved]
            if not len(open_ones):
                break
        return top, weight

    def best(self, members: Indices, tops: Array) -> tuple[Array, Array]:
        """For each class the greatest Σ w (v - T), for its T, and Σ w there."""
        before, after = self._forward(tops), self._backward(tops)
        columns, sums = self.restricted.query.columns, self.sums
        each = np.arange(len(members))
        if self.column == self.length:
            values, weights = before
            return (values[members, each] + sums.last_values[members] - tops * sums.last_weights[members],
                    weights[members, each] + sums.last_weights[members])
        source, target = columns.source[self.column][members], columns.target[self.column][members]
        own_weight = sums.weights[self.column][members]
        own = sums.values[self.column][members] - tops * own_weight
        return (before[0][source, each] + own + after[0][target, each],
                before[1][source, each] + own_weight + after[1][target, each])

    def _forward(self, tops: Array) -> tuple[Array, Array]:
        values = np.full((self.states, len(tops)), NEVER)
        weights = np.ones((self.states, len(tops)))
        values[self.start], weights[self.start] = self.sums.value - tops * self.sums.weight, self.sums.weight
        for column in range(self.column):
            values, weights = _advance(self.bundles[column], values, weights, tops, forward=True)
        return values, weights

    def _backward(self, tops: Array) -> tuple[Array, Array]:
        lasts = self.restricted.lasts[:, np.newaxis]
        weights = np.broadcast_to(self.sums.last_weights[:, np.newaxis], (self.states, len(tops)))
        values = np.where(lasts, self.sums.last_values[:, np.newaxis] - weights * tops, NEVER)
        for column in reversed(range(self.column + 1, self.length)):
            values, weights = _advance(self.bundles[column], values, weights, tops, forward=False)
        return values, weights

    def input(self, member: int, top: np.float64) -> tuple[int, ...]:
        """The columns (indices of letters) of an input of the class at which the sum is greatest for T."""
        columns = self.restricted.query.columns
        lasts = self.restricted.lasts & (np.arange(self.states) == member) if self.column == self.length else (
            self.restricted.lasts)
        ahead = [np.where(lasts, self.sums.last_values - self.sums.last_weights * top, NEVER)]
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
        """The steps that may be greatest, and their sums; in the answer's column that of the class."""
        values, weights = self.sums.values[column], self.sums.weights[column]
        steps = [member] if column == self.column else [int(step) for bundle in self.bundles[column]
                                                        for step in bundle.steps]
        return [(step, values[step] - top * weights[step]) for step in steps]


def _advance(bundles: Sequence[Bundle], values: Array, weights: Array, tops: Array,
             forward: bool) -> tuple[Array, Array]:  # fmt: skip
    """The greatest sums one column on, and their weights."""
    new, new_weights = np.full_like(values, NEVER), np.ones_like(values)
    for bundle in bundles:
        here, there = (bundle.source, bundle.target) if forward else (bundle.target, bundle.source)
        if len(bundle.values) == 1:
            most, weight = bundle.values[0] - bundle.weights[0] * tops, bundle.weights[0]
        else:
            each = bundle.values[:, np.newaxis] - bundle.weights[:, np.newaxis] * tops
            place = each.argmax(axis=0)
            most, weight = each[place, np.arange(len(tops))], bundle.weights[place]
        most = most + values[here]
        better = most > new[there]
        new[there] = np.where(better, most, new[there])
        new_weights[there] = np.where(better, weights[here] + weight, new_weights[there])
    return new, new_weights
