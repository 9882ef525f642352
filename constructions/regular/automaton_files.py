"""Automata in files: TOML or JSON tables, AT&T lines, and HOA. Nondeterministic automata are determinised.

Tables      ``start``, ``accepting``, ``steps`` (state to symbol to state), perhaps ``alphabet``. A missing step leads
            to a rejecting sink.
AT&T        Lines ``from to symbol`` and ``state`` (accepting), fields separated by tabs, or by blanks if there is no
            tab; a second symbol that equals the first, and weights 0, are ignored. ``<eps>`` is not a symbol.
HOA         hoa_file.py.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from constructions.errors import InputError, Unsupported
from constructions.language.alphabets import parse_alphabet
from constructions.network.json_form import read_json
from constructions.regular.automata import MOST_EXPLORED, RegularLanguage
from constructions.regular.determinise import Nondeterministic, determinised
from constructions.regular.hoa_file import is_hoa, read_hoa
from constructions.tables import check_keys, read_toml, shown, text, texts

KEYS = ("alphabet", "start", "accepting", "steps")
_SUFFIX_OF_LINES = ".att"
_NO_SYMBOL = ("<eps>", "<epsilon>", "@0@", "@_EPSILON_SYMBOL_@")
_NO_WEIGHT = ("0", "0.0", "0.000000")
_OF_OTHER_TOOLS = re.compile(r"\s*(<[?!a-z]|(strict\s+)?(di)?graph\b[^\n]*\{)")


@dataclass(frozen=True)
class _Step:
    """A transition; ``symbol`` is None for an epsilon transition. ``where`` is for error messages."""

    where: str
    source: str
    symbol: str | None
    target: str


@dataclass(frozen=True)
class _Contents:
    """The contents of a file; ``symbols`` is its alphabet, or None if not stated."""

    start: str
    accepting: tuple[str, ...]
    steps: tuple[_Step, ...]
    symbols: tuple[str, ...] | None = None


def language_of_text(content: str, where: str, alphabet: Sequence[str] | None = None,
                     states: Sequence[str] | None = None) -> tuple[RegularLanguage, tuple[str, ...]]:
    """Parse an automaton; return its language and its alphabet.

    The default ``alphabet`` is the stated one, or else the sorted symbols of the steps. ``states`` replaces the
    accepting states of the text.

    Raises:
        InputError: if the text is in none of these formats, or has symbols outside the alphabet.
        Unsupported: if there are too many states.
    """
    if is_hoa(content):
        if states is not None:
            raise InputError(f"{where}: states: expected an automaton whose states have names, not HOA")
        automaton, letters = read_hoa(content, where, alphabet)
        return determinised(automaton, len(letters), where), letters
    if not content.strip():
        raise InputError(f"{where}: empty, expected an automaton in TOML, JSON, AT&T lines or HOA")
    if _OF_OTHER_TOOLS.match(content):
        raise InputError(f"{where}: found XML or a drawing by Graphviz, expected TOML, JSON, AT&T lines or HOA")
    if content.lstrip().startswith("{"):
        contents = _of_table(read_json(content, where, Decimal), where)
    else:
        contents = _of_lines(content, where) or _of_table(read_toml(content, where), where)
    letters = _alphabet(contents, where, alphabet)
    return determinised(_automaton(contents, where, letters, states), len(letters), where), letters


def _alphabet(contents: _Contents, where: str, alphabet: Sequence[str] | None) -> tuple[str, ...]:
    used = sorted({step.symbol for step in contents.steps if step.symbol is not None})
    stated = contents.symbols
    if alphabet is None:
        if not (stated or used):
            raise InputError(f"{where}: no symbol, expected an alphabet")
        return stated or tuple(used)
    if stated is not None and sorted(stated) != sorted(alphabet):
        raise InputError(f"{where}: alphabet {' '.join(stated)}, expected {' '.join(alphabet)}")
    return tuple(alphabet)


def _automaton(contents: _Contents, where: str, letters: tuple[str, ...],
               states: Sequence[str] | None) -> Nondeterministic:
    known = {state for step in contents.steps for state in (step.source, step.target)}
    known |= {contents.start, *contents.accepting} if states is None else {contents.start}
    for state in states or ():
        if state not in known:
            raise InputError(f"{where}: states: no state is named {shown(state)}")
    if len(known) > MOST_EXPLORED:
        raise Unsupported(f"{where}: {len(known)} states, expected at most {MOST_EXPLORED}")
    automaton = Nondeterministic([contents.start], contents.accepting if states is None else states)
    for step in contents.steps:
        if step.symbol is not None and step.symbol not in letters:
            raise InputError(f"{step.where}: symbol {shown(step.symbol)}, expected one of {', '.join(letters)}")
        automaton.add(step.source, None if step.symbol is None else letters.index(step.symbol), step.target)
    return automaton


# -- lines -------------------------------------------------------------------------------------------------------------


def _of_lines(content: str, where: str) -> _Contents | None:
    """Parse AT&T lines; return None for other kinds of text."""
    lines = [(number, line.split("\t") if "\t" in line else line.split())
             for number, line in enumerate(content.splitlines(), start=1) if line.strip()]
    wrong = next((number for number, fields in lines if not _is_line_of_automaton(fields)), None)
    if wrong is not None and where.endswith(_SUFFIX_OF_LINES):
        raise InputError(f"{where}, line {wrong}: expected two states and a symbol, or a state that accepts")
    if wrong is not None:
        return None
    steps, accepting = list[_Step](), list[str]()
    for number, fields in lines:
        place = f"{where}, line {number}"
        if len(fields) <= 2:
            accepting.append(fields[0])
            _check_weight(place, fields[1:])
        else:
            symbol = _symbol_of_line(place, fields)
            steps.append(_Step(place, fields[0], None if symbol in _NO_SYMBOL else symbol, fields[1]))
    return _Contents(lines[0][1][0], tuple(accepting), tuple(steps))


def _symbol_of_line(place: str, fields: Sequence[str]) -> str:
    """Return the symbol of a step; reject an output that differs from the input, as of a transducer."""
    symbol, *others = fields[2:]
    if others and (others[0] == symbol or len(others) == 2):
        if others[0] != symbol:
            raise InputError(f"{place}: {symbol} is read and {others[0]} is written, expected an automaton that writes "
                             "what it reads")
        others = others[1:]
    _check_weight(place, others)
    return symbol


def _check_weight(place: str, fields: Sequence[str]) -> None:
    if fields and fields[0] not in _NO_WEIGHT:
        raise InputError(f"{place}: {shown(fields[0])}, expected the symbol that is read, the weight 0, or nothing")


def _is_line_of_automaton(fields: Sequence[str]) -> bool:
    """Return whether a line is not TOML: a state and perhaps a weight, or a step and perhaps an output and a weight."""
    return 1 <= len(fields) <= 5 and "=" not in fields[0] and fields[0][:1] not in ("[", "#") and fields[1:2] != ["="]


# -- tables ------------------------------------------------------------------------------------------------------------


def _of_table(data: object, where: str) -> _Contents:
    table = check_keys(where, data, KEYS, ("start", "accepting", "steps"))
    steps = tuple(_steps_of_table(table["steps"], where))
    accepting = texts(f"{where}: accepting", table["accepting"])
    contents = _Contents(text(f"{where}: start", table["start"]), tuple(accepting), steps,
                         _symbols_of_table(table, where))
    known = {*table["steps"], *(step.target for step in steps)}
    for key, state in (("start", contents.start), *(("accepting", state) for state in contents.accepting)):
        if state not in known:
            raise InputError(f"{where}: {key}: no state is named {shown(state)}")
    return contents


def _symbols_of_table(table: Mapping[str, Any], where: str) -> tuple[str, ...] | None:
    if "alphabet" not in table:
        return None
    found = table["alphabet"]
    try:
        return parse_alphabet(found if isinstance(found, str) else texts("alphabet", found))
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


def _steps_of_table(data: object, where: str) -> list[_Step]:
    if not isinstance(data, dict):
        raise InputError(f"{where}: steps: {shown(data)}, expected a table of states")
    found = []
    for state, row in data.items():
        place = f"{where}: steps of {shown(state)}"
        if not isinstance(row, dict):
            raise InputError(f"{place}: {shown(row)}, expected a table of symbols")
        found += [_Step(place, state, symbol, text(f"{place}: {symbol}", target)) for symbol, target in row.items()]
    return found
