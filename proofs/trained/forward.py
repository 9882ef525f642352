"""A trained network on many words at once: in float64, which is evidence, not proof, or in another domain.

Enclosures (balls.py) or the checker confirm what floats find; no claim rests on these numbers. Streams are arrays [...,
width]. The parts of a step are separate methods, for callers that bound them over sets of words.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from constructions.trained import network as trained
from constructions.trained.numbers import numbers
from proofs.trained.activations import activation_of

Array = NDArray[np.float64]
Indices = NDArray[np.integer]


class Floats:
    """The domain of float64 numbers: the operations that differ between domains.

    Weights are arrays of float64 in every domain, as their numbers are exact.
    """

    def number(self, x: Fraction) -> Any:
        """Convert a rational."""
        return np.float64(x)

    def inverse_root(self, x: int) -> Any:
        """Return 1 / sqrt(x)."""
        return np.float64(1 / math.sqrt(x))

    def entering(self, x: Array) -> Array:
        """Convert rows of tables, which are exact."""
        return x

    def product(self, x: Array, weight: Array) -> Array:
        """Return the matrix product on the last two axes; one product for all vectors of x if ``weight`` is 2-D."""
        if weight.ndim > 2:
            return np.asarray(x @ weight)
        return (x.reshape(-1, weight.shape[0]) @ weight).reshape(*x.shape[:-1], weight.shape[1])

    def exponentials(self, scores: Array) -> Array:
        """Return exp on the last axis up to a factor; -inf becomes 0, and the greatest score must be finite."""
        return np.asarray(np.exp(scores - scores.max(-1, keepdims=True)))

    def activation(self, activation: trained.Activation | trained.Rounding) -> Callable[[Array], Array]:
        """Return the function, element by element except for roundings."""
        return activation_of(activation)


FLOATS = Floats()


@dataclass(frozen=True)
class FloatAffine:
    """The affine map x ↦ x weight + bias on the last axis."""

    weight: Array
    bias: Array | None
    domain: Floats = FLOATS

    def __call__(self, x: Array) -> Array:
        """Return the image of each vector."""
        y = self.domain.product(x, self.weight)
        return y if self.bias is None else y + self.bias


@dataclass(frozen=True)
class FloatNorm:
    """Layer norm (``centred``) or RMS norm on the last axis, of an image of the vectors if there is ``of``."""

    centred: bool
    epsilon: np.float64
    gain: Array | None
    bias: Array | None
    of: FloatAffine | None = None

    def __call__(self, x: Array) -> Array:
        """Normalise each vector."""
        x = x if self.of is None else self.of(x)
        centred = x - x.mean(-1, keepdims=True) if self.centred else x
        y = centred / np.sqrt(np.mean(centred * centred, -1, keepdims=True) + self.epsilon)
        y = y if self.gain is None else y * self.gain
        return np.asarray(y if self.bias is None else y + self.bias)


@dataclass(frozen=True)
class FloatRotary:
    """Rotary positions: rotation of pairs of coordinates by the row of the position number."""

    cosines: Array
    sines: Array
    halves: bool

    def __call__(self, x: Array, numbers: Indices) -> Array:
        """Rotate x [..., T, head width] by position numbers [T]; coordinates beyond the pairs stay."""
        pairs = self.cosines.shape[1]
        first, second = ((slice(0, pairs), slice(pairs, 2 * pairs)) if self.halves
                         else (slice(0, 2 * pairs, 2), slice(1, 2 * pairs, 2)))  # fmt: skip
        cosines, sines = self.cosines[numbers], self.sines[numbers]
        turned = x.copy()
        turned[..., first] = x[..., first] * cosines - x[..., second] * sines
        turned[..., second] = x[..., second] * cosines + x[..., first] * sines
        return turned


@dataclass(frozen=True)
class FloatHead:
    """One head; ``out`` [value width, width]; ``slope`` is 0 where there is none; ``attends``: `TrainedHead`."""

    query: FloatAffine
    key: FloatAffine
    value: FloatAffine
    out: Array
    slope: np.float64
    attends: tuple[int, ...] | None = None


@dataclass(frozen=True)
class FloatAttention:
    """An attention step in parts: norm, queries, keys and values of each head, scores, averages, output."""

    norm: FloatNorm | None
    heads: tuple[FloatHead, ...]
    bias: Array | None
    scale: np.float64
    rotary: FloatRotary | None
    causal: bool
    cap: np.float64 | None = None
    domain: Floats = FLOATS

    def capped(self, scores: Array) -> Array:
        """Return the scores under the cap, if there is one."""
        return scores if self.cap is None else self.cap * np.tanh(scores / self.cap)

    def normed(self, stream: Array) -> Array:
        """Return the input of queries, keys and values."""
        return stream if self.norm is None else self.norm(stream)

    def queries(self, head: FloatHead, normed: Array, numbers: Indices) -> Array:
        """Return queries at position numbers [T], times the scale of scores."""
        return self.scale * self._turned(head.query(normed), numbers)

    def keys(self, head: FloatHead, normed: Array, numbers: Indices) -> Array:
        """Return keys at position numbers [T]."""
        return self._turned(head.key(normed), numbers)

    def _turned(self, x: Array, numbers: Indices) -> Array:
        return x if self.rotary is None else self.rotary(x, numbers)

    def weights(self, head: FloatHead, normed: Array, numbers: Indices, at: Indices, tokens: Indices | None = None
                ) -> Array:
        """Return weights [..., queries, T] of the tokens ``at`` for normed streams [..., T, width].

        Heads with hard attention need the ``tokens`` [..., T].
        """
        if head.attends is not None:
            assert tokens is not None, "a head with hard attention needs the tokens"
            visible = numbers <= numbers[at][:, np.newaxis] if self.causal else np.ones((len(at), len(numbers)), bool)
            chosen = np.isin(tokens, head.attends)[..., np.newaxis, :] & visible
            return equal_weights(chosen, numbers == numbers[at][:, np.newaxis], self.domain)
        queries = self.queries(head, normed[..., at, :], numbers[at])
        keys = self.keys(head, normed, numbers)
        scores = self.capped(self.domain.product(queries, np.swapaxes(keys, -1, -2)))
        distances = numbers - numbers[at][:, np.newaxis]
        scores += head.slope * distances
        if self.causal:
            scores = np.where(distances > 0, -np.inf, scores)
        return softmax(scores, self.domain)

    def averages(self, stream: Array, numbers: Indices, at: Indices, tokens: Indices | None = None) -> list[Array]:
        """Return, for each head, the averages of its values [..., queries, value width] at the tokens ``at``."""
        normed = self.normed(stream)
        return [self.domain.product(self.weights(head, normed, numbers, at, tokens), head.value(normed))
                for head in self.heads]

    def write(self, stream: Array, averages: Sequence[Array]) -> Array:
        """Return the streams after the step, from those before it and the averages of each head."""
        for head, average in zip(self.heads, averages, strict=True):
            stream = stream + self.domain.product(average, head.out)
        return stream if self.bias is None else stream + self.bias


@dataclass(frozen=True)
class FloatUnits:
    """A feed-forward block, gated or not."""

    norm: FloatNorm | None
    inward: FloatAffine
    gate: FloatAffine | None
    activation: trained.Activation | trained.Rounding
    outward: FloatAffine
    domain: Floats = FLOATS

    def neurons(self, stream: Array) -> Array:
        """Return the activations of the neurons."""
        x = stream if self.norm is None else self.norm(stream)
        act = self.domain.activation(self.activation)
        return act(self.inward(x)) if self.gate is None else act(self.gate(x)) * self.inward(x)

    def __call__(self, stream: Array) -> Array:
        """Return the streams after the step."""
        return stream + self.outward(self.neurons(stream))


FloatStep = FloatNorm | FloatAttention | FloatUnits


def softmax(scores: Array, domain: Floats = FLOATS) -> Array:
    """Return softmax on the last axis; -inf is a weight of 0, and the greatest score must be finite."""
    weights = domain.exponentials(scores)
    return np.asarray(weights / weights.sum(-1, keepdims=True))


def equal_weights(chosen: NDArray[np.bool_], own: NDArray[np.bool_], domain: Floats = FLOATS) -> Array:
    """Return equal weights of the chosen tokens on the last axis, or of the ``own`` one where none is chosen."""
    chosen = chosen | (own & ~chosen.any(-1, keepdims=True))
    total = chosen.sum(-1, keepdims=True)
    return np.asarray(domain.entering(chosen.astype(np.float64)) / domain.entering(total.astype(np.float64)))


class FloatNetwork:
    """A network in float64, or in another domain."""

    def __init__(self, network: trained.TrainedNetwork, domain: Floats = FLOATS) -> None:
        """Convert the network; weights are exact; epsilons, slopes and scales are rounded."""
        self.network, self.domain = network, domain
        self.tokens = numbers(network, network.tokens)
        self.positions = None if network.positions is None else numbers(network, network.positions)
        self.steps: tuple[FloatStep, ...] = tuple(self._step(step) for step in network.steps)
        self.unembedding = self._affine(network.unembedding)
        attention = [k for k, step in enumerate(self.steps) if isinstance(step, FloatAttention)]
        self.last_attention = attention[-1] if attention else -1

    def embedded(self, tokens: Indices, numbers: Indices) -> Array:
        """Return streams [..., width] before the first step; position numbers broadcast over the tokens."""
        rows = self.domain.entering(self.tokens[tokens])
        return rows if self.positions is None else rows + self.positions[numbers]

    def logits(self, tokens: Indices, offset: int, at: Sequence[int] | None = None) -> Array:
        """Return logits [B, T, outputs] of inputs [B, T] at an offset; or [B, len(at), outputs] of tokens ``at``."""
        places = np.arange(tokens.shape[1]) if at is None else np.asarray(at) % tokens.shape[1]
        position = offset + np.arange(tokens.shape[1])
        stream = self.embedded(tokens, position)
        everything, whole = np.arange(tokens.shape[1]), self.network.of_input
        for k, step in enumerate(self.steps[: self.last_attention + 1]):
            chosen = places if k == self.last_attention and not whole else everything
            stream = self.after(step, stream, position, chosen, tokens)
        if whole:
            return self.tail(stream)[:, places]
        return self.tail(stream if self.last_attention >= 0 else stream[:, places])

    def after(self, step: FloatStep, stream: Array, numbers: Indices, at: Indices, tokens: Indices | None = None
              ) -> Array:
        """Return streams [B, len(at), width] after a step, from those before it at position numbers [T]."""
        if isinstance(step, FloatAttention):
            return step.write(stream[:, at], step.averages(stream, numbers, at, tokens))
        return step(stream[:, at])

    def tail(self, stream: Array) -> Array:
        """Return logits from the streams after the last attention step."""
        for step in self.steps[self.last_attention + 1 :]:
            stream = self.alone(step, stream)
        return self.unembedding(stream)

    @staticmethod
    def alone(step: FloatStep, stream: Array) -> Array:
        """Apply a step that is not attention."""
        assert not isinstance(step, FloatAttention)
        return step(stream)

    def attention(self, tokens: Indices, offset: int) -> list[Array]:
        """Return, for each attention step, the weights [heads, T, T] of one input [T]."""
        position = offset + np.arange(len(tokens))
        stream, everything, found = self.embedded(tokens, position)[np.newaxis], np.arange(len(tokens)), []
        for step in self.steps[: self.last_attention + 1]:
            if isinstance(step, FloatAttention):
                normed = step.normed(stream)
                heads = [step.weights(head, normed, position, everything, tokens[np.newaxis])[0] for head in step.heads]
                found.append(np.stack(heads))
            stream = self.after(step, stream, position, everything, tokens[np.newaxis])
        return found

    def _numbers(self, view: trained.View | None) -> Array | None:
        return None if view is None else numbers(self.network, view)

    def _affine(self, affine: trained.Affine) -> FloatAffine:
        return FloatAffine(numbers(self.network, affine.weight), self._numbers(affine.bias), self.domain)

    def _norm(self, norm: trained.Norm | None) -> FloatNorm | None:
        if norm is None:
            return None
        epsilon = self.domain.number(norm.epsilon)
        gain, bias = self._numbers(norm.gain), self._numbers(norm.bias)
        return FloatNorm(norm.kind == "layer", epsilon, gain, bias, self._affine(norm.of) if norm.of else None)

    def _head(self, head: trained.TrainedHead) -> FloatHead:
        query, key, value = (self._affine(affine) for affine in (head.query, head.key, head.value))
        return FloatHead(query, key, value, numbers(self.network, head.out),
                         self.domain.number(head.slope or Fraction(0)), head.attends)

    def _rotary(self, rotary: trained.Rotary | None) -> FloatRotary | None:
        if rotary is None:
            return None
        cosines, sines = (numbers(self.network, table) for table in (rotary.cosines, rotary.sines))
        return FloatRotary(cosines, sines, rotary.pairing == "halves")

    def _step(self, step: trained.Step) -> FloatStep:
        if isinstance(step, trained.NormStep):
            norm = self._norm(step.norm)
            assert norm is not None
            return norm
        if isinstance(step, trained.UnitsStep):
            gate = None if step.gate is None else self._affine(step.gate)
            inward, outward = self._affine(step.inward), self._affine(step.outward)
            return FloatUnits(self._norm(step.norm), inward, gate, step.activation, outward, self.domain)
        return self._attention(step)

    def _attention(self, step: trained.AttentionStep) -> FloatAttention:
        heads, scale = tuple(self._head(head) for head in step.heads), step.scale
        return FloatAttention(
            self._norm(step.norm), heads, self._numbers(step.bias),
            self.domain.number(scale.times or Fraction(0)) if scale.root is None else
            self.domain.inverse_root(scale.root),
            self._rotary(step.rotary), self.network.attention == "causal",
            None if step.cap is None else self.domain.number(step.cap), self.domain)
