"""What a column of numbers holds as a whole, or its beginnings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from constructions.network.float_formats import Format
from proofs.floats.held import ANY_GRID, ZERO, Held, check_finite, grid_of, stored


class Spans:
    """The beginnings of a column: what the first k numbers hold together."""

    def __init__(self) -> None:
        """No numbers yet."""
        self._beginnings: list[Held] = []

    @property
    def reach(self) -> int:
        """How many numbers there are."""
        return len(self._beginnings)

    def extend(self, more: Iterable[Held]) -> None:
        """Add numbers at the end."""
        for held in more:
            self._beginnings.append(self._beginnings[-1].join(held) if self._beginnings else held)

    def up_to(self, k: int) -> Held:
        """What the first k numbers hold."""
        return self._beginnings[k - 1]


def hold_column(values: Sequence[Fraction], target: Format) -> Held:
    """What any of the values, rounded to a format, holds.

    Raises:
        NotDerived: if one is greater than the largest number of the format.
    """
    lower, upper = min(values), max(values)
    check_finite(max(upper, -lower), target)
    distinct = dict.fromkeys(values)
    if all(x.denominator == 1 for x in distinct) and max(upper, -lower) <= 1 << target.precision:
        return Held(lower, upper, ZERO, min((grid_of(x) or 0 for x in distinct), default=ANY_GRID))
    parts = [stored(x, target) for x in distinct]
    return Held(lower, upper, max(part.error for part in parts), min(part.grid for part in parts))
