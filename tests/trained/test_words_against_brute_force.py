"""The least margin over all words is the one that running every word alone finds; truths are the language's own."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from constructions.errors import Unsupported
from constructions.language.parser import parse_formula
from constructions.regular.automata import Automaton
from constructions.trained.claim import (
    Case,
    Read,
    When,
    WordsClaim,
    input_tokens,
    is_by_place,
    judged,
)
from proofs.trained import live_states, words
from proofs.trained.forward import FloatNetwork
from proofs.trained.margins import Least
from proofs.trained.words import survey, survey_all, words_in_batches
from proofs.words.tracking import cases_at
from proofs.words.truths import CasesOfWords
from tests.trained.random_networks import random_network

PAST = ("#<[Q_a] > #<[Q_b]", "prev Q_a & !Q_b", "Q_a since prev Q_b", "ODD(#<[Q_b]) | MOD(3,1)", "Q_a <-> FIRST")
AHEAD = ("next Q_a -> Q_b", "Q_b until (Q_a & prev Q_b)", "#>[Q_a] <= 2 * #<[Q_b] + 1", "LAST | #>[Q_b] == 1",
         "PRIME(#>[Q_a])", "100000000000000000000 * #<[Q_a] > 100000000000000000000 * #>[Q_b]")  # fmt: skip
AUTOMATON = Automaton(1, ((0, 1), (2, 0), (2, 2)))


def claim_of(formulas: tuple[str, ...], read: Read, *, empty: bool = False, after: tuple[int, ...] = ()) -> WordsClaim:
    cases = [Case(When(parse_formula(text)), (((0, Fraction(1)),), ((0, Fraction(1)), (1, Fraction(-2, 3)))))
             for text in formulas]  # fmt: skip
    cases.append(Case(When(None, (1,)), (((1, Fraction(1)),),)))
    cases.append(Case(When(parse_formula(formulas[0]), (0, 1)), (((1, Fraction(-1)),),)))
    return WordsClaim(("a", "b"), (3, 1), (4, 0) if empty else (2,), after, (0, 2), (1, 6), read, empty, Fraction(1, 7),
                      AUTOMATON, (), tuple(cases))


def all_words(n: int) -> list[tuple[str, ...]]:
    return list(product("ab", repeat=n))


def by_brute_force(network: FloatNetwork, claim: WordsClaim, offset: int, count: int) -> np.float64:
    """Return the least margin at place ``count`` or at length ``count``, a word at a time; inf if no case holds."""
    least = np.float64(np.inf)
    for word in all_words(count):
        logits = network.logits(np.array([input_tokens(claim, word)]), offset)[0]
        places = judged(claim, count)
        if claim.read == "each" and is_by_place(network.network, claim):
            places = [(count, len(claim.before) + count - 1)]
        for place, token in places:
            for case in cases_at(claim, word, place):
                for row in claim.cases[case].above:
                    value = sum(np.float64(number) * logits[token, output] for output, number in row)
                    least = min(least, value - np.float64(claim.margin))
    return least


@pytest.mark.parametrize("formulas", [PAST, AHEAD, PAST + AHEAD], ids=["past", "ahead", "both"])
def test_cases_of_many_words_are_those_of_each(formulas: tuple[str, ...]) -> None:
    claim = claim_of(formulas, "each")
    for n in range(6):
        batch = next(words_in_batches(2, n, 2**n))
        held = CasesOfWords(claim).hold(batch)
        for letters, its in zip(batch, held, strict=True):
            word = [claim.alphabet[letter] for letter in letters]
            true = [cases_at(claim, word, place) for place in range(n + 1)]
            assert [tuple(np.nonzero(row)[0]) for row in its] == true


@pytest.mark.one_in(16)
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(("formulas", "read", "after"), [
    (PAST, "each", ()), (PAST, "each", (2, 0)), (PAST, "last", ()), (PAST, "last", (2, 0)), (PAST, "first", ()),
    (AHEAD, "each", ()), (AHEAD, "last", (0,)),
], ids=["place", "place-after", "last", "after", "first", "ahead", "ahead-last"])  # fmt: skip
def test_the_least_margin_is_that_of_brute_force(
    seed: int, formulas: tuple[str, ...], read: Read, after: tuple[int, ...]
) -> None:
    network = FloatNetwork(random_network(seed))
    claim = claim_of(formulas[seed % len(formulas) :][:2], read, empty=read == "each" and seed % 2 == 0, after=after)
    first = 0 if claim.empty else 1
    found = survey_all(network, claim, 1, range(first, 5))
    for count in range(first, 5):
        expected = by_brute_force(network, claim, 1, count)
        least = found[count]
        if least is None:
            assert expected == np.inf
            continue
        assert abs(least.margin - expected) < 1e-9
        check_witness(network, claim, least)
        alone = survey(network, claim, 1, count)
        assert alone is not None
        assert abs(alone.margin - least.margin) < 1e-9


def check_witness(network: FloatNetwork, claim: WordsClaim, least: Least) -> None:
    """The word, place, case and row that come with a margin have it."""
    logits = network.logits(np.array([input_tokens(claim, least.word)]), least.offset)[0]
    token = dict(judged(claim, len(least.word)))[least.place]
    assert least.case in cases_at(claim, least.word, least.place)
    row = claim.cases[least.case].above[least.row]
    value = sum(np.float64(number) * logits[token, output] for output, number in row)
    assert abs(value - np.float64(claim.margin) - least.margin) < 1e-9


def test_small_blocks_and_following_no_states_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    network, claim = FloatNetwork(random_network(0)), claim_of(PAST, "each")
    assert is_by_place(network.network, claim)
    whole = survey_all(network, claim, 0, range(1, 7))
    monkeypatch.setattr(words, "BLOCK", 3)
    monkeypatch.setattr(live_states, "MOST_WORK", 0)
    parts = survey_all(network, claim, 0, range(1, 7))
    assert [(one.word, one.place, one.case, one.row) for one in whole.values() if one] == [
        (one.word, one.place, one.case, one.row) for one in parts.values() if one]  # fmt: skip


def test_prefixes_that_lead_to_no_case_are_left_out() -> None:
    """(ab)* and its prefixes are one word for each length."""
    steps = ((1, 2), (2, 0), (2, 2))
    cases = tuple(Case(When(None, (state,)), (((0, Fraction(1)),),)) for state in (0, 1))
    claim = WordsClaim(("a", "b"), (3, 1), (2,), (), (0, 0), (1, 60), "each", False, Fraction(0), Automaton(0, steps),
                       (),
                       cases)  # fmt: skip
    live = live_states.StateLevels(claim, 60).live(range(1, 61))
    assert [int((step >= 0).any(1).sum()) for step in live] == [1] * 60
    found = survey_all(FloatNetwork(random_network(0)), claim, 0, range(1, 10))
    assert [least.word for least in found.values() if least] == [tuple("ababababa"[:n]) for n in range(1, 10)]


def test_all_words_of_a_length_come_in_order_and_not_if_nobody_can_count_them() -> None:
    batches = list(words_in_batches(3, 2, 4))
    assert [len(batch) for batch in batches] == [4, 4, 1]
    assert np.concatenate(batches).tolist() == [[a, b] for a in range(3) for b in range(3)]
    with pytest.raises(Unsupported, match=r"2\^63 words"):
        next(words_in_batches(2, 63, 4))
