"""Search for cells: cuts of the box of an asked node until all rows are proved (docs/background/trained_rules.md, 5).

All open cells of a node are cut and bounded together. A cell is cut where that shrinks the radii of its worst row most.
The tree is evidence; the checker proves it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from constructions.trained.claim import WordsClaim
from proofs.trained.classes.cover_unit import Evaluated
from proofs.trained.classes.directions import path_letters
from proofs.trained.classes.forms import Forms, least_of
from proofs.trained.classes.multipliers import CellRows, ClassOfNode, best_shares
from proofs.trained.classes.rows import ROOM, linear_parts, row_forms, rows_of, worst_rows
from proofs.trained.classes.trees import SHARE_BITS, Cut, Leaf, Tree, Whole
from proofs.trained.forward import FloatNetwork

Array = NDArray[np.float64]
Indices = NDArray[np.intp]
Word = tuple[int, ...]

BLOCK = 64      # cells whose forms are computed at once
MAX_DEPTH = 40  # cuts on the way to a leaf
NOTHING = np.float64(-np.inf)
OFTEN = 3       # cuts for each estimate of the worth of cuts
TOO_NARROW = 4  # no estimate for ranges that move the streams this many times less than the widest one

NARROWER = np.array([[3, 1], [1, 3]]) / 4
"""The matrix that halves a range around its middle."""


@dataclass(eq=False)
class Box:
    """A box of integers [y, 2]; ``shares`` [rows, y] are the best found.

    ``worth`` [y]: the decrease of the radius of the worst row when a range is halved.
    """

    box: Whole
    shares: Array
    worth: Array
    depth: int = 0
    low: np.float64 = NOTHING
    needs_shares: list[bool] = field(default_factory=list)
    halves: tuple[Box, Box] | None = None

    @property
    def direction(self) -> int:
        """The range to cut."""
        return int(self.worth.argmax())

    @property
    def at(self) -> int:
        """The middle of the range that is cut."""
        low, high = self.box[self.direction].tolist()
        return int(low + high) // 2

    def cut(self) -> tuple[Box, Box]:
        """Halve the box. Radii are mostly of second order: the next cut of the same range is worth a quarter."""
        self.halves = self._half(1), self._half(0)
        return self.halves

    def _half(self, end: int) -> Box:
        box, worth = self.box.copy(), self.worth.copy()
        box[self.direction, end] = self.at
        worth[self.direction] /= 4
        worth[box[:, 1] - box[:, 0] < 2] = -np.inf
        return Box(box, self.shares.copy(), worth, self.depth + 1)


class CellSearch:
    """Search for the cells of one asked node; after ``run``, ``low`` bounds all rows in the proved cells.

    ``worst`` is the least row minus the margin, and its word, among all evaluated words; ``looked_at`` counts
    cells.
    """

    def __init__(self, floats: FloatNetwork, claim: WordsClaim, offset: int, unit: Evaluated, query: int,
                 limit: int) -> None:  # fmt: skip
        """Prepare a search for at most ``limit`` leaves."""
        self.floats, self.claim, self.offset, self.unit, self.query = floats, claim, offset, unit, query
        self.level, node = unit.nodes[query]
        self.cases = unit.skeleton.graph.levels[self.level].cases[node]
        self.rows = tuple(dict.fromkeys(rows_of(claim, self.cases)))
        self.enough = np.float64(claim.margin) + ROOM
        self.members = ClassOfNode(unit, query)
        self.box = whole_box(unit, query)
        self.limit, self.looked_at = limit, 0
        self.low = np.float64(np.inf)
        self.worst: tuple[np.float64, Word] = (np.float64(np.inf), ())
        self._evaluated: set[Word] = set()
        written = np.concatenate([head.directions @ head.out for head in unit.heads])
        self._moves = np.sqrt((written * written).sum(axis=1))

    def run(self) -> Tree | None:
        """Return the tree, if there is one within the limits; None as soon as a wrong word is found."""
        root = Box(self.box, np.zeros((len(self.rows), len(self.box))), np.zeros(len(self.box)))
        waiting, proved = [root], 0
        while waiting:
            for first in range(0, len(waiting), BLOCK):
                self._bound_cells(waiting[first : first + BLOCK])
            still = [cell for cell in waiting if cell.low <= self.enough]
            self.low = min([self.low, *(cell.low for cell in waiting if cell.low > self.enough)])
            proved += len(waiting) - len(still)
            too_deep = MAX_DEPTH in (cell.depth for cell in still)
            if too_deep or proved + self._expected(len(still), len(waiting)) > self.limit or self.worst[0] <= 0:
                return None
            waiting = [half for cell in still for half in cell.cut()]
        return self._tree(root)

    @staticmethod
    def _expected(still: int, waiting: int) -> int:
        """Estimate the leaves below the open cells, if at the next cuts no smaller part stays open than now.

        At least their halves are counted: a hopeless search would run for longer than it is worth.
        """
        return 2 * still + 2 * still * still // waiting

    def _bound_cells(self, cells: Sequence[Box]) -> None:
        """Bound the rows of cells, find shares, and estimate the worth of cuts of cells that are not proved."""
        self.looked_at += len(cells)
        boxes = np.ldexp(np.array([cell.box for cell in cells], np.float64), -self.unit.bits)
        forms = self._rows_within(boxes)
        alpha, rest = linear_parts(forms, self._symbol, *_centre_and_half(boxes))
        least = least_of(forms)
        pairs = np.nonzero(least <= self.enough)
        for place, cell in enumerate(cells):
            cell.needs_shares = (least[place] <= self.enough).tolist()
        if len(pairs[0]):
            found = self._tightened(cells, boxes, alpha[pairs], rest[pairs], pairs)
            least[pairs] = np.maximum(least[pairs], found)
        for place, cell in enumerate(cells):
            cell.low = least[place].min()
            if cell.low <= self.enough and cell.depth % OFTEN == 0:
                cell.worth = self._worth(boxes[place], int(least[place].argmin()))

    def _tightened(self, cells: Sequence[Box], boxes: Array, alpha: Array, rest: Array,
                   pairs: tuple[Indices, ...]) -> Array:  # fmt: skip
        """Return the bounds of pairs of a cell and a row with the best shares; evaluate the minimising words."""
        cut = np.array([cell.box != self.box for cell in cells])[pairs[0]]
        rows = CellRows(alpha, rest, boxes[pairs[0]], cut, self.enough)
        start = np.array([cells[cell].shares[row] for cell, row in zip(*pairs, strict=True)])
        shares, bounds, paths = best_shares(rows, self.members, start)
        for cell, row, share in zip(*pairs, shares, strict=True):
            cells[cell].shares[row] = share
        self._evaluate({path_letters(self.unit.skeleton, path) for path in paths} - self._evaluated)
        return bounds

    def _evaluate(self, words: set[Word]) -> None:
        """Evaluate words of the class at which linear parts are least."""
        if words:
            ordered = sorted(words)
            values = worst_rows(self.floats, self.claim, self.offset, ordered, self.cases, self.level)
            self.worst = min([self.worst, *((value[0], word) for value, word in zip(values, ordered, strict=True))])
            self._evaluated |= words

    def _worth(self, box: Array, row: int) -> Array:
        """Return, for each range, the decrease of the row's radius, without the linear part, when it is halved."""
        moves = (box[:, 1] - box[:, 0]) * self._moves
        places = np.nonzero(moves * TOO_NARROW >= moves.max())[0]
        variants = np.tile(box, (len(places) + 1, 1, 1))
        variants[np.arange(len(places)), places] = box[places] @ NARROWER
        forms = self._rows_within(variants)
        own = slice(self._symbol, self._symbol + len(box))
        radii = (forms.radius - np.abs(forms.parts[:, own]).sum(axis=1))[:, row]
        worth = np.zeros(len(box))
        worth[places] = radii[-1] - radii[:-1]
        return worth

    @property
    def _symbol(self) -> int:
        return self.unit.heads[0].symbol

    def _rows_within(self, boxes: Array) -> Forms:
        streams = self.unit.streams_within(np.full(len(boxes), self.query), boxes)
        return row_forms(self.floats, streams, self.rows)

    def _tree(self, cell: Box) -> Tree:
        if cell.halves is None:
            whole = np.rint(np.ldexp(cell.shares, SHARE_BITS)).astype(np.int32)
            return Leaf(tuple(share if needed else None
                              for share, needed in zip(whole, cell.needs_shares, strict=True)))
        head = next(k for k, own in enumerate(self.members.heads) if cell.direction < own.stop)
        direction = cell.direction - self.members.heads[head].start
        return Cut(head, direction, cell.at, *map(self._tree, cell.halves))


def whole_box(unit: Evaluated, query: int) -> Whole:
    """Return the ranges of a query of the last attention step over 2^bits, [directions of all heads, 2]."""
    ends = [np.stack([head.centre[query] - head.half[query], head.centre[query] + head.half[query]], axis=1)
            for head in unit.heads]  # fmt: skip
    return np.asarray(np.rint(np.ldexp(np.concatenate(ends), unit.bits)), np.int32)


def _centre_and_half(boxes: Array) -> tuple[Array, Array]:
    return boxes.mean(axis=2), (boxes[..., 1] - boxes[..., 0]) / 2
