"""Queries and sources of an attention step: tokens at places in the first one, later nodes; docs/howto/aligned.md.

A node is a place, a token there, and classes with one label, whose ranges in the step before are nearly equal.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proofs.trained.tracks.paths import VisibleSources
from proofs.trained.tracks.queries import Restricted, StepArrays, TokenQuery

Array = NDArray[np.float64]
Indices = NDArray[np.intp]
Whole = NDArray[np.int64]
Ranges = tuple[Whole, Whole]
NOWHERE = -1


@dataclass(frozen=True)
class Sources:
    """Source rows at each place, [step] of its column, [state] or one; and rows of queries, by step or state."""

    columns: StepArrays
    read: Sequence[Indices]
    query_rows: dict[tuple[int, int, bool], Indices]

    def own(self, query: TokenQuery, member: int) -> int:
        """Return the row of a class of a query."""
        rows = self.query_rows[query.place, query.own, query.for_answer]
        return int(rows[member if len(rows) > 1 else 0])

    def visible(self, place: int, own: int) -> VisibleSources:
        """Return the sources visible from a place to the row ``own``."""
        steps = self.columns.source
        fixed, lasts = [np.array([own])], list[Indices]()
        inside: list[list[Indices]] = [[] for _ in steps]
        for number, rows in enumerate(self.read[:place]):
            if self.columns.is_fixed(number):
                fixed.append(rows)
            else:
                by = self.columns.by(number)
                (lasts if by is None else inside[by]).append(rows)
        return VisibleSources(np.concatenate(fixed), tuple(
            _beside(rows, len(source)) for rows, source in zip(inside, steps, strict=True)),
            _beside(lasts, self.columns.states))

    def visible_rows(self, query: TokenQuery, own: int) -> Indices:
        """Return the rows visible to a query on some input."""
        kept, found = Restricted(query), [np.array([own])]
        for place, rows in enumerate(self.read[:query.place]):
            by = self.columns.by(place)
            found.append(rows if self.columns.is_fixed(place) else rows[kept.lasts if by is None else kept.kept[by]])
        return np.unique(np.concatenate(found))


def _beside(rows: list[Indices], length: int) -> Indices:
    return np.stack(rows, axis=1) if rows else np.zeros((length, 0), np.intp)


def tokens_at_places(columns: StepArrays, tokens: int) -> Sources:
    """Return the rows of `levels.first_level`."""
    layout = columns.form.layout
    read = []
    for place, one in enumerate(layout[:-2]):
        tokens_there = np.full(_rows_at(columns, place), one.index) if one.kind == "token" else (
            columns.ends(one) if one.kind == "end" else columns.tokens(one))
        read.append(place * tokens + np.maximum(tokens_there, 0))
    query_rows = {(place, token, for_answer): np.array([place * tokens + token]) for place in range(len(layout) - 1)
              for token in range(tokens) for for_answer in (True, False)}
    return Sources(columns, read, query_rows)


@dataclass(frozen=True)
class Nodes:
    """Labels for each source place, then for each query place; for each node a query and a class of it."""

    labels: list[Indices | None]
    first: list[tuple[int, int]]
    members: list[list[Indices]]
    sources: Sources

    def hulls(self, classes: Sequence[tuple[Indices, Ranges]]) -> Ranges:
        """Return the hulls of the ranges of the classes of each node."""
        least, greatest = [], []
        for (_, ranges), nodes in zip(classes, self.members, strict=True):
            for those in nodes:
                least.append(ranges[0][those].min(axis=0))
                greatest.append(ranges[1][those].max(axis=0))
        return np.stack(least), np.stack(greatest)

    def label(self, query: TokenQuery, member: int) -> int:
        """Return the label of a class of a query before an answer."""
        columns = self.sources.columns
        labels = self.labels[len(columns.form.layout) - 2 + query.place + 1 - columns.form.asked[0]]
        return 0 if labels is None else int(labels[index_of(columns, query, np.array([member]))[0]])


def index_of(columns: StepArrays, query: TokenQuery, members: Indices) -> Indices:
    """Return the indices of the labels of classes in a certificate."""
    if query.by is None:
        return members
    letters = len(columns.claim.all_columns)
    return np.asarray(columns.source[query.by][members] * letters + columns.letters[query.by][members])


def make_nodes(columns: StepArrays, asked: Sequence[TokenQuery], classes: Sequence[tuple[Indices, Ranges]], bits: int,
               fineness: np.float64) -> Nodes:
    """Return nodes of classes with ranges within ``fineness`` times the greatest; before answers, for all tokens."""
    layout, letters = columns.form.layout, len(columns.claim.all_columns)
    labels: list[Indices | None] = []
    most = fineness * max((np.abs(end).max(initial=0) for _, ranges in classes for end in ranges), default=0)
    keys = [(place, False) for place in range(len(layout) - 2)] + [(place - 1, True) for place in columns.form.asked]
    for place, for_answer in keys:
        mine = [number for number, query in enumerate(asked) if (query.place, query.for_answer) == (place, for_answer)]
        by = asked[mine[0]].by
        if not for_answer and columns.is_fixed(place):
            labels.append(None)
            continue
        length = columns.states * (1 if by is None else letters)
        vectors = []
        for number in mine:
            members, ranges = classes[number]
            vector = np.full((length, 2 * ranges[0].shape[1]), np.nan)
            vector[index_of(columns, asked[number], members)] = np.concatenate(ranges, axis=1)
            vectors.append(vector)
        labels.append(_clusters(np.concatenate(vectors, axis=1) if for_answer else _merged(vectors), most))
    return _number(columns, asked, classes, dict(zip(keys, labels, strict=True)))


def _merged(vectors: Sequence[Array]) -> Array:
    """Merge arrays of which at most one has a number (not NaN) at each place."""
    found = vectors[0]
    for one in vectors[1:]:
        found = np.where(np.isnan(found), one, found)
    return found


def _clusters(vectors: Array, most: np.float64) -> Indices:
    """Label vectors; those within ``most`` of the first of a cluster have its label; NaN is near to everything."""
    labels, leaders = np.zeros(len(vectors), np.intp), np.zeros((0, vectors.shape[1]))
    for place, vector in enumerate(vectors):
        if np.isnan(vector).all():
            continue
        near = np.flatnonzero(~(np.abs(leaders - vector) > most).any(axis=1))
        if len(near):
            labels[place] = near[0]
            leaders[near[0]] = np.where(np.isnan(leaders[near[0]]), vector, leaders[near[0]])
        else:
            labels[place] = len(leaders)
            leaders = np.concatenate([leaders, vector[np.newaxis]])
    return labels


def _number(columns: StepArrays, asked: Sequence[TokenQuery], classes: Sequence[tuple[Indices, Ranges]],
            labels: dict[tuple[int, bool], Indices | None]) -> Nodes:
    """Return the nodes in their order."""
    first, grouped = list[tuple[int, int]](), list[list[Indices]]()
    query_rows: dict[tuple[int, int, bool], Indices] = {}
    read = [np.full(_rows_at(columns, place), NOWHERE) for place in range(len(columns.form.layout) - 2)]
    for number, (query, (members, _)) in enumerate(zip(asked, classes, strict=True)):
        of_place = labels[query.place, query.for_answer]
        mine = np.zeros(len(members), np.intp) if of_place is None else of_place[index_of(columns, query, members)]
        rows = np.full(columns.states if query.by is None else len(columns.source[query.by]), NOWHERE)
        grouped.append([])
        for one in np.unique(mine):
            those = np.flatnonzero(mine == one)
            rows[members[those]] = len(first)
            first.append((number, int(members[those[0]])))
            grouped[-1].append(those)
        query_rows[query.place, query.own, query.for_answer] = rows if len(rows) > 1 else np.repeat(rows, 2)
        if not query.for_answer and len(members):
            if columns.is_fixed(query.place):
                read[query.place][:] = rows[members[0]]
            else:
                read[query.place][members] = rows[members]
    return Nodes(list(labels.values()), first, grouped, Sources(columns, read, query_rows))


def _rows_at(columns: StepArrays, place: int) -> int:
    if columns.is_fixed(place):
        return 1
    by = columns.by(place)
    return columns.states if by is None else len(columns.source[by])
