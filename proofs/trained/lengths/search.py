"""Branch and bound over cells of Parikh vectors, shortest words first.

Floats find right cells and wrong vectors: evidence. The checker proves the tree of cells, and ball arithmetic the
shortest wrong word.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from constructions.trained.claim import WordsClaim
from proofs.trained.lengths.cells import (
    Counts,
    Cut,
    Narrowing,
    ParikhBox,
    cut_of_length,
    cut_of_share,
    everything,
    sum_in,
)
from proofs.trained.lengths.margins import Array, CountMargins
from proofs.trained.lengths.truths import CountTruths, Region, exactly, kinds_of, regions_of

BATCH = 128
MOST_CELLS = 40_000


@dataclass
class RegionTree:
    """A cell of a region in a tree: a leaf, or cut in two."""

    region: int
    cell: ParikhBox
    cut: Cut | None = None
    halves: tuple[RegionTree | None, RegionTree | None] = (None, None)


@dataclass(frozen=True)
class LongWord:
    """A word, run-length encoded, with a row of a case that is at most the margin in float64."""

    runs: tuple[tuple[int, int], ...]
    case: int
    row: int

    @property
    def length(self) -> int:
        """The number of letters."""
        return sum(times for _, times in self.runs)


@dataclass(frozen=True)
class SearchResult:
    """Result of a search: no word shorter than ``open_from`` is wrong (None: no word at all).

    ``wrong`` is a word of that length, or None where it is undecided, or the limit of work was reached.
    """

    open_from: int | None
    wrong: LongWord | None
    cells: int


@dataclass
class LengthSearch:
    """Search for one claim; in floats, rows of a right cell exceed the margin by more than ``slack``."""

    margins: CountMargins
    claim: WordsClaim
    greatest: int | None
    slack: np.float64
    most: int = MOST_CELLS
    roots: list[RegionTree | None] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.truths, self.kinds = CountTruths(self.claim), kinds_of(self.claim)
        self.regions, self.narrowing = regions_of(self.claim, self.kinds), Narrowing(self.kinds, self.truths.sums)
        self._waiting: list[tuple[int, int, RegionTree]] = []
        self._ticks, self._cells = itertools.count(), 0
        self._open: int | None = None
        self._wrong: LongWord | None = None
        self._margin = np.float64(self.claim.margin)
        self._rows_of_case = [[number for number, (one, _) in enumerate(self.margins.rows) if one == case]
                              for case in range(len(self.claim.cases))]

    def run(self) -> SearchResult:
        """Search until all cells with words shorter than the shortest wrong one are right, or the limit of work."""
        least = 1 if self.claim.read == "each" else self.claim.lengths[0]
        start = everything(len(self.kinds), least, self.greatest)
        self.roots = [self._pushed(number, start) for number in range(len(self.regions))]
        while self._waiting and (self._open is None or self._waiting[0][0] < self._open):
            if self._cells > self.most:
                return SearchResult(self._waiting[0][0], None, self._cells)
            batch = [heapq.heappop(self._waiting)[2] for _ in range(min(BATCH, len(self._waiting)))]
            for last in {self.regions[node.region].last for node in batch}:
                self._bound_cells([node for node in batch if self.regions[node.region].last == last], last)
        return SearchResult(self._open, self._wrong, self._cells)

    def _pushed(self, region: int, cell: ParikhBox) -> RegionTree | None:
        """Return a waiting node, unless it contains no vector of the claim."""
        found = self.narrowing.narrowed(self.regions[region], cell.up_to(self._longest))
        if found is None:
            return None
        node = RegionTree(region, found)
        self._wait(node)
        return node

    def _wait(self, node: RegionTree) -> None:
        heapq.heappush(self._waiting, (node.cell.least, next(self._ticks), node))

    @property
    def _longest(self) -> int | None:
        """The greatest length that still matters; None without a bound."""
        return None if self._open is None else self._open - 1

    def _bound_cells(self, nodes: Iterable[RegionTree], last: int | None) -> None:
        """Bound cells of regions with one last letter: they are right, are cut, or contain a wrong vector."""
        kept: list[tuple[RegionTree, list[int]]] = []
        for node in nodes:
            self._cells += 1
            narrow = self.narrowing.narrowed(self.regions[node.region], node.cell.up_to(self._longest))
            if narrow is None:
                continue
            node.cell = narrow
            rows = self._rows(node)
            if rows:
                kept.append((node, rows))
        if not kept:
            return
        found = self.margins.over(last, [node.cell for node, _ in kept])
        open_ones = [(number, node, rows) for number, (node, rows) in enumerate(kept)
                     if not (found.least[number, rows] > self._margin + self.slack).all()]
        self._try(last, [node for _, node, _ in open_ones])
        for number, node, rows in open_ones:
            failing = [row for row in rows if not found.least[number, row] > self._margin + self.slack]
            is_wrong = bool((found.middle[number, failing] <= self._margin).any())
            self._cut(node, found.moves[number][:, failing].sum(axis=1), is_wrong)

    def _rows(self, node: RegionTree) -> list[int]:
        """Return the rows of the cases that may hold in the cell."""
        cell = node.cell
        cases = self.truths.cases(self.regions[node.region], lambda coefficients: sum_in(cell, coefficients))
        return [row for case in sorted(cases) for row in self._rows_of_case[case]]

    def _cut(self, node: RegionTree, moves: Array, is_wrong: bool) -> None:
        """Cut the cell where it matters most; a cell that cannot be cut is open at its length."""
        cell = self.narrowing.narrowed(self.regions[node.region], node.cell.up_to(self._longest))
        if cell is None:
            return
        is_clipped, node.cell = cell != node.cell, cell
        last = self.regions[node.region].last
        cut = None if cell.is_single else self._chosen_cut(last, cell, moves, is_wrong)
        if cut is None and is_clipped:
            self._wait(node)  # a shorter word was found: without longer ones the cell may be right
            return
        if cut is None:
            self._record(cell.least, None)
            return
        node.cut = cut
        below, above = cell.halves(cut)
        node.halves = self._pushed(node.region, below), self._pushed(node.region, above)

    def _chosen_cut(self, last: int | None, cell: ParikhBox, moves: Array, is_wrong: bool) -> Cut | None:
        """Cut the share of the letter that moves rows most, or the length if it does, or if all looks wrong."""
        by_length = cut_of_length(cell)
        is_long = cell.greatest is None or cell.greatest > 2 * cell.least
        if is_wrong and is_long:
            return by_length
        tokens = self.margins.tokens
        for token in np.argsort(-moves, kind="stable"):
            letters = [a for a, one in enumerate(self.claim.tokens) if one == tokens[token]]
            if not letters or cell.fewest[letters[0]] == cell.most[letters[0]]:
                if by_length is not None and is_long:
                    return by_length
            elif by_length is not None and self.margins.is_loose_by_length(last, cell, letters[0]):
                return by_length
            elif (cut := cut_of_share(cell, letters[0])) is not None:
                return cut
        widest = max(range(len(cell.low)), key=lambda a: cell.high[a] - cell.low[a])
        return by_length or cut_of_share(cell, widest)

    def _try(self, last: int | None, nodes: Sequence[RegionTree]) -> None:
        """Evaluate some vectors of each cell, among them shortest ones."""
        tried: list[tuple[RegionTree, Counts]] = []
        for node in nodes:
            cell = node.cell
            lengths = {cell.least, min(2 * cell.least, cell.greatest or 2 * cell.least), cell.greatest or cell.least}
            for length in sorted(lengths):
                tried += [(node, counts) for counts in
                          self.narrowing.vectors(self.regions[node.region], cell, length)]
        if not tried:
            return
        values = self.margins.at(last, [counts for _, counts in tried])
        for (node, counts), row_values in zip(tried, values, strict=True):
            length = sum(counts)
            if self._open is not None and length >= self._open:
                continue
            cases = self.truths.cases(self.regions[node.region], exactly(counts))
            wrong = [row for case in cases for row in self._rows_of_case[case] if row_values[row] <= self._margin]
            for row in wrong:
                self._record(length, self._word(self.regions[node.region], counts, row))
                break

    def _record(self, length: int, wrong: LongWord | None) -> None:
        if self._open is None or length < self._open:
            self._open, self._wrong = length, wrong

    def _word(self, region: Region, counts: Counts, row: int) -> LongWord:
        """Return a word with this Parikh vector, in any order, as counts decide the cases."""
        end = () if region.last is None else ((region.last, 1),)
        runs = [(a, times) for a, n in enumerate(counts) if (times := n - (a == region.last))]
        return LongWord(joined((*runs, *end)), *self.margins.rows[row])

    def tree(self, root: RegionTree | None) -> list[list[int] | None]:
        """Return the tree below a node, in preorder; None for a leaf."""
        found: list[list[int] | None] = []
        waiting = [root]
        while waiting:
            node = waiting.pop()
            if node is None or node.cut is None:
                found.append(None)
            else:
                found.append(list(node.cut))
                waiting += reversed(node.halves)
        return found


def joined(runs: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Merge adjacent runs of one letter."""
    found: list[tuple[int, int]] = []
    for letter, times in runs:
        if found and found[-1][0] == letter:
            found[-1] = letter, found[-1][1] + times
        else:
            found.append((letter, times))
    return tuple(found)

