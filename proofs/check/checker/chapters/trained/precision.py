"""Numbers of a run as integers at a scale, and vectors packed into one integer.

At precision L a number x stands for x / 2^F, F = 44 L. A weight stands for w / 2^G, G = 64 L. A vector is packed with
128 L bits for each entry, its *slot*; packed vectors are added, and multiplied with an integer, in one operation. The
upper half of a slot, read as a signed number, is the entry divided by 2^G and rounded down: a sum of numbers times
weights read so is a number again.

Claim. If every entry y of a packed vector Y = sum_j y_j 2^(128 L j) has |y| < 2^(128 L - 1), `upper_halves` returns
floor(y_j / 2^G) for every j. Proof. Let B have 2^(128 L - 1) in every slot. Slots of Y + B are y_j + 2^(128 L - 1),
from 0 to below 2^(128 L), so nothing is carried; flipping their first bits makes them y_j modulo 2^(128 L), which is
two's complement. The upper half of two's complement is the floor of the quotient by 2^G.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import isqrt
from sys import byteorder

HIGHEST = 2  # precision; at 3, exponential.py would not enclose closely enough
NORM_BITS = 32  # upper bounds of norms of matrices are integers over 2^32


class Undecided(Exception):
    """The error bound is too large at this precision."""


class Precision:
    """Scales and slots at precision ``level``."""

    def __init__(self, level: int) -> None:
        self.level = level
        self.fraction = 44 * level
        self.weight = 64 * level
        self.slot = 128 * level
        self.one = 1 << self.fraction

    def pack(self, entries: Iterable[int]) -> int:
        """The packed vector; entries may be negative.

        Raises:
            Undecided: if one does not fit a slot.
        """
        size, half = self.slot // 8, 1 << self.slot - 1
        try:
            raw = b"".join([(entry + half).to_bytes(size, "little") for entry in entries])
        except OverflowError:
            raise Undecided from None
        return int.from_bytes(raw, "little") - sign_bits(self.slot, len(raw) // size)

    def upper_halves(self, packed: int, length: int) -> Sequence[int]:
        """The entries of a packed vector, each divided by 2^G and rounded down; proved above."""
        signs = sign_bits(self.slot, length)
        raw = ((packed + signs) ^ signs).to_bytes(length * self.slot // 8, "little")
        if self.level == 1 and byteorder == "little":
            return array("q", raw)[1::2]
        half = self.slot // 16
        return [int.from_bytes(raw[i:i + half], "little", signed=True) for i in range(half, len(raw), 2 * half)]

    def expect_room(self, bound: int) -> None:
        """Sums whose absolute value, as numbers, is at most ``bound`` fit a slot.

        Raises:
            Undecided: if not.
        """
        if bound.bit_length() + self.weight >= self.slot - 1:
            raise Undecided

    def number(self, x: Fraction) -> int:
        """The rational as a number, rounded down."""
        return (x.numerator << self.fraction) // x.denominator


@lru_cache(maxsize=256)
def sign_bits(slot: int, length: int) -> int:
    """A packed vector with the first bit of every slot."""
    return int.from_bytes((bytes(slot // 8 - 1) + b"\x80") * length, "little")


def ceil_sqrt(x: int) -> int:
    """The square root, rounded up."""
    return isqrt(x - 1) + 1 if x > 0 else 0


def ceil_norm(entries: Iterable[int]) -> int:
    """The 2-norm, rounded up."""
    return ceil_sqrt(sum(x * x for x in entries))
