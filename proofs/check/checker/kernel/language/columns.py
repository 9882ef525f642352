"""The values of places at (n, 1), ..., (n, n) at once: a column, evaluated node by node, operands first.

A place that does not mention n has one column for all lengths, and one that does not mention i has one value. Each node
has the value of `evaluation.py`, None where it is undefined.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import repeat
from math import lcm
from typing import Any, NamedTuple

from ..budget import MAX_RATIONAL_BITS, Budget, Cache
from ..numbers import (
    ONE,
    ZERO,
    Enclosure,
    Number,
    denominators_of,
    ends_of,
    over_denominator,
    short_common_multiple,
    size_of_ends,
)
from .evaluation import Value, Values
from .table import Node, Place, Table

Column = Sequence[Value]

SIMPLE: dict[str, Callable[[Any, Any], Fraction]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}

POINTER_BITS = 64  # of memory for each row of a column
VALUE_BITS = 1536  # of memory for a rational besides its own bits: the object, and its two integers


class Whole(NamedTuple):
    """Rationals over one denominator."""

    denominator: int
    rows: Sequence[int]

    def bits(self) -> int:
        """Return the bits of the denominator and of the longest numerator."""
        longest = max((row.bit_length() for row in (max(self.rows), min(self.rows))), default=0)
        return self.denominator.bit_length() + longest


class Columns:
    """Columns of the places of a table for these lengths, cached.

    Where a needed value is undefined, `numbers`, `enclosures`, `integers` and `truths` raise Rejected; all of them
    except `enclosures` also do where it is not exact.
    """

    def __init__(self, table: Table, values: Values, lengths: range) -> None:
        self._table, self._values, self._shortest, self._longest = table, values, lengths[0], lengths[-1]
        self._columns = Cache[tuple[Place, int], Column]()
        self._integers = Cache[tuple[Place, int], Whole]()

    def values(self, place: Place, n: int) -> Column:
        """Return the value of a place at (n, 1), ..., (n, n); None where it is undefined."""
        self._table.budget.spend(2 + (n >> 6))
        known = self._columns.get((place, self._length(place, n)))
        return (self._evaluate(place, n) if known is None else known)[:n]

    def numbers(self, place: Place, n: int, needed: Sequence[bool] | None = None) -> Sequence[Fraction]:
        """Return the values of a number, or the truths (1 or 0) of a positional formula; 0 where it is not needed."""
        return [number if type(number) is Fraction else
                self._values.exact(number, place, self._first(place, n, i), i)
                for i, number in enumerate(self._enclose(place, n, needed), 1)]

    def enclosures(self, place: Place, n: int, needed: Sequence[bool] | None = None) -> Sequence[Enclosure]:
        """Enclose the values of a number; both ends are equal where it is exact."""
        return list(map(ends_of, self._enclose(place, n, needed)))

    def _enclose(self, place: Place, n: int, needed: Sequence[bool] | None) -> Sequence[Number]:
        column = self.values(place, n)
        self._table.budget.spend(1 + (n >> 2))
        if needed is not None:
            column = [value if is_needed else ZERO for value, is_needed in zip(column, needed, strict=True)]
        return [value if type(value) is Fraction else
                self._values.require_value(value, place, self._first(place, n, i), i)
                for i, value in enumerate(column, 1)]

    def integers(self, place: Place, n: int) -> Whole | None:
        """Return the values of a number over one denominator; None if the denominator would be too long."""
        length = self._length(place, n)
        known = self._integers.get((place, length))
        if known is None:
            known = self._find_integers(place, length)
            if known is None:
                return None
            self._integers.keep((place, length), known, length * (POINTER_BITS + known.bits()))
        return Whole(known.denominator, known.rows[:n])

    def _find_integers(self, place: Place, n: int) -> Whole | None:
        """Compute a number that mentions i and n from its parts; expressions are too short for a deep recursion."""
        node, leaves = self._table.nodes[place], self._table.leaves(place)
        if node.operator in SIMPLE and {"i", "n"} <= leaves:
            left, right = (self.integers(operand, n) for operand in node.operands)
            divides_rows = node.operator == "/" and "i" in self._table.leaves(node.operands[1])
            if left is not None and right is not None and not divides_rows:
                return calculate_whole(self._table.budget, node.operator, left, right)
        return find_whole(self._table.budget, self.numbers(place, n))

    def truths(self, place: Place, n: int) -> Sequence[bool]:
        """Return the truths of a positional formula at (n, 1), ..., (n, n)."""
        return [number == ONE for number in self.numbers(place, n)]

    def _first(self, place: Place, n: int, i: int) -> int:
        """Return the first length at which position i has the value that it has at n."""
        return n if "n" in self._table.leaves(place) else max(self._shortest, i)

    def _length(self, place: Place, n: int) -> int:
        """Return the length of the column to evaluate where one of length n is needed."""
        return n if "n" in self._table.leaves(place) else self._longest

    def _evaluate(self, place: Place, n: int) -> Column:
        found: dict[Place, Column] = {}
        bits = 0
        try:
            for inner in self._values.order(place):
                length = self._length(inner, n)
                known = self._columns.get((inner, length))
                found[inner] = self._evaluate_node(inner, found, length) if known is None else known
                value_bits = self._table.is_number(inner) and VALUE_BITS + longest_in(found[inner])
                more = length * (POINTER_BITS + value_bits)
                self._table.budget.hold(more)
                bits += more
                if known is None and (inner == place or length == self._longest):
                    self._columns.keep((inner, length), found[inner], more)
        finally:
            self._table.budget.release(bits)
        return found[place]

    def _evaluate_node(self, place: Place, found: Mapping[Place, Column], n: int) -> Column:
        node = self._table.nodes[place]
        operands = [found[operand][:n] for operand in self._table.parts(place)]
        if "i" not in self._table.leaves(place):
            return [self._values.combine(node, [column[0] for column in operands], n, 1)] * n
        if node.operator in SIMPLE and self._is_simple(node, *operands):
            return list(map(SIMPLE[node.operator], *operands))
        arguments = zip(*operands, strict=True) if operands else repeat((), n)
        return [self._values.combine(node, list(given), self._first(place, n, i), i)
                for i, given in enumerate(arguments, 1)]

    def _is_simple(self, node: Node, left: Column, right: Column) -> bool:
        """Return whether all operands are exact and no result can be too long; charge every row like the longest."""
        if not all(map(is_exact, left)) or not all(map(is_exact, right)) or (node.operator == "/" and not all(right)):
            return False
        p, q = longest_in(left), longest_in(right)
        self._table.budget.spend(len(left) * (2 + (p * q >> 16)))
        return p + q < MAX_RATIONAL_BITS


def is_exact(value: Value) -> bool:
    """Return whether a value is defined and exact."""
    return value is not None and not isinstance(value, Enclosure)


def longest_in(column: Column) -> int:
    """Return the bits of the longest number."""
    return max((size_of_ends(value) if isinstance(value, Enclosure) else
                value.numerator.bit_length() + value.denominator.bit_length()
                for value in column if value is not None), default=0)


def find_whole(budget: Budget, column: Sequence[Fraction]) -> Whole | None:
    """Return rationals over their least common denominator; None if it is too long."""
    common = short_common_multiple(budget, denominators_of(budget, [column]))
    if common is None:
        return None
    denominator, (rows,) = over_denominator(budget, [column], common)
    return Whole(denominator, rows)


def calculate_whole(budget: Budget, name: str, left: Whole, right: Whole) -> Whole | None:
    """Return a sum, difference or product row by row; or a quotient whose divisor is equal in all rows."""
    p, q = left.bits(), right.bits()
    budget.spend(1 + (len(left.rows) * (2 + (p * q >> 16)) >> 3))
    if p + q > MAX_RATIONAL_BITS:
        return None
    if name == "*":
        return Whole(left.denominator * right.denominator, list(map(operator.mul, left.rows, right.rows)))
    if name == "/":
        divisor = right.rows[0]
        factor = right.denominator if divisor > 0 else -right.denominator
        return Whole(left.denominator * abs(divisor), [factor * row for row in left.rows]) if divisor else None
    denominator = lcm(left.denominator, right.denominator)
    sign = 1 if name == "+" else -1
    a, b = denominator // left.denominator, sign * (denominator // right.denominator)
    return Whole(denominator, [a * x + b * y for x, y in zip(left.rows, right.rows, strict=True)])
