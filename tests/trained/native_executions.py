"""An execution in ``bfloat16/binary32`` by the machine's own binary32 and bfloat16 of ml_dtypes: a third emulator.

It shares no code with those of the producer and the checker, whose choices it is given: call by call, number by number.
"""

from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np
from mpmath import erf, exp, mpf, sqrt, tanh, workprec

from constructions.trained.network import (
    Affine,
    AttentionStep,
    Norm,
    NormStep,
    Rotary,
    TrainedHead,
    TrainedNetwork,
    UnitsStep,
    View,
)
from constructions.trained.numbers import numbers

BFLOAT16, SINGLE = ml_dtypes.bfloat16, np.float32
ORDERS = (("forwards", False), ("forwards", True), ("backwards", False), ("in pairs", False))


def stored(x: Any) -> Any:
    """Round binary32 numbers to bfloat16; the result has them as binary32 numbers."""
    assert x.dtype == SINGLE
    return x.astype(BFLOAT16).astype(SINGLE)


def nearest(function: Callable[[Any], Any], x: Any) -> Any:
    """Return the binary32 numbers nearest to a function's values, by 200 bits."""
    def one(y: Any) -> float:
        with workprec(200):
            value = function(mpf(float(y)))
        with workprec(24):
            return float(+value)
    return np.vectorize(one, otypes=[np.float64])(x).astype(SINGLE)


def fused(a: Any, b: Any, total: Any) -> Any:
    """Return a · b + total, rounded once to binary32: by way of a sum rounded to odd, of 53 bits."""
    x, y = a.astype(np.float64) * b.astype(np.float64), total.astype(np.float64)
    found = x + y
    other = found - x
    rest = (x - (found - other)) + (y - other)
    even = found.view(np.int64) % 2 == 0
    odd = np.nextafter(found, np.where(rest > 0, np.inf, -np.inf))
    return np.where((rest != 0) & even, odd, found).astype(SINGLE)


class NativeExecution:
    """A network with weights in bfloat16 on one input; ``choices`` are those of an execution."""

    def __init__(self, network: TrainedNetwork, choices: Sequence[str]) -> None:
        self.network, self.choices, self.calls = network, choices, 0

    def logits(self, tokens: Sequence[int], at: int) -> Any:
        """Return the stored logits of a token."""
        network = self.network
        x = self.weights(network.tokens)[list(tokens)]
        if network.positions is not None:
            x = x + self.weights(network.positions)[: len(tokens)]
        x, at_all = stored(x), np.arange(len(tokens))
        attention = [k for k, step in enumerate(network.steps) if isinstance(step, AttentionStep)]
        last = attention[-1] if attention and not network.of_input else -1
        for k, step in enumerate(network.steps):
            if isinstance(step, NormStep):
                x = self.normed(step.norm, x)
                continue
            read = x if step.norm is None else self.normed(step.norm, x)
            places = np.array([at]) if k == last else at_all
            written = self.units(step, read) if isinstance(step, UnitsStep) else self.attended(step, read, places)
            x = stored(x[places] + written if k == last else x + written)
        return self.linear(network.unembedding, x if last >= 0 else x[[at]])[0]

    def weights(self, view: View) -> Any:
        exact = numbers(self.network, view)
        assert (exact.astype(SINGLE) == exact).all()
        return stored(exact.astype(SINGLE))

    # -- sums of products of factors [..., terms, numbers] -------------------------------------------------------------

    def chosen(self, options: Sequence[Any]) -> Any:
        digits = self.choices[self.calls] if self.calls < len(self.choices) else ""
        self.calls += 1
        if not digits:
            return options[0]()
        choice = np.array([int(digit) for digit in digits]).reshape(options[0]().shape)
        return np.choose(choice, [option() for option in options])

    def total(self, a: Any, b: Any) -> Any:
        return self.chosen([lambda order=order, fuse=fuse: self.added(a, b, order, fuse) for order, fuse in ORDERS])

    @staticmethod
    def added(a: Any, b: Any, order: str, fuse: bool) -> Any:
        a, b = np.broadcast_arrays(a, b)
        if order == "in pairs":
            parts = [a[..., k, :] * b[..., k, :] for k in range(a.shape[-2])]
            while len(parts) > 1:
                parts = [parts[k] + parts[k + 1] if k + 1 < len(parts) else parts[k] for k in range(0, len(parts), 2)]
            return parts[0]
        places = range(a.shape[-2])[:: -1 if order == "backwards" else 1]
        found = None
        for k in places:
            x, y = a[..., k, :], b[..., k, :]
            found = x * y if found is None else fused(x, y, found) if fuse else found + x * y
        return found

    def linear(self, affine: Affine, x: Any) -> Any:
        return self.product(x, self.weights(affine.weight), None if affine.bias is None else self.weights(affine.bias))

    def product(self, x: Any, weight: Any, bias: Any) -> Any:
        x, weight = np.broadcast_arrays(x[:, :, np.newaxis], weight)
        if bias is not None:
            row = np.broadcast_to(bias, (len(x), 1, len(bias)))
            x, weight = np.concatenate([x, row], 1), np.concatenate([weight, np.ones_like(row)], 1)
        return stored(self.total(x, weight))

    # -- steps ---------------------------------------------------------------------------------------------------------

    def normed(self, norm: Norm, x: Any) -> Any:
        x = x if norm.of is None else self.linear(norm.of, x)
        count, apart = SINGLE(x.shape[-1]), x
        if norm.kind == "layer":
            apart = x - self.total(x[..., np.newaxis], np.ones((1, 1), SINGLE)) / count
        variance = self.total(apart[..., np.newaxis], apart[..., np.newaxis]) / count
        found = apart / np.sqrt(variance + SINGLE(float(norm.epsilon)))
        found = found if norm.gain is None else found * self.weights(norm.gain)
        return stored(found if norm.bias is None else found + self.weights(norm.bias))

    def units(self, step: UnitsStep, read: Any) -> Any:
        inward = self.linear(step.inward, read)
        if step.gate is None:
            return self.linear(step.outward, stored(self.active(step.activation, inward)))
        gate = stored(self.active(step.activation, self.linear(step.gate, read)))
        return self.linear(step.outward, stored(gate * inward))

    @staticmethod
    def active(name: Any, x: Any) -> Any:
        if name in ("relu", "identity"):
            return np.maximum(x, 0) if name == "relu" else x
        if name == "tanh":
            return nearest(tanh, x)
        if name in ("silu", "sigmoid"):
            found = nearest(lambda y: 1 / (1 + exp(-y)), x)
            return x * found if name == "silu" else found
        if name == "gelu":
            half = nearest(sqrt, np.array(0.5))
            return x * (1 + nearest(erf, x * half)) / 2
        slope, cube = SINGLE(np.sqrt(2 / np.pi)), SINGLE(0.044715)
        inside = slope * (x + cube * (x * (x * x)))
        return x / 2 * (1 + nearest(tanh, inside))

    def attended(self, step: AttentionStep, read: Any, at: Any) -> Any:
        averages = [self.average(step, head, read, at) for head in step.heads]
        out = np.concatenate([self.weights(head.out) for head in step.heads])
        return self.product(np.concatenate(averages, -1), out, None if step.bias is None else self.weights(step.bias))

    def average(self, step: AttentionStep, head: TrainedHead, read: Any, at: Any) -> Any:
        every = np.arange(len(read))
        query = self.turned(step.rotary, self.linear(head.query, read[at]), at)
        key = self.turned(step.rotary, self.linear(head.key, read), every)
        value, scale = self.linear(head.value, read), step.scale
        factor = nearest(lambda y: 1 / sqrt(y), np.array(scale.root)) if scale.root else SINGLE(float(scale.times or 0))
        scores = self.total(np.swapaxes(np.broadcast_to(query[:, np.newaxis], (len(at), *key.shape)), -1, -2),
                            np.swapaxes(key[np.newaxis], -1, -2)) * factor
        if step.cap is not None:
            cap = SINGLE(float(step.cap))
            scores = cap * nearest(tanh, scores / cap)
        if head.slope is not None:
            scores = scores + SINGLE(float(head.slope)) * (every - at[:, np.newaxis]).astype(SINGLE)
        scores = stored(scores)
        hidden = every > at[:, np.newaxis] if self.network.attention == "causal" else np.zeros(scores.shape, bool)
        greatest = np.where(hidden, -np.inf, scores).max(-1, keepdims=True).astype(SINGLE)
        weights = np.where(hidden, SINGLE(0), nearest(exp, np.where(hidden, SINGLE(0), scores - greatest)))
        sums = self.total(weights[..., np.newaxis], np.ones((1, 1), SINGLE))

        def before() -> Any:
            return self.total(stored(weights / sums)[..., np.newaxis], value[np.newaxis])

        def after() -> Any:
            return self.total(stored(weights)[..., np.newaxis], value[np.newaxis]) / sums
        found = [before(), after()]
        return stored(self.chosen([lambda: found[0], lambda: found[1]]))

    def turned(self, rotary: Rotary | None, x: Any, places: Any) -> Any:
        if rotary is None:
            return x
        cosines, sines = self.weights(rotary.cosines)[places], self.weights(rotary.sines)[places]
        pairs, found = cosines.shape[1], x.copy()
        first = np.arange(pairs) if rotary.pairing == "halves" else 2 * np.arange(pairs)
        second = first + (pairs if rotary.pairing == "halves" else 1)
        a, b = x[:, first], x[:, second]
        terms = [self.pair(one) for one in (a * cosines, -b * sines, b * cosines, a * sines)]
        found[:, first], found[:, second] = terms[0] + terms[1], terms[2] + terms[3]
        return stored(found)

    def pair(self, product: Any) -> Any:
        return self.chosen([lambda: product, lambda: stored(product)])
