r"""Regular expressions in the syntax of Python's `re.fullmatch`, without features beyond regular languages.

Syntax      Symbols; ``.`` any symbol, ``[ab] [a-c] [^ab]``, ``( )`` or ``(?: )``, ``|``, ``* + ? {m} {m,} {m,n}``,
            ``()`` the empty word, ``\`` before a symbol that is one of these. Symbols of several characters are
            written ``<push>``.
Method      The position automaton (Glushkov): a state for each symbol of the expression, repetitions written out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from constructions.errors import InputError
from constructions.regular.automata import RegularLanguage, bits_of, explore, small_language
from constructions.tables import shown

MOST_CHARACTERS = 1000
MOST_POSITIONS = 2000
_GROUP_OF_PYTHON = "(?:"
"""Non-capturing brackets: for a language, equal to ( )."""
_BEYOND = re.compile(r"\(\?(?:<[=!]|P[<=>]?|.?)")
"""Other brackets of Python: lookaround, names, flags, comments."""
_LOOKING = {"(?=": "a lookahead", "(?!": "a lookahead", "(?<=": "a lookbehind", "(?<!": "a lookbehind"}
_OPERATORS = "()[]{}|*+?.\\^$"
_REPEATED = re.compile(r"\{(?:([0-9]{1,4})|([0-9]{0,4}),([0-9]{0,4}))\}", re.ASCII)
_NAMED = re.compile(r"<([^<>]+)>")
_EXPECTED = "symbols and ( ) [ ] | * + ? . {m,n}, with \\ before a symbol that is one of these"


def language_of_regex(pattern: str, alphabet: Sequence[str]) -> RegularLanguage:
    """Return the language of words that match the whole pattern.

    >>> even = language_of_regex("(aa)*", "ab")
    >>> even.contains((0, 0)), even.contains((0,)), even.contains((0, 1))
    (True, False, False)

    Raises:
        InputError: if it is not a regular expression over the alphabet, or too long.
        Unsupported: if its automaton has too many states.
    """
    named = any(len(symbol) > 1 for symbol in alphabet)
    return _RegexBuilder(pattern, tuple(alphabet)).build(list(_Tokens(pattern, named)))


def symbols_of_regex(pattern: str) -> tuple[str, ...]:
    """Return the symbols of the pattern, sorted; symbols of several characters are written ``<push>``.

    >>> symbols_of_regex("b(a|<end>)*[c-e]")
    ('a', 'b', 'c', 'd', 'e', 'end')

    Raises:
        InputError: if it is not a regular expression, or has no symbol.
    """
    tokens = list(_Tokens(pattern, named=True))
    found = tuple(sorted({symbol for token in tokens for symbol in token.symbols}))
    if not found:
        raise InputError(f"{_where(pattern)}: no symbol, expected an alphabet")
    return found


def _where(pattern: str) -> str:
    return f"regular expression {shown(pattern)}"


# -- tokens ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Token:
    """A token; ``kind`` is ( ) | or * (a repetition) or a (a choice of symbols); ``place`` counts from 1."""

    kind: str
    place: int
    text: str
    symbols: tuple[str, ...] = ()
    others: bool = False
    least: int = 0
    most: int | None = None


class _Tokens:
    """The tokens of a pattern."""

    def __init__(self, pattern: str, named: bool) -> None:
        """Store the pattern; with ``named``, text in angle brackets is one symbol.

        Raises:
            InputError: if the pattern is too long.
        """
        if len(pattern) > MOST_CHARACTERS:
            raise InputError(f"{_where(pattern)}: too long, expected at most {MOST_CHARACTERS} characters")
        self.pattern = pattern
        self.named = named

    def __iter__(self) -> Iterator[_Token]:
        place = 0
        while place < len(self.pattern):
            token = self._token(place)
            yield token
            place += len(token.text)

    def _token(self, place: int) -> _Token:
        character = self.pattern[place]
        if self.pattern.startswith(_GROUP_OF_PYTHON, place):
            return _Token("(", place + 1, _GROUP_OF_PYTHON)
        if beyond := _BEYOND.match(self.pattern, place):
            kind = _LOOKING.get(beyond[0], "another kind of Python bracket")
            raise self.error(place, beyond[0], f"( ) or (?: ); {kind} is not supported")
        if character in "()|":
            return _Token(character, place + 1, character)
        if character in "*+?":
            return _Token("*", place + 1, character, least=int(character == "+"), most=1 if character == "?" else None)
        if character == "{":
            return self._repetition(place)
        if character == "[":
            return self._choice(place)
        if character == ".":
            return _Token("a", place + 1, ".", others=True)
        text, symbol = self._symbol(place)
        return _Token("a", place + 1, text, (symbol,))

    def _repetition(self, place: int) -> _Token:
        match = _REPEATED.match(self.pattern, place)
        if match is None:
            raise self.error(place, "{", "a repetition such as {2}, {2,} or {2,3}, at most 9999 times")
        exactly, least, most = match.groups()
        if exactly is not None:
            return _Token("*", place + 1, match[0], least=int(exactly), most=int(exactly))
        if least and most and int(least) > int(most):
            raise self.error(place, match[0], "the smaller number first")
        return _Token("*", place + 1, match[0], least=int(least or 0), most=int(most) if most else None)

    def _choice(self, place: int) -> _Token:
        """Return a character class in brackets."""
        others = self.pattern.startswith("^", place + 1)
        here = place + 1 + others
        found: dict[str, None] = {}
        while not self.pattern.startswith("]", here):
            if here >= len(self.pattern):
                raise self.error(place, "[", "] after the symbols")
            text, symbol = self._symbol(here, inside=True)
            here += len(text)
            last = symbol
            if self.pattern.startswith("-", here) and not self.pattern.startswith("]", here + 1):
                if here + 1 >= len(self.pattern):
                    raise self.error(place, "[", "] after the symbols")
                text, last = self._symbol(here + 1, inside=True)
                here += 1 + len(text)
                if len(symbol) != 1 or len(last) != 1 or not 0 <= ord(last) - ord(symbol) <= 255:
                    raise self.error(place, f"{symbol}-{last}", "a range that goes up, of at most 256 characters")
            found |= dict.fromkeys([symbol] if last == symbol else map(chr, range(ord(symbol), ord(last) + 1)))
        if not found:
            raise self.error(place, self.pattern[place : here + 1], "symbols between the brackets")
        return _Token("a", place + 1, self.pattern[place : here + 1], tuple(found), others)

    def _symbol(self, place: int, inside: bool = False) -> tuple[str, str]:
        """Return the text of a symbol, and the symbol."""
        character, following = self.pattern[place], self.pattern[place + 1 : place + 2]
        if character == "\\":
            if not following or following.isalnum():
                raise self.error(place, character + following, "\\ before one of ( ) [ ] { } | * + ? . as a symbol")
            return character + following, following
        if self.named and (match := _NAMED.match(self.pattern, place)):
            return match[0], match[1]
        if not inside and character in "^$":
            raise self.error(place, character, f"nothing, as whole words are matched, or \\{character}")
        if not inside and character in "]}":
            raise self.error(place, character, f"an opening bracket before it, or \\{character}")
        return character, character

    def error(self, place: int, found: str, expected: str) -> InputError:
        """Return the error about a place, which counts from 0."""
        return InputError(f"{_where(self.pattern)}: {found} at character {place + 1}, expected {expected}")


# -- position automata -------------------------------------------------------------------------------------------------


@dataclass
class _Part:
    """The position automaton of a part of an expression.

    Sets are bits of integers. ``letters`` has the possible letters of each position, ``follow`` the next positions;
    ``first`` and ``last`` are the positions that may begin and end a word; ``empty``: the empty word matches.
    """

    letters: list[int] = field(default_factory=list)
    follow: list[int] = field(default_factory=list)
    first: int = 0
    last: int = 0
    empty: bool = True

    def then(self, other: _Part) -> _Part:
        """Return the concatenation."""
        shift = len(self.letters)
        first = other.first << shift
        follow = [after | (first if self.last >> place & 1 else 0) for place, after in enumerate(self.follow)]
        return _Part(self.letters + other.letters, follow + [after << shift for after in other.follow],
                     self.first | (first if self.empty else 0),
                     other.last << shift | (self.last if other.empty else 0), self.empty and other.empty)

    def either(self, other: _Part) -> _Part:
        """Return the union."""
        shift = len(self.letters)
        return _Part(self.letters + other.letters, self.follow + [after << shift for after in other.follow],
                     self.first | other.first << shift, self.last | other.last << shift, self.empty or other.empty)

    def again(self) -> _Part:
        """Return the part repeated once or more."""
        follow = [after | (self.first if self.last >> place & 1 else 0) for place, after in enumerate(self.follow)]
        return _Part(self.letters, follow, self.first, self.last, self.empty)

    def optional(self) -> _Part:
        """Return the part once or not at all."""
        return _Part(self.letters, self.follow, self.first, self.last, True)


class _RegexBuilder:
    """Parser of tokens with a stack of open brackets: alternatives before a bar, and parts since."""

    def __init__(self, pattern: str, alphabet: tuple[str, ...]) -> None:
        self.pattern = pattern
        self.alphabet = alphabet
        self.size = 0

    def build(self, tokens: Sequence[_Token]) -> RegularLanguage:
        """Return the language of all tokens."""
        part = self._part(tokens)
        letters = len(self.alphabet)
        at_letter = [sum(1 << place for place, found in enumerate(part.letters) if found >> letter & 1)
                     for letter in range(letters)]
        follow = [*part.follow, part.first]
        start = 1 << len(part.letters)

        def step(positions: int, letter: int) -> int:
            after = 0
            for place in bits_of(positions):
                after |= follow[place]
            return after & at_letter[letter]

        automaton, sets = explore(start, step, letters, _where(self.pattern))
        last = part.last | (start if part.empty else 0)
        accepting = frozenset(number for number, found in enumerate(sets) if found & last)
        return small_language(RegularLanguage(automaton, accepting), _where(self.pattern))

    def _part(self, tokens: Sequence[_Token]) -> _Part:
        """Return the whole expression; brackets are a stack of alternatives, each a list of parts."""
        opened: list[_Token] = []
        stack: list[list[list[_Part]]] = [[[]]]
        before: _Token | None = None
        for token in tokens:
            self._check_order(before, token)
            if token.kind == "(":
                opened.append(token)
                stack.append([[]])
            elif token.kind == ")":
                if not opened:
                    raise self._error(token, "an opening ( before it, or \\)")
                opened.pop()
                closed = _alternatives(stack.pop())
                stack[-1][-1].append(closed)
            elif token.kind == "|":
                stack[-1].append([])
            elif token.kind == "*":
                stack[-1][-1][-1] = self._repeated(stack[-1][-1][-1], token)
            else:
                stack[-1][-1].append(self._choice(token))
            before = token
        if opened:
            raise self._error(opened[-1], "a closing ) after it, or \\(")
        if before is not None and before.kind == "|":
            raise self._error(before, "something after it; the empty word is written ()")
        return _alternatives(stack[0])

    def _check_order(self, before: _Token | None, token: _Token) -> None:
        kind = before.kind if before else "("
        if token.kind == "*" and kind in "(|":
            raise self._error(token, f"something to repeat before it, or \\{token.text[0]}")
        if token.kind == "*" and kind == "*":
            raise self._error(token, f"( ) around what it repeats, or \\{token.text[0]}")
        if (token.kind in "|)" and kind == "|") or (token.kind == "|" and kind == "("):
            raise self._error(token, "something before it; the empty word is written ()")

    def _choice(self, token: _Token) -> _Part:
        for symbol in token.symbols:
            if symbol not in self.alphabet and len(token.symbols) == 1 and not token.others:
                expected = f"one of the symbols {' '.join(self.alphabet)}" if symbol not in _OPERATORS else _EXPECTED
                raise self._error(token, expected)
        letters = sum(1 << place for place, symbol in enumerate(self.alphabet)
                      if (symbol in token.symbols) != token.others)
        self._count(1)
        return _Part([letters], [0], 1, 1, False)

    def _repeated(self, part: _Part, token: _Token) -> _Part:
        copies = max(token.least, 1) if token.most is None else token.most
        self._count((copies - 1) * len(part.letters))
        if copies == 0:
            return _Part()
        found = _Part()
        for number in range(1, copies + 1):
            copy = part.again() if token.most is None and number == copies else part
            found = found.then(copy if number <= token.least else copy.optional())
        return found

    def _count(self, positions: int) -> None:
        self.size += positions
        if self.size > MOST_POSITIONS:
            raise InputError(f"{_where(self.pattern)}: too long, expected at most {MOST_POSITIONS} symbols with "
                             "repetitions written out")

    def _error(self, token: _Token, expected: str) -> InputError:
        return InputError(f"{_where(self.pattern)}: {token.text} at character {token.place}, expected {expected}")


def _alternatives(sums: Sequence[Sequence[_Part]]) -> _Part:
    found: _Part | None = None
    for parts in sums:
        product = _Part()
        for part in parts:
            product = product.then(part)
        found = product if found is None else found.either(product)
    assert found is not None, "there is at least one alternative"
    return found
