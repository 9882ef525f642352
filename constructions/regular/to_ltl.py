"""A regular language as a formula of past temporal logic with counting modulo numbers.

Claim       The formula holds at a position exactly if the prefix up to it is in the language; so it holds at the last
            position of exactly the words of the language that are not empty.
Method      The minimal automaton, or quotients of it, is followed by a cascade (component.py, cascade.py), in several
            ways; the formula with the fewest subformulas is taken. That it defines the language is decided for all words
            (equivalence.py) before it is given out.
Source      Krohn and Rhodes; Schützenberger, McNaughton and Papert: without groups, no counting is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from constructions.errors import InternalError, Unsupported
from constructions.language.syntax import Formula, subformulas
from constructions.regular.automata import Automaton, Language, minimal
from constructions.regular.cascade import Cascade, rows_of
from constructions.regular.cells import cells_of
from constructions.regular.component import Component
from constructions.regular.congruences import factors
from constructions.regular.equivalence import defines

MOST_STATES = 200


def formula_of_language(language: Language, alphabet: Sequence[str], what: str = "the language") -> Formula:
    """A formula that holds where the prefix is in the language.

    >>> from constructions.regular.expression import language_of_regex
    >>> formula_of_language(language_of_regex("(aa)*", "a"), "a")
    parse_formula('EVEN')

    Raises:
        Unsupported: if a group that the language has is not solvable; if its automaton, or all formulas that are tried
            for it, are very large.
        InternalError: if a formula does not define the language.
    """
    automaton, blocks = minimal(language.automaton, [state in language.accepting
                                                     for state in range(len(language.automaton.steps))])
    small = Language(automaton, frozenset(blocks[state] for state in language.accepting))
    if len(automaton.steps) > MOST_STATES:
        raise Unsupported(f"{what}: its minimal automaton has {len(automaton.steps)} states, expected at most {MOST_STATES}")
    found: list[Formula] = []
    reasons: list[Unsupported] = []
    for way in _ways(small):
        try:
            components = [Component(part, way.split, what) for part in way.parts]
            cells = cells_of(components, way.binary, way.remembers)
            found.append(Cascade(rows_of(small, components, len(alphabet)), cells, alphabet).accepting())
        except Unsupported as reason:
            reasons.append(reason)
    if not found:
        raise reasons[0]
    smallest = min(found, key=lambda formula: len(subformulas(formula)))
    if not defines(smallest, small, alphabet):
        raise InternalError(f"{what}: its formula defines another language")
    return smallest


@dataclass(frozen=True)
class _Way:
    """Which automata are followed, whether strong components are regions, and the kinds of bits (cells.py)."""

    parts: tuple[Automaton, ...]
    split: bool
    binary: bool
    remembers: bool


def _ways(language: Language) -> Iterator[_Way]:
    whole = (language.automaton,)
    quotients = tuple(factors(language))
    for parts in dict.fromkeys([quotients, whole]):
        for split, remembers in ((True, True), (True, False), (False, False)):
            for binary in (False, True):
                yield _Way(parts, split, binary, remembers)
