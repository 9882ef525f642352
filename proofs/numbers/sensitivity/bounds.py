"""Upper bound of the change of every direction at every position by one exchange, layer by layer.

Source      [Hahn] Lemma 5, repaired: its proof omits the change of the attention weights. For residual networks with
            several heads, biases, any masks, and temperatures that depend on n and i.
Statement   Words w, w' of length n differ only at p. After each layer direction t at position i changes by at most
            Δ_i(t), which the rules below compute from the Δ before the layer and from boxes (boxes.py).
Embedding   Δ_p(t) is the greatest difference of two symbols' embeddings, and Δ_i(t) = 0 for i ≠ p.
Head        With queries q_i, keys k_j, values v_j and scores z_j = q_i·k_j/τ(n, i), all linear in the residual vectors:
            z_j - z'_j = (q - q')·k_j + q'·(k_j - k'_j) (over τ). If the weights are invariant under adding one number
            to all z_j, that is omitted: D_j = Σ_r Δq_r |k_jr - c_r| + |q_r| Δk_jr with c_r the middle of the keys
            (else 0) bounds the rest. The head's result changes by Σ α_j (v_j - v'_j) + Σ (α_j - α'_j) v'_j.
            First term: at most the greatest mean of Δv_j with weights in their bounds.
            Second term: at most TV(α, α') times the width of the values' hull, as Σ (α_j - α'_j) = 0.
            TV by D is in weights.py, and the replacement of both terms for weights of any sum. All scores on the
            segment between those of w and w' lie in the boxes, so weights do, too. No change exceeds the width of
            its box.
Units       The sum of units that read multiples of one form y is a piecewise linear function of y; it changes
            by at most its greatest slope over the box of y, times Σ |y_c| Δ(c). Other units add up.
Sum         Residual connections add the changes; biases and positions cancel. Again no change exceeds its box. ∎
Numbers     Integers in units of 2^-GRID, rounded up.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from constructions.network.transformer import Transformer
from proofs.enclosures.expressions import enclose_at
from proofs.enclosures.intervals import Interval, point
from proofs.enclosures.rationals import ZERO
from proofs.numbers.sensitivity.boxes import (
    Box,
    HeadBoxes,
    HeadRow,
    LayerBoxes,
    absolute_row,
    boxes_of_layers,
    initial_boxes,
)
from proofs.numbers.sensitivity.slopes import ramps_of
from proofs.numbers.sensitivity.units import UNIT, added, in_units, product, times
from proofs.numbers.sensitivity.weights import WeightingMode, bound_total_variation, greatest_mean

Moves = Mapping[int, Mapping[str, int]]
"""The bounds Δ in units, of positions and directions that may change."""


class SensitivityBounds:
    """The bounds of one network at one length."""

    def __init__(self, network: Transformer, n: int, judged: Sequence[int]) -> None:
        """Compute the boxes."""
        self.network, self.n, self.judged = network, n, judged
        self.layers = [_LayerBounds(boxes) for boxes in boxes_of_layers(network, n, judged)]
        self._embedded = initial_boxes(network, n)[:1]

    def change(self, p: int, direction: str) -> Fraction:
        """Bound the change of the direction by an exchange at p, over all judged positions."""
        moves = self.moves(p)
        return Fraction(max(moves.get(i, {}).get(direction, 0) for i in self.judged), UNIT)

    def moves(self, p: int) -> Moves:
        """Bound the change of each direction by an exchange at p, at the judged positions."""
        widths = _widths(self._embedded[0])
        moves: Moves = {p: widths} if widths else {}
        for layer in self.layers:
            moves = layer.moves_behind(moves)
        return moves


class _LayerBounds:
    """One layer: the rules above, with all terms that do not depend on the exchange."""

    def __init__(self, boxes: LayerBoxes) -> None:
        self.boxes = boxes
        self.heads = [_HeadBounds(head) for head in boxes.heads]
        self.ramps = {i: ramps_of(boxes.layer.feedforward, box) for i, box in boxes.attended.items()}

    def moves_behind(self, moves: Moves) -> Moves:
        written = [head.moves(moves) for head in self.heads]
        attended = {i: _capped(added(moves.get(i, {}), *(each.get(i, {}) for each in written)), box)
                    for i, box in self.boxes.attended.items()}
        return {i: found for i, before in attended.items()
                if (found := _capped(added(before, self._fed(i, before)), self.boxes.behind[i]))}

    def _fed(self, i: int, moves: Mapping[str, int]) -> dict[str, int]:
        return added(*({name: times(slope, moved) for name, slope in ramp.slopes.items()}
                       for ramp in self.ramps[i] if (moved := _moved(ramp.reads, moves))))


def _capped(moves: Mapping[str, int], box: Box) -> dict[str, int]:
    """Limit each change to the width of its box."""
    found = {name: min(moved, _width(box[name])) for name, moved in moves.items() if name in box}
    return {name: moved for name, moved in found.items() if moved}


def _widths(box: Box) -> dict[str, int]:
    return {name: width for name, value in box.items() if (width := _width(value))}


def _width(x: Interval) -> int:
    return in_units(x.upper - x.lower)


def _moved(row: Mapping[str, Any], moves: Mapping[str, int]) -> int:
    """Bound the change of a linear form; ``row`` has absolute values."""
    return sum(times(weight, moves[name]) for name, weight in row.items() if name in moves)


# -- one head ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _RowBounds:
    """The sizes of queries, of keys around their middles and of values, and the spans of values, for a row."""

    row: HeadRow
    queries: list[int]
    keys: list[list[int]]
    spans: dict[str, int]
    sizes: dict[str, list[int]]
    least: int

    @cached_property
    def widths(self) -> dict[str, int]:
        """The widths of the results."""
        return {name: _width(value) for name, value in self.row.written.items()}


class _HeadBounds:
    def __init__(self, boxes: HeadBoxes) -> None:
        self.boxes = boxes
        self.query_rows = [absolute_row(row) for row in boxes.head.queries]
        self.key_rows = [absolute_row(row) for row in boxes.head.keys]
        self.value_rows = {name: absolute_row(row) for name, row in boxes.head.values.items()}
        self.rows = {i: self._bounds(row) for i, row in boxes.rows.items()}

    def _bounds(self, row: HeadRow) -> _RowBounds:
        seen = [self.boxes.keys[j - 1] for j in row.visible]
        hulls = [_hull([keys[r] for keys in seen]) for r in range(len(self.key_rows))]
        middles = [(hull.lower + hull.upper) / 2 if row.weights.may_be_shifted else ZERO for hull in hulls]
        keys = [[in_units(max(key.upper - middle, middle - key.lower, ZERO))
                 for key, middle in zip(keys, middles, strict=True)] for keys in seen]
        seen_values = {name: [column[j - 1] for j in row.visible] for name, column in self.boxes.values.items()}
        none = [] if row.weights.phantom is None else [point(ZERO)]
        spans = {name: _width(_hull([*column, *none])) for name, column in seen_values.items()}
        sizes = {name: list(map(_size, column)) for name, column in seen_values.items()}
        return _RowBounds(row, list(map(_size, row.queries)), keys, spans, sizes, row.weights.least)

    def moves(self, moves: Moves) -> dict[int, dict[str, int]]:
        """Bound the change of the head's results at each row."""
        keys = {j: [_moved(row, before) for row in self.key_rows] for j, before in moves.items()}
        values = {j: {name: moved for name, row in self.value_rows.items() if (moved := _moved(row, before))}
                  for j, before in moves.items()}
        return {i: found for i, bounds in self.rows.items()
                if (found := self._row_moves(bounds, moves.get(i, {}), keys, values, i))}

    def _row_moves(self, bounds: _RowBounds, before: Mapping[str, int], keys: Mapping[int, Sequence[int]],
                   values: Mapping[int, Mapping[str, int]], i: int) -> dict[str, int]:
        temperature = enclose_at(self.boxes.head.temperature, i, len(self.boxes.keys)).lower
        queries = [-(-_moved(row, before) * temperature.denominator // temperature.numerator)
                   for row in self.query_rows]
        scores = self._score_moves(bounds, queries, keys)
        passed = {name: {place: values[j][name] for place, j in enumerate(bounds.row.visible)
                         if name in values.get(j, ())} for name in bounds.spans}
        moved = (_moves_of_sum if bounds.row.weights.way is WeightingMode.ADDED else _moves_of_mean)(bounds, scores,
                                                                                                     passed)
        capped = {name: min(change, bounds.widths[name]) for name, change in moved.items()}
        return {name: change for name, change in capped.items() if change}

    @staticmethod
    def _score_moves(bounds: _RowBounds, queries: Sequence[int], keys: Mapping[int, Sequence[int]]) -> dict[int, int]:
        """Return D_j, by the index of j among the visible positions, where a score may change."""
        found = {}
        asks = any(queries)
        for place, j in enumerate(bounds.row.visible):
            if not asks and j not in keys:
                continue
            moved = sum(map(product, queries, bounds.keys[place])) if asks else 0
            if j in keys:
                moved += sum(map(product, bounds.queries, keys[j]))
            if moved:
                found[place] = moved
        return found


def _moves_of_mean(bounds: _RowBounds, scores: Mapping[int, int],
                   values: Mapping[str, Mapping[int, int]]) -> dict[str, int]:
    """Bound the change of means, by the change of values and of weights."""
    weights = bounds.row.weights.bounds
    change = bound_total_variation(bounds.row.weights, [(moved, weights[place]) for place, moved in scores.items()])
    found = {}
    for name, span in bounds.spans.items():
        passed = [(moved, weights[place]) for place, moved in values[name].items()]
        found[name] = greatest_mean(passed, bounds.least) + product(change, span)
    return found


def _moves_of_sum(bounds: _RowBounds, scores: Mapping[int, int],
                  values: Mapping[str, Mapping[int, int]]) -> dict[str, int]:
    """Bound the change of sums of weighted values, weight by weight."""
    weights, slope = bounds.row.weights.bounds, bounds.row.weights.slope
    change = {place: min(times(slope, moved), weights[place][1] - weights[place][0])
           for place, moved in scores.items()}
    return {name: sum(product(weights[place][1], moved) for place, moved in values[name].items())
            + sum(product(moved, sizes[place]) for place, moved in change.items())
            for name, sizes in bounds.sizes.items()}


def _size(x: Interval) -> int:
    return in_units(max(abs(x.lower), abs(x.upper)))


def _hull(values: Sequence[Interval]) -> Interval:
    return Interval(min(value.lower for value in values), max(value.upper for value in values))
