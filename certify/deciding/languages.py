"""Languages that are not written as formulas: regular expressions and files with automata.

A regular expression is read by automata-lib; what it makes is determinised here, with a limit on the states.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from certify.deciding.tables import check_keys, shown, text, texts
from certify.files import read_text
from constructions.errors import InputError, Unsupported
from constructions.language.syntax import Formula
from constructions.network.json_form import read_json
from constructions.regular.automata import MOST_STATES, Language, explore
from constructions.trained.claim import Case, Claim, When

MOST_CHARACTERS = 1000
MOST_PARTS = 2000  # of a regular expression, repetitions written out
_REPEATED = re.compile(r"\{([0-9]{1,4})?,?([0-9]{1,4})?\}", re.ASCII)
_PRIVATE = 0xE000  # characters that stand for symbols; the library knows symbols of one character only
_NAMED = re.compile(r"<([^<>]+)>")


# -- regular expressions -----------------------------------------------------------------------------------------------


def language_of_regex(pattern: str, alphabet: Sequence[str]) -> Language:
    """The words that match the whole pattern; symbols of several characters are written in angle brackets.

    >>> even = language_of_regex("(aa)*", "ab")
    >>> even.contains((0, 0)), even.contains((0,)), even.contains((0, 1))
    (True, False, False)

    Raises:
        InputError: if it is no regular expression over the alphabet, or a very long one.
        Unsupported: if its automaton has too many states.
    """
    where = f"regular expression {shown(pattern)}"
    if len(pattern) > MOST_CHARACTERS or _parts(where, pattern) > MOST_PARTS:
        raise InputError(f"{where}: too long, expected at most {MOST_CHARACTERS} characters, and {MOST_PARTS} with "
                         f"repetitions written out")
    symbols = {symbol if len(symbol) == 1 else chr(_PRIVATE + place): place for place, symbol in enumerate(alphabet)}
    automaton = _library_automaton(where, _with_private(where, pattern, alphabet), frozenset(symbols), alphabet)
    return _determinised(automaton, symbols, where)


def _with_private(where: str, pattern: str, alphabet: Sequence[str]) -> str:
    """The pattern with a private character for each <symbol>."""
    long = {symbol: place for place, symbol in enumerate(alphabet) if len(symbol) > 1}

    def private(match: re.Match[str]) -> str:
        if match[1] not in long:
            raise InputError(f"{where}: {match[0]}, expected a symbol of several characters in angle brackets")
        return chr(_PRIVATE + long[match[1]])

    return _NAMED.sub(private, pattern) if long else pattern


def _library_automaton(where: str, pattern: str, symbols: frozenset[str], alphabet: Sequence[str]) -> Any:
    from automata.base.exceptions import AutomatonException, RegexException
    from automata.fa.nfa import NFA

    try:
        automaton = NFA.from_regex(pattern, input_symbols=symbols)
    except (AutomatonException, RegexException, RecursionError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise InputError(f"{where}: {reason.rstrip('.')} (the symbols are {' '.join(alphabet)})") from None
    if other := sorted(automaton.input_symbols - symbols):
        raise InputError(f"{where}: symbol {other[0]!r}, expected symbols of the claim: {' '.join(alphabet)}")
    return automaton


def _determinised(automaton: Any, symbols: Mapping[str, int], where: str) -> Language:
    """Sets of states as bits of one integer."""
    place = {state: number for number, state in enumerate(sorted(automaton.states))}
    after: dict[tuple[int, int], list[int]] = {}
    silent: dict[int, list[int]] = {}
    for state, row in automaton.transitions.items():
        for character, targets in row.items():
            found = [place[target] for target in targets]
            if character:
                after[place[state], symbols[character]] = found
            else:
                silent[place[state]] = found

    def closed(states: Sequence[int]) -> int:
        bits, pending = 0, list(states)
        while pending:
            state = pending.pop()
            if not bits >> state & 1:
                bits |= 1 << state
                pending += silent.get(state, [])
        return bits

    def step(bits: int, letter: int) -> int:
        return closed([target for state in range(len(place)) if bits >> state & 1
                       for target in after.get((state, letter), [])])

    deterministic, sets = explore(closed([place[automaton.initial_state]]), step, len(symbols), where)
    final = sum(1 << place[state] for state in automaton.final_states)
    return Language(deterministic, frozenset(number for number, bits in enumerate(sets) if bits & final))


def _parts(where: str, pattern: str) -> int:
    """How many symbols the pattern has, repetitions written out; refuses & and ^, which the library multiplies.

    >>> _parts("", "(ab{3}|[cd]){2}"), _parts("", "a*")
    (10, 1)
    """
    sums, last, place = [0], 0, 0
    while place < len(pattern):
        character, width, repeated = pattern[place], 1, _REPEATED.match(pattern, place)
        if character == "(":
            sums.append(0)
        elif character == ")" and len(sums) > 1:
            last = sums.pop()
            sums[-1] += last
        elif repeated:
            times = max(int(number or 0) for number in repeated.groups())
            if times == 0 and not repeated[0].endswith(",}"):  # the library reads {0} as {0,1}
                raise InputError(f"{where}: {repeated[0]}, expected a repetition of at least 1 in the end")
            times = max(times, 1)
            sums[-1] += last * (times - 1)
            width = len(repeated[0])
        elif character in "&^":
            raise InputError(f"{where}: {character} at character {place + 1}, expected symbols and ( ) [ ] | * + ? . "
                             f"{{m,n}}, with \\ before a symbol that is one of these")
        elif character not in "|*+?":
            width = _width_of_atom(pattern, place)
            _check_ranges(where, pattern[place : place + width])
            last = 1
            sums[-1] += 1
        place += width
    return sum(sums)


def _width_of_atom(pattern: str, place: int) -> int:
    """Of an escaped character, a class in brackets (closed or not), or a character."""
    if pattern[place] == "\\":
        return 2
    if pattern[place] == "[":
        closing = pattern.find("]", place + 1)
        return (closing if closing > 0 else len(pattern)) - place + 1
    return 1


def _check_ranges(where: str, atom: str) -> None:
    """Of a class in brackets; the library takes a range that goes down as empty."""
    for first, last in re.findall(r"([^\\])-(.)", atom[1:-1]) if atom.startswith("[") else ():
        if first > last:
            raise InputError(f"{where}: {first}-{last}, expected a range that goes up")


# -- formulas ----------------------------------------------------------------------------------------------------------


def language_of_formula(formula: Formula, alphabet: Sequence[str]) -> Language:
    """The words at whose last position the formula holds; the empty word is not one of them.

    Raises:
        Unsupported: if the formula looks ahead, or counts without end.
    """
    from proofs.trained.tracking import track

    letters = tuple(range(len(alphabet)))
    claim = Claim(tuple(alphabet), letters, (), (), (0, 0), (1, 1), "each", False, Fraction(0), None, (),
                  (Case(When(formula), ()),))
    tracker = track(claim)
    automaton, states = explore(tracker.start, tracker.step, len(alphabet), str(formula))
    return Language(automaton, frozenset(number for number, state in enumerate(states) if tracker.cases(state)))


# -- files -------------------------------------------------------------------------------------------------------------

KEYS = ("alphabet", "start", "accepting", "steps")


def language_of_file(path: str, alphabet: Sequence[str], states: Sequence[str] | None = None) -> Language:
    """The language of an automaton in a file: TOML or JSON with the keys of KEYS, or AT&T lines.

    ``states`` names states that accept in place of those that the file says. A step that is left out leads to a state
    that nothing leaves and that does not accept.

    Raises:
        InputError: if the file is none of these, is not deterministic, or names symbols that the claim has not.
    """
    content = read_text(path)
    if content.lstrip().startswith("{"):
        table = read_json(content, path, Decimal)
    else:
        table = _table_of_lines(content, path) or read_toml(content, path)
    return _language_of_table(check_keys(path, table, KEYS, ("start", "accepting", "steps")), path, alphabet, states)


def read_toml(content: str, where: str) -> dict[str, Any]:
    """The tables of a TOML text; its decimals are read exactly.

    Raises:
        InputError: if it is none.
    """
    try:
        return tomllib.loads(content, parse_float=Decimal)
    except RecursionError:
        raise InputError(f"{where}: brackets nested too deeply") from None
    except (ValueError, ArithmeticError) as error:
        raise InputError(f"{where}: {' '.join(str(error).split())}") from None


def _table_of_lines(content: str, where: str) -> dict[str, Any] | None:
    """The same table for lines `state state symbol` and `state` (accepting); None if the text is of another kind."""
    lines = [line.split() for line in content.splitlines() if line.strip()]
    if not lines or not all(map(_is_line_of_automaton, lines)):
        return None
    steps: dict[str, dict[str, str]] = {}
    for number, line in enumerate(lines, start=1):
        if len(line) == 3:
            source, target, symbol = line
            if steps.setdefault(source, {}).setdefault(symbol, target) != target:
                raise InputError(f"{where}, step {number}: state {source} has two steps for {symbol}, expected a "
                                 f"deterministic automaton")
    return {"start": lines[0][0], "accepting": [line[0] for line in lines if len(line) == 1], "steps": steps}


def _is_line_of_automaton(words: Sequence[str]) -> bool:
    """Whether a line is not TOML: `state state symbol`, or a state alone."""
    if len(words) == 3:
        return words[1] != "="
    return len(words) == 1 and "=" not in words[0] and words[0][0] not in "[#"


def _language_of_table(table: Mapping[str, Any], where: str, alphabet: Sequence[str],
                       states: Sequence[str] | None) -> Language:
    _check_alphabet(table, where, alphabet)
    steps = _steps(table["steps"], where, alphabet)
    known = {*steps, *(target for row in steps.values() for target in row.values())}
    start: str | None = _state(f"{where}: start", table["start"], known)
    key = "accepting" if states is None else "states"
    named = texts(f"{where}: accepting", table["accepting"]) if states is None else states
    accepting = [_state(f"{where}: {key}", state, known) for state in named]

    def step(state: str | None, letter: int) -> str | None:
        return steps.get(state, {}).get(alphabet[letter]) if state is not None else None

    automaton, order = explore(start, step, len(alphabet), where)
    return Language(automaton, frozenset(number for number, state in enumerate(order) if state in accepting))


def _check_alphabet(table: Mapping[str, Any], where: str, alphabet: Sequence[str]) -> None:
    if "alphabet" in table:
        found = table["alphabet"]
        symbols = list(found) if isinstance(found, str) else texts(f"{where}: alphabet", found)
        if sorted(symbols) != sorted(alphabet):
            raise InputError(f"{where}: alphabet {shown(found)}, expected the claim's {' '.join(alphabet)}")


def _steps(data: object, where: str, alphabet: Sequence[str]) -> dict[str, dict[str, str]]:
    if not isinstance(data, dict):
        raise InputError(f"{where}: steps: {shown(data)}, expected a table of states")
    if len(data) > MOST_STATES:
        raise Unsupported(f"{where}: {len(data)} states, expected at most {MOST_STATES}")
    for state, row in data.items():
        check_keys(f"{where}: steps of {shown(state)}", row, alphabet)
        for symbol, target in row.items():
            text(f"{where}: steps of {shown(state)}: {symbol}", target)
    return data


def _state(where: str, state: object, known: set[str]) -> str:
    name = text(where, state)
    if name not in known:
        raise InputError(f"{where}: no state is named {shown(name)}")
    return name
