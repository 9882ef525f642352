"""Fixed-point numbers at a precision, and vectors packed into one integer.

At precision L a number x means x / 2^F, F = 44 L. A vector is packed with S = 128 L bits for each entry, its *slot*;
packed vectors are added, and multiplied by an integer, in one operation. A sum of numbers times weights over 2^G,
divided by 2^G, is a number again: G = 64 L, so that it is the upper half of a slot. Precision 0 is the fast one, for
most words: F = 26 and S = 64, so that most numbers are one digit of Python's integers, and G is what is left. Claim. If
every entry y of a packed vector Y = sum_j y_j 2^(S j) has |y| < 2^(S - 1), ``quotients(length, G)`` makes a function
that returns floor(y_j / 2^G) for every j. Proof. Let B have 2^(S - 1) in every slot. Slots of Y + B are y_j + 2^(S -
1), from 0 to below 2^S, so nothing is carried; flipping their first bits makes them y_j modulo 2^S, which is two's
complement; the upper half of two's complement is the floor of the quotient by 2^(S/2). Else all of Y + B is shifted by
G, and bits that enter a slot from the one above are masked: slots are floor(y_j / 2^G) + 2^(S - 1 - G). With 2^(S - 1)
- 2^(S - 1 - G) added to each they are floor(y_j / 2^G) + 2^(S - 1), from 0 to below 2^S again.
"""

from array import array
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from math import isqrt
from operator import mul
from sys import byteorder
from typing import NamedTuple

from ..reading.dyadics import Matrix

LOWEST, HIGHEST = 0, 2  # precisions; at 3, exponentials.py would not enclose closely enough
LEAST_WEIGHT = 16  # least number of fractional bits of a weight
NORM_BITS = 32  # upper bounds of norms of matrices are integers over 2^32


Stream = tuple[Sequence[int], int]
"""A vector in fixed point, and its error bound in the 2-norm."""


class Logits(NamedTuple):
    """Logits that occur in rows, and the error bound (2-norm) of the vector of which they are linear forms."""

    numbers: Sequence[int]
    error: int


class Undecided(Exception):
    """The error bound is too large at this precision."""


class Precision:
    """Scales and slots at precision ``level``.

    Attributes:
        fraction, weight: F, and the fractional bits of factors that are not packed.
        exponent: E, the fractional bits of exponentials.py.
        product: log2 of the divisor of packed scores.
        norms: memoised spectral norms of matrices, the same at all precisions.
    """

    def __init__(self, level: int, norms: dict[Matrix, int] | None = None) -> None:
        self.norms = {} if norms is None else norms
        self.level = level
        self.fraction = 44 * level or 26
        self.slot = 128 * level or 64
        self.weight = self.slot // 2
        self.exponent = 72 * level or 40
        self.product = self.weight if level else self.fraction
        self.one = 1 << self.fraction
        self.quotients = lru_cache(maxsize=1024)(self._quotients)
        self._masks = lru_cache(maxsize=1024)(self._make_masks)

    def pack(self, entries: Iterable[int]) -> int:
        """Pack entries of either sign: 2^(S - 1) is added to each, and subtracted again.

        Raises:
            Undecided: if one does not fit a slot.
        """
        size, half = self.slot // 8, 1 << self.slot - 1
        try:
            if self.level == 0 and byteorder == "little":
                raw = array("q", entries).tobytes()
                signs = sign_bits(self.slot, len(raw) // size)
                return (int.from_bytes(raw, "little") ^ signs) - signs
            raw = b"".join([(entry + half).to_bytes(size, "little") for entry in entries])
        except OverflowError:
            raise Undecided from None
        return int.from_bytes(raw, "little") - sign_bits(self.slot, len(raw) // size)

    def _quotients(self, length: int, shift: int) -> Callable[[int], Sequence[int]]:
        """Return a function from packed vectors to their entries divided by 2^shift, rounded down; proved above."""
        signs, size, most = sign_bits(self.slot, length), length * self.slot // 8, self.slot - 1
        if self.level == 1 and shift == self.weight and byteorder == "little":
            return lambda packed: array("q", ((packed + signs) ^ signs).to_bytes(size, "little"))[1::2]
        ones = signs >> most
        mask, back = ones * ((1 << self.slot - shift) - 1), ones * ((1 << most) - (1 << most - shift))
        if self.level == 0 and byteorder == "little":
            return lambda packed: array(
                "q", ((packed + signs >> shift & mask) + back ^ signs).to_bytes(size, "little"))
        return partial(self._entries, length, shift)

    def floors(self, packed: int, length: int, shift: int) -> int:
        """Return the packed vector of the entries divided by 2^shift and rounded down; proved above."""
        signs, mask, back = self._masks(length, shift)
        return (packed + signs >> shift & mask) - back

    def _make_masks(self, length: int, shift: int) -> tuple[int, int, int]:
        signs = sign_bits(self.slot, length)
        return signs, (signs >> self.slot - 1) * ((1 << self.slot - shift) - 1), signs >> shift

    def _entries(self, length: int, shift: int, packed: int) -> list[int]:
        signs, size = sign_bits(self.slot, length), self.slot // 8
        raw = (packed + signs ^ signs).to_bytes(length * size, "little")
        return [int.from_bytes(raw[i:i + size], "little", signed=True) >> shift for i in range(0, len(raw), size)]

    def weight_for(self, bound: int) -> int:
        """Return G such that sums whose absolute value is at most ``bound`` fit a slot.

        Raises:
            Undecided: if that leaves too few bits.
        """
        room = self.slot - 2 - bound.bit_length()
        if room < (self.weight if self.level else LEAST_WEIGHT):
            raise Undecided
        return self.weight if self.level else room

    def number(self, x: Fraction) -> int:
        """Return the rational in fixed point, rounded down."""
        return (x.numerator << self.fraction) // x.denominator


@lru_cache(maxsize=256)
def sign_bits(slot: int, length: int) -> int:
    """Return a packed vector with the first bit of every slot set."""
    return int.from_bytes((bytes(slot // 8 - 1) + b"\x80") * length, "little")


def ceil_sqrt(x: int) -> int:
    """Return the square root, rounded up."""
    return isqrt(x - 1) + 1 if x > 0 else 0


def ceil_norm(entries: Iterable[int]) -> int:
    """Return the 2-norm, rounded up."""
    vector = list(entries)
    return ceil_sqrt(sum(map(mul, vector, vector)))
