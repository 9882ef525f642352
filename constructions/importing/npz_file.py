"""Npz: a zip archive of arrays, each with a short header; nothing is unpickled."""

from __future__ import annotations

import io
import math
from typing import Any

import numpy as np

from constructions.errors import InputError
from constructions.importing.archive import Archive
from constructions.importing.contents import MAX_DIMENSIONS, Contents, Stored
from constructions.trained.validation import MAX_TENSOR_BYTES

_FORMATS = {"<f8": "binary64", "<f4": "binary32", "<f2": "binary16"}
_MAX_HEADER = 10_000


def read_npz(data: bytes, where: str) -> Contents:
    """The arrays of a file.

    Raises:
        InputError: if the archive or a header is damaged, or an array has not the size that its header states.
    """
    archive = Archive(data, where, MAX_TENSOR_BYTES)
    tensors = {}
    for member in archive.sizes:
        if not member.endswith(".npy"):
            raise InputError(f"{where}: member {member}, expected arrays (.npy) only")
        name = member.removesuffix(".npy")
        tensors[name] = _stored(archive.read(member), f"{where}, array {name}")
    return Contents(tensors)


def _stored(data: bytes, where: str) -> Stored:
    file = io.BytesIO(data)
    shape, by_columns, kind = _header(file, where)
    body = memoryview(data)[file.tell() :]
    if kind.hasobject:
        raise InputError(f"{where}: Python objects, which are not read, expected numbers")
    if len(shape) > MAX_DIMENSIONS or math.prod(shape) * kind.itemsize != len(body):
        raise InputError(f"{where}: {len(body)} bytes, expected {math.prod(shape) * kind.itemsize} "
                         f"for {kind.str} of shape {list(shape)[:MAX_DIMENSIONS]}")

    def read() -> bytes:
        order = "F" if by_columns else "C"
        return np.frombuffer(body, kind).reshape(shape, order=order).tobytes()  # type: ignore[call-overload,no-any-return]

    return Stored(kind.str, _FORMATS.get(kind.str), shape, read)


def _header(file: io.BytesIO, where: str) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, whether columns come first, element type; numpy reads it as a literal."""
    try:
        version = np.lib.format.read_magic(file)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, by_columns, kind = read(file, max_header_size=_MAX_HEADER)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError, UnicodeDecodeError) as error:
        raise InputError(f"{where}: not a numpy array: {str(error).splitlines()[0][:80] if str(error) else error!r}"
                         ) from None
    if any(size < 0 for size in shape):
        raise InputError(f"{where}: shape {list(shape)[:MAX_DIMENSIONS]}, expected sizes of 0 or more")
    return shape, by_columns, kind
