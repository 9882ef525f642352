"""The tables of the float program as arrays of one format, and the other data of a program, in one form.

Source      ``constructions.network.float_tables`` has the tables and the program.
Claim       Every entry is the number of the format nearest to its exact value, ties to even.

| array | shape | holds |
|---|---|---|
| token_embedding | (symbols, d) | a row per symbol |
| by_i | (N, a) | functions of i at i, in row i - 1; the first column is 0, the second 1 |
| by_n | (N, b) | functions of n, in row n - 1 |
| by_n_and_i | (N, N, c) | functions of both, in row n - 1 and column i - 1 |
| embedded | (d) | which of the a + b + c functions each direction gets at a position; 0 where none |
| layers.0.query, .key | (heads, d, k) | padded with zeros to the greatest k of the layer |
| layers.0.value | (heads, d, d) | |
| layers.0.scale | (heads) | which of the a + b + c functions multiplies the queries; 1 where none |
| layers.0.sees_before, .sees_after | (heads) | whether the mask shows positions j < i, and j > i |
| layers.0.w1, .b1, .w2, .b2 | (d, f), (f), (f, d), (d) | |

Entries at lengths without a claim are NaN.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

from constructions.errors import InputError, Unsupported
from constructions.language.printer import MAX_PLAIN, format_formula, written_length
from constructions.language.syntax import subformulas
from constructions.network.dense import Matrix, check_dense
from constructions.network.float_formats import FORMATS, Format, TooLargeError, format_name
from constructions.network.float_tables import (
    FloatTables,
    HeadTables,
    LayerTables,
    LookedUp,
    PositionTable,
    float_tables,
)
from constructions.network.lengths import Lengths
from constructions.network.meanings import Truth
from constructions.network.transformer import Mask, Transformer

Array = npt.NDArray[Any]

PRECISIONS: Mapping[str, npt.DTypeLike] = {
    "binary64": np.float64, "binary32": np.float32, "binary16": np.float16, "bfloat16": ml_dtypes.bfloat16,
}  # fmt: skip
"""The storage formats of arrays, by name; tf32 is a format of multiplication only."""


@dataclass(frozen=True)
class WeightArrays:
    """The arrays by name, in the order in which a program needs them."""

    precision: str
    lengths: Lengths
    alphabet: tuple[str, ...]
    directions: tuple[str, ...]
    output: int
    truths: Mapping[str, int]
    """The output's formula and its subformulas as text, each with the direction that holds its truth."""
    arrays: Mapping[str, Array]

    @property
    def layers(self) -> int:
        """The number of layers."""
        return sum(name.endswith(".scale") for name in self.arrays)

    def config(self) -> dict[str, Any]:
        """Return everything except the arrays, as JSON."""
        return {
            "precision": self.precision,
            "lengths": [self.lengths.first, self.lengths.last],
            "alphabet": list(self.alphabet),
            "directions": list(self.directions),
            "output": self.output,
            "truths": dict(self.truths),
            "layers": self.layers,
            "shapes": {name: list(array.shape) for name, array in self.arrays.items()},
        }


def weights_of(transformer: Transformer, lengths: Lengths, precision: str = "binary32") -> WeightArrays:
    """Return the arrays of a transformer for words of these lengths.

    Raises:
        InputError: if there is no such precision, or a function of the position is undefined at one of the lengths.
        Unsupported: if a number is too large for the precision, the matrices are too large for memory, or the
            transformer has no float program.
    """
    given, precision = precision, format_name(precision)
    if precision not in PRECISIONS:
        raise InputError(f"precision: found {given!r}, expected {', '.join(PRECISIONS)}")
    check_dense(transformer)
    tables = float_tables(transformer)
    rounding = _Rounding(FORMATS[precision])
    functions = _Functions(tables, rounding, lengths)
    arrays = {"token_embedding": rounding.matrix(tables.token_rows), **functions.arrays()}
    arrays["embedded"] = np.array([functions.place(tables.positions[name]) if name in tables.positions else 0
                                   for name in tables.directions], dtype=np.int64)
    for number, layer in enumerate(tables.layers):
        arrays |= {f"layers.{number}.{name}": array for name, array in _of_layer(layer, rounding, functions).items()}
    return WeightArrays(precision, lengths, tables.alphabet, tables.directions,
                        tables.directions.index(transformer.output), _truths(transformer), arrays)


def _truths(transformer: Transformer) -> dict[str, int]:
    held = {meaning.formula: place for place, meaning in reversed([*enumerate(transformer.directions.values())])
            if isinstance(meaning, Truth)}
    output = transformer.directions[transformer.output]
    if not isinstance(output, Truth):
        return {}
    return {format_formula(part): held[part] for part in subformulas(output.formula)
            if part in held and (part is output.formula or written_length(part) <= MAX_PLAIN)}


class _Rounding:
    """Conversion of exact numbers to arrays of one format."""

    def __init__(self, form: Format) -> None:
        self.form = form
        self.nearest: Callable[[Fraction], Any] = cache(self._nearest)  # entries repeat often

    def _nearest(self, x: Fraction) -> Any:
        try:
            rounded = self.form.round(x)
        except TooLargeError as error:
            raise Unsupported(f"{self.form} for these weights: {error}") from None
        return rounded.numerator / rounded.denominator  # exact: a double holds every number of the formats

    def vector(self, entries: Iterable[Fraction]) -> Array:
        return np.array([self.nearest(x) for x in entries], dtype=np.float64).astype(PRECISIONS[str(self.form)])

    def matrix(self, rows: Matrix) -> Array:
        return np.stack([self.vector(row) for row in rows])


class _Functions:
    """Functions of the position: every function once, in three arrays; columns are numbered through all three."""

    def __init__(self, tables: FloatTables, rounding: _Rounding, lengths: Lengths) -> None:
        scales = [head.scale for layer in tables.layers for head in layer.heads if head.scale]
        given = dict.fromkeys([*tables.positions.values(), *scales])
        self.groups = {key: [table for table in given if table.looked_up is key] for key in LookedUp}
        self.rounding, self.lengths = rounding, lengths

    def place(self, table: PositionTable) -> int:
        """Return its column in the concatenation of the three arrays; columns 0 and 1 are the constants."""
        return 2 + [one for group in self.groups.values() for one in group].index(table)

    def arrays(self) -> dict[str, Array]:
        last = self.lengths.last
        by_i = [self.rounding.vector(table.column(last)) for table in self.groups[LookedUp.BY_I]]
        dtype = PRECISIONS[str(self.rounding.form)]
        constants = [np.zeros(last, dtype), np.ones(last, dtype)]
        return {"by_i": np.stack([*constants, *by_i], axis=-1),
                "by_n": self._by_n(LookedUp.BY_N, lambda column: column[:1])[:, 0],
                "by_n_and_i": self._by_n(LookedUp.BY_N_AND_I, lambda column: column)}

    def _by_n(self, key: LookedUp, kept: Callable[[Sequence[Fraction]], Sequence[Fraction]]) -> Array:
        """Return the kept entries of each column, [n - 1, i - 1, function]; NaN at all others."""
        group, last = self.groups[key], self.lengths.last
        array = np.full((last, last if key is LookedUp.BY_N_AND_I else 1, len(group)), np.nan)
        array = array.astype(PRECISIONS[str(self.rounding.form)])
        for place, table in enumerate(group):
            for n in self.lengths:
                column = self.rounding.vector(kept(table.column(n)))
                array[n - 1, :len(column), place] = column
        return array


def _of_layer(layer: LayerTables, rounding: _Rounding, functions: _Functions) -> dict[str, Array]:
    width = len(layer.b2)
    key_width = max((len(head.queries[0]) for head in layer.heads), default=1)
    masks = [head.mask for head in layer.heads]
    return {
        "query": _stacked([_padded(rounding.matrix(head.queries), key_width) for head in layer.heads],
                          (width, key_width), rounding),
        "key": _stacked([_padded(rounding.matrix(head.keys), key_width) for head in layer.heads],
                        (width, key_width), rounding),
        "value": _stacked([rounding.matrix(head.values) for head in layer.heads], (width, width), rounding),
        "scale": np.array([_scale_place(head, functions) for head in layer.heads], dtype=np.int64),
        "sees_before": np.array([mask is not Mask.PAST for mask in masks], dtype=np.bool_),
        "sees_after": np.array([mask is not Mask.FUTURE for mask in masks], dtype=np.bool_),
        "w1": rounding.matrix(layer.w1),
        "b1": rounding.vector(layer.b1),
        "w2": rounding.matrix(layer.w2) if layer.w2 else rounding.vector([]).reshape(0, width),
        "b2": rounding.vector(layer.b2),
    }


def _scale_place(head: HeadTables, functions: _Functions) -> int:
    return functions.place(head.scale) if head.scale else 1


def _padded(array: Array, width: int) -> Array:
    return np.pad(array, ((0, 0), (0, width - array.shape[1])))


def _stacked(arrays: list[Array], shape: tuple[int, int], rounding: _Rounding) -> Array:
    """Return the stacked arrays of the heads of a layer; an empty array without heads."""
    return np.stack(arrays) if arrays else np.zeros((0, *shape), PRECISIONS[str(rounding.form)])
