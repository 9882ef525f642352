"""Scores, weights and ranges of averages of a head on abstract words (docs/background/trained_rules.md, 5)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proofs.trained.classes.forms import Forms, affine
from proofs.trained.classes.paths import LEAST_WEIGHT, Ends, Skeleton, Terms, greatest, longest
from proofs.trained.forward import FloatAffine, FloatAttention, FloatHead, FloatRotary

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

LEAST_EXPONENT = -600  # lesser exponents are raised to this: no sum of weights is 0
BLOCK = 1 << 22  # numbers of one intermediate array


@dataclass(frozen=True)
class KeyLevels:
    """Columns of keys, level by level: letters before the first attention step is done, nodes after it.

    ``levels`` [columns] ascend (0: the tokens before the word), ``numbers`` are their position numbers, ``tokens``
    their tokens, ``of_nodes`` gives for each level the column of each node of the skeleton.
    """

    levels: Indices
    numbers: Indices
    tokens: Indices
    of_nodes: list[Indices]

    def of_level(self, level: int) -> slice:
        """Return the columns of a level."""
        first, last = np.searchsorted(self.levels, [level, level + 1])
        return slice(int(first), int(last))


@dataclass(frozen=True)
class Queries:
    """Nodes whose averages are bounded, deepest level first: their levels, and their columns among the keys.

    ``ends`` are the ends of the paths that each query sees; tokens before the word are all at level 0 and place 0.
    """

    levels: Indices
    columns: Indices
    ends: Ends

    def __len__(self) -> int:
        return len(self.levels)


def _turned(forms: Forms, rotary: FloatRotary | None, numbers: Indices) -> Forms:
    """Rotate pairs of coordinates by the row of each vector's position number."""
    if rotary is None:
        return forms
    sizes = FloatRotary(np.abs(rotary.cosines), -np.abs(rotary.sines), rotary.halves)
    second = FloatRotary(np.abs(rotary.cosines), np.abs(rotary.sines), rotary.halves)
    parts = np.swapaxes(rotary(np.swapaxes(forms.parts, 0, 1), numbers), 0, 1)
    loose = np.maximum(np.abs(sizes(forms.loose, numbers)), np.abs(second(forms.loose, numbers)))
    return Forms(rotary(forms.centre, numbers), parts, loose)


def _scaled(image: FloatAffine, scale: np.float64) -> FloatAffine:
    return FloatAffine(image.weight * scale, None if image.bias is None else image.bias * scale)


class AttendedHead:
    """Weights and values of one head for some queries."""

    def __init__(self, step: FloatAttention, head: FloatHead, normed: Forms, columns: KeyLevels,
                 queries: Queries, skeleton: Skeleton) -> None:  # fmt: skip
        self.columns, self.queries, self.causal, self._capped = columns, queries, step.causal, step.capped
        own = normed.only(queries.columns)
        scaled_query = _scaled(head.query, np.float64(step.scale))
        self.query = _turned(affine(own, scaled_query), step.rotary, columns.numbers[queries.columns])
        self.key = _turned(affine(normed, head.key), step.rotary, columns.numbers)
        self.value = affine(normed, head.value)
        self.slope = np.float64(head.slope)
        self.attends = head.attends
        self.low, self.high = self._weights() if head.attends is None else self._equal_weights()
        self._sees_none = None if head.attends is None else self._may_see_none(skeleton)

    def ranges(self, skeleton: Skeleton, directions: Array) -> tuple[Array, Array]:
        """Bound c · z from below and above over each query's class, for each row c of the directions."""
        both = np.concatenate([directions, -directions])
        terms = self.terms(both)
        found = greatest(skeleton, self.queries.ends, terms)
        return -found[:, len(directions) :], found[:, : len(directions)]

    def terms(self, directions: Array) -> Terms:
        """Return the terms of all queries for common directions [D, value width]."""
        highest = self.value.centre @ directions.T + self.value.loose @ np.abs(directions).T
        if self.value.symbols:
            highest += _spread(self.value.parts, directions)
        alone = None
        if self._sees_none is not None:
            alone = np.where(self._sees_none[:, np.newaxis], highest[self.queries.columns], -np.inf)
        return self._terms([highest[self.columns.of_level(k), np.newaxis] for k in range(self._levels)], alone)

    def terms_of_pairs(self, ends: Ends, directions: Array) -> Terms:
        """Return the terms with one direction [value width] for each end: the end's index is its query's."""
        highest = self.value.centre @ directions.T + self.value.loose @ np.abs(directions).T
        if self.value.symbols:
            highest += _spread(self.value.parts, directions)
        slices = [self.columns.of_level(k) for k in range(self._levels)]
        low = [one[:, ends.queries[ends.queries < one.shape[1]]] for one in self.low]
        high = [one[:, ends.queries[ends.queries < one.shape[1]]] for one in self.high]
        if not self.is_inexact:
            low = high
        alone = None
        if self._sees_none is not None:
            own = highest[self.queries.columns[ends.queries], np.arange(len(directions))]
            alone = np.where(self._sees_none[ends.queries], own, -np.inf)[:, np.newaxis]
        return Terms(low, high, [highest[part, :, np.newaxis] for part in slices], self.columns.of_nodes, alone)

    def averages_along(self, paths: Indices, ends: Ends, terms: Terms, s: Array, directions: Array) -> Array:
        """Return the averages [ends, value width] that attain the bounds s [ends, 1] of ``terms_of_pairs``.

        ``paths`` [ends, levels from 1] are places among the nodes of each level; all ends are at the last of
        them. The average is 0 where all lower bounds of weights are 0.
        """
        total, weight = np.zeros((len(paths), self.value.centre.shape[1])), np.zeros((len(paths), 1))
        own = np.arange(len(paths))
        tokens = [(0, np.full(len(paths), column)) for column in range(len(self.low[0]))]
        tokens += [(k + 1, self.columns.of_nodes[k + 1][paths[:, k]]) for k in range(paths.shape[1])]
        for level, column in tokens:
            low, high = (bounds[level][column, own, np.newaxis] for bounds in (terms.low, terms.high))
            weights = np.where(terms.values[level][column, own] > s, high, low)
            total += weights * self._farthest(self.columns.of_level(level).start + column, directions)
            weight += weights
        return np.asarray(total / np.maximum(weight, LEAST_WEIGHT))

    def _farthest(self, columns: Indices, directions: Array) -> Array:
        """Return the vertex of each column's value that is greatest along its direction."""
        value = self.value.only(columns)
        signs = np.sign(np.einsum("nsd,nd->ns", value.parts, directions))
        along = np.einsum("ns,nsd->nd", signs, value.parts) if value.symbols else 0
        return np.asarray(value.centre + along + value.loose * np.sign(directions))

    @property
    def is_loose(self) -> bool:
        """Whether the checker's ranges may be wider."""
        return self.is_inexact or bool(self.value.symbols)

    @property
    def is_inexact(self) -> bool:
        """Whether lower and upper bounds of weights differ."""
        return self.low is not self.high

    @property
    def _levels(self) -> int:
        return len(self.columns.of_nodes)

    def _terms(self, values: list[Array], alone: Array | None = None) -> Terms:
        return Terms(self.low, self.high, values, self.columns.of_nodes, alone)

    def _weights(self) -> tuple[list[Array], list[Array]]:
        """Bound exp(score) times a factor for each query, for each level [columns, queries at it or below]."""
        scores, errors = [], []
        top = np.full(len(self.queries), -np.inf)
        for level in range(self._levels):
            score, error = self._scores(level)
            scores.append(score)
            errors.append(error)
            going = score.shape[1]
            if len(score):
                top[:going] = np.maximum(top[:going], (score + error).max(axis=0))
        high = [np.exp(np.maximum(score + error - top[: score.shape[1]], LEAST_EXPONENT))
                for score, error in zip(scores, errors, strict=True)]  # fmt: skip
        low = high
        if self.key.symbols or self.query.symbols:
            low = [np.exp(score - error - top[: score.shape[1]]) for score, error in zip(scores, errors, strict=True)]
            low[0] *= self._visible()
        high[0] *= self._visible()
        return low, high

    def _equal_weights(self) -> tuple[list[Array], list[Array]]:
        """Return the weights 0 and 1 of hard attention, as `_weights` does."""
        is_attended = np.isin(self.columns.tokens, self.attends or ())
        found = []
        for level in range(self._levels):
            going = int(np.searchsorted(-self.queries.ends.levels, -level, side="right"))
            found.append(np.tile(is_attended[self.columns.of_level(level), np.newaxis].astype(np.float64), (1, going)))
        found[0] *= self._visible()
        return found, found

    def _may_see_none(self, skeleton: Skeleton) -> Array:
        """Return whether a path to each query has none of the tokens that hard attention attends to."""
        signs = [-np.ones((len(one), 1, 1)) for one in self.low]
        sums, _ = longest(skeleton, self.queries.ends, self._terms(signs), np.zeros((len(self.queries), 1)))
        return np.asarray(sums[:, 0] == 0)

    def _visible(self) -> Array:
        """Return the mask of the tokens before the word, [tokens, queries]: 1 or 0."""
        first = self.columns.of_level(0)
        last = self.queries.columns if self.causal else np.full(len(self.queries), first.stop)
        return np.asarray(np.arange(first.stop)[:, np.newaxis] <= last, np.float64)

    def _scores(self, level: int) -> tuple[Array, Array]:
        """Return centres and error bounds of the scores, [columns, queries at the level or below]."""
        part = self.columns.of_level(level)
        going = int(np.searchsorted(-self.queries.ends.levels, -level, side="right"))
        key, query = self.key.only(part), self.query.only(slice(0, going))
        distances = self.columns.numbers[part, np.newaxis] - self.columns.numbers[self.queries.columns[:going]]
        scores = self._capped(key.centre @ query.centre.T) + self.slope * distances
        if not (key.symbols or query.symbols):
            return scores, np.zeros((len(scores), 1))
        errors = np.abs(key.centre) @ query.loose.T + key.loose @ np.abs(query.centre).T
        errors += _spread(query.parts, key.centre).T + _spread(key.parts, query.centre)
        return scores, errors + key.radius @ query.radius.T


def _spread(parts: Array, vectors: Array) -> Array:
    """Return Σ over symbols of |part · vector|, [N, vectors], for parts [N, symbols, d]."""
    found = np.zeros((len(parts), len(vectors)))
    if not parts.size or not vectors.size:
        return found
    block = max(1, BLOCK // (parts.shape[1] * len(vectors)))
    for first in range(0, len(parts), block):
        some = parts[first : first + block]
        images = some.reshape(-1, parts.shape[2]) @ vectors.T
        found[first : first + block] = np.abs(images).reshape(len(some), parts.shape[1], -1).sum(axis=1)
    return found
