"""Many words in one execution, in numpy: every result is rounded to its format.

Results are rounded to binary64 first, which is harmless for one sum, product or quotient of binary32 numbers, and
mostly elsewhere: evidence, not proof. In replay.py the same steps are exact, with results rounded once.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from constructions.network.float_formats import Format
from constructions.trained.network import (
    Activation,
    Affine,
    AttentionStep,
    Norm,
    NormStep,
    Rotary,
    Rounding,
    Scale,
    Step,
    TrainedNetwork,
    UnitsStep,
    View,
)
from constructions.trained.numbers import numbers
from proofs.enclosures.float_models.exponentials import log2_of_e
from proofs.enclosures.float_models.model import FloatModel
from proofs.enclosures.float_models.numbers import exact_value
from proofs.trained.activations import GELU_TANH_CUBE, GELU_TANH_SLOPE, erf, logistic
from proofs.trained.float_executions.casting import rounded
from proofs.trained.float_executions.execution import Execution, Order

Array = NDArray[np.float64]
HALF = Fraction(1, 2)
Indices = NDArray[np.integer]
FUNCTIONS: Mapping[str, Callable[[Array], Array]] = {
    "exp": np.exp, "exp2": np.exp2, "erf": erf, "tanh": np.tanh, "sigmoid": logistic, "root": np.sqrt,
    "inverse root": lambda x: 1 / np.sqrt(x)}


class FloatRun:
    """A cast network in an execution under a float model: the steps, for any domain of numbers."""

    def __init__(self, network: TrainedNetwork, run: FloatModel, execution: Execution) -> None:
        self.network, self.run, self.execution = network, run, execution
        self._kept: dict[View, Array] = {}

    def outputs(self, tokens: Indices, offset: int, at: Indices) -> Array:
        """Return the stored logits [B, len(at), outputs] of inputs [B, T]."""
        stream = self._embedded(tokens, offset)
        attention = [k for k, step in enumerate(self.network.steps) if isinstance(step, AttentionStep)]
        last = attention[-1] if attention and not self.network.of_input else -1
        for k, step in enumerate(self.network.steps):
            stream = self._after(step, stream, at if k == last else np.arange(stream.shape[1]), offset)
        return self._linear(self.network.unembedding, stream[:, at] if last < 0 else stream)

    def numbers(self, view: View) -> Array:
        """Return the numbers of a view, memoised."""
        if view not in self._kept:
            self._kept[view] = self.made(numbers(self.network, view))
        return self._kept[view]

    # -- what differs between numbers; here those of float64 -----------------------------------------------------------

    def made(self, numbers: Array) -> Array:
        """Convert numbers of the network to the domain."""
        return numbers

    def number(self, x: Fraction) -> Any:
        """Convert a rational, which is rounded next."""
        return np.float64(x)

    def rounded(self, x: Array, target: Format) -> Array:
        """Return the nearest numbers of a format."""
        return rounded(x, target)

    def value(self, name: str, x: Array, target: Format) -> Array:
        """Return the values of a function, to be rounded to a format."""
        return FUNCTIONS[name](x)

    def whole(self, x: Array) -> Array:
        """Return the nearest whole numbers, ties to even."""
        return np.rint(x)

    def _embedded(self, tokens: Indices, offset: int) -> Array:
        stream = self.numbers(self.network.tokens)[tokens]
        if self.network.positions is not None:
            stream = stream + self.numbers(self.network.positions)[offset : offset + tokens.shape[1]]
        return self.rounded(stream, self.run.storage)

    def _after(self, step: Step, stream: Array, at: Indices, offset: int) -> Array:
        """Return the streams of the tokens ``at`` after a step, from all those before it."""
        run = self.run
        if isinstance(step, NormStep):
            return self._normed(step.norm, stream)
        read = stream if step.norm is None else self._normed(step.norm, stream)
        written = (self._units(step, read) if isinstance(step, UnitsStep) else
                   self._attention(step, read, at, offset))
        return self.rounded(self.rounded(stream[:, at] + written, run.sums), run.storage)

    # -- sums ----------------------------------------------------------------------------------------------------------

    def total(self, terms: Array, target: Format) -> Array:
        """Return the sum of exact terms over the last axis but one, each rounded unless it is fused with the sum."""
        return self.added(terms, target, self.execution.order, self.execution.fused)

    def added(self, terms: Array, target: Format, order: Order, fused: bool) -> Array:
        """Return the sum in this order."""
        if order == "in pairs":
            return self._in_pairs(self.rounded(terms, target), target)
        if order == "backwards":
            terms = terms[..., ::-1, :]
        if not fused:
            terms = self.rounded(terms, target)
        found = self.rounded(terms[..., 0, :], target)
        for k in range(1, terms.shape[-2]):
            found = self.rounded(found + terms[..., k, :], target)
        return found

    def of_products(self, terms: Array) -> Array:
        """Return the sum of exact products, and of a bias, over the last axis but one."""
        return self.total(terms, self.run.sums)

    def function(self, name: str, x: Array, target: Format) -> Array:
        """Return the rounded values of exp, erf, tanh or a root."""
        return self.rounded(self.value(name, x, target), target)

    def _in_pairs(self, terms: Array, target: Format) -> Array:
        while terms.shape[-2] > 1:
            if terms.shape[-2] % 2:
                terms = np.concatenate([terms, np.zeros_like(terms[..., :1, :])], -2)
            terms = self.rounded(terms[..., ::2, :] + terms[..., 1::2, :], target)
        return terms[..., 0, :]

    def _entering(self, x: Array) -> Array:
        return x if self.run.inputs == self.run.storage else self.rounded(x, self.run.inputs)

    def reading(self, x: Array) -> Array:
        """Return stored numbers as they enter a product with weights."""
        return self._entering(x)

    def _linear(self, affine: Affine, x: Array) -> Array:
        bias = None if affine.bias is None else self.numbers(affine.bias)
        return self._product(self.reading(x), self.numbers(affine.weight), bias)

    def _product(self, x: Array, weight: Array, bias: Array | None) -> Array:
        terms = x[..., :, np.newaxis] * weight
        if bias is not None:
            terms = np.concatenate([terms, np.broadcast_to(bias, (*terms.shape[:-2], 1, len(bias)))], -2)
        return self.rounded(self.of_products(terms), self.run.storage)

    # -- steps ---------------------------------------------------------------------------------------------------------

    def _normed(self, norm: Norm, x: Array) -> Array:
        if norm.of is not None:
            x = self._linear(norm.of, x)
        target = self.run.softmax
        deviation, variance = self.moments(norm, x)
        epsilon = self.rounded(np.array(self.number(norm.epsilon)), target)
        root = self.function("root", self.rounded(variance + epsilon, target), target)
        found = self.before_gain(norm, self.rounded(deviation / root, target))
        if norm.gain is not None:
            found = self.rounded(found * self.numbers(norm.gain), target)
        if norm.bias is not None:
            found = self.rounded(found + self.numbers(norm.bias), target)
        return self.rounded(found, self.run.storage)

    def moments(self, norm: Norm, x: Array) -> tuple[Array, Array]:
        """Return the differences to the mean (rms: the vector), and the mean of their squares, in two passes."""
        target, d, deviation = self.run.softmax, x.shape[-1], x
        if norm.kind == "layer":
            mean = self.rounded(self.total(x[..., np.newaxis], target) / d, target)
            deviation = self.rounded(x - mean, target)
        square = self.total((deviation * deviation)[..., np.newaxis], target)
        return deviation, self.rounded(square / d, target)

    def before_gain(self, norm: Norm, x: Array) -> Array:
        """Return a norm x as it is multiplied by its gain."""
        return x

    def _units(self, step: UnitsStep, read: Array) -> Array:
        inward = self._linear(step.inward, read)
        if isinstance(step.activation, Rounding):
            return self._linear(step.outward, self._stepped(step.activation, inward))
        if step.gate is None:
            return self._linear(step.outward, self.rounded(self.activated(step.activation, inward), self.run.storage))
        gate = self.rounded(self.activated(step.activation, self._linear(step.gate, read)), self.run.storage)
        return self._linear(step.outward, self.rounded(self.rounded(gate * inward, self.run.softmax), self.run.storage))

    def _stepped(self, how: Rounding, x: Array) -> Array:
        """Return numbers rounded by a scale, or by the range of a token's, or of all."""
        target, zero = self.run.softmax, np.array(self.number(Fraction(how.zero)))
        if how.scale is not None:
            scale = self.rounded(np.array(self.number(how.scale)), target)
        else:
            axes = (1, 2) if how.range == "input" else 2
            least, greatest = (np.asarray(end) for end in (x.min(axes, keepdims=True), x.max(axes, keepdims=True)))
            least, greatest = np.minimum(least, 0 * least), np.maximum(greatest, 0 * greatest)
            scale = self.rounded(self.rounded(greatest - least, target) / how.greatest, target)
            scale = np.where(greatest == least, 1 + scale, scale)
            zero = np.minimum(self.whole(self.rounded(-least / scale, target)), how.greatest)
        steps = np.minimum(np.maximum(self.steps_of(x, scale, zero), how.least - zero), how.greatest - zero)
        return self.rounded(self.rounded(self.rounded(steps, target) * scale, target), self.run.storage)

    def steps_of(self, x: Array, scale: Array, zero: Array) -> Array:
        """Return the whole numbers nearest to x / scale."""
        return self.whole(self.rounded(x / scale, self.run.softmax))

    def activated(self, name: Activation, x: Array) -> Array:
        """Return the activation of each number, in the format of softmax."""
        target = self.run.softmax
        if name in ("relu", "identity"):
            return np.maximum(x, 0) if name == "relu" else x
        if name in ("tanh", "sigmoid", "silu"):
            found = self.function("tanh" if name == "tanh" else "sigmoid", x, target)
            return self.rounded(x * found, target) if name == "silu" else found
        if name == "gelu-tanh":
            slope, cube = (self.rounded(np.array(self.number(one)), target)
                           for one in (GELU_TANH_SLOPE, GELU_TANH_CUBE))
            third = self.rounded(cube * self.rounded(x * self.rounded(x * x, target), target), target)
            inside = self.rounded(slope * self.rounded(x + third, target), target)
            return self.rounded(x / 2 * self.rounded(1 + self.function("tanh", inside, target), target), target)
        half = self.rounded(self.value("root", np.array(self.number(HALF)), target), target)
        inside = self.rounded(x * half, target)
        units = self.rounded(x * self.rounded(1 + self.function("erf", inside, target), target), target)
        return self.rounded(units / 2, target)

    def _attention(self, step: AttentionStep, read: Array, at: Indices, offset: int) -> Array:
        averages, every = [], np.arange(read.shape[1])
        for head in step.heads:
            query = self._entering(self._turned(step.rotary, self._linear(head.query, read[:, at]), offset + at))
            key = self._entering(self._turned(step.rotary, self._linear(head.key, read), offset + every))
            value = self._entering(self._linear(head.value, read))
            averages.append(self._average(self._scores(step, head.slope, query, key, at), value))
        out = np.concatenate([self.numbers(head.out) for head in step.heads])
        bias = None if step.bias is None else self.numbers(step.bias)
        return self._product(self.reading(np.concatenate(averages, -1)), out, bias)

    def _turned(self, rotary: Rotary | None, x: Array, positions: Indices) -> Array:
        """Apply rotary positions to queries or keys."""
        if rotary is None:
            return x
        cosines, sines = (self.numbers(table)[positions] for table in (rotary.cosines, rotary.sines))
        pairs = cosines.shape[-1]
        first = np.arange(pairs) if rotary.pairing == "halves" else 2 * np.arange(pairs)
        second = first + (pairs if rotary.pairing == "halves" else 1)

        def sum_of(a: Array, b: Array) -> Array:
            a, b = map(self.of_pair, (a, b))
            return self.rounded(self.rounded(a + b, self.run.softmax), self.run.storage)

        found, a, b = x.copy(), x[..., first], x[..., second]
        found[..., first], found[..., second] = sum_of(a * cosines, -b * sines), sum_of(b * cosines, a * sines)
        return found

    def of_pair(self, product: Array) -> Array:
        """Return a product of a coordinate and a cosine or a sine, as it enters the sum of two."""
        return self.rounded(product, self.run.softmax)

    def _scores(self, step: AttentionStep, slope: Fraction | None, query: Array, key: Array, at: Indices) -> Array:
        run, scores = self.run, self.scaled(step.scale, query, key)
        if step.cap is not None:
            scores = self.capped(scores, self.rounded(np.array(self.number(step.cap)), run.sums))
        if slope is not None:
            distances = np.arange(key.shape[1]) - at[:, np.newaxis]
            scores = self.rounded(scores + self.rounded(self.number(slope) * distances, run.sums), run.sums)
        scores = self.rounded(scores, run.scores)
        if self.network.attention == "causal":
            scores = np.where(np.arange(key.shape[1]) <= at[:, np.newaxis], scores, -np.inf)
        return scores

    def scaled(self, scale: Scale, query: Array, key: Array) -> Array:
        """Return the products of queries and keys, times the scale."""
        return self.rounded(self.products(query, key) * self.factor(scale), self.run.sums)

    def products(self, query: Array, key: Array) -> Array:
        """Return the products of queries [B, Q, m] and keys [B, T, m]."""
        return self.of_products(np.swapaxes(query[:, :, np.newaxis, :] * key[:, np.newaxis, :, :], -1, -2))

    def factor(self, scale: Scale) -> Array:
        """Return the scale of scores, rounded to the format of sums."""
        factor = np.array(self.number(Fraction(scale.root or scale.times or 0)))
        if scale.root is not None:
            factor = self.value("inverse root", factor, self.run.sums)
        return self.rounded(factor, self.run.sums)

    def capped(self, scores: Array, cap: Array) -> Array:
        """Return c tanh(s / c) of scores s."""
        opened = self.function("tanh", self.rounded(scores / cap, self.run.sums), self.run.softmax)
        return self.rounded(cap * opened, self.run.sums)

    def _average(self, scores: Array, value: Array) -> Array:
        run, target = self.run, self.run.softmax
        hidden = scores == -np.inf
        weights = np.where(hidden, 0, self._exponentials(np.where(hidden, scores[..., :1], scores), target))
        total = self.total(weights[..., np.newaxis], target)
        return self.rounded(self.averaged(weights, total, value), run.storage)

    def averaged(self, weights: Array, total: Array, value: Array) -> Array:
        """Return the averages, before they are stored."""
        return self.normalised(weights, total, value, self.execution.before)

    def normalised(self, weights: Array, total: Array, value: Array, before: bool) -> Array:
        """Return the averages with weights normalised before they are multiplied with the values, or after."""
        run, target = self.run, self.run.softmax
        if before:
            weights = self.rounded(self.rounded(weights / total, target), run.weights)
            return self.of_products(weights[..., np.newaxis] * value[:, np.newaxis])
        weights = self.rounded(weights, run.weights)
        found = self.of_products(weights[..., np.newaxis] * value[:, np.newaxis])
        return self.rounded(self.rounded(found, target) / total, target)

    def _exponentials(self, scores: Array, target: Format) -> Array:
        if self.execution.base == "2":
            factor = np.array(self.number(exact_value(log2_of_e(target))))
            scores = self.rounded(scores * self.rounded(factor, target), target)
        apart = self.rounded(scores - scores.max(-1, keepdims=True), target)
        name = "exp" if self.execution.base == "e" else "exp2"
        return np.where(apart == 0, 1, self.function(name, apart, target))


class Emulation(FloatRun):
    """Executions in float64."""

    def logits(self, tokens: Indices, offset: int, at: Indices) -> Array:
        """Return the stored logits [B, len(at), outputs] of inputs [B, T]."""
        with np.errstate(all="ignore"):
            return self.outputs(tokens, offset, at)
