"""Linear approximations of activations of affine forms.

See docs/background/trained_rules.md, section 5, and 6 for second derivatives.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from operator import sub
from typing import TYPE_CHECKING, NamedTuple

from ....kernel.budget import Budget
from ..balls.activations import Activation
from .affine import FRACTION, UNIT, WEIGHT, AffineForm, charge, known_by_sizes, spread, tighten, widened, within_range
from .packed_integers import rescale

if TYPE_CHECKING:
    from ..balls.roundings import Rounder

CELLS = 32  # of the grid on which the distance from the line is taken, on wide intervals
WIDE, NARROW = UNIT >> 4, UNIT >> 26  # narrower intervals: fewer cells, or slope 0
FINEST = UNIT >> 5  # the fast path: narrower intervals have one cell


CURVATURES: Mapping[str, Fraction] = {"gelu": Fraction(8, 10), "gelu-tanh": Fraction(8, 10), "silu": Fraction(51, 100),
                                "sigmoid": Fraction(1, 10), "tanh": Fraction(77, 100)}
"""An upper bound of |f''| for each function."""


class Curve(NamedTuple):
    """An activation by its name, or a rounding."""

    name: str
    values: Activation | Rounder


class LinearPiece(NamedTuple):
    """On an interval the function is within ``remainder`` of slope/2^40 x + height."""

    slope: int
    height: int
    remainder: int


def activate(budget: Budget, curve: Curve, x: AffineForm, fast: bool = False) -> AffineForm:
    """Return the activation of each coordinate; ``fast`` takes sizes for a spread, and few cells on wide intervals.

    Proof. slope x + height has the symbols of x; the rest is within the remainder and, of what has no symbol, |slope|
    radius. The slope is an exact number; each slot is rounded by at most 1/2.
    """
    if curve.name == "identity":
        return x
    known = known_by_sizes(x) if fast else spread(budget, x)
    x = tighten(x, known)
    charge(budget, len(x.rows), x.slots)
    lines = [find_line(budget, curve, centre - reach, centre + reach, fast)
             for centre, reach in zip(*known, strict=True)]
    rows, radii, sizes = [], [], []
    for line, row, radius, size in zip(lines, x.rows, x.radii, x.sizes, strict=True):
        rows.append(rescale(line.slope * row, x.slots, WEIGHT) + line.height)
        radii.append((abs(line.slope) * radius >> WEIGHT) + 2 + (x.slots >> 1))
        sizes.append((abs(line.slope) * size >> WEIGHT) + abs(line.height) + x.slots + 4)
    return widened(within_range(rows, x.slots, radii, sizes), [line.remainder for line in lines])


def find_line(budget: Budget, curve: Curve, least: int, greatest: int, fast: bool = False) -> LinearPiece:
    """Return a linear approximation of a function on an interval.

    Proof. Let g be the function minus the line through the origin with this slope: any slope is sound. `relu` is linear
    on both sides of 0, so g is greatest and least at the ends or at 0. Of any other function |g''| <= M, so between two
    neighbouring points of the grid, h apart, g is within M h^2 / 8 of its chord, which is between its values there; the
    grid may extend beyond the interval. A rounding is within its remainder of line segments between its points.
    """
    width = greatest - least
    if not isinstance(curve.values, Activation):
        points, found, remainder = curve.values.near(least, greatest)
    elif curve.name == "relu":
        points, remainder = [least, *([0] if least < 0 < greatest else []), greatest], 0
    else:
        cells = (min(CELLS >> 2, 1 << (width // FINEST).bit_length()) if fast else
                 CELLS if width > WIDE else CELLS >> 2 if width > NARROW else 2)
        points = [least + width * k // cells for k in range(cells + 1)]
        curvature, h = CURVATURES[curve.name], max(map(sub, points[1:], points)) + 1
        sag = (curvature.numerator * h * h // curvature.denominator >> FRACTION + 3) + 1  # M h^2 / 8, rounded up
        remainder = curve.values.error + sag
    budget.spend(len(points))
    if isinstance(curve.values, Activation):
        found = curve.values.apply(points)
    slope = (found[-1] - found[0] << WEIGHT) // width if width > NARROW else 0
    above = [y - (slope * x >> WEIGHT) for x, y in zip(points, found, strict=True)]
    lowest, highest = min(above) - remainder - 1, max(above) + remainder
    return LinearPiece(slope, highest + lowest >> 1, (highest - lowest >> 1) + 1)
