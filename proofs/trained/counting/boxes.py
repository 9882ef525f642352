"""Boxes of inputs in tracks, classified by float executions as right, wrong or open, and split where that helps most.

A *box* is the set of inputs whose step of each column is in a given set, and whose last state is. The boxes of one
query are disjoint and cover all inputs (docs/background/counting.md, section 3). All numbers are evidence,
not proof.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from constructions.errors import Unsupported
from constructions.trained.tracks import TracksClaim
from proofs.trained.forward import FloatNetwork
from proofs.trained.tracks.levels import after_heads, between
from proofs.trained.tracks.queries import Restricted
from proofs.trained.tracks.ranges import FormRanges

Array = NDArray[np.float64]
Indices = NDArray[np.intp]
Allowed = NDArray[np.bool_]
ROOM = 2**-20  # a row this near the margin is open
NEVER = 10**30  # the row of the answer itself
NEWTON = 60  # steps
BATCH = 2048  # boxes at once
STALLED = 3  # rounds in which the weight of open boxes hardly falls
FALLING = 3 / 4


@dataclass
class InputBox:
    """Inputs by the steps of each column and the last states; at a ``query`` the answer is ``answer``.

    ``token`` is the greatest other logit in the middle of the box; ``weight`` is the number of inputs.
    """

    query: int
    answer: int
    steps: tuple[Allowed, ...]
    lasts: Allowed
    weight: np.float64 | int = 0
    token: int = -1
    slopes: Array | None = None
    middle: Array | None = None


@dataclass(frozen=True)
class FoundBoxes:
    """The boxes that are wrong in floats, and the open ones; all other inputs are right in floats."""

    wrong: list[InputBox]
    open: list[InputBox]
    total: np.float64

    @property
    def open_weight(self) -> int:
        """The greatest number of inputs that may be open."""
        return int(sum(box.weight for box in self.open))


class QuerySums:
    """Σ w·v and Σ w by step, for a query and each direction (docs/background/tracks_rules.md, 5)."""

    def __init__(self, form: FormRanges, query: int, own: int) -> None:
        asks, step = form.queries[query], form.last
        seen = step.sources.visible(asks.place, own)
        self.own = own
        self.values: list[tuple[list[Array], Array, np.float64]] = []
        self.weights: list[tuple[list[Array], Array, np.float64]] = []
        self.ends: list[tuple[np.float64, np.float64]] = []
        met = step.sources.visible_rows(asks, own)
        for head, rows in enumerate(form.rows):
            low, high = step.level.scores(head, own, met)
            scores = (low + high) / 2
            weights, is_met = np.zeros(len(step.level.places)), np.zeros(len(step.level.places), np.bool_)
            weights[met], is_met[met] = np.exp(scores - scores.max()), True
            for row in rows:
                values = step.level.heads[head].written.centre @ row
                sums = weights * values
                self.values.append(([sums[at].sum(-1) for at in seen.columns], sums[seen.lasts].sum(-1),
                                    sums[seen.fixed].sum()))
                self.weights.append(([weights[at].sum(-1) for at in seen.columns], weights[seen.lasts].sum(-1),
                                     weights[seen.fixed].sum()))
                self.ends.append((values[is_met].min(), values[is_met].max()))

    def total(self, direction: int) -> np.float64:
        """Return about the greatest sum of weights."""
        columns, _, fixed = self.weights[direction]
        return np.float64(fixed + sum(one.max(initial=0) for one in columns) + 10**-300)


class BoxSearch:
    """The search for boxes of one form, for a network with one attention step."""

    def __init__(self, floats: FloatNetwork, claim: TracksClaim, number: int) -> None:
        """Raise Unsupported unless the network has exactly one attention step."""
        self.floats, self.claim = floats, claim
        self.form = FormRanges(floats, claim, claim.forms[number])
        if self.form.before:
            raise Unsupported("the network has several attention steps")
        # directions of a certificate are orthonormal to 2^-30; here that error would exceed ROOM
        self.form.last.rows = [np.linalg.qr(rows.T)[0].T if len(rows) else rows for rows in self.form.last.rows]
        self.rows = np.concatenate(self.form.last.rows)
        self.columns = self.form.columns
        self.among = np.array(claim.among)
        self.margin = np.float64(claim.margin)
        self.after = floats.steps[floats.last_attention + 1:]
        self.sums: dict[int, QuerySums] = {}
        self.pairs = [self._pairs(column) for column in range(len(self.columns.source))]
        everything = [np.ones((1, len(source)), np.bool_) for source in self.columns.source]
        steps, lasts, weights = self.trimmed(everything, self.columns.may_end[np.newaxis])
        self.whole = InputBox(-1, -1, tuple(one[0] for one in steps), lasts[0], weights[0])

    def _pairs(self, column: int) -> list[tuple[int, int, Indices]]:
        keys = self.columns.source[column] * self.columns.states + self.columns.target[column]
        return [(int(key) // self.columns.states, int(key) % self.columns.states, np.flatnonzero(keys == key))
                for key in np.unique(keys)]

    def place(self, box: InputBox) -> int:
        """Return the place in the layout of the answer that a box is about."""
        return self.form.queries[box.query].place + 1

    def run(self, within: Fraction, seconds: int) -> FoundBoxes:
        """Split open boxes, heaviest first, until a share of at most ``within`` is open, time is up, or it stalls."""
        end, wrong, stuck = perf_counter() + seconds, list[InputBox](), list[InputBox]()
        left, stalled = self._tested(self._first(), wrong), 0
        target = np.float64(within) * self.whole.weight
        while left and stalled < STALLED and perf_counter() < end:
            open_weight = sum(box.weight for box in left)
            if open_weight + sum(box.weight for box in stuck) <= target:
                break
            left.sort(key=lambda box: -box.weight)
            chosen, left = left[:BATCH], left[BATCH:]
            made = [(box, self._split(box)) for box in chosen]
            stuck += [box for box, parts in made if not parts]
            left += self._tested([part for _, parts in made for part in parts], wrong)
            stalled = stalled + 1 if sum(box.weight for box in left) > FALLING * open_weight else 0
        return FoundBoxes(wrong, left + stuck, np.float64(self.whole.weight))

    def _first(self) -> list[InputBox]:
        """Return the classes of docs/reference/tracks.md, section 4; steps with the same effect are one class."""
        found = []
        for number, query in enumerate(self.form.queries):
            steps, lasts = tuple(query.steps(column) for column in range(len(self.columns.source))), query.lasts()
            answer = self.form.form.layout[query.place + 1]
            if query.by is None:
                tokens = self.columns.ends(answer)
                found += [InputBox(number, int(tokens[state]), steps, lasts & (np.arange(len(lasts)) == state))
                          for state in np.flatnonzero(lasts).tolist()]
                continue
            tokens, sums = self.columns.tokens(answer), self._sums(number)
            keys = np.stack([
                self.columns.source[query.by], self.columns.target[query.by], tokens,
                *(np.round(columns[query.by] * 2**40) for columns, _, _ in (*sums.values, *sums.weights))])
            _, groups = np.unique(keys, axis=1, return_inverse=True)
            for group in range(groups.max() + 1):
                chosen = (groups.ravel() == group) & steps[query.by]
                if chosen.any():
                    split = tuple(chosen if column == query.by else one for column, one in enumerate(steps))
                    found.append(InputBox(number, int(tokens[np.flatnonzero(chosen)[0]]), split, lasts))
        return found

    def _sums(self, query: int) -> QuerySums:
        if query not in self.sums:
            asks = self.form.queries[query]
            member = Restricted(asks).classes[0]
            self.sums[query] = QuerySums(self.form, query, self.form.last.sources.own(asks, int(member)))
        return self.sums[query]

    def trimmed(self, steps: Sequence[Allowed], lasts: Allowed) -> tuple[list[Allowed], Allowed, Array]:
        """Remove from boxes [N, steps] the steps on none of their paths; return also the number of inputs of each."""
        states = self.columns.states
        before = [np.zeros((len(lasts), states))]
        before[0][:, self.claim.machine.start] = 1
        after = [lasts.astype(np.float64)]
        matrices = []
        for column, kept in enumerate(steps):
            matrix = np.zeros((len(lasts), states, states))
            for source, target, those in self.pairs[column]:
                matrix[:, source, target] = kept[:, those].sum(1)
            matrices.append(matrix)
            before.append(np.einsum("ns,nst->nt", before[-1], matrix))
        for matrix in reversed(matrices):
            after.insert(0, np.einsum("nt,nst->ns", after[0], matrix))
        trimmed = [one & (before[column] > 0)[:, self.columns.source[column]]
                   & (after[column + 1] > 0)[:, self.columns.target[column]] for column, one in enumerate(steps)]
        return trimmed, lasts & (before[-1] > 0), np.asarray((before[-1] * lasts).sum(1))

    def _tested(self, boxes: Sequence[InputBox], wrong: list[InputBox]) -> list[InputBox]:
        """Return the open boxes; append the wrong ones to ``wrong``."""
        found: list[InputBox] = []
        for query in sorted({box.query for box in boxes}):
            those = [box for box in boxes if box.query == query]
            for first in range(0, len(those), BATCH):
                for box, verdict in self._verdicts(query, those[first:first + BATCH]):
                    (wrong if verdict else found).append(box)
        return found

    def _verdicts(self, query: int, boxes: list[InputBox]) -> Iterator[tuple[InputBox, bool]]:
        """Yield the boxes that are not right, and whether each is wrong."""
        stacked = [np.stack([box.steps[column] for box in boxes]) for column in range(len(self.columns.source))]
        steps, lasts, weights = self.trimmed(stacked, np.stack([box.lasts for box in boxes]))
        keep = np.flatnonzero(weights > 0)
        if not len(keep):
            return
        steps, lasts, weights = [one[keep] for one in steps], lasts[keep], weights[keep]
        answers = np.array([boxes[index].answer for index in keep])
        sums = self._sums(query)
        low, high = self._ranges(sums, steps, lasts)
        left = np.flatnonzero(self._least(sums.own, answers, low, high) <= self.margin + ROOM)
        low, high, answers = low[left], high[left], answers[left]
        others, slopes = self._slopes(sums.own, answers, low, high)
        tokens = self.among[others]
        is_wrong = self._least(sums.own, tokens, low, high) > ROOM
        for number, index in enumerate(left.tolist()):
            yield InputBox(query, int(answers[number]), tuple(one[index] for one in steps), lasts[index],
                           weights[index],
                      int(tokens[number]), slopes[number], (low[number] + high[number]) / 2), bool(is_wrong[number])

    def _ranges(self, sums: QuerySums, steps: list[Allowed], lasts: Allowed) -> tuple[Array, Array]:
        """Return the least and the greatest average of each box along each direction."""
        if not sums.ends:
            return np.zeros((len(lasts), 0)), np.zeros((len(lasts), 0))
        ends = [[self._greatest(sums, steps, lasts, direction, sign) for direction in range(len(sums.ends))]
                for sign in (-1, 1)]
        return np.stack(ends[0], 1), np.stack(ends[1], 1)

    def _greatest(self, sums: QuerySums, steps: list[Allowed], lasts: Allowed, direction: int, sign: int) -> Array:
        """Return the greatest ratio of a direction, times ``sign``, for each box: Newton's method on longest paths."""
        columns, of_last, fixed = sums.values[direction]
        weights, last_weights, weight = sums.weights[direction]
        low, high = sums.ends[direction] if sign > 0 else (-sums.ends[direction][1], -sums.ends[direction][0])
        tops, left = np.full(len(lasts), low), np.arange(len(lasts))
        for _ in range(NEWTON):
            top, each = tops[left], np.arange(len(left))
            best = np.full((len(left), self.columns.states), -np.inf)
            heavy = np.ones_like(best)
            best[:, self.claim.machine.start], heavy[:, self.claim.machine.start] = sign * fixed - weight * top, weight
            for column, kept in enumerate(steps):
                gains = np.where(kept[left], sign * columns[column] - top[:, np.newaxis] * weights[column], -np.inf)
                new, new_heavy = np.full_like(best, -np.inf), np.ones_like(best)
                for source, target, those in self.pairs[column]:
                    at = gains[:, those].argmax(1)
                    found = gains[each, those[at]] + best[:, source]
                    better = found > new[:, target]
                    new_heavy[:, target] = np.where(better, weights[column][those[at]] + heavy[:, source],
                                                    new_heavy[:, target])
                    new[:, target] = np.where(better, found, new[:, target])
                best, heavy = new, new_heavy
            best = np.where(lasts[left], best + sign * of_last - top[:, np.newaxis] * last_weights, -np.inf)
            at = best.argmax(1)
            step = best[each, at] / np.maximum(heavy[each, at] + last_weights[at], 10**-300)
            found = np.where(np.isfinite(step), top + step, top)
            tops[left] = np.maximum(top, found)
            left = left[found > top + 10**-12 * (1 + np.abs(found))]
            if not len(left):
                break
        return np.asarray(sign * (np.minimum(tops, high) + 10**-10))

    def _least(self, own: int, answers: Indices, low: Array, high: Array) -> Array:
        """Return the least of logit(answer) - logit(other) on each box, over all others that are compared."""
        streams = self.form.last.level.streams.only(np.full(len(answers), own))
        stream, out = between(self.after, after_heads(streams, (low, high), self.rows)), self.floats.unembedding
        rows = out.weight[:, answers].T[:, :, np.newaxis] - out.weight[np.newaxis][:, :, self.among]
        centre = (stream.centre[:, np.newaxis] @ rows)[:, 0]
        if out.bias is not None:
            centre = centre + out.bias[answers][:, np.newaxis] - out.bias[self.among]
        radius = np.abs(stream.parts @ rows).sum(1) + (stream.loose[:, np.newaxis] @ np.abs(rows))[:, 0]
        return np.asarray(np.where(answers[:, np.newaxis] == self.among, NEVER, centre - radius).min(1))

    def _logits(self, own: int, averages: Array, answers: Indices) -> Array:
        """Return logit(answer) - logit(other) at averages [N, directions]."""
        streams = self.form.last.level.streams.only(np.full(len(averages), own))
        stream = between(self.after, after_heads(streams, (averages, averages), self.rows)).centre
        logits = stream @ self.floats.unembedding.weight
        if self.floats.unembedding.bias is not None:
            logits = logits + self.floats.unembedding.bias
        rows = logits[np.arange(len(answers)), answers][:, np.newaxis] - logits[:, self.among]
        return np.where(answers[:, np.newaxis] == self.among, NEVER, rows)

    def _slopes(self, own: int, answers: Indices, low: Array, high: Array) -> tuple[Indices, Array]:
        """Return the least row in the middle of each box, and its slope along each direction."""
        middle, each = (low + high) / 2, np.arange(len(low))
        row = self._logits(own, middle, answers).argmin(1)
        slopes = np.zeros_like(middle)
        for direction in range(middle.shape[1]):
            step = np.zeros_like(middle)
            step[:, direction] = np.maximum((high[:, direction] - low[:, direction]) / 4, 10**-7)
            above, below = (self._logits(own, middle + sign * step, answers)[each, row] for sign in (1, -1))
            slopes[:, direction] = (above - below) / (2 * step[:, direction])
        return row, slopes

    def _split(self, box: InputBox) -> list[InputBox]:
        """Split a box in two: by the column whose steps move the row most, at the middle of their terms in it."""
        sums, best = self._sums(box.query), (np.float64(-1), 0, np.zeros(0, np.intp), np.zeros(0))
        assert box.slopes is not None and box.middle is not None
        for column, kept in enumerate(box.steps):
            those = np.flatnonzero(kept)
            if len(those) < 2:
                continue
            adds = np.zeros(len(those))
            for direction, slope in enumerate(box.slopes):
                values, weights = sums.values[direction][0][column], sums.weights[direction][0][column]
                adds += slope * (values[those] - box.middle[direction] * weights[those]) / sums.total(direction)
            if adds.max() - adds.min() > best[0]:
                best = adds.max() - adds.min(), column, those, adds
        spread, column, those, adds = best
        if not len(those):
            return []
        half = adds <= (adds.max() + adds.min()) / 2 if spread > 0 else np.arange(len(those)) < len(those) // 2
        parts = []
        for chosen in (half, ~half):
            kept = np.zeros_like(box.steps[column])
            kept[those[chosen]] = True
            steps = tuple(kept if at == column else one for at, one in enumerate(box.steps))
            parts.append(InputBox(box.query, box.answer, steps, box.lasts))
        return parts
