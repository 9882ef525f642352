"""The elements of a view as binary64: exact, as every number of the four formats is a binary64 number."""

import numpy as np
import numpy.typing as npt

from constructions.trained.network import ELEMENT_BYTES, Tensor, TrainedNetwork, View

_STORED = {"binary64": "<f8", "binary32": "<f4", "binary16": "<f2", "bfloat16": "<u2"}
"""numpy types of the bytes; for bfloat16 of the bits only."""


def numbers(network: TrainedNetwork, view: View) -> npt.NDArray[np.float64]:
    """Return the elements of the view, in a new array of its shape."""
    return view_of_tensor(network.tensors[view.tensor], view)


def view_of_tensor(tensor: Tensor, view: View) -> npt.NDArray[np.float64]:
    """Return the elements of a view of this tensor, which must lie inside it."""
    stored = np.frombuffer(tensor.data, _STORED[tensor.format])[view.start :]
    size = ELEMENT_BYTES[tensor.format]
    strided = np.lib.stride_tricks.as_strided(stored, view.shape, [stride * size for stride in view.strides],
                                              writeable=False)
    return _as_binary64(tensor.format, strided)


def all_numbers(tensor: Tensor) -> npt.NDArray[np.float64]:
    """Return all elements in row-major order, in one dimension."""
    return _as_binary64(tensor.format, np.frombuffer(tensor.data, _STORED[tensor.format]))


def is_finite(tensor: Tensor) -> bool:
    """Return whether it contains neither an infinity nor a NaN."""
    return bool(np.isfinite(all_numbers(tensor)).all())


def _as_binary64(form: str, stored: npt.NDArray[np.generic]) -> npt.NDArray[np.float64]:
    """Convert to binary64; a bfloat16 number is the upper half of a binary32 number."""
    if form == "bfloat16":
        upper_halves: npt.NDArray[np.uint32] = stored.astype(np.uint32) << np.uint32(16)
        stored = upper_halves.view(np.float32)
    return stored.astype(np.float64)
