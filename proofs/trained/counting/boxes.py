"""Boxes of inputs in tracks, classified by float executions as right, wrong or open, and split where that helps most.

A *box* is the set of inputs whose step of each column is in a given set, and whose last state is. The boxes of one
query are disjoint and cover all inputs (docs/background/counting.md, section 3). All numbers are evidence,
not proof.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from time import process_time

import numpy as np
from numpy.typing import NDArray

from constructions.errors import Unsupported
from constructions.trained.tracks import TracksClaim
from proofs.trained.counting.box_verdicts import BoxArrays, QueryVerdicts
from proofs.trained.forward import FloatNetwork
from proofs.trained.tracks.queries import Restricted, TokenQuery
from proofs.trained.tracks.ranges import FormRanges
from proofs.trained.tracks.windows import windowed

Array = NDArray[np.float64]
Indices = NDArray[np.intp]
Allowed = NDArray[np.bool_]
BATCH = 2048  # boxes at once
STALLED = 4  # generations in which the weight of open boxes hardly falls
FALLING = 3 / 4
MOST_OPEN = 1 << 16


@dataclass(eq=False)
class BoxNode:
    """A box in the tree of splits: its two parts, the first with the steps ``chosen`` of a column; or a verdict.

    ``token`` is the greatest logit of all its inputs, whose averages are between ``hull``; -1 where it is open.
    """

    token: int = -1
    hull: tuple[Array, Array] | None = None
    column: int = -1
    chosen: Indices | None = None
    parts: "tuple[BoxNode, ...]" = ()
    box: "InputBox | None" = None


@dataclass
class InputBox:
    """Inputs by the steps of each column and the last states; at a ``query`` the answer is ``answer``.

    The row ``own`` of the last attention step asks. ``token`` is the greatest other logit in the middle of the box;
    ``weight`` is the number of inputs; the averages are between ``hull``.
    """

    query: int
    own: int
    answer: int
    steps: tuple[Allowed, ...]
    lasts: Allowed
    weight: np.float64 | int = 0
    token: int = -1
    slopes: Array | None = None
    hull: tuple[Array, Array] | None = None
    node: BoxNode = field(default_factory=BoxNode)


@dataclass(frozen=True)
class FoundBoxes:
    """The boxes that are wrong in floats, and the open ones; all other inputs are right in floats."""

    wrong: list[InputBox]
    open: list[InputBox]
    total: np.float64

    def reopen(self, nodes: "Sequence[BoxNode]") -> None:
        """Take back the verdicts on boxes."""
        found = {id(node): node for node in nodes}
        for node in found.values():
            assert node.box is not None, "it has a verdict"
            node.token = -1
            self.open.append(node.box)
        self.wrong[:] = [box for box in self.wrong if id(box.node) not in found]

    @property
    def open_weight(self) -> int:
        """The greatest number of inputs that may be open."""
        return int(sum(box.weight for box in self.open))


class BoxSearch:
    """The search for boxes of one form; states have the last ``window`` - 1 columns."""

    def __init__(self, floats: FloatNetwork, claim: TracksClaim, number: int, window: int = 1) -> None:
        """Raise Unsupported if the network has no abstract words, or these are too many."""
        widened = windowed(claim, number, window)
        if widened is None:
            raise Unsupported(f"windows of {window} columns: too many classes")
        self.floats, self.claim = floats, widened
        self.form = FormRanges(floats, widened, widened.forms[0])
        # directions of a certificate are orthonormal to 2^-30; here that error would exceed box_verdicts.ROOM
        self.form.last.rows = [orthonormal(rows) if len(rows) else rows for rows in self.form.last.rows]
        self.columns = self.form.columns
        self.verdicts: dict[tuple[int, int], QueryVerdicts] = {}
        self.first: list[InputBox] = []
        self.end = np.inf
        self.pairs = [self._pairs(column) for column in range(len(self.columns.source))]
        everything = [np.ones((1, len(source)), np.bool_) for source in self.columns.source]
        steps, lasts, weights = self.trimmed(everything, self.columns.may_end[np.newaxis])
        self.whole = InputBox(-1, -1, -1, tuple(one[0] for one in steps), lasts[0], weights[0])

    def _pairs(self, column: int) -> list[tuple[int, int, Indices]]:
        keys = self.columns.source[column] * self.columns.states + self.columns.target[column]
        return [(int(key) // self.columns.states, int(key) % self.columns.states, np.flatnonzero(keys == key))
                for key in np.unique(keys)]

    def place(self, box: InputBox) -> int:
        """Return the place in the layout of the answer that a box is about."""
        return self.form.queries[box.query].place + 1

    def run(self, within: Fraction, seconds: int) -> FoundBoxes:
        """Split open boxes, heaviest first, until a share of at most ``within`` is open, or it stalls.

        Or until ``seconds`` of processor time are spent, which do not depend on other processes.
        """
        self.end, wrong, stuck = process_time() + seconds, list[InputBox](), list[InputBox]()
        self.first = self._first()
        left, target = self._tested(self.first, wrong), np.float64(within) * self.whole.weight
        before, due, stalled = _weight(left), len(left), 0
        while left and stalled < STALLED and len(left) < MOST_OPEN and process_time() < self.end:
            if _weight(left) + _weight(stuck) <= target:
                break
            left.sort(key=lambda box: -box.weight)
            chosen, left = left[:BATCH], left[BATCH:]
            made = [(box, self._split(box)) for box in chosen]
            stuck += [box for box, parts in made if not parts]
            left += self._tested([part for _, parts in made for part in parts], wrong)
            due -= len(chosen)
            if due <= 0:  # about as many boxes were split as were open
                stalled = stalled + 1 if _weight(left) > FALLING * before else 0
                before, due = _weight(left), len(left)
        return FoundBoxes(wrong, left + stuck, np.float64(self.whole.weight))

    def _first(self) -> list[InputBox]:
        """Return the classes of docs/reference/tracks.md, section 4; steps with the same effect are one class."""
        found = []
        for number, query in enumerate(self.form.queries):
            steps, lasts = tuple(query.steps(column) for column in range(len(self.columns.source))), query.lasts()
            answer, rows = self.form.form.layout[query.place + 1], self._rows(query)
            if query.by is None:
                tokens = self.columns.ends(answer)
                found += [InputBox(number, int(rows[state]), int(tokens[state]), steps,
                                   lasts & (np.arange(len(lasts)) == state))
                          for state in np.flatnonzero(lasts & (rows >= 0)).tolist()]
                continue
            tokens = self.columns.tokens(answer)
            for chosen in self._alike(number, query.by, rows, steps[query.by] & (rows >= 0), tokens):
                split = tuple(chosen if column == query.by else one for column, one in enumerate(steps))
                at = np.flatnonzero(chosen)[0]
                found.append(InputBox(number, int(rows[at]), int(tokens[at]), split, lasts))
        return found

    def _rows(self, query: TokenQuery) -> Indices:
        """Return the row of the last attention step that asks, for each class of a query; -1 where there is none."""
        found = np.full(self.columns.states if query.by is None else len(self.columns.source[query.by]), -1)
        for member in Restricted(query).classes.tolist():
            found[member] = self.form.last.sources.own(query, member)
        return found

    def _alike(self, query: int, column: int, rows: Indices, kept: Allowed, tokens: Indices) -> Iterator[Allowed]:
        """Yield the steps of a column with the same effect."""
        for own in np.unique(rows[kept]).tolist():
            heads = self._verdicts_of(query, own).heads
            keys = np.vstack([
                self.columns.source[column], self.columns.target[column], tokens,
                *(np.round(np.vstack(head.columns[column]) * 2**40) for head in heads)])
            mine = kept & (rows == own)
            _, groups = np.unique(keys, axis=1, return_inverse=True)
            for group in np.unique(groups.ravel()[mine]).tolist():
                yield mine & (groups.ravel() == group)

    def _verdicts_of(self, query: int, own: int) -> QueryVerdicts:
        if (query, own) not in self.verdicts:
            self.verdicts[query, own] = QueryVerdicts(self.form, query, own, self.pairs)
        return self.verdicts[query, own]

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
        groups: dict[tuple[int, int], list[InputBox]] = {}
        for box in boxes:
            groups.setdefault((box.query, box.own), []).append(box)
        for _, those in sorted(groups.items()):
            for first in range(0, len(those), BATCH):
                for box, verdict in self._verdicts(those[first:first + BATCH]):
                    (wrong if verdict else found).append(box)
        return found

    def _verdicts(self, boxes: list[InputBox]) -> Iterator[tuple[InputBox, bool]]:
        """Yield the boxes of one query and row that are not right, and whether each is wrong."""
        stacked = [np.stack([box.steps[column] for box in boxes]) for column in range(len(self.columns.source))]
        steps, lasts, weights = self.trimmed(stacked, np.stack([box.lasts for box in boxes]))
        keep = np.flatnonzero(weights > 0)
        if not len(keep):
            return
        steps, lasts, weights = [one[keep] for one in steps], lasts[keep], weights[keep]
        trimmed = [replace(boxes[index], steps=tuple(one[place].copy() for one in steps), lasts=lasts[place].copy(),
                           weight=weights[place]) for place, index in enumerate(keep.tolist())]
        if process_time() > self.end:
            yield from ((box, False) for box in trimmed)
            return
        answers = np.array([box.answer for box in trimmed])
        verdicts = self._verdicts_of(boxes[0].query, boxes[0].own)
        low, high = (np.stack(ends) for ends in zip(*(box.hull or verdicts.ends for box in trimmed), strict=True))
        found = verdicts.of(BoxArrays(steps, lasts, answers, low, high))
        for index, box in enumerate(trimmed):
            box.node.hull, box.node.box = (found.low[index], found.high[index]), box
            if found.is_right[index]:
                box.node.token = box.answer
                continue
            box.token, is_wrong = int(found.tokens[index]), bool(found.is_wrong[index])
            box.node.token = box.token if is_wrong else -1
            yield replace(box, slopes=found.slopes[index], hull=box.node.hull), is_wrong

    def _split(self, box: InputBox) -> list[InputBox]:
        """Split a box in two: by the column whose steps move the row most, at the middle of their terms in it."""
        verdicts, best = self._verdicts_of(box.query, box.own), (np.float64(-1), 0, np.zeros(0, np.intp), np.zeros(0))
        assert box.slopes is not None and box.hull is not None
        for column, kept in enumerate(box.steps):
            those = np.flatnonzero(kept)
            if len(those) < 2:
                continue
            moves = verdicts.moves(column, those, box.slopes, (box.hull[0] + box.hull[1]) / 2)
            if moves.max() - moves.min() > best[0]:
                best = moves.max() - moves.min(), column, those, moves
        spread, column, those, moves = best
        if not len(those):
            return []
        half = moves <= (moves.max() + moves.min()) / 2 if spread > 0 else np.arange(len(those)) < len(those) // 2
        parts = []
        for chosen in (half, ~half):
            kept = np.zeros_like(box.steps[column])
            kept[those[chosen]] = True
            steps = tuple(kept if at == column else one for at, one in enumerate(box.steps))
            parts.append(InputBox(box.query, box.own, box.answer, steps, box.lasts, hull=box.hull))
        box.node.column, box.node.chosen, box.node.parts = column, those[half], tuple(part.node for part in parts)
        return parts


def orthonormal(rows: Array) -> Array:
    """Return the orthonormal rows next to these, which are nearly so."""
    q, r = np.linalg.qr(rows.T)
    return np.asarray((q * np.sign(r.diagonal())).T)


def _weight(boxes: Sequence[InputBox]) -> np.float64:
    return np.float64(sum(box.weight for box in boxes))
