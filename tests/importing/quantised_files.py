"""Weights quantised independently of the importer, and the files that contain them."""

import json
import struct
from fractions import Fraction
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np

from constructions.importing.importer import read_contents

KINDS = {"int8": "I8", "uint8": "U8", "int32": "I32", "int64": "I64", "float16": "F16", "float32": "F32",
         "float64": "F64", "float8_e4m3fn": "F8_E4M3"}


def weights_of(folder: Path) -> dict[str, Any]:
    """Return the arrays of a network of the zoo."""
    data = (folder / "model.safetensors").read_bytes()
    return {name: np.frombuffer(one.read(), "<f4").reshape(one.shape)
            for name, one in read_contents(data, "model.safetensors").tensors.items()}


def safetensors(arrays: dict[str, Any]) -> bytes:
    """Return a file of arrays of any kind."""
    header: dict[str, Any] = {}
    body = b""
    for name, array in arrays.items():
        begin, body = len(body), body + np.ascontiguousarray(array).tobytes()
        kind = KINDS[array.dtype.name]
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [begin, len(body)]}
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + body


def quantised(weight: Any, bits: int, group: int | None = None, form: Any = np.float32) -> tuple[Any, Any]:
    """Symmetric numbers of a matrix [out, in] and their scales [out, groups]; of 0 bits: E4M3."""
    rows = weight.reshape(len(weight), -1, group or weight.shape[1]).astype(np.float64)
    most = (1 << bits - 1) - 1 if bits else 448
    scale = np.maximum(abs(rows).max(2) / most, 2.0**-20).astype(form)
    codes = np.clip(rows / scale.astype(np.float64)[:, :, None], -most, most)
    codes = np.rint(codes).astype(np.int8) if bits else codes.astype(ml_dtypes.float8_e4m3fn)
    return codes.reshape(weight.shape), scale


def exact(codes: Any, scale: Any, group: int | None = None, zero: Any = None) -> list[list[Fraction]]:
    """Return the values of codes, [out, in]."""
    width = group or codes.shape[1]
    return [[(Fraction(float(q)) - (0 if zero is None else int(zero[row][column // width])))
             * Fraction(float(scale[row][column // width])) for column, q in enumerate(line)]
            for row, line in enumerate(codes)]


def matrices(arrays: dict[str, Any]) -> list[str]:
    """Return the names of the weights of linear maps."""
    return [name for name, array in arrays.items() if array.ndim == 2 and not name.endswith((
        "wte.weight", "wpe.weight", "embedding.weight", "positions.weight", "embed_tokens.weight"))]


def with_names(arrays: dict[str, Any], bits: int, group: int | None) -> tuple[bytes, str]:
    """Return a safetensors file whose matrices are quantised, and the file of names that says so."""
    made, rules = dict(arrays), ["[tensors]"]
    for name in matrices(arrays):
        codes, scale = quantised(made.pop(name), bits, group)
        made |= {f"{name}.q": codes, f"{name}.s": scale if group else scale[:, 0]}
        block = f", axis = 1, block = {group}" if group else ""
        rules.append(f'"{name}" = {{ from = "{name}.q", scale = "{name}.s"{block} }}')
    return safetensors(made), "\n".join(rules) + "\n"
