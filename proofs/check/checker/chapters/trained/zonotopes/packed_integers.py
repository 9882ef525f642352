"""Many signed integers in one: the k-th *slot* is added 2^(128 k) times; sums and multiples are slotwise.

Nothing carries from slot to slot in what is read, as long as every slot is below 2^126 in absolute value: callers
ensure that. `unpack` reads the low 64 bits of each slot, so there they must be below 2^63.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from struct import Struct

SLOT = 128
TOP = 1 << SLOT - 1
MOST = 1 << 126  # slots are below it in absolute value
READABLE = 1 << 62  # slots that are read are below it


@cache
def ones(slots: int, slot: int = SLOT) -> int:
    """Return the packed integer with 1 in each slot of ``slot`` bits."""
    return ((1 << slot * slots) - 1) // ((1 << slot) - 1)


def pack(numbers: Iterable[int], slot: int = SLOT) -> int:
    """Return the numbers as slots of ``slot`` bits, the first one lowest."""
    return sum([number << slot * k for k, number in enumerate(numbers)])


@cache
def _writing(slots: int) -> tuple[Struct, int]:
    return Struct("<" + "Q8x" * slots), ones(slots) << 63


def pack_short(numbers: Sequence[int]) -> int:
    """Pack numbers below 2^63 in absolute value, faster: 2^63 is added to each, and subtracted again."""
    layout, added = _writing(len(numbers))
    return int.from_bytes(layout.pack(*[number + (1 << 63) for number in numbers]), "little") - added


@cache
def _layout(slots: int) -> Struct:
    return Struct("<" + "q8x" * slots)


@cache
def _tops(slots: int) -> int:
    return TOP * ones(slots)


def unpack(packed: int, slots: int) -> tuple[int, ...]:
    """Return the slots, each of them below 2^63 in absolute value.

    Proof. Adding 2^127 makes each slot y at least 0 and below 2^128, so the slots are the digits to the base 2^128;
    with the highest bit flipped they are y modulo 2^128, whose low half is y in two's complement of 64 bits.
    """
    tops = _tops(slots)
    return _layout(slots).unpack((packed + tops ^ tops).to_bytes(SLOT // 8 * slots, "little"))


@cache
def _rescaling(slots: int, shift: int) -> tuple[int, int, int]:
    one = ones(slots)
    half = 1 << shift - 1 if shift else 0
    return (TOP + half) * one, ((1 << SLOT - shift) - 1) * one, (TOP >> shift) * one


def rescale(packed: int, slots: int, shift: int) -> int:
    """Return each slot over 2^shift, rounded to nearest, within 1/2. 0 <= shift < 127.

    Proof. Adding 2^127 + 2^(shift-1) makes each slot a digit to the base 2^128. Shifting moves the low bits of each
    digit to the top of the one below, where the mask removes them; what is left is the floor of the digit over 2^shift,
    from which the shifted 2^127 is subtracted.
    """
    added, mask, removed = _rescaling(slots, shift)
    return (packed + added >> shift & mask) - removed


def maximum(a: int, b: int, tops: int, slot: int = SLOT) -> int:
    """Return the slotwise maximum; slots are in [0, 2^127), ``tops`` has 2^127 in each (2^(slot - 1) in general).

    Proof. Slots of (a | tops) - b are 2^127 + a - b, above 0 and below 2^128: no borrows; the top bit is set if a >= b.
    There top - (top >> 127) has the 127 bits below it, which select a - b; elsewhere nothing is added to b.
    """
    difference = (a | tops) - b
    greater = difference & tops
    return b + (difference & greater - (greater >> slot - 1))
