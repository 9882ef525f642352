"""Conversion of a regular language to an expression for `expression.py`, by state elimination.

Claim       The expression matches exactly the words of the language; the caller may parse it and compare.
Method      Brzozowski and McCluskey: a state is eliminated by writing down the paths through it, the state with the
            least cost in characters first. A few rules shorten the result (r|r = r, (r?)* = r*, rr* = r+, x y|x z =
            x(y|z), …); it need not be the shortest expression.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from constructions.errors import Unsupported
from constructions.regular.automata import Automaton, RegularLanguage, minimal_language, viable

MOST_CHARACTERS = 20_000
"""Longest intermediate expression, in characters."""
_OPERATORS = "()[]{}|*+?.\\^$<>"


@dataclass(frozen=True)
class RegexNode:
    """A node of a regular expression.

    ``kind`` is a for a choice of symbols (their text), . for a concatenation (empty: the empty word), | for
    alternatives, and *, + or ? of one part.
    """

    kind: str
    parts: tuple[RegexNode, ...] = ()
    symbols: frozenset[int] = frozenset()
    text_of_symbols: str = ""

    @cached_property
    def text(self) -> str:
        """The text of the expression."""
        match self.kind:
            case "a":
                return self.text_of_symbols
            case ".":
                return "".join(f"({part.text})" if part.kind == "|" else part.text for part in self.parts) or "()"
            case "|":
                return "|".join(part.text for part in self.parts)
        part = self.parts[0]
        return f"{part.text if part.kind == 'a' else f'({part.text})'}{self.kind}"

    @property
    def takes_nothing(self) -> bool:
        """True if the empty word matches."""
        match self.kind:
            case "a":
                return False
            case ".":
                return all(part.takes_nothing for part in self.parts)
            case "|":
                return any(part.takes_nothing for part in self.parts)
        return self.kind in "*?" or self.parts[0].takes_nothing


NOTHING = RegexNode(".")
"""The empty word."""


def expression_of_language(language: RegularLanguage, alphabet: Sequence[str]) -> str | None:
    """Return an expression of exactly the words of a language; None for the empty language.

    >>> from constructions.regular.expression import language_of_regex
    >>> for pattern in ("(ab|b)*", "a*b*", "(aa)*"):
    ...     print(expression_of_language(language_of_regex(pattern, "ab"), "ab"))
    (a?b)*
    a*b*
    (aa)*

    Raises:
        Unsupported: if it becomes too long.
    """
    small = minimal_language(language)
    live = viable(small)
    if small.automaton.start not in live:
        return None
    return _Elimination(small, live, alphabet).expression().text


class _Elimination:
    """The remaining states and the expressions between them; the start and the end are states of their own."""

    def __init__(self, language: RegularLanguage, live: frozenset[int], alphabet: Sequence[str]) -> None:
        self.alphabet = alphabet
        self.start, self.end = -1, -2
        self.ways: dict[tuple[int, int], RegexNode] = {(self.start, language.automaton.start): NOTHING}
        self.states = sorted(live)
        for state in self.states:
            for after, letters in _letters_by_target(language.automaton, state).items():
                if after in live:
                    self.ways[state, after] = self._choice(letters)
            if state in language.accepting:
                self.ways[state, self.end] = NOTHING

    def _choice(self, letters: frozenset[int]) -> RegexNode:
        """Return the choice of some letters."""
        named = any(len(symbol) > 1 for symbol in self.alphabet)
        written = [f"<{self.alphabet[one]}>" if named else
                   f"\\{self.alphabet[one]}" if self.alphabet[one] in _OPERATORS else self.alphabet[one]
                   for one in sorted(letters)]
        if len(letters) == len(self.alphabet) > 1:
            return RegexNode("a", symbols=letters, text_of_symbols=".")
        if len(letters) == 1:
            return RegexNode("a", symbols=letters, text_of_symbols=written[0])
        if named or any(len(one) > 1 or one == "-" for one in written):
            return RegexNode("|", tuple(self._choice(frozenset({one})) for one in sorted(letters)))
        return RegexNode("a", symbols=letters, text_of_symbols=f"[{''.join(written)}]")

    def expression(self) -> RegexNode:
        """Eliminate all states; return the expression from start to end."""
        while self.states:
            self._leave_out(min(self.states, key=lambda state: (self._cost(state), state)))
        return self.ways.get((self.start, self.end), NOTHING)

    def _around(self, state: int) -> tuple[list[int], list[int]]:
        into = [one for one, other in self.ways if other == state != one]
        out = [other for one, other in self.ways if one == state != other]
        return into, out

    def _cost(self, state: int) -> int:
        """Estimate the number of characters that eliminating the state adds."""
        into, out = self._around(state)
        loop = len(self.ways[state, state].text) if (state, state) in self.ways else 0
        return (sum(len(self.ways[one, state].text) for one in into) * (len(out) - 1)
                + sum(len(self.ways[state, one].text) for one in out) * (len(into) - 1)
                + loop * (len(into) * len(out) - 1))

    def _leave_out(self, state: int) -> None:
        into, out = self._around(state)
        again = repeated(self.ways[state, state]) if (state, state) in self.ways else NOTHING
        for one in into:
            for other in out:
                through = chained(chained(self.ways[one, state], again), self.ways[state, other])
                old = self.ways.get((one, other))
                self.ways[one, other] = through if old is None else either(old, through)
                if len(self.ways[one, other].text) > MOST_CHARACTERS:
                    raise Unsupported(f"the language: its expression has more than {MOST_CHARACTERS} characters")
        self.ways = {pair: way for pair, way in self.ways.items() if state not in pair}
        self.states.remove(state)


def _letters_by_target(automaton: Automaton, state: int) -> dict[int, frozenset[int]]:
    found: dict[int, set[int]] = {}
    for letter, after in enumerate(automaton.steps[state]):
        found.setdefault(after, set()).add(letter)
    return {after: frozenset(letters) for after, letters in found.items()}


def _parts(one: RegexNode) -> tuple[RegexNode, ...]:
    """Return the factors of a concatenation."""
    return one.parts if one.kind == "." else (one,)


def _alternatives(one: RegexNode) -> tuple[RegexNode, ...]:
    return one.parts if one.kind == "|" else (one,)


def _in_a_row(parts: Sequence[RegexNode]) -> RegexNode:
    return parts[0] if len(parts) == 1 else RegexNode(".", tuple(parts))


def chained(one: RegexNode, other: RegexNode) -> RegexNode:
    """Return the concatenation; r r* and r* r become r+."""
    left, right = list(_parts(one)), list(_parts(other))
    if right and right[0].kind == "*":
        looped = _parts(right[0].parts[0])
        if len(left) >= len(looped) and tuple(left[-len(looped):]) == looped:
            return _in_a_row([*left[: -len(looped)], RegexNode("+", right[0].parts), *right[1:]])
    if left and left[-1].kind == "*":
        looped = _parts(left[-1].parts[0])
        if len(right) >= len(looped) and tuple(right[: len(looped)]) == looped:
            return _in_a_row([*left[:-1], RegexNode("+", left[-1].parts), *right[len(looped) :]])
        if right and right[0] == left[-1]:
            right = right[1:]
    return _in_a_row([*left, *right])


def repeated(one: RegexNode) -> RegexNode:
    """Return the Kleene star; r? inside it becomes r."""
    parts = tuple(part.parts[0] if part.kind in "+?*" else part for part in _alternatives(one) if part != NOTHING)
    if not parts:
        return NOTHING
    return RegexNode("*", (parts[0] if len(parts) == 1 else RegexNode("|", tuple(dict.fromkeys(parts))),))


def optional(one: RegexNode) -> RegexNode:
    """Return the expression or the empty word."""
    if one.takes_nothing:
        return one
    return RegexNode("*", one.parts) if one.kind == "+" else RegexNode("?", (one,))


def either(one: RegexNode, other: RegexNode) -> RegexNode:
    """Return the union: equal alternatives once, common prefixes and suffixes factored out."""
    if one == other:
        return one
    if NOTHING in (one, other):
        return optional(other if one == NOTHING else one)
    alternatives = list(dict.fromkeys((*_alternatives(one), *_alternatives(other))))
    for place, first in enumerate(alternatives):
        for later in alternatives[place + 1 :]:
            if (merged := _merged(first, later)) is not None:
                rest = [part for part in alternatives if part not in (first, later)]
                for part in rest:
                    merged = either(part, merged)
                return merged
    return RegexNode("|", tuple(alternatives))


def _merged(one: RegexNode, other: RegexNode) -> RegexNode | None:
    """Return both as one concatenation if they have a common prefix or suffix, else None."""
    left, right = list(_parts(one)), list(_parts(other))
    before: list[RegexNode] = []
    while left and right and left[0] == right[0]:
        before.append(left.pop(0))
        right.pop(0)
    after: list[RegexNode] = []
    while left and right and left[-1] == right[-1]:
        after.insert(0, left.pop())
        right.pop()
    if not before and not after:
        return None
    middle = either(_in_a_row(left), _in_a_row(right))
    return chained(chained(_in_a_row(before), middle), _in_a_row(after))
