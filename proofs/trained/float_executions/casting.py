"""The network of the executions under a float model: its numbers are rounded once, when it is loaded.

Weights of matrix products are rounded to `storage` and then to `inputs`, all other numbers to `storage`; subnormal
numbers are kept. Every number of these formats is a binary64 number, so the result is a network with exact numbers.
"""

from dataclasses import fields, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from constructions.errors import InputError, Unsupported
from constructions.network.float_formats import FORMATS, Format
from constructions.trained.network import (
    Affine,
    AttentionStep,
    Norm,
    NormStep,
    Rotary,
    Rounding,
    Tensor,
    TrainedHead,
    TrainedNetwork,
    UnitsStep,
    View,
)
from constructions.trained.numbers import numbers
from proofs.enclosures.float_models.model import FloatModel
from proofs.enclosures.float_models.numbers import Arithmetic, NotFinite, exact_value

Array = NDArray[np.float64]


def rounded(x: Array, target: Format) -> Array:
    """Return the nearest numbers of the format, ties to even, subnormal ones kept; infinite beyond the greatest.

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


def cast_network(network: TrainedNetwork, run: FloatModel) -> TrainedNetwork:
    """Return the network with the weights of a float model.

    Raises:
        InputError: if a number is too large for its format.
        Unsupported: if no rule covers the network under float models, or a format is not within binary64.
    """
    return Cast(network, run).network()


class Cast:
    """Builder of a tensor for each view."""

    def __init__(self, network: TrainedNetwork, run: FloatModel) -> None:
        widest = FORMATS["binary64"]
        if run.sums.precision > widest.precision or run.storage.least < widest.least:
            raise Unsupported(f"float model {run.name}: a format that is not within binary64")
        self.given, self.run = network, run
        self.tensors: dict[str, Tensor] = {}

    def network(self) -> TrainedNetwork:
        """Return the whole network."""
        given = self.given
        parts = {name: self.cast(getattr(given, name)) for name in ("tokens", "positions", "steps", "unembedding")}
        return replace(given, **parts, tensors=self.tensors)

    def cast(self, part: Any) -> Any:
        """Cast a part of the network: weights of matrix products, all other views, slopes, and records of them."""
        match part:
            case View():
                return self._new(part, rounded(numbers(self.given, part), self.run.storage))
            case Affine(weight, bias):
                return Affine(self._weight(weight), self.cast(bias))
            case TrainedHead():
                query, key, value = map(self.cast, (part.query, part.key, part.value))
                slope = None if part.slope is None else self._number(part.slope, self.run.storage, "a slope")
                return TrainedHead(query, key, value, self._weight(part.out), slope)
            case Rounding(scale=Fraction() as scale):
                return replace(part, scale=self._number(scale, self.run.softmax, "a scale of roundings"))
            case tuple():
                return tuple(map(self.cast, part))
            case Norm() | Rotary() | NormStep() | UnitsStep() | AttentionStep():
                return replace(part, **{field.name: self.cast(getattr(part, field.name)) for field in fields(part)})
        return part

    def _weight(self, view: View) -> View:
        once = rounded(numbers(self.given, view), self.run.storage)
        return self._new(view, rounded(once, self.run.inputs))

    def _new(self, view: View, values: Array) -> View:
        if not np.isfinite(values).all():
            raise InputError(f"float model {self.run.name}: a number of the tensor {view.tensor} is too large for "
                             f"{self.run.storage}")
        name = f"{len(self.tensors)} {view.tensor}"
        self.tensors[name] = Tensor("binary64", values.shape, values.astype("<f8").tobytes())
        strides = (values.shape[1], 1) if values.ndim == 2 else (1,)
        return View(name, 0, values.shape, strides)

    def _number(self, x: Fraction, target: Format, what: str) -> Fraction:
        """Return the nearest number of the format."""
        try:
            return exact_value(Arithmetic(target).number(x))
        except NotFinite:
            raise InputError(f"float executions {self.run.name}: {what} is too large for {target}") from None
