"""The ranges of averages that a certificate states, as bounds along directions."""

from operator import le
from struct import iter_unpack

from ....kernel.exponential import ceil_shift, floor_shift
from ....kernel.verdicts import expect
from .affine import FRACTION
from .cells import DirectionBounds


class StatedRanges:
    """Stated ranges, ``number`` int32 over 2^bits, read in order."""

    def __init__(self, data: bytes, bits: int, number: int) -> None:
        expect(len(data) == 4 * number, "ranges: {} bytes, expected {}", len(data), 4 * number)
        self._numbers, self._shift = (x for x, in iter_unpack("<i", data)), FRACTION - bits

    def take(self, width: int) -> DirectionBounds:
        """Return the bounds of ``width`` directions, over 2^44; finer ones are rounded inward, which states more.

        Raises:
            Malformed: if a range is empty.
        """
        numbers = [next(self._numbers) for _ in range(2 * width)]
        least = [ceil_shift(x, self._shift) for x in numbers[::2]]
        greatest = [floor_shift(x, self._shift) for x in numbers[1::2]]
        expect(all(map(le, least, greatest)), "ranges: a lower bound is above the upper one")
        return DirectionBounds(least, greatest)
