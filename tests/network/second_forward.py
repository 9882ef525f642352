"""A second forward pass, for tests: dense matrices, mpmath at many digits, its own masks, softmax, ReLU and residuals.

It shares with the program only the matrices of ``constructions.network.dense``, never ``run_layers`` or an enclosure.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from mpmath import mp, mpf

from constructions.network.dense import DenseLayer, dense_layers
from constructions.network.transformer import Head, Transformer
from tests.check import brute
from tests.network.dense_embeddings import dense_embeddings

DIGITS = 120
Sparse = list[list[tuple[int, Any]]]


def number(x: Fraction) -> Any:
    return mpf(x.numerator) / x.denominator


def to_fraction(x: Any) -> Fraction:
    """Return the exact value of an mpf."""
    sign, man, exponent, _ = x._mpf_
    return (-1) ** sign * Fraction(int(man)) * Fraction(2) ** int(exponent)


class SecondForward:
    """Runs one transformer; ``run`` gives one list of mpf per position, in the order of ``directions``."""

    def __init__(self, transformer: Transformer, digits: int = DIGITS):
        self.transformer = transformer
        self.digits = digits
        self.names = list(transformer.directions)
        self.dense = dense_layers(transformer)
        with mp.workdps(digits):
            self.layers = [self._prepare(layer) for layer in self.dense]

    def _prepare(self, layer: DenseLayer) -> Any:
        heads = [(sparse(h.queries), sparse(h.keys), sparse(h.values)) for h in layer.heads]
        return heads, sparse(layer.w1), list(map(number, layer.b1)), sparse(layer.w2), list(map(number, layer.b2))

    def run(self, word: Sequence[str]) -> list[list[Any]]:
        with mp.workdps(self.digits):
            return self._run(word)

    def _run(self, word: Sequence[str]) -> list[list[Any]]:
        n = len(word)
        tokens, positions = dense_embeddings(self.transformer, n)
        places = {symbol: k for k, symbol in enumerate(self.transformer.alphabet)}
        stream = [
            [number(a + b) for a, b in zip(tokens[places[symbol]], positions[i], strict=True)]
            for i, symbol in enumerate(word)
        ]
        for layer, (heads, w1, b1, w2, b2) in zip(self.transformer.layers, self.layers, strict=True):
            attended = [list(h) for h in stream]
            for head, matrices in zip(layer.heads, heads, strict=True):
                for i, change in enumerate(self._attend(head, matrices, stream)):
                    attended[i] = [a + b for a, b in zip(attended[i], change, strict=True)]
            stream = []
            for h in attended:
                hidden = [max(x + b, mpf(0)) for x, b in zip(product(w1, h), b1, strict=True)]
                stream.append([x + y + b for x, y, b in zip(h, product(w2, hidden), b2, strict=True)])
        return stream

    def _attend(self, head: Head, matrices: tuple[Sparse, Sparse, Sparse], stream: list[list[Any]]) -> list[list[Any]]:
        query_rows, key_rows, value_rows = matrices
        n = len(stream)
        keys = [product(key_rows, h) for h in stream]
        values = [product(value_rows, h) for h in stream]
        changes = []
        for i in range(1, n + 1):
            query = product(query_rows, stream[i - 1])
            visible = [
                j
                for j in range(1, n + 1)
                if head.mask.value == "none" or (j <= i if head.mask.value == "future" else j >= i)
            ]
            scores = [mp.fsum(q * k for q, k in zip(query, keys[j - 1], strict=True)) for j in visible]
            if not head.weighting.is_hard:
                scores = [s / number(head.temperature.evaluate(i=i, n=n)) for s in scores]
            if head.weighting.value in OF_EACH_PAIR:
                weights = [OF_EACH_PAIR[head.weighting.value](s, n) for s in scores]
            elif head.weighting.value in ("geometric", "stick-breaking"):
                weights = break_stick(scores, visible.index(i))
            else:
                weights = weigh(scores, head.weighting.value)
            mean = [mpf(0)] * len(self.names)
            for weight, j in zip(weights, visible, strict=True):
                if weight:
                    mean = [m + weight * v for m, v in zip(mean, values[j - 1], strict=True)]
            changes.append(mean)
        return changes


def sigma(score: Any) -> Any:
    return 1 / (1 + mp.exp(-score))


OF_EACH_PAIR: dict[str, Callable[[Any, int], Any]] = {
    "relu": lambda score, n: max(score, mpf(0)),
    "relu-over-n": lambda score, n: max(score, mpf(0)) / n,
    "sigmoid": lambda score, n: sigma(score),
}


def break_stick(scores: list[Any], own: int) -> list[Any]:
    """σ of each score, times 1 - σ of those between it and the position itself, which has no weight."""
    def weight(k: int) -> Any:
        between = scores[min(k, own) + 1:max(k, own)]
        return mpf(0) if k == own else mp.fprod([sigma(scores[k]), *(1 - sigma(s) for s in between)])

    return [weight(k) for k in range(len(scores))]


def weigh(scores: list[Any], weighting: str) -> list[Any]:
    if weighting in ("sparsemax", "entmax-1.5", "softmax-plus-one"):
        return [*brute.weigh(weighting, dict(enumerate(scores)), 0, len(scores)).values()]
    top = max(scores)
    if weighting == "softmax":
        weights = [mp.exp(s - top) for s in scores]
    else:
        tied = [k for k, s in enumerate(scores) if top - s < mpf(10) ** -30]
        kept = {"average-hardmax": tied, "leftmost-hardmax": tied[:1], "rightmost-hardmax": tied[-1:]}[weighting]
        weights = [mpf(k in kept) for k in range(len(scores))]
    total = mp.fsum(weights)
    return [w / total for w in weights]


def sparse(matrix: Sequence[Sequence[Fraction]]) -> Sparse:
    return [[(k, number(x)) for k, x in enumerate(row) if x] for row in matrix]


def product(rows: Sparse, vector: Sequence[Any]) -> list[Any]:
    return [mp.fsum(x * vector[k] for k, x in row) for row in rows]
