"""Dense matrices of a transformer: rows and columns in the order of ``directions``."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from constructions.errors import Unsupported
from constructions.network.transformer import Coefficients, Head, Layer, Transformer

Matrix = list[list[Fraction]]
MOST_ENTRIES = 30_000_000
"""Entries of all matrices together: a few hundred megabytes, nearly all zeros."""


@dataclass(frozen=True)
class DenseHead:
    """W^Q and W^K of shape (d_k, d), W^V of shape (d, d), with 1/sqrt(d_k) folded into W^Q."""

    queries: Matrix
    keys: Matrix
    values: Matrix


@dataclass(frozen=True)
class DenseLayer:
    """The heads of a layer, then W_1 (d_f, d), b_1 (d_f), W_2 (d, d_f), b_2 (d)."""

    heads: list[DenseHead]
    w1: Matrix
    b1: list[Fraction]
    w2: Matrix
    b2: list[Fraction]


def dense_matrix(rows: Sequence[Coefficients], names: Sequence[str]) -> Matrix:
    """Return a matrix with one row per linear form and one column per direction.

    >>> dense_matrix([{"b": Fraction(2)}], ["a", "b"])
    [[Fraction(0, 1), Fraction(2, 1)]]
    """
    return [[row.get(name, Fraction(0)) for name in names] for row in rows]


def dense_head(head: Head, names: Sequence[str]) -> DenseHead:
    """Return the three matrices of one head."""
    return DenseHead(dense_matrix(head.queries, names), dense_matrix(head.keys, names),
                     dense_matrix([head.values.get(name, {}) for name in names], names))


def dense_layer(layer: Layer, names: Sequence[str]) -> DenseLayer:
    """Return all matrices of one layer."""
    units = layer.feedforward.units
    return DenseLayer(
        heads=[dense_head(head, names) for head in layer.heads],
        w1=dense_matrix([unit.reads for unit in units], names),
        b1=[unit.bias for unit in units],
        w2=[[unit.writes.get(name, Fraction(0)) for unit in units] for name in names],
        b2=[layer.feedforward.bias.get(name, Fraction(0)) for name in names],
    )


def count_dense(transformer: Transformer) -> int:
    """Return the number of entries of all dense matrices of the layers."""
    width = len(transformer.directions)
    heads = sum(2 * len(head.queries) + width for _, _, head in transformer.heads())
    units = sum(2 * len(layer.feedforward.units) for layer in transformer.layers)
    return (heads + units) * width


def check_dense(transformer: Transformer) -> None:
    """Raise Unsupported if the matrices would be too large for memory."""
    if (entries := count_dense(transformer)) > MOST_ENTRIES:
        raise Unsupported(f"{len(transformer.directions)} directions: dense matrices would have {entries} entries, "
                          f"expected at most {MOST_ENTRIES}")


def dense_layers(transformer: Transformer) -> list[DenseLayer]:
    """Return the dense form of every layer.

    Raises:
        Unsupported: if it would be too large.
    """
    check_dense(transformer)
    return [dense_layer(layer, list(transformer.directions)) for layer in transformer.layers]
