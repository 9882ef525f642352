"""What is asked at each answer: the tokens that may be read there, and classes of inputs; docs/tracks.md, section 4."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ....kernel.verdicts import expect
from .claim import LayoutPlace
from .columns import ColumnMove, FormColumns, Left, left

Given = tuple[tuple[int, int], ...]
"""Columns, each with its letters."""


@dataclass(frozen=True)
class Query:
    """The answer after ``place``, asked where the token ``own`` is read."""

    columns: FormColumns
    place: int
    own: int

    @property
    def read(self) -> LayoutPlace:
        """What stands where it is asked."""
        return self.columns.form.layout[self.place]

    @property
    def answer(self) -> LayoutPlace:
        """What is to be written."""
        return self.columns.form.layout[self.place + 1]

    def left(self, given: Given = ()) -> Left:
        """The moves that are on a path."""
        return left(self.columns, self.read, self.own, dict(given))

    @cached_property
    def classes(self) -> list[Class]:
        """Its classes, by state and letters."""
        return list(classes_of(self, ()))


@dataclass(frozen=True)
class Class:
    """All inputs with a move in the answer's column, or a last state, and perhaps with given columns."""

    member: ColumnMove | int
    answer: int
    given: Given = ()


def classes_of(query: Query, given: Given) -> Iterator[Class]:
    """The classes that occur where columns are given; in order of the moves, or of the last states."""
    kept, answer = query.left(given), query.answer
    if answer.column is None:
        for state in kept.lasts:
            yield Class(state, query.columns.end_token(answer, state), given)
    else:
        for move in kept.moves[answer.column]:
            yield Class(move, query.columns.token(answer, move), given)


def make_queries(columns: FormColumns) -> list[Query]:
    """All of a form, by place and token. A query that no input has is without classes."""
    form = columns.form
    return [Query(columns, place - 1, own) for place in range(form.first_answer, len(form.layout))
            for own in columns.may_stand(form.layout[place - 1])]


def split(queries: Sequence[Query], splits: Sequence[Sequence[int]]) -> list[list[Class]]:
    """The classes of each query, where these classes (query, class, column) are replaced by their parts, in turn.

    Raises:
        Malformed: if one is not there.
    """
    found = [list(query.classes) for query in queries]
    for number, place, column in splits:
        expect(number < len(found) and place < len(found[number]), "splits: there is no such class")
        query, whole = queries[number], found[number][place]
        expect(column < len(query.columns.moves) and column not in dict(whole.given), "splits: no such column is left")
        parts = [one for letters in range(len(query.columns.claim.columns))
                 for one in classes_of(query, (*whole.given, (column, letters))) if one.member == whole.member]
        found[number][place:place + 1] = parts
    return found
