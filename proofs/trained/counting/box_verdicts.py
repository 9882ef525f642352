"""Whether boxes of one query are right or wrong in floats: averages by paths, logits by affine forms.

A row is logit(answer) - logit(other). It is at least a linear part of the averages, whose least value on a box is
found by paths for each head alone, plus a rest that holds on the hull (docs/background/tracks_rules.md, section 5).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from proofs.trained.classes.forms import Forms
from proofs.trained.tracks.levels import after_heads, between
from proofs.trained.tracks.paths import VisibleSources
from proofs.trained.tracks.ranges import FormRanges

Array = NDArray[np.float64]
Indices = NDArray[np.intp]
Allowed = NDArray[np.bool_]
ROOM = 2**-20  # a row this near the margin is open
NEVER = np.float64(10**30)  # the row of the answer itself
NEWTON = 60  # steps
FEWER = 3 / 4
AT_ONCE = 1 << 20  # numbers
FINENESS = 2**-13  # the checker bounds the linear part of all heads but the last to 2^-15 of its range
LINEAR = 3  # rows of a box whose linear parts are bounded by paths
NARROWER = 1 / 16  # part of a box where slopes are taken, if the form of all of it has none
LEAST_WIDTH = 10**-9
PADDED = 2**-26  # part of a range, for the checker's roundings of directions and weights
RowForms = tuple[Array, Array, Array]
"""Bounds of rows on boxes: slopes [N, directions, rows], the least of the rest, and the least of each row [N, rows]."""
Pairs = Sequence[Sequence[tuple[int, int, Indices]]]
"""For each column the steps from one state to another."""


@dataclass(frozen=True)
class BoxArrays:
    """Boxes of one query: for each column [N, steps], last states [N, states], and the right answers [N].

    ``low`` and ``high`` are bounds of the averages [N, directions].
    """

    steps: list[Allowed]
    lasts: Allowed
    answers: Indices
    low: Array
    high: Array

    def only(self, chosen: Indices) -> "BoxArrays":
        """Return some of the boxes."""
        return BoxArrays([one[chosen] for one in self.steps], self.lasts[chosen], self.answers[chosen],
                         self.low[chosen], self.high[chosen])


@dataclass(frozen=True)
class Gains:
    """Σ w (v - T) of some sources for vectors: exact weights and values, summed over the sources of each step.

    ``values`` are Σ w v [N, steps], ``weights`` are Σ w [steps].
    """

    values: Array
    weights: Array

    def at(self, tops: Array) -> tuple[Array, Array]:
        """Return the sums [N, steps] for thresholds T [N], and the sums of weights."""
        return self.values - tops[:, np.newaxis] * self.weights, np.broadcast_to(self.weights, self.values.shape)

    def only(self, chosen: Allowed) -> "Gains":
        """Return those of some vectors."""
        return Gains(self.values[chosen], self.weights)


@dataclass(frozen=True)
class SpreadGains:
    """The greatest Σ w (v - T) where weights [steps, sources] are between two ends; values [N, steps, sources]."""

    values: Array
    low: Array
    high: Array

    def at(self, tops: Array) -> tuple[Array, Array]:
        """Return the sums [N, steps] for thresholds T [N], and the sums of weights."""
        rest = self.values - tops[:, np.newaxis, np.newaxis]
        weights = np.where(rest > 0, self.high, self.low)
        return (weights * rest).sum(-1), weights.sum(-1)

    def only(self, chosen: Allowed) -> "SpreadGains":
        """Return those of some vectors."""
        return SpreadGains(self.values[chosen], self.low, self.high)


@dataclass(frozen=True)
class HeadSums:
    """Weights and values of a head: least and greatest weight of each source, and the centre and radius of its value.

    Values are [directions, sources]; ``seen`` has the sources of each step, last state and of fixed places.
    """

    seen: VisibleSources
    low: Array
    high: Array
    centre: Array
    radius: Array
    ends: tuple[Array, Array]
    is_exact: bool

    @cached_property
    def columns(self) -> list[tuple[Array, Array]]:
        """About Σ w and Σ w·v of each step of each column."""
        return [self._sums(at) for at in self.seen.columns]

    @cached_property
    def total(self) -> np.float64:
        """About the greatest sum of weights."""
        fixed, _ = self._sums(self.seen.fixed)
        return np.float64(fixed + sum(one.max(initial=0) for one, _ in self.columns) + 10**-300)

    @property
    def width(self) -> int:
        """The numbers of a vector in the gains of a column."""
        return max((at.shape[0] if self.is_exact else at.size for at in self.seen.columns), default=1)

    def _sums(self, at: Indices) -> tuple[Array, Array]:
        weights = (self.low + self.high) / 2
        return weights[at].sum(-1), (weights * self.centre)[:, at].sum(-1)

    def gains(self, vectors: Array) -> list[Gains | SpreadGains]:
        """Return the gains along vectors [N, directions]: of each column, of last states and of fixed places."""
        places = [*self.seen.columns, self.seen.lasts, self.seen.fixed[np.newaxis]]
        if self.is_exact:
            sums = map(self._sums, places)
            return [Gains(vectors @ values, weights) for weights, values in sums]
        values = vectors @ self.centre + np.abs(vectors) @ self.radius
        return [SpreadGains(values[:, at], self.low[at], self.high[at]) for at in places]


@dataclass(frozen=True)
class Verdicts:
    """Whether boxes are right or wrong; of the others the token of the least row, and its slopes in the middle.

    Slopes are 0 where the second-order errors of the row's form are greater than its linear part. The averages are
    between ``low`` and ``high``.
    """

    is_right: Allowed
    is_wrong: Allowed
    tokens: Indices
    slopes: Array
    low: Array
    high: Array


class QueryVerdicts:
    """Verdicts on boxes of a query; the class of the query has the row ``own``."""

    def __init__(self, form: FormRanges, query: int, own: int, pairs: Pairs) -> None:
        self.form, self.own, self.pairs = form, own, pairs
        self.start, self.states = form.claim.machine.start, form.columns.states
        self.rows = np.concatenate(form.rows)
        self.among = np.array(form.claim.among)
        self.margin = np.float64(form.claim.margin)
        self.after = form.floats.steps[form.floats.last_attention + 1:]
        self.heads = [self._sums(query, head) for head in range(len(form.rows))]

    def _sums(self, query: int, head: int) -> HeadSums:
        step, rows = self.form.last, self.form.rows[head]
        asks = self.form.queries[query]
        seen, met = step.sources.visible(asks.place, self.own), step.sources.visible_rows(asks, self.own)
        scores = step.level.scores(head, self.own, met)
        low, high = (np.zeros(len(step.level.places)) for _ in scores)
        low[met], high[met] = (np.exp(one - scores[1].max()) for one in scores)
        written = step.level.heads[head].written
        centre = rows @ written.centre.T
        radius = np.abs(written.parts @ rows.T).sum(1).T + np.abs(rows) @ written.loose.T
        ends = (centre - radius)[:, met].min(1), (centre + radius)[:, met].max(1)
        return HeadSums(seen, low, high, centre, radius, ends, step.level.is_exact)

    def of(self, boxes: BoxArrays) -> Verdicts:
        """Return the verdicts on boxes."""
        low, high = self._hulls(boxes)
        boxes, stream = replace(boxes, low=low, high=high), self._stream(low, high)
        forms = self._row_forms(stream, boxes)
        is_right, is_wrong = self._above(boxes, forms, self.margin), np.zeros(len(low), np.bool_)
        tokens, slopes = np.full(len(low), -1), np.zeros_like(low)
        left = np.flatnonzero(~is_right)
        if len(left):
            open_ones = boxes.only(left)
            tokens[left], slopes[left] = self._slopes(open_ones, *(one[left] for one in forms[1:]))
            open_ones = replace(open_ones, answers=tokens[left])
            is_wrong[left] = self._above(open_ones, self._row_forms(stream.only(left), open_ones), np.float64(0))
        return Verdicts(is_right, is_wrong, tokens, slopes, low, high)

    def _above(self, boxes: BoxArrays, forms: RowForms, margin: np.float64) -> Allowed:
        """Return, for each box, whether all rows of these forms are above a margin."""
        slopes, rest, least = forms[0], forms[1], forms[2].copy()
        middle = (boxes.low + boxes.high) / 2
        left = np.flatnonzero((least.min(1) <= margin + ROOM) & (rest.min(1) > margin + ROOM))
        for _ in range(LINEAR):
            worst = least[left].argmin(1)
            along, value = slopes[left, :, worst], rest[left, worst] - (slopes[left, :, worst] * middle[left]).sum(1)
            for head, mine in self._of_heads():
                value = value - self.greatest(head, mine, boxes, left, -along[:, mine])
            least[left, worst] = np.maximum(least[left, worst], value)
            is_proved = value > margin + ROOM + FINENESS * (rest - forms[2])[left, worst]
            left = left[is_proved & (least[left].min(1) <= margin + ROOM)]
            if not len(left):
                break
        return np.asarray(least.min(1) > margin + ROOM)

    def _of_heads(self) -> list[tuple[int, slice]]:
        ends = np.cumsum([0, *map(len, self.form.rows)]).tolist()
        return [(head, slice(first, end)) for head, (first, end) in enumerate(pairwise(ends)) if end > first]

    def _row_forms(self, stream: Forms, boxes: BoxArrays) -> RowForms:
        """Return the forms of the rows of the answers of boxes, whose streams are given."""
        rows, centre = self._rows(stream, boxes.answers)
        directions, half = boxes.low.shape[1], (boxes.high - boxes.low) / 2
        parts = stream.parts @ rows
        linear = np.abs(parts[:, :directions]).sum(1)
        rest = centre - np.abs(parts[:, directions:]).sum(1) - (stream.loose[:, np.newaxis] @ np.abs(rows))[:, 0]
        own = boxes.answers[:, np.newaxis] == self.among
        return (parts[:, :directions] / np.maximum(half, LEAST_WIDTH)[:, :, np.newaxis], np.where(own, NEVER, rest),
                np.where(own, NEVER, rest - linear))

    def _stream(self, low: Array, high: Array) -> Forms:
        """Return the forms of the stream on boxes of averages."""
        streams = self.form.last.level.streams.only(np.full(len(low), self.own))
        return between(self.after, after_heads(streams, (low, high), self.rows))

    def _rows(self, stream: Forms, answers: Indices) -> tuple[Array, Array]:
        """Return the weights of rows, and the rows of the centres."""
        out = self.form.floats.unembedding
        rows = out.weight[:, answers].T[:, :, np.newaxis] - out.weight[np.newaxis][:, :, self.among]
        centre = (stream.centre[:, np.newaxis] @ rows)[:, 0]
        if out.bias is not None:
            centre = centre + out.bias[answers][:, np.newaxis] - out.bias[self.among]
        return rows, centre

    def _slopes(self, boxes: BoxArrays, rest: Array, least: Array) -> tuple[Indices, Array]:
        """Return the token of the least row near the middle of each box, and the slopes of this row there, or 0.

        The rest and the least value of the rows are those on the whole boxes.
        """
        middle, half = (boxes.low + boxes.high) / 2, NARROWER * (boxes.high - boxes.low) / 2
        stream, each = self._stream(middle - half, middle + half), np.arange(len(middle))
        rows, centre = self._rows(stream, boxes.answers)
        worst = np.where(boxes.answers[:, np.newaxis] == self.among, NEVER, centre).argmin(1)
        parts = (stream.parts[:, :half.shape[1]] @ rows[each, :, worst][:, :, np.newaxis])[:, :, 0]
        is_linear = centre[each, worst] - rest[each, worst] <= (rest - least)[each, worst]
        return self.among[worst], np.where(is_linear[:, np.newaxis], parts / np.maximum(half, LEAST_WIDTH), 0)

    @cached_property
    def ends(self) -> tuple[Array, Array]:
        """Bounds of the averages of all inputs."""
        least, most = (np.concatenate([np.zeros(0), *(self.heads[head].ends[k] for head, _ in self._of_heads())])
                       for k in range(2))
        room = PADDED * (1 + most - least)
        return least - room, most + room

    def _hulls(self, boxes: BoxArrays) -> tuple[Array, Array]:
        """Return the least and the greatest average of each box along each direction."""
        low, high, count = boxes.low.copy(), boxes.high.copy(), len(boxes.answers)
        for head, mine in self._of_heads():
            directions = mine.stop - mine.start
            vectors = np.tile(np.concatenate([np.eye(directions), -np.eye(directions)]), (count, 1))
            found = self.greatest(head, mine, boxes, np.repeat(np.arange(count), 2 * directions), vectors)
            room = PADDED * (1 + self.ends[1][mine] - self.ends[0][mine])
            found = found.reshape(count, 2, directions) + room
            high[:, mine] = np.minimum(high[:, mine], found[:, 0])
            low[:, mine] = np.maximum(low[:, mine], -found[:, 1])
        return low, high

    def greatest(self, head: int, mine: slice, boxes: BoxArrays, members: Indices, vectors: Array) -> Array:
        """Return the greatest vector · average of a head on some boxes: vectors [M, directions] on boxes [M].

        The head's directions are ``mine``.
        """
        size = max(1, AT_ONCE // max(1, self.heads[head].width))
        tops = np.maximum(vectors * boxes.low[members, mine], vectors * boxes.high[members, mine]).sum(1)
        parts = [slice(first, first + size) for first in range(0, len(members), size)]
        found = [self._greatest(self.heads[head], boxes, members[part], vectors[part], tops[part]) for part in parts]
        return np.concatenate(found) if found else np.zeros(0)

    def _greatest(self, sums: HeadSums, boxes: BoxArrays, members: Indices, vectors: Array, tops: Array) -> Array:
        """Use Newton's method on longest paths: each step takes the greatest of lines in the threshold.

        It begins at ``tops``, bounds that are known.
        """
        left = np.arange(len(members))
        gains, kept = sums.gains(vectors), [steps[members] for steps in boxes.steps]
        last_kept, each = boxes.lasts[members], np.arange(len(members))
        for _ in range(NEWTON):
            best, heavy = self._longest(gains, kept, last_kept, tops[left])
            at = best.argmax(1)
            found = tops[left] + best[each, at] / np.maximum(heavy[each, at], 10**-300)
            moved = np.isfinite(found) & (np.abs(found - tops[left]) > 10**-12 * (1 + np.abs(found)))
            tops[left[moved]] = found[moved]
            count = np.count_nonzero(moved)
            if not count:
                break
            if count < FEWER * len(left):  # copies take longer than a few that are not needed
                left, each, last_kept = left[moved], each[:count], last_kept[moved]
                gains, kept = [one.only(moved) for one in gains], [steps[moved] for steps in kept]
        return np.asarray(tops)

    def _longest(self, gains: Sequence[Gains | SpreadGains], kept: Sequence[Allowed], last_kept: Allowed, tops: Array
                 ) -> tuple[Array, Array]:
        """Return, for each last state, the greatest Σ w (v - T) of a path that ends there, and Σ w of it."""
        *columns, lasts, fixed = gains
        best = np.full((len(tops), self.states), -np.inf)
        heavy, each = np.ones_like(best), np.arange(len(tops))
        (first, weight), (last, last_weight) = fixed.at(tops), lasts.at(tops)
        best[:, self.start], heavy[:, self.start] = first[:, 0], weight[:, 0]
        for pairs, column, steps in zip(self.pairs, columns, kept, strict=True):
            sums, weights = column.at(tops)
            sums = np.where(steps, sums, -np.inf)
            new, new_heavy = np.full_like(best, -np.inf), np.ones_like(best)
            for source, target, those in pairs:
                mine = sums[:, those]
                at = mine.argmax(1)
                found = mine[each, at] + best[:, source]
                better = found > new[:, target]
                new_heavy[:, target] = np.where(better, weights[each, those[at]] + heavy[:, source],
                                                new_heavy[:, target])
                new[:, target] = np.where(better, found, new[:, target])
            best, heavy = new, new_heavy
        return np.where(last_kept, best + last, -np.inf), heavy + last_weight

    def moves(self, column: int, steps: Indices, slopes: Array, middle: Array) -> Array:
        """Return about what steps of a column add to a linear row with these slopes at these averages.

        If all slopes are 0: along the principal direction of what the steps add to the averages, if that is finite.
        """
        added = np.concatenate([(values[:, steps] - middle[mine, np.newaxis] * weights[steps]) / self.heads[head].total
                                for head, mine in self._of_heads()
                                for weights, values in (self.heads[head].columns[column],)])
        if not slopes.any() and np.isfinite(added).all():
            around = added - added.mean(1, keepdims=True)
            slopes = np.linalg.eigh(around @ around.T)[1][:, -1]
        return np.asarray(slopes @ added)
