"""Rotary positions of queries and keys, in fixed point."""

from collections.abc import Sequence

from ....kernel.exponential import floor_shift
from ..reading.network import Rotary
from .precision import NORM_BITS, Precision, ceil_sqrt


class Rotation:
    """Rotary positions: the rows of two tables, cosines and sines, rotate pairs of coordinates."""

    def __init__(self, rotary: Rotary, precision: Precision, width: int) -> None:
        self._precision, self._pairs, self._width = precision, rotary.cosines.width, width
        tables = (rotary.cosines, rotary.sines)
        self._rows = [[[floor_shift(x, table.power + precision.weight) for x in row] for row in table.rows]
                      for table in tables]
        pairs, halves = self._pairs, rotary.halves
        self._places = [(r, r + pairs) if halves else (2 * r, 2 * r + 1) for r in range(pairs)]
        lengths = [c * c + s * s for cosines, sines in zip(*self._rows, strict=True)
                   for c, s in zip(cosines, sines, strict=True)]
        self._norm = max(ceil_sqrt(max(lengths, default=0)) + 2, 1 << precision.weight)

    def grows(self, bound: int) -> tuple[int, int]:
        """Return the factor (over 2^NORM_BITS) of errors under a rotation; its rounding for vectors within ``bound``.

        Table entries err by less than 2^-G: a rotated vector by less than 2 |x| 2^-G. Coordinates round by less than 1.
        """
        factor = -(-self._norm >> self._precision.weight - NORM_BITS)
        return factor, (2 * bound >> self._precision.weight) + 2 + ceil_sqrt(self._width)

    def apply(self, x: Sequence[int], position: int) -> list[int]:
        """Return the vector rotated for a position number."""
        bits, found = self._precision.weight, list(x)
        cosines, sines = (table[position] for table in self._rows)
        for (first, second), c, s in zip(self._places, cosines, sines, strict=True):
            a, b = x[first], x[second]
            found[first], found[second] = (a * c - b * s) >> bits, (b * c + a * s) >> bits
        return found
