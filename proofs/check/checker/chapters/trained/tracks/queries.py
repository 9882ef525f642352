"""Queries at places: tokens that may occur there, classes of inputs, and nodes of several classes.

Before the first attention step the stream of a token depends on its place alone; between two steps it is that of a
*node*. docs/reference/tracks.md, section 4, and tracks_rules.md, section 5, Layers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ....kernel.budget import ENTRY_BITS
from ....kernel.verdicts import expect
from ..reading.dyadics import POINTER_BITS
from ..reading.tracks_claim import LayoutPlace, TracksClaim
from ..zonotopes.ranges import ColumnSource
from .columns import ColumnMove, FormColumns, Given, RemainingMoves, find_remaining

Labels = Sequence[int] | None
"""A number for each move (by state, then by letters), or for each last state; None if all are 0."""


@dataclass(frozen=True)
class TokenQuery:
    """A query at ``place`` with the token ``own``; or that token as a source.

    Classes differ in moves of the column ``by``, or in last states if it is None; those with one label are a node.
    """

    columns: FormColumns
    place: int
    own: int
    by: int | None
    labels: Labels
    is_query: bool

    @property
    def read(self) -> LayoutPlace:
        """The place of the query, in the layout."""
        return self.columns.form.layout[self.place]

    def answer(self, one: InputClass) -> int:
        """Return the right answer after it."""
        place = self.columns.form.layout[self.place + 1]
        return self.columns.token(place, one.member) if isinstance(one.member, ColumnMove) else (
            self.columns.end_token(place, one.member))

    def node(self, one: InputClass) -> ColumnSource:
        """Return the node of a class."""
        return self.place, self.own, label(self.columns.claim, self.labels, one.member), int(self.is_query)

    def remaining(self, given: Given = ()) -> RemainingMoves:
        """Return the moves that are on a path."""
        return find_remaining(self.columns, self.read, self.own, dict(given))

    @cached_property
    def numbers(self) -> list[frozenset[int]]:
        """The numbers of its moves in each column."""
        return [frozenset(map(self.columns.number, moves)) for moves in self.remaining().moves]

    @cached_property
    def classes(self) -> list[InputClass]:
        """Its classes, by state and letters."""
        return classes_of(self, ())


@dataclass(frozen=True)
class InputClass:
    """All inputs with a move in the answer's column, or a last state; perhaps with given columns, or given moves."""

    member: ColumnMove | int
    given: Given = ()
    moves: Given = ()


def label(claim: TracksClaim, labels: Labels, member: ColumnMove | int) -> int:
    """Return the label of a move or a last state."""
    if labels is None:
        return 0
    return labels[member.source * len(claim.columns) + member.letters if isinstance(member, ColumnMove) else member]


def classes_of(query: TokenQuery, given: Given) -> list[InputClass]:
    """Return the classes that occur with given columns; in order of the moves, or of the last states."""
    kept = query.remaining(given)
    return [InputClass(member, given) for member in (kept.lasts if query.by is None else kept.moves[query.by])]


def make_queries(columns: FormColumns, labels: Sequence[Labels]) -> list[TokenQuery]:
    """Return the queries at each place before an answer, by place and token; impossible ones have no classes."""
    form = columns.form
    return [TokenQuery(columns, place - 1, own, form.layout[place].column, of_place, is_query=True)
            for place, of_place in zip(range(form.first_answer, len(form.layout)), labels, strict=True)
            for own in columns.possible_tokens(form.layout[place - 1])]


def make_sources(columns: FormColumns, labels: Sequence[Labels]) -> list[TokenQuery]:
    """Return the sources at each place to which a later one attends."""
    return [TokenQuery(columns, place, own, columns.by(place), of_place, is_query=False)
            for place, of_place in enumerate(labels) for own in columns.possible_tokens(columns.form.layout[place])]


def expect_labels(columns: FormColumns, labels: Sequence[Labels]) -> None:
    """Require a label for each move, or last state, that distinguishes classes of a source or a query."""
    form, claim = columns.form, columns.claim
    read = range(len(form.layout) - 2)
    distinguishing = [*map(columns.by, read), *(place.column for place in form.layout[form.first_answer:])]
    expect(len(labels) == len(distinguishing), "labels: {}, expected {}", len(labels), len(distinguishing))
    for place, (by, of_place) in enumerate(zip(distinguishing, labels, strict=True)):
        if of_place is not None:
            expect(place not in read or not columns.is_fixed(place), "labels: a token that is fixed has none")
            expect(len(of_place) == len(claim.machine.end) * (1 if by is None else len(claim.columns)),
                   "labels: not as many as moves")


def split(queries: Sequence[TokenQuery], splits: Sequence[Sequence[int]], by_moves: bool = False
          ) -> list[list[InputClass]]:
    """Return the classes of each query after these splits, made in turn.

    A split is (query, class, column, and perhaps letters): the parts are single letters, or these and the others. Or
    by numbers of moves: these and the others, each some.

    Raises:
        Malformed: if a class or a column does not exist, or a part has no move.
    """
    found = [list(query.classes) for query in queries]
    for number, place, column, *chosen in splits:
        expect(number < len(found) and place < len(found[number]), "splits: there is no such class")
        query, whole = queries[number], found[number][place]
        exists = column < len(query.columns.moves) and not (by_moves and column == query.by)
        every = query.numbers[column] if by_moves and exists else frozenset(range(len(query.columns.claim.columns)))
        known = dict(whole.moves if by_moves else whole.given)
        allowed = known.pop(column, every)
        expect(exists and len(allowed) > 1, "splits: no such column is left")
        query.columns.budget.spend(len(allowed))
        query.columns.budget.hold((POINTER_BITS if by_moves else ENTRY_BITS) * len(allowed))
        sets = [allowed & {*chosen}, allowed - {*chosen}] if chosen else [frozenset([one]) for one in sorted(allowed)]
        expect(all(sets) or not by_moves, "splits: expected some of the moves that are left, not all")
        rest = tuple(known.items())
        parts = [replace(whole, moves=(*rest, (column, one))) for one in sets] if by_moves else [
            one for letters in sets for one in classes_of(query, (*rest, (column, letters)))]
        found[number][place:place + 1] = [one for one in parts if one.member == whole.member]
    return found
