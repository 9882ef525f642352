"""Proof of a form in exact numbers: every range, then every row in every cell.

docs/background/tracks_rules.md, section 5, Exact numbers.
"""

from collections.abc import Sequence
from struct import unpack
from typing import NamedTuple

from ....kernel.budget import ENTRY_BITS, Cache
from ....kernel.verdicts import expect, require, within
from ..reading.decision import Decision
from ..reading.tracks import ExactUnit, Tree
from ..reading.tracks_claim import TracksClaim
from ..zonotopes.packed_integers import pack
from ..zonotopes.ranges import ColumnSource
from ..zonotopes.scores import PathBounds
from .columns import FormColumns, Given, find_remaining
from .exact import ExactNetwork
from .longest import BundleKey, Bundles, ColumnPasses, PathQuery, VisiblePlaces
from .queries import InputClass, TokenQuery, make_queries, split

BYTES_OF_RANGE = 16
ExactBox = tuple[PathBounds, ...]


class ExactClassRanges(NamedTuple):
    """A class, and the box of all heads' averages on it."""

    one: InputClass
    box: ExactBox


class ExactProof:
    """The proof of one form."""

    def __init__(self, given: Decision[TracksClaim, object], number: int, unit: ExactUnit) -> None:
        self.given, self.unit, self.budget = given, unit, given.budget
        self.columns = FormColumns(self.budget, given.claim, given.claim.forms[number])
        self.network = ExactNetwork(self.budget, given.network, given.claim.offset, unit.precision)
        self._bundled = Cache[BundleKey, Bundles]()

    def run(self) -> tuple[int, int]:
        """Prove every range, then every row; return the numbers of classes and cells.

        Raises:
            Rejected: if one is not proved, or no input is allowed.
            Malformed: if ranges or cells do not fit.
        """
        path_queries = len(self.columns.form.layout) - self.columns.form.first_answer
        queries = make_queries(self.columns, [None] * path_queries)
        classes = split(queries, self.unit.splits)
        count = sum(map(len, classes))
        self.budget.hold(4 * ENTRY_BITS * count)
        require(count, "no input is allowed")
        boxes, data = self.boxes(), self.unit.classes
        expect(len(data) == 4 * count, "classes: {} bytes, expected {}", len(data), 4 * count)
        each = iter(unpack(f"<{count}I", data))
        expect(max(unpack(f"<{count}I", data)) < len(boxes), "classes: there is no such box")
        groups: dict[tuple[int, ...], list[ExactBox]] = {}
        for query, own in zip(queries, classes, strict=True):
            ranged = [ExactClassRanges(one, boxes[next(each)]) for one in own]
            with within(f"place {query.place}, token {query.own}"):
                self.prove_ranges(query, ranged)
            place = 0 if self.given.network.positions is None else query.place
            for one in ranged:
                groups.setdefault((place, query.own, query.answer(one.one)), []).append(one.box)
        expect(len(self.unit.cells) == len(groups), "cells: {}, expected {}", len(self.unit.cells), len(groups))
        cells = 0
        for (key, those), tree in zip(sorted(groups.items()), self.unit.cells, strict=True):
            with within(f"place {key[0]}, token {key[1]}, answer {key[2]}"):
                cells += self.prove_rows((key[0], key[1]), key[2], [*dict.fromkeys(those)], tree)
        return count, cells

    def boxes(self) -> list[ExactBox]:
        """Return the stated boxes.

        Raises:
            Malformed: if one is empty.
        """
        data, size, found = self.unit.ranges, 2 * BYTES_OF_RANGE * sum(self.network.widths), list[ExactBox]()
        expect(len(data) % size == 0, "ranges: {} bytes, expected so many times {}", len(data), size)
        self.budget.hold(ENTRY_BITS * (len(data) // BYTES_OF_RANGE))
        for first in range(0, len(data), size):
            ends = [int.from_bytes(data[at:at + BYTES_OF_RANGE], "little", signed=True)
                    for at in range(first, first + size, BYTES_OF_RANGE)]
            found.append(tuple(map(PathBounds, ends[::2], ends[1::2])))
            expect(all(low <= high for low, high in found[-1]), "ranges: a lower bound is above the upper one")
        return found

    def prove_ranges(self, query: TokenQuery, ranged: Sequence[ExactClassRanges]) -> None:
        """Prove all ranges of classes of a query.

        Raises:
            Rejected: if one is not proved.
        """
        own, first = (query.place, query.own), 0
        parts: dict[Given, list[ExactClassRanges]] = {}
        for one in ranged:
            parts.setdefault(one.one.given, []).append(one)
        sources = [*self.visible(query, ()).sources, own] if ranged else []
        for head, width in enumerate(self.network.widths if ranged else ()):
            weights = self.network.weigh(head, own, sources)
            for given, those in parts.items():
                boxes = [one.box[first:first + width] for one in those]
                require(self.are_below(head, query, given, weights, those, boxes),
                        "a range of head {} is not proved", head + 1)
            first += width

    def are_below(self, head: int, query: TokenQuery, given: Given, weights: dict[ColumnSource, PathBounds],
                  those: Sequence[ExactClassRanges], boxes: Sequence[ExactBox]) -> bool:
        """Return whether the averages of a head on classes with these columns lie in their boxes.

        Values, and the ends of ranges, become integers over one power of two: all of them are below 2^size.
        """
        values = {source: self.network.projections(head, source).value for source in weights}
        places = max(self.unit.bits, *(value.power for value in values.values()))
        up = places - self.unit.bits
        vectors = {source: [one << places - value.power for one in value.entries] for source, value in values.items()}
        limits = [[*(high << up for _, high in box), *(-low << up for low, _ in box)] for box in boxes]
        size = max(abs(one).bit_length() for vector in [*vectors.values(), *limits] for one in vector)
        slot = -(-max(size + 2, self.network.unit + 16) // 32) * 64
        self.budget.spend(len(vectors) * (1 + len(boxes[0])))
        most = {source: pack([*vector, *(-one for one in vector)], slot) for source, vector in vectors.items()}
        path_queries = [PathQuery(one.one.member, (query.place, query.own), limit)
                 for one, limit in zip(those, limits, strict=True)]
        return ColumnPasses(self.visible(query, given), query.by, weights, slot).below(most, path_queries)

    def visible(self, query: TokenQuery, given: Given) -> VisiblePlaces:
        """Return the sources of a query on the inputs with these columns."""
        kept = find_remaining(self.columns, query.read, query.own, dict(given))
        return VisiblePlaces(self.columns, query.place, kept, lambda place, token, move: (place, token), self._bundled)

    def prove_rows(self, own: ColumnSource, answer: int, boxes: list[ExactBox], tree: Tree) -> int:
        """Prove all rows of classes with these boxes, cell by cell; return the number of cells.

        Raises:
            Rejected: if one is not proved in a cell.
        """
        claim, places = self.given.claim, self.unit.bits
        others = [other for other in claim.among if other != answer]
        waiting, cells = list[tuple[Tree, list[ExactBox]]]([(tree, boxes)]), 0
        while waiting:
            one, part = waiting.pop()
            self.budget.spend(1 + len(part))
            if one is not None:
                waiting += [(one.above, cut(part, one.direction, one.at, None)),
                            (one.below, cut(part, one.direction, None, one.at))]
            elif part:
                cells += 1
                hull = [PathBounds(min(low for low, _ in those), max(high for _, high in those))
                        for those in zip(*part, strict=True)]
                known = self.network.judged(self.network.point(own), hull, places, answer, others)
                require(all(least > claim.margin for least, _ in known), "a row is not shown to be above the margin")
        return cells


def cut(boxes: Sequence[ExactBox], direction: int, least: int | None, greatest: int | None) -> list[ExactBox]:
    """Return the parts of the boxes between these numbers in a direction."""
    found = []
    for box in boxes:
        low, high = box[direction]
        low, high = low if least is None else max(low, least), high if greatest is None else min(high, greatest)
        if low <= high:
            found.append((*box[:direction], PathBounds(low, high), *box[direction + 1:]))
    return found
