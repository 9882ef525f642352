"""Bounds of the score of a query and a key on all words of both classes.

See docs/background/trained_rules.md, section 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from operator import mul
from typing import TYPE_CHECKING, NamedTuple

from ....kernel.budget import Budget
from ....kernel.verdicts import require
from .affine import FRACTION, AffineForm, CentredRange
from .packed_integers import READABLE, rescale, unpack

if TYPE_CHECKING:
    from ..balls.score_caps import ScoreCap


class Vectors(NamedTuple):
    """A form with its centres and reaches."""

    form: AffineForm
    known: CentredRange


class PathBounds(NamedTuple):
    """An interval: the least and the greatest value."""

    least: int
    greatest: int


def scores(budget: Budget, query: Vectors, key: Vectors, cap: ScoreCap | None = None) -> PathBounds:
    """Enclose the inner product over all words of both classes, capped, in units of 2^-44.

    Proof. With q = q0 + δq and k = k0 + δk, q·k = q0·k0 + δq·k0 + q0·δk + δq·δk; the last is at most the sum of the
    products of the reaches. Symbols of different nodes are separate, so all reaches are added. A cap is increasing.
    """
    budget.spend(2 + (len(query.known.centres) >> 3))
    centre = sum(map(mul, query.known.centres, key.known.centres))
    away = (sum(map(mul, query.known.reaches, key.known.reaches)) + move_of(budget, query, key.known.centres)
            + move_of(budget, key, query.known.centres))
    least, greatest = centre - away >> FRACTION, -(-(centre + away) >> FRACTION)
    if cap:
        least, greatest = cap.apply([least, greatest])
        return PathBounds(least - cap.error, greatest + cap.error)
    return PathBounds(least, greatest)


def move_of(budget: Budget, moving: Vectors, fixed: Sequence[int]) -> int:
    """Return the reach of the inner product of a form with a point, in units of 2^-88."""
    form = moving.form
    symbol_free: int = sum(map(mul, form.radii, map(abs, fixed)))
    if form.slots == 1:
        return symbol_free
    budget.spend(1 + (len(fixed) * (10 + form.slots) >> 5))
    require(sum(map(mul, form.sizes, map(abs, fixed))) >> FRACTION < READABLE, "a score is too great")
    slots = unpack(rescale(sum(map(mul, fixed, form.rows)), form.slots, FRACTION), form.slots)
    return (sum(map(abs, slots)) - abs(slots[0]) + form.slots << FRACTION) + symbol_free


def with_slope(bounds: PathBounds, slope: Fraction | None, distance: int) -> PathBounds:
    """Return the scores plus slope · (j - i)."""
    if slope is None:
        return bounds
    numerator, denominator = slope.numerator * distance << FRACTION, slope.denominator
    return PathBounds(bounds.least + numerator // denominator, bounds.greatest - (-numerator // denominator))
