"""Queries: for each place before an answer, and each token that may occur there, the classes of inputs.

Queries, classes and groups have the order of docs/reference/tracks.md, section 4, in which the checker reads them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from constructions.trained.tracks import Layout, TokenSource, TracksClaim

Indices = NDArray[np.intp]
Allowed = NDArray[np.bool_]
Split = tuple[tuple[int, frozenset[int]], ...]
"""Columns of a class, each with its remaining combinations of letters (their indices)."""


class StepArrays:
    """The steps of a form as arrays: for each column ``source``, ``letters`` and ``target`` of all allowed steps."""

    def __init__(self, claim: TracksClaim, form: Layout) -> None:
        self.claim, self.form = claim, form
        self.states = len(claim.machine.end)
        letters = np.array(claim.all_columns, np.intp)
        made = {table: self._table(table) for table in set(form.columns)}
        self.source, self.letters, self.target, self._written = zip(
            *(made[table] for table in form.columns), strict=True)
        self._tokens = [np.array(track.tokens, np.intp)[letters[:, index]] for index, track in enumerate(claim.tracks)]
        self.may_end = np.array([end is not None for end in claim.machine.end])

    def _table(self, table: int) -> tuple[Indices, Indices, Indices, Indices]:
        found = [(state, index, *step) for state, steps in enumerate(self.claim.machine.tables[table])
                 for index, step in enumerate(steps) if step is not None]
        array = np.array(found, np.intp).reshape(len(found), -1)
        return array[:, 0], array[:, 1], array[:, 2], array[:, 3:]

    def is_fixed(self, place: int) -> bool:
        """Return whether all inputs are one class at a place: a fixed token that is not just before the answers."""
        return self.form.layout[place].kind == "token" and place + 1 < self.form.asked[0]

    def by(self, place: int) -> int | None:
        """Return the column whose steps determine the token at a place, if there is one."""
        one = self.form.layout[place]
        return _column(self.form.layout[place + 1] if one.kind == "token" and not self.is_fixed(place) else one)

    def tokens(self, place: TokenSource) -> Indices:
        """Return the token at a place of a column, for each of its steps."""
        if place.kind == "track":
            return np.asarray(self._tokens[place.index][self.letters[place.column]])
        return np.asarray(self._written[place.column][:, place.index])

    def ends(self, place: TokenSource) -> Indices:
        """Return the token at a place that last states determine, for each state; -1 where it may not be last."""
        return np.array([-1 if end is None else end[place.index] for end in self.claim.machine.end], np.intp)

    def possible_tokens(self, place: TokenSource) -> list[int]:
        """Return the tokens that may occur at a place, ascending."""
        if place.kind == "token":
            return [place.index]
        found = self.ends(place)[self.may_end] if place.kind == "end" else self.tokens(place)
        return sorted({*found.tolist()})


@dataclass(frozen=True)
class TokenQuery:
    """A query at ``place`` with the token ``own``, or that token as a source; ``for_answer`` if it is just before one.

    Classes are the steps of the column ``by``, or last states if it is None.
    """

    columns: StepArrays
    place: int
    own: int
    by: int | None
    for_answer: bool

    @property
    def at(self) -> TokenSource:
        """The place in the layout."""
        return self.columns.form.layout[self.place]

    def steps(self, column: int) -> Allowed:
        """Return which steps of a column are possible with the own token."""
        if self.at.kind in ("track", "answer") and self.at.column == column:
            return np.asarray(self.columns.tokens(self.at) == self.own)
        return np.ones(len(self.columns.source[column]), np.bool_)

    def lasts(self) -> Allowed:
        """Return which last states are possible with the own token."""
        if self.at.kind == "end":
            return np.asarray(self.columns.may_end & (self.columns.ends(self.at) == self.own))
        return self.columns.may_end.copy()


def queries(columns: StepArrays) -> list[TokenQuery]:
    """Return all queries, by place and then by token."""
    form = columns.form
    return [TokenQuery(columns, place - 1, own, _column(form.layout[place]), True) for place in form.asked
            for own in columns.possible_tokens(form.layout[place - 1])]


def sources(columns: StepArrays) -> list[TokenQuery]:
    """Return the sources at each place to which a later one attends, by place and then by token."""
    layout = columns.form.layout
    return [TokenQuery(columns, place, own, columns.by(place), False) for place in range(len(layout) - 2)
            for own in columns.possible_tokens(layout[place])]


def _column(place: TokenSource) -> int | None:
    return place.column if place.kind in ("track", "answer") else None


@dataclass(frozen=True)
class Restricted:
    """A query with columns restricted, perhaps to one class: the steps on a path from the start to an allowed end."""

    query: TokenQuery
    split: Split = ()
    member: int | None = None
    kept: tuple[Allowed, ...] = field(init=False)
    lasts: Allowed = field(init=False)

    def __post_init__(self) -> None:
        columns, limits = self.query.columns, dict(self.split)
        kept = []
        for column in range(len(columns.source)):
            steps = self.query.steps(column)
            kept.append(steps & np.isin(columns.letters[column], [*limits[column]]) if column in limits else steps)
        before, after = [np.zeros(columns.states, np.bool_)], [self.query.lasts()]
        if self.member is not None:
            own = after[0] if self.query.by is None else kept[self.query.by]
            own &= np.arange(len(own)) == self.member
        before[0][columns.claim.machine.start] = True
        for column, steps in enumerate(kept):
            on = steps & before[-1][columns.source[column]]
            reached = np.zeros(columns.states, np.bool_)
            reached[columns.target[column][on]] = True
            before.append(reached)
        for column in reversed(range(len(kept))):
            on = kept[column] & after[0][columns.target[column]]
            useful = np.zeros(columns.states, np.bool_)
            useful[columns.source[column][on]] = True
            after.insert(0, useful)
        object.__setattr__(self, "kept", tuple(
            steps & before[column][columns.source[column]] & after[column + 1][columns.target[column]]
            for column, steps in enumerate(kept)))
        object.__setattr__(self, "lasts", before[-1] & after[-1])

    @cached_property
    def classes(self) -> Indices:
        """The steps of the column that distinguishes classes, or the last states: a class each."""
        by = self.query.by
        return np.flatnonzero(self.lasts if by is None else self.kept[by])


@dataclass
class InputClass:
    """Inputs with one step in a column, or one last state, and perhaps with split columns."""

    query: int
    member: int
    split: Split = ()


def all_classes(asked: list[TokenQuery]) -> list[list[InputClass]]:
    """Return the classes of each query that occur, in order."""
    return [[InputClass(number, member) for member in Restricted(query).classes.tolist()]
            for number, query in enumerate(asked)]


def right(query: TokenQuery, one: InputClass) -> int:
    """Return the right answer of a class."""
    columns = query.columns
    answer = columns.form.layout[query.place + 1]
    return int((columns.ends(answer) if query.by is None else columns.tokens(answer))[one.member])
