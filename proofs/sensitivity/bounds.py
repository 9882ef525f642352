"""How far one exchange can move every direction at every position: a bound from above, layer by layer.

Source      [Hahn] Lemma 5, repaired: its proof drops the change of the attention weights. For residual networks with
            several heads, biases, any masks, and temperatures that depend on n and i.
Statement   Words w, w' of length n differ at p alone. Behind each layer direction t at position i changes by at most
            Δ_i(t), which the rules below compute from the Δ before the layer and from boxes (boxes.py).
Embedding   Δ_p(t) is the greatest difference of two symbols' embeddings, and Δ_i(t) = 0 for i ≠ p.
Head        With queries q_i, keys k_j, values v_j and scores z_j = q_i·k_j/τ(n, i), all linear in what positions hold:
            z_j - z'_j = (q - q')·k_j + q'·(k_j - k'_j) (over τ). A number that is the same for all visible j may be
            added to all z_j: the weights stay the same. So let D_j = Σ_r Δq_r |k_jr - c_r| + |q_r| Δk_jr with c_r the
            middle of the keys. The head's result changes by Σ α_j (v_j - v'_j) + Σ (α_j - α'_j) v'_j.
            First term: at most the greatest mean of Δv_j with weights in their bounds.
            Second term: at most TV(α, α') times the width of the values' hull, as Σ (α_j - α'_j) = 0.
            TV: scores differ by at most D_j + D_k for two positions j and k, so the weights' quotients lie within a
            factor e^(D_j + D_k) of one another, and TV <= tanh(greatest D_j + D_k)/4). Also, along the segment from z
            to z', dα_j = α_j (dz_j - Σ α dz), so TV <= (1/2) Σ α_j |dz_j - Σ α dz| <= Σ α_j |dz_j|: the greatest
            mean of D_j, with weights in the same bounds, since all scores of the segment lie in the boxes.
            A head with hard attention keeps its weights if no score changes, and TV <= 1.
            Nothing changes by more than the width of its box.
Units       Of units that read multiples of one form y, the sum is a function of y alone, piecewise linear; it changes
            by at most its greatest slope over the box of y, times Σ |y_c| Δ(c). Other units add up.
Sum         Residual connections add the changes; biases and positions cancel. Again nothing exceeds its box. ∎
Numbers     Integers in units of 2^-GRID, rounded up.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from constructions.network.transformer import Transformer
from proofs.enclosures.exponential import ball, exact_ends, working_precision
from proofs.enclosures.intervals import Interval
from proofs.enclosures.softmax import Weight
from proofs.sensitivity.boxes import (
    BITS,
    GRID,
    Box,
    HeadBoxes,
    LayerBoxes,
    Row,
    absolute_row,
    boxes_of_layers,
    in_units,
    initial_boxes,
)
from proofs.sensitivity.slopes import ramps_of

UNIT = 1 << GRID
Moves = Mapping[int, Mapping[str, int]]
"""Δ in units, of positions and directions that may change at all."""


class Bounds:
    """The bounds of one network at one length."""

    def __init__(self, network: Transformer, n: int, judged: Sequence[int]) -> None:
        """Boxes are made once.

        Raises:
            Unsupported: if a head's weights are of a kind without a bound.
        """
        self.network, self.n, self.judged = network, n, judged
        self.layers = [_LayerBounds(boxes) for boxes in boxes_of_layers(network, n, judged)]
        self._embedded = initial_boxes(network, n)[:1]

    def change(self, p: int, direction: str) -> Fraction:
        """How far an exchange at p moves the direction at some judged position, at most."""
        moves = self.moves(p)
        return Fraction(max(moves.get(i, {}).get(direction, 0) for i in self.judged), UNIT)

    def moves(self, p: int) -> Moves:
        """How far an exchange at p moves each direction at the judged positions, at most."""
        widths = _widths(self._embedded[0])
        moves: Moves = {p: widths} if widths else {}
        for layer in self.layers:
            moves = layer.moves_behind(moves)
        return moves


class _LayerBounds:
    """One layer: the rules above, with what does not depend on the exchange kept."""

    def __init__(self, boxes: LayerBoxes) -> None:
        self.boxes = boxes
        self.heads = [_HeadBounds(head) for head in boxes.heads]
        self.ramps = {i: ramps_of(boxes.layer.feedforward, box) for i, box in boxes.attended.items()}

    def moves_behind(self, moves: Moves) -> Moves:
        written = [head.moves(moves) for head in self.heads]
        attended = {i: _capped(_total([moves.get(i, {}), *(each.get(i, {}) for each in written)]), box)
                    for i, box in self.boxes.attended.items()}
        return {i: found for i, before in attended.items()
                if (found := _capped(_total([before, self._fed(i, before)]), self.boxes.behind[i]))}

    def _fed(self, i: int, moves: Mapping[str, int]) -> dict[str, int]:
        found: dict[str, int] = {}
        for ramp in self.ramps[i] if moves else ():
            if moved := _moved(ramp.reads, moves):
                for name, slope in ramp.slopes.items():
                    found[name] = found.get(name, 0) + _times(slope, moved)
        return found


def _total(changes: Sequence[Mapping[str, int]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for change in changes:
        for name, moved in change.items():
            found[name] = found.get(name, 0) + moved
    return found


def _capped(moves: Mapping[str, int], box: Box) -> dict[str, int]:
    """Nothing moves by more than the width of its box."""
    found = {name: min(moved, _width(box[name])) for name, moved in moves.items() if name in box}
    return {name: moved for name, moved in found.items() if moved}


def _widths(box: Box) -> dict[str, int]:
    return {name: width for name, value in box.items() if (width := _width(value))}


def _width(x: Interval) -> int:
    return in_units(x.upper - x.lower)


def _moved(row: Mapping[str, Any], moves: Mapping[str, int]) -> int:
    """How far a linear form moves, at most; ``row`` has absolute values."""
    return sum(_times(weight, moves[name]) for name, weight in row.items() if name in moves)


def _times(weight: Any, moved: int) -> int:
    """The product, rounded up."""
    return -(-int(weight.p) * moved // int(weight.q))


def _product(x: int, y: int) -> int:
    """The product of numbers in units, rounded up."""
    return -(-x * y >> GRID)


# -- one head ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _RowBounds:
    """Of a row: how large queries, and keys around their middles, can be; how far apart values are, and results."""

    row: Row
    queries: list[int]
    keys: list[list[int]]
    spans: dict[str, int]
    least: int

    @cached_property
    def widths(self) -> dict[str, int]:
        """How far results can be apart."""
        return {name: _width(value) for name, value in self.row.written.items()}


class _HeadBounds:
    def __init__(self, boxes: HeadBoxes) -> None:
        self.boxes = boxes
        self.query_rows = [absolute_row(row) for row in boxes.head.queries]
        self.key_rows = [absolute_row(row) for row in boxes.head.keys]
        self.value_rows = {name: absolute_row(row) for name, row in boxes.head.values.items()}
        self.rows = {i: self._bounds(row) for i, row in boxes.rows.items()}

    def _bounds(self, row: Row) -> _RowBounds:
        seen = [self.boxes.keys[j - 1] for j in row.visible]
        hulls = [_hull([keys[r] for keys in seen]) for r in range(len(self.key_rows))]
        middles = [(hull.lower + hull.upper) / 2 for hull in hulls]
        keys = [[in_units(max(key.upper - middle, middle - key.lower))
                 for key, middle in zip(keys, middles, strict=True)] for keys in seen]
        spans = {name: _width(_hull([column[j - 1] for j in row.visible]))
                 for name, column in self.boxes.values.items()}
        queries = [in_units(max(abs(query.lower), abs(query.upper))) for query in row.queries]
        return _RowBounds(row, queries, keys, spans, sum(low for low, _ in row.weights))

    def moves(self, moves: Moves) -> dict[int, dict[str, int]]:
        """How far the head's results move at each row."""
        keys = {j: [_moved(row, before) for row in self.key_rows] for j, before in moves.items()}
        values = {j: {name: moved for name, row in self.value_rows.items() if (moved := _moved(row, before))}
                  for j, before in moves.items()}
        return {i: found for i, bounds in self.rows.items()
                if (found := self._row_moves(bounds, moves.get(i, {}), keys, values, i))}

    def _row_moves(self, bounds: _RowBounds, before: Mapping[str, int], keys: Mapping[int, Sequence[int]],
                   values: Mapping[int, Mapping[str, int]], i: int) -> dict[str, int]:
        temperature = self.boxes.head.temperature.evaluate(i=i, n=len(self.boxes.keys))
        queries = [-(-_moved(row, before) * temperature.denominator // temperature.numerator)
                   for row in self.query_rows]
        scores = self._score_moves(bounds, queries, keys)
        turned = _turned(bounds, scores)
        weighed = list(zip(bounds.row.visible, bounds.row.weights, strict=True))
        found = {}
        for name, span in bounds.spans.items():
            passed = [(values[j][name], weight) for j, weight in weighed if name in values.get(j, ())]
            moved = greatest_mean(passed, bounds.least) + _product(turned, span)
            if moved := min(moved, bounds.widths[name]):
                found[name] = moved
        return found

    @staticmethod
    def _score_moves(bounds: _RowBounds, queries: Sequence[int],
                     keys: Mapping[int, Sequence[int]]) -> list[tuple[int, Weight]]:
        """D_j with the weight, of positions whose score may change."""
        found = []
        asks = any(queries)
        for place, j in enumerate(bounds.row.visible):
            if not asks and j not in keys:
                continue
            moved = sum(map(_product, queries, bounds.keys[place])) if asks else 0
            if j in keys:
                moved += sum(map(_product, bounds.queries, keys[j]))
            if moved:
                found.append((moved, bounds.row.weights[place]))
        return found


def _hull(values: Sequence[Interval]) -> Interval:
    return Interval(min(value.lower for value in values), max(value.upper for value in values))


def _turned(bounds: _RowBounds, scores: Sequence[tuple[int, Weight]]) -> int:
    """TV of the weights before and after, in units, at most."""
    if not scores:
        return 0
    if not bounds.row.is_soft:
        return UNIT
    greatest = sorted((moved for moved, _ in scores), reverse=True)[:2]
    return min(tanh_of_quarter(sum(greatest)), greatest_mean(scores, bounds.least), UNIT)


def tanh_of_quarter(moved: int) -> int:
    """tanh(D/4), rounded up; at most 1.

    >>> tanh_of_quarter(0), tanh_of_quarter(1000 * UNIT) == UNIT
    (0, True)
    """
    if moved >= 4 * BITS * UNIT:
        return UNIT
    with working_precision(GRID):
        upper = exact_ends(ball(Fraction(moved, 4 * UNIT)).tanh())[1]
    return min(UNIT, -(-upper.numerator * UNIT // upper.denominator))


def greatest_mean(values: Sequence[tuple[int, Weight]], least: int) -> int:
    """The greatest mean of non-negative numbers, rounded up, with each weight between its bounds.

    ``least`` is the sum of the lower bounds of all weights; numbers that are left out are 0. Raising the weight of a
    number raises the mean as long as the number exceeds it, so the greatest numbers have their upper bounds.

    >>> greatest_mean([(6, (1, 2)), (1, (1, 1))], 3)
    4
    """
    if least == 0:
        return max((value for value, (_, high) in values if high), default=0)
    total, weighted = least, sum(value * low for value, (low, _) in values)
    for value, (low, high) in sorted(values, reverse=True):
        if value * total <= weighted:
            break
        total += high - low
        weighted += (high - low) * value
    return -(-weighted // total)
