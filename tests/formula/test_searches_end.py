"""The search for a counterexample: it does no more work than it may, the same every time, and says what it tried."""

import itertools
from dataclasses import replace
from fractions import Fraction

import pytest

from certify.claims.formula.outcomes import Unknown
from certify.claims.formula.pipeline import certify_transformer
from constructions.compiler import compile_formula
from constructions.language.parser import parse_formula
from constructions.language.syntax import And, Implies
from constructions.network.lengths import Lengths, up_to
from constructions.network.transformer import FeedForward, Layer, Transformer
from constructions.regimes import Regime
from proofs.formula.refutation import find_counterexample, search
from proofs.formula.refutation.budget import WorkBudget, replay_work


def network(text: str) -> Transformer:
    return compile_formula(parse_formula(text, "ab"), ("a", "b"), Regime())


def test_a_search_through_all_words_says_so() -> None:
    found = find_counterexample(network("Q_a since Q_b"), up_to(4), [])
    assert found.counterexample is None
    assert found.account == "no word found that breaks it among all 30 words up to length 4"


def test_lengths_that_do_not_begin_at_1_are_named() -> None:
    found = find_counterexample(network("Q_a since Q_b"), Lengths(3, 4), [])
    assert found.account == "no word found that breaks it among all 24 words from length 3 up to length 4"


def test_a_search_beyond_all_short_words_lists_every_family() -> None:
    found = find_counterexample(network("Q_a"), up_to(10), [])
    assert found.account == ("no word found that breaks it among all 510 words up to length 8, 12 words of one or two "
                             "symbols up to length 10, 300 random words up to length 10")


def test_a_search_that_ends_early_says_where_and_why() -> None:
    """One head and 15 parameters: the words of lengths 1 and 2 take 16 and 34 units; half of all work is theirs."""
    transformer = network("Q_a since Q_b")
    assert [replay_work(transformer)(n) for n in (1, 2)] == [16, 34]
    found = find_counterexample(transformer, up_to(2), [], work=2 * (2 * 16 + 3 * 34))
    assert found.account == ("no word found that breaks it among the first 5 words up to length 2; "
                             "budget of 268 units exhausted")


def test_a_search_without_work_tries_nothing_and_says_so() -> None:
    found = find_counterexample(network("Q_a since Q_b"), up_to(2), [], work=1)
    assert (found.counterexample, found.account) == (None, "no word was tried; budget of 1 units exhausted")


@pytest.mark.parametrize("work", [100, 1_000, 10_000, 50_000])
def test_no_search_replays_more_than_its_work(work: int, monkeypatch: pytest.MonkeyPatch) -> None:
    transformer = network("(prev Q_a) since (Q_b until next Q_a)")
    cost, replayed = replay_work(transformer), list[int]()
    monkeypatch.setattr(search, "find_miss", lambda _, word, *__: replayed.append(len(word)))
    find_counterexample(transformer, up_to(40), [], work=work)
    assert sum(map(cost, replayed)) <= work


def test_searches_are_the_same_every_time() -> None:
    transformer, printed = network("ODD(#<[Q_a])"), [list[str](), list[str]()]
    accounts = [find_counterexample(transformer, up_to(12), [], work=6_000, progress=told.append).account
                for told in printed]
    assert accounts[0] == accounts[1] and printed[0] == printed[1]
    assert printed[0][0] == "looking for a counterexample: words, 1 of length 1 or less"


def test_work_that_does_not_fit_is_not_begun_and_is_remembered() -> None:
    budget = WorkBudget(10)
    assert [budget.spend(work) for work in (4, 7, 6)] == [True, False, True]
    assert (budget.left, budget.exhausted) == (0, True)


def test_an_unknown_verdict_says_what_was_tried() -> None:
    symbols = [f"s{k}" for k in range(13)]
    both = list(itertools.accumulate((parse_formula(f"prev Q_{symbol}", symbols) for symbol in symbols), And))[-1]
    compiled = compile_formula(Implies(both, both), tuple(symbols), Regime())
    *below, last = compiled.layers  # it is true everywhere, but nobody sees that from formulas that are not read
    constant = Layer(last.heads, FeedForward((), {compiled.output: Fraction(1)}))
    outcome = certify_transformer(replace(compiled, layers=(*below, constant)), 1)
    assert isinstance(outcome, Unknown)
    assert outcome.reason.endswith(": 13 truth values and signs are free, at most 12 are handled; "
                                   "no word found that breaks it among all 13 words up to length 1")
