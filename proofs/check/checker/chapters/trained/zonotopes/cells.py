"""The box of a node's ranges, cut into cells: rows proved on each are proved.

See docs/background/trained_rules.md, section 5, *cells*.
"""

from collections.abc import Iterator, Sequence
from struct import unpack
from typing import NamedTuple

from ....kernel.exponential import ceil_shift, floor_shift
from ....kernel.verdicts import expect
from ..reading.cover import Cut, Tree
from .affine import FRACTION


class DirectionBounds(NamedTuple):
    """The least and the greatest along each direction of a head, over 2^44."""

    least: Sequence[int]
    greatest: Sequence[int]


Box = tuple[DirectionBounds, ...]
"""The bounds of each head."""


class Cell(NamedTuple):
    """A box, and for each row to prove a number over 2^20 for each direction, head by head, or None."""

    box: Box
    shares: Sequence[Sequence[int] | None]


def cells_of(tree: Tree | None, box: Box, rows: int, bits: int) -> Iterator[Cell]:
    """Yield the cells of a tree over this box; without a tree the box. ``rows`` are to be proved in each.

    Raises:
        Malformed: if a cut is outside its range, or a cell has shares for another number of rows.
    """
    waiting = [(tree, box)]
    while waiting:
        one, part = waiting.pop()
        if isinstance(one, Cut):
            below, above = cut(one, part, bits)
            waiting += [(one.above, above), (one.below, below)]
        elif one is None:
            yield Cell(part, [None] * rows)
        else:
            expect(len(one.shares) == rows, "shares: {} of them, expected {}", len(one.shares), rows)
            yield Cell(part, [None if share is None else unpack(f"<{len(share) // 4}i", share)
                              for share in one.shares])


def cut(where: Cut, box: Box, bits: int) -> tuple[Box, Box]:
    """Return the parts below and above a cut; they overlap if it is finer than 2^-44.

    Raises:
        Malformed: if it is outside its range.
    """
    below, above = parts(box, where.head, where.direction, where.at, bits)
    expect(below is not None and above is not None, "at: a cut outside its range")
    assert below is not None and above is not None
    return below, above


def parts(box: Box, head: int, k: int, at: int, bits: int) -> tuple[Box | None, Box | None]:
    """Return the parts of a box below and above ``at`` / 2^bits in a direction, None if empty."""
    bounds = box[head]
    least, greatest = bounds.least[k], bounds.greatest[k]
    start, end = floor_shift(at, FRACTION - bits), ceil_shift(at, FRACTION - bits)
    below = DirectionBounds(bounds.least, replaced(bounds.greatest, k, min(end, greatest)))
    above = DirectionBounds(replaced(bounds.least, k, max(start, least)), bounds.greatest)
    before, after = box[:head], box[head + 1:]
    return (*before, below, *after) if least <= end else None, (*before, above, *after) if start <= greatest else None


def replaced(numbers: Sequence[int], place: int, number: int) -> list[int]:
    """Return the numbers with another one at a place."""
    return [*numbers[:place], number, *numbers[place + 1:]]
