"""The exact tables of the float program: numpy, torch and ONNX run these tables, rounded.

For a word of length n, h has a row for each position and a column for each direction; its initial value is the token's
row plus the position's. Each layer does::

    for every head   q = h Wq;  q = q * scale(n, i), row by row;  k = h Wk;  v = h Wv;  scores = q k^T
                     scores that the mask hides are replaced by minus infinity
                     weights = softmax of every row, its maximum subtracted;  out = weights v
    attention        h = h + the outs of its heads
    feed-forward     h = h + (ReLU(h W1 + b1) W2 + b2)

The temperature of a head divides the scores; here its reciprocal multiplies the queries, as ``scale``, which is None
where it would be 1. Every direction is embedded by the token or by the position and written once, so all other summands
are zeros. Functions of the position are looked up, never computed: by i, by n, or by both.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from constructions.errors import InputError, Unsupported
from constructions.language.brackets import PositionFunction
from constructions.network.dense import Matrix, dense_matrix
from constructions.network.transformer import Coefficients, Head, Layer, Mask, Transformer


class LookedUp(StrEnum):
    """The key of a position table."""

    BY_I = "i"
    BY_N = "n"
    BY_N_AND_I = "n, i"


@dataclass(frozen=True)
class PositionTable:
    """The exact values of a function of i and n, or of its reciprocal."""

    function: PositionFunction
    reciprocal: bool = False

    @property
    def looked_up(self) -> LookedUp:
        """The key of the table: i for a constant, as long words then have all its entries."""
        if "n" not in self.function.variables:
            return LookedUp.BY_I
        return LookedUp.BY_N_AND_I if "i" in self.function.variables else LookedUp.BY_N

    def column(self, n: int) -> tuple[Fraction, ...]:
        """Return the values at the positions 1 to n of a word of length n.

        Raises:
            InputError: if the function is undefined there, or 0 for a reciprocal.
        """
        values = self.function.column(range(1, n + 1), n)
        if not self.reciprocal:
            return values
        if not all(values):
            raise InputError(f"the temperature {self.function} is 0 at n = {n}")
        return tuple(1 / value for value in values)


@dataclass(frozen=True)
class HeadTables:
    """Wq and Wk of shape (d, d_k), Wv of shape (d, d); a head without queries has one column of zeros."""

    queries: Matrix
    scale: PositionTable | None
    keys: Matrix
    values: Matrix
    mask: Mask


@dataclass(frozen=True)
class LayerTables:
    """The heads, then W1 (d, d_f), b1 (d_f), W2 (d_f, d), b2 (d)."""

    heads: tuple[HeadTables, ...]
    w1: Matrix
    b1: list[Fraction]
    w2: Matrix
    b2: list[Fraction]


@dataclass(frozen=True)
class FloatTables:
    """All tables: a row per symbol, a table per direction that the position embeds, and the layers."""

    alphabet: tuple[str, ...]
    directions: tuple[str, ...]
    token_rows: Matrix
    positions: Mapping[str, PositionTable]
    layers: tuple[LayerTables, ...]


def float_tables(transformer: Transformer) -> FloatTables:
    """Return the tables of a transformer, for words of any length.

    Raises:
        Unsupported: if a head has hard attention, or token and position embed the same direction, as the sum could
            round.
    """
    names = tuple(transformer.directions)
    for direction in transformer.position_embedding:
        if any(row.get(direction) for row in transformer.token_embedding.values()):
            raise Unsupported(f"a float program whose direction {direction} is embedded by token and by position")
    return FloatTables(
        alphabet=transformer.alphabet,
        directions=names,
        token_rows=dense_matrix([transformer.token_embedding[symbol] for symbol in transformer.alphabet], names),
        positions={name: PositionTable(value) for name, value in transformer.position_embedding.items()},
        layers=tuple(_layer_tables(layer, names) for layer in transformer.layers),
    )


def _layer_tables(layer: Layer, names: tuple[str, ...]) -> LayerTables:
    units = layer.feedforward.units
    return LayerTables(
        heads=tuple(_head_tables(head, names) for head in layer.heads),
        w1=_columns([unit.reads for unit in units], names),
        b1=[unit.bias for unit in units],
        w2=dense_matrix([unit.writes for unit in units], names),
        b2=dense_matrix([layer.feedforward.bias], names)[0],
    )


def _head_tables(head: Head, names: tuple[str, ...]) -> HeadTables:
    if not head.weighting.is_softmax:
        raise Unsupported(f"a float program of the head {head.name}, whose weighting is {head.weighting}")
    return HeadTables(
        queries=_columns(head.queries or ({},), names),
        scale=_scale(head),
        keys=_columns(head.keys or ({},), names),
        values=_columns([head.values.get(name, {}) for name in names], names),
        mask=head.mask,
    )


def _scale(head: Head) -> PositionTable | None:
    """Return the reciprocal of the temperature; None if that is 1 everywhere, or all scores are 0."""
    constant = not head.temperature.variables
    if not head.queries or (constant and head.temperature.evaluate() == 1):
        return None
    return PositionTable(head.temperature, reciprocal=True)


def _columns(forms: tuple[Coefficients, ...] | list[Coefficients], names: tuple[str, ...]) -> Matrix:
    """Return a matrix with one column per linear form and one row per direction."""
    return [[form.get(name, Fraction(0)) for form in forms] for name in names]
