"""Npz: a zip archive of arrays, each with a short header, which is matched; nothing is evaluated or unpickled."""

import math
import re

import numpy as np

from constructions.errors import InputError
from constructions.importing.archive import Archive
from constructions.importing.contents import MAX_DIMENSIONS, Contents, Stored
from constructions.trained.validation import MAX_TENSOR_BYTES

_FORMATS = {"<f8": "binary64", "<f4": "binary32", "<f2": "binary16"}
_MAX_HEADER = 10_000
_HEADER = re.compile(r"\{'descr': '([<>|=][a-zA-Z])(\d{0,4})', 'fortran_order': (True|False), "
                     r"'shape': \(((?:\d{1,18}, ?)*(?:\d{1,18})?)\)(?:, ?)?\}\s*", re.ASCII)
"""The header as numpy writes it, or without its last comma, as MLX does."""


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
    length_bytes = 2 if data[6:7] == b"\1" else 4
    length = int.from_bytes(data[8 : 8 + length_bytes], "little")
    header = data[8 + length_bytes : 8 + length_bytes + min(length, _MAX_HEADER)].decode("latin-1")
    match = _HEADER.fullmatch(header)
    if data[:6] != b"\x93NUMPY" or match is None:
        raise InputError(f"{where}: not a numpy array of plain numbers, as far as its header tells")
    kind, size, by_columns, sizes = match.groups()
    shape = tuple(int(part) for part in re.findall(r"\d+", sizes))
    if kind == "|O":
        raise InputError(f"{where}: Python objects, which are not read, expected numbers")
    body = memoryview(data)[8 + length_bytes + length :]
    needed = math.prod(shape) * int(size or 0)
    if len(shape) > MAX_DIMENSIONS or needed != len(body):
        raise InputError(f"{where}: {len(body)} bytes, expected {needed} for {kind}{size} of shape "
                         f"{list(shape)[:MAX_DIMENSIONS]}")
    return _array(kind + size, shape, body, by_columns == "True")


def _array(kind: str, shape: tuple[int, ...], body: memoryview, by_columns: bool) -> Stored:
    """The array; if columns come first, rows are put first."""
    def read() -> bytes:
        return np.frombuffer(body, kind).reshape(shape[::-1]).T.tobytes() if by_columns else body.tobytes()

    return Stored(kind, _FORMATS.get(kind), shape, read)
