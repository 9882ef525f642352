"""The same network with other numbers in its tensors."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from constructions.trained.network import TrainedNetwork

Values = NDArray[np.float32]
Change = Callable[[str, Values], Values]


def changed(network: TrainedNetwork, change: Change) -> TrainedNetwork:
    """All its tensors are binary32."""
    tensors = {}
    for name, tensor in network.tensors.items():
        assert tensor.format == "binary32"
        values = np.frombuffer(tensor.data, dtype="<f4").reshape(tensor.shape).copy()
        tensors[name] = replace(tensor, data=change(name, values).astype("<f4").tobytes())
    return replace(network, tensors=tensors)


def in_half_precision(_: str, values: Values) -> Values:
    return values.astype(np.float16).astype(np.float32)


def in_bits(bits: int) -> Change:
    """Each tensor rounded to multiples of its greatest number over 2^(bits - 1) - 1."""
    def change(_: str, values: Values) -> Values:
        scale = np.abs(values).max() / (2 ** (bits - 1) - 1) or 1
        return np.asarray(np.round(values / scale) * scale, dtype=np.float32)
    return change


def without_the_smallest(percent: int) -> Change:
    """Return a change that sets this percentage of the numbers of each matrix, the smallest, to 0."""
    def change(_: str, values: Values) -> Values:
        if values.ndim < 2:
            return values
        few = np.sort(np.abs(values), axis=None)[: values.size * percent // 100]
        return np.asarray(np.where(np.abs(values) <= few[-1], 0, values), dtype=np.float32) if few.size else values
    return change
