"""Cells of Parikh vectors: bounds of the length and of each letter's share, and the bounds that follow from them.

The bounds are exact rationals, those that the checker derives (docs/background/lengths.md, section 2).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor, isqrt

from proofs.trained.lengths.truths import ONE, ZERO, CountPartition, Region

PLACES = 60
LENGTH = -1
ROUNDS = 3
MOST_VECTORS = 27

Cut = tuple[int, int]
Counts = tuple[int, ...]


@dataclass(frozen=True)
class ParikhBox:
    """A Parikh box: lengths ``least`` to ``greatest`` (None: unbounded), shares of letters, and bounds of counts."""

    least: int
    greatest: int | None
    low: tuple[Fraction, ...]
    high: tuple[Fraction, ...]
    fewest: tuple[int, ...] = ()
    most: tuple[int | None, ...] = ()

    def up_to(self, longest: int | None) -> ParikhBox:
        """Return the cell with lengths of at most ``longest``."""
        return self if longest is None else replace(
            self, greatest=longest if self.greatest is None else min(self.greatest, longest))

    @property
    def is_single(self) -> bool:
        """Whether it has at most one Parikh vector."""
        return self.fewest == self.most

    def halves(self, cut: Cut) -> tuple[ParikhBox, ParikhBox]:
        """Return the parts below and above the cut."""
        letter, at = cut
        if letter == LENGTH:
            return self.up_to(at), replace(self, least=max(self.least, at + 1))
        share = Fraction(at, 1 << PLACES)
        low, high = list(self.low), list(self.high)
        low[letter], high[letter] = max(low[letter], share), min(high[letter], share)
        return replace(self, high=tuple(high)), replace(self, low=tuple(low))


def everything(letters: int, least: int, greatest: int | None) -> ParikhBox:
    """Return the cell of all vectors of these lengths."""
    return ParikhBox(least, greatest, (ZERO,) * letters, (ONE,) * letters)


def in_class(kind: CountPartition, number: int, low: int, high: int | None) -> tuple[int, int | None] | None:
    """Return the least and the greatest count of the class within bounds; None if there is none."""
    if kind.is_exact(number):
        return (number, number) if low <= number and (high is None or number <= high) else None
    first = max(number, low + (number - low) % kind.period)
    last = None if high is None else high - (high - number) % kind.period
    return None if last is not None and last < first else (first, last)


class Narrowing:
    """Narrowing of cells of a region by linear forms of counts."""

    def __init__(self, kinds: Sequence[CountPartition], sums: Sequence[tuple[int, ...]]) -> None:
        self.kinds, self.sums = kinds, sums

    def narrowed(self, region: Region, cell: ParikhBox) -> ParikhBox | None:
        """Narrow the cell by bounds that follow from each other; None if it contains no vector of the region."""
        found: ParikhBox | None = cell
        for _ in range(ROUNDS):
            found = self._counted(region, found) if found else None
            found = _of_shares(_of_lengths(found)) if found else None
            for coefficients in self.sums:
                found = _of_sum(found, coefficients) if found else None
        return found

    def _counted(self, region: Region, cell: ParikhBox) -> ParikhBox | None:
        ends = []
        for a, (kind, number) in enumerate(zip(self.kinds, region.classes, strict=True)):
            low = max(ceil(cell.least * cell.low[a]), int(a == region.last))
            high = None if cell.greatest is None else floor(cell.greatest * cell.high[a])
            one = in_class(kind, number, low, high)
            if one is None:
                return None
            ends.append(one)
        return replace(cell, fewest=tuple(low for low, _ in ends), most=tuple(high for _, high in ends))

    def vectors(self, region: Region, cell: ParikhBox, length: int) -> Iterator[Counts]:
        """Yield some vectors of this length in the cell, with all counts but one at an end or in the middle."""
        at = self._counted(region, replace(cell, least=length, greatest=length))
        if at is None:
            return
        ends = [(low, low if high is None else high) for low, high in zip(at.fewest, at.most, strict=True)]
        rest = max(range(len(ends)), key=lambda a: ends[a][1] - ends[a][0])
        choices: list[list[int]] = []
        for a, (low, high) in enumerate(ends):
            middle = in_class(self.kinds[a], region.classes[a], (low + high) // 2, high)
            choices.append([-1] if a == rest else sorted({low, high, middle[0] if middle else low}))
        for chosen in itertools.islice(itertools.product(*choices), MOST_VECTORS):
            left = length - sum(chosen) - 1
            one = in_class(self.kinds[rest], region.classes[rest], left, left)
            if one is not None and ends[rest][0] <= left <= ends[rest][1]:
                yield tuple(left if a == rest else n for a, n in enumerate(chosen))


def _of_lengths(cell: ParikhBox) -> ParikhBox | None:
    least, greatest = max(cell.least, sum(cell.fewest)), cell.greatest
    if None not in cell.most:
        total = sum(one or 0 for one in cell.most)
        greatest = total if greatest is None else min(greatest, total)
    for low, high, x, y in zip(cell.fewest, cell.most, cell.low, cell.high, strict=True):
        if low and not y:
            return None
        if low:
            least = max(least, ceil(low / y))
        if high is not None and x > 0:
            greatest = floor(high / x) if greatest is None else min(greatest, floor(high / x))
    return None if greatest is not None and greatest < least else replace(cell, least=least, greatest=greatest)


def _of_shares(cell: ParikhBox | None) -> ParikhBox | None:
    if cell is None:
        return None
    low = [x if cell.greatest is None else max(x, Fraction(n, cell.greatest))
           for x, n in zip(cell.low, cell.fewest, strict=True)]
    high = [y if n is None else min(y, Fraction(n, cell.least)) for y, n in zip(cell.high, cell.most, strict=True)]
    below, above = sum(low, ZERO), sum(high, ZERO)
    lows = tuple(max(x, 1 - above + y) for x, y in zip(low, high, strict=True))
    highs = tuple(min(y, 1 - below + x) for x, y in zip(low, high, strict=True))
    return replace(cell, low=lows, high=highs) if all(map(Fraction.__le__, lows, highs)) else None


def share_of_sum(cell: ParikhBox, coefficients: Sequence[int]) -> tuple[Fraction, Fraction]:
    """Bound a linear form of shares; shares add up to 1, so any one may be eliminated."""
    ends = []
    for base in set(coefficients):
        terms = [sorted(((c - base) * x, (c - base) * y))
                 for c, x, y in zip(coefficients, cell.low, cell.high, strict=True)]
        ends.append((base + sum((one for one, _ in terms), ZERO), base + sum((one for _, one in terms), ZERO)))
    return max(low for low, _ in ends), min(high for _, high in ends)


def sum_in(cell: ParikhBox, coefficients: Sequence[int]) -> tuple[int | None, int | None]:
    """Bound a linear form of counts."""
    low, high = share_of_sum(cell, coefficients)
    by_length = [_times(low, cell), _times(-high, cell)]
    by_counts = [_least_sum(cell, coefficients), _least_sum(cell, [-c for c in coefficients])]
    least, most = (max((x for x in pair if x is not None), default=None)
                   for pair in zip(by_length, by_counts, strict=True))
    return least, None if most is None else -most


def _times(share: Fraction, cell: ParikhBox) -> int | None:
    """Return the least integer that is at least ``share`` times a length of the cell; None if there is none."""
    if share < 0 and cell.greatest is None:
        return None
    return ceil(share * (cell.least if share > 0 else cell.greatest or 0))


def _least_sum(cell: ParikhBox, coefficients: Sequence[int]) -> int | None:
    total = 0
    for c, low, high in zip(coefficients, cell.fewest, cell.most, strict=True):
        if c < 0 and high is None:
            return None
        total += c * low if c > 0 else c * (high or 0)
    return total


def _of_sum(cell: ParikhBox, coefficients: Sequence[int]) -> ParikhBox | None:
    low, high = share_of_sum(cell, coefficients)
    least, most = sum_in(cell, coefficients)
    if least is not None and most is not None and most < least:
        return None
    shortest, longest = cell.least, [] if cell.greatest is None else [cell.greatest]
    if least is not None and least > 0 and high > 0:
        shortest = max(shortest, ceil(least / high))
    if most is not None and most < 0 and low < 0:
        shortest = max(shortest, ceil(most / low))
    if most is not None and low > 0:
        longest.append(floor(most / low))
    if least is not None and high < 0:
        longest.append(floor(least / high))
    greatest = min(longest, default=None)
    return None if greatest is not None and greatest < shortest else replace(cell, least=shortest, greatest=greatest)


def cut_of_share(cell: ParikhBox, letter: int) -> Cut | None:
    """Return the share with the fewest bits near the middle of a letter's range; None where it is too narrow."""
    low, high = cell.low[letter], cell.high[letter]
    width = high - low
    if width * (1 << PLACES - 2) < 1:
        return None
    bits = next(k for k in range(PLACES + 1) if width * (1 << k) >= 4)
    step = 1 << PLACES - bits
    at = round((low + high) / 2 * (1 << bits)) * step
    return letter, at


def cut_of_length(cell: ParikhBox) -> Cut | None:
    """Return a length between the ends, near their geometric mean; None if there is one length."""
    if cell.greatest is None:
        return LENGTH, 2 * cell.least
    if cell.least == cell.greatest:
        return None
    return LENGTH, min(max(isqrt(cell.least * cell.greatest), cell.least), cell.greatest - 1)
