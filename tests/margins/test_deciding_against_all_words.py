"""Verdicts on random networks and claims, against floating-point runs and truths of every word."""

from fractions import Fraction
from itertools import product

import pytest

from constructions.compiler import compile_formula
from constructions.errors import InternalError
from constructions.language.expressions import parse_expression
from constructions.language.parser import parse_formula
from constructions.language.semantics import satisfies
from constructions.network.lengths import Lengths
from constructions.network.transformer import Transformer
from constructions.regimes import Regime
from proofs.enclosures.intervals import point
from proofs.words.margins.claim import At, MarginClaim, check_fits
from proofs.words.margins.deciding import decide_length, replay
from proofs.words.truth_at_a_letter import TruthReader
from tests.words.float_run import FloatRun
from tests.words.soft_models import soft_transformer

FORMULAS = ["Q_a", "ODD(#<[Q_a])", "Q_b since Q_a", "next Q_a", "#<[Q_a] > #>[Q_b]", "LAST & prev Q_a", "true"]
PLACES: list[At] = ["first", "last", "every"]


def claim_of(formula: str, at: At, n: int, threshold: Fraction = Fraction(0), before: str = "",
             after: str = "") -> MarginClaim:
    letters = ("a", "b")
    return MarginClaim(parse_formula(formula, letters), letters, Lengths(1, n), at, tuple(before), tuple(after),
                       threshold)


def margins_of_all_words(transformer: Transformer, claim: MarginClaim, n: int) -> list[float]:
    found = []
    for word in product(claim.letters, repeat=n):
        run = FloatRun(transformer, (*claim.before, *word, *claim.after))
        for read in claim.reads(n):
            above = run.output(read.position) - float(claim.threshold)
            found.append(above if satisfies(claim.formula, word, read.letter) else -above)
    return found


@pytest.mark.one_in(6)
@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("at", PLACES)
def test_the_least_margin_is_that_of_all_words(formula: str, at: At) -> None:
    for seed in range(3):
        claim = claim_of(formula, at, 3, Fraction(seed, 3), before="b" * (seed % 2), after="ab" * (seed // 2))
        transformer = soft_transformer(seed + 20)
        for n in (1, 3):
            found, seen = decide_length(transformer, claim, n), min(margins_of_all_words(transformer, claim, n))
            assert found.least is not None
            assert abs(float(found.least.margin.lower) - seen) < 1e-9 * max(1, abs(seen))
            if abs(seen) > 1e-9:
                assert found.verdict == ("certified" if seen > 0 else "refuted")
            if found.verdict == "refuted":
                again = replay(transformer, claim, found).least
                assert again is not None and abs(float(again.margin.upper) - seen) < 1e-9 * max(1, abs(seen))


@pytest.mark.parametrize("formula", FORMULAS)
def test_truths_are_followed_as_words_are_read(formula: str) -> None:
    letters = ("a", "b")
    parsed = parse_formula(formula, letters)
    for n in (1, 4):
        for letter in range(1, n + 1):
            reader = TruthReader(parsed, letters, letter)
            for word in product(letters, repeat=n):
                state = reader.start
                for symbol in word:
                    state = reader.step(state, symbol)
                assert reader.truth(state) is satisfies(parsed, word, letter)


@pytest.mark.parametrize("text", ["ODD(#<[Q_a])", "Q_a since Q_b", "next Q_a", "#<[Q_a] > #>[Q_b]"])
def test_the_networks_of_formulas_are_half_away_from_half(text: str) -> None:
    letters = ("a", "b")
    network = compile_formula(parse_formula(text, letters), letters, Regime())
    for at in PLACES:
        claim = claim_of(text, at, 4, Fraction(1, 2))
        found = [decide_length(network, claim, n) for n in claim.lengths]
        assert [(row.n, row.verdict) for row in found] == [(n, "certified") for n in range(1, 5)]
        assert all(row.least is not None and row.least.margin.lower == Fraction(1, 2) for row in found)


def test_an_output_that_is_exactly_the_threshold_is_refuted_where_it_is_exact() -> None:
    network = compile_formula(parse_formula("Q_a", ("a", "b")), ("a", "b"), Regime())
    claim = claim_of("Q_a", "last", 2)  # the output is 0 where Q_a does not hold
    assert decide_length(network, claim, 2).verdict == "refuted"


def test_a_word_that_does_not_break_the_claim_is_not_replayed_silently() -> None:
    network = compile_formula(parse_formula("Q_a", ("a", "b")), ("a", "b"), Regime())
    right, wrong = claim_of("Q_a", "last", 2, Fraction(1, 2)), claim_of("Q_b", "last", 2, Fraction(1, 2))
    with pytest.raises(InternalError):
        replay(network, right, decide_length(network, wrong, 2))


def test_where_only_words_are_told_apart_and_there_are_too_many_nothing_is_known() -> None:
    network = compile_formula(parse_formula("Q_b since Q_a", ("a", "b")), ("a", "b"), Regime())
    deep = compile_formula(parse_formula("(prev Q_a) since (prev Q_b)", ("a", "b")), ("a", "b"), Regime())
    assert decide_length(network, claim_of("Q_b since Q_a", "last", 40, Fraction(1, 2)), 3).verdict == "certified"
    found = decide_length(deep, claim_of("(prev Q_a) since (prev Q_b)", "last", 40, Fraction(1, 2)), 40)
    assert (found.verdict, found.least) == ("unknown", None)
    assert found.reason == "more than 65536 classes of words of length 40"


def test_margins_are_expressions_in_the_number_of_letters() -> None:
    claim = MarginClaim(parse_formula("Q_a"), ("a", "b"), Lengths(1, 4), after=("a",), margin=parse_expression("1/n"))
    assert claim.required(4) == point(Fraction(1, 4))
    check_fits(claim, soft_transformer(1))
