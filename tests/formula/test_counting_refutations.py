"""Counting networks that are wrong: a word is found, it is short, and the second forward pass agrees."""

import itertools
from dataclasses import replace
from fractions import Fraction

import pytest

from certify.claims.formula.outcomes import Refuted
from certify.claims.formula.pipeline import certify_transformer
from constructions.compiler import compile_formula
from constructions.language.expressions import parse_expression
from constructions.language.parser import parse_formula
from constructions.language.semantics import truth_values
from constructions.language.syntax import Count
from constructions.network.lengths import up_to
from constructions.network.meanings import Anything, Mean, Others, Product
from constructions.network.transformer import Head, Transformer
from constructions.regimes import Regime
from proofs.enclosures.intervals import Interval
from proofs.formula.composition import find_embedding_fault
from proofs.formula.discharge import discharge
from proofs.formula.refutation.budget import WorkBudget
from proofs.formula.refutation.plain_words import exhaustive_length
from proofs.formula.refutation.words_with_counts import CountTarget, find_word_with_count
from proofs.words.replay import WordMeanings
from tests.formula.counting_models import Style, comparison_model, predicate_model
from tests.sabotage.ground_truth import own_misses

LN_6 = Fraction(1791759469228056, 10**15)


def refuted(transformer: Transformer, max_n: int) -> Refuted:
    outcome = certify_transformer(transformer, max_n)
    assert isinstance(outcome, Refuted), getattr(outcome, "reason", outcome.verdict)
    miss = outcome.counterexample
    assert (miss.direction, miss.position) in own_misses(transformer, miss.word)
    return outcome


def test_a_predicate_below_the_critical_gamma_is_refuted_by_the_three_letters_that_make_it_worst() -> None:
    """ODD at L = 3 with one other counted is the first place where 2x/(1 + 2x) exceeds 1/4."""
    outcome = refuted(predicate_model("ODD(#<[Q_1])", style=Style(gamma=LN_6 - Fraction(1, 100))), 6)
    assert outcome.counterexample.word in {("0", "1", "0"), ("1", "0", "0"), ("0", "1", "1"), ("1", "0", "1")}
    assert outcome.counterexample.position == 3 and outcome.counterexample.direction.startswith("near")


def test_a_comparison_below_the_critical_gamma_is_refuted_by_its_output() -> None:
    """#<[Q_1] > 0 below ln 3: two letters are enough, and the output, not the direction near a count, is wrong."""
    outcome = refuted(comparison_model("#<[Q_1] > 0", style=Style(gamma=Fraction(109, 100))), 5)
    assert outcome.counterexample.word == ("0", "0")
    assert outcome.counterexample.direction == "is[#<[Q_1] > 0]"
    assert outcome.counterexample.expected is False


def test_swapped_masks_are_refuted_by_the_mean_at_two_letters() -> None:
    outcome = refuted(comparison_model("#<[Q_1] > #<[Q_0]", style=Style(swap_masks=True)), 4)
    assert outcome.counterexample.word in {("0", "1"), ("1", "0")}
    assert isinstance(outcome.counterexample.meaning, Mean)


def flat_at(transformer: Transformer, n: int) -> Transformer:
    """Lookups lose their sharpness for words of length n only."""
    def blunted(head: Head) -> Head:
        return replace(head, temperature=parse_expression(f"({head.temperature})*(1+999*0^((n-{n})^2))"))

    layers = tuple(replace(layer, heads=tuple(map(blunted, layer.heads))) for layer in transformer.layers)
    return replace(transformer, layers=layers)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("text", ["ODD(#<[Q_1])", "PRIME(#>[Q_0])", "#<[Q_1] > #<[Q_0]", "#>[Q_1] == #<[Q_0]"])
def test_words_beyond_the_searched_lengths_are_made_from_the_failing_cases(text: str) -> None:
    transformer = flat_at((predicate_model if "(#" in text else comparison_model)(text), 9)
    assert all(line.proved for line in discharge(transformer, up_to(8)))
    outcome = refuted(transformer, 10)
    assert len(outcome.counterexample.word) == 9 > exhaustive_length(2, up_to(10))


def test_words_with_counts_of_any_formula_are_found_by_chance() -> None:
    transformer = flat_at(compile_formula(parse_formula("ODD(#<[prev Q_1])"), "01", Regime()), 9)
    outcome = refuted(transformer, 9)
    assert len(outcome.counterexample.word) == 9 > exhaustive_length(2, up_to(9))


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("counted", ["Q_a", "!Q_a", "Q_a | Q_c", "prev Q_a", "ODD & Q_b"])
def test_a_word_with_a_count_has_that_count(side: str, counted: str) -> None:
    count = Count(side, parse_formula(counted))  # type: ignore[arg-type]
    for n, i in ((1, 1), (4, 2), (5, 5)):
        for here, others in itertools.product((False, True), range(i if side == "left" else n + 1 - i)):
            word = find_word_with_count(("a", "b", "c"), CountTarget(n, i, here, others, count), WorkBudget(10**6))
            if word is not None:
                reading = WordMeanings(word)
                assert len(word) == n and reading.truth(count.operand, i) == here
                assert reading.count(count, i) == others + here
            else:
                assert not any(
                    truth_values(count.operand, other)[i - 1] == here
                    and WordMeanings(other).count(count, i) == others + here
                    for other in itertools.product("abc", repeat=n))


# -- what meanings allow -----------------------------------------------------------------------------------------------


def test_meanings_allow_what_the_contract_says_of_a_word() -> None:
    reading = WordMeanings("0110")
    ones = Count("left", parse_formula("Q_1"))
    assert reading.allowed(Mean(ones), 3) == Interval(Fraction(2, 3), Fraction(2, 3))
    assert reading.allowed(Mean(Count("right", parse_formula("Q_1"))), 3) == Interval(Fraction(1, 2), Fraction(1, 2))
    assert reading.allowed(Others(ones), 3) == Interval(Fraction(1, 2), Fraction(3, 2))
    assert reading.allowed(Others(ones), 4) == Interval(Fraction(3, 2), Fraction(5, 2))
    assert reading.allowed(Product(parse_expression("1/i"), parse_formula("Q_1")), 3) == Interval(
        Fraction(1, 3), Fraction(1, 3))
    assert reading.allowed(Product(parse_expression("1/i"), parse_formula("Q_1")), 4) == Interval(
        Fraction(0), Fraction(0))
    assert reading.allowed(Anything(), 1) is None


def embedded(meaning: object, embedding: str | None, token: Fraction = Fraction(0)) -> str | None:
    positions = {"x": parse_expression(embedding)} if embedding else {}
    tokens = {"0": {}, "1": {"x": token} if token else {}}
    transformer = Transformer(("0", "1"), {"x": meaning}, tokens, positions, (), "x")  # type: ignore[dict-item]
    return find_embedding_fault(transformer, "x", up_to(4))


def test_what_may_be_embedded() -> None:
    ones = Count("left", parse_formula("Q_1"))
    half_odd = Product(parse_expression("1/2"), parse_formula("ODD"))
    assert embedded(half_odd, "(1-(-1)^i)/4") is None
    assert "differs from 0 at i = 2" in str(embedded(half_odd, "1/2"))
    assert "by position alone" in str(embedded(half_odd, "(1-(-1)^i)/4", Fraction(1)))
    assert "not decided" in str(embedded(Product(parse_expression("1"), parse_formula("Q_1")), None, Fraction(1)))
    assert "written by a head" in str(embedded(Mean(ones), "1/i"))
    assert "written by a head" in str(embedded(Others(ones), None))
    assert embedded(Anything(), "i^2", Fraction(3)) is None
