"""Ranges of every class along every direction: integers / 2^bits that enclose them with a little room."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from constructions.errors import Unsupported
from constructions.trained.tracks import Layout, TracksClaim
from proofs.trained.forward import FloatNetwork
from proofs.trained.tracks.levels import ONE, AttentionLevel, attention_steps, directions, first_level, next_level
from proofs.trained.tracks.nodes import Nodes, Sources, make_nodes, tokens_at_places
from proofs.trained.tracks.paths import Paths, lines
from proofs.trained.tracks.queries import (
    InputClass,
    Restricted,
    StepArrays,
    TokenQuery,
    all_classes,
    queries,
    right,
    sources,
)

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
Bounds = tuple[Whole, Whole]
"""The least and the greatest number along each direction, head by head."""
BITS = 30  # of the greatest range
NOISE = 2**-39  # error of the checker's weights, relative to the greatest
SLACK = 2**-30  # of values, for sums in floats
LAST = 2**-39  # two units of the checker's weights
FAINT = 2**-20  # if a weight is less, all get an error bound of two units, as in the checker
MOST_TOKENS = 1 << 20
FINENESS = np.float64(2) ** -6
"""Boxes of one node differ by at most this part of the greatest range."""


class StepRanges:
    """Directions, weights and ranges of an attention step of a form."""

    def __init__(self, level: AttentionLevel, found: Sources, made: list[NDArray[np.int32]], room: int) -> None:
        """Prepare the step; ``room`` is the number of units of 2^-bits for the checker's roundings."""
        self.level, self.sources, self.directions, self.room = level, found, made, room
        self.rows = [matrix / ONE for matrix in made]
        reach = max((np.abs(level.most(head, sign * row)).max() for head, rows in enumerate(self.rows)
                     for row in rows for sign in (1, -1)), default=1)
        self.bits = BITS - max(-BITS, int(np.ceil(np.log2(max(reach, 2**-20)))))
        if self.bits < 0:
            raise Unsupported("classes: a head's output may be beyond 2^30")
        self._weights: dict[tuple[int, int], tuple[Array, Array]] = {}

    def weights(self, query: TokenQuery, own: int, head: int) -> tuple[Array, Array]:
        """Return the least and greatest weight of each source for a query row, at most about 1; 0 if not visible."""
        if (own, head) not in self._weights:
            rows = self.sources.visible_rows(query, own)
            least, greatest = self.level.scores(head, own, rows)
            found = np.zeros(len(self.level.places)), np.zeros(len(self.level.places))
            for weights, scores in zip(found, (least, greatest), strict=True):
                weights[rows] = np.exp(scores - greatest.max())
            if not self.level.is_exact or found[1][rows].min() < FAINT:
                found[0][rows] = np.maximum(found[0][rows] - LAST, 0)
                found[1][rows] = np.minimum(found[1][rows] + LAST, 1)
            self._weights[own, head] = found
        return self._weights[own, head]

    def paths(self, restricted: Restricted, own: int, head: int, vector: Array) -> Paths:
        """Return paths for the output of a head along a vector."""
        least, greatest = self.weights(restricted.query, own, head)
        values = self.level.most(head, vector)
        reached = values[greatest > 0]
        visible = self.sources.visible(restricted.query.place, own)
        return Paths(restricted, lines(visible, least, greatest, values), reached.min(), reached.max())

    def greatest(self, restricted: Restricted, own: int, head: int, vector: Array,
                 members: NDArray[np.intp]) -> Array:  # fmt: skip
        """Return the greatest vector · average of some classes, with room for the checker's roundings.

        Where all weights may be 0, it is the greatest value.
        """
        paths = self.paths(restricted, own, head, vector)
        top, weight = paths.greatest_ratios(members)
        spread = paths.greatest - paths.least
        if not self.level.is_exact:
            return np.asarray(np.minimum(top + spread * SLACK, paths.greatest) + 2**-40)
        with np.errstate(divide="ignore", invalid="ignore"):
            room = top + NOISE * spread * (restricted.query.place + 1) / np.minimum(weight, 1)
        return np.where(np.isfinite(room), np.minimum(room, paths.greatest), paths.greatest) + 2**-40

    def bounds(self, restricted: Restricted, own: int, members: NDArray[np.intp]) -> Bounds:
        """Return the ranges [classes, directions of all heads] of some classes of a query."""
        least, greatest = [], []
        for head, rows in enumerate(self.rows):
            for vector in rows:
                greatest.append(self.greatest(restricted, own, head, vector, members))
                least.append(-self.greatest(restricted, own, head, -vector, members))
        if not least:
            return np.zeros((len(members), 0), np.int64), np.zeros((len(members), 0), np.int64)
        scale = np.float64(2) ** self.bits
        return (np.floor(np.stack(least, 1) * scale).astype(np.int64) - self.room,
                np.ceil(np.stack(greatest, 1) * scale).astype(np.int64) + self.room)

    def box(self, bounds: Bounds) -> tuple[Array, Array]:
        """Return bounds as floats."""
        scale = np.float64(2) ** self.bits
        return bounds[0] / scale, bounds[1] / scale


class FormRanges:
    """The attention steps of a form: at nodes, and in the last one class by class."""

    def __init__(self, floats: FloatNetwork, claim: TracksClaim, form: Layout, room: int = 1,
                 fineness: np.float64 = FINENESS) -> None:
        """Compute directions and ranges of all steps before the last; raise NoClasses if `attention_steps` does."""
        self.floats, self.claim, self.form = floats, claim, form
        self.columns = StepArrays(claim, form)
        self.queries = queries(self.columns)
        self.before: list[tuple[StepRanges, Bounds]] = []
        self.nodes: Nodes | None = None
        level, found = first_level(floats, claim, form), tokens_at_places(self.columns, len(floats.tokens))
        asked = [*sources(self.columns), *self.queries]
        for number in range(len(attention_steps(floats))):
            self.last = StepRanges(level, found, directions(floats, claim, form, number, level), room)
            if number == len(attention_steps(floats)) - 1:
                return
            classes = [(one.classes, self._bounds(one, one.classes)) for one in map(Restricted, asked)]
            if self.nodes is None:
                self.nodes = make_nodes(self.columns, asked, classes, self.last.bits, fineness)
            bounds = self.nodes.hulls(classes)
            self.before.append((self.last, bounds))
            own = np.array([found.own(asked[query], member) for query, member in self.nodes.first], np.intp)
            level = next_level(floats, number + 1, level, own, self.last.box(bounds), np.concatenate(self.last.rows))
            found = self.nodes.sources

    def _bounds(self, restricted: Restricted, members: NDArray[np.intp]) -> Bounds:
        """Return the ranges of classes of a query at the last step made so far."""
        least, greatest = (np.zeros((len(members), sum(map(len, self.rows))), np.int64) for _ in range(2))
        own = np.array([self.last.sources.own(restricted.query, member) for member in members.tolist()], np.intp)
        for row in np.unique(own).tolist():
            least[own == row], greatest[own == row] = self.last.bounds(restricted, row, members[own == row])
        return least, greatest

    @property
    def directions(self) -> list[NDArray[np.int32]]:
        """The directions of the last step, integers / 2^30."""
        return self.last.directions

    @property
    def rows(self) -> list[Array]:
        """The directions of the last step, as floats."""
        return self.last.rows

    @property
    def bits(self) -> int:
        """The fractional bits of the ranges of the last step."""
        return self.last.bits

    def own(self, one: InputClass) -> int:
        """Return the row of a class in the last step."""
        return self.last.sources.own(self.queries[one.query], one.member)

    def key(self, one: InputClass) -> tuple[int, ...]:
        """Return a key: classes with equal keys have the same steps after the last heads."""
        query = self.queries[one.query]
        if self.nodes is not None:
            return query.place, query.own, self.nodes.label(query, one.member), right(query, one)
        return (query.place if self.floats.positions is not None else 0), query.own, right(query, one)

    def ranges(self, classes: Sequence[InputClass]) -> Bounds:
        """Return the ranges of classes of one query with equal splits."""
        restricted = Restricted(self.queries[classes[0].query], classes[0].split)
        return self._bounds(restricted, np.array([one.member for one in classes], np.intp))


@dataclass
class Ranged:
    """A class with its ranges."""

    one: InputClass
    least: Whole
    greatest: Whole


def ranged(form: FormRanges) -> list[list[Ranged]]:
    """Return all classes of a form, query by query, with their ranges."""
    found: list[list[Ranged]] = []
    for classes in all_classes(form.queries):
        if not classes:
            found.append([])
            continue
        found.append([Ranged(*row) for row in zip(classes, *form.ranges(classes), strict=True)])
    if max((len(one) for one in found), default=0) > MOST_TOKENS:
        raise Unsupported("very many classes")
    return found
