"""ONNX: a model, and the tensors that are stored in it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from constructions.errors import InputError
from constructions.importing.contents import MAX_DIMENSIONS, Stored
from constructions.trained.network import ELEMENT_BYTES

_FORMATS = {1: "binary32", 11: "binary64", 10: "binary16", 16: "bfloat16"}
_TYPED = {1: ("float_data", "<f4"), 11: ("double_data", "<f8")}
"""Where a tensor without raw bytes keeps its elements."""
EXTERNAL = 1
"""The place of a tensor that is kept in another file."""


def stored_initializers(graph: Any, where: str) -> dict[str, Stored]:
    """The initialisers under their own names.

    Raises:
        InputError: if one is not whole.
    """
    return {one.name: _stored(one, f"{where}, tensor {one.name}") for one in graph.initializer}


def load_model(data: bytes, where: str) -> Any:
    """The model.

    Raises:
        InputError: if it is damaged, or the package onnx is not installed.
    """
    try:
        import onnx
        from google.protobuf.message import DecodeError
    except ModuleNotFoundError:
        raise InputError(f"{where}: the package onnx is not installed; expected it (the extra onnx)") from None
    try:
        return onnx.load_model_from_string(data)
    except (DecodeError, ValueError, RecursionError):
        raise InputError(f"{where}: not a whole ONNX model") from None


def _stored(initializer: Any, where: str) -> Stored:
    """A tensor of the graph.

    Raises:
        InputError: if it has not the size that it states, or is in another file.
    """
    shape = tuple(initializer.dims)
    if initializer.data_location == EXTERNAL:
        raise InputError(f"{where}: kept in another file, expected it inside the model")
    if len(shape) > MAX_DIMENSIONS or any(size < 0 for size in shape):
        raise InputError(f"{where}: shape {list(shape)[:MAX_DIMENSIONS]}, expected at most {MAX_DIMENSIONS} sizes")
    form = _FORMATS.get(initializer.data_type)
    if form is None:
        return Stored(f"ONNX type {initializer.data_type}", None, shape, bytes)
    data: bytes = initializer.raw_data
    if not data and initializer.data_type in _TYPED:
        field, kind = _TYPED[initializer.data_type]
        data = np.array(getattr(initializer, field), kind).tobytes()
    if len(data) != math.prod(shape) * ELEMENT_BYTES[form]:
        raise InputError(f"{where}: {len(data)} bytes, expected {math.prod(shape) * ELEMENT_BYTES[form]} for its shape "
                         f"{list(shape)}")
    return Stored(form, form, shape, lambda: data)
