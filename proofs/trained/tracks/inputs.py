"""Inputs of a form as arrays of columns (indices of combinations of letters), and their tokens."""

import numpy as np
from numpy.typing import NDArray

from constructions.trained.tracks import Column, Layout, TracksClaim, useful_states

Indices = NDArray[np.intp]


class TransducerArrays:
    """The transducer of a form as arrays."""

    def __init__(self, claim: TracksClaim, form: Layout) -> None:
        self.claim, self.form = claim, form
        self._letters = np.array(claim.all_columns, np.intp)
        made = {table: self._table(table) for table in set(form.columns)}
        self._tables = [made[table] for table in form.columns]
        self._may_end = np.array([end is not None for end in claim.machine.end])
        width = max(len(end) for end in claim.machine.end if end is not None)
        ends = [end or (0,) * width for end in claim.machine.end]
        self._ends = np.array(ends, np.intp).reshape(len(ends), width)  # perhaps nothing is written

    def _table(self, table: int) -> Indices:
        """Return, for each state and column, the next state (-1 where it is not allowed) and the outputs."""
        steps = self.claim.machine.tables[table]
        width = next((len(step) for row in steps for step in row if step is not None), 1)
        return np.array([[step or (-1,) * width for step in row] for row in steps], np.intp)

    def allowed(self, columns: Indices) -> Indices:
        """Return the inputs [N, columns] that the transducer allows."""
        state = np.full(len(columns), self.claim.machine.start)
        fine = np.ones(len(columns), np.bool_)
        for place, table in enumerate(self._tables):
            state = table[state, columns[:, place], 0]
            fine &= state >= 0
            state = np.maximum(state, 0)
        return np.asarray(columns[fine & self._may_end[state]])

    def tokens(self, columns: Indices) -> Indices:
        """Return the sequences [N, places] of allowed inputs."""
        states = [np.full(len(columns), self.claim.machine.start)]
        for place, table in enumerate(self._tables):
            states.append(table[states[-1], columns[:, place], 0])
        found = np.empty((len(columns), len(self.form.layout)), np.intp)
        for number, one in enumerate(self.form.layout):
            column = columns[:, one.column]
            if one.kind == "token":
                found[:, number] = one.index
            elif one.kind == "track":
                tokens = np.array(self.claim.tracks[one.index].tokens, np.intp)
                found[:, number] = tokens[self._letters[column, one.index]]
            elif one.kind == "answer":
                found[:, number] = self._tables[one.column][states[one.column], column, 1 + one.index]
            else:
                found[:, number] = self._ends[states[-1], one.index]
        return found

    def every(self) -> Indices:
        """Return all allowed inputs, [N, columns]."""
        prefixes, states = np.zeros((1, 0), np.intp), np.array([self.claim.machine.start])
        for table, useful in zip(self._tables, self._useful()[1:], strict=True):
            following = table[states, :, 0]
            row, column = np.nonzero((following >= 0) & useful[following])
            prefixes, states = np.column_stack([prefixes[row], column]), following[row, column]
        return prefixes

    def drawn(self, count: int, seed: int = 0) -> Indices:
        """Draw up to ``count`` allowed inputs at random, column by column; equal arguments give equal inputs."""
        draw, states = np.random.default_rng(seed), np.full(count, self.claim.machine.start)
        found = np.empty((count, len(self._tables)), np.intp)
        for place, (table, useful) in enumerate(zip(self._tables, self._useful()[1:], strict=True)):
            following = table[states, :, 0]
            chance = np.where((following >= 0) & useful[following], draw.random(following.shape), -1)
            found[:, place] = chance.argmax(1)
            states = following[np.arange(count), found[:, place]]
        return self.allowed(found)

    def _useful(self) -> list[NDArray[np.bool_]]:
        """Return, before each column and after the last one, from which states an allowed end is reached."""
        numbers = range(len(self._may_end))
        return [np.array([state in states for state in numbers]) for states in useful_states(self.claim, self.form)]

    def near(self, columns: Indices) -> Indices:
        """Return the allowed inputs that differ from one [columns] in one column."""
        count, letters = len(columns), len(self._letters)
        near = np.tile(columns, (count * letters, 1))
        near[np.arange(count * letters), np.repeat(np.arange(count), letters)] = np.tile(np.arange(letters), count)
        return self.allowed(near[(near != columns).any(axis=1)])

    def indices(self, inputs: list[tuple[Column, ...]]) -> Indices:
        """Return inputs as arrays."""
        found = [[self.claim.column_index[column] for column in one] for one in inputs]
        return np.array(found, np.intp).reshape(len(found), len(self.form.columns))

    def columns(self, one: Indices) -> tuple[Column, ...]:
        """Return the letters of an input, column by column."""
        return tuple(self.claim.all_columns[index] for index in one.tolist())
