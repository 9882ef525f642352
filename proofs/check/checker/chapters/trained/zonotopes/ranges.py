"""Bounds of attention's averages at a node along directions, proved by longest paths.

See docs/background/trained_rules.md, section 5.

Many directions are packed, each in a slot: sums of a path are biased by 2^126, so that the maximum is branch-free.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial, reduce
from typing import TYPE_CHECKING, NamedTuple

from ....kernel.budget import Budget
from ....kernel.verdicts import require
from .affine import AffineForm, Linear, apply, spread
from .packed_integers import READABLE, SLOT, maximum, ones, pack, pack_short
from .scores import PathBounds, Vectors

if TYPE_CHECKING:
    from .trellis import GraphColumns
    from .weights import RelativeWeights

BIAS = 1 << 126
NOTHING, EQUAL = PathBounds(0, 0), PathBounds(1 << 40, 1 << 40)  # the weights of hard attention

ColumnSource = tuple[int, ...]
"""A column (of tracks, a place), and its key there: the token before the first attention step, the node later."""


class AttendedTo(NamedTuple):
    """A key and a value that a head attends to, and the greatest c·value and -c·value of all directions c, packed."""

    key: Vectors
    value: AffineForm
    most: int


def weigh(budget: Budget, weights: RelativeWeights, found: Mapping[ColumnSource, PathBounds]) -> dict[ColumnSource,
                                                                                                      PathBounds]:
    """Enclose exp(score - top) in units of 2^-40, for a number top common to all sources."""
    top = max(bounds.greatest for bounds in found.values())
    budget.spend(2 * len(found))
    return {source: PathBounds(*weights.enclose(least - top, greatest - top))
            for source, (least, greatest) in found.items()}


def most_of(budget: Budget, linear: Linear, values: AffineForm) -> list[int]:
    """Return the greatest values of linear forms of the values."""
    known = spread(budget, apply(budget, linear, values))
    return [centre + reach for centre, reach in zip(*known, strict=True)]


def both_ways(budget: Budget, linear: Linear, values: AffineForm) -> int:
    """Return, packed, the greatest along each direction, then along each negated direction."""
    known = spread(budget, apply(budget, linear, values))
    return pack([centre + reach for centre, reach in zip(*known, strict=True)]
                + [reach - centre for centre, reach in zip(*known, strict=True)])


class Averages:
    """Averages of a head over a query's paths: ``visible`` nodes by column; ``sources`` has the source of each node.

    On paths on which all weights are 0 the average is the value of the source ``alone``; it is given if there are some.
    """

    def __init__(self, budget: Budget, columns: GraphColumns, sources: Sequence[Sequence[ColumnSource]],
                 visible: Sequence[Iterable[int]], weights: Mapping[ColumnSource, PathBounds],
                 alone: ColumnSource | None = None) -> None:
        self._budget, self._columns, self._sources, self._visible = budget, columns, sources, visible
        self.weights, self._alone = weights, alone

    def below(self, most: Mapping[ColumnSource, int], thresholds: Sequence[int]) -> list[bool]:
        """Return which averages are proved to be at most their thresholds, over 2^44; ``most`` packs V for each source.

        Proof. V and the thresholds are below 2^62, weights at most 2^40, tokens fewer than 2^14: sums are below 2^118.
        So slots of tops + bias - sum are above 0 and below 2^128: no borrows; the top bit is set if bias >= sum.
        """
        slots = len(thresholds)
        require(all(-READABLE < threshold < READABLE for threshold in thresholds), "a range is beyond 2^18")
        tops, bias, packed = ones(slots) << SLOT - 1, BIAS * ones(slots), pack_short(thresholds)
        added = {source: contribution(most[source] - packed, weight, bias, tops)
                 for source, weight in self.weights.items()}
        self._budget.spend(1 + (len(added) * (24 + slots) >> 3))
        longest = self._longest(added, slots, bias, tops)
        if self._alone is not None:
            own = contribution(most[self._alone] - packed, EQUAL, bias, tops)
            longest = maximum(longest, bias + own, tops)
        kept = (bias | tops) - longest & tops
        return [digit > 0 for digit in kept.to_bytes(SLOT // 8 * slots, "little")[SLOT // 8 - 1::SLOT // 8]]

    def _longest(self, added: Mapping[ColumnSource, int], slots: int, bias: int, tops: int) -> int:
        """Return the longest path from the first visible column to the last one, biased; there is one."""
        reached: dict[int, int] = {}
        for p, indices in enumerate(self._visible):
            last, reached = reached, {}
            for index in indices:
                previous = self._columns.previous[p][index]
                sums = [last[one] for one in previous if one in last] if p else [bias]
                self._budget.spend(1 + (len(previous) * (24 + slots) >> 4))
                if sums:
                    reached[index] = reduce(partial(maximum, tops=tops), sums) + added[self._sources[p][index]]
        return reduce(partial(maximum, tops=tops), reached.values())


def contribution(excess: int, weight: PathBounds, bias: int, tops: int, slot: int = SLOT) -> int:
    """Return, slot by slot, the greater of least * excess and greatest * excess."""
    return weight.least * excess + (weight.greatest - weight.least) * (maximum(excess + bias, bias, tops, slot) - bias)
