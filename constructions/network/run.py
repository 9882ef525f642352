"""Exact execution of a transformer with hard attention.

Soft attention is enclosed, not computed, in ``proofs.words.replay``; both run the layers through ``run_layers``.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TypeVar

from constructions.network.exact_weights import hard_weights
from constructions.network.transformer import FeedForward, Head, Transformer, combine

Residual = dict[str, Fraction]
V = TypeVar("V")


def embed(transformer: Transformer, word: Sequence[str]) -> list[Residual]:
    """Return the initial residual vectors, one per position; directions that are not embedded are absent (0).

    Raises:
        Unsupported: if an embedding is irrational.
    """
    n = len(word)
    stream = []
    for i, symbol in enumerate(word, start=1):
        vector = dict(transformer.token_embedding[symbol])
        for name, value in transformer.position_embedding.items():
            vector[name] = vector.get(name, Fraction(0)) + value.exactly(i=i, n=n)
        stream.append(vector)
    return stream


def run_layers(
    stream: list[dict[str, V]],
    transformer: Transformer,
    attend: Callable[[Head, list[dict[str, V]]], Iterable[Mapping[str, V]]],
    feed: Callable[[FeedForward, dict[str, V]], Mapping[str, V]],
    add: Callable[[V, V], V],
) -> list[dict[str, V]]:
    """Return the residual stream after the last layer, for any arithmetic with ``attend``, ``feed`` and ``add``.

    ``attend`` returns the output of a head, position by position.
    """

    def added(vector: dict[str, V], *changes: Mapping[str, V]) -> dict[str, V]:
        result = dict(vector)
        for change in changes:
            for name, value in change.items():
                result[name] = add(result[name], value) if name in result else value
        return result

    for layer in transformer.layers:
        attended = list(stream)
        for head in layer.heads:
            attended = [added(vector, change) for vector, change in zip(attended, attend(head, stream), strict=True)]
        stream = [added(vector, feed(layer.feedforward, vector)) for vector in attended]
    return stream


def scaled_scores(head: Head, stream: Sequence[Residual]) -> list[list[Fraction]]:
    """Return, for every position, its scores at the visible positions, divided by the temperature of the head.

    An irrational temperature has ln and sqrt rounded down: that preserves the order of scores and ties.
    """
    n = len(stream)
    keys = [[combine(row, vector) for row in head.keys] for vector in stream]
    scores = []
    for i, vector in enumerate(stream, start=1):
        sharpness = 1 / head.temperature.evaluate(i=i, n=n)
        query = [combine(row, vector) * sharpness for row in head.queries]
        scores.append([sum((q * k for q, k in zip(query, keys[j - 1], strict=True)), Fraction(0))
                       for j in head.mask.visible(i, n)])
    return scores


def attend_hard(head: Head, stream: list[Residual]) -> list[Residual]:
    """Return the head's output at each position with softmax replaced by average-hardmax."""
    columns = {name: [combine(row, vector) for vector in stream] for name, row in head.values.items()}
    changes = []
    for i, scores in enumerate(scaled_scores(head, stream), start=1):
        weights = hard_weights(scores, head.weighting)
        attended = [(w, j - 1) for w, j in zip(weights, head.mask.visible(i, len(stream)), strict=True) if w]
        changes.append({name: sum((weight * column[place] for weight, place in attended), Fraction(0))
                        for name, column in columns.items()})
    return changes


def feed_exactly(feedforward: FeedForward, vector: Residual) -> Residual:
    """Return the output of the feed-forward block for one residual vector."""
    change = dict(feedforward.bias)
    for unit in feedforward.units:
        activation = max(combine(unit.reads, vector) + unit.bias, Fraction(0))
        for name, weight in unit.writes.items():
            change[name] = change.get(name, Fraction(0)) + weight * activation
    return change


def run_hard(transformer: Transformer, word: Sequence[str]) -> list[Residual]:
    """Return the final residual vectors with every softmax replaced by average-hardmax; exact.

    Raises:
        Unsupported: if an embedding is irrational.
    """
    return run_layers(embed(transformer, word), transformer, attend_hard, feed_exactly, lambda a, b: a + b)
