"""The float program in numpy: matrices of one format, and a choice of the format in which sums accumulate.

The order of operations is that of ``constructions.network.float_tables``, and the result of every operation is rounded
to the format of the matrices. With a wider ``accumulate``, matrix products with their biases and the softmax are
computed in that format and rounded once. Sums of 16 bits that accumulate in their own format are added one by one from
the left, each rounded, a bias last (numpy itself would silently use binary32); numpy sums binary32 and binary64 in an
order of its own.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from constructions.errors import InputError
from constructions.language.diagnosis import quote
from constructions.network.float_formats import FORMATS
from constructions.network.lengths import Lengths
from constructions.network.transformer import Transformer
from constructions.running.weights import PRECISIONS, Array, WeightArrays, weights_of


class NumpyNetwork:
    """A network that runs in numpy."""

    def __init__(self, weights: WeightArrays, accumulate: str | None = None) -> None:
        """Store the weights; by default sums are in the format of the weights.

        Raises:
            InputError: if there is no such format, or it does not contain all numbers of the weights' format.
        """
        own = FORMATS[weights.precision]
        wider = [name for name in PRECISIONS
                 if FORMATS[name].precision >= own.precision and FORMATS[name].largest >= own.largest]
        if accumulate is not None and accumulate not in wider:
            raise InputError(f"accumulate: found {accumulate!r}, expected {' or '.join(wider)}")
        self.weights = weights
        self.dtype = np.dtype(PRECISIONS[weights.precision])
        self.accumulate = np.dtype(PRECISIONS[accumulate or weights.precision])

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the last axis of ``run``; the formula is last."""
        return tuple(self.weights.truths)

    def run(self, words: Sequence[Sequence[str]]) -> Array:
        """Return the truths of the formula and of its subformulas, [words, n, formulas], for words of one length.

        Raises:
            InputError: if there are no words, or they are not all of one length that the weights support, or a symbol
                is not in the alphabet.
        """
        return np.asarray(self.stream(words)[:, :, list(self.weights.truths.values())])

    def stream(self, words: Sequence[Sequence[str]]) -> Array:
        """Return the final residual vectors, [words, n, d].

        Raises:
            InputError: as ``run``.
        """
        with np.errstate(over="ignore", invalid="ignore"):  # infinity and NaN are values of the formats
            return self._forward(self._tokens(words))

    def _forward(self, tokens: Array) -> Array:
        arrays, positions = self.weights.arrays, self._positions(tokens.shape[1])
        stream: Any = arrays["token_embedding"][tokens] + positions[:, arrays["embedded"]]
        for layer in range(self.weights.layers):
            own = {name.rpartition(".")[2]: array for name, array in arrays.items()
                   if name.startswith(f"layers.{layer}.")}
            stream = stream + self._attend(own, stream, positions)
            hidden = np.maximum(self._product(stream, own["w1"], own["b1"]), 0)
            stream = stream + self._product(hidden, own["w2"], own["b2"])
        return np.asarray(stream)

    def _tokens(self, words: Sequence[Sequence[str]]) -> Array:
        places = {symbol: place for place, symbol in enumerate(self.weights.alphabet)}
        sizes = {len(word) for word in words}
        lengths = self.weights.lengths
        if len(sizes) != 1 or not lengths.first <= min(sizes) <= lengths.last:
            found = ", ".join(map(str, sorted(sizes))) or "no words"
            raise InputError(f"words of length {found}: expected one length of {lengths}")
        unknown = [symbol for word in words for symbol in word if symbol not in places]
        if unknown:
            raise InputError(f"symbol {quote(unknown[0])}: expected one of {', '.join(places)}")
        return np.array([[places[symbol] for symbol in word] for word in words])

    def _positions(self, n: int) -> Array:
        """Return every function of the position: a row per position."""
        arrays = self.weights.arrays
        by_n = np.broadcast_to(arrays["by_n"][n - 1], (n, arrays["by_n"].shape[1]))
        return np.concatenate([arrays["by_i"][:n], by_n, arrays["by_n_and_i"][n - 1, :n]], axis=1)

    def _attend(self, own: dict[str, Array], stream: Array, positions: Array) -> Array:
        """Return the outputs of the heads of a layer, [words, heads, n, d], before their sum."""
        every = stream[:, np.newaxis]
        query = self._product(every, own["query"]) * positions.T[own["scale"]][:, :, np.newaxis]
        scores = self._product(query, self._product(every, own["key"]).swapaxes(-1, -2))
        i, j = np.indices(scores.shape[-2:])
        seen = (own["sees_before"][:, np.newaxis, np.newaxis] | (j >= i)) & (
            own["sees_after"][:, np.newaxis, np.newaxis] | (j <= i))
        weights = self._softmax(np.where(seen, scores, np.array(-np.inf, self.dtype)))
        out = self._product(weights, self._product(every, own["value"]))
        return np.asarray(out.sum(axis=1, dtype=self.dtype))  # one head writes each direction: the others add 0

    def _softmax(self, scores: Array) -> Array:
        wide = scores.astype(self.accumulate)
        powers = np.exp(wide - wide.max(axis=-1, keepdims=True))
        total = self._sum(powers)
        return np.asarray((powers / total[..., np.newaxis]).astype(self.dtype))

    def _sum(self, terms: Array) -> Array:
        if self.accumulate.itemsize > 2:
            return np.asarray(terms.sum(axis=-1))
        total = terms[..., 0]
        for place in range(1, terms.shape[-1]):
            total = total + terms[..., place]
        return total

    def _product(self, left: Array, right: Array, bias: Array | int = 0) -> Array:
        """Return a matrix product plus a bias, rounded once; the matrices are the last two axes."""
        left, right = left.astype(self.accumulate), right.astype(self.accumulate)
        if self.accumulate.itemsize > 2:
            return np.asarray(left @ right + np.asarray(bias, self.accumulate)).astype(self.dtype)
        shape = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
        total: Any = np.zeros((*shape, left.shape[-2], right.shape[-1]), self.dtype)
        for place in range(left.shape[-1]):
            total = total + left[..., place, np.newaxis] * right[..., np.newaxis, place, :]
        return np.asarray(total + np.asarray(bias, self.dtype))


def to_numpy(transformer: Transformer, max_n: int = 64, precision: str = "binary32", accumulate: str | None = None,
             min_n: int = 1) -> NumpyNetwork:
    """Return a program that runs in numpy, for words of these lengths (docs/howto/exports.md).

    Raises:
        InputError: if there is no such format, or a function is undefined at one of the lengths.
        Unsupported: if a number is too large for the precision, or the transformer has no float program.
    """
    return NumpyNetwork(weights_of(transformer, Lengths(min_n, max_n), precision), accumulate)
