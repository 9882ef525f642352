"""Rows of a case at the stream of a node: above the margin by the form, or by the averages in it.

docs/background/trained_rules.md, section 5, *row* and *cells*. On a cell (cells.py; a node without cuts has one, its
whole box) let y be the values along all directions of the heads of the last attention step, each in its [low, high]
there. A row's form has, for the symbol of each of them, a generator g. Let middle and half be the centre and the half
width of [low, high], so that y = middle + half ε. For any numbers α and μ, one of each for each y,

    g ε = α (y - middle) + (g - α half) ε,    α y = μ y + (α - μ) y,    μ y >= min(μ low, μ high).

So the row is at least its centre, minus its radius, its other generators, |g - α half| and α middle for each y, plus
the least of μ y for each, and plus Σ (α - μ) y: it is at least the floor if Σ (μ - α) y is at most the *room* that the
rest leaves. This last sum is b·z, head by head, for the vectors b = Σ (μ - α) c over the head's directions c; and b·z
of one head has bounds that hold on the whole class (ranges.py). Any α and μ are sound. Here α is g / half rounded down,
over 2^30, so that only roundings are lost, and μ is the certificate's, or 0.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from operator import mul
from typing import NamedTuple

from ....kernel.budget import Budget
from ....kernel.verdicts import Rejected
from .affine import FRACTION, WEIGHT, AffineForm, Linear, apply, make_linear, spread
from .cells import Cell, DirectionBounds
from .directions import PLACES, DirectionBasis
from .packed_integers import pack_short, unpack
from .ranges import AttendedTo, ColumnSource, most_of

SLOPE = 30  # fractional bits of α and μ
SHARE = 20  # fractional bits of the numbers of a certificate's share
LINES = 32  # thresholds that are tried at once
ROUNDS = 3  # refinements of the interval of thresholds


class AttendedValues(NamedTuple):
    """A head at a node: keys and values on its paths, directions, bounds of value coordinates, and `below`.

    ``below`` returns which averages are proved to be at most thresholds, like `Averages.below`.
    """

    below: Callable[[Mapping[ColumnSource, int], Sequence[int]], list[bool]]
    reads: Mapping[ColumnSource, AttendedTo]
    basis: DirectionBasis
    sizes: Sequence[int]


class LastAttention(NamedTuple):
    """The heads of the last attention step at a node, and a cell; ``first`` is the slot of the first direction."""

    heads: Sequence[AttendedValues]
    first: int
    cell: Cell


class RowRemainder(NamedTuple):
    """The part of a row left to the class: for each head the numbers μ - α over 2^30; and the room, over 2^44."""

    numbers: list[list[int]]
    room: int


def prove_rows(budget: Budget, rows: Linear, margin: Fraction, stream: AffineForm, last: LastAttention | None) -> None:
    """Check that all rows are above the margin on every word of the class in the cell."""
    values = apply(budget, rows, stream)
    floor = (margin.numerator << FRACTION) // margin.denominator + 1
    known = spread(budget, values)
    failing = [k for k, (centre, reach) in enumerate(zip(*known, strict=True)) if centre - reach < floor]
    if failing and (last is None or not last.heads or not exceed(budget, values, failing, floor, last)):
        raise Rejected("a row is not shown to be above the margin")


def exceed(budget: Budget, values: AffineForm, rows: Sequence[int], floor: int, last: LastAttention) -> bool:
    """Return whether these rows are at least ``floor``, by bounds of the averages' part of each.

    Every head but the last takes the least bound found from the room; the last one must keep to what is left.
    """
    rests = [share_out(budget, values, row, floor, last) for row in rows]
    rooms = [rest.room for rest in rests]
    for number, (head, bounds) in enumerate(zip(last.heads[:-1], last.cell.box[:-1], strict=True)):
        tops = greatest(budget, head, bounds, [rest.numbers[number] for rest in rests])
        rooms = [room - top for room, top in zip(rooms, tops, strict=True)]
    most = most_along(budget, last.heads[-1], [rest.numbers[-1] for rest in rests])
    return all(last.heads[-1].below(most, rooms))


def share_out(budget: Budget, values: AffineForm, row: int, floor: int, last: LastAttention) -> RowRemainder:
    """Return the part of a row left to the class, and the room for it; the module's docstring has the proof."""
    slots = unpack(values.rows[row], values.slots)
    budget.spend(1 + (len(slots) >> 2))
    share = iter(last.cell.shares[row] or [0] * len(slots))
    room = slots[0] - values.radii[row] - floor - sum(map(abs, slots[1:])) << SLOPE
    numbers, place = list[list[int]](), last.first
    for bounds in last.cell.box:
        numbers.append([])
        for low, high in zip(*bounds, strict=True):
            g, middle, part = slots[place], low + high >> 1, next(share) << SLOPE - SHARE
            half = high - middle
            slope = (g << SLOPE) // half if half else 0
            room += (abs(g) << SLOPE) - abs((g << SLOPE) - slope * half) - slope * middle + min(part * low, part * high)
            numbers[-1].append(part - slope)
            place += 1
    return RowRemainder(numbers, room >> SLOPE)


def greatest(budget: Budget, head: AttendedValues, bounds: DirectionBounds,
             numbers: Sequence[Sequence[int]]) -> list[int]:
    """Bound Σ number y of a head in the cell, over 2^44, for each vector of numbers over 2^30.

    The bound is that of the box, or the least threshold proved on the whole class, of those that are tried: they divide
    the interval between the least and the greatest that the box allows.
    """
    found = [(sum(map(min, ends)) >> SLOPE, -(-sum(map(max, ends)) >> SLOPE))
             for one in numbers for ends in [[(x * low, x * high) for x, low, high in zip(one, *bounds, strict=True)]]]
    most = most_along(budget, head, numbers, LINES)
    for _ in range(ROUNDS if any(low < high for low, high in found) else 0):
        lines = [[low + (high - low) * k // LINES for k in range(LINES)] for low, high in found]
        kept = iter(head.below(most, [line for one in lines for line in one]))
        found = [narrowed(one, high, [next(kept) for _ in one]) for one, (_, high) in zip(lines, found, strict=True)]
    return [high for _, high in found]


def narrowed(lines: Sequence[int], high: int, kept: Sequence[bool]) -> tuple[int, int]:
    """Return the greatest threshold before the first one that holds, and that one; ``high`` holds anyway."""
    first = next((k for k, is_kept in enumerate(kept) if is_kept), len(lines))
    return lines[max(first - 1, 0)], lines[first] if first < len(lines) else high


def most_along(budget: Budget, head: AttendedValues, numbers: Sequence[Sequence[int]],
               times: int = 1) -> dict[ColumnSource,
                                                                                                       int]:
    """Return, for each source, packed, the greatest b·value, ``times`` times, for each vector of numbers over 2^30."""
    directions = list(zip(*head.basis.rows, strict=True))
    budget.spend(1 + (len(numbers) * len(directions) ** 2 >> 3))
    linear = make_linear([[sum(map(mul, one, column)) >> SLOPE + PLACES - WEIGHT for column in directions]
                          for one in numbers], [0] * len(numbers))
    found = {}
    for source, read in head.reads.items():
        found[source] = pack_short([top for top in most_of(budget, linear, read.value) for _ in range(times)])
    budget.spend(1 + (len(found) * len(numbers) * times >> 3))
    return found
