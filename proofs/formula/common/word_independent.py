"""Directions whose value at (n, i) does not depend on the word."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import Any, TypeVar

from constructions.errors import InputError
from constructions.language.expressions import Expression
from constructions.language.positional import mentions_length, positional_truths
from constructions.network.meanings import Meaning, Position, Product, Truth, is_known
from constructions.network.transformer import Coefficients

ZERO, ONE = Fraction(0), Fraction(1)
MOST_CELLS = 1 << 20
"""The number of cached values that depend on n: with lengths up to 1024, two columns for every n."""
Column = tuple[Fraction, ...]
"""Values at i = 1, ..., n."""
Found = TypeVar("Found")


class KnownValues:
    """The exact values of every known direction, column by column."""

    def __init__(self, directions: Mapping[str, Meaning]):
        """Store the known directions among ``directions``."""
        self._meanings = {name: meaning for name, meaning in directions.items() if is_known(meaning)}
        self._mention_n = {name: known_mentions_n(meaning) for name, meaning in self._meanings.items()}
        self._columns = _Columns()
        self._found: dict[Hashable, Any] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._meanings

    def meaning(self, name: str) -> Meaning:
        """Return the meaning of a known direction."""
        return self._meanings[name]

    def mentions_n(self, row: Coefficients) -> bool:
        """Return whether the value at i of some known direction in a linear form may depend on n."""
        return any(self._mention_n[name] for name in row if name in self)

    def describe(self, row: Coefficients) -> Hashable:
        """Return a key of a linear form of known directions; forms with equal keys have equal values."""
        return tuple((weight, self._meanings[name]) for name, weight in row.items())

    def value(self, name: str, i: int, n: int) -> Fraction:
        """Return the value of a known direction at position i of a word of length n.

        Raises:
            InputError: if it has no value there.
        """
        try:
            return self.column(name, n)[i - 1]
        except InputError:  # perhaps at another position
            return known_value(self._meanings[name], i, n)

    def once(self, key: Hashable, find: Callable[[], Found]) -> Found:
        """Return the result of ``find``, cached by ``key``; it must depend on the known directions only."""
        if key not in self._found:
            self._found[key] = find()
        found: Found = self._found[key]
        return found

    def column(self, name: str, n: int) -> Column:
        """Return the values of a known direction at i = 1, ..., n.

        Raises:
            InputError: if it has no value at some of these positions.
        """
        meaning = self._meanings[name]
        return self._columns.find(name, self._mention_n[name], n,
                                  lambda positions: known_column(meaning, positions, n))

    def form(self, row: Coefficients, i: int, n: int) -> Fraction:
        """Return the known part of a linear form at (n, i)."""
        return sum((weight * self.value(name, i, n) for name, weight in row.items() if name in self), ZERO)

    def forms(self, row: Coefficients, n: int) -> Column:
        """Return the known part of a linear form at i = 1, ..., n.

        Raises:
            InputError: if a direction with a coefficient has no value at some of these positions.
        """
        parts = tuple((name, weight) for name, weight in row.items() if name in self)
        if len(parts) == 1 and parts[0][1] == 1:
            return self.column(parts[0][0], n)
        return self._columns.find(parts, self.mentions_n(row), n,
                                  lambda positions: self._combine(parts, positions, n))

    def forms_at(self, row: Coefficients, positions: range, n: int) -> Column:
        """Return the known part of a linear form at these positions of a word of length n."""
        columns = [[weight * value for value in known_column(self._meanings[name], positions, n)]
                   for name, weight in row.items() if name in self]
        return tuple(sum((column[k] for column in columns), ZERO) for k in range(len(positions)))

    def multiples(self, row: Coefficients, n: int) -> list[int]:
        """Return the known part of a linear form at i = 1, ..., n, times one positive number.

        Raises:
            InputError: if a direction with a coefficient has no value at some of these positions.
        """
        parts = [(weight, self._integers(name, n)) for name, weight in row.items() if name in self]
        if any(integers is None for _, integers in parts):
            column = self.forms(row, n)
            unit = lcm(*(value.denominator for value in column))
            return [value.numerator * (unit // value.denominator) for value in column]
        unit, total = lcm(*(weight.denominator for weight, _ in parts)), [0] * n
        for weight, integers in parts:
            factor = weight.numerator * (unit // weight.denominator)
            total = [before + factor * value for before, value in zip(total, integers or (), strict=True)]
        return total

    def _integers(self, name: str, n: int) -> Sequence[int] | None:
        """Return the values of a known direction at i = 1, ..., n, if its expression has no division; else None."""
        match self._meanings[name]:
            case Position(Expression() as value):
                return value.integers(range(1, n + 1), n)
        return None

    def _combine(self, parts: tuple[tuple[str, Fraction], ...], positions: range, n: int) -> Column:
        total: Column = (ZERO,) * len(positions)
        for name, weight in parts:
            column = self.column(name, n)[positions.start - 1:]
            total = tuple([before + weight * value for before, value in zip(total, column, strict=True)])
        return total


class _Columns:
    """A cache of columns: all that do not depend on n, and a limited number of others."""

    def __init__(self) -> None:
        self._lasting: dict[Hashable, Column] = {}
        self._by_length: dict[tuple[Hashable, int], Column] = {}
        self._cells = 0

    def __reduce__(self) -> tuple[type[_Columns], tuple[()]]:
        return _Columns, ()  # a copy in another process is empty: columns are the largest part of the data

    def find(self, key: Hashable, mentions_n: bool, n: int, evaluate: Callable[[range], Column]) -> Column:
        """Return the column of this key, evaluated where it is not cached."""
        if not mentions_n:
            before = self._lasting.get(key, ())
            if len(before) < n:
                before = self._lasting[key] = before + evaluate(range(len(before) + 1, n + 1))
            return before if len(before) == n else before[:n]
        if (key, n) not in self._by_length:
            if self._cells + n > MOST_CELLS:
                self._by_length.clear()
                self._cells = 0
            self._by_length[key, n] = evaluate(range(1, n + 1))
            self._cells += n
        return self._by_length[key, n]


def known_mentions_n(meaning: Meaning) -> bool:
    """Return whether the value at i of a known direction of this meaning may depend on n."""
    match meaning:
        case Position(value):
            return value.mentions_n
        case Truth(formula):
            return mentions_length(formula)
        case Product(value, formula):
            return value.mentions_n or mentions_length(formula)
    raise AssertionError(f"not known: {meaning}")


def known_value(meaning: Meaning, i: int, n: int) -> Fraction:
    """Return the value of a known direction of this meaning at position i of a word of length n."""
    return known_column(meaning, range(i, i + 1), n)[0]


def known_column(meaning: Meaning, positions: range, n: int) -> Column:
    """Return the values of a known direction of this meaning at these positions of a word of length n.

    Raises:
        InputError: if it has no value at some position.
    """
    match meaning:
        case Position(value):
            return value.column(positions, n)
        case Truth(formula):
            return tuple(ONE if truth else ZERO for truth in positional_truths(formula, positions, n))
        case Product(value, formula):
            truths = positional_truths(formula, positions, n)
            return tuple(x if truth else ZERO
                         for x, truth in zip(product_values(value, truths, positions, n), truths, strict=True))
    raise AssertionError(f"not known: {meaning}")


def product_values(value: Expression, truths: list[bool], positions: range, n: int) -> Column:
    """Return the values at these positions; where the truth is false, the result is arbitrary.

    Raises:
        InputError: if there is no value at some position where the truth is true.
    """
    try:
        return value.column(positions, n)
    except InputError:
        return tuple(value.evaluate(i=i, n=n) if truth else ZERO
                     for i, truth in zip(positions, truths, strict=True))
