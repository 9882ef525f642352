"""`certify export --to npz`: dense matrices as numpy arrays, rounded to doubles (docs/exports.md lists them).

What is certified are the rational numbers; the arrays are for experiments, and prove nothing.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from certify.formula.sealed import Sealed, read_sealed
from certify.frame.files import check_writable, write_bytes
from constructions.errors import InputError
from constructions.network.dense import DenseLayer, Matrix, dense_layers, dense_matrix
from constructions.network.lengths import Lengths
from constructions.network.transformer import Layer

Array = npt.NDArray[Any]


def export_npz(path: str, output: str) -> None:
    """Write the arrays of the certificate in a file.

    Raises:
        InputError: if the file is no certificate, the place cannot be written, or a number is too large for a double.
        NotAccepted: if the certificate is rejected.
    """
    if output == "-":
        raise InputError("-o -: arrays are not text, expected a file")
    check_writable(output)
    sealed = read_sealed(path)
    buffer = io.BytesIO()
    try:
        np.savez_compressed(buffer, allow_pickle=False, **arrays_of(sealed))
    except OverflowError:
        raise InputError(f"{path}: a number is too large for double precision") from None
    write_bytes(output, buffer.getvalue())


def arrays_of(sealed: Sealed) -> dict[str, Array]:
    """Every array by its name.

    Raises:
        OverflowError: if a number is too large for a double.
    """
    transformer, lengths = sealed.transformer, sealed.lengths
    names = list(transformer.directions)
    embedded = list(transformer.position_embedding)
    arrays = {
        "formula": np.array(sealed.claim["formula"]),
        "certificate_sha256": np.array(sealed.digest),
        "lengths": np.array([lengths.first, lengths.last]),
        "alphabet": np.array(transformer.alphabet),
        "directions": np.array(names),
        "meanings": np.array([str(meaning) for meaning in transformer.directions.values()]),
        "names": np.array(json.dumps({"alphabet": transformer.alphabet, "directions": names})),  # numpy strips NUL
        "output": np.array(names.index(transformer.output)),
        "heads": np.array([len(layer.heads) for layer in transformer.layers], dtype=int),
        "token_embedding": _matrix(dense_matrix([transformer.token_embedding[symbol]
                                                 for symbol in transformer.alphabet], names)),
        "position_directions": np.array([names.index(name) for name in embedded], dtype=int),
        "position_embedding": np.stack([_by_position(value.evaluate, lengths)
                                        for value in transformer.position_embedding.values()], axis=-1)
        if embedded else np.zeros((lengths.last, lengths.last, 0)),
    }
    for place, (layer, dense) in enumerate(zip(transformer.layers, dense_layers(transformer), strict=True), start=1):
        arrays |= _arrays_of_layer(f"layer{place}", layer, dense, lengths)
    return arrays


def _arrays_of_layer(prefix: str, layer: Layer, dense: DenseLayer, lengths: Lengths) -> dict[str, Array]:
    """The matrices of dense.py, and what else a head has."""
    width = len(dense.b2)
    arrays = {
        f"{prefix}.w1": _matrix(dense.w1).reshape(-1, width),  # a layer without units has no rows
        f"{prefix}.b1": _vector(dense.b1),
        f"{prefix}.w2": _matrix(dense.w2).reshape(width, -1),
        f"{prefix}.b2": _vector(dense.b2),
    }
    for place, (head, matrices) in enumerate(zip(layer.heads, dense.heads, strict=True), start=1):
        here = f"{prefix}.head{place}"
        arrays |= {
            f"{here}.queries": _matrix(matrices.queries).reshape(-1, width),
            f"{here}.keys": _matrix(matrices.keys).reshape(-1, width),
            f"{here}.values": _matrix(matrices.values),
            f"{here}.mask": np.array(head.mask.value),
            f"{here}.weighting": np.array(head.weighting.value),
            f"{here}.temperature": _by_position(head.temperature.evaluate, lengths),
        }
    return arrays


def _by_position(function: Callable[..., Fraction], lengths: Lengths) -> Array:
    """The value at (n, i) in row n - 1 and column i - 1; not a number where the certificate says nothing."""
    table = np.full((lengths.last, lengths.last), np.nan)
    for n, i in lengths.rows():
        table[n - 1, i - 1] = _rounded(function(i=i, n=n))
    return table


def _matrix(rows: Matrix) -> Array:
    return np.array([[_rounded(x) for x in row] for row in rows], dtype=np.float64)


def _vector(entries: Iterable[Fraction]) -> Array:
    return np.array([_rounded(x) for x in entries], dtype=np.float64)


def _rounded(x: Fraction) -> float:
    """The nearest double."""
    return x.numerator / x.denominator
