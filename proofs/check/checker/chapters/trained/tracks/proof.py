"""A certificate about inputs in tracks: every range of every class, and every row in every cell; docs/tracks.md.

The network has one attention step, so queries, scores and values are those of single tokens at single places. Classes
that are alike in all that follows the heads are a group, whose boxes of ranges are cut into cells together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import accumulate, pairwise
from operator import le, mul
from struct import unpack
from typing import NamedTuple

from ....kernel.budget import ENTRY_BITS
from ....kernel.exponential import ceil_shift, floor_shift
from ....kernel.verdicts import Rejected, expect, require, within
from ..cells import Bounds, Box, replaced
from ..cells import Cell as BoxOfCell
from ..directions import PLACES, DirectionBasis, average, make_turn
from ..forms import (
    FRACTION,
    WEIGHT,
    AffineForm,
    Linear,
    apply,
    make_linear,
    move,
    plus,
    promoted,
    shift_symbols,
    spread,
)
from ..maps import make_rows
from ..passing import AttentionMaps, NormMaps, UnitMaps, embed, make_maps, normed, pass_between, turned
from ..ranges import AttendedTo, PathBounds, Vectors, both_ways, scores, weigh, with_slope
from ..rows import Heard, Last, prove_rows
from ..weights import RelativeWeights
from .columns import FormColumns
from .each_input import prove_each
from .longest import Asked, ColumnPasses, Placed
from .queries import Class, Query, make_queries, split
from .reading import EachInput, TracksCertificate, Tree, Unit, width_of_stream

CELL_STEPS = 500  # of a cell, beside its products
GroupKey = tuple[int, int, int]


class Ranged(NamedTuple):
    """A class, its query, and the ranges of the heads."""

    query: int
    one: Class
    box: Box


def prove_tracks(given: TracksCertificate) -> Mapping[str, int]:
    """Every form of the claim; how many classes were proved, in how many cells, and how many inputs one by one."""
    found = Counter({"forms": len(given.units)})
    for number, unit in enumerate(given.units):
        with within(f"form {number + 1}"):
            if isinstance(unit, EachInput):
                found["inputs"] += prove_each(given, number, unit.inputs)
            else:
                classes, cells = FormProof(given, number, unit).run()
                found.update(classes=classes, cells=cells)
    return found


class FormProof:
    """The proof of one form."""

    def __init__(self, given: TracksCertificate, number: int, unit: Unit) -> None:
        self.given, self.unit, self.budget = given, unit, given.language.budget
        network, claim = given.network, given.claim
        require(network.causal, "claims about tracks need causal attention")
        require(len(network.attention_steps) == 1, "claims about tracks need one attention step")
        self.columns = FormColumns(self.budget, claim, claim.forms[number])
        self.before: list[NormMaps | UnitMaps] = []
        self.after: list[NormMaps | UnitMaps] = []
        self.attention: AttentionMaps | None = None
        for step in network.steps:
            maps = make_maps(self.budget, step)
            if isinstance(maps, AttentionMaps):
                self.attention = maps
            else:
                (self.before if self.attention is None else self.after).append(maps)
        width = width_of_stream(network)
        self.turns = [make_turn(self.budget, data, width) for data in unit.directions]
        self.across = [make_across(turn, width) for turn in self.turns]
        self.widths = [len(turn.rows) for turn in self.turns]
        self.weights = RelativeWeights(self.budget)
        self._points: dict[Placed, AffineForm] = {}
        self._normed: dict[Placed, AffineForm] = {}
        self._reads: dict[tuple[int, Placed], AttendedTo] = {}
        self._sizes: dict[tuple[int, Placed], list[int]] = {}
        self._rows: dict[int, Linear] = {}

    def run(self) -> tuple[int, int]:
        """Every range, then every row; how many classes, and cells.

        Raises:
            Rejected: if one is not proved, or no input is allowed.
            Malformed: if ranges or cells do not fit.
        """
        queries = make_queries(self.columns)
        classes = split(queries, self.unit.splits)
        self.budget.hold(4 * ENTRY_BITS * sum(map(len, classes)))
        require(any(classes), "no input is allowed")
        boxes = self.boxes(sum(map(len, classes)))
        groups: dict[GroupKey, list[Ranged]] = {}
        heard = []
        for number, (query, own) in enumerate(zip(queries, classes, strict=True)):
            ranged = [Ranged(number, one, next(boxes)) for one in own]
            with within(f"place {query.place}, token {query.own}"):
                heard.append(QueryProof(self, query))
                heard[-1].prove(ranged)
            for one in ranged:
                place = query.place if self.given.network.positions is not None else 0
                groups.setdefault((place, query.own, one.one.answer), []).append(one)
        expect(len(self.unit.cells) == len(groups), "cells: {}, expected {}", len(self.unit.cells), len(groups))
        cells = 0
        for (key, ranged), tree in zip(sorted(groups.items()), self.unit.cells, strict=True):
            with within(f"place {key[0]}, token {key[1]}, answer {key[2]}"):
                cells += GroupProof(self, heard, key).prove(ranged, tree)
        return sum(map(len, classes)), cells

    def boxes(self, number: int) -> Iterator[Box]:
        """The stated boxes, one after another; over 2^44, what is finer is rounded inward, and proved so.

        Raises:
            Malformed: if there are not so many, or a range is empty.
        """
        width, data = sum(self.widths), self.unit.ranges
        expect(len(data) == 8 * width * number, "ranges: {} bytes, expected {}", len(data), 8 * width * number)
        shift, ends = FRACTION - self.unit.bits, [0, *accumulate(self.widths)]
        for place in range(number):
            numbers = unpack(f"<{2 * width}i", data[8 * width * place:8 * width * (place + 1)])
            least = [ceil_shift(x, shift) for x in numbers[::2]]
            greatest = [floor_shift(x, shift) for x in numbers[1::2]]
            expect(all(map(le, least, greatest)), "ranges: a lower bound is above the upper one")
            yield tuple(Bounds(least[a:b], greatest[a:b]) for a, b in pairwise(ends))

    def point(self, place: int, token: int) -> AffineForm:
        """The stream of a token at a place, before the heads."""
        key = (place, token)
        if key not in self._points:
            self.budget.hold(1 << 15)
            form = embed(self.given.network, token, self.given.claim.offset + place)
            self._points[key] = promoted(pass_between(self.budget, self.before, form))
            self._normed[key] = normed(self.budget, self.maps.norm, self._points[key])
        return self._points[key]

    @property
    def maps(self) -> AttentionMaps:
        """The attention step."""
        assert self.attention is not None
        return self.attention

    def read(self, head: int, source: Placed) -> AttendedTo:
        """What a head reads there: its key, and as its value what it would write."""
        key = (head, source)
        if key not in self._reads:
            self.budget.hold(1 << 15)
            self.point(*source)
            maps, stream = self.maps.heads[head], self._normed[source]
            value = apply(self.budget, maps.out, apply(self.budget, maps.value, stream))
            found = turned(self.budget, self.maps.rotary, self.given.claim.offset + source[0],
                           apply(self.budget, maps.key, stream))
            self._reads[key] = AttendedTo(Vectors(found, spread(self.budget, found)), value,
                                          both_ways(self.budget, self.turns[head].there, value))
            rest = spread(self.budget, apply(self.budget, self.across[head], value))
            self._sizes[key] = [abs(centre) + reach for centre, reach in zip(*rest, strict=True)]
        return self._reads[key]

    def across_sizes(self, head: int, source: Placed) -> list[int]:
        """How great what a head writes there is across its directions."""
        self.read(head, source)
        return self._sizes[head, source]

    def query(self, head: int, place: int, token: int) -> Vectors:
        """What a head asks there."""
        self.point(place, token)
        form = turned(self.budget, self.maps.rotary, self.given.claim.offset + place,
                      apply(self.budget, self.maps.heads[head].query, self._normed[place, token]))
        return Vectors(form, spread(self.budget, form))

    def rows(self, answer: int) -> Linear:
        """The rows of an answer as a map of the last stream."""
        if answer not in self._rows:
            rows = self.given.claim.rows(answer)
            self._rows[answer] = make_rows(self.budget, self.given.network.unembedding, rows)
        return self._rows[answer]


class QueryProof:
    """The ranges of the classes of one query."""

    def __init__(self, form: FormProof, query: Query) -> None:
        self.form, self.query, self.whole = form, query, query.left()
        self.sources = [(place, token) for place in range(query.place)
                        for token in form.columns.stand(form.columns.form.layout[place], self.whole)]
        self.sources.append((query.place, query.own))
        self.weights = [self.weigh(head) for head in range(len(form.turns))]
        self._sizes: dict[int, list[int]] = {}

    def weigh(self, head: int) -> dict[Placed, PathBounds]:
        """The weights of all that may be seen: on a path on which the token is read."""
        form, slope = self.form, self.form.maps.heads[head].slope
        asks = form.query(head, self.query.place, self.query.own)
        found = {source: with_slope(scores(form.budget, asks, form.read(head, source).key), slope,
                                    source[0] - self.query.place) for source in self.sources}
        return weigh(form.budget, form.weights, found)

    def passes(self, head: int, given: tuple[tuple[int, int], ...]) -> ColumnPasses:
        """Over the inputs that have these columns."""
        query, form = self.query, self.form
        kept = query.left(given) if given else self.whole
        return ColumnPasses(form.budget, form.columns, query.place, kept, query.answer.column, self.weights[head])

    def prove(self, ranged: Sequence[Ranged]) -> None:
        """All stated ranges.

        Raises:
            Rejected: if one is not proved.
        """
        alike: dict[tuple[tuple[int, int], ...], list[Ranged]] = {}
        for one in ranged:
            alike.setdefault(one.one.given, []).append(one)
        for given, those in alike.items():
            for head in range(len(self.form.turns)):
                most = {source: self.form.read(head, source).most for source in self.sources}
                asked = [Asked(one.one.member, [*one.box[head].greatest, *(-x for x in one.box[head].least)])
                         for one in those]
                require(self.passes(head, given).below(most, asked), "a range of head {} is not proved", head + 1)

    def heard(self, one: Class) -> list[Heard]:
        """What the heads hear on a class."""
        form = self.form
        return [Heard(ClassAverages(self.passes(head, one.given), one, self.weights[head]),
                      {source: form.read(head, source) for source in self.sources}, turn, self.sizes(head))
                for head, turn in enumerate(form.turns)]

    def sizes(self, head: int) -> list[int]:
        """How great each coordinate of what a head writes may be across its directions: averages are no greater."""
        if head not in self._sizes:
            found = (self.form.across_sizes(head, source) for source in self.sources)
            self._sizes[head] = [max(column) for column in zip(*found, strict=True)]
        return self._sizes[head]


class ClassAverages:
    """The averages of one class, for `rows.py`."""

    def __init__(self, passes: ColumnPasses, one: Class, weights: Mapping[Placed, PathBounds]) -> None:
        self._passes, self._one, self.weights = passes, one, weights

    def below(self, most: Mapping[Placed, int], thresholds: Sequence[int]) -> list[bool]:
        """Which averages are shown to be at most their thresholds."""
        found = self._passes.kept(most, [Asked(self._one.member, thresholds)])
        return [is_below for kept in found for is_below in kept]


class GroupProof:
    """The rows of the classes of a group, cell by cell."""

    def __init__(self, form: FormProof, heard: Sequence[QueryProof], key: GroupKey) -> None:
        self.form, self.heard, self.key, self.budget = form, heard, key, form.budget
        self.rows = form.rows(key[2])

    def prove(self, ranged: Sequence[Ranged], tree: Tree) -> int:
        """All rows; in how many cells.

        Raises:
            Rejected: if one is not proved in a cell.
        """
        place, token = self.heard[ranged[0].query].query.place, self.key[1]
        stream = self.form.point(place, token)
        queries = [self.heard[number] for number in {one.query for one in ranged}]
        sizes = [[max(column) for column in zip(*(query.sizes(head) for query in queries), strict=True)]
                 for head in range(len(self.form.turns))]
        waiting: list[tuple[Tree, Sequence[Ranged]]] = [(tree, ranged)]
        cells = 0
        while waiting:
            one, part = waiting.pop()
            self.budget.spend(1 + len(part))
            if one is not None:
                below, above = self.cut(part, one.direction, one.at)
                waiting += [(one.above, above), (one.below, below)]
            elif part:
                cells += 1
                self.prove_cell(part, stream, sizes)
        return cells

    def cut(self, part: Sequence[Ranged], direction: int, at: int) -> tuple[list[Ranged], list[Ranged]]:
        """What of each class's box is below and above; they overlap, where the cut is finer than 2^-44."""
        head = 0
        while direction >= self.form.widths[head]:
            direction -= self.form.widths[head]
            head += 1
        shift = FRACTION - self.form.unit.bits
        start, end = floor_shift(at, shift), ceil_shift(at, shift)
        below, above = [], []
        for one in part:
            least, greatest = one.box[head]
            if least[direction] <= end:
                cut = Bounds(least, replaced(greatest, direction, min(end, greatest[direction])))
                below.append(one._replace(box=(*one.box[:head], cut, *one.box[head + 1:])))
            if greatest[direction] >= start:
                cut = Bounds(replaced(least, direction, max(start, least[direction])), greatest)
                above.append(one._replace(box=(*one.box[:head], cut, *one.box[head + 1:])))
        return below, above

    def prove_cell(self, part: Sequence[Ranged], point: AffineForm, sizes: Sequence[Sequence[int]]) -> None:
        """All rows on the hull of what is left of the boxes; or class by class, where the hull is too wide."""
        self.budget.spend(CELL_STEPS)
        box = tuple(Bounds([min(column) for column in zip(*(one.box[head].least for one in part), strict=True)],
                           [max(column) for column in zip(*(one.box[head].greatest for one in part), strict=True)])
                    for head in range(len(self.form.turns)))
        stream = pass_between(self.budget, self.form.after, self.write(point, box, sizes))
        margin = self.form.given.claim.margin
        try:
            prove_rows(self.budget, self.rows, margin, stream, None)
            return
        except Rejected:
            cell = BoxOfCell(box, [None] * len(self.rows.columns))
        for query, one, _ in part:
            last = Last(self.heard[query].heard(one), point.slots, cell)
            prove_rows(self.budget, self.rows, margin, stream, last)

    def write(self, point: AffineForm, box: Box, sizes: Sequence[Sequence[int]]) -> AffineForm:
        """The stream after the heads, where their averages are in the box; their symbols follow the others."""
        result, first = point, point.slots
        for turn, bounds, size in zip(self.form.turns, box, sizes, strict=True):
            z = average(self.budget, turn._replace(rest=identity(len(size))), bounds.least, bounds.greatest, size)
            result = plus(result, shift_symbols(z, first - 1))
            first += len(bounds.least)
        return result if self.form.maps.bias is None else move(result, self.form.maps.bias)


def make_across(turn: DirectionBasis, width: int) -> Linear:
    """u to (I - Q'Q) u, for the rows of Q: what is left of it across the directions."""
    one = 1 << 2 * PLACES
    columns = list(zip(*turn.rows, strict=True)) or [()] * width
    return make_linear([[(one * (i == k) - sum(map(mul, columns[i], columns[k]))) >> 2 * PLACES - WEIGHT
                         for k in range(width)] for i in range(width)], [0] * width)


@cache
def identity(width: int) -> list[list[int]]:
    """Of `average`: what is across the directions is bounded itself."""
    return [[(i == k) << 2 * PLACES for k in range(width)] for i in range(width)]
