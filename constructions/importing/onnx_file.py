"""ONNX: the initialisers of a graph under the names of the parameters that they were exported from.

torch's exporter keeps the names of parameters, but it stores the weight of a Linear transposed as ``onnx::MatMul_12``;
the scope in the name of the node that multiplies by it tells which Linear that was. Of the graph nothing else is read.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from constructions.errors import InputError
from constructions.importing.contents import MAX_DIMENSIONS, Contents, Stored
from constructions.importing.quantised import ROUNDING
from constructions.text import printable
from constructions.trained.network import ELEMENT_BYTES

_FORMATS = {1: "binary32", 11: "binary64", 10: "binary16", 16: "bfloat16"}
_TYPED = {1: ("float_data", "<f4"), 11: ("double_data", "<f8")}
"""Where a tensor without raw bytes keeps its elements."""
_EXTERNAL = 1
_UNNAMED = re.compile(r"(onnx::|val_).*")


def read_onnx(data: bytes, where: str) -> Contents:
    """The initialisers of a model.

    Raises:
        InputError: if it is damaged, keeps its tensors in other files, its nodes quantise or dequantise, or the package
            onnx is not installed.
    """
    tensors: dict[str, Stored] = {}
    others: dict[str, str] = {}
    model = load_model(data, where)
    graph = model.graph
    for node in (node for part in (graph, *model.functions) for node in part.node):
        if ROUNDING.fullmatch(node.op_type):
            name = printable(node.name or node.output[0])[:80]
            raise InputError(f"{where}: node {name} ({printable(node.op_type)}): a graph with quantised numbers is "
                             f"read by its operations, expected it alone, without --names")
    linear = dict(_linear_weights(graph))
    for initializer in graph.initializer:
        stored = _stored(initializer, f"{where}, tensor {initializer.name}")
        name = initializer.name
        if name in linear and len(stored.shape) == 2:
            name, stored = linear[name], _transposed(stored)
        if name in tensors:
            raise InputError(f"{where}: tensor {name} is in it twice, expected it once")
        if stored.format or not _UNNAMED.fullmatch(name):
            tensors[name] = stored
        else:
            others[name] = "a constant of the graph that is not of floating point"
    if not tensors:
        raise InputError(f"{where}: no initialisers, expected the weights of a network")
    return Contents(tensors, {}, others)


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


def _linear_weights(graph: Any) -> Iterator[tuple[str, str]]:
    """Initialisers without a name of their own that a node multiplies by, with the name of the torch parameter."""
    named = [initializer.name for initializer in graph.initializer if not _UNNAMED.fullmatch(initializer.name)]
    for node in graph.node:
        if node.op_type == "MatMul" and len(node.input) == 2 and _UNNAMED.fullmatch(node.input[1]):
            module = _with_container(".".join(node.name.strip("/").split("/")[:-1]), named)
            yield node.input[1], f"{module}.in_proj_weight" if module.endswith("self_attn") else f"{module}.weight"


def _with_container(module: str, named: list[str]) -> str:
    """The name of a module, whose scope leaves out a ModuleDict around it: other parameters in that tell its name."""
    inside = f".{module.split('.', maxsplit=1)[0]}."
    before = {name.partition(inside)[0] for name in named if inside in name}
    containers = {name for name in before if "." not in name}
    return f"{containers.pop()}.{module}" if len(containers) == 1 else module


def _stored(initializer: Any, where: str) -> Stored:
    """A tensor of the graph.

    Raises:
        InputError: if it has not the size that it states, or is in another file.
    """
    shape = tuple(initializer.dims)
    if initializer.data_location == _EXTERNAL:
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


def _transposed(stored: Stored) -> Stored:
    """A matrix with rows and columns exchanged, as torch had it."""
    if stored.format is None:
        return stored
    words = np.frombuffer(stored.read(), f"<u{ELEMENT_BYTES[stored.format]}").reshape(stored.shape)
    return Stored(stored.kind, stored.format, stored.shape[::-1], words.T.tobytes)
