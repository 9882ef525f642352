"""Files of arrays: safetensors, npz, and zip archives from outside, whose headers are matched and never evaluated.

Floating point of 8 bits (E4M3, without infinities, and E5M2) is converted to binary16 exactly.
"""

import io
import math
import re
import struct
import zipfile
import zlib
from typing import Any

import ml_dtypes
import numpy as np

from constructions.errors import InputError
from constructions.importing.contents import MAX_DIMENSIONS, Contents, Stored
from constructions.network.json_form import read_json
from constructions.trained import json_values as values
from constructions.trained.validation import MAX_TENSOR_BYTES

_DAMAGE = (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError, OverflowError,
           struct.error, zlib.error)
"""The exceptions of zipfile for archives that are damaged, encrypted or compressed in unusual ways."""
_OF_8_BITS = {"F8_E4M3": (np.dtype(ml_dtypes.float8_e4m3fn), -9), "F8_E5M2": (np.dtype(ml_dtypes.float8_e5m2), -16)}
"""The numpy type, and the exponent of the power of two that divides all its numbers."""
EIGHT_BITS = (*_OF_8_BITS,)


class Archive:
    """The members of a zip archive, with distinct names; their total size unpacked is at most ``limit``."""

    def __init__(self, data: bytes, where: str, limit: int) -> None:
        self.where = where
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except _DAMAGE as error:
            raise self._damaged(error) from None
        infos = self._zip.infolist()
        self.sizes = {info.filename: info.file_size for info in infos}
        if len(self.sizes) < len(infos):
            raise InputError(f"{where}: two members of the archive have the same name, expected each once")
        if sum(self.sizes.values()) > limit:
            raise InputError(f"{where}: {sum(self.sizes.values())} bytes unpacked, expected at most {limit}")

    def _damaged(self, error: Exception) -> InputError:
        return InputError(f"{self.where}: not a whole zip archive: {str(error)[:80] or type(error).__name__}")

    def read(self, name: str) -> bytes:
        """Return the bytes of a member, at most its stated size."""
        try:
            return self._zip.read(name)
        except _DAMAGE as error:
            raise self._damaged(error) from None


def as_binary16(kind: str, data: bytes) -> bytes:
    """Return elements of 8 bits as binary16, little-endian; NaN stays NaN.

    >>> np.frombuffer(as_binary16("F8_E4M3", bytes([0x38, 0x01, 0xFE, 0x7F])), "<f2").tolist()
    [1.0, 0.001953125, -448.0, nan]
    """
    return np.frombuffer(data, _OF_8_BITS[kind][0]).astype("<f2").tobytes()


def units_of(kind: str) -> Any:
    """Return the unit of which each number of a format of 8 bits is a multiple."""
    return np.ldexp(np.float64(1), _OF_8_BITS[kind][1])


# -- npz: a zip archive of arrays, each with a short header ------------------------------------------------------------

_IN_NPZ = {"<f8": "binary64", "<f4": "binary32", "<f2": "binary16"}
_MAX_HEADER = 10_000
_HEADER = re.compile(r"\{'descr': '([<>|=][a-zA-Z])(\d{0,4})', 'fortran_order': (True|False), "
                     r"'shape': \(((?:\d{1,18}, ?)*(?:\d{1,18})?)\)(?:, ?)?\}\s*", re.ASCII)
"""The header as written by numpy, or without its last comma, as by MLX."""


def read_npz(data: bytes, where: str) -> Contents:
    """Read the arrays of a file."""
    archive = Archive(data, where, MAX_TENSOR_BYTES)
    if others := [member for member in archive.sizes if not member.endswith(".npy")]:
        raise InputError(f"{where}: member {others[0]}, expected arrays (.npy) only")
    return Contents({name: _array(archive.read(f"{name}.npy"), f"{where}, array {name}")
                     for name in (member.removesuffix(".npy") for member in archive.sizes)})


def _array(data: bytes, where: str) -> Stored:
    """Read one array; Fortran order is converted to row-major order."""
    length_bytes = 2 if data[6:7] == b"\1" else 4
    length = int.from_bytes(data[8 : 8 + length_bytes], "little")
    header = data[8 + length_bytes : 8 + length_bytes + min(length, _MAX_HEADER)].decode("latin-1")
    match = _HEADER.fullmatch(header)
    if data[:6] != b"\x93NUMPY" or match is None:
        raise InputError(f"{where}: the header is not that of a numpy array of plain numbers")
    letter, size, by_columns, sizes = match.groups()
    kind, shape = letter + size, tuple(int(part) for part in re.findall(r"\d+", sizes))
    if letter == "|O":
        raise InputError(f"{where}: Python objects, expected numbers")
    body = memoryview(data)[8 + length_bytes + length :]
    needed = math.prod(shape) * int(size or 0)
    if len(shape) > MAX_DIMENSIONS or needed != len(body):
        raise InputError(f"{where}: {len(body)} bytes, expected {needed} for {kind} of shape "
                         f"{list(shape)[:MAX_DIMENSIONS]}")
    return Stored(kind, _IN_NPZ.get(kind), shape, lambda: np.frombuffer(body, kind).reshape(shape[::-1]).T.tobytes()
                  if by_columns == "True" else body.tobytes())


# -- safetensors: eight bytes of length, a JSON header, then the tensors one after another without gaps ----------------

MAX_HEADER_BYTES = 8_000_000
_IN_SAFETENSORS = {"F64": "binary64", "F32": "binary32", "F16": "binary16", "BF16": "bfloat16", **dict.fromkeys(
    EIGHT_BITS, "binary16")}
_BITS = {"F64": 64, "F32": 32, "F16": 16, "BF16": 16, "BOOL": 8, "U8": 8, "I8": 8, "U16": 16, "I16": 16, "U32": 32,
         "I32": 32, "U64": 64, "I64": 64, "F8_E4M3": 8, "F8_E5M2": 8, "C64": 64}


def read_safetensors(data: bytes, where: str) -> Contents:
    """Read the tensors of a file, whose header must describe all bytes after it."""
    length = int.from_bytes(data[:8], "little")
    if length > min(len(data) - 8, MAX_HEADER_BYTES):
        raise InputError(f"{where}: a header of {length} bytes, expected at most {MAX_HEADER_BYTES} and a longer file")
    try:
        header = read_json(data[8 : 8 + length].decode("utf-8"), where)
    except UnicodeDecodeError as error:
        raise InputError(f"{where}: byte {8 + error.start + 1} of the header is not UTF-8 text") from None
    if not isinstance(header, dict):
        raise InputError(f"{where}: the header is {values.found(header)}, expected an object")
    header.pop("__metadata__", None)
    body, reached = memoryview(data)[8 + length :], 0
    places = [_place(entry, f"{where}, tensor {name}") for name, entry in header.items()]
    for begin, end in sorted(places):
        if begin != reached:
            raise InputError(f"{where}: a tensor begins at byte {begin} of the data, expected {reached}")
        reached = end
    if reached != len(body):
        raise InputError(f"{where}: {len(body)} bytes of data, expected {reached}")
    return Contents({name: _tensor(entry, body[begin:end])
                     for (name, entry), (begin, end) in zip(header.items(), places, strict=True)})


def _place(entry: Any, where: str) -> tuple[int, int]:
    """Return begin and end of a tensor, after a check of its size."""
    kind, shape, offsets = values.fields(entry, where, ("dtype", "shape", "data_offsets"))
    values.one_of(kind, f"{where}, dtype", tuple(_BITS))
    sizes = values.items(shape, f"{where}, shape", values.size)
    places = values.items(offsets, f"{where}, data_offsets", values.size)
    if len(sizes) > MAX_DIMENSIONS or len(places) != 2:
        raise InputError(f"{where}: expected at most {MAX_DIMENSIONS} sizes and two offsets")
    begin, end = places
    needed = math.prod(sizes) * _BITS[kind] // 8
    if end - begin != needed:
        raise InputError(f"{where}: offsets {begin} to {end}, expected {needed} bytes for {kind} {list(sizes)}")
    return begin, end


def _tensor(entry: Any, part: memoryview) -> Stored:
    kind = entry["dtype"]
    return Stored(kind, _IN_SAFETENSORS.get(kind), tuple(entry["shape"]), part.tobytes if kind not in EIGHT_BITS else
                  lambda: as_binary16(kind, part.tobytes()))
