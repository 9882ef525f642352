"""The bound of a head that is near a truth, its rows bounded together as far as that is enough (rules 2 and 3)."""

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
    """What the head may be off by on words of these lengths; it is no more than it may be.

    ``errors`` and ``find_gap`` are as in ``bound_near``. Rows are bounded together, and the worst of them split until
    the bound holds, or one row alone has none.

    Raises:
        NotDerived: if there is no such bound.
    """
    find_gap = cache(find_gap)
    while True:
        bounds = scores.up_to(lengths.first, lengths.last)
        worst = max(bounds, key=lambda bound: (bound.delta, bound.held.size))
        found = _try(bounds, worst, errors, run, lengths.last, find_gap)
        if isinstance(found, NearBound):
            return found
        alone = len(worst.rows) == 1 and isinstance(_try([worst], worst, errors, run, lengths.last, find_gap), str)
        if alone or not scores.split(_worst_of(bounds)):
            raise NotDerived(found)


def _worst_of(bounds: Sequence[ScoreBound]) -> list[ScoreBound]:
    """Rows that are split next: those that may be off nearly as much as the worst; else those whose scores spread."""
    delta, spread = max(bound.delta for bound in bounds), max(bound.spread for bound in bounds)
    wide = [bound for bound in bounds if delta and 2 * bound.delta > delta and len(bound.rows) > 1]
    return wide or [bound for bound in bounds if 2 * bound.spread > spread]


def _try(bounds: Sequence[ScoreBound], worst: ScoreBound, errors: tuple[Fraction, Fraction], run: FloatModel, n: int,
         find_gap: Callable[[], Fraction | None]) -> NearBound | str:
    """Return the bound that holds for all these rows, or why there is none."""
    scores = RowScores(n, join_all(bound.held for bound in bounds), max(bound.spread for bound in bounds))
    try:
        found = bound_near(scores, errors, run, find_gap)
    except NotDerived as why:
        return str(why)
    return found if found.holds else _too_much(found, worst)


def _too_much(found: NearBound, worst: ScoreBound) -> str:
    if found.error <= ALLOWED_ERROR:
        return f"it may hold {describe(1 + found.above_one)}, more than 5/4, as sums of weights are rounded"
    return (f"scores may be off by {describe(found.delta)} ({worst}), so that weights are off by up to "
            f"e^{describe(found.theta)} and the head by up to {describe(found.error)}, more than 1/4")
