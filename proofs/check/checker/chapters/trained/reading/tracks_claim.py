"""Claims about inputs in tracks: a letter-to-letter transducer on aligned words.

See docs/reference/tracks.md, section 3.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from itertools import product
from math import prod

from ....kernel.budget import MAX_N
from ....kernel.reading.document import Json
from ....kernel.reading.shapes import (
    Fields,
    integer_within,
    list_of,
    one_of,
    or_null,
    read_rational,
    read_symbols,
    read_text,
)
from ....kernel.verdicts import expect, quote
from .network import MAX_OFFSET, Count, Network

MAX_LETTERS = 1 << 16  # combinations of letters of a column

Column = tuple[int, ...]
Step = tuple[int, ...]
"""The next state, and the token written in each answer track."""
StepTable = tuple[tuple[Step | None, ...], ...]


@dataclass(frozen=True)
class Track:
    """Symbols, and their tokens."""

    name: str
    letters: tuple[str, ...]
    tokens: tuple[int, ...]


@dataclass(frozen=True)
class LayoutPlace:
    """The token of a place: ``token``, ``track`` or ``answer`` of a column, or ``end``; its index, and the column."""

    kind: str
    index: int
    column: int | None = None

    @property
    def is_answer(self) -> bool:
        """Whether the network writes it."""
        return self.kind in ("answer", "end")


@dataclass(frozen=True)
class Transducer:
    """A letter-to-letter transducer; ``end`` is each state's output after the last column, None if not allowed."""

    start: int
    tables: tuple[StepTable, ...]
    end: tuple[tuple[int, ...] | None, ...]

    def unrolled(self, form: "Layout") -> "Transducer":
        """Return the machine with a table for each column of a form."""
        return replace(self, tables=tuple(self.tables[table] for table in form.columns))


@dataclass(frozen=True)
class Layout:
    """Inputs of one shape: each column's step table, and all places; answers before the place ``first`` are given."""

    columns: tuple[int, ...]
    layout: tuple[LayoutPlace, ...]
    first: int = 0

    @property
    def first_answer(self) -> int:
        """The first place of an answer that is judged."""
        return next(place for place, one in enumerate(self.layout) if one.is_answer and place >= self.first)


@dataclass(frozen=True)
class TracksClaim:
    """A claim: for every allowed input each answer's logit is above all others, by more than the margin."""

    tracks: tuple[Track, ...]
    machine: Transducer
    forms: tuple[Layout, ...]
    offset: int
    among: tuple[int, ...]
    margin: Fraction

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """All combinations of letters, in the order of the tables."""
        return tuple(product(*(range(len(track.letters)) for track in self.tracks)))

    @property
    def widths(self) -> list[int]:
        """The number of columns of each form."""
        return [len(form.columns) for form in self.forms]

    @property
    def combinations(self) -> int:
        """The number of combinations of letters."""
        return len(self.columns)

    @property
    def min_n(self) -> int:
        """The least number of columns."""
        return min(self.widths)

    @property
    def max_n(self) -> int:
        """The greatest number of columns."""
        return max(self.widths)

    @property
    def alphabet(self) -> tuple[str, ...]:
        """The names of the tracks, where other claims have an alphabet."""
        return tuple(track.name for track in self.tracks)

    def rows(self, answer: int) -> list[tuple[tuple[int, Fraction], ...]]:
        """Return the linear forms of logits that must be above the margin if this is the right answer."""
        both = [sorted([(answer, Fraction(1)), (other, Fraction(-1))]) for other in self.among if other != answer]
        return [tuple(row) for row in both]

    def token(self, place: LayoutPlace, states: Sequence[int], columns: Sequence[int], form: Layout) -> int:
        """Return the token at a place of an input: its columns, and the states before, between and after them."""
        if place.column is None:
            return place.index if place.kind == "token" else (self.machine.end[states[-1]] or ())[place.index]
        column = columns[place.column]
        if place.kind == "track":
            return self.tracks[place.index].tokens[self.columns[column][place.index]]
        step = self.machine.tables[form.columns[place.column]][states[place.column]][column]
        return (step or ())[1 + place.index]


def read_claim(value: Json, network: Network, budget: object) -> TracksClaim:
    """Parse the claim; all of it fits the network, and it has no formula."""
    del budget
    fields = Fields(value, "tracks", "machine", "forms", "offset", "among", "margin", "typed")
    expect(network.readout == "each" or (network.readout == "last" and network.causal),
           "the network outputs logits of its {} token only: it writes no answers token by token", network.readout)
    fields.read("typed", one_of("first-first", "last-first"))  # how people write inputs, which proves nothing
    token = integer_within(range(len(network.tokens.rows)))
    tracks = fields.read("tracks", list_of(partial(read_track, token=token)))
    expect(tracks, "tracks: expected one")
    expect(prod(len(track.letters) for track in tracks) <= MAX_LETTERS, "limit: {} columns of letters", MAX_LETTERS)
    machine = fields.read("machine", partial(read_machine, tracks=tracks, token=token))
    forms = fields.read("forms", list_of(partial(read_form, tracks=tracks, machine=machine, token=token)))
    among = fields.read("among", list_of(integer_within(range(network.outputs))))
    offset = fields.read("offset", integer_within(range(MAX_OFFSET + 1)))
    margin = fields.read("margin", read_rational)
    expect(forms, "forms: expected one")
    expect(list(among) == sorted(set(among)), "among: expected ascending tokens")
    expect(written_tokens(machine) <= {*among}, "among: an answer is missing")
    expect(len(among) > 1, "among: expected two tokens or more, as one alone is above no other")
    expect(margin >= 0, "margin: expected 0 or more, got {}", margin)
    expect(network.rows is not None or offset == 0, "offset: expected 0, as there is no table of positions")
    for form in forms:
        expect(network.rows is None or offset + len(form.layout) - 1 <= network.rows, "forms: a token has no row")
    return TracksClaim(tracks, machine, forms, offset, among, margin)


def read_track(value: Json, token: Callable[[Json], int]) -> Track:
    """Parse a name, symbols, and a token for each."""
    fields = Fields(value, "name", "letters", "tokens")
    letters, tokens = fields.read("letters", read_symbols), fields.read("tokens", list_of(token))
    expect(len(tokens) == len(letters), "tokens: expected one for each symbol")
    return Track(fields.read("name", read_text), letters, tokens)


def read_machine(value: Json, tracks: Sequence[Track], token: Callable[[Json], int]) -> Transducer:
    """Parse the transducer; its tables have a step, or null, for each state and each combination of letters."""
    fields = Fields(value, "start", "tables", "end")
    end = fields.read("end", list_of(or_null(list_of(token))))
    tables = fields.read("tables", list_of(list_of(list_of(or_null(list_of(Count))))))
    start = fields.read("start", Count)
    states, letters = len(end), prod(len(track.letters) for track in tracks)
    expect(start < states, "start: there are {} states", states)
    expect(bool(tables) and all(len(table) == states and all(len(steps) == letters for steps in table)
                                for table in tables),
           "tables: expected one or more, with {} steps of each of {} states", letters, states)
    steps = [step for table in tables for row in table for step in row if step is not None]
    expect(all(step and step[0] < states for step in steps), "tables: there are {} states", states)
    expect(len({len(step) for step in steps}) <= 1, "tables: steps write equally many answers")
    for one in {number for step in steps for number in step[1:]}:
        token(one)
    expect(len({len(one) for one in end if one is not None}) == 1, "end: expected equally many answers of each state")
    return Transducer(start, tables, end)


def written_tokens(machine: Transducer) -> set[int]:
    """Return the tokens that a machine may write as answers."""
    of_steps = {one for table in machine.tables for steps in table for step in steps if step for one in step[1:]}
    return of_steps | {one for end in machine.end if end for one in end}


def read_form(value: Json, tracks: Sequence[Track], machine: Transducer, token: Callable[[Json], int]) -> Layout:
    """Parse columns and layout; the answers come last."""
    fields = Fields(value, "columns", "layout", "first", optional=("first",))
    columns = fields.read("columns", list_of(integer_within(range(len(machine.tables)))))
    expect(0 < len(columns) <= MAX_N, "columns: expected 1 to {}", MAX_N)
    answers = next((len(step) - 1 for table in machine.tables for row in table for step in row if step), 0)
    ends = next(len(one) for one in machine.end if one is not None)
    most = {"track": len(tracks), "answer": answers, "end": ends}
    layout = fields.read("layout", list_of(partial(read_place, most=most, columns=len(columns), token=token)))
    expect(len(layout) <= MAX_N, "limit: {} places", MAX_N)
    asked = [place.is_answer for place in layout]
    expect(True in asked and asked == sorted(asked) and not asked[0], "layout: expected answers after all other places")
    return Layout(columns, layout, fields.read("first", integer_within(range(len(layout)))) if "first" in fields else 0)


def read_place(value: Json, most: dict[str, int], columns: int, token: Callable[[Json], int]) -> LayoutPlace:
    """Parse a kind, an index, and the column if the kind has one."""
    expect(isinstance(value, list) and len(value) >= 2, "expected a kind and an index, got {}", quote(value))
    assert isinstance(value, list)
    kind, *numbers = value
    kind = str(one_of("token", *most)(kind))
    expect(len(numbers) == (2 if kind in ("track", "answer") else 1), "expected an index, and of some kinds a column")
    index = token(numbers[0]) if kind == "token" else Count(numbers[0])
    expect(kind == "token" or index < most[kind], "there is no {} {}", kind, index)
    return LayoutPlace(kind, index, integer_within(range(columns))(numbers[1]) if len(numbers) == 2 else None)
