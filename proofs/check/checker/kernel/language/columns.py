"""The values of places at (n, 1), ..., (n, n) at once: a column, evaluated node by node, operands first.

A place that does not mention n has one column for all lengths, and one that does not mention i has one value. Each node
has the value of `evaluation.py`, None where it is undefined.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import repeat

from ..budget import Cache
from ..numbers import ONE, ZERO, Enclosure, Number, ends_of, size_of_ends
from .evaluation import Value, Values
from .table import Place, Table

Column = Sequence[Value]

POINTER_BITS = 64  # of memory for each row of a column
VALUE_BITS = 1536  # of memory for a rational besides its own bits: the object, and its two integers


class Columns:
    """Columns of the places of a table for these lengths, cached.

    Where a needed value is undefined, `numbers`, `enclosures` and `truths` raise Rejected; all of them
    except `enclosures` also do where it is not exact.
    """

    def __init__(self, table: Table, values: Values, lengths: range) -> None:
        self._table, self._values, self._shortest, self._longest = table, values, lengths[0], lengths[-1]
        self._columns = Cache[tuple[Place, int], Column]()

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
        arguments = zip(*operands, strict=True) if operands else repeat((), n)
        return [self._values.combine(node, list(given), self._first(place, n, i), i)
                for i, given in enumerate(arguments, 1)]


def longest_in(column: Column) -> int:
    """Return the bits of the longest number."""
    return max((size_of_ends(value) if isinstance(value, Enclosure) else
                value.numerator.bit_length() + value.denominator.bit_length()
                for value in column if value is not None), default=0)
