"""ONNX: a model, and the tensors that are stored in it."""

import math
from typing import Any

import numpy as np

from constructions.errors import InputError
from constructions.importing.contents import MAX_DIMENSIONS, Stored
from constructions.importing.graph.operators import Graph, Input, opset_of
from constructions.text import printable
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


def graph_of(model: Any, where: str) -> Graph:
    """The graph of a model, with its tensors and inputs.

    Raises:
        InputError: if a tensor is not whole, an opset is not read, or a name stands for an operation and a function.
    """
    from onnx import helper, numpy_helper

    if any(one.domain in ("", "ai.onnx", "com.microsoft") for one in model.functions):
        raise InputError(f"{where}: a function in a domain of ONNX, expected its operations to be ONNX's own")
    names = [one.name for one in model.graph.initializer]
    if len({*names}) < len(names):
        name = next(name for number, name in enumerate(names) if name in names[:number])
        raise InputError(f"{where}: two arrays of the name {printable(name)[:80]}, expected one")
    stored, opsets = stored_initializers(model.graph, where), opset_of(model, where)
    inputs = []
    for one in model.graph.input:
        form = one.type.tensor_type
        kind = helper.tensor_dtype_to_np_dtype(form.elem_type).name if form.elem_type else "undefined"
        sizes = tuple(size.dim_value if size.HasField("dim_value") else None for size in form.shape.dim)
        inputs += [Input(one.name, kind, sizes)] if one.name not in stored else []
    return Graph(model.graph.node, {one.name: numpy_helper.to_array(one) for one in model.graph.initializer},
                 tuple(inputs), tuple(one.name for one in model.graph.output), opsets, stored)


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
