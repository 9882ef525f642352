"""Bounds of heads near a truth, for rows together where that suffices (rules 2 and 3)."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache

from constructions.network.lengths import Lengths
from constructions.network.meanings import ALLOWED_ERROR
from proofs.enclosures.float_models.model import FloatModel
from proofs.floats.approximate_truths import NearBound, RowScores, bound_near
from proofs.floats.float_enclosure import describe, join_all
from proofs.floats.scores import HeadScores, ScoreBound
from proofs.formula.failures import NotDerived


def bound_near_head(scores: HeadScores, errors: tuple[Fraction, Fraction], run: FloatModel, lengths: Lengths,
                    find_gap: Callable[[], Fraction | None]) -> NearBound:
    """Bound the head's error on words of these lengths; the result is within the allowed error.

    ``errors`` and ``find_gap`` are as in ``bound_near``. Rows are bounded together, and the worst of them split
    until the bound holds, or fails for one row.

    Raises:
        NotDerived: if no such bound exists.
    """
    find_gap = cache(find_gap)
    while True:
        bounds = scores.up_to(lengths.first, lengths.last)
        worst = max(bounds, key=lambda bound: (bound.delta, bound.enclosure.size))
        found = _try(bounds, worst, errors, run, lengths.last, find_gap)
        if isinstance(found, NearBound):
            return found
        alone = len(worst.rows) == 1 and isinstance(_try([worst], worst, errors, run, lengths.last, find_gap), str)
        if alone or not scores.split(_worst_of(bounds)):
            raise NotDerived(found)


def _worst_of(bounds: Sequence[ScoreBound]) -> list[ScoreBound]:
    """Return the rows to split next: those with error bounds near the worst; else those with wide score spreads."""
    delta, spread = max(bound.delta for bound in bounds), max(bound.spread for bound in bounds)
    wide = [bound for bound in bounds if delta and 2 * bound.delta > delta and len(bound.rows) > 1]
    return wide or [bound for bound in bounds if 2 * bound.spread > spread]


def _try(bounds: Sequence[ScoreBound], worst: ScoreBound, errors: tuple[Fraction, Fraction], run: FloatModel, n: int,
         find_gap: Callable[[], Fraction | None]) -> NearBound | str:
    """Return the bound that holds for all these rows, or the reason why none does."""
    scores = RowScores(n, join_all(bound.enclosure for bound in bounds), max(bound.spread for bound in bounds))
    try:
        found = bound_near(scores, errors, run, find_gap)
    except NotDerived as why:
        return str(why)
    return found if found.holds else _too_much(found, worst)


def _too_much(found: NearBound, worst: ScoreBound) -> str:
    if found.error <= ALLOWED_ERROR:
        return f"it may be {describe(1 + found.above_one)}, more than 5/4, as sums of weights are rounded"
    return (f"scores may err by {describe(found.delta)} ({worst}), so that weights err by up to "
            f"e^{describe(found.theta)} and the head by up to {describe(found.error)}, more than 1/4")
