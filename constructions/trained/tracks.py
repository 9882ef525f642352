"""Claims about inputs laid out in tracks (docs/howto/aligned.md), as data.

An input is a word of columns, with a letter of each track in every column. A transducer reads it column by column and
writes the right answers. The layout gives the places of letters and answers in the sequence of tokens, in any order.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Literal

from constructions.errors import InputError
from constructions.trained.network import TrainedNetwork

Column = tuple[int, ...]
"""A letter (its index) of each track."""
Step = tuple[int, ...] | None
"""The next state and the written tokens, one for each answer track; None where the column is not allowed."""
Table = tuple[tuple[Step, ...], ...]
"""For each state the steps of all columns, in lexicographic order."""
Kind = Literal["token", "track", "answer", "end"]


@dataclass(frozen=True)
class Track:
    """The symbols of a track, and their tokens."""

    name: str
    letters: tuple[str, ...]
    tokens: tuple[int, ...]


@dataclass(frozen=True)
class TokenSource:
    """The content of a place of the input: a token, a letter of track ``index``, an answer or an end answer."""

    kind: Kind
    index: int
    column: int = 0

    @property
    def is_answer(self) -> bool:
        """True if the network has to output it."""
        return self.kind in ("answer", "end")


@dataclass(frozen=True)
class Layout:
    """Inputs with this number of columns, each with a table of the transducer; the first place is not an answer.

    Answers before the place ``first``, if there is one, are given, not judged.
    """

    columns: tuple[int, ...]
    layout: tuple[TokenSource, ...]
    first: int | None = None

    @cached_property
    def asked(self) -> range:
        """The places of the answers that are judged; they are the last ones."""
        first = next(place for place, one in enumerate(self.layout) if one.is_answer and place >= (self.first or 0))
        return range(first, len(self.layout))


@dataclass(frozen=True)
class Transducer:
    """A letter-to-letter transducer; ``end`` has the tokens each state writes at the end, or None if not allowed.

    ``variables`` are those of which states are made, if known: a name, and the value in each state.
    """

    start: int
    tables: tuple[Table, ...]
    end: tuple[tuple[int, ...] | None, ...]
    variables: tuple[tuple[str, tuple[int, ...]], ...] = field(default=(), compare=False)

    def by_token(self, at: TokenSource) -> dict[int, "Transducer"]:
        """Return, for each token that an answer may be, the machine of the inputs of which it is; a table a column."""
        def keeping(token: int, written: Step, index: int) -> Step:
            return written if written is not None and written[index] == token else None

        if at.kind == "end":
            tokens = {end[at.index] for end in self.end if end is not None}
            return {token: replace(self, end=tuple(keeping(token, end, at.index) for end in self.end))
                    for token in sorted(tokens)}
        table = self.tables[at.column]
        tokens = {step[1 + at.index] for row in table for step in row if step is not None}
        return {token: replace(self, tables=(*self.tables[:at.column], tuple(
            tuple(keeping(token, step, 1 + at.index) for step in row) for row in table), *self.tables[at.column + 1:]))
            for token in sorted(tokens)}


@dataclass(frozen=True)
class TracksClaim:
    """The claim of docs/reference/tracks.md, section 3; ``typed_last_first`` if people write the last column first."""

    tracks: tuple[Track, ...]
    machine: Transducer
    forms: tuple[Layout, ...]
    offset: int
    among: tuple[int, ...]
    margin: Fraction
    typed_last_first: bool = False

    @cached_property
    def all_columns(self) -> tuple[Column, ...]:
        """Every combination of letters, in lexicographic order."""
        return tuple(product(*(range(len(track.letters)) for track in self.tracks)))

    @cached_property
    def column_index(self) -> dict[Column, int]:
        """The index of each combination in that order."""
        return {column: index for index, column in enumerate(self.all_columns)}

    def token_at(self, place: TokenSource, states: Sequence[int], columns: Sequence[Column], form: Layout) -> int:
        """Return the token at a place, of an input with these states before, between and after its columns."""
        if place.kind == "token":
            return place.index
        if place.kind == "track":
            return self.tracks[place.index].tokens[columns[place.column][place.index]]
        if place.kind == "end":
            ends = self.machine.end[states[-1]]
            assert ends is not None, "the input is allowed"
            return ends[place.index]
        step = self.step(form, place.column, states[place.column], columns[place.column])
        assert step is not None, "the input is allowed"
        return step[1 + place.index]

    def step(self, form: Layout, column: int, state: int, letters: Column) -> Step:
        """Return the step of a state with a column."""
        return self.machine.tables[form.columns[column]][state][self.column_index[letters]]

    def states(self, form: Layout, columns: Sequence[Column]) -> list[int]:
        """Return the states before, between and after the columns.

        Raises:
            InputError: if the transducer does not allow the input.
        """
        states = [self.machine.start]
        for place, column in enumerate(columns):
            step = self.step(form, place, states[-1], column)
            if step is None:
                raise InputError(f"input: the claim does not allow {self.show_column(column)} in column {place + 1}")
            states.append(step[0])
        if self.machine.end[states[-1]] is None:
            raise InputError("input: the claim does not allow an end after its last column")
        return states

    def tokens(self, form: Layout, columns: Sequence[Column]) -> tuple[int, ...]:
        """Return the whole sequence of an input, with the right answers.

        Raises:
            InputError: if the transducer does not allow the input.
        """
        states = self.states(form, columns)
        return tuple(self.token_at(place, states, columns, form) for place in form.layout)

    def show_column(self, column: Column) -> str:
        """Return a column as letters."""
        return ",".join(track.letters[letter] for track, letter in zip(self.tracks, column, strict=True))

    def typed(self, columns: Sequence[Column]) -> list[str]:
        """Return the letters of each track, as people write them."""
        parts = []
        for index, track in enumerate(self.tracks):
            letters = [track.letters[column[index]] for column in columns]
            shown = letters[::-1] if self.typed_last_first else letters
            parts.append(("" if all(len(letter) == 1 for letter in track.letters) else ",").join(shown))
        return parts

    def show_input(self, columns: Sequence[Column]) -> str:
        """Return the letters of each track with its name."""
        return " ".join(f"{track.name}={part}" for track, part in zip(self.tracks, self.typed(columns), strict=True))


def count_inputs(claim: TracksClaim, form: Layout) -> int:
    """Count the inputs of this form that the transducer allows."""
    ways = {claim.machine.start: 1}
    for table in form.columns:
        after: dict[int, int] = {}
        for state, number in ways.items():
            for step in claim.machine.tables[table][state]:
                if step is not None:
                    after[step[0]] = after.get(step[0], 0) + number
        ways = after
    return sum(number for state, number in ways.items() if claim.machine.end[state] is not None)


def all_inputs(claim: TracksClaim, form: Layout) -> Iterator[tuple[Column, ...]]:
    """Yield every input of this form that the transducer allows, in lexicographic order."""
    useful = useful_states(claim, form)

    def continued(columns: tuple[Column, ...], state: int) -> Iterator[tuple[Column, ...]]:
        place = len(columns)
        if place == len(form.columns):
            yield columns
            return
        for letters in claim.all_columns:
            step = claim.step(form, place, state, letters)
            if step is not None and step[0] in useful[place + 1]:
                yield from continued((*columns, letters), step[0])

    if claim.machine.start in useful[0]:
        yield from continued((), claim.machine.start)


def useful_states(claim: TracksClaim, form: Layout) -> list[set[int]]:
    """Return before each column and after the last one the states from which an input may end."""
    found = [{state for state, end in enumerate(claim.machine.end) if end is not None}]
    for table in reversed(form.columns):
        found.append({state for state, steps in enumerate(claim.machine.tables[table])
                      if any(step is not None and step[0] in found[-1] for step in steps)})
    return found[::-1]


def sampled_inputs(claim: TracksClaim, form: Layout, number: int, seed: int = 0) -> list[tuple[Column, ...]]:
    """Draw this number of inputs at random, column by column; deterministic for the same arguments."""
    draw, useful, found = random.Random(seed), useful_states(claim, form), []
    choices: dict[tuple[int, int], list[tuple[Column, int]]] = {}
    for _ in range(number if claim.machine.start in useful[0] else 0):
        columns, state = [], claim.machine.start
        for place in range(len(form.columns)):
            if (place, state) not in choices:
                choices[place, state] = [(letters, step[0]) for letters in claim.all_columns
                                         if (step := claim.step(form, place, state, letters)) is not None
                                         and step[0] in useful[place + 1]]
            letters, state = draw.choice(choices[place, state])
            columns.append(letters)
        found.append(tuple(columns))
    return found


def writes_tokens(network: TrainedNetwork) -> bool:
    """Return whether the network can write an answer token by token.

    With the readout ``last`` a causal network gets the input up to each token, where its logits are the same.
    """
    return network.readout == "each" or (network.readout == "last" and network.is_causal)


def check_tracks_fit(network: TrainedNetwork, claim: TracksClaim, where: str = "claim") -> None:
    """Check that the network has the tokens, logits and position rows of the claim, and that inputs exist.

    Raises:
        InputError: naming the first item that the network lacks.
    """
    if not writes_tokens(network):
        raise InputError(f"{where}: answers are written token by token, but the network outputs logits at its "
                         f"{network.readout} token only, expected them at each token")
    machine = claim.machine
    written = {token for table in machine.tables for steps in table for step in steps if step for token in step[1:]}
    written |= {token for end in machine.end if end for token in end}
    tokens = {token for track in claim.tracks for token in track.tokens} | written
    tokens |= {place.index for form in claim.forms for place in form.layout if place.kind == "token"}
    for token in sorted(tokens):
        if token >= network.vocabulary:
            raise InputError(f"{where}: token {token}, but the network has the tokens 0 to {network.vocabulary - 1}")
    for token in claim.among:
        if token >= network.outputs:
            raise InputError(f"{where}: among: token {token}, but the network has the logits 0 to "
                             f"{network.outputs - 1}")
    if missing := sorted(written - {*claim.among}):
        raise InputError(f"{where}: among: no token {missing[0]}, expected all answers")
    if len(claim.among) < 2:
        raise InputError(f"{where}: among: one token, expected two or more, as nothing would be claimed")
    for form in claim.forms:
        length = len(form.layout) - 1
        if network.rows is not None and claim.offset + length > network.rows:
            raise InputError(f"{where}: inputs of {length} tokens at offset {claim.offset}, but the network has "
                             f"{network.rows} rows of positions")
        if network.rows is None and claim.offset:
            raise InputError(f"{where}: offset: {claim.offset}, but the network has no position rows: expected 0")
        if count_inputs(claim, form) == 0:
            raise InputError(f"{where}: no input of {len(form.columns)} columns is allowed")
