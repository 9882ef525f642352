"""A trained network on one input in ball arithmetic (Arb): every ball contains the true real value.

Weights are exact; products, exp, erf and roots are Arb's, whose balls have proved bounds. More bits make balls smaller;
a sign is decided only if the whole ball has it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

import numpy as np
from flint import arb, arb_mat

from constructions.trained import network as trained
from proofs.enclosures.exponential import ball, exact_ends, working_precision
from proofs.trained.activations import GELU_TANH_CUBE, GELU_TANH_SLOPE
from proofs.trained.forward import Array, FloatNetwork, Floats

BITS = (64, 128, 256, 512, 1024)
"""Precisions, tried in turn while a sign is undecided."""

Rows = list[list[arb]]
Map = Callable[[arb], arb]


@dataclass(frozen=True)
class RowDecision:
    """A decision whether a row's value is above the margin; None if undecided at all precisions of ``BITS``.

    The value lies in ``ends``, which are None if it could not be bounded.
    """

    above: bool | None
    ends: tuple[Fraction, Fraction] | None
    bits: int


def _increasing(function: Map, x: arb) -> arb:
    """Enclose an increasing function on a ball: by its values at both ends where ball arithmetic has no bound."""
    value = function(x)
    return value if value.is_finite() or not x.is_finite() else function(x.lower()).union(function(x.upper()))


def _logistic(x: arb) -> arb:
    return _increasing(lambda y: y.exp() / (1 + y.exp()) if y < -1000 else 1 / (1 + (-y).exp()), x)


def _gelu(x: arb) -> arb:
    return x * (1 + (x / arb(2).sqrt()).erf()) / 2


def _gelu_tanh(x: arb) -> arb:
    """Return GELU by tanh; the cube is a product, as Arb's power of a ball around 0 is NaN."""
    return x * _logistic(2 * ball(GELU_TANH_SLOPE) * (x + ball(GELU_TANH_CUBE) * x * x * x))


ACTIVATIONS: Mapping[trained.Activation, Map] = {
    "relu": lambda x: x.max(arb(0)),
    "gelu": _gelu,
    "gelu-tanh": _gelu_tanh,
    "silu": lambda x: x * _logistic(x),
    "sigmoid": _logistic,
    "tanh": lambda x: _increasing(arb.tanh, x),
    "identity": lambda x: x,
}


class Balls(Floats):
    """The domain of balls: arrays of them, while weights stay exact floats."""

    def __init__(self) -> None:
        self._matrices: dict[int, arb_mat] = {}

    def number(self, x: Fraction) -> arb:
        """Return a ball around a rational."""
        return ball(x)

    def inverse_root(self, x: int) -> arb:
        """Return 1 / sqrt(x)."""
        return arb(x).rsqrt()

    def entering(self, x: Array) -> Array:
        """Return exact balls."""
        return np.asarray(_exact_ball(x.astype(object)))

    def product(self, x: Array, weight: Array) -> Array:
        """Return the product of matrices; those of weights are converted once."""
        if weight.ndim > 2:
            return np.stack([self.product(one, other) for one, other in zip(x, weight, strict=True)])
        found = arb_mat(_rows(x)) * self._matrix(weight)
        return _array(found.tolist(), (*x.shape[:-1], weight.shape[1]))

    def _matrix(self, weight: Array) -> arb_mat:
        if weight.dtype == object:
            return arb_mat(_rows(weight))
        if id(weight) not in self._matrices:
            self._matrices[id(weight)] = arb_mat(weight.tolist())
        return self._matrices[id(weight)]

    def exponentials(self, scores: Array) -> Array:
        """Return exp on the last axis up to an exact factor."""
        shifts = [[max(score.mid() for score in row if isinstance(score, arb))] for row in _rows(scores)]
        return np.asarray(np.exp(scores - _array(shifts, (*scores.shape[:-1], 1))))

    def activation(self, activation: trained.Activation | trained.Rounding) -> Callable[[Array], Array]:
        """Return the activation on arrays of balls; a rounding is given the numbers of all tokens."""
        if not isinstance(activation, trained.Rounding):
            function = np.frompyfunc(ACTIVATIONS[activation], 1, 1)
            return lambda x: np.asarray(function(x))
        return lambda x: _array(rounded(activation, _rows(x)), x.shape)


_exact_ball = np.frompyfunc(arb, 1, 1)


def _rows(x: Array) -> Rows:
    rows: Any = x.reshape(-1, x.shape[-1]).tolist()
    return cast("Rows", rows)


def _array(rows: Rows, shape: tuple[int, ...]) -> Array:
    made: Any = np.array(rows, np.object_).reshape(shape)
    return cast("Array", made)


class BallNetwork(FloatNetwork):
    """A network in ball arithmetic; its own constants have the highest precision."""

    def __init__(self, network: trained.TrainedNetwork) -> None:
        with working_precision(BITS[-1]):
            super().__init__(network, Balls())


def rounded(rounding: trained.Rounding, rows: Rows) -> Rows:
    """Return the rounded numbers of tokens; the hull of both neighbours where the nearer one is undecided."""
    if rounding.scale is not None:
        scale, zero = ball(rounding.scale), (Fraction(rounding.zero),) * 2
        return [[_multiple(x, scale, zero, rounding) for x in row] for row in rows]
    if rounding.range == "token" and len(rows) > 1:
        return [row for one in rows for row in rounded(rounding, [one])]
    numbers = [x for row in rows for x in row]
    low, high = arb(0), arb(0)
    for x in numbers:
        low, high = low.min(x), high.max(x)
    scale = (high - low) / rounding.greatest
    if not scale > 0:
        return [[arb("nan")] * len(row) for row in rows]
    first, last = exact_ends(-low / scale)
    zero = Fraction(round(first)), Fraction(round(last))
    return [[_multiple(x, scale, zero, rounding) for x in row] for row in rows]


def _multiple(x: arb, scale: arb, zero: tuple[Fraction, Fraction], rounding: trained.Rounding) -> arb:
    """Return the nearest multiple of the scale, within the limits minus a zero point between these two."""
    if not (quotient := x / scale).is_finite():
        return arb("nan")
    low, high = (ball(min(max(Fraction(round(end)), rounding.least - z), rounding.greatest - z))
                 for end, z in zip(exact_ends(quotient), reversed(zero), strict=True))
    return low.union(high) * scale


def enclose_logits(network: BallNetwork, tokens: Sequence[int], offset: int, at: Sequence[int], bits: int) -> arb_mat:
    """Enclose the logits [len(at), outputs] of the tokens ``at`` of one input, at this precision."""
    with working_precision(bits):
        return arb_mat(network.logits(np.array([tokens], np.intp), offset, at)[0].tolist())


def enclose_attention(network: BallNetwork, tokens: Sequence[int], offset: int, bits: int) -> list[list[Rows]]:
    """Enclose for each attention step and head the weights [T, T] of one input."""
    with working_precision(bits):
        return [step.tolist() for step in network.attention(np.array(tokens, np.intp), offset)]


def decide_row(
    network: BallNetwork, tokens: Sequence[int], offset: int, at: int, row: Sequence[tuple[int, Fraction]],
    margin: Fraction,
) -> RowDecision:  # fmt: skip
    """Decide whether Σ coefficient · logit of the token ``at`` is above the margin, at rising precision."""
    for bits in BITS:
        logits = enclose_logits(network, tokens, offset, [at], bits)
        with working_precision(bits):
            value = sum((ball(coefficient) * logits[0, output] for output, coefficient in row), arb(0))
            rest = value - ball(margin)
            if rest > 0 or rest <= 0:
                return RowDecision(bool(rest > 0), exact_ends(value), bits)
    return RowDecision(None, exact_ends(value) if value.is_finite() else None, bits)
