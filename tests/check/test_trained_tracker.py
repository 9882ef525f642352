"""The tracker of the checker: its cases are those that formulas and automata have on every word."""

from itertools import product

import pytest

from constructions.language.parser import parse_formula
from constructions.language.semantics import truth_values
from proofs.check import Rejected
from proofs.check.checker.chapters.word_semantics.conditions import ClaimAutomaton, Conditions, When
from proofs.check.checker.chapters.word_semantics.tracker import Tracker
from proofs.check.checker.kernel.budget import Budget
from proofs.check.checker.kernel.language import Language

FORMULAS = (
    "Q_a", "prev Q_a", "prev prev Q_b", "Q_a since Q_b", "(prev Q_a) since (Q_b | FIRST)", "O Q_b", "H Q_a",
    "Q_a S Q_b", "#<[Q_a] > #<[Q_b]", "2*#<[Q_a] - 3*#<[prev Q_b] == 1", "ODD(#<[Q_a])", "MOD(3,1)(#<[Q_a | prev Q_b])",
    "EVEN & Q_a", "SQUARE -> Q_b", "#<[#<[Q_a] >= #<[Q_b]] > 2", "prev (#<[Q_a] == 2)", "true",
    "FIRST <-> (Q_b since Q_a)")


def asked(*cases: When, automaton: ClaimAutomaton | None = None) -> Conditions:
    return Conditions(("a", "b"), automaton, cases)


@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_holds_after_a_word_if_and_only_if_its_case_does(text: str) -> None:
    language = Language(Budget())
    tracker = Tracker(language, asked(When(language.formula(text), None)))
    formula = parse_formula(text, ("a", "b"))
    assert tracker.start().cases == ()
    for word in product(range(2), repeat=6):
        state, letters = tracker.start(), "".join("ab"[letter] for letter in word)
        for i, letter in enumerate(word, 1):
            state = tracker.step(state, letter, i)
            assert state.cases == ((0,) if truth_values(formula, letters)[i - 1] else ())


def test_states_of_the_automaton_and_formulas_have_to_hold_together() -> None:
    language = Language(Budget())
    cases = (When(None, frozenset({0})), When(language.formula("Q_a"), frozenset({0, 2})),
             When(language.formula("prev Q_a"), frozenset({2})))
    tracker = Tracker(language, asked(*cases, automaton=ClaimAutomaton(0, ((1, 0), (2, 0), (2, 2)))))
    state, found = tracker.start(), []
    for i, letter in enumerate((1, 0, 0, 1), 1):
        found.append(state.cases)
        state = tracker.step(state, letter, i)
    assert [*found, state.cases] == [(0,), (0,), (), (1, 2), (2,)]


@pytest.mark.parametrize("text", ["next Q_a", "Q_a until Q_b", "#>[Q_a] > 1", "LAST", "F Q_a", "prev (Q_b U Q_a)",
                                  "#<[next Q_a] > 0", "ODD(#>[Q_a])", "#<[Q_a] > #>[Q_a]"])
def test_formulas_that_look_ahead_are_refused(text: str) -> None:
    language = Language(Budget())
    with pytest.raises(Rejected, match="about the past only"):
        Tracker(language, asked(When(language.formula(text), None)))
