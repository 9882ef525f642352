"""One execution on one word, bit by bit: each result is the exact one, rounded once, in integers.

Exponentials, erf, tanh and roots are the nearest numbers: enclosed (Arb), ever more narrowly, until that is certain.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import isqrt

import numpy as np
from flint import arb

from constructions.network.float_formats import Format
from constructions.trained import network as trained
from constructions.trained.numbers import numbers
from proofs.enclosures.exponential import ball, exact_ends, working_precision
from proofs.enclosures.float_runs.exponentials import LEAST_ULP, Exponential, log2_of_e
from proofs.enclosures.float_runs.numbers import (
    ONE,
    ZERO,
    Arithmetic,
    Number,
    add_exactly,
    exact_value,
    multiply_exactly,
    negated,
    reduced,
)
from proofs.enclosures.float_runs.run_class import RunClass
from proofs.trained.activations import GELU_TANH_CUBE, GELU_TANH_SLOPE
from proofs.trained.float_runs.execution import Execution

Numbers = list[Number]
FIRST_BITS = 96


def nearest(function: Callable[[arb], arb], x: Fraction, target: Format) -> Number:
    """The number of the format that is nearest to the function's value, which is no tie."""
    bits = FIRST_BITS
    while True:
        with working_precision(bits):
            low, high = map(target.round, exact_ends(function(ball(x))))
        if low == high:
            return Arithmetic(target).number(low)
        bits *= 2


def square_root(x: Number, target: Format) -> Number:
    """The square root of a positive number: more bits than the format has, the last one set if something is left."""
    mantissa, exponent = x
    shift = 2 * (target.precision + 4)
    shift += (exponent - shift) % 2
    scaled = mantissa << shift
    root = isqrt(scaled)
    return Arithmetic(target).round((root << 1 | (root * root != scaled), ((exponent - shift) >> 1) - 1))


class Replay:
    """A cast network in one execution of a class."""

    def __init__(self, network: trained.TrainedNetwork, run: RunClass, execution: Execution) -> None:
        self.network, self.run, self.execution = network, run, execution
        self._in = {name: Arithmetic(getattr(run, name)) for name in (
            "storage", "inputs", "sums", "scores", "softmax", "weights")}
        self._exponential = Exponential(self._in["softmax"], max(run.exp_ulp, LEAST_ULP), execution.base)
        self._kept: dict[trained.View, list[Numbers]] = {}
        self._functions: dict[tuple[str, Number], Number] = {}

    def logits(self, tokens: Sequence[int], offset: int, at: int) -> list[Fraction]:
        """The stored logits of the token ``at``.

        Raises:
            NotFinite: if some number is beyond the greatest of its format.
        """
        last = max((k for k, step in enumerate(self.network.steps) if isinstance(step, trained.AttentionStep)),
                   default=-1)
        stream = [self._embedded(token, offset + place) for place, token in enumerate(tokens)]
        for k, step in enumerate(self.network.steps):
            stream = self._after(step, stream, [at] if k >= last else range(len(stream)), offset)
        return [exact_value(x) for x in self._linear(self.network.unembedding, stream[at])]

    def rows(self, view: trained.View) -> list[Numbers]:
        """The numbers of a view; a vector is one row."""
        if view not in self._kept:
            values = numbers(self.network, view)
            rows = values if values.ndim == 2 else values[np.newaxis]
            self._kept[view] = [[_exact(x) for x in row] for row in rows]
        return self._kept[view]

    def store(self, x: Number) -> Number:
        """Rounded to the format of what is stored."""
        return self._in["storage"].round(x)

    def _embedded(self, token: int, position: int) -> Numbers:
        row = self.rows(self.network.tokens)[token]
        if self.network.positions is not None:
            more = self.rows(self.network.positions)[position]
            row = [add_exactly(x, y) for x, y in zip(row, more, strict=True)]
        return [self.store(x) for x in row]

    # -- sums ----------------------------------------------------------------------------------------------------------

    def total(self, terms: Sequence[Number], arithmetic: Arithmetic) -> Number:
        """The sum of exact terms, as the execution adds them."""
        if self.execution.order == "in pairs":
            return self._in_pairs([arithmetic.round(term) for term in terms], arithmetic)
        if self.execution.order == "backwards":
            terms = terms[::-1]
        found = arithmetic.round(terms[0])
        for term in terms[1:]:
            found = arithmetic.add(found, term if self.execution.fused else arithmetic.round(term))
        return found

    def _in_pairs(self, terms: Numbers, arithmetic: Arithmetic) -> Number:
        while len(terms) > 1:
            terms = terms + [ZERO] * (len(terms) % 2)
            terms = [arithmetic.add(x, y) for x, y in zip(terms[::2], terms[1::2], strict=True)]
        return terms[0]

    def _dot(self, x: Sequence[Number], y: Sequence[Number], more: Sequence[Number] = ()) -> Number:
        return self.total([*map(multiply_exactly, x, y), *more], self._in["sums"])

    def _entering(self, x: Numbers) -> Numbers:
        return [self._in["inputs"].round(one) for one in x]

    def _linear(self, affine: trained.Affine, x: Numbers) -> Numbers:
        return self._product(x, [affine.weight], affine.bias)

    def _product(self, x: Numbers, weights: Sequence[trained.View], bias: trained.View | None) -> Numbers:
        x, rows = self._entering(x), [row for weight in weights for row in self.rows(weight)]
        last = self.rows(bias)[0] if bias is not None else None
        return [self.store(self._dot(x, column, [] if last is None else [last[k]]))
                for k, column in enumerate(zip(*rows, strict=True))]

    # -- steps ---------------------------------------------------------------------------------------------------------

    def _after(self, step: trained.Step, stream: list[Numbers], at: Sequence[int], offset: int) -> list[Numbers]:
        """The streams after a step, those of the tokens ``at``; others stay what they were."""
        found = list(stream)
        if isinstance(step, trained.NormStep):
            for place in at:
                found[place] = self._normed(step.norm, stream[place])
            return found
        if isinstance(step, trained.UnitsStep):
            for place in at:
                found[place] = self._sum(stream[place], self._units(step, self._read(step.norm, stream[place])))
            return found
        read = [self._read(step.norm, x) for x in stream]
        heads = [([self._turned(step.rotary, self._linear(head.key, x), offset + place)
                   for place, x in enumerate(read)],
                  [self._entering(self._linear(head.value, x)) for x in read]) for head in step.heads]
        for place in at:
            visible = place + 1 if self.network.attention == "causal" else len(stream)
            averages = [one for head, (keys, values) in zip(step.heads, heads, strict=True) for one in self._average(
                self._scores(step.scale, head.slope, place, self._turned(
                    step.rotary, self._linear(head.query, read[place]), offset + place), keys[:visible]),
                values[:visible])]
            written = self._product(averages, [head.out for head in step.heads], step.bias)
            found[place] = self._sum(stream[place], written)
        return found

    def _turned(self, rotary: trained.Rotary | None, x: Numbers, position: int) -> Numbers:
        """A query or a key with rotary positions, as it enters products."""
        if rotary is None:
            return self._entering(x)
        inner, found, halves = self._in["softmax"], list(x), rotary.pairing == "halves"
        cosines, sines = (self.rows(table)[position] for table in (rotary.cosines, rotary.sines))
        for r, (c, s) in enumerate(zip(cosines, sines, strict=True)):
            first, second = (r, r + len(cosines)) if halves else (2 * r, 2 * r + 1)
            a, b = x[first], x[second]
            found[first] = self.store(inner.add(inner.multiply(a, c), negated(inner.multiply(b, s))))
            found[second] = self.store(inner.add(inner.multiply(b, c), inner.multiply(a, s)))
        return self._entering(found)

    def _read(self, norm: trained.Norm | None, x: Numbers) -> Numbers:
        return x if norm is None else self._normed(norm, x)

    def _sum(self, x: Numbers, y: Numbers) -> Numbers:
        return [self.store(self._in["sums"].add(a, b)) for a, b in zip(x, y, strict=True)]

    def _normed(self, norm: trained.Norm, x: Numbers) -> Numbers:
        x = x if norm.of is None else self._linear(norm.of, x)
        inner, width = self._in["softmax"], (len(x), 0)
        if norm.kind == "layer":
            mean = inner.divide(self.total(x, inner), width)
            deviation = [inner.add(one, negated(mean)) for one in x]
        else:
            deviation = x
        variance = inner.divide(self.total([multiply_exactly(one, one) for one in deviation], inner), width)
        root = square_root(inner.add(variance, inner.number(norm.epsilon)), inner.format)
        found = [inner.divide(one, root) for one in deviation]
        if norm.gain is not None:
            found = [inner.multiply(one, gain) for one, gain in zip(found, self.rows(norm.gain)[0], strict=True)]
        if norm.bias is not None:
            found = [inner.add(one, bias) for one, bias in zip(found, self.rows(norm.bias)[0], strict=True)]
        return [self.store(one) for one in found]

    def _units(self, step: trained.UnitsStep, read: Numbers) -> Numbers:
        assert not isinstance(step.activation, trained.Rounding)  # which casting refuses
        inward, inner = self._linear(step.inward, read), self._in["softmax"]
        if step.gate is None:
            return self._linear(step.outward, [self.store(self._activation(step.activation, x)) for x in inward])
        gate = [self.store(self._activation(step.activation, x)) for x in self._linear(step.gate, read)]
        return self._linear(step.outward, [self.store(inner.multiply(a, u))
                                           for a, u in zip(gate, inward, strict=True)])

    def _activation(self, name: trained.Activation, x: Number) -> Number:
        inner = self._in["softmax"]
        if name == "identity":
            return x
        if name in ("sigmoid", "silu"):
            found = self._function("sigmoid", lambda one: 1 / (1 + (-one).exp()), x)
            return inner.multiply(x, found) if name == "silu" else found
        if name == "relu" or not x[0]:
            return x if x[0] > 0 else ZERO
        if name == "tanh":
            return self._function("tanh", arb.tanh, x)
        if name == "gelu-tanh":
            slope, cube = map(inner.number, (GELU_TANH_SLOPE, GELU_TANH_CUBE))
            third = inner.multiply(cube, inner.multiply(x, inner.multiply(x, x)))
            inside = self._function("tanh", arb.tanh, inner.multiply(slope, inner.add(x, third)))
            return inner.multiply((x[0], x[1] - 1), inner.add(ONE, inside))
        half = self._function("root", lambda one: (one / 2).sqrt(), ONE)
        inside = inner.multiply(x, half)
        error = self._function("erf", arb.erf, inside) if inside[0] else ZERO
        doubled = inner.multiply(x, inner.add(ONE, error))
        return inner.round((doubled[0], doubled[1] - 1))

    def _function(self, name: str, function: Callable[[arb], arb], x: Number) -> Number:
        key = name, reduced(x)
        if key not in self._functions:
            self._functions[key] = nearest(function, exact_value(x), self.run.softmax)
        return self._functions[key]

    def _scores(self, scale: trained.Scale, slope: Fraction | None, place: int, query: Numbers, keys: list[Numbers]
                ) -> Numbers:
        """The scores of a query at a place, stored."""
        sums, factor = self._in["sums"], self._scale(scale)
        scores = [sums.multiply(self._dot(query, key), factor) for key in keys]
        if slope is not None:
            scores = [sums.add(score, sums.number(slope * (j - place))) for j, score in enumerate(scores)]
        return [self._in["scores"].round(score) for score in scores]

    def _average(self, scores: Numbers, values: list[Numbers]) -> Numbers:
        inner, weights = self._in["softmax"], self._in["weights"]
        exponentials = self._exponentials(scores)
        total = self.total(exponentials, inner)
        if self.execution.before:
            shares = [weights.round(inner.divide(one, total)) for one in exponentials]
            return [self.store(self._dot(shares, column)) for column in zip(*values, strict=True)]
        shares = [weights.round(one) for one in exponentials]
        return [self.store(inner.divide(inner.round(self._dot(shares, column)), total))
                for column in zip(*values, strict=True)]

    def _exponentials(self, scores: Numbers) -> Numbers:
        inner = self._in["softmax"]
        if self.execution.base == "2":
            scores = [inner.multiply(score, log2_of_e(inner.format)) for score in scores]
        top = max(scores, key=exact_value)
        return [self._exponential.of(inner.add(score, negated(top)), Fraction(0)) for score in scores]

    def _scale(self, scale: trained.Scale) -> Number:
        if scale.times is not None:
            return self._in["sums"].number(scale.times)
        assert scale.root is not None
        root = isqrt(scale.root)
        if root * root == scale.root:
            return self._in["sums"].number(Fraction(1, root))
        return nearest(lambda one: one.rsqrt(), Fraction(scale.root), self.run.sums)


def _exact(x: np.float64) -> Number:
    numerator, denominator = x.as_integer_ratio()
    return numerator, 1 - denominator.bit_length()
