"""Known numbers that a uniform head computes: at each row the mean of the visible values (rule 1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Protocol

from constructions.network.float_formats import power_of_two
from constructions.network.lengths import Lengths
from constructions.network.transformer import Coefficients, Head, Mask
from proofs.enclosures.float_models.model import FloatModel
from proofs.floats.float_enclosure import ANY_GRID, FloatEnclosure
from proofs.floats.uniform import UniformSum, enclose_mean
from proofs.formula.common.word_independent import KnownValues
from proofs.formula.failures import NotDerived

Key = tuple[UniformSum, int]
"""The visible values, and their sum in units."""


class Values(Protocol):
    """A source of the values of a head."""

    known: KnownValues
    run: FloatModel

    def value_form(self, row: Coefficients, n: int, last: int) -> FloatEnclosure:
        """Return the values at positions 1 to ``last``, which are exact."""

    def differs_by_length(self, row: Iterable[str]) -> bool:
        """Return whether computed numbers at i may depend on n."""


class UniformNumbers:
    """Enclosures of one direction that a uniform head writes; equal sums are rounded once."""

    def __init__(self, numbers: Values, name: str, head: Head):
        """Store the head; enclosures are computed on demand.

        Raises:
            NotDerived: if a query is not empty.
        """
        if any(head.queries):
            raise NotDerived("the mean is that of a head whose queries read something")
        self.numbers, self.head, self.row = numbers, head, head.values[name]
        self._by_length = numbers.differs_by_length(self.row)
        self._held: dict[Key, FloatEnclosure] = {}
        self._sums: tuple[int, Sums] = (0, Sums(0))

    def column(self, positions: range, n: int) -> Sequence[FloatEnclosure]:
        """Return the enclosures at these positions."""
        return [self._hold(key) for key in self._keys(positions, n)]

    def distinct(self, lengths: Lengths) -> Iterable[FloatEnclosure]:
        """Return the different enclosures on words of these lengths."""
        by_length = self._by_length or self.head.mask is not Mask.FUTURE
        keys: set[Key] = set()
        for n in lengths if by_length else [lengths.last]:
            keys.update(self._keys(range(1, n + 1), n))
        return map(self._hold, keys)

    def _hold(self, key: Key) -> FloatEnclosure:
        if key not in self._held:
            self._held[key] = enclose_mean(*key, self.numbers.run)
        return self._held[key]

    def _keys(self, positions: range, n: int) -> list[Key]:
        sums, keys = self._sums_up_to(n), []
        ends = [(i - 1 if self.head.mask is Mask.PAST else 0, i if self.head.mask is Mask.FUTURE else n)
                for i in positions]
        for first, last in ends:
            positive, negative = sums.positive[last] - sums.positive[first], sums.negative[last] - sums.negative[first]
            terms = sums.terms[last] - sums.terms[first]
            keys.append((UniformSum(last - first, terms, max(positive, negative), sums.grid, negative > 0),
                         positive - negative))
        return keys

    def _sums_up_to(self, n: int) -> Sums:
        """Return the sums of all prefixes of words of length n, and perhaps of longer words, if these are equal."""
        length, sums = self._sums
        if n > length or (self._by_length and n != length):
            grid = self.numbers.value_form(self.row, n, n).grid
            grid = 0 if grid == ANY_GRID else grid
            if self._by_length or grid != sums.grid:
                sums = Sums(grid)
            sums.extend(self.numbers.known.forms(self.row, n)[sums.reach:])
            self._sums = n, sums
        return sums


class Sums:
    """Sums of each prefix of values, of the positive ones and of the others, in units; and numbers of nonzero ones."""

    def __init__(self, grid: int):
        """Begin with no values; the unit is 2^``grid``."""
        self.grid = grid
        self.positive, self.negative, self.terms = [0], [0], [0]

    @property
    def reach(self) -> int:
        """The number of values."""
        return len(self.terms) - 1

    def extend(self, values: Iterable[Fraction]) -> None:
        """Add values at the end."""
        for x in values:
            units = int(x / power_of_two(self.grid))
            self.positive.append(self.positive[-1] + max(units, 0))
            self.negative.append(self.negative[-1] + max(-units, 0))
            self.terms.append(self.terms[-1] + (units != 0))
