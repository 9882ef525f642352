"""Gradients of many outputs at once, and what the errors of a run do to each of them.

docs/floats.md, section 7, Backwards. For each coordinate of a vector there is a *row*: an integer with a slot for each
output, how much that grows with the coordinate, over 2^GRADIENT. Slots are those of numbers at the lowest precision.
"""

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import add, mul, or_
from typing import NamedTuple

from ....kernel.budget import Budget
from ..balls.precision import LOWEST, Precision, Undecided, sign_bits
from ..forms.affine import WEIGHT

GRADIENT = SHORT = 22  # bits behind the point of gradients, and of what they are multiplied with
SLOT = 64
MOST = 1 << SLOT - 2  # slots are below it in absolute value
ERROR_BITS = 22  # so many bits of errors count
PRECISION = Precision(LOWEST)


class BackMap(NamedTuple):
    """A matrix, over 2^SHORT: for each input its weights, and at least the sum of their absolute values."""

    rows: Sequence[Sequence[int]]
    greatest: int


def short(weight: int) -> int:
    """A weight over 2^WEIGHT as one over 2^SHORT, off by at most half a unit."""
    return (weight >> WEIGHT - SHORT - 1) + 1 >> 1


def make_back_map(columns: Iterable[Sequence[int]]) -> BackMap:
    """Of weights over 2^WEIGHT, output by output."""
    return transposed_map([[short(weight) for weight in column] for column in columns])


def transposed_map(columns: Iterable[Sequence[int]]) -> BackMap:
    """Of weights over 2^SHORT, output by output."""
    rows = list(zip(*columns, strict=True))
    return BackMap(rows, max(sum(map(abs, row)) for row in rows))


class GradientRows(NamedTuple):
    """The rows of a vector, and what no slot is above in absolute value."""

    rows: Sequence[int]
    most: int


def plus(one: GradientRows, other: GradientRows) -> GradientRows:
    """Rows that two ways come to."""
    return GradientRows(list(map(add, one.rows, other.rows)), one.most + other.most)


class Backwards:
    """One way back: what has been met on it so far.

    What is met of each output is a slot of ``total``, over 2^(GRADIENT - shift), and ``lost``, over 2^GRADIENT.
    """

    def __init__(self, budget: Budget, slots: int, greatest_error: int) -> None:
        self._budget, self._slots, self._tops = budget, slots, sign_bits(SLOT, slots)
        self._shift, self._total, self._room = max(0, greatest_error.bit_length() - ERROR_BITS), 0, MOST
        self._lost, self._masks = 0, dict[int, tuple[int, int, int]]()

    def meet(self, given: GradientRows, errors: Sequence[int]) -> GradientRows:
        """What errors of these sizes make of each output; the rows, of which it is looked at how large they are.

        Raises:
            Undecided: if that does not fit a slot.
        """
        self._expect(given.most)
        shift, tops, sizes = self._shift, self._tops, []
        for row in given.rows:
            raised = row + tops
            positive = raised & tops
            negative = positive ^ tops
            ones = negative >> SLOT - 1
            sizes.append((raised ^ positive ^ negative - ones) + ones)
        given = GradientRows(given.rows, max(PRECISION.quotients(self._slots, 0)(reduce(or_, sizes))) + 1)
        known = [(error >> shift) + 1 for error in errors]
        self._room -= given.most * sum(known)
        if self._room <= 0:
            raise Undecided
        self._budget.spend(1 + (len(known) * (12 + self._slots) >> 6))
        self._total += sum(map(mul, sizes, known))
        return given

    def lose(self, deviations: int) -> None:
        """Rows were rounded, of a vector whose coordinates are off by so much in all."""
        self._lost += deviations

    def through(self, back: BackMap, given: GradientRows) -> GradientRows:
        """The rows of what a matrix is multiplied with, each rounded down.

        Raises:
            Undecided: if they do not fit a slot.
        """
        most = given.most * back.greatest
        self._expect(most)
        self._budget.spend(1 + (len(back.rows) * len(given.rows) * (12 + self._slots) >> 6))
        (signs, mask, removed), rows = self._floors(SHORT), given.rows
        found = [(sum(map(mul, weights, rows)) + signs >> SHORT & mask) - removed for weights in back.rows]
        return GradientRows(found, (most >> SHORT) + 1)

    def scaled(self, given: GradientRows, factors: Sequence[int], bits: int) -> GradientRows:
        """Rows times factors over 2^bits, each rounded down.

        Raises:
            Undecided: if they do not fit a slot.
        """
        most = given.most * max(map(abs, factors))
        self._expect(most)
        signs, mask, removed = self._floors(bits)
        found = [(row * factor + signs >> bits & mask) - removed
                 for row, factor in zip(given.rows, factors, strict=True)]
        return GradientRows(found, (most >> bits) + 1)

    def floors(self, rows: Sequence[int], most: int, bits: int) -> GradientRows:
        """Rows over 2^bits, rounded down.

        Raises:
            Undecided: if they may not fit a slot.
        """
        self._expect(most)
        signs, mask, removed = self._floors(bits)
        return GradientRows([(row + signs >> bits & mask) - removed for row in rows], (most >> bits) + 1)

    def _floors(self, bits: int) -> tuple[int, int, int]:
        """What makes of a row its slots over 2^bits, rounded down, as in precision.py."""
        if bits not in self._masks:
            signs = self._tops
            self._masks[bits] = signs, (signs >> SLOT - 1) * ((1 << SLOT - bits) - 1), signs >> bits
        return self._masks[bits]

    def reaches(self) -> list[int]:
        """How far each output may be off."""
        lost = self._lost + (1 << GRADIENT)
        return [(one << self._shift) + lost >> GRADIENT for one in PRECISION.quotients(self._slots, 0)(self._total)]

    def _expect(self, most: int) -> None:
        if most >= MOST:
            raise Undecided
