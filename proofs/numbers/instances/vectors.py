"""Exact vectors and matrices of FLINT, with the operations that the lemmas of Appendix D need."""

from fractions import Fraction
from typing import Any

from flint import fmpq_mat

from proofs.enclosures.rationals import ZERO, from_flint, to_flint


def filled(rows: int, columns: int, entry: Fraction = Fraction(1)) -> Any:
    """Return the matrix of equal entries."""
    return fmpq_mat(rows, columns, [to_flint(entry)] * (rows * columns))


def column(entries: list[Fraction]) -> Any:
    """Return the vector of these entries."""
    return fmpq_mat(len(entries), 1, list(map(to_flint, entries)))


def first_axis(d: int, entry: Fraction = Fraction(1)) -> Any:
    """Return the vector with this first entry and 0 elsewhere."""
    return column([entry, *[Fraction(0)] * (d - 1)])


def relu(u: Any) -> Any:
    """Return the positive part of every entry."""
    return fmpq_mat(u.nrows(), 1, [max(entry, ZERO) for entry in u.entries()])


def norm(u: Any) -> Fraction:
    """Return the sum of absolute values.

    >>> norm(column([Fraction(1), Fraction(-2)]))
    Fraction(3, 1)
    """
    return from_flint(sum(map(abs, u.entries()), ZERO))
