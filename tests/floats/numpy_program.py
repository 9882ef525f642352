"""The float program in numpy, written from docs/floats.md, section 1; it shares no code with the project's runs.

Every operation is one of a numpy type (float16; bfloat16 of ml_dtypes), and numpy rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from constructions.network.transformer import FeedForward, Head, Transformer

Columns = dict[str, Any]
Exponential = Callable[[Any, Head, int], Any]


def plain_exponential(differences: Any, _head: Head, _i: int) -> Any:
    return np.exp(differences)


class NumpyProgram:
    """All directions of a network on a word, position by position; sums are added one term after the other."""

    def __init__(self, transformer: Transformer, dtype: Any, normalised: str,
                 exponential: Exponential = plain_exponential):
        self.transformer, self.dtype, self.normalised, self.exponential = transformer, dtype, normalised, exponential

    def run(self, word: Sequence[str]) -> Columns:
        n = len(word)
        columns = {name: self.zeros(n) for name in self.transformer.directions}
        for j, symbol in enumerate(word):
            for name, value in self.transformer.token_embedding[symbol].items():
                columns[name][j] = self.number(value)
        for name, function in self.transformer.position_embedding.items():
            columns[name] = self.array([function.evaluate(i=i, n=n) for i in range(1, n + 1)])
        for layer in self.transformer.layers:
            written = [self.attend(head, columns, n) for head in layer.heads]
            for change in written:
                columns |= change
            columns |= self.feed(layer.feedforward, columns, n)
        return columns

    def number(self, x: Fraction) -> Any:
        return self.array([x])[0]

    def array(self, values: Sequence[Fraction]) -> Any:
        return np.array([np.float64(x.numerator) / np.float64(x.denominator) for x in values]).astype(self.dtype)

    def zeros(self, n: int) -> Any:
        return np.zeros(n, dtype=self.dtype)

    def form(self, row: Mapping[str, Fraction], columns: Columns, n: int, bias: Fraction = Fraction(0)) -> Any:
        terms = [self.number(weight) * columns[name] for name, weight in row.items()]
        if bias:
            terms.append(np.full(n, self.number(bias)))
        return self.total(terms) if terms else self.zeros(n)

    def total(self, terms: Sequence[Any]) -> Any:
        acc = terms[0]
        for term in terms[1:]:
            acc = acc + term
        assert acc.dtype == self.dtype
        return acc

    def attend(self, head: Head, columns: Columns, n: int) -> Columns:
        keys = [self.form(row, columns, n) for row in head.keys]
        queries = [self.form(row, columns, n) for row in head.queries]
        if str(head.temperature) != "1":
            scale = self.array([1 / head.temperature.evaluate(i=i, n=n) for i in range(1, n + 1)])
            queries = [query * scale for query in queries]
        values = {name: self.form(row, columns, n) for name, row in head.values.items()}
        written = {name: self.zeros(n) for name in values}
        for i in range(1, n + 1):
            seen = slice(head.mask.visible(i, n).start - 1, head.mask.visible(i, n).stop - 1)
            scores = self.total([query[i - 1] * key[seen] for query, key in zip(queries, keys, strict=True)])
            exponentials = self.exponential(scores - scores.max(), head, i)
            assert exponentials.dtype == self.dtype
            sum_of_all = self.total(list(exponentials))
            for name, value in values.items():
                if self.normalised == "before":
                    written[name][i - 1] = self.total(list(exponentials / sum_of_all * value[seen]))
                else:
                    written[name][i - 1] = self.total(list(exponentials * value[seen])) / sum_of_all
        return written

    def feed(self, part: FeedForward, columns: Columns, n: int) -> Columns:
        activations = [np.maximum(self.form(unit.reads, columns, n, unit.bias), self.zeros(n)) for unit in part.units]
        written = {}
        for name in part.written():
            terms = [self.number(unit.writes[name]) * activation
                     for unit, activation in zip(part.units, activations, strict=True) if name in unit.writes]
            if name in part.bias:
                terms.append(np.full(n, self.number(part.bias[name])))
            written[name] = self.total(terms)
        return written
