"""Rationals for running networks on many words: FLINT's, equal to Python's and several times as fast.

They do not mix with Fractions, so they stay inside a run: inputs and outputs are converted.
"""

from fractions import Fraction
from typing import Any, cast

from flint import fmpq

from constructions.network.transformer import Coefficients
from proofs.enclosures.intervals import Interval, point

ZERO: Any = fmpq(0)


def to_flint(x: Fraction) -> Any:
    """Convert a Fraction to FLINT's rational.

    >>> to_flint(Fraction(-6, 4))
    -3/2
    """
    return fmpq(x.numerator, x.denominator)


def row_to_flint(row: Coefficients) -> dict[str, Any]:
    """Convert a linear form to FLINT's rationals."""
    return {name: to_flint(weight) for name, weight in row.items()}


def from_flint(x: Any) -> Fraction:
    """Convert FLINT's rational to a Fraction.

    >>> from_flint(to_flint(Fraction(-6, 4)))
    Fraction(-3, 2)
    """
    return Fraction(int(x.p), int(x.q))


def interval_from_flint(x: Interval) -> Interval:
    """Convert an interval to Fractions; a point remains a point."""
    return point(from_flint(x.lower)) if x.lower is x.upper else Interval(from_flint(x.lower), from_flint(x.upper))


def rounded_outward(x: Interval, bits: int) -> Interval:
    """Return an interval around x whose ends are multiples of 2**-bits; a point stays exact.

    >>> rounded_outward(Interval(to_flint(Fraction(1, 3)), to_flint(Fraction(2, 3))), 2)
    Interval(lower=1/4, upper=3/4)
    """
    if x.is_point:
        return x
    unit, lower, upper = 1 << bits, cast(Any, x.lower), cast(Any, x.upper)
    return Interval(cast(Any, fmpq((lower * unit).floor(), unit)), cast(Any, fmpq((upper * unit).ceil(), unit)))
