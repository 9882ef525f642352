"""ONNX: a model, its stored tensors, and those in a file beside it (``model.onnx.data``)."""

import hashlib
import math
from pathlib import Path
from typing import Any

import numpy as np

from constructions.errors import InputError
from constructions.importing.contents import MAX_DIMENSIONS, MAX_FILE_BYTES, Stored
from constructions.importing.graph.operators import Graph, Input, expect_one_each, opset_of
from constructions.text import printable
from constructions.trained.network import ELEMENT_BYTES, Source

_FORMATS = {1: "binary32", 11: "binary64", 10: "binary16", 16: "bfloat16"}
_TYPED = {1: ("float_data", "<f4"), 11: ("double_data", "<f8")}
"""The field with the elements of a tensor without raw bytes."""
EXTERNAL = 1
"""The data location of a tensor in another file."""


def stored_initializers(graph: Any, where: str) -> dict[str, Stored]:
    """Return the initialisers under their own names."""
    return {one.name: _stored(one, f"{where}, tensor {one.name}") for one in graph.initializer}


def load_model(data: bytes, where: str) -> Any:
    """Parse the model.

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
    """Return the graph of a model, with its tensors and inputs."""
    from onnx import helper, numpy_helper

    if any(one.domain in ("", "ai.onnx", "com.microsoft") for one in model.functions):
        raise InputError(f"{where}: a function in a domain of ONNX, expected only ONNX's own operations there")
    expect_one_each(where, [one.name for one in model.graph.initializer])
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
    shape = tuple(initializer.dims)
    if initializer.data_location == EXTERNAL:
        raise InputError(f"{where}: stored in another file, expected it inside the model")
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


_KEYS = ("location", "offset", "length", "checksum")
_BITS_OF_PARTS = {"UINT4": 4, "INT4": 4, "FLOAT4E2M1": 4, "UINT2": 2, "INT2": 2}


def with_external_data(data: bytes, path: Path) -> tuple[bytes, tuple[Source, ...]]:
    """Return the model with all its tensors inside, and the files that they came from, all in the model's folder.

    Raises:
        InputError: if a file is missing or not in this folder, or a tensor does not lie inside its file.
    """
    where = printable(path.name)
    model = load_model(data, where)
    outside = [one for one in model.graph.initializer if one.data_location == EXTERNAL]
    files: dict[str, bytes] = {}
    total = 0
    for one in outside:
        place = f"{where}, tensor {printable(one.name)[:80]}"
        entries = _entries(one, place)
        name = entries["location"]
        if name not in files:
            files[name] = _read_beside(path, name, place)
        if "checksum" in entries and entries["checksum"].lower() != hashlib.sha1(files[name]).hexdigest():
            raise InputError(f"{place}: {printable(name)[:80]} has another checksum than the model states")
        start, size = _span(one, entries, len(files[name]), place)
        total += size
        if total > MAX_FILE_BYTES:
            raise InputError(f"{where}: tensors of more than {MAX_FILE_BYTES} bytes in other files")
        one.raw_data = files[name][start : start + size]
        one.data_location = 0
        del one.external_data[:]
    sources = tuple(Source(printable(name), hashlib.sha256(one).hexdigest()) for name, one in files.items())
    return (model.SerializeToString() if outside else data), sources


def _entries(tensor: Any, where: str) -> dict[str, str]:
    """Return location, offset, length and checksum, as far as they are stated."""
    found: dict[str, str] = {}
    for one in tensor.external_data:
        if one.key not in _KEYS or one.key in found:
            raise InputError(f"{where}: {printable(one.key)[:40]} of a tensor in another file, expected each of "
                             f"{', '.join(_KEYS)} at most once")
        found[one.key] = one.value
    if "location" not in found or tensor.raw_data:
        raise InputError(f"{where}: stored in another file without its name, or here as well, expected one place")
    return found


def _read_beside(path: Path, name: str, where: str) -> bytes:
    """Read a file of the model's own folder, given by its bare name; links out of the folder are refused."""
    shown = printable(name)[:80]
    if name in ("", "..") or name != Path(name).name or "\\" in name or ":" in name or "\0" in name:
        raise InputError(f"{where}: kept in {shown}, expected a file in the folder of the model, by its bare name")
    try:
        target, folder = (path.parent / name).resolve(), path.parent.resolve()
        if not target.is_file():
            raise InputError(f"{where}: kept in {shown}, which is not beside the model; expected that file there")
        if target.parent != folder:
            raise InputError(f"{where}: kept in {shown}, a link out of the model's folder, expected the file itself")
        with target.open("rb") as file:
            data = file.read(MAX_FILE_BYTES + 1)
    except (OSError, RuntimeError) as error:
        raise InputError(f"{where}: kept in {shown}, which cannot be read ({getattr(error, 'strerror', error)})"
                         ) from None
    if len(data) > MAX_FILE_BYTES:
        raise InputError(f"{where}: kept in {shown}, which is longer than {MAX_FILE_BYTES} bytes")
    return data


def _span(tensor: Any, entries: dict[str, str], length: int, where: str) -> tuple[int, int]:
    """Return first byte and number of bytes: as required by type and shape, inside the file."""
    import onnx

    if any(size < 0 for size in tensor.dims):
        raise InputError(f"{where}: shape {list(tensor.dims)[:8]}, expected sizes")
    try:
        kind = onnx.TensorProto.DataType.Name(tensor.data_type)
        bits = _BITS_OF_PARTS.get(kind) or 8 * onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type).itemsize
    except (ValueError, KeyError, TypeError):
        bits, kind = 0, str(tensor.data_type)
    if kind in ("STRING", "UNDEFINED") or not bits:
        raise InputError(f"{where}: elements of ONNX type {kind} in another file, expected numbers")
    stated = {key: entries[key] for key in ("offset", "length") if key in entries}
    if any(not (text.isascii() and text.isdigit() and len(text) <= 18) for text in stated.values()):
        raise InputError(f"{where}: offset or length, expected numbers of bytes")
    start, needed = int(stated.get("offset", 0)), -(-math.prod(tensor.dims) * bits // 8)
    given = int(stated.get("length", length - start))
    if given != needed or start + needed > length:
        raise InputError(f"{where}: bytes {start} to {start + given} of a file of {length}, expected {needed} bytes "
                         f"inside of it for its shape {list(tensor.dims)[:8]}")
    return start, needed
