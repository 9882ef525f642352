"""The steps of a machine that are left where a token is read and some columns are given; docs/tracks.md, section 4."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ....kernel.budget import ENTRY_BITS, Budget
from ..reading.dyadics import POINTER_BITS
from ..reading.tracks_claim import Layout, LayoutPlace, Step, TracksClaim, Transducer
from ..zonotopes.ranges import ColumnSource


class ColumnMove(NamedTuple):
    """A step: from a state, with a column (its index), to a state, with what is written."""

    source: int
    letters: int
    target: int
    written: tuple[int, ...]


Naming = Callable[[int, int, ColumnMove | int | None], ColumnSource]
"""What is read at a place, where a token stands by a move or a last state, if they tell it apart: the place and the
token; of a node also its label, and whether (1, else 0) it asks for the answer after the place."""


class FormColumns:
    """The moves of each column of a form, and what stands where."""

    def __init__(self, budget: Budget, claim: TracksClaim, form: Layout) -> None:
        self.budget, self.claim, self.form = budget, claim, form
        made = {table: [ColumnMove(state, letters, step[0], step[1:])
                        for state, steps in enumerate(claim.machine.tables[table])
                        for letters, step in enumerate(steps) if step is not None] for table in {*form.columns}}
        budget.hold(ENTRY_BITS * sum(map(len, made.values())))
        self.moves = [made[table] for table in form.columns]
        self.ends = [state for state, end in enumerate(claim.machine.end) if end is not None]

    def is_alike(self, place: int) -> bool:
        """Whether all inputs are one class there: where a token stands that is fixed, but not before the answers."""
        return self.form.layout[place].kind == "token" and place + 1 < self.form.first_answer

    def by(self, place: int) -> int | None:
        """The column whose moves tell apart what is read at a place: its own, or the first answer's, where a token is
        fixed before it; None if last states do, or nothing."""
        one = self.form.layout[place]
        return self.form.layout[place + 1].column if one.kind == "token" and not self.is_alike(place) else one.column

    def token(self, place: LayoutPlace, move: ColumnMove) -> int:
        """What stands at a place where this move tells it."""
        if place.kind == "token":
            return place.index
        if place.kind == "track":
            return self.claim.tracks[place.index].tokens[self.claim.columns[move.letters][place.index]]
        return move.written[place.index]

    def end_token(self, place: LayoutPlace, state: int) -> int:
        """What stands at a place where an allowed last state tells it."""
        return place.index if place.kind == "token" else (self.claim.machine.end[state] or ())[place.index]

    def may_stand(self, place: LayoutPlace) -> list[int]:
        """All tokens that may stand at a place, ascending; perhaps more, if columns are never met."""
        return self.stand(place, Left(self.moves, self.ends))

    def stand(self, place: LayoutPlace, kept: Left) -> list[int]:
        """Those that stand there where these moves are made."""
        if place.kind == "token":
            return [place.index]
        if place.column is None:
            return sorted({self.end_token(place, state) for state in kept.lasts})
        self.budget.spend(1 + (len(kept.moves[place.column]) >> 1))
        return sorted({self.token(place, move) for move in kept.moves[place.column]})


class Left(NamedTuple):
    """The moves of each column, and the last states, that are on a path from the start to an allowed end."""

    moves: list[list[ColumnMove]]
    lasts: list[int]


def left(columns: FormColumns, read: LayoutPlace | None, own: int, given: Mapping[int, frozenset[int]]
         ) -> Left:
    """What is left where a token is read at a place, and columns have some of these letters."""
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
    """The same about a machine whose states also know the last ``window`` - 1 columns: what it writes is the same.

    States are numbered as they are met: column by column, by the number of the state before, then by letters.
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


def on_paths(moves: Sequence[Sequence[ColumnMove]], start: int, lasts: Sequence[int]) -> Left:
    """Those of the moves that are on a path from the start to one of the last states."""
    reached = [{start}]
    for column in moves:
        reached.append({move.target for move in column if move.source in reached[-1]})
    useful = [reached[-1] & {*lasts}]
    kept = []
    for column, before in zip(reversed(moves), reversed(reached[:-1]), strict=True):
        kept.append([move for move in column if move.source in before and move.target in useful[-1]])
        useful.append({move.source for move in kept[-1]})
    return Left(kept[::-1], sorted(useful[0]))
