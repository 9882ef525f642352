"""Networks of one attention step, without norms, with `relu` units, in long integers: evidence, not proof.

Numbers are integers over 2^PLACES, weights of softmax over 2^WEIGHT. The checker's proof:
docs/background/tracks_rules.md, section 5, Exact numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

import numpy as np
from mpmath.libmp.libelefun import exp_fixed
from numpy.typing import NDArray

from constructions.trained.network import Affine, AttentionStep, NormStep, TrainedNetwork, UnitsStep, View
from constructions.trained.numbers import numbers
from constructions.trained.tracks import Layout, TracksClaim

Long = NDArray[np.object_]
Indices = NDArray[np.intp]
PLACES = 320
WEIGHT = 176
PRECISION = 128
"""Fractional bits of the checker's scores."""
GUARD = 30
MOST_AVERAGED = 8
CHORD = 20


def find_obstacle(network: TrainedNetwork) -> str | None:
    """Return why exact numbers are not tried: the checker has no rule, or boxes would be too wide; else None."""
    if sum(isinstance(step, AttentionStep) for step in network.steps) != 1 or not network.is_causal:
        return "it has not one causal attention step"
    for step in network.steps:
        if isinstance(step, NormStep) or step.norm is not None:
            return "it has a norm"
        if isinstance(step, AttentionStep) and step.rotary is not None:
            return "it has rotary positions"
        if isinstance(step, AttentionStep) and step.cap is not None:
            return "its scores have a cap"
        if isinstance(step, UnitsStep) and (step.gate is not None or step.activation not in ("relu", "identity")):
            return "its units are other ones than relu"
        if isinstance(step, AttentionStep) and sum(head.out.shape[0] for head in step.heads) > MOST_AVERAGED:
            return f"its heads average more than {MOST_AVERAGED} numbers"
    return None


def fixed(array: NDArray[np.float64]) -> Long:
    """Return the numbers as integers over 2^PLACES, rounded down."""
    found = np.empty(array.shape, object)
    for place in np.ndindex(array.shape):
        top, below = array[place].item().as_integer_ratio()
        found[place] = (top << PLACES) // below
    return found


@dataclass(frozen=True)
class LongMap:
    """The affine map x ↦ x weight + bias."""

    weight: Long
    bias: Long | None

    def __call__(self, x: Long) -> Long:
        """Return x weight, without the bias."""
        return np.asarray(x.dot(self.weight) >> PLACES)


class LongNetwork:
    """Streams of tokens at places (row place · tokens + token), and logits of averages."""

    def __init__(self, network: TrainedNetwork, claim: TracksClaim, form: Layout) -> None:
        self.network, self.tokens = network, network.tokens.shape[0]
        at = next(k for k, step in enumerate(network.steps) if isinstance(step, AttentionStep))
        self._units = [(step.activation == "relu", self._map(step.inward), self._map(step.outward))
                       for step in network.steps if isinstance(step, UnitsStep)]
        self._before, self._after = self._units[:at], self._units[at:]
        self.step = next(step for step in network.steps if isinstance(step, AttentionStep))
        self.logits = self._map(network.unembedding)
        length = len(form.layout) - 1
        rows = np.tile(self._view(network.tokens), (length, 1))
        if network.positions is not None:
            places = self._view(network.positions)[claim.offset:claim.offset + length]
            rows = rows + np.repeat(places, self.tokens, axis=0)
        for is_relu, inward, outward in self._before:
            units = applied(inward, rows)
            rows = rows + applied(outward, np.maximum(units, 0) if is_relu else units)
        self.places = np.repeat(np.arange(length), self.tokens)
        self.streams = rows if self.step.bias is None else rows + self._view(self.step.bias)
        heads = self.step.heads
        self.queries, self.keys, self.values = (
            [applied(self._map(getattr(head, part)), rows) for head in heads] for part in ("query", "key", "value"))
        self.outs = [self._view(head.out) for head in heads]
        self.widths = [out.shape[0] for out in self.outs]

    def _view(self, view: View) -> Long:
        return fixed(numbers(self.network, view))

    def _map(self, affine: Affine) -> LongMap:
        return LongMap(self._view(affine.weight), None if affine.bias is None else self._view(affine.bias))

    def weights(self, head: int, own: int, rows: Indices) -> Long:
        """Return the weights of rows for a query row, over 2^WEIGHT, the greatest 1; 0 elsewhere."""
        scores = self.keys[head][rows].dot(self.queries[head][own]) >> PLACES
        scale, slope = self.step.scale, self.step.heads[head].slope
        if scale.root is not None:
            scores = scores * isqrt((1 << 2 * PLACES) // scale.root) >> PLACES
        elif scale.times is not None:
            scores = scores * scale.times.numerator // scale.times.denominator
        if slope is not None:
            away = (self.places[rows] - self.places[own]).astype(object)
            scores = scores + away * ((slope.numerator << PLACES) // slope.denominator)
        top, found = scores.max(), np.zeros(len(self.places), object)
        bits = WEIGHT + GUARD
        for row, score in zip(rows.tolist(), scores.tolist(), strict=True):
            found[row] = int(exp_fixed(score - top >> PLACES - bits, bits)) >> GUARD
        return found

    def stream(self, own: int) -> Long:
        """Return the stream of a row as a constant and coefficients [1 + variables, width] of the heads' averages."""
        return np.concatenate([self.streams[own][np.newaxis], *self.outs])

    def differences(self, stream: Long, answer: int, others: Sequence[int], box: list[tuple[int, int]], places: int
                    ) -> tuple[list[Fraction], list[Kink]]:
        """Return the least logit differences in a box over 2^places, and the units that may have both signs."""
        kinks: list[Kink] = []
        box, count = list(box), len(box)
        for is_relu, inward, outward in self._after:
            units = linear(inward, stream)
            if is_relu:
                units, more = relu(units, box, places)
                kinks += [(width, factors[:1 + count]) for width, factors in more]
            stream = grown(stream, len(units)) + linear(outward, units)
        logits = linear(self.logits, stream)
        rows = logits[:, [answer]] - logits[:, list(others)]
        least, _ = ends(rows, box, places)
        return [Fraction(one, 1 << PLACES + places) for one in least], kinks


Kink = tuple[int, Long]
"""The width of a unit that may have both signs, and its constant and coefficients."""


def applied(linear_map: LongMap, rows: Long) -> Long:
    """Return the image of each row."""
    made = linear_map(rows)
    return made if linear_map.bias is None else made + linear_map.bias


def linear(one: LongMap, factors: Long) -> Long:
    """Return the image of a constant and coefficients of variables."""
    made = one(factors)
    if one.bias is not None:
        made[0] = made[0] + one.bias
    return made


def grown(factors: Long, rows: int) -> Long:
    """Append coefficients 0 of more variables."""
    more = np.zeros((rows - len(factors), factors.shape[1]), object)
    return np.concatenate([factors, more])


def ends(factors: Long, box: Sequence[tuple[int, int]], places: int) -> tuple[Long, Long]:
    """Return the least and the greatest of each coordinate, over 2^(PLACES + places)."""
    least = greatest = factors[0] << places
    for row, (low, high) in zip(factors[1:], box, strict=True):
        a, b = row * low, row * high
        least, greatest = least + np.minimum(a, b), greatest + np.maximum(a, b)
    return least, greatest


def relu(units: Long, box: list[tuple[int, int]], places: int) -> tuple[Long, list[Kink]]:
    """Return relu by chords; a unit that may have both signs gets a new variable, which is appended to the box."""
    least, greatest = ends(units, box, places)
    made, kinks, more = units.copy(), list[Kink](), list[tuple[int, int]]()
    for unit, (low, high) in enumerate(zip(least, greatest, strict=True)):
        if low >= 0:
            continue
        slope = 0 if high <= 0 else (high << CHORD) // (high - low)
        made[:, unit] = units[:, unit] * slope >> CHORD
        if high > 0:
            most = ((1 << CHORD) - slope) * high
            box.append((0, -(-most >> CHORD + PLACES)))
            more.append((unit, most))
    made = grown(made, len(units) + len(more))
    for k, (unit, most) in enumerate(more):
        made[len(units) + k, unit] = 1 << PLACES
        kinks.append((most, units[:, unit]))
    return made, kinks
