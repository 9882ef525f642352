"""Exact vectors and matrices, plainly: the lemmas of Appendix D compute theirs by FLINT."""

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

Vector = Sequence[Fraction]
Matrix = Sequence[Vector]


def dot(u: Vector, v: Vector) -> Fraction:
    """Return the scalar product, summed over one denominator."""
    terms = [(a.numerator * b.numerator, a.denominator * b.denominator) for a, b in zip(u, v, strict=True)]
    unit = lcm(*(denominator for _, denominator in terms))
    return Fraction(sum(numerator * (unit // denominator) for numerator, denominator in terms), unit)


def times(matrix: Matrix, u: Vector) -> Vector:
    """Return the matrix applied to the vector."""
    return [dot(row, u) for row in matrix]


def plus(u: Vector, v: Vector) -> Vector:
    """Return the sum."""
    return [a + b for a, b in zip(u, v, strict=True)]


def minus(u: Vector, v: Vector) -> Vector:
    """Return the difference."""
    return [a - b for a, b in zip(u, v, strict=True)]


def relu(u: Vector) -> Vector:
    """Return the positive part of every entry."""
    return [max(a, Fraction(0)) for a in u]


def mean(weights: Vector, vectors: Sequence[Vector]) -> Vector:
    """Return the sum of the vectors, each times its weight."""
    return [dot(weights, column) for column in zip(*vectors, strict=True)]


def norm(u: Vector) -> Fraction:
    """Return the sum of absolute values.

    >>> norm([Fraction(1), Fraction(-2)])
    Fraction(3, 1)
    """
    return sum(map(abs, u), Fraction(0))
