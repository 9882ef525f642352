"""The ranges of every class along every direction, as whole numbers / 2^bits that enclose them with a little room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from constructions.errors import Unsupported
from constructions.trained.tracks import Form, TracksClaim
from proofs.trained.forward import FloatNetwork
from proofs.trained.tracks.heads import ONE, Heads, directions
from proofs.trained.tracks.paths import Paths, lines
from proofs.trained.tracks.queries import Class, Columns, Restricted, all_classes, queries

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
Bounds = tuple[Whole, Whole]
"""The least and the greatest number along each direction of each head, one head after another."""
BITS = 30  # of the greatest range
NOISE = 2**-39  # the checker's weights are known to so much of the greatest
MOST_TOKENS = 1 << 20


class FormRanges:
    """Everything about a form that follows from shortest paths."""

    def __init__(self, floats: FloatNetwork, claim: TracksClaim, form: Form, room: int = 1) -> None:
        """``room`` is how many units of 2^-bits are left to roundings of the checker."""
        self.floats, self.claim, self.form, self.room = floats, claim, form, room
        self.columns = Columns(claim, form)
        self.heads = Heads(floats, claim, form)
        self.directions = directions(self.heads, claim, form)
        self.rows = [matrix / ONE for matrix in self.directions]
        self.along = [np.swapaxes(table.written @ rows.T, 0, 1) for table, rows in
                      zip(self.heads.tables, self.rows, strict=True)]
        reach = max((np.abs(values).max() for values in self.along if values.size), default=1)
        self.bits = BITS - max(-BITS, int(np.ceil(np.log2(max(reach, 2**-20)))))
        self.queries = queries(self.columns)
        self._weights: dict[tuple[int, int], Array] = {}

    @property
    def has_positions(self) -> bool:
        """Whether the stream of a token depends on its place."""
        return self.floats.positions is not None

    def weights(self, number: int, head: int) -> Array:
        """The weights [place, token] of a head for a query, the greatest of those that may be met about 1."""
        if (number, head) not in self._weights:
            query = self.queries[number]
            scores = self.heads.tables[head].scores(query.place, query.own)
            met = np.zeros(scores.shape, np.bool_)
            kept = Restricted(query)
            for place, one in enumerate(self.form.layout[: query.place + 1]):
                met[place, self.columns.stand(one, kept) if place != query.place else [query.own]] = True
            self._weights[number, head] = np.where(met, np.exp(np.minimum(scores - scores[met].max(), 0)), 0)
        return self._weights[number, head]

    def paths(self, restricted: Restricted, number: int, head: int, vector: Array) -> Paths:
        """Paths for the values vector · along of a head; ``vector`` has an entry for each direction."""
        weights = self.weights(number, head)
        values = self.along[head][: len(weights)] @ vector
        met = values[weights > 0]
        return Paths(restricted, lines(restricted.query, weights, values), met.min(), met.max())

    def greatest(self, restricted: Restricted, number: int, head: int, vector: Array,
                 members: NDArray[np.intp]) -> Array:  # fmt: skip
        """The greatest vector · average of some classes, with room for the checker's roundings.

        Where all weights are too small to be told from 0, it is the greatest value.
        """
        paths = self.paths(restricted, number, head, vector)
        top, weight = paths.greatest_ratios(members)
        spread = paths.greatest - paths.least
        places = self.queries[number].place + 1
        with np.errstate(divide="ignore", invalid="ignore"):
            room = top + NOISE * spread * places / np.minimum(weight, 1)
        return np.where(np.isfinite(room), np.minimum(room, paths.greatest), paths.greatest) + 2**-40

    def bounds(self, number: int, split: Sequence[tuple[int, int]], members: NDArray[np.intp]) -> Bounds:
        """The ranges [classes, directions of all heads] of some classes of a query."""
        restricted = Restricted(self.queries[number], tuple(split))
        least, greatest = [], []
        for head, rows in enumerate(self.rows):
            for vector in np.eye(len(rows)):
                greatest.append(self.greatest(restricted, number, head, vector, members))
                least.append(-self.greatest(restricted, number, head, -vector, members))
        if not least:
            return np.zeros((len(members), 0), np.int64), np.zeros((len(members), 0), np.int64)
        scale = np.float64(2) ** self.bits
        return (np.floor(np.stack(least, 1) * scale).astype(np.int64) - self.room,
                np.ceil(np.stack(greatest, 1) * scale).astype(np.int64) + self.room)


@dataclass
class Ranged:
    """A class with its ranges."""

    one: Class
    least: Whole
    greatest: Whole


def ranged(form: FormRanges) -> list[list[Ranged]]:
    """All classes of a form, query by query, with their ranges."""
    found: list[list[Ranged]] = []
    for number, classes in enumerate(all_classes(form.queries)):
        members = np.array([one.member for one in classes], np.intp)
        if not len(members):
            found.append([])
            continue
        least, greatest = form.bounds(number, (), members)
        found.append([Ranged(*row) for row in zip(classes, least, greatest, strict=True)])
    if max((len(one) for one in found), default=0) > MOST_TOKENS:
        raise Unsupported("very many classes")
    return found

