"""Exact dyadic matrices: composition of affine maps with norms' gains and biases and with each other."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..reading.dyadics import Matrix, Vector
from ..reading.network import Affine, Norm


@dataclass(frozen=True)
class ExactLinear:
    """The affine map x ↦ x weight + bias, exact."""

    weight: Matrix
    bias: Vector


def linear(affine: Affine) -> ExactLinear:
    """Return an affine map, with a bias of zeros if it has none."""
    return ExactLinear(affine.weight, affine.bias or zeros(affine.weight.width))


def zeros(length: int) -> Vector:
    """Return a vector of zeros."""
    return Vector((0,) * length, 0)


def after_norm(norm: Norm | None, given: ExactLinear) -> ExactLinear:
    """Return the composition of x ↦ gain · x + bias of a norm and the map, as a map of x."""
    if norm is None:
        return given
    weight, bias = given.weight, given.bias
    if norm.bias is not None:
        moved = [sum(b * w for b, w in zip(norm.bias.entries, column, strict=True))
                 for column in zip(*weight.rows, strict=True)]
        bias = add(Vector(tuple(moved), norm.bias.power + weight.power), bias)
    if norm.gain is not None:
        rows = tuple(tuple([g * w for w in row]) for g, row in zip(norm.gain.entries, weight.rows, strict=True))
        weight = Matrix(rows, weight.width, weight.power + norm.gain.power)
    return ExactLinear(weight, bias)


def add(left: Vector, right: Vector) -> Vector:
    """Return the exact sum of two vectors."""
    power = min(left.power, right.power)
    a, b = left.power - power, right.power - power
    return Vector(tuple((x << a) + (y << b) for x, y in zip(left.entries, right.entries, strict=True)), power)


def multiply(given: ExactLinear, factor: int, power: int) -> ExactLinear:
    """Return the map times factor · 2^power."""
    rows = tuple(tuple([factor * w for w in row]) for row in given.weight.rows)
    bias = tuple(factor * b for b in given.bias.entries)
    return ExactLinear(Matrix(rows, given.weight.width, given.weight.power + power),
                       Vector(bias, given.bias.power + power))


def below(matrices: Sequence[Matrix]) -> Matrix:
    """Concatenate the rows of all matrices."""
    power = min(matrix.power for matrix in matrices)
    rows = tuple(tuple([w << (matrix.power - power) for w in row]) for matrix in matrices for row in matrix.rows)
    return Matrix(rows, matrices[0].width, power)


def select(given: ExactLinear, chosen: Sequence[int]) -> ExactLinear:
    """Return the map to these coordinates of the result."""
    rows = tuple(tuple([row[j] for j in chosen]) for row in given.weight.rows)
    bias = tuple(given.bias.entries[j] for j in chosen)
    return ExactLinear(Matrix(rows, len(chosen), given.weight.power), Vector(bias, given.bias.power))
