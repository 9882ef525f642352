"""The elements that a view reads, as binary64: exact, as every number of the four formats is one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from constructions.trained.network import Tensor, TrainedNetwork, View


def numbers(network: TrainedNetwork, view: View) -> NDArray[np.float64]:
    """The elements of the view, in an array of its shape."""
    places = np.asarray(view.start)
    for length, stride in zip(view.shape, view.strides, strict=True):
        places = places[..., np.newaxis] + stride * np.arange(length)
    return np.asarray(elements(network.tensors[view.tensor])[places])


def elements(tensor: Tensor) -> NDArray[np.float64]:
    """All elements of a tensor, flat."""
    if tensor.format == "bfloat16":  # the upper half of a binary32
        wide = np.frombuffer(tensor.data, "<u2").astype("<u4") << 16
        return wide.view("<f4").astype(np.float64)
    kind = {"binary64": "<f8", "binary32": "<f4", "binary16": "<f2"}[tensor.format]
    return np.frombuffer(tensor.data, kind).astype(np.float64)
