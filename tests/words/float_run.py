"""Another evaluator: the output of a transformer in floating point, by its definition, with layer norms or without."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from constructions.network.transformer import Coefficients, Head, Transformer

Epsilons = Sequence[tuple[Fraction | None, Fraction | None]]


class FloatRun:
    """One word through a transformer whose heads have softmax; ``stream`` has a row for each position."""

    def __init__(self, transformer: Transformer, word: Sequence[str], epsilons: Epsilons = ()) -> None:
        self.transformer, self.n = transformer, len(word)
        self.place = {name: k for k, name in enumerate(transformer.directions)}
        positions = [{name: value.evaluate(i=i, n=self.n) for name, value in transformer.position_embedding.items()}
                     for i in range(1, self.n + 1)]
        self.stream = np.array([self.row(transformer.token_embedding[symbol]) + self.row(position)
                                for symbol, position in zip(word, positions, strict=True)])
        for layer, (after_heads, after_units) in zip(transformer.layers, epsilons or [(None, None)] * 99, strict=False):
            self.stream = self.stream + sum(map(self.attend, layer.heads), np.zeros_like(self.stream))
            self.norm(after_heads)
            change = np.tile(self.row(layer.feedforward.bias), (self.n, 1))
            for unit in layer.feedforward.units:
                active = np.maximum(self.stream @ self.row(unit.reads) + float(unit.bias), 0)
                change += np.outer(active, self.row(unit.writes))
            self.stream = self.stream + change
            self.norm(after_units)

    def row(self, form: Coefficients) -> NDArray[np.float64]:
        found = np.zeros(len(self.place))
        for name, weight in form.items():
            found[self.place[name]] = float(weight)
        return found

    def attend(self, head: Head) -> NDArray[np.float64]:
        queries, keys = (np.array([self.stream @ self.row(row) for row in rows]) for rows in (head.queries, head.keys))
        tau = np.array([float(head.temperature.evaluate(i=i, n=self.n)) for i in range(1, self.n + 1)])
        scores = (queries.T @ keys) / tau[:, None]
        for i in range(1, self.n + 1):
            hidden = [j - 1 for j in range(1, self.n + 1) if j not in head.mask.visible(i, self.n)]
            scores[i - 1, hidden] = -np.inf
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        weights /= weights.sum(axis=1, keepdims=True)
        change = np.zeros_like(self.stream)
        for name, form in head.values.items():
            change[:, self.place[name]] += weights @ (self.stream @ self.row(form))
        return change

    def norm(self, epsilon: Fraction | None) -> None:
        if epsilon is not None:
            centred = self.stream - self.stream.mean(axis=1, keepdims=True)
            self.stream = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + float(epsilon))

    def output(self, at: int) -> float:
        """Return the output at a position, from 1."""
        return float(self.stream[at - 1, self.place[self.transformer.output]])
