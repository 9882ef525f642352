"""Claims: their JSON is read back and refused exactly, and their obligations are those of docs/reference/trained.md."""

from fractions import Fraction
from typing import Any

import pytest

from constructions.errors import InputError
from constructions.language.parser import parse_formula
from constructions.language.predicates import parse_predicate_definition
from constructions.trained.claim import (
    Case,
    When,
    WordsClaim,
    check_fits,
    claim_of_lengths,
    input_tokens,
    is_by_place,
    judged,
    last_offset,
    obligations,
)
from constructions.trained.claim_form import claim_from_json, claim_to_json
from tests.trained.claims import PARITY, claim_of, network_of

THIRD = parse_predicate_definition("THIRD(k) := k % 3 == 0")
ODD = parse_formula("ODD(#<[Q_b]) & THIRD", "ab", {"THIRD": THIRD})
ABOVE = (((0, Fraction(1)), (3, Fraction(-1, 2))),)


def rich_claim() -> WordsClaim:
    return claim_of([], alphabet=("a", "b"), tokens=(1, 0), before=(2,), after=(3, 3), offsets=(0, 7), lengths=(2, 9),
                    empty=True, margin=Fraction(1, 8), automaton=PARITY, predicates=(THIRD,),
                    cases=(Case(When(ODD), ABOVE), Case(When(ODD, (1,)), ABOVE), Case(When(None, (0, 1)), ())))


def test_the_json_of_a_claim_is_this() -> None:
    row = [[0, "1"], [3, "-1/2"]]
    formula = "ODD(#<[Q_b]) & THIRD"
    assert claim_to_json(rich_claim()) == {
        "alphabet": ["a", "b"], "tokens": [1, 0], "before": [2], "after": [3, 3], "offsets": [0, 7], "min_n": 2,
        "max_n": 9, "read": "each", "empty": True, "margin": "1/8",
        "automaton": {"start": 0, "steps": [[0, 1], [1, 0]]}, "predicates": ["THIRD(k) := k%3 == 0"],
        "cases": [
            {"when": {"formula": formula}, "above": [row]},
            {"when": {"formula": formula, "states": [1]}, "above": [row]},
            {"when": {"states": [0, 1]}, "above": []},
        ],
    }  # fmt: skip


def test_a_claim_is_read_back_from_its_json() -> None:
    assert claim_from_json(claim_to_json(rich_claim())) == rich_claim()


@pytest.mark.parametrize(("change", "message"), [
    ({"alphabet": []}, 'claim.alphabet: [], expected distinct symbols, at least one'),
    ({"alphabet": ["a", "a"]}, 'claim.alphabet: ["a", "a"], expected distinct symbols, at least one'),
    ({"tokens": [1]}, "claim.tokens: 1, expected one for each of the 2 symbols"),
    ({"tokens": [1, True]}, "claim.tokens[1]: true, expected a whole number, 0 or more and below 2^31"),
    ({"tokens": [1, -1]}, "claim.tokens[1]: -1, expected a whole number, 0 or more and below 2^31"),
    ({"before": []}, 'claim.empty: true, expected read "each" and at least one token before the word'),
    ({"offsets": [3, 2]}, "claim.offsets: [3, 2], expected [first, last]"),
    ({"min_n": 0}, "claim: min_n 0 and max_n 9, expected 1 <= min_n <= max_n"),
    ({"read": "all"}, 'claim.read: "all", expected "each" or "last" or "first"'),
    ({"read": ["each"]}, 'claim.read: ["each"], expected "each" or "last" or "first"'),
    ({"empty": 0}, "claim.empty: 0, expected true or false"),
    ({"margin": "-1"}, "claim.margin: -1, expected 0 or more"),
    ({"margin": "1/0"},
     'claim.margin: "1/0", expected a denominator that is not 0'),
    ({"automaton": None}, "claim.cases[1].when.states: states, expected none, as the claim's automaton is null"),
    ({"automaton": {"start": 2, "steps": [[0, 1], [1, 0]]}},
     "claim.automaton.start: 2, expected the number of a state, below 2"),
    ({"automaton": {"start": 0, "steps": [[0], [1]]}},
     "claim.automaton.steps[0]: 1 states, expected one for each of the 2 letters"),
    ({"predicates": ["THIRD"]},
     "claim.predicates: predicate 'THIRD': expected a definition such as THIRD(k,n) := k % 3 == 1"),
    ({"cases": [{"when": {}, "above": []}]}, "claim.cases[0].when: no key formula, expected the keys formula"),
    ({"cases": [{"when": {"states": [1, 0]}, "above": []}]},
     "claim.cases[0].when.states: [1, 0], expected ascending states"),
    ({"cases": [{"when": {"states": [0]}, "above": [[]]}]},
     "claim.cases[0].above[0]: [], expected at least one [token, coefficient], tokens ascending"),
    ({"extra": 1}, 'claim: unknown key "extra", expected only alphabet, tokens, before, after, offsets, min_n, '
                   "max_n, read, empty, margin, automaton, predicates, cases"),
])  # fmt: skip
def test_a_claim_that_is_not_one_is_refused_in_one_line(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        claim_from_json(claim_to_json(rich_claim()) | change)
    assert str(caught.value) == message


def test_the_input_is_the_tokens_before_of_the_letters_and_after() -> None:
    assert input_tokens(rich_claim(), "aab") == (2, 1, 1, 0, 3, 3)
    with pytest.raises(InputError, match="word, position 2: symbol 'c', expected one of the claim's a b"):
        input_tokens(rich_claim(), "acb")


def test_logits_are_judged_at_these_tokens() -> None:
    each = rich_claim()
    assert judged(each, 3) == [(0, 0), (1, 1), (2, 2), (3, 3)]
    assert judged(claim_of([], read="last", before=(2,), after=(3, 3)), 3) == [(3, 5)]
    assert judged(claim_of([], read="first", before=(2,)), 3) == [(3, 0)]


@pytest.mark.parametrize(("formula", "attention", "fields", "by_place"), [
    ("Q_a", "causal", {}, True),
    ("Q_a", "bidirectional", {}, False),
    ("next Q_a", "causal", {}, False),
    ("#>[Q_a] > 1", "causal", {}, False),
    ("LAST", "causal", {}, False),
    ("Q_a", "causal", {"after": (3,)}, True),
    ("Q_a", "causal", {"read": "last"}, True),
    ("Q_a", "causal", {"read": "last", "after": (3,)}, False),
    ("Q_a", "causal", {"read": "first"}, False),
])
def test_obligations_are_by_place_where_a_later_token_changes_nothing(
        formula: str, attention: Any, fields: dict[str, Any], by_place: bool) -> None:
    assert is_by_place(network_of(attention), claim_of([parse_formula(formula)], **fields)) is by_place


def test_obligations_by_place_fill_the_rows_that_there_are() -> None:
    claim = claim_of([parse_formula("Q_a")], before=(2,), offsets=(0, 9), lengths=(2, 3), empty=True)
    assert list(obligations(network_of(rows=4), claim)) == [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1), (1, 2)]


def test_obligations_by_length_fill_the_rows_that_there_are() -> None:
    claim = claim_of([parse_formula("Q_a")], before=(2,), after=(3,), read="last", offsets=(1, 9), lengths=(1, 3))
    assert list(obligations(network_of(rows=5), claim)) == [(1, 1), (1, 2), (2, 1)]


def test_without_position_tables_there_is_offset_0_alone() -> None:
    claim = claim_of([parse_formula("Q_a")], offsets=(0, 9), lengths=(1, 2))
    assert list(obligations(network_of(), claim)) == [(0, 1), (0, 2)]
    assert last_offset(network_of(), 3) == 0
    with pytest.raises(InputError, match=r"claim: offsets: \[1, 9\], but the network has no position rows: expected 0"):
        check_fits(network_of(), claim_of([], offsets=(1, 9)))


@pytest.mark.parametrize(("offsets", "lengths", "complaint"), [
    ((0, 0), (1, 7), "claim: max_n: 7, but at offset 0 no word of more than 6 letters fits into the network's 8 rows"),
    ((2, 2), (1, 5), "claim: max_n: 5, but at offset 2 no word of more than 4 letters fits into the network's 8 rows"),
    ((0, 6), (1, 6), "claim: offsets: 6, but words of length 1 fit into the network's 8 rows of positions at "
                     "offsets up to 5 only"),
    ((0, 5), (2, 6), "claim: offsets: 5, but words of length 2 fit into the network's 8 rows of positions at "
                     "offsets up to 4 only"),
])  # fmt: skip
def test_a_claim_about_a_length_or_an_offset_without_rows_is_refused(
        offsets: tuple[int, int], lengths: tuple[int, int], complaint: str) -> None:
    claim = claim_of([parse_formula("Q_a")], before=(2,), after=(3,), read="last", offsets=offsets, lengths=lengths)
    with pytest.raises(InputError) as caught:
        check_fits(network_of(rows=8), claim)
    assert str(caught.value).startswith(complaint)


def test_some_lengths_of_a_claim_are_claimed_at_the_offsets_at_which_they_fit() -> None:
    claim = claim_of([parse_formula("Q_a")], before=(2,), offsets=(0, 6), lengths=(1, 7))
    some = claim_of_lengths(network_of(rows=8), claim, 3, 4)
    assert (some.offsets, some.lengths) == ((0, 4), (3, 4))


def test_tokens_and_logits_that_the_network_has_not_are_named() -> None:
    check_fits(network_of(rows=12), rich_claim())
    with pytest.raises(InputError, match="claim: after: token 3, but the network has the tokens 0 to 2"):
        check_fits(network_of(rows=12, vocabulary=3), rich_claim())
    logits = claim_of([], cases=(Case(When(parse_formula("Q_a")), (((9, Fraction(1)),),)),))
    with pytest.raises(InputError, match="claim: the logit of token 9 is judged, but the network has"):
        check_fits(network_of(), logits)
