"""Transducers of columns, as expressions or built in, and as tables of tokens (docs/reference/tracks.md, section 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product

from constructions.errors import InputError, Unsupported
from constructions.regular.automata import RegularLanguage
from constructions.trained.expressions import IntegerExpression
from constructions.trained.tracks import Table, Transducer

MOST_STATES = 4096
MOST_STEPS = 1 << 19
"""States times columns."""
MOST_OF_A_SUM = 1 << 17
"""States times columns of a sum of several tracks, which can also be written as one track with more columns."""
State = tuple[int, ...]


@dataclass(frozen=True)
class TransducerText:
    """A transducer as expressions on the letters of the tracks, its state variables, `column` and `columns`.

    ``write`` has an expression for each answer track; ``end`` has the expressions written after the last column, in
    order, by answer track.
    """

    start: Mapping[str, int]
    write: Mapping[str, str] = field(default_factory=dict)
    next: Mapping[str, str] = field(default_factory=dict)
    end: Mapping[str, Sequence[str]] = field(default_factory=dict)
    allow: str = "1"
    given: str = "1"
    last_first: bool = False

    @property
    def answers(self) -> tuple[str, ...]:
        """The names of the answer tracks."""
        return tuple(dict.fromkeys([*self.write, *self.end]))


def built_in(name: str, tracks: Sequence[str], letters: int, columns: int, by: int | None) -> TransducerText:
    """Return a built-in transducer for tracks with this number of letters each, and this number of columns.

    Raises:
        InputError: if there is none, or the tracks or the number do not fit.
    """
    if name not in _BUILT_IN:
        raise InputError(f"machine: {name!r}, expected one of {', '.join(_BUILT_IN)}, or a table")
    needed, make = _BUILT_IN[name]
    if needed and len(tracks) != needed:
        raise InputError(f"machine: {name} reads {needed} track{'s' * (needed > 1)}, but there are {len(tracks)}")
    takes_number = name in ("multiply-by", "modular-sum")
    if takes_number != (by is not None) or not 1 <= (by or 1) <= MOST_STATES:
        raise InputError(f"machine: {name}, expected " + ("the number `by`, from 1 on" if takes_number else "no `by`"))
    return make(tracks, letters, columns, by or 0)


def _add(tracks: Sequence[str], letters: int, columns: int, by: int) -> TransducerText:
    total = f"{' + '.join(tracks)} + carry"
    if len(tracks) > letters:
        raise InputError(f"machine: add of {len(tracks)} tracks, expected at most {letters}: the carry is a digit")
    return TransducerText({"carry": 0}, {"answer": f"({total}) % {letters}"}, {"carry": f"({total}) // {letters}"},
                          {"answer": ["carry"]}, last_first=True)


def _subtract(tracks: Sequence[str], letters: int, columns: int, by: int) -> TransducerText:
    rest = "{} - {} - borrow".format(*tracks)
    return TransducerText({"borrow": 0}, {"answer": f"({rest}) % {letters}"}, {"borrow": f"({rest}) < 0"},
                          given="borrow == 0", last_first=True)


def _multiply(tracks: Sequence[str], letters: int, columns: int, by: int) -> TransducerText:
    if by > letters:
        raise InputError(f"machine: multiply-by {by}, expected at most {letters}, so that the carry is a digit")
    whole = f"({tracks[0]} * {by} + carry)"
    return TransducerText({"carry": 0}, {"answer": f"{whole} % {letters}"}, {"carry": f"{whole} // {letters}"},
                          {"answer": ["carry"]}, last_first=True)


def _compare(tracks: Sequence[str], letters: int, columns: int, by: int) -> TransducerText:
    a, b = tracks
    return TransducerText({"order": 0}, {}, {"order": f"1 if {a} < {b} else 2 if {a} > {b} else order"},
                          {"answer": ["order"]},
                          last_first=True)


def _extreme(name: str, tracks: Sequence[str]) -> TransducerText:
    a, b = tracks
    first, second = (1, 2) if name == "min" else (2, 1)
    chosen = f"{a} if order == {first} else {b} if order == {second} else {name}({a}, {b})"
    return TransducerText({"order": 0}, {"answer": chosen},
                          {"order": f"order if order != 0 else 1 if {a} < {b} else 2 if {a} > {b} else 0"})


def _copy(tracks: Sequence[str], letters: int, columns: int, by: int) -> TransducerText:
    return TransducerText({}, {"answer": tracks[0]})


def _modular_sum(tracks: Sequence[str], letters: int, columns: int, by: int) -> TransducerText:
    if len(tracks) > 1 and letters ** len(tracks) * by > MOST_OF_A_SUM:
        raise InputError(f"machine: modular-sum of {len(tracks)} tracks has {letters ** len(tracks):,} different "
                         f"columns, too many in {by} states; expected the same sum of one track: "
                         f"tracks = [\"{tracks[0]}\"], columns = {columns * len(tracks)}")
    return TransducerText({"total": 0}, {}, {"total": f"(total + {' + '.join(tracks)}) % {by}"}, {"answer": ["total"]})


def _sort(tracks: Sequence[str], letters: int, columns: int, by: int) -> TransducerText:
    """Return the machine whose state counts the letters up to each; answer k is the number of counts at most k."""
    names = [f"n{letter}" for letter in range(letters - 1)]
    return TransducerText(dict.fromkeys(names, 0), {}, {name: f"{name} + ({tracks[0]} <= {letter})"
                                                        for letter, name in enumerate(names)},
                          {"answer": [" + ".join([f"({name} <= {place})" for name in names] or ["0"])
                                      for place in range(columns)]})


_BUILT_IN = {
    "add": (0, _add), "subtract": (2, _subtract), "compare": (2, _compare), "multiply-by": (1, _multiply),
    "max": (2, lambda tracks, *_: _extreme("max", tracks)), "min": (2, lambda tracks, *_: _extreme("min", tracks)),
    "copy": (1, _copy), "reverse": (1, _copy), "modular-sum": (0, _modular_sum), "sort": (1, _sort)}
BUILT_IN = tuple(_BUILT_IN)


class TransducerMaker:
    """Maker of transducers of one kind as tables; ``lengths`` are those of tracks shorter than the others.

    Beyond its length a track has its first letter only. ``tokens`` are the tokens of the answers' values.
    """

    def __init__(self, tracks: Sequence[str], sizes: Sequence[int], tokens: Sequence[int],
                 lengths: Mapping[str, int]) -> None:
        self.tracks, self.tokens, self.lengths = tuple(tracks), tuple(tokens), dict(lengths)
        self.letters = tuple(product(*map(range, sizes)))

    def make(self, written: Mapping[int, TransducerText]) -> tuple[Transducer, dict[int, tuple[int, ...]]]:
        """Return one transducer for all numbers of columns, on the reachable states; and the tables of their columns.

        Equal tables are shared.

        Raises:
            InputError: if an expression is invalid, or an answer is not a letter. Unsupported: if there are too many
                states, or the answers at the end differ.
        """
        made = {columns: _ParsedTransducer(self, one, columns) for columns, one in written.items()}
        order: dict[State, int] = {}
        for one in made.values():
            self._meet(one, order)
        tables: dict[Table, int] = {}
        places = {columns: tuple(tables.setdefault(self._table(one, order, column), len(tables))
                                 for column in range(columns)) for columns, one in made.items()}
        ends = [tuple(one.end(state) for state in order) for one in made.values()]
        if any(end != ends[0] for end in ends):
            raise Unsupported("columns: what is written at the end differs from one number of columns to another")
        names = next(iter(made.values())).names
        variables = tuple((name, tuple(state[index] for state in order)) for index, name in enumerate(names))
        return Transducer(0, tuple(tables), ends[0], variables), places

    def of_language(self, language: RegularLanguage, numbers: Sequence[int]) -> tuple[Transducer,
                                                                                      dict[int, tuple[int, ...]]]:
        """Return the transducer that writes at the end 1 if the columns are a word of the language, else 0."""
        tables: dict[Table, int] = {}
        places = {columns: tuple(tables.setdefault(tuple(tuple(
            (target,) if self.may_occur(letters, column, columns) else None
            for letters, target in zip(self.letters, steps, strict=True)) for steps in language.automaton.steps),
            len(tables)) for column in range(columns)) for columns in numbers}
        ends = tuple((self.tokens[state in language.accepting],) for state in range(len(language.automaton.steps)))
        return Transducer(language.automaton.start, tuple(tables), ends), places

    def may_occur(self, letters: Sequence[int], column: int, columns: int) -> bool:
        """Return whether a column may have these letters: a shorter track has its first letter beyond its length."""
        return not any(letter and column >= self.lengths.get(track, columns)
                       for track, letter in zip(self.tracks, letters, strict=True))

    def _meet(self, made: _ParsedTransducer, order: dict[State, int]) -> None:
        """Assign numbers to the states reachable on inputs with this number of columns."""
        level = [made.start]
        for column in range(made.columns + 1):
            for state in level:
                order.setdefault(state, len(order))
            if len(order) > MOST_STATES or len(order) * len(self.letters) > MOST_STEPS:
                raise Unsupported(f"machine: more than {len(order) - 1} states, with {len(self.letters)} different "
                                  "columns: expected fewer" + (", as of one track with more columns" if
                                                               len(self.tracks) > 1 else ""))
            if column < made.columns:
                found = (made.step(state, letters, column) for state in level for letters in self.letters)
                level = list(dict.fromkeys(step[0] for step in found if step is not None))

    def _table(self, made: _ParsedTransducer, order: Mapping[State, int], column: int) -> Table:
        """Return the steps of all states in a column; steps to unreachable states are not allowed."""
        rows = []
        for state in order:
            found = [made.step(state, letters, column) for letters in self.letters]
            rows.append(tuple(None if step is None or step[0] not in order else (order[step[0]], *step[1])
                              for step in found))
        return tuple(rows)


class _ParsedTransducer:
    """One transducer with its expressions parsed."""

    def __init__(self, maker: TransducerMaker, written: TransducerText, columns: int) -> None:
        self.maker, self.names, self.columns = maker, tuple(written.start), columns
        self.start: State = tuple(written.start.values())
        twice = sorted({*maker.tracks} & {*self.names, "column", "columns"})
        if twice:
            raise InputError(f"tracks: {twice[0]!r} is also a variable of the machine, expected another name")
        known = frozenset({*maker.tracks, *self.names, "column", "columns"})
        after = frozenset({*self.names, "columns"})
        self.write = [_expression("write", written.write[name], known) for name in written.write]
        missing = sorted({*self.names} ^ {*written.next})
        if missing:
            raise InputError(f"machine: next: {missing[0]}, expected one expression for each of the variables in start")
        self.next = [_expression(f"next: {name}", written.next[name], known) for name in self.names]
        self.ends = [_expression("end", text, after) for name in written.answers for text in written.end.get(name, ())]
        self.allow, self.given = _expression("allow", written.allow, known), _expression("given", written.given, after)

    def step(self, state: State, letters: Sequence[int], column: int) -> tuple[State, tuple[int, ...]] | None:
        """Return the state after a column and the written tokens; None where the column is not allowed."""
        maker = self.maker
        if not maker.may_occur(letters, column, self.columns):
            return None
        names = {**dict(zip(maker.tracks, letters, strict=True)), **dict(zip(self.names, state, strict=True)),
                 "column": column, "columns": self.columns}
        if not self.allow.value(names):
            return None
        after = tuple(one.value(names) for one in self.next)
        return after, tuple(self._token(one, names) for one in self.write)

    def end(self, state: State) -> tuple[int, ...] | None:
        """Return the tokens written at the end; None where the input may not end."""
        names = {**dict(zip(self.names, state, strict=True)), "columns": self.columns}
        return tuple(self._token(one, names) for one in self.ends) if self.given.value(names) else None

    def _token(self, expression: IntegerExpression, names: Mapping[str, int]) -> int:
        value = expression.value(names)
        if not 0 <= value < len(self.maker.tokens):
            raise InputError(f"{expression.where}: {expression.text!r} is {value}, expected an answer from 0 to "
                             f"{len(self.maker.tokens) - 1}")
        return self.maker.tokens[value]


def _expression(where: str, text: str, known: frozenset[str]) -> IntegerExpression:
    found = IntegerExpression(f"machine: {where}", text)
    found.check_names(known)
    return found
