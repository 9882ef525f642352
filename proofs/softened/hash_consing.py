"""Hash-consed numbers and vectors as small integers, and memo tables.

The same few numbers occur in millions of words: each is computed once, and look-ups are by id.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from fractions import Fraction
from typing import TypeVar

from constructions.network.transformer import Coefficients

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
MAX_ENTRIES = 100_000
"""The size beyond which a table is emptied. Results do not depend on it."""
Vector = tuple[int, ...]
"""The ids of the numbers of a residual vector."""


class Memo(dict[K, V]):
    """A table of a pure function.

    >>> squares = Memo[int, int](lambda x: x * x)
    >>> squares[7], len(squares)
    (49, 1)
    """

    def __init__(self, compute: Callable[[K], V]):
        super().__init__()
        self._compute = compute

    def __missing__(self, key: K) -> V:
        value = self._compute(key)
        if len(self) >= MAX_ENTRIES:
            self.clear()
        self[key] = value
        return value


class Pool(list[V]):
    """Distinct values, each with its index as id.

    >>> pool = Pool[str]()
    >>> [pool.id(x) for x in "aba"], pool[1]
    ([0, 1, 0], 'b')
    """

    def __init__(self) -> None:
        super().__init__()
        self._ids: dict[V, int] = {}

    def id(self, thing: V) -> int:
        """Return the id of a value, which is added if it is new."""
        found = self._ids.get(thing)
        if found is None:
            found = self._ids[thing] = len(self)
            self.append(thing)
        return found


class Numbers(Pool[Fraction]):
    """Rational numbers; 0 has id 0."""

    def __init__(self) -> None:
        super().__init__()
        self.id(Fraction(0))
        self.sums: Memo[tuple[int, int], int] = Memo(lambda ids: self.id(self[ids[0]] + self[ids[1]]))

    def total(self, ids: Iterable[int]) -> int:
        """Return the id of the sum."""
        total = 0
        for number in ids:
            if number:
                total = self.sums[total, number]
        return total


class LinearFormOnIds:
    """A linear form on vectors, with values as ids; directions without a place hold 0."""

    def __init__(self, row: Coefficients, places: Mapping[str, int], numbers: Numbers):
        reads = [(places[name], weight) for name, weight in row.items() if weight and name in places]
        self.places = [place for place, _ in reads]
        self._weights = [weight for _, weight in reads]
        self._numbers = numbers
        self._values: Memo[Vector, int] = Memo(self._compute)

    def __call__(self, vector: Vector) -> int:
        """Return the id of the value at a vector."""
        return self._values[tuple([vector[place] for place in self.places])]

    def _compute(self, read: Vector) -> int:
        numbers = self._numbers
        return numbers.id(sum((weight * numbers[x] for weight, x in zip(self._weights, read, strict=True)),
                              Fraction(0)))
