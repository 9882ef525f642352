"""The rows of a case at the stream of a node: above the margin by the form, or by the average that it depends on.

docs/trained.md, section 5, *row*.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from ..budget import Budget
from ..verdicts import Rejected
from .directions import PLACES, Turn
from .forms import FRACTION, WEIGHT, Form, Linear, apply, make_linear, spread
from .packed import pack, unpack
from .ranges import Averages, Read, Source, most_of

SLOPE = 30  # bits behind the point of what a row changes by along a direction


class Last(NamedTuple):
    """The one head of the last attention step at a node: its paths, what it reads, its directions, and their ranges.

    ``first`` is the slot of the symbol of the first direction.
    """

    averages: Averages
    reads: dict[Source, Read]
    turn: Turn
    least: Sequence[int]
    greatest: Sequence[int]
    first: int


def prove_rows(budget: Budget, rows: Linear, margin: Fraction, stream: Form, last: Last | None) -> None:
    """All rows are above the margin on every word of the class.

    Raises:
        Rejected: if one is not shown to be.
    """
    values = apply(budget, rows, stream)
    floor = (margin.numerator << FRACTION) // margin.denominator + 1
    known = spread(budget, values)
    failing = [k for k, (centre, reach) in enumerate(zip(*known, strict=True)) if centre - reach < floor]
    if failing and (last is None or not exceed(budget, values, failing, floor, last)):
        raise Rejected("a row is not shown to be above the margin")


def exceed(budget: Budget, values: Form, rows: Sequence[int], floor: int, last: Last) -> bool:
    """Whether these rows are at least so much, by bounds of what the last average adds to each.

    Proof. Let y_k = c_k·z be between middle - half and middle + half, with a symbol whose generator in the row is g,
    and let α be any number. Then g ε = α (y_k - middle) + (g - α half) ε: the row is at least its centre, less what
    its other generators and its radius may take, less |g - α half| for each k, plus Σ α (y_k - middle). That is at
    least the floor if (Σ α c_k)·z is at least what is missing: if (-Σ α c_k)·z is at most the negative of it.
    """
    columns, thresholds = [], []
    for row in rows:
        slots = unpack(values.rows[row], values.slots)
        width = len(last.turn.rows)
        along = slots[last.first:last.first + width]
        missing = floor - slots[0] + values.radii[row] + sum(map(abs, slots)) - abs(slots[0]) - sum(map(abs, along))
        column = [0] * width
        for g, low, high, direction in zip(along, last.least, last.greatest, last.turn.rows, strict=True):
            middle = low + high >> 1
            half = high - middle
            slope = (g << SLOPE) // half if half else 0
            missing += (abs((g << SLOPE) - slope * half) >> SLOPE) + 1 - (-slope * middle >> SLOPE)
            column = [x - slope * c for x, c in zip(column, direction, strict=True)]
        columns.append([x >> SLOPE + PLACES - WEIGHT for x in column])
        thresholds.append(-missing)
    linear = make_linear(columns, [0] * len(columns))
    most = {source: pack(most_of(budget, linear, read.value)) for source, read in last.reads.items()}
    return last.averages.stay_below(most, thresholds)
