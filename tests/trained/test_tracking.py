"""The tracker of a claim agrees with the language on every word, and remembers no more than it must."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constructions.errors import Unsupported
from constructions.language.fragments import find_future_subformula
from constructions.language.parser import parse_formula
from constructions.language.positional import find_subformula_with_length
from constructions.language.predicates import parse_predicate_definition
from constructions.language.syntax import Formula
from constructions.trained.claim import When, WordsClaim
from proofs.words.tracking import State, cases_at, track
from tests.language.strategies import formulas
from tests.trained.claims import PARITY, claim_of

PAST = [
    "Q_a", "!Q_a <-> prev Q_b", "prev prev Q_a", "Q_a since Q_b", "prev (Q_a since (Q_b & FIRST))",
    "ODD(#<[Q_a])", "#<[Q_a] > #<[Q_b]", "2*#<[Q_a] - #<[prev Q_b] >= 1", "#<[Q_a] == 2", "-3*#<[Q_b] < -4",
    "MOD(3,1)(#<[Q_a since Q_b]) | EVEN", "PRIME & SQUARE(#<[Q_b])", "#<[ODD(#<[Q_a])] <= 2", "O (Q_a & prev Q_a)",
    "FIRST(#<[Q_a]) -> H Q_b", "#<[true] == 2*#<[Q_a]", "1 <= 2", "POW2(#<[Q_a]) & #<[Q_a] > 2",
]  # fmt: skip


def agree(claim: WordsClaim, longest: int) -> None:
    """On all words up to a length, at all places, and where states are equal, the futures are."""
    tracker = track(claim)
    level: dict[tuple[str, ...], State] = {(): tracker.start}
    for _ in range(longest + 1):
        for word, state in level.items():
            assert tracker.cases(state) == cases_at(claim, word, len(word))
        level = {(*word, symbol): tracker.step(state, letter)
                 for word, state in level.items() for letter, symbol in enumerate(claim.alphabet)}


@pytest.mark.parametrize("text", PAST)
def test_the_tracker_agrees_with_the_language_on_all_words(text: str) -> None:
    agree(claim_of([parse_formula(text)]), 8)


@given(st.lists(formulas(temporal=("prev", "since"), counting=True, max_depth=3)
                .filter(lambda formula: not find_future_subformula(formula)
                        and not find_subformula_with_length(formula)), min_size=1, max_size=3),
       st.sampled_from([None, (), (0,), (1,), (0, 1)]))
def test_random_claims_are_tracked_as_the_language_says(several: list[Formula], states: tuple[int, ...] | None) -> None:
    whens = [When(formula, states) for formula in several] + [When(None, (1,))]
    agree(claim_of(whens, automaton=PARITY), 6)


def test_a_formula_does_not_hold_before_the_first_letter_but_states_do() -> None:
    true = parse_formula("true")
    claim = claim_of([When(true), When(true, (0,)), When(None, (0,)), When(None, (1,))], automaton=PARITY)
    assert track(claim).start.cases == cases_at(claim, "", 0) == (2,)


@pytest.mark.parametrize("text", ["next Q_a", "Q_a until Q_b", "#>[Q_a] > 1", "LAST", "prev (Q_a & LAST)"])
def test_what_looks_ahead_is_named(text: str) -> None:
    with pytest.raises(Unsupported, match="looks ahead or depends on the length: prefixes do not decide it"):
        track(claim_of([parse_formula(text)]))


@pytest.mark.parametrize(("text", "states"), [
    ("ODD(#<[Q_a])", 2),
    ("Q_a", 2),
    ("#<[Q_a] >= 3", 4),
    ("3*#<[Q_a] >= 8 | -2*#<[Q_a] <= -2", 4),
    ("MOD(3,0)(#<[Q_a]) & MOD(2,1)(#<[Q_a])", 6),
    ("ODD & FIRST(#<[Q_a])", 6),
    ("2*#<[Q_a] > 2*#<[Q_b] & #<[Q_b] - #<[Q_a] < 3", 17),
    ("Q_a since Q_b", 2),
])  # fmt: skip
def test_states_are_no_more_than_what_differs_later(text: str, states: int) -> None:
    """All words of length 16; the difference of two counts takes 17 values."""
    tracker = track(claim_of([parse_formula(text)]))
    level = {tracker.start}
    for _ in range(16):
        level = {tracker.step(state, letter) for state in level for letter in (0, 1)}
    assert len(level) <= states


def test_every_word_of_one_length_leads_to_the_state_of_its_count() -> None:
    tracker = track(claim_of([parse_formula("#<[Q_a] > #<[Q_b]")]))
    by_state: dict[State, set[int]] = {}
    for word in product((0, 1), repeat=6):
        state = tracker.start
        for letter in word:
            state = tracker.step(state, letter)
        by_state.setdefault(state, set()).add(word.count(0))
    assert sorted(map(sorted, by_state.values())) == [[0], [1], [2], [3], [4], [5], [6]]


def test_a_predicate_of_the_users_is_evaluated_at_the_position() -> None:
    third = parse_predicate_definition("THIRD(k) := k % 3 == 0")
    formula = parse_formula("THIRD | THIRD(#<[Q_a])", "ab", {"THIRD": third})
    agree(claim_of([formula], predicates=(third,)), 7)
