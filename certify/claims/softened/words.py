"""Words on which softening is likely to move the result far, found in floating point, which decides nothing.

The words that are found here are replayed in enclosed arithmetic before they are reported.
"""

import itertools
import math
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from certify.common.shards import steps_per_word
from constructions.network.run import embed
from constructions.network.transformer import Coefficients, Head, Layer, Mask, Transformer
from proofs.softened.gap import Word

Stream = list[list[float]]
Sparse = list[tuple[int, float]]
STEPS = 20_000_000
"""The approximate number of multiplications of a search."""
KEPT = 3
"""The number of words that are returned, those that move farthest first."""
LEAST_TRIED, STARTS = 40, 4
NEAR = 1e-9
"""Relative tolerance of ties: rounding may separate equal scores."""


def likely_words(transformer: Transformer, n: int, temperature: Fraction, seeds: Iterable[Word]) -> list[Word]:
    """Return words of length n that move far at this temperature: the best of all, or by hill climbing from seeds.

    The search is deterministic. If numbers overflow or underflow, it returns the seeds.
    """
    given = [seed for seed in seeds if len(seed) == n]
    try:
        return _search(transformer, n, float(temperature), given)
    except (OverflowError, ZeroDivisionError):
        return given


def _search(transformer: Transformer, n: int, temperature: float, seeds: Sequence[Word]) -> list[Word]:
    sketch = _Sketch(transformer, n, temperature)
    room = max(LEAST_TRIED, STEPS // (2 * steps_per_word(transformer, n)))
    if len(transformer.alphabet) ** n <= room:
        return sketch.farthest(itertools.product(transformer.alphabet, repeat=n))
    draw = random.Random(0)
    for word in itertools.chain(seeds, (tuple(draw.choices(transformer.alphabet, k=n)) for _ in range(room // 4))):
        sketch.distance(word)
    for start in sketch.farthest(list(sketch.known))[:STARTS]:
        sketch.climb(start, room)
    return sketch.farthest(list(sketch.known))


@dataclass(frozen=True)
class _Head:
    """A head with indices for names; ``values`` pairs the index that is written with the row that is read."""

    mask: Mask
    queries: list[Sparse]
    keys: list[Sparse]
    values: list[tuple[int, Sparse]]


@dataclass(frozen=True)
class _Unit:
    """A hidden unit with indices for names."""

    reads: Sparse
    bias: float
    writes: Sparse


@dataclass(frozen=True)
class _Layer:
    """A layer with indices for names."""

    heads: list[_Head]
    units: list[_Unit]
    bias: Sparse


class _Sketch:
    """A transformer at one length, hard and soft, in floating point."""

    def __init__(self, transformer: Transformer, n: int, temperature: float):
        self.alphabet, self.n, self.temperature = transformer.alphabet, n, temperature
        self.places = {name: place for place, name in enumerate(transformer.directions)}
        self.letters = {symbol: [self._dense(vector) for vector in embed(transformer, (symbol,) * n)]
                        for symbol in transformer.alphabet}
        self.layers = [self._layer(layer) for layer in transformer.layers]
        self.known: dict[Word, float] = {}

    def farthest(self, words: Iterable[Word]) -> list[Word]:
        """Return the KEPT words that move farthest."""
        return sorted(words, key=self.distance, reverse=True)[:KEPT]

    def climb(self, word: Word, room: int) -> None:
        """Improve one letter at a time, while fewer than ``room`` words have been tried."""
        better: Word | None = word
        while better is not None and len(self.known) < room:
            word, better = better, None
            for place, symbol in itertools.product(range(self.n), self.alphabet):
                changed = (*word[:place], symbol, *word[place + 1 :])
                if self.distance(changed) > self.distance(better or word):
                    better = changed

    def distance(self, word: Word) -> float:
        """Return the greatest 1-norm over all positions of the difference between soft and hard."""
        if word not in self.known:
            hard, soft = (self._run(word, is_soft) for is_soft in (False, True))
            self.known[word] = max(sum(abs(x - y) for x, y in zip(u, v, strict=True))
                                   for u, v in zip(hard, soft, strict=True))
        return self.known[word]

    def _dense(self, row: Coefficients) -> list[float]:
        return [float(row.get(name, 0)) for name in self.places]

    def _sparse(self, row: Coefficients) -> Sparse:
        return [(self.places[name], float(weight)) for name, weight in row.items() if weight]

    def _layer(self, layer: Layer) -> _Layer:
        units = [_Unit(self._sparse(unit.reads), float(unit.bias), self._sparse(unit.writes))
                 for unit in layer.feedforward.units]
        return _Layer([self._head(head) for head in layer.heads], units, self._sparse(layer.feedforward.bias))

    def _head(self, head: Head) -> _Head:
        return _Head(head.mask, list(map(self._sparse, head.queries)), list(map(self._sparse, head.keys)),
                     [(self.places[name], self._sparse(row)) for name, row in head.values.items()])

    def _run(self, word: Word, soft: bool) -> Stream:
        stream = [list(self.letters[symbol][place]) for place, symbol in enumerate(word)]
        for layer in self.layers:
            after = [list(vector) for vector in stream]
            for head in layer.heads:
                self._attend(head, stream, after, soft)
            stream = [_fed(vector, layer) for vector in after]
        return stream

    def _attend(self, head: _Head, stream: Stream, after: Stream, soft: bool) -> None:
        keys = [[_form(row, vector) for row in head.keys] for vector in stream]
        values = [[_form(row, vector) for _, row in head.values] for vector in stream]
        for i, vector in enumerate(stream, start=1):
            queries = [_form(row, vector) for row in head.queries]
            visible = head.mask.visible(i, self.n)
            scores = [sum(q * k for q, k in zip(queries, keys[j - 1], strict=True)) for j in visible]
            weights = self._weights(scores, soft)
            total = sum(weights)
            for number, (place, _) in enumerate(head.values):
                weighed = (weight * values[j - 1][number] for weight, j in zip(weights, visible, strict=True))
                after[i - 1][place] += sum(weighed) / total

    def _weights(self, scores: list[float], soft: bool) -> list[float]:
        best = max(scores)
        if soft:
            return [math.exp((score - best) / self.temperature) for score in scores]
        return [float(best - score <= NEAR * (1 + abs(best))) for score in scores]


def _form(row: Sparse, vector: Sequence[float]) -> float:
    return sum(weight * vector[place] for place, weight in row)


def _fed(vector: list[float], layer: _Layer) -> list[float]:
    result = list(vector)
    for unit in layer.units:
        if (active := _form(unit.reads, vector) + unit.bias) > 0:
            for place, weight in unit.writes:
                result[place] += weight * active
    for place, weight in layer.bias:
        result[place] += weight
    return result
