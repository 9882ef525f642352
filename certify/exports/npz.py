"""`certify export --to npz`: matrices as numpy arrays, rounded to doubles (docs/howto/exports.md lists them).

The certificate is about the exact rational numbers; the arrays are for experiments, and prove nothing.
"""

import io
import json
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from certify.claims.formula.sealed import Sealed
from certify.exports.writing import binary_file, of_formula
from constructions.errors import Unsupported
from constructions.network.dense import MOST_ENTRIES, count_dense
from constructions.network.lengths import Lengths
from constructions.network.transformer import Layer

Array = npt.NDArray[Any]
Columns = Mapping[Any, int]
"""The columns of a matrix by their keys."""
Row = tuple[int, Mapping[Any, Fraction]]
"""The number of a row, and its entries."""


def npz_bytes(sealed: Sealed) -> bytes:
    """Return the file.

    Raises:
        Unsupported: if a number is too large for a double.
    """
    buffer = io.BytesIO()
    try:
        np.savez_compressed(buffer, allow_pickle=False, **arrays_of(sealed))
    except OverflowError:
        raise Unsupported("npz: a number is too large for double precision") from None
    return buffer.getvalue()


def arrays_of(sealed: Sealed) -> dict[str, Array]:
    """Return every array by its name.

    Raises:
        OverflowError: if a number is too large for a double.
    """
    transformer, lengths = sealed.transformer, sealed.lengths
    names = list(transformer.directions)
    columns, is_dense = {name: place for place, name in enumerate(names)}, count_dense(transformer) <= MOST_ENTRIES
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
        "token_embedding": _dense((len(transformer.alphabet), len(names)), enumerate(
            transformer.token_embedding[symbol] for symbol in transformer.alphabet), columns),
        "position_directions": np.array([names.index(name) for name in embedded], dtype=int),
        "position_embedding": np.stack([_by_position(value.evaluate, lengths)
                                        for value in transformer.position_embedding.values()], axis=-1)
        if embedded else np.zeros((lengths.last, lengths.last, 0)),
    }
    for place, layer in enumerate(transformer.layers, start=1):
        arrays |= _arrays_of_layer(f"layer{place}", layer, columns, is_dense, lengths)
    return arrays


def _arrays_of_layer(prefix: str, layer: Layer, columns: Columns, is_dense: bool, lengths: Lengths) -> dict[str, Array]:
    """Return the matrices of dense.py, and the other attributes of heads."""
    units, width = layer.feedforward.units, len(columns)
    written = [(columns[name], {unit: x}) for unit, one in enumerate(units) for name, x in one.writes.items()]
    bias = layer.feedforward.bias
    arrays = {f"{prefix}.b1": _vector(unit.bias for unit in units),
              f"{prefix}.b2": _vector(bias.get(name, Fraction(0)) for name in columns)}
    matrices: dict[str, tuple[tuple[int, int], Iterable[Row], Columns]] = {
        f"{prefix}.w1": ((len(units), width), enumerate(unit.reads for unit in units), columns),
        f"{prefix}.w2": ((width, len(units)), written, {unit: unit for unit in range(len(units))})}
    for place, head in enumerate(layer.heads, start=1):
        here = f"{prefix}.head{place}"
        arrays |= {
            f"{here}.mask": np.array(head.mask.value),
            f"{here}.weighting": np.array(head.weighting.value),
            f"{here}.temperature": _by_position(head.temperature.evaluate, lengths),
        }
        values = [(columns[name], row) for name, row in head.values.items()]
        matrices |= {f"{here}.queries": ((len(head.queries), width), enumerate(head.queries), columns),
                     f"{here}.keys": ((len(head.keys), width), enumerate(head.keys), columns),
                     f"{here}.values": ((width, width), values, columns)}
    for name, matrix in matrices.items():
        arrays |= {name: _dense(*matrix)} if is_dense else _sparse(name, *matrix)
    return arrays


def _entries(rows: Iterable[Row], columns: Columns) -> list[tuple[int, int, float]]:
    """Return row, column and number of all non-zero entries."""
    return [(number, columns[name], _rounded(x)) for number, row in rows for name, x in row.items() if x]


def _dense(shape: tuple[int, int], rows: Iterable[Row], columns: Columns) -> Array:
    """Return the whole matrix."""
    matrix = np.zeros(shape)
    for row, column, x in _entries(rows, columns):
        matrix[row, column] = x
    return matrix


def _sparse(name: str, shape: tuple[int, int], rows: Iterable[Row], columns: Columns) -> dict[str, Array]:
    """Return the matrix by its non-zero entries."""
    entries = _entries(rows, columns)
    return {f"{name}.shape": np.array(shape),
            f"{name}.rows": np.array([row for row, _, _ in entries], dtype=int),
            f"{name}.columns": np.array([column for _, column, _ in entries], dtype=int),
            f"{name}.entries": np.array([x for _, _, x in entries], dtype=np.float64)}


def _by_position(function: Callable[..., Fraction], lengths: Lengths) -> Array:
    """Return the value at (n, i) in row n - 1 and column i - 1; NaN where the certificate makes no claim."""
    table = np.full((lengths.last, lengths.last), np.nan)
    for n, i in lengths.rows():
        table[n - 1, i - 1] = _rounded(function(i=i, n=n))
    return table


def _vector(entries: Iterable[Fraction]) -> Array:
    return np.array([_rounded(x) for x in entries], dtype=np.float64)


def _rounded(x: Fraction) -> float:
    """Return the nearest double."""
    return x.numerator / x.denominator


export_npz = binary_file(of_formula(npz_bytes))
