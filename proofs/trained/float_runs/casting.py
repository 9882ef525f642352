"""The network that float runs of a class compute with: its numbers are rounded once, when it is loaded.

Weights of matrix products are rounded to `storage` and then to `inputs`, all other numbers to `storage`; subnormal
numbers are kept. Every number of such a format is a binary64 number, so the result is a network with exact numbers.
"""

from dataclasses import replace
from fractions import Fraction
from typing import overload

import numpy as np
from numpy.typing import NDArray

from constructions.errors import InputError, Unsupported
from constructions.network.float_formats import FORMATS, Format
from constructions.trained.network import (
    Affine,
    AttentionStep,
    Norm,
    NormStep,
    Rounding,
    Step,
    Tensor,
    TrainedNetwork,
    UnitsStep,
    View,
)
from constructions.trained.numbers import numbers
from proofs.enclosures.float_runs.numbers import Arithmetic, NotFinite, exact_value
from proofs.enclosures.float_runs.run_class import RunClass

Array = NDArray[np.float64]


def rounded(x: Array, target: Format) -> Array:
    """The nearest numbers of the format, ties to even, subnormal ones kept; infinite beyond the greatest.

    Exact for formats of at most 53 bits within binary64: powers of two scale exactly, and `rint` rounds ties to even.

    >>> rounded(np.array([257, 259, 10**39], dtype=np.float64), FORMATS["bfloat16"]).tolist()
    [256.0, 260.0, inf]
    """
    if target == FORMATS["binary32"]:  # numpy's own, which is many times faster
        with np.errstate(over="ignore"):
            return x.astype(np.float32).astype(np.float64)
    exponents = np.maximum(np.frexp(x)[1], target.least + 1)
    found = np.ldexp(np.rint(np.ldexp(x, target.precision - exponents)), exponents - target.precision)
    largest = np.ldexp(np.float64(2**target.precision - 1), target.greatest - target.precision + 1)
    return np.asarray(np.where(np.abs(found) > largest, np.copysign(np.inf, found), found))


def cast_network(network: TrainedNetwork, run: RunClass) -> TrainedNetwork:
    """The network of the runs of a class.

    Raises:
        InputError: if a number is too large for its format.
        Unsupported: if there is no rule for what the network does in float runs, or a format is not within binary64.
    """
    return _Cast(network, run).network()


class _Cast:
    """Makes a tensor of each view."""

    def __init__(self, network: TrainedNetwork, run: RunClass) -> None:
        widest = FORMATS["binary64"]
        if run.sums.precision > widest.precision or run.storage.least < widest.least:
            raise Unsupported(f"float runs {run.name}: a format that is not within binary64")
        self.given, self.run = network, run
        self.tensors: dict[str, Tensor] = {}

    def network(self) -> TrainedNetwork:
        """All of it."""
        given = self.given
        for step in given.steps:
            if isinstance(step, UnitsStep) and isinstance(step.activation, Rounding):
                raise Unsupported(f"float runs: no class has activations that are {step.activation}; it can be decided "
                                  "over the reals")
        positions = None if given.positions is None else self.stored(given.positions)
        return replace(given, tokens=self.stored(given.tokens), positions=positions,
                       steps=tuple(map(self._step, given.steps)), unembedding=self._affine(given.unembedding),
                       tensors=self.tensors)

    @overload
    def stored(self, view: View) -> View: ...
    @overload
    def stored(self, view: None) -> None: ...
    def stored(self, view: View | None) -> View | None:
        """A table, a gain or a bias."""
        return None if view is None else self._new(view, rounded(numbers(self.given, view), self.run.storage))

    def _weight(self, view: View) -> View:
        once = rounded(numbers(self.given, view), self.run.storage)
        return self._new(view, rounded(once, self.run.inputs))

    def _new(self, view: View, values: Array) -> View:
        if not np.isfinite(values).all():
            raise InputError(f"float runs {self.run.name}: a number of the tensor {view.tensor} is too large for "
                             f"{self.run.storage}")
        name = f"{len(self.tensors)} {view.tensor}"
        self.tensors[name] = Tensor("binary64", values.shape, values.astype("<f8").tobytes())
        strides = (values.shape[1], 1) if values.ndim == 2 else (1,)
        return View(name, 0, values.shape, strides)

    def _affine(self, affine: Affine) -> Affine:
        return Affine(self._weight(affine.weight), self.stored(affine.bias))

    def _norm(self, norm: Norm | None) -> Norm | None:
        if norm is None:
            return None
        of = None if norm.of is None else self._affine(norm.of)
        return replace(norm, gain=self.stored(norm.gain), bias=self.stored(norm.bias), of=of)

    def _step(self, step: Step) -> Step:
        norm = self._norm(step.norm)
        if isinstance(step, NormStep):
            assert norm is not None
            return NormStep(norm)
        if isinstance(step, UnitsStep):
            gate = None if step.gate is None else self._affine(step.gate)
            return replace(step, norm=norm, inward=self._affine(step.inward), gate=gate,
                           outward=self._affine(step.outward))
        return self._attention(step, norm)

    def _attention(self, step: AttentionStep, norm: Norm | None) -> AttentionStep:
        if step.cap is not None:
            raise Unsupported("float runs: a cap on scores")
        if step.scale.times is not None and abs(step.scale.times) > 1:
            raise Unsupported(f"float runs: scores times {step.scale.times}, expected at most 1")
        heads = tuple(replace(head, query=self._affine(head.query), key=self._affine(head.key),
                              value=self._affine(head.value), out=self._weight(head.out),
                              slope=None if head.slope is None else self._slope(head.slope)) for head in step.heads)
        rotary = None if step.rotary is None else replace(
            step.rotary, cosines=self.stored(step.rotary.cosines), sines=self.stored(step.rotary.sines))
        return replace(step, norm=norm, heads=heads, bias=self.stored(step.bias), rotary=rotary)

    def _slope(self, slope: Fraction) -> Fraction:
        """The nearest number of `storage`."""
        try:
            return exact_value(Arithmetic(self.run.storage).number(slope))
        except NotFinite:
            raise InputError(f"float runs {self.run.name}: a slope is too large for {self.run.storage}") from None
