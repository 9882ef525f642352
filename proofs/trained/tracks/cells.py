"""Cells that cover the boxes of a group of classes, in each of which every row is proved; vectorised, in float64.

A cell is the hull of the remaining boxes between the cuts (docs/background/tracks_rules.md, section 5). Where a cell
contains few classes, a row's linear part is bounded on each class instead. The checker proves what is found here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from proofs.trained.classes.forms import Forms, least_of
from proofs.trained.classes.rows import linear_parts
from proofs.trained.tracks.levels import after_heads, between
from proofs.trained.tracks.queries import Restricted
from proofs.trained.tracks.ranges import FormRanges, Ranged

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
ROOM = 2**-20  # for the checker's roundings
SPARSE = 3  # a cell of at most this many classes is bounded class by class
MOST_CUTS = 48
FOR_EACH = 8  # cells for each class, in a group of many
LIST = 512  # cells at once
FAR = np.float64(10) ** 30
LESS = 10**-3  # weight of the width of a box, beside the sensitivity of its row


@dataclass
class ClassBoxes:
    """Classes of a group, with the remaining parts of their boxes: integers [classes, directions]."""

    group: int
    members: NDArray[np.intp]
    least: Whole
    greatest: Whole
    cuts: int = 0
    cut: tuple[int, int] | None = None
    below: ClassBoxes | None = None
    above: ClassBoxes | None = None

    @property
    def box(self) -> tuple[Whole, Whole]:
        """The hull."""
        return self.least.min(axis=0), self.greatest.max(axis=0)


@dataclass
class ClassGroup:
    """Classes with the same steps after the last heads; ``key`` ends with the right answer."""

    key: tuple[int, ...]
    ranged: list[Ranged]
    root: ClassBoxes | None = None
    cells: int = 0
    open: set[int] = field(default_factory=set)
    least: np.float64 = field(default_factory=lambda: np.float64(np.inf))
    lower_bound: np.float64 = field(default_factory=lambda: np.float64(np.inf))


class BoxCover:
    """Search for cells that cover the boxes of groups."""

    def __init__(self, form: FormRanges, margin: np.float64, most_cells: int) -> None:
        self.form, self.margin, self.most_cells = form, margin, most_cells
        claim, floats = form.claim, form.floats
        self.among = np.array(claim.among, np.intp)
        self.rows = np.concatenate(form.rows)
        self.scale = np.float64(2) ** form.bits
        self.steps = floats.steps[floats.last_attention + 1:]
        self.exact_tests = 0

    def cover(self, groups: Sequence[ClassGroup]) -> None:
        """Compute the cells of each group; its ``open`` classes are not proved."""
        waiting = []
        for number, group in enumerate(groups):
            group.root = ClassBoxes(number, np.arange(len(group.ranged)), np.stack([one.least for one in group.ranged]),
                                    np.stack([one.greatest for one in group.ranged]))
            group.cells, group.open = 1, set()
            group.least = group.lower_bound = np.float64(np.inf)
            waiting.append(group.root)
        while waiting:
            new: list[ClassBoxes] = []
            for first in range(0, len(waiting), LIST):
                new += self._pass(groups, waiting[first:first + LIST])
            waiting = new

    def _pass(self, groups: Sequence[ClassGroup], cells: list[ClassBoxes]) -> list[ClassBoxes]:
        """Return the halves of the cells that are not proved."""
        forms = self.row_forms(groups, cells)
        lows = least_of(forms)
        new: list[ClassBoxes] = []
        for place in range(len(cells)):
            cell, group = cells[place], groups[cells[place].group]
            low = lows[place].min()
            if low > self.margin + ROOM:
                group.least = min(group.least, low)
                continue
            if len(cell.members) <= SPARSE and self._by_classes(group, cell, forms.only(slice(place, place + 1))):
                continue
            is_last = cell.cuts >= MOST_CUTS or group.cells >= self._most(group)
            made = None if is_last else self._cut(cell, forms.parts[place][:, lows[place].argmin()])
            if made is None:
                group.open |= set(cell.members.tolist())
                group.lower_bound = min(group.lower_bound, low)
            else:
                group.cells += 2
                new += made
        return new

    def _most(self, group: ClassGroup) -> int:
        """Return the greatest number of cells of a group."""
        return max(self.most_cells, FOR_EACH * len(group.ranged))

    def row_forms(self, groups: Sequence[ClassGroup], cells: Sequence[ClassBoxes]) -> Forms:
        """Return all rows (the right answer's logit minus each other one) of cells."""
        boxes = [cell.box for cell in cells]
        least, greatest = np.stack([box[0] for box in boxes]), np.stack([box[1] for box in boxes])
        box = least / self.scale, greatest / self.scale
        own = [self.form.own(groups[cell.group].ranged[0].one) for cell in cells]
        stream = between(self.steps, after_heads(self.form.last.level.streams.only(np.array(own)), box, self.rows))
        answers = np.array([groups[cell.group].key[-1] for cell in cells])
        return self._differences(stream, answers)

    def _differences(self, stream: Forms, answers: NDArray[np.intp]) -> Forms:
        """Return the logit of each cell's answer minus every other one; its own column is `FAR`."""
        unembedding = self.form.floats.unembedding
        weight = unembedding.weight[:, answers].T[:, :, np.newaxis] - unembedding.weight[np.newaxis][:, :, self.among]
        centre = (stream.centre[:, np.newaxis] @ weight)[:, 0]
        if unembedding.bias is not None:
            centre = centre + unembedding.bias[answers][:, np.newaxis] - unembedding.bias[self.among]
        own = answers[:, np.newaxis] == self.among
        return Forms(np.where(own, FAR, centre), stream.parts @ weight,
                     (stream.loose[:, np.newaxis] @ np.abs(weight))[:, 0])

    def _by_classes(self, group: ClassGroup, cell: ClassBoxes, forms: Forms) -> bool:
        """Return whether rows that the box does not prove follow from the minimum of linear parts on each class."""
        least, greatest = cell.box
        centre, half = (least + greatest) / 2 / self.scale, (greatest - least) / 2 / self.scale
        alpha, rest = linear_parts(forms, 0, centre[np.newaxis], half[np.newaxis])
        low = least_of(forms)[0]
        nearest = forms.centre[0] - forms.loose[0] - np.abs(forms.parts[0, len(half):]).sum(axis=0)
        if (nearest <= self.margin + ROOM).any():
            return False  # not even the middle of the box is proved
        for row in np.flatnonzero(low <= self.margin + ROOM):
            for member in cell.members:
                self.exact_tests += 1
                value = rest[0, row] + self._least_along(group.ranged[member], alpha[0, row], cell.box)
                if value <= self.margin + ROOM:
                    return False
                group.least = min(group.least, value)
        return True

    def _least_along(self, ranged: Ranged, alpha: Array, box: tuple[Whole, Whole]) -> np.float64:
        """Return the least of alpha · averages on a class; with several heads the sum of their least ones."""
        one, first, total = ranged.one, 0, np.float64(0)
        restricted = Restricted(self.form.queries[one.query], one.split)
        for head, rows in enumerate(self.form.rows):
            mine = slice(first, first + len(rows))
            first += len(rows)
            if not np.any(alpha[mine]):
                continue
            ends = np.minimum(alpha[mine] * box[0][mine], alpha[mine] * box[1][mine]).sum() / self.scale
            exact = -self.form.last.greatest(restricted, self.form.own(one), head, -alpha[mine] @ rows,
                                             np.array([one.member]))[0]
            total += exact if head == len(self.form.rows) - 1 else max(exact, ends)  # as the checker does
        return total

    def _cut(self, cell: ClassBoxes, parts: Array) -> tuple[ClassBoxes, ...] | None:
        """Cut the cell where the worst row is most sensitive; None if it is too narrow."""
        least, greatest = cell.box
        widths = greatest - least
        slopes = np.abs(parts[:len(widths)])
        if not (slopes * widths).any():
            slopes = np.ones(len(widths))  # the norm of a wide box gives no slopes
        score = np.where(widths > 1, slopes + LESS * slopes.max() * widths / max(int(widths.max()), 1), -1)
        if not len(score) or score.max() < 0:
            return None
        k = int(score.argmax())
        at = int(least[k] + greatest[k]) >> 1
        below, above = cell.least[:, k] <= at, cell.greatest[:, k] >= at
        first = ClassBoxes(cell.group, cell.members[below], cell.least[below], cell.greatest[below].copy(), cell.cuts
                           + 1)
        second = ClassBoxes(cell.group, cell.members[above], cell.least[above].copy(), cell.greatest[above], cell.cuts
                            + 1)
        first.greatest[:, k] = np.minimum(first.greatest[:, k], at)
        second.least[:, k] = np.maximum(second.least[:, k], at)
        cell.cut, cell.below, cell.above = (k, at), first, second
        return tuple(one for one in (first, second) if len(one.members))
