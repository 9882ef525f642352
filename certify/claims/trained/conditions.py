"""Conditions on prefixes: formulas, and states of the automata of languages; with their product automaton."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

from certify.common.files import read_text
from constructions.errors import InputError
from constructions.language.parser import parse_formula
from constructions.language.predicate_definition import PredicateDefinition
from constructions.language.syntax import And, Formula, Not, once
from constructions.regular.automata import (
    Automaton,
    RegularLanguage,
    check_small,
    explore,
    minimal,
    product,
    small_language,
)
from constructions.regular.automaton_files import language_of_text
from constructions.regular.expression import language_of_regex
from constructions.tables import check_keys, shown, text, texts
from constructions.trained.claim import Case, Row, When, WordsClaim
from proofs.words.tracking import track

KEYS = ("formula", "regex", "dfa", "states")
FIRST = parse_formula("FIRST", ())


def is_at_first(formula: Formula) -> bool:
    """Return whether a formula is judged at the first position of the word."""
    return isinstance(formula, And) and formula.left is FIRST



@dataclass(frozen=True)
class Condition:
    """A conjunction: all formulas hold, and the automaton of each language (an index) is in one of the states."""

    formulas: tuple[Formula, ...] = ()
    states: tuple[tuple[int, frozenset[int]], ...] = ()

    def __and__(self, other: Condition) -> Condition:
        return Condition(self.formulas + other.formulas, self.states + other.states)


@dataclass
class Conditions:
    """A reader of truths over an alphabet; collects their ``languages``."""

    alphabet: tuple[str, ...]
    predicates: dict[str, PredicateDefinition]
    folder: Path
    at_first: bool = False
    """True if formulas are judged at the first position of the word."""
    languages: list[RegularLanguage] = field(default_factory=list)

    def truth(self, where: str, value: object) -> tuple[Condition, Condition]:
        """Return the condition that the formula or language of a table holds, and its negation.

        Raises:
            InputError: if it is neither a formula nor a table with one of the KEYS.
        """
        found = self.formula_or_language(where, value)
        if isinstance(found, RegularLanguage):
            return self.inside(found, found.accepting)
        found = once(And(FIRST, found)) if self.at_first else found
        return Condition((found,)), Condition((Not(found),))

    def language(self, where: str, value: object) -> RegularLanguage:
        """Return the language of a text or a table; a formula must be finite-state.

        Raises:
            InputError: as for ``truth``.
            Unsupported: if a formula refers to the future or counts without bound.
        """
        found = self.formula_or_language(where, value)
        if self.at_first and not isinstance(found, RegularLanguage):
            raise InputError(f"{where}: at = \"first\" with a language that a formula states, expected a truth")
        return found if isinstance(found, RegularLanguage) else language_of_formula(found, self.alphabet)

    def inside(self, language: RegularLanguage, states: frozenset[int]) -> tuple[Condition, Condition]:
        """Return the condition that the language's automaton is in one of the states, and its negation."""
        if language not in self.languages:
            self.languages.append(language)
        place = self.languages.index(language)
        others = frozenset(range(len(language.automaton.steps))) - states
        return Condition((), ((place, states),)), Condition((), ((place, others),))

    def formula_or_language(self, where: str, value: object) -> Formula | RegularLanguage:
        """Return the formula or the language of a text or a table.

        Raises:
            InputError: if it is neither.
        """
        if isinstance(value, str):
            return self._formula(where, value)
        table = check_keys(where, value, KEYS)
        kinds = [key for key in KEYS[:3] if key in table]
        if len(kinds) != 1 or ("states" in table and kinds != ["dfa"]):
            raise InputError(f"{where}: {shown(value)}, expected one of formula, regex, dfa (which may have states)")
        content = text(f"{where}: {kinds[0]}", table[kinds[0]])
        if kinds == ["formula"]:
            return self._formula(where, content)
        if kinds == ["regex"]:
            return language_of_regex(content, self.alphabet)
        if not content.isprintable():
            raise InputError(f"{where}: dfa: {shown(content)}, expected the name of a file")
        states = texts(f"{where}: states", table["states"]) if "states" in table else None
        path = str(self.folder / content)
        return language_of_text(read_text(path), path, self.alphabet, states)[0]

    def _formula(self, where: str, content: str) -> Formula:
        try:
            return parse_formula(content, self.alphabet, self.predicates)
        except InputError as error:
            raise InputError(f"{where}: formula {shown(content)}: {error}") from None

    def cases(self, conditions: Sequence[tuple[Condition, tuple[Row, ...]]]) -> tuple[Automaton | None, list[Case]]:
        """Return the satisfiable cases of a claim, with the product automaton of all languages.

        Raises:
            Unsupported: if the automaton has too many states.
        """
        automaton, states = product([language.automaton for language in self.languages], len(self.alphabet))
        fulfilled = [[all(state[place] in among for place, among in condition.states) for state in states]
                     for condition, _ in conditions]
        automaton, block = minimal(automaton, list(zip(*fulfilled, strict=True)))
        check_small(automaton, "the languages of the claim together")
        cases = []
        for (condition, rows), truths in zip(conditions, fulfilled, strict=True):
            among = tuple(sorted({block[state] for state, truth in enumerate(truths) if truth}))
            if among:
                cases.append(Case(_when(condition, among, len(automaton.steps)), rows))
        needed = any(case.when.states is not None for case in cases)
        return automaton if needed else None, cases


def _when(condition: Condition, among: tuple[int, ...], states: int) -> When:
    """Return the conjunction; the set of all states is left out beside a formula."""
    if not condition.formulas:
        return When(None, among)
    formula = condition.formulas[0]
    for another in condition.formulas[1:]:
        formula = And(formula, another)
    return When(formula, None if len(among) == states else among)


def language_of_formula(formula: Formula, alphabet: Sequence[str]) -> RegularLanguage:
    """Return the language of the non-empty words at whose last position the formula holds.

    Raises:
        Unsupported: if the formula refers to the future, or counts without bound.
    """
    letters = tuple(range(len(alphabet)))
    claim = WordsClaim(tuple(alphabet), letters, (), (), (0, 0), (1, 1), "each", False, Fraction(0), None, (),
                       (Case(When(formula), ()),))
    tracker = track(claim)
    automaton, states = explore(tracker.start, tracker.step, len(alphabet), str(formula))
    accepting = frozenset(number for number, state in enumerate(states) if tracker.cases(state))
    return small_language(RegularLanguage(automaton, accepting), str(formula))
