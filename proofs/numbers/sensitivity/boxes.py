"""All words of one length at once: boxes around residual vectors, and around the weights of every head.

Claim       The box of a direction at a position contains its value there for every word of length n, after each layer;
            the weights of a row contain the attention weights (weights.py). Initially a box is the hull over the
            symbols; feed-forward parts are enclosed (enclosures/feed_forward.py).
Numbers     Ends of boxes are FLINT's rationals, rounded outward to multiples of 2^-GRID unless the box is a point.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from constructions.network.transformer import Coefficients, FeedForward, Head, Layer, Transformer
from proofs.enclosures.expressions import flint_at, sharpness_at
from proofs.enclosures.intervals import Interval, enclose_form, point
from proofs.enclosures.rationals import ZERO, row_to_flint
from proofs.numbers.sensitivity.units import added, between, outward
from proofs.numbers.sensitivity.weights import WeightBounds, weigh, weights_of_all_words
from proofs.words.replay import enclose_feed_forward

Box = dict[str, Interval]


@dataclass(frozen=True)
class HeadRow:
    """A head at one position: its visible positions, bounds of its weights, its scaled queries, and its output."""

    visible: range
    weights: WeightBounds
    queries: list[Interval]
    written: Box


@dataclass(frozen=True)
class HeadBoxes:
    """A head over all words: keys and values at every position, and the rows that are needed."""

    head: Head
    keys: list[list[Interval]]
    values: Mapping[str, list[Interval]]
    rows: Mapping[int, HeadRow]


@dataclass(frozen=True)
class LayerBoxes:
    """A layer over all words: its heads, and the boxes after attention and after the layer, at the needed rows."""

    layer: Layer
    heads: list[HeadBoxes]
    attended: Mapping[int, Box]
    behind: Mapping[int, Box]


def initial_boxes(network: Transformer, n: int) -> list[Box]:
    """Return the hull over all symbols of the embedding of each position."""
    tokens = _hull_of_tokens(network)
    positions = network.position_embedding
    return [tokens | {name: tokens.get(name, point(ZERO)) + flint_at(value, i, n)
                      for name, value in positions.items()} for i in range(1, n + 1)]


def _hull_of_tokens(network: Transformer) -> Box:
    rows = [row_to_flint(network.token_embedding[symbol]) for symbol in network.alphabet]
    names = dict.fromkeys(name for row in rows for name in row)
    ends = {name: [row.get(name, ZERO) for row in rows] for name in names}
    return {name: between(min(values), max(values)) for name, values in ends.items()}


def boxes_of_layers(network: Transformer, n: int, judged: Sequence[int]) -> list[LayerBoxes]:
    """Return the boxes layer by layer; those of the last layer at the judged positions only."""
    stream = dict(enumerate(initial_boxes(network, n), start=1))
    found = []
    for number, layer in enumerate(network.layers, start=1):
        rows = judged if number == len(network.layers) else range(1, n + 1)
        heads = [_head_boxes(head, stream, rows, n) for head in layer.heads]
        attended = {i: added(stream[i], *(boxes.rows[i].written for boxes in heads)) for i in rows}
        stream = {i: added(box, _fed(layer.feedforward, box)) for i, box in attended.items()}
        found.append(LayerBoxes(layer, heads, attended, stream))
    return found


def _head_boxes(head: Head, stream: Mapping[int, Box], rows: Sequence[int], n: int) -> HeadBoxes:
    keys = [[enclose_form(row, stream[j], ZERO) for row in map(row_to_flint, head.keys)] for j in range(1, n + 1)]
    values = {name: [enclose_form(flint, stream[j], ZERO) for j in range(1, n + 1)]
              for name, flint in ((name, row_to_flint(row)) for name, row in head.values.items())}
    return HeadBoxes(head, keys, values, {i: _row(head, stream[i], keys, values, i, n) for i in rows})


def _row(head: Head, box: Box, keys: Sequence[Sequence[Interval]], values: Mapping[str, Sequence[Interval]],
         i: int, n: int) -> HeadRow:
    sharpness = sharpness_at(head.temperature, i, n)
    queries = [enclose_form(row_to_flint(row), box, ZERO) * sharpness for row in head.queries]
    visible = head.mask.visible(i, n)
    scores = [sum((q * k for q, k in zip(queries, keys[j - 1], strict=True)), point(ZERO)) for j in visible]
    seen = {name: [column[j - 1] for j in visible] for name, column in values.items()}
    written = {name: outward(value) for name, value in weigh(head, scores, seen, n).items()}
    return HeadRow(visible, weights_of_all_words(head, scores, n), queries, written)


def _fed(feedforward: FeedForward, box: Box) -> Box:
    return {name: outward(value) for name, value in enclose_feed_forward(feedforward, box).items()}


def absolute_row(row: Coefficients) -> dict[str, Any]:
    """Return the linear form with absolute values of its weights."""
    return {name: abs(weight) for name, weight in row_to_flint(row).items() if weight}
