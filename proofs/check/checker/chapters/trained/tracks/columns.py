"""The steps of a machine that remain for a token of the query and given columns.

See docs/reference/tracks.md, section 4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ....kernel.budget import ENTRY_BITS, Budget
from ..reading.dyadics import POINTER_BITS
from ..reading.tracks_claim import Layout, LayoutPlace, Step, TracksClaim, Transducer
from ..zonotopes.ranges import ColumnSource

Given = tuple[tuple[int, frozenset[int]], ...]
"""Columns, each with its remaining letters, or the numbers of its remaining moves."""


class ColumnMove(NamedTuple):
    """A step: source state, column (its index), target state, tokens written."""

    source: int
    letters: int
    target: int
    written: tuple[int, ...]


Naming = Callable[[int, int, ColumnMove | int | None], ColumnSource]
"""The source of a token, by its move or last state: place and token; for a node its label, and 1 if it is a query."""


class FormColumns:
    """The moves of each column of a form, and the tokens of its places."""

    def __init__(self, budget: Budget, claim: TracksClaim, form: Layout) -> None:
        self.budget, self.claim, self.form = budget, claim, form
        made = {table: [ColumnMove(state, letters, step[0], step[1:])
                        for state, steps in enumerate(claim.machine.tables[table])
                        for letters, step in enumerate(steps) if step is not None] for table in {*form.columns}}
        budget.hold(ENTRY_BITS * sum(map(len, made.values())))
        self.moves = [made[table] for table in form.columns]
        self.ends = [state for state, end in enumerate(claim.machine.end) if end is not None]

    def is_fixed(self, place: int) -> bool:
        """Return whether all inputs are one class there: at fixed tokens that are not just before the answers."""
        return self.form.layout[place].kind == "token" and place + 1 < self.form.first_answer

    def by(self, place: int) -> int | None:
        """Return the column whose moves determine the token at a place (the answer's, for one before it), or None."""
        one = self.form.layout[place]
        return self.form.layout[place + 1].column if one.kind == "token" and not self.is_fixed(place) else one.column

    def token(self, place: LayoutPlace, move: ColumnMove) -> int:
        """Return the token at a place that this move determines."""
        if place.kind == "token":
            return place.index
        if place.kind == "track":
            return self.claim.tracks[place.index].tokens[self.claim.columns[move.letters][place.index]]
        return move.written[place.index]

    def number(self, move: ColumnMove) -> int:
        """Return the number of a move, by state, then by letters."""
        return move.source * len(self.claim.columns) + move.letters

    def end_token(self, place: LayoutPlace, state: int) -> int:
        """Return the token at a place that an allowed last state determines."""
        return place.index if place.kind == "token" else (self.claim.machine.end[state] or ())[place.index]

    def possible_tokens(self, place: LayoutPlace) -> list[int]:
        """Return all tokens that may occur at a place, ascending; some may not, if columns are never used."""
        return self.tokens_at(place, RemainingMoves(self.moves, self.ends))

    def tokens_at(self, place: LayoutPlace, kept: RemainingMoves) -> list[int]:
        """Return the tokens that occur at a place where these moves are made."""
        if place.kind == "token":
            return [place.index]
        if place.column is None:
            return sorted({self.end_token(place, state) for state in kept.lasts})
        self.budget.spend(1 + (len(kept.moves[place.column]) >> 1))
        return sorted({self.token(place, move) for move in kept.moves[place.column]})


class RemainingMoves(NamedTuple):
    """The moves of each column, and the last states, that are on a path from the start to an allowed end."""

    moves: list[list[ColumnMove]]
    lasts: list[int]


def find_remaining(columns: FormColumns, read: LayoutPlace | None, own: int, given: Mapping[int, frozenset[int]]
         ) -> RemainingMoves:
    """Return the moves that remain where the token at a place is ``own``, and columns have some of these letters."""
    kept, count = [], sum(map(len, columns.moves))
    columns.budget.spend(1 + 2 * count)
    with columns.budget.holding(2 * POINTER_BITS * count):
        for column, moves in enumerate(columns.moves):
            is_read = read is not None and read.column == column
            kept.append([move for move in moves if (column not in given or move.letters in given[column])
                         and not (read is not None and is_read and columns.token(read, move) != own)])
        lasts = columns.ends
        if read is not None and read.kind == "end":
            lasts = [state for state in lasts if columns.end_token(read, state) == own]
        found = on_paths(kept, columns.claim.machine.start, lasts)
    columns.budget.hold(POINTER_BITS * sum(map(len, found.moves)))
    return found


def windowed(budget: Budget, claim: TracksClaim, form: Layout, window: int) -> tuple[TracksClaim, Layout]:
    """Return claim and form with a machine of equal output whose states also have the last ``window`` - 1 columns.

    States are numbered by column, then by the number of the state before, then by letters.
    """
    machine, letters, most = claim.machine, range(len(claim.columns)), window - 1
    known: dict[tuple[int, tuple[int, ...]], int] = {(machine.start, ()): 0}
    reached, made = [*known], list[dict[tuple[int, int], Step]]()
    for table in form.columns:
        made.append({})
        met = dict[tuple[int, tuple[int, ...]], None]()
        budget.spend(len(reached) * len(letters))
        budget.hold(2 * ENTRY_BITS * len(reached) * len(letters))
        for state, last in reached:
            for column, step in enumerate(machine.tables[table][state]):
                if step is not None:
                    after = step[0], (*last, column)[max(0, len(last) + 1 - most):]
                    made[-1][known[state, last], column] = known.setdefault(after, len(known)), *step[1:]
                    met[after] = None
        reached = sorted(met, key=known.__getitem__)
    budget.spend(len(made) * len(known) * len(letters))
    budget.hold(POINTER_BITS * len(made) * len(known) * len(letters))
    tables = tuple(tuple(tuple(steps.get((state, column)) for column in letters) for state in range(len(known)))
                   for steps in made)
    ends = tuple(machine.end[state] for state, _ in known)
    return replace(claim, machine=Transducer(0, tables, ends)), replace(form, columns=tuple(range(len(made))))


def on_paths(moves: Sequence[Sequence[ColumnMove]], start: int, lasts: Sequence[int]) -> RemainingMoves:
    """Return the moves that are on a path from the start to one of the last states."""
    reached = [{start}]
    for column in moves:
        reached.append({move.target for move in column if move.source in reached[-1]})
    useful = [reached[-1] & {*lasts}]
    kept = []
    for column, before in zip(reversed(moves), reversed(reached[:-1]), strict=True):
        kept.append([move for move in column if move.source in before and move.target in useful[-1]])
        useful.append({move.source for move in kept[-1]})
    return RemainingMoves(kept[::-1], sorted(useful[0]))
