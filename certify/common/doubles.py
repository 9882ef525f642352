"""The network in doubles, on many words of one length at once: for pictures and searches, which prove nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from constructions.network.transformer import Coefficients, Head, Layer, Mask, Transformer
from constructions.network.weightings import Weighting, Winners

Array = npt.NDArray[Any]
TIES = 1e-9
"""Hard attention treats scores that differ by less as equal."""


@dataclass(frozen=True)
class PageRun:
    """The final residual stream, by direction, word and position; and the attention weights.

    ``attention`` has for a layer and a head (from 1) the weights by word, query position, key position.
    """

    values: Mapping[str, Array]
    attention: Mapping[tuple[int, int], Array]


class DoubleNetwork:
    """One network for words of one length.

    Raises:
        OverflowError: if a number is too large for a double.
    """

    def __init__(self, network: Transformer, n: int):
        """Compute everything that does not depend on the word."""
        self.network, self.n = network, n
        self.names = list(network.directions)
        self._place = {name: place for place, name in enumerate(self.names)}
        self._tokens = self._matrix([network.token_embedding[symbol] for symbol in network.alphabet])
        self._positions = np.zeros((n, len(self.names)))
        for name, value in network.position_embedding.items():
            column = value.column(range(1, n + 1), n)
            self._positions[:, self._place[name]] = [x.numerator / x.denominator for x in column]

    def run(self, words: Sequence[Sequence[str]], attention: bool = False) -> PageRun:
        """Run all these words; attention is kept only if requested."""
        symbols = {symbol: place for place, symbol in enumerate(self.network.alphabet)}
        stream = self._tokens[[[symbols[symbol] for symbol in word] for word in words]] + self._positions
        kept: dict[tuple[int, int], Array] = {}
        for number, (layer, heads) in enumerate(zip(self.network.layers, self._heads, strict=True), start=1):
            added = np.zeros_like(stream)
            for place, head in enumerate(heads, start=1):
                weights = head.weights(stream)
                added[..., head.written] += weights @ (stream @ head.values.T)
                if attention:
                    kept[number, place] = weights
            stream = self._fed(layer, number - 1, stream + added)
        return PageRun({name: stream[..., place] for name, place in self._place.items()}, kept)

    def _fed(self, layer: Layer, place: int, stream: Array) -> Array:
        reads, bias, writes, constant = self._feeds[place]
        return stream + np.maximum(stream @ reads.T + bias, 0) @ writes + constant if (
            layer.feedforward.units or layer.feedforward.bias) else stream

    @cached_property
    def _heads(self) -> list[list[_DoubleHead]]:
        return [[_DoubleHead(head, self.n, self._matrix, self._place) for head in layer.heads]
                for layer in self.network.layers]

    @cached_property
    def _feeds(self) -> list[tuple[Array, Array, Array, Array]]:
        return [(self._matrix([unit.reads for unit in layer.feedforward.units]),
                 np.array([unit.bias.numerator / unit.bias.denominator for unit in layer.feedforward.units]),
                 self._matrix([unit.writes for unit in layer.feedforward.units]),
                 self._matrix([layer.feedforward.bias])[0]) for layer in self.network.layers]

    def _matrix(self, rows: Sequence[Coefficients]) -> Array:
        matrix = np.zeros((len(rows), len(self.names)))
        for row, coefficients in zip(matrix, rows, strict=True):
            for name, x in coefficients.items():
                row[self._place[name]] = x.numerator / x.denominator
        return matrix


class _DoubleHead:
    """One head for words of one length."""

    def __init__(self, head: Head, n: int, matrix: Any, places: Mapping[str, int]):
        self.queries, self.keys = matrix(head.queries), matrix(head.keys)
        self.written = [places[name] for name in head.values]
        self.values = matrix(list(head.values.values()))
        self.weighting = head.weighting
        temperatures = head.temperature.column(range(1, n + 1), n)
        self.temperature = np.array([x.numerator / x.denominator for x in temperatures])
        self.hidden = hidden(head.mask, n)

    def weights(self, stream: Array) -> Array:
        scores = (stream @ self.queries.T) @ np.swapaxes(stream @ self.keys.T, -1, -2)
        if self.weighting.is_softmax:
            scores = scores / self.temperature[:, np.newaxis]
        scores = np.where(self.hidden, -np.inf, scores)
        return weigh(scores, self.weighting)


def hidden(mask: Mask, n: int) -> Array:
    """Return the positions j (columns) that are masked for position i (rows)."""
    i, j = np.indices((n, n))
    return {Mask.NONE: j < 0, Mask.FUTURE: j > i, Mask.PAST: j < i}[mask]


def weigh(scores: Array, weighting: Weighting) -> Array:
    """Return attention weights, from scores in the last axis."""
    gaps = scores - scores.max(axis=-1, keepdims=True)
    if weighting.is_softmax:
        raised = np.exp(gaps)
    else:
        raised = (gaps > -TIES).astype(float)
        if not weighting.averages_equals:
            raised = _outermost(raised, weighting.row.winners is Winners.FIRST)
    shares: Array = raised / raised.sum(axis=-1, keepdims=True)
    return shares


def _outermost(winners: Array, leftmost: bool) -> Array:
    """Keep only the first or the last of several winners."""
    seen = winners if leftmost else winners[..., ::-1]
    first: Array = (seen.cumsum(axis=-1) == 1) * seen
    return first if leftmost else first[..., ::-1]


def neighbours(word: tuple[str, ...], alphabet: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the words that differ from it at one position."""
    for place, old in enumerate(word):
        for symbol in alphabet:
            if symbol != old:
                yield (*word[:place], symbol, *word[place + 1:])
