"""The grid of rounded bounds: multiples of 2^-GRID, rounded outward and upward."""

from collections.abc import Mapping
from typing import Any, TypeVar

from proofs.enclosures.intervals import Interval, point
from proofs.enclosures.rationals import ZERO

GRID = 128
UNIT = 1 << GRID
Number = TypeVar("Number", int, Interval)


def outward(x: Interval) -> Interval:
    """Round the ends outward to the grid; a point is unchanged."""
    if x.is_point:
        return point(x.lower)
    return Interval(-on_grid(-x.lower), on_grid(x.upper))


def on_grid(x: Any) -> Any:
    """Round one of FLINT's rationals up to the grid."""
    return (ZERO + in_units(x)) / UNIT


def in_units(x: Any) -> int:
    """Return x in units of 2^-GRID, rounded up.

    >>> in_units(ZERO + 1) == 1 << GRID
    True
    """
    return -int((-int(x.p) << GRID) // int(x.q))


def times(weight: Any, moved: int) -> int:
    """Return one of FLINT's rationals, not negative, times a number of units, rounded up."""
    return -(-int(weight.p) * moved // int(weight.q))


def product(x: int, y: int) -> int:
    """Return the product of numbers in units, rounded up."""
    return -(-x * y >> GRID)


def between(lower: Any, upper: Any) -> Interval:
    """Return the interval, a point if its ends are equal."""
    return point(lower) if lower == upper else Interval(lower, upper)


def added(*rows: Mapping[str, Number]) -> dict[str, Number]:
    """Return the sum, name by name."""
    found: dict[str, Number] = {}
    for row in rows:
        for name, value in row.items():
            found[name] = found[name] + value if name in found else value
    return found
