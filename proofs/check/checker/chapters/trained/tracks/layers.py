"""An attention step of a form: ranges of all queries, and the streams after it.

See docs/background/tracks_rules.md, section 5.

In the first step queries, scores and values are those of single tokens at single places. The streams after it are forms
of *nodes*, so queries and sources of the next step are nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property, partial
from operator import mul
from typing import NamedTuple

from ....kernel.budget import Cache
from ....kernel.verdicts import require, within
from ..reading.tracks import StepRanges
from ..zonotopes.affine import (
    FRACTION,
    WEIGHT,
    AffineForm,
    Linear,
    apply,
    make_linear,
    shift_symbols,
    spread,
    within_range,
)
from ..zonotopes.arithmetic import AttentionStage
from ..zonotopes.cells import Box
from ..zonotopes.directions import PLACES, DirectionBasis, average, make_basis
from ..zonotopes.ranges import AttendedTo, ColumnSource, both_ways, weigh
from ..zonotopes.rows import AttendedValues
from ..zonotopes.scores import PathBounds, Vectors
from ..zonotopes.stated_ranges import StatedRanges
from ..zonotopes.weights import RelativeWeights
from .columns import ColumnMove, FormColumns, Given, find_remaining
from .longest import BundleKey, Bundles, ColumnPasses, PathQuery, VisiblePlaces
from .queries import InputClass, Labels, TokenQuery, label

ROUNDED_BITS = 8  # low bits of a query's radii that are rounded up


class ClassRanges(NamedTuple):
    """A class, its query, the source of the query, and the ranges of the heads."""

    own: ColumnSource
    query: TokenQuery
    one: InputClass
    box: Box


class AttendedSizes(NamedTuple):
    """Bounds for each head: of its output orthogonal to its directions, of its averages; and the last visible place."""

    across: list[list[int]]
    averaged: list[list[int]]
    place: int

    def join(self, other: AttendedSizes) -> AttendedSizes:
        """Return bounds for both."""
        across, averaged = ([greatest(pair) for pair in zip(*those, strict=True)] for those in (
            (self.across, other.across), (self.averaged, other.averaged)))
        return AttendedSizes(across, averaged, max(self.place, other.place))


def greatest(vectors: Sequence[Sequence[int]]) -> list[int]:
    """Return the greatest of each coordinate."""
    return [max(column) for column in zip(*vectors, strict=True)]


class LayerProof:
    """An attention step, on all sources and queries: tokens at places in the first one, later nodes."""

    def __init__(self, columns: FormColumns, offset: int, labels: Sequence[Labels], stated: StepRanges,
                 stage: AttentionStage, width: int, embedded: Callable[[ColumnSource], AffineForm] | None) -> None:
        """Prepare directions; ``embedded`` returns streams before the first step."""
        self.columns, self.budget, self.stated = columns, columns.budget, stated
        self.attention, self.after = stage.attention, stage.after
        self._offset, self._labels, self._embedded = offset, labels, embedded
        self.bases = [make_basis(self.budget, data, width) for data in stated.directions]
        self.across = [make_across(basis, width) for basis in self.bases]
        self.widths = [len(basis.rows) for basis in self.bases]
        self.weights = RelativeWeights(self.budget)
        self.points: dict[ColumnSource, AffineForm] = {}
        self._normed: dict[ColumnSource, AffineForm] = {}
        self._reads: dict[tuple[int, ColumnSource], AttendedTo] = {}
        self._sizes: dict[tuple[int, ColumnSource], tuple[list[int], list[int]]] = {}
        self._query_proofs: dict[ColumnSource, QueryProof] = {}
        self._visible: tuple[tuple[int, int, Given], VisiblePlaces] | None = None
        self._bundled = Cache[BundleKey, Bundles]()
        self._scores: dict[int, tuple[tuple[int, ...], dict[ColumnSource, PathBounds]]] = {}

    def own(self, node: ColumnSource) -> ColumnSource:
        """Return the source of a node's query: in the first step its token alone."""
        return node if self._embedded is None else node[:2]

    def named(self, place: int, token: int, move: ColumnMove | int | None) -> ColumnSource:
        """Return the source of a token at a place, for a move or a last state."""
        if self._embedded is not None:
            return place, token
        return place, token, 0 if move is None else label(self.columns.claim, self._labels[place], move), 0

    def proof_of(self, own: ColumnSource) -> QueryProof:
        """Return the proof of ranges of a query, which `prove` has made."""
        return self._query_proofs[own]

    def visible(self, own: ColumnSource, given: Given) -> VisiblePlaces:
        """Return the sources of a query on the inputs with these columns; the last result is kept."""
        place, token, *_ = own
        if self._visible is None or self._visible[0] != (place, token, given):
            kept = find_remaining(self.columns, self.columns.form.layout[place], token, dict(given))
            self._visible = (place, token, given), VisiblePlaces(self.columns, place, kept, self.named, self._bundled)
        return self._visible[1]

    def scores(self, head: int, place: int, vectors: Vectors, sources: Sequence[ColumnSource]) -> dict[ColumnSource,
                                                                                                   PathBounds]:
        """Return the scores of a query at a place; those of the last query are kept."""
        key = (place, *same(vectors))
        if self._scores.get(head, ((), {}))[0] != key:
            self._scores[head] = key, {}
        known = self._scores[head][1]
        new = {source: self.read(head, source).key for source in sources if source not in known}
        known.update(self.attention.scores(head, vectors, new, place))
        return {source: known[source] for source in sources}

    def prove(self, query: TokenQuery, ranged: Sequence[ClassRanges]) -> None:
        """Prove the stated ranges of classes of a query.

        Classes are taken together if their queries are equal, and their scores of themselves nearly, so that weights
        relative to the greatest one are as fine.

        Raises:
            Rejected: if one is not proved.
        """
        new: dict[tuple[int, ...], tuple[list[Vectors], list[ColumnSource]]] = {}
        for own in dict.fromkeys(one.own for one in ranged):
            if own not in self._query_proofs:
                vectors = [self.query(head, own) for head in range(len(self.bases))]
                itself = [self.attention.scores(head, one, {own: self.read(head, own).key}, own[0])[own]
                          for head, one in enumerate(vectors)]
                scored = (one.greatest >> FRACTION for one in itself)
                key = *(number for one in vectors for number in same(one)), *scored
                new.setdefault(key, (vectors, []))[1].append(own)
        for vectors, owns in new.values():
            self._query_proofs.update(dict.fromkeys(owns, QueryProof(self, vectors, owns)))
        found: dict[QueryProof, list[ClassRanges]] = {}
        for one in ranged:
            found.setdefault(self.proof_of(one.own), []).append(one)
        for proof, those in found.items():
            with within(f"place {query.place}, token {query.own}"):
                proof.prove(those)

    def boxes(self, number: int) -> Iterator[Box]:
        """Yield the stated boxes in order.

        Raises:
            Malformed: if their number is not ``number``, or a range is empty.
        """
        stated = StatedRanges(self.stated.ranges, self.stated.bits, 2 * sum(self.widths) * number)
        for _ in range(number):
            yield tuple(stated.take(width) for width in self.widths)

    def point(self, source: ColumnSource) -> AffineForm:
        """Return the stream of a source, before the heads."""
        if source not in self._normed:
            self.budget.hold(1 << 15)
            if self._embedded is not None:
                self.points[source] = self._embedded(source)
            self._normed[source] = self.attention.normed(self.points[source])
        return self.points[source]

    def read(self, head: int, source: ColumnSource) -> AttendedTo:
        """Return a head's key, and as its value the product with W_O, of a source."""
        key = (head, source)
        if key not in self._reads:
            self.budget.hold((1 << 15) * self.point(source).slots)
            stream = self._normed[source]
            averaged = self.attention.value(head, stream)
            value = self.attention.written(head, averaged)
            found = self.attention.key(head, stream, self._offset + source[0])
            self._reads[key] = AttendedTo(Vectors(found, spread(self.budget, found)), value,
                                          both_ways(self.budget, self.bases[head].forward, value))
            rest = spread(self.budget, apply(self.budget, self.across[head], value))
            self._sizes[key] = [abs(centre) + reach for centre, reach in zip(*rest, strict=True)], averaged.sizes
        return self._reads[key]

    def sizes(self, head: int, source: ColumnSource) -> tuple[list[int], list[int]]:
        """Return bounds of a head's output orthogonal to its directions, and of its value, for a source."""
        self.read(head, source)
        return self._sizes[head, source]

    def query(self, head: int, source: ColumnSource) -> Vectors:
        """Return a head's query of a source."""
        self.point(source)
        form = self.attention.query(head, self._normed[source], self._offset + source[0])
        if self._embedded is None:  # so that queries that differ by roundings alone are equal, and scores are reused
            radii = [-(-radius >> ROUNDED_BITS) << ROUNDED_BITS for radius in form.radii]
            form = within_range(form.rows, form.slots, radii, [size + (1 << ROUNDED_BITS) for size in form.sizes])
        return Vectors(form, spread(self.budget, form))

    def write(self, point: AffineForm, box: Box, sizes: AttendedSizes) -> AffineForm:
        """Return the stream after the heads, for averages in the box, whose symbols follow the others."""
        written, first = [], point.slots
        for basis, bounds, size in zip(self.bases, box, sizes.across, strict=True):
            z = average(self.budget, basis._replace(rest=identity(len(size))), bounds.least, bounds.greatest, size)
            written.append(shift_symbols(z, first - 1))
            first += len(bounds.least)
        return self.attention.write_sum(point, written, sizes.averaged, sizes.place)


class QueryProof:
    """The ranges of the classes whose sources have equal queries, at a place with one token."""

    def __init__(self, layer: LayerProof, vectors: Sequence[Vectors], owns: Sequence[ColumnSource]) -> None:
        self.layer, self.one = layer, owns[0]
        self.sources = [*layer.visible(self.one, ()).sources, *owns]
        self.weights = [self.weigh(head, one) for head, one in enumerate(vectors)]

    def weigh(self, head: int, vectors: Vectors) -> dict[ColumnSource, PathBounds]:
        """Return the weights of all sources: those on a path on which the token occurs."""
        layer, place = self.layer, self.one[0]
        found = layer.attention.logarithms(layer.scores(head, place, vectors, self.sources), place)
        return weigh(layer.budget, layer.weights, found)

    def passes(self, head: int, query: TokenQuery, given: Given) -> ColumnPasses:
        """Return the passes over the inputs with these columns."""
        return ColumnPasses(self.layer.visible(self.one, given), query.by, self.weights[head])

    def prove(self, ranged: Sequence[ClassRanges]) -> None:
        """Prove all stated ranges of classes.

        Raises:
            Rejected: if one is not proved.
        """
        by_given: dict[Given, list[ClassRanges]] = {}
        for one in ranged:
            by_given.setdefault(one.one.given, []).append(one)
        for given, those in by_given.items():
            for head in range(len(self.layer.bases)):
                most = {source: self.layer.read(head, source).most for source in self.sources}
                path_queries = [PathQuery(one.one.member, one.own,
                                   [*one.box[head].greatest, *(-x for x in one.box[head].least)], one.one.moves)
                         for one in those]
                require(self.passes(head, those[0].query, given).below(most, path_queries),
                        "a range of head {} is not proved", head + 1)

    def attended_values(self, one: ClassRanges) -> list[AttendedValues]:
        """Return the values that the heads attend to, on a class."""
        layer = self.layer
        return [AttendedValues(partial(self.passes(head, one.query, one.one.given).below_of, one.one.member, one.own,
                                       one.one.moves),
                      {source: layer.read(head, source) for source in self.sources}, basis, self.sizes.across[head])
                for head, basis in enumerate(layer.bases)]

    @cached_property
    def sizes(self) -> AttendedSizes:
        """Bounds of averages: the greatest of what is averaged."""
        width = len(self.layer.across[0].columns) if self.layer.across else 0
        self.layer.budget.spend(1 + (len(self.layer.across) * len(self.sources) * width >> 2))
        each = [[self.layer.sizes(head, source) for source in self.sources] for head in range(len(self.layer.bases))]
        across, averaged = ([greatest([one[k] for one in of_head]) for of_head in each] for k in (0, 1))
        return AttendedSizes(across, averaged, self.one[0])


def same(vectors: Vectors) -> tuple[int, ...]:
    """Return a key: queries with equal keys are equal."""
    return vectors.form.slots, *vectors.form.rows, *vectors.form.radii


def make_across(basis: DirectionBasis, width: int) -> Linear:
    """Return the map u ↦ (I - Q'Q) u, for the rows of Q: the part of u orthogonal to the directions."""
    one = 1 << 2 * PLACES
    columns = list(zip(*basis.rows, strict=True)) or [()] * width
    return make_linear([[(one * (i == k) - sum(map(mul, columns[i], columns[k]))) >> 2 * PLACES - WEIGHT
                         for k in range(width)] for i in range(width)], [0] * width)


@cache
def identity(width: int) -> list[list[int]]:
    """Return the rest of `average` for outputs whose orthogonal part is bounded itself: the identity."""
    return [[(i == k) << 2 * PLACES for k in range(width)] for i in range(width)]
