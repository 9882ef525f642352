"""Words on which softening is likely to move a transformer far, found by rough arithmetic that decides nothing.

What is found here is replayed in enclosed arithmetic before anything is said about it.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterable, Sequence
from fractions import Fraction

from certify.shards import steps_per_word
from constructions.network.run import embed
from constructions.network.transformer import Coefficients, FeedForward, Head, Transformer

Word = tuple[str, ...]
Stream = list[list[float]]
Sparse = list[tuple[int, float]]
STEPS = 20_000_000
"""A search takes about so many multiplications."""
KEPT = 3
"""So many words are handed on, those that move farthest first."""
LEAST_TRIED, STARTS = 40, 4


def likely_words(transformer: Transformer, n: int, temperature: Fraction, seeds: Iterable[Word]) -> list[Word]:
    """Words of length n that move far at this temperature: of all if they are few, else found by climbing from seeds.

    The search is the same every time. Where numbers are too large or too small for it, the seeds are all there is.
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


class _Sketch:
    """A transformer of one length, hard and soft, in floating point."""

    def __init__(self, transformer: Transformer, n: int, temperature: float):
        self.alphabet, self.n, self.temperature = transformer.alphabet, n, temperature
        self.places = {name: place for place, name in enumerate(transformer.directions)}
        self.letters = {symbol: [self._dense(vector) for vector in embed(transformer, (symbol,) * n)]
                        for symbol in transformer.alphabet}
        self.layers = [([self._head(head) for head in layer.heads], self._units(layer.feedforward))
                       for layer in transformer.layers]
        self.known: dict[Word, float] = {}

    def farthest(self, words: Iterable[Word]) -> list[Word]:
        """The KEPT words that move farthest."""
        return sorted(words, key=self.distance, reverse=True)[:KEPT]

    def climb(self, word: Word, room: int) -> None:
        """Change one letter at a time for the better, while fewer than ``room`` words are known."""
        better: Word | None = word
        while better is not None and len(self.known) < room:
            word, better = better, None
            for place, symbol in itertools.product(range(self.n), self.alphabet):
                changed = (*word[:place], symbol, *word[place + 1 :])
                if self.distance(changed) > self.distance(better or word):
                    better = changed

    def distance(self, word: Word) -> float:
        """The greatest 1-norm of the difference between soft and hard, of all positions."""
        if word not in self.known:
            hard, soft = (self._run(word, is_soft) for is_soft in (False, True))
            self.known[word] = max(sum(abs(x - y) for x, y in zip(u, v, strict=True))
                                   for u, v in zip(hard, soft, strict=True))
        return self.known[word]

    def _dense(self, row: Coefficients) -> list[float]:
        return [float(row.get(name, 0)) for name in self.places]

    def _sparse(self, row: Coefficients) -> Sparse:
        return [(self.places[name], float(weight)) for name, weight in row.items() if weight]

    def _head(self, head: Head) -> tuple[Head, list[Sparse], list[Sparse], list[tuple[int, Sparse]]]:
        return (head, list(map(self._sparse, head.queries)), list(map(self._sparse, head.keys)),
                [(self.places[name], self._sparse(row)) for name, row in head.values.items()])

    def _units(self, feedforward: FeedForward) -> tuple[list[tuple[Sparse, float, Sparse]], Sparse]:
        return ([(self._sparse(unit.reads), float(unit.bias), self._sparse(unit.writes))
                 for unit in feedforward.units], self._sparse(feedforward.bias))

    def _run(self, word: Word, soft: bool) -> Stream:
        stream = [list(self.letters[symbol][place]) for place, symbol in enumerate(word)]
        for heads, (units, bias) in self.layers:
            after = [list(vector) for vector in stream]
            for head in heads:
                self._attend(head, stream, after, soft)
            stream = [_fed(vector, units, bias) for vector in after]
        return stream

    def _attend(self, head: tuple[Head, list[Sparse], list[Sparse], list[tuple[int, Sparse]]], stream: Stream,
                after: Stream, soft: bool) -> None:
        shape, query_rows, key_rows, value_rows = head
        keys = [[_form(row, vector) for row in key_rows] for vector in stream]
        values = [[_form(row, vector) for _, row in value_rows] for vector in stream]
        for i, vector in enumerate(stream, start=1):
            queries = [_form(row, vector) for row in query_rows]
            visible = shape.mask.visible(i, self.n)
            scores = [sum(q * k for q, k in zip(queries, keys[j - 1], strict=True)) for j in visible]
            best = max(scores)
            weights = [math.exp((score - best) / self.temperature) if soft else float(score == best)
                       for score in scores]
            total = sum(weights)
            for number, (place, _) in enumerate(value_rows):
                after[i - 1][place] += sum(weight * values[j - 1][number] for weight, j in
                                           zip(weights, visible, strict=True)) / total


def _form(row: Sparse, vector: Sequence[float]) -> float:
    return sum(weight * vector[place] for place, weight in row)


def _fed(vector: list[float], units: list[tuple[Sparse, float, Sparse]], bias: Sparse) -> list[float]:
    result = list(vector)
    for reads, offset, writes in units:
        if (active := _form(reads, vector) + offset) > 0:
            for place, weight in writes:
                result[place] += weight * active
    for place, weight in bias:
        result[place] += weight
    return result
