"""All words of one length at once: boxes around what positions hold, and around the weights of every head.

Claim       The box of a direction at a position contains its value there for every word of length n, behind each layer;
            the weights of a row, divided by their sum, contain the attention weights. Initially a box is the hull over
            the symbols; a softmax mean is the hull over scores and values in their intervals, a hard head's lies in the
            hull of the values that can win; feed-forward parts are enclosed (enclosures/feed_forward.py).
Numbers     Ends of boxes are FLINT's rationals, rounded outward to multiples of 2^-GRID unless the box is a point.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from constructions.errors import Unsupported
from constructions.network.transformer import Coefficients, FeedForward, Head, Layer, Transformer, Weighting
from constructions.network.weighting import hard_weights
from proofs.enclosures.intervals import Interval, enclose_form, point
from proofs.enclosures.rationals import ZERO, from_flint, row_to_flint, to_flint
from proofs.enclosures.softmax import Weight, enclose_mean, weights_in_common_units
from proofs.replay import enclose_feed_forward

GRID = 128
BITS = 96
"""Of the weights of softmax."""
SPREAD = 1 << 12
Box = dict[str, Interval]
HARD = (Weighting.AVERAGE_HARDMAX, Weighting.LEFTMOST_HARDMAX, Weighting.RIGHTMOST_HARDMAX)
ANY_SHARE: Weight = (0, 1)


@dataclass(frozen=True)
class Row:
    """A head at one position: what it sees, bounds of its weights, its scaled queries, keys and values.

    ``is_soft``: the weights are those of softmax; else they may be anything as soon as a score changes.
    """

    visible: range
    weights: list[Weight]
    is_soft: bool
    queries: list[Interval]
    written: Box


@dataclass(frozen=True)
class HeadBoxes:
    """A head over all words: keys and values at every position, and the rows that are asked for."""

    head: Head
    keys: list[list[Interval]]
    values: Mapping[str, list[Interval]]
    rows: Mapping[int, Row]


@dataclass(frozen=True)
class LayerBoxes:
    """A layer over all words: its heads, and the boxes behind attention and behind the layer, at the asked rows."""

    layer: Layer
    heads: list[HeadBoxes]
    attended: Mapping[int, Box]
    behind: Mapping[int, Box]


def initial_boxes(network: Transformer, n: int) -> list[Box]:
    """The hull over all symbols of what each position is embedded as."""
    tokens = _hull_of_tokens(network)
    positions = network.position_embedding
    return [tokens | {name: tokens.get(name, point(ZERO)) + point(to_flint(value.evaluate(i=i, n=n)))
                      for name, value in positions.items()} for i in range(1, n + 1)]


def _hull_of_tokens(network: Transformer) -> Box:
    rows = [row_to_flint(network.token_embedding[symbol]) for symbol in network.alphabet]
    names = dict.fromkeys(name for row in rows for name in row)
    ends = {name: [row.get(name, ZERO) for row in rows] for name in names}
    return {name: _between(min(values), max(values)) for name, values in ends.items()}


def boxes_of_layers(network: Transformer, n: int, judged: Sequence[int]) -> list[LayerBoxes]:
    """The boxes layer by layer; of the last layer at the judged positions alone.

    Raises:
        Unsupported: if the weights of a head are no shares of a whole.
    """
    stream = dict(enumerate(initial_boxes(network, n), start=1))
    found = []
    for number, layer in enumerate(network.layers, start=1):
        rows = judged if number == len(network.layers) else range(1, n + 1)
        heads = [_head_boxes(head, stream, rows, n) for head in layer.heads]
        attended = {i: _plus(stream[i], *(boxes.rows[i].written for boxes in heads)) for i in rows}
        stream = {i: _plus(box, _fed(layer.feedforward, box)) for i, box in attended.items()}
        found.append(LayerBoxes(layer, heads, attended, stream))
    return found


def _head_boxes(head: Head, stream: Mapping[int, Box], rows: Sequence[int], n: int) -> HeadBoxes:
    keys = [[enclose_form(row, stream[j], ZERO) for row in map(row_to_flint, head.keys)] for j in range(1, n + 1)]
    values = {name: [enclose_form(flint, stream[j], ZERO) for j in range(1, n + 1)]
              for name, flint in ((name, row_to_flint(row)) for name, row in head.values.items())}
    return HeadBoxes(head, keys, values, {i: _row(head, stream[i], keys, values, i, n) for i in rows})


def _row(head: Head, box: Box, keys: Sequence[Sequence[Interval]], values: Mapping[str, Sequence[Interval]],
         i: int, n: int) -> Row:
    sharpness = to_flint(1 / head.temperature.evaluate(i=i, n=n))
    queries = [enclose_form(row_to_flint(row), box, ZERO).scaled(sharpness) for row in head.queries]
    visible = head.mask.visible(i, n)
    scores = [sum((q * k for q, k in zip(queries, keys[j - 1], strict=True)), point(ZERO)) for j in visible]
    seen = {name: [column[j - 1] for j in visible] for name, column in values.items()}
    if head.weighting is Weighting.SOFTMAX:
        written = {name: outward(enclose_mean(scores, column, BITS, SPREAD)) for name, column in seen.items()}
        return Row(visible, weights_in_common_units(scores, BITS, SPREAD), True, queries, written)
    weights = _hard_shares(head, scores)
    written = {name: outward(_mean_by_shares(weights, column)) for name, column in seen.items()}
    return Row(visible, weights, False, queries, written)


def _hard_shares(head: Head, scores: Sequence[Interval]) -> list[Weight]:
    """Exact shares if the scores are known; else any share for who may have the greatest score."""
    if head.weighting not in HARD:
        raise Unsupported(f"head {head.name}: no bound for {head.weighting.value} is known here")
    if all(score.is_point for score in scores):
        shares = hard_weights([from_flint(score.lower) for score in scores], head.weighting)
        winners = sum(1 for share in shares if share)
        return [(int(share * winners), int(share * winners)) for share in shares]
    least = max(score.lower for score in scores)
    return [ANY_SHARE if score.upper >= least else (0, 0) for score in scores]


def _mean_by_shares(weights: Sequence[Weight], values: Sequence[Interval]) -> Interval:
    chosen = [value for value, (_, high) in zip(values, weights, strict=True) if high]
    if ANY_SHARE in weights:
        return _between(min(value.lower for value in chosen), max(value.upper for value in chosen))
    return sum(chosen, point(ZERO)).scaled(ZERO + 1 / (ZERO + len(chosen)))


def _fed(feedforward: FeedForward, box: Box) -> Box:
    return {name: outward(value) for name, value in enclose_feed_forward(feedforward, box).items()}


def _plus(box: Box, *changes: Mapping[str, Interval]) -> Box:
    result = dict(box)
    for change in changes:
        for name, value in change.items():
            result[name] = result[name] + value if name in result else value
    return result


def outward(x: Interval) -> Interval:
    """The interval with ends on the grid; a point stays what it is."""
    if x.is_point:
        return point(x.lower)
    return Interval(-_on_grid(-x.lower), _on_grid(x.upper))


def _on_grid(x: Any) -> Any:
    return (ZERO + in_units(x)) / (1 << GRID)


def in_units(x: Any) -> int:
    """The least number of units of 2^-GRID that is at least x.

    >>> in_units(ZERO + 1) == 1 << GRID
    True
    """
    return -int((-int(x.p) << GRID) // int(x.q))


def _between(lower: Any, upper: Any) -> Interval:
    return point(lower) if lower == upper else Interval(lower, upper)


def absolute_row(row: Coefficients) -> dict[str, Any]:
    """The linear form with absolute values of its weights."""
    return {name: abs(weight) for name, weight in row_to_flint(row).items() if weight}
