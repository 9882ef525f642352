"""HOA files (Hanoi omega-automata, version 1), read as automata on finite words: marked states accept.

Letters     The atomic propositions AP name the letters, in one of two ways. With an alphabet of names of AP, each
            letter makes its own proposition true and all others false. Without an alphabet each valuation is a letter,
            named ``p&!q``.
Refused     Alternation, marks on edges, acceptance other than one set of states or none, omitted labels.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product

from constructions.errors import InputError
from constructions.regular.determinise import Nondeterministic
from constructions.tables import shown

MOST_PROPOSITIONS = 6
_TOKEN = re.compile(r'\s+|/\*.*?\*/|("(?:[^"\\]|\\.)*"|--[A-Z]+--|[A-Za-z_][\w.-]*:?|@[\w.-]+|\d+|[\[\](){}!&|])',
                    re.DOTALL)
_END = "the end of the file"
_BINDING = {"|": 1, "&": 2, "!": 3}
_ACCEPTANCES = ("1 Inf ( 0 )", "0 t")
_ONCE = ("HOA:", "States:", "AP:", "acc-name:", "Acceptance:", "tool:", "name:")
"""Other headers, such as properties:, may be repeated, as Spot does."""
Valuation = tuple[bool, ...]


def is_hoa(content: str) -> bool:
    """Return whether a text begins as a HOA file."""
    return re.match(r"\s*HOA:", content) is not None


def read_hoa(content: str, where: str, alphabet: Sequence[str] | None) -> tuple[Nondeterministic, tuple[str, ...]]:
    """Return the automaton and its letters: the ``alphabet``, if given.

    Raises:
        InputError: if it is not a HOA file; the message has the line.
    """
    return _HoaReader(content, where).read(alphabet)


@dataclass(frozen=True)
class _Token:
    text: str
    line: int


@dataclass
class _State:
    """A state of the file: its mark, and its edges, each with the set of its letters as bits."""

    marked: bool
    edges: list[tuple[int, int]] = field(default_factory=list)


class _HoaReader:
    """The tokens of a file, read once from left to right."""

    def __init__(self, content: str, where: str) -> None:
        self.where = where
        self.tokens = list(self._tokens(content))
        self.place = 0
        self.headers: dict[str, list[_Token]] = {}
        self.starts: list[_Token] = []
        self.aliases: list[list[_Token]] = []
        self.letters_of: dict[str, int] = {"f": 0}

    def _tokens(self, content: str) -> Iterator[_Token]:
        place, line = 0, 1
        while place < len(content):
            match = _TOKEN.match(content, place)
            if match is None:
                raise InputError(f"{self.where}, line {line}: {shown(content[place])}, expected the HOA format")
            if match[1]:
                yield _Token(match[1], line)
            line += match[0].count("\n")
            place = match.end()
        yield _Token(_END, line)

    def read(self, alphabet: Sequence[str] | None) -> tuple[Nondeterministic, tuple[str, ...]]:
        self._read_headers()
        names = self._propositions()
        letters = self._letters(names, alphabet)
        self.letters_of["t"] = (1 << len(letters)) - 1
        for place in range(len(names)):
            self.letters_of[str(place)] = sum(1 << letter for letter, truths in enumerate(letters.values())
                                              if truths[place])
        for alias, *value in self.aliases:
            self.letters_of[alias.text] = self._label(value)
        everything_accepts = self._acceptance() == "0 t"
        states = self._read_states()
        automaton = Nondeterministic([self._state(token, states) for token in self.starts],
                                     [number for number, state in states.items() if state.marked or everything_accepts])
        for number, state in states.items():
            for label, target in state.edges:
                for letter in range(len(letters)):
                    if label >> letter & 1:
                        automaton.add(number, letter, target)
        return automaton, tuple(letters)

    # -- headers -------------------------------------------------------------------------------------------------------

    def _read_headers(self) -> None:
        while (token := self._next()).text != "--BODY--":
            if not token.text.endswith(":"):
                raise self._error(token, "a header such as Start: or --BODY--")
            values: list[_Token] = []
            while not self._peek().text.endswith(":") and self._peek().text not in ("--BODY--", _END):
                values.append(self._next())
            name = token.text
            if name == "Start:":
                if any(value.text == "&" for value in values) or not values:
                    raise self._error(token, "one state each, as alternating automata are not supported")
                self.starts += values
            elif name == "Alias:" and len(values) > 1:
                self.aliases.append(values)
            elif name in self.headers and name in _ONCE:
                raise self._error(token, "it once")
            else:
                self.headers[name] = values

    def _propositions(self) -> list[str]:
        values = self.headers.get("AP:", [])
        names = [value.text[1:-1] for value in values[1:]]
        quoted = all(value.text.startswith('"') for value in values[1:])
        if not values or not quoted or values[0].text != str(len(names)):
            found = shown(" ".join(value.text for value in values))
            raise InputError(f'{self.where}: AP: {found}, expected their number and names, such as AP: 2 "p" "q"')
        return names

    def _letters(self, names: list[str], alphabet: Sequence[str] | None) -> dict[str, Valuation]:
        """Return each letter with its valuation."""
        single = {name: tuple(other == name for other in names) for name in names}
        if alphabet is not None and set(alphabet) <= set(names):
            return {symbol: single[symbol] for symbol in alphabet}
        if len(names) > MOST_PROPOSITIONS:
            raise InputError(f"{self.where}: {len(names)} propositions, each true or false, expected at most "
                             f"{MOST_PROPOSITIONS}, or --alphabet with some of them, one of which holds at a time")
        found = {"&".join(name if truth else f"!{name}" for name, truth in zip(names, truths, strict=True)): truths
                 for truths in product((True, False), repeat=len(names))}
        if alphabet is None:
            return found
        if set(alphabet) != set(found):
            raise InputError(f"{self.where}: alphabet {shown(','.join(alphabet))}, expected some of the propositions "
                             f"{','.join(names)}, one of which holds at a time, or {','.join(found)}")
        return {symbol: found[symbol] for symbol in alphabet}

    def _acceptance(self) -> str:
        text = " ".join(value.text for value in self.headers.get("Acceptance:", []))
        if text not in _ACCEPTANCES:
            raise InputError(f"{self.where}: Acceptance: {shown(text)}, expected 1 Inf(0), where marked states "
                             "accept, or 0 t, where all do; other conditions are about infinite words")
        return text

    # -- states --------------------------------------------------------------------------------------------------------

    def _read_states(self) -> dict[int, _State]:
        found: dict[int, _State] = {}
        targets: list[_Token] = []
        current: _State | None = None
        while (token := self._next()).text != "--END--":
            if token.text == "State:":
                number = self._next()
                place = self._number(number)
                if place in found:
                    raise self._error(number, "each state once")
                if self._peek().text.startswith('"'):
                    self._next()
                current = found[place] = _State(self._read_marks())
            elif token.text == "[" and current is not None:
                label = self._label(self._until("]"))
                targets.append(self._next())
                current.edges.append((label, self._number(targets[-1])))
                if self._peek().text in ("&", "{"):
                    raise self._error(self._peek(), "one state after the label, and marks on states, not on edges "
                                                    "(Spot's autfilt -S moves them)")
            else:
                raise self._error(token, "State: or an edge, [label] state, or --END--")
        for target in targets:
            self._state(target, found)
        return found

    def _read_marks(self) -> bool:
        if self._peek().text != "{":
            return False
        self._next()
        return bool(self._until("}"))

    def _until(self, closing: str) -> list[_Token]:
        found = []
        while (token := self._next()).text != closing:
            if token.text in ("State:", "--END--"):
                raise self._error(token, closing)
            found.append(token)
        return found

    def _number(self, token: _Token) -> int:
        if not token.text.isdecimal() or len(token.text) > 9:
            raise self._error(token, "the number of a state")
        return int(token.text)

    def _state(self, token: _Token, states: dict[int, _State]) -> int:
        number = self._number(token)
        if number not in states:
            raise self._error(token, "a state that has a line State:")
        return number

    # -- labels --------------------------------------------------------------------------------------------------------

    def _label(self, tokens: Sequence[_Token]) -> int:
        """Return the letters that satisfy a Boolean formula of propositions, as bits; ! binds before &, & before |."""
        values: list[int] = []
        operators: list[_Token] = []
        wants_value = True

        def apply(binding: int) -> None:
            while operators and _BINDING.get(operators[-1].text, 0) >= binding:
                operator = operators.pop().text
                right = values.pop()
                if operator == "!":
                    values.append(self.letters_of["t"] & ~right)
                else:
                    left = values.pop()
                    values.append(left & right if operator == "&" else left | right)

        for token in tokens:
            if wants_value != (token.text not in ("&", "|", ")")):
                raise self._error(token, "a proposition's number, t, f or !" if wants_value else "& or | or ]")
            if token.text in ("!", "("):
                operators.append(token)
            elif token.text == ")":
                apply(1)
                if not operators:
                    raise self._error(token, "an opening ( before it")
                operators.pop()
            elif token.text in ("&", "|"):
                apply(_BINDING[token.text])
                operators.append(token)
                wants_value = True
            else:
                if token.text not in self.letters_of:
                    raise self._error(token, "the number of a proposition, t, f, or an alias")
                values.append(self.letters_of[token.text])
                wants_value = False
        if wants_value:
            raise self._error(self._peek(), "a label that ends with a proposition")
        apply(1)
        if operators:
            raise self._error(operators[-1], "a closing ) after it")
        return values[0]

    # -- tokens --------------------------------------------------------------------------------------------------------

    def _peek(self) -> _Token:
        return self.tokens[self.place]

    def _next(self) -> _Token:
        token = self._peek()
        if token.text == _END:
            raise self._error(token, "--BODY-- … --END--")
        self.place += 1
        return token

    def _error(self, token: _Token, expected: str) -> InputError:
        return InputError(f"{self.where}, line {token.line}: {shown(token.text)}, expected {expected}")
