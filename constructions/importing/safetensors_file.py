"""Safetensors: eight bytes of length, a JSON header, then the tensors one after another without gaps."""

import math
from typing import Any

from constructions.errors import InputError
from constructions.importing.contents import MAX_DIMENSIONS, Contents, Stored
from constructions.importing.eight_bits import EIGHT_BITS, as_binary16
from constructions.network.json_form import read_json
from constructions.trained import json_values as values

MAX_HEADER_BYTES = 8_000_000
_FORMATS = {"F64": "binary64", "F32": "binary32", "F16": "binary16", "BF16": "bfloat16", **dict.fromkeys(
    EIGHT_BITS, "binary16")}
_BITS = {"F64": 64, "F32": 32, "F16": 16, "BF16": 16, "BOOL": 8, "U8": 8, "I8": 8, "U16": 16, "I16": 16, "U32": 32,
         "I32": 32, "U64": 64, "I64": 64, "F8_E4M3": 8, "F8_E5M2": 8, "C64": 64}


def looks_like_safetensors(data: bytes) -> bool:
    """Whether a header of JSON follows the eight bytes."""
    return data[8:9] == b"{"


def read_safetensors(data: bytes, where: str) -> Contents:
    """The tensors of a file.

    Raises:
        InputError: if the header does not describe the bytes after it exactly.
    """
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
    body = memoryview(data)[8 + length :]
    places = [_place(entry, f"{where}, tensor {name}") for name, entry in header.items()]
    _check_gapless(places, len(body), where)
    return Contents({name: _stored(entry, body[begin:end])
                     for (name, entry), (begin, end) in zip(header.items(), places, strict=True)})


def _place(entry: Any, where: str) -> tuple[int, int]:
    """Where a tensor begins and ends, once its size is checked."""
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


def _check_gapless(places: list[tuple[int, int]], length: int, where: str) -> None:
    """Tensors overlap nowhere, leave no gap, and end where the file ends."""
    reached = 0
    for begin, end in sorted(places):
        if begin != reached:
            raise InputError(f"{where}: a tensor begins at byte {begin} of the data, expected {reached}")
        reached = end
    if reached != length:
        raise InputError(f"{where}: {length} bytes of data, expected {reached}")


def _stored(entry: Any, part: memoryview) -> Stored:
    kind, shape = entry["dtype"], tuple(entry["shape"])
    if kind in EIGHT_BITS:
        return Stored(kind, _FORMATS[kind], shape, lambda: as_binary16(kind, part.tobytes()))
    return Stored(kind, _FORMATS.get(kind), shape, part.tobytes)
