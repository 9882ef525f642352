"""Enclosures of columns of numbers, and of their prefixes."""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

from constructions.network.float_formats import Format, power_of_two
from proofs.floats.float_enclosure import ANY_GRID, ZERO, FloatEnclosure, check_finite, stored
from proofs.floats.outward import half_unit

ROUGH_BITS = 64


class Spans:
    """The hulls of the prefixes of a column."""

    def __init__(self) -> None:
        """Begin with no numbers."""
        self._beginnings: list[FloatEnclosure] = []

    @property
    def reach(self) -> int:
        """The number of numbers."""
        return len(self._beginnings)

    def extend(self, more: Iterable[FloatEnclosure]) -> None:
        """Add numbers at the end."""
        for enclosure in more:
            self._beginnings.append(self._beginnings[-1].join(enclosure) if self._beginnings else enclosure)

    def up_to(self, k: int) -> FloatEnclosure:
        """Return the hull of the first k numbers."""
        return self._beginnings[k - 1]


def enclose_column(values: Sequence[Fraction], target: Format) -> FloatEnclosure:
    """Return the hull of the values, rounded to a format.

    Raises:
        NotDerived: if one is greater than the largest number of the format.
    """
    lower, upper = _extreme(values, min), _extreme(values, max)
    size = max(upper, -lower)
    check_finite(size, target)
    denominators = {x.denominator for x in values}
    if denominators == {1} and size <= power_of_two(target.precision):
        return FloatEnclosure(lower, upper, ZERO, 0)
    if all(denominator & (denominator - 1) == 0 for denominator in denominators):
        parts = [stored(x, target) for x in dict.fromkeys(values)]
        return FloatEnclosure(lower, upper, max(part.error for part in parts), min(part.grid for part in parts))
    error = half_unit(target, size)
    if Fraction(1, max(denominators)) < target.smallest_normal:
        error += target.smallest_normal
    return FloatEnclosure(lower, upper, error, ANY_GRID)


def _extreme(values: Sequence[Fraction], choose: Callable[[Iterable[Any]], Any]) -> Fraction:
    """Return the least or the greatest value; most comparisons are of integers."""
    rough = [(x.numerator << ROUGH_BITS) // x.denominator for x in values]
    best = choose(rough)
    found: Fraction = choose(x for x, each in zip(values, rough, strict=True) if each == best)
    return found
