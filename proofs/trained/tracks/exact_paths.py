"""Greatest averages of classes in long integers, by Newton's method; paths.py does the same in float64."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from proofs.trained.tracks.exact_numbers import PRECISION, Indices, Long
from proofs.trained.tracks.paths import VisibleSources
from proofs.trained.tracks.queries import Restricted

MOST_ROUNDS = 64
NEVER = -1 << 800


@dataclass(frozen=True)
class Bundle:
    """Steps from one state to another that may be greatest: sums of values and of weights."""

    source: int
    target: int
    values: list[int]
    weights: list[int]
    steps: list[int]


class LongPaths:
    """Greatest ratios over the classes of a restricted query; weights and values are given by source."""

    def __init__(self, restricted: Restricted, visible: VisibleSources, weights: Long, values: Long,
                 ends: tuple[int, int]) -> None:
        """Prepare paths; all ratios lie between the ``ends``."""
        self.restricted, self.ends = restricted, ends
        columns = restricted.query.columns
        self.columns, self.start = columns, columns.claim.machine.start
        self.length, by = len(columns.source), restricted.query.by
        self.column = self.length if by is None else by
        products = weights * values
        self.sums = [(products[rows].sum(axis=1), weights[rows].sum(axis=1)) for rows in visible.columns]
        self.lasts = products[visible.lasts].sum(axis=1), weights[visible.lasts].sum(axis=1)
        self.fixed = products[visible.fixed].sum(), weights[visible.fixed].sum()
        self.bundles = [self._bundles(column) if column != self.column else [] for column in range(self.length)]

    def _bundles(self, column: int) -> list[Bundle]:
        """Return, for each pair of states, the lines that no other one exceeds at both ends."""
        (values, weights), columns = self.sums[column], self.columns
        pairs: dict[tuple[int, int], list[int]] = {}
        for step in np.flatnonzero(self.restricted.kept[column]).tolist():
            pairs.setdefault((int(columns.source[column][step]), int(columns.target[column][step])), []).append(step)
        found, (low, high) = [], self.ends
        for (source, target), steps in pairs.items():
            order = sorted(steps, key=lambda step: (values[step] - low * weights[step],
                                                    values[step] - high * weights[step]), reverse=True)
            chosen, best = list[int](), None
            for step in order:
                at_end = values[step] - high * weights[step]
                if best is None or at_end > best:
                    chosen.append(step)
                    best = at_end
            found.append(Bundle(source, target, [values[step] for step in chosen],
                                [weights[step] for step in chosen], chosen))
        return found

    def greatest(self, members: Indices, tops: Long) -> tuple[Long, Long]:
        """Return, for some classes, the greatest ratios, rounded down, and the sums of weights there; from ``tops``."""
        tops, weights, waiting = tops.copy(), np.zeros(len(members), object), np.arange(len(members))
        for _ in range(MOST_ROUNDS):
            value, weight = self.best(members[waiting], tops[waiting])
            move = value // np.maximum(weight, 1)
            tops[waiting], weights[waiting] = np.clip(tops[waiting] + move, *self.ends), weight
            waiting = waiting[(np.abs(move) > 1) & (weight > 0)]
            if not len(waiting):
                break
        return tops, weights

    def best(self, members: Indices, tops: Long) -> tuple[Long, Long]:
        """Return, for each class, the greatest Σ w (v - T), for its T, and Σ w there."""
        before, after = self._forward(tops), self._backward(tops)
        if self.column == self.length:
            source = target = members
            values, weights = self.lasts
        else:
            source, target = (one[self.column][members] for one in (self.columns.source, self.columns.target))
            values, weights = self.sums[self.column]
        each = np.arange(len(members))
        own = values[members] - weights[members] * tops
        if self.column == self.length:
            return before[0][source, each] + own, before[1][source, each] + weights[members]
        return (before[0][source, each] + own + after[0][target, each],
                before[1][source, each] + weights[members] + after[1][target, each])

    def _forward(self, tops: Long) -> tuple[Long, Long]:
        values, weights = self._nothing(len(tops))
        values[self.start], weights[self.start] = self.fixed[0] - self.fixed[1] * tops, self.fixed[1]
        for column in range(self.column):
            values, weights = self._advance(column, values, weights, tops, forward=True)
        return values, weights

    def _backward(self, tops: Long) -> tuple[Long, Long]:
        values, weights = self._nothing(len(tops))
        for state in np.flatnonzero(self.restricted.lasts).tolist():
            values[state], weights[state] = self.lasts[0][state] - self.lasts[1][state] * tops, self.lasts[1][state]
        for column in reversed(range(self.column + 1, self.length)):
            values, weights = self._advance(column, values, weights, tops, forward=False)
        return values, weights

    def _nothing(self, count: int) -> tuple[Long, Long]:
        shape = (self.columns.states, count)
        return np.full(shape, NEVER, object), np.zeros(shape, object)

    def _advance(self, column: int, values: Long, weights: Long, tops: Long, forward: bool) -> tuple[Long, Long]:
        new, new_weights = self._nothing(len(tops))
        for bundle in self.bundles[column]:
            here, there = (bundle.source, bundle.target) if forward else (bundle.target, bundle.source)
            for value, weight in zip(bundle.values, bundle.weights, strict=True):
                total = values[here] + (value - weight * tops)
                better = total > new[there]
                new[there] = np.where(better, total, new[there])
                new_weights[there] = np.where(better, weights[here] + weight, new_weights[there])
        return new, new_weights

    def input(self, member: int, top: int) -> tuple[int, ...]:
        """Return the columns (indices of letters) of an input of the class with the greatest sum for T."""
        columns = self.columns
        lasts = [state for state in np.flatnonzero(self.restricted.lasts).tolist()
                 if self.column < self.length or state == member]
        ahead: list[dict[int, int]] = [{state: self.lasts[0][state] - self.lasts[1][state] * top for state in lasts}]
        chosen: list[dict[int, tuple[int, int]]] = []
        for column in reversed(range(self.length)):
            found: dict[int, int] = {}
            steps: dict[int, tuple[int, int]] = {}
            for step in self._steps(column, member):
                source, target = int(columns.source[column][step]), int(columns.target[column][step])
                if target not in ahead[-1]:
                    continue
                total = self.sums[column][0][step] - self.sums[column][1][step] * top + ahead[-1][target]
                if source not in found or total > found[source]:
                    found[source], steps[source] = total, (int(columns.letters[column][step]), target)
            ahead.append(found)
            chosen.append(steps)
        state, letters = self.start, list[int]()
        for steps in reversed(chosen):
            letter, state = steps[state]
            letters.append(letter)
        return tuple(letters)

    def _steps(self, column: int, member: int) -> Sequence[int]:
        return [member] if column == self.column else [step for bundle in self.bundles[column] for step in bundle.steps]


def slack(spread: int, weight: int, places: int) -> int:
    """Bound the effect of the checker's weights on a ratio over the same power of two."""
    return (spread >> PRECISION - 8) + (spread * places << 4) // max(weight, 1) + 2
