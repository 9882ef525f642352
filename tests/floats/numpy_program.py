"""The float program in numpy, written from docs/reference/floats.md, section 1; it shares no code with the project's
runs.

Every operation is one of a numpy type (float16; bfloat16 of ml_dtypes), and numpy rounds. Sums are added in the orders
that an execution names, those by magnitude and balanced ones included; none is drawn, and no product is fused.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from constructions.network.transformer import FeedForward, Head, Transformer

Columns = dict[str, Any]
Exponential = Callable[[Any, Head, int], Any]


def plain_exponential(differences: Any, _head: Head, _i: int) -> Any:
    return np.exp(differences)


def in_order(terms: Any, order: str) -> Any:
    """Return the terms as they are added one after the other; of terms of one magnitude the first comes first."""
    match order:
        case "ascending":
            return terms
        case "descending":
            return terms[::-1]
        case "smallest first" | "largest first":
            sizes = np.abs(terms.astype(np.float64))
            places = np.argsort(sizes if order == "smallest first" else -sizes, axis=0, kind="stable")
            return np.take_along_axis(terms, places, axis=0)
    raise NotImplementedError(order)


def balanced_sum(terms: Any) -> Any:
    """Halves by themselves, the first of them rounded down."""
    if len(terms) == 1:
        return terms[0]
    middle = len(terms) // 2
    return balanced_sum(terms[:middle]) + balanced_sum(terms[middle:])


class NumpyProgram:
    """All directions of a network on a word, position by position; ``orders`` of sums other than ``order`` by kind."""

    def __init__(self, transformer: Transformer, dtype: Any, normalised: str,
                 exponential: Exponential = plain_exponential, order: str = "ascending",
                 orders: Mapping[str, str] = {}):
        self.transformer, self.dtype, self.normalised, self.exponential = transformer, dtype, normalised, exponential
        self.order, self.orders = order, orders

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

    def form(self, which: str, row: Mapping[str, Fraction], columns: Columns, n: int,
             bias: Fraction = Fraction(0)) -> Any:
        terms = [self.number(weight) * columns[name] for name, weight in row.items()]
        if bias:
            terms.append(np.full(n, self.number(bias)))
        return self.total(which, terms) if terms else self.zeros(n)

    def total(self, which: str, terms: Sequence[Any]) -> Any:
        order = self.orders.get(which, self.order)
        stacked = np.stack(terms)
        if order == "balanced":
            return balanced_sum(stacked)
        acc, *rest = in_order(stacked, order)
        for term in rest:
            acc = acc + term
        assert acc.dtype == self.dtype
        return acc

    def attend(self, head: Head, columns: Columns, n: int) -> Columns:
        keys = [self.form("key", row, columns, n) for row in head.keys]
        queries = [self.form("query", row, columns, n) for row in head.queries]
        if str(head.temperature) != "1":
            scale = self.array([1 / head.temperature.evaluate(i=i, n=n) for i in range(1, n + 1)])
            queries = [query * scale for query in queries]
        values = {name: self.form("value", row, columns, n) for name, row in head.values.items()}
        written = {name: self.zeros(n) for name in values}
        for i in range(1, n + 1):
            seen = slice(head.mask.visible(i, n).start - 1, head.mask.visible(i, n).stop - 1)
            scores = self.total("score", [query[i - 1] * key[seen] for query, key in zip(queries, keys, strict=True)])
            exponentials = self.exponential(scores - scores.max(), head, i)
            assert exponentials.dtype == self.dtype
            sum_of_all = self.total("denominator", list(exponentials))
            for name, value in values.items():
                if self.normalised == "before":
                    weighted = list(exponentials / sum_of_all * value[seen])
                    written[name][i - 1] = self.total("weighted", weighted)
                else:
                    weighted = list(exponentials * value[seen])
                    written[name][i - 1] = self.total("weighted", weighted) / sum_of_all
        return written

    def feed(self, part: FeedForward, columns: Columns, n: int) -> Columns:
        activations = [np.maximum(self.form("unit", unit.reads, columns, n, unit.bias), self.zeros(n))
                       for unit in part.units]
        written = {}
        for name in part.written():
            terms = [self.number(unit.writes[name]) * activation
                     for unit, activation in zip(part.units, activations, strict=True) if name in unit.writes]
            if name in part.bias:
                terms.append(np.full(n, self.number(part.bias[name])))
            written[name] = self.total("output", terms)
        return written
