"""Counterexamples: they replay in the second forward pass, and no shorter word breaks the claim."""

from fractions import Fraction

import pytest

from certify.claims.formula.outcomes import Refuted
from certify.claims.formula.pipeline import certify
from constructions.compiler import compile_formula
from constructions.language.parser import parse_formula
from constructions.language.semantics import truth_values
from constructions.network.lengths import up_to
from constructions.network.meanings import Near
from constructions.regimes import ALL_REGIMES, Regime
from proofs.formula.attention.obligation import oblige_attention
from proofs.formula.attention.second_words import find_word
from proofs.formula.attention.worst_case import find_violations, weigh
from proofs.formula.common.word_independent import KnownValues
from proofs.formula.discharge import ALLOWED_ERROR
from proofs.formula.refutation.plain_words import all_words, exhaustive_length
from proofs.words.replay import find_miss
from tests.network.second_forward import SecondForward, to_fraction
from tests.sabotage.ground_truth import own_misses, words

TEMPERATURE, POSITION, CAUSAL, CAUSAL_POSITION = ALL_REGIMES

CASES = [
    ("Q_1 since next Q_0", "01", TEMPERATURE, "1"),
    ("Q_a S Q_b", "abc", TEMPERATURE, "1"),
    ("Q_a S Q_b", "abc", TEMPERATURE, "13/10"),
    ("Q_a S Q_b", "abc", TEMPERATURE, "141/102"),
    ("Q_a U Q_b", "abc", POSITION, "3/4"),
    ("Q_a U Q_b", "abc", POSITION, "141/102"),
    ("prev Q_a", "ab", TEMPERATURE, "1/2"),
    ("prev Q_a", "ab", CAUSAL_POSITION, "1/2"),
    ("next next Q_a", "ab", POSITION, "1/2"),
    ("prev Q_a since Q_a", "ab", CAUSAL, "1/3"),
    ("!(Q_a & prev Q_b) | O Q_a", "ab", CAUSAL, "1/2"),
]


@pytest.mark.one_in(6)
@pytest.mark.parametrize("text, alphabet, regime, gamma", CASES, ids=str)
def test_a_counterexample_replays_and_is_shortest(text: str, alphabet: str, regime: Regime, gamma: str) -> None:
    outcome = certify(text, alphabet, 12, regime, Fraction(gamma))
    assert isinstance(outcome, Refuted)
    miss = outcome.counterexample
    transformer = compile_formula(parse_formula(text), tuple(alphabet), regime, Fraction(gamma))
    forward = SecondForward(transformer, 60)
    assert (miss.direction, miss.position) in own_misses(transformer, miss.word, forward)
    value = to_fraction(forward.run(miss.word)[miss.position - 1][forward.names.index(miss.direction)])
    assert miss.value.lower - Fraction(1, 10**40) <= value <= miss.value.upper + Fraction(1, 10**40)
    assert value < miss.allowed.lower or (miss.allowed.upper is not None and miss.allowed.upper < value)
    assert miss.expected == truth_values(miss.meaning.formula, miss.word)[miss.position - 1]  # type: ignore[union-attr]
    assert not any(own_misses(transformer, word, forward) for word in words(alphabet, len(miss.word) - 1))


def check_words_of_z3(text: str, alphabet: str, regime: Regime, gamma: Fraction, max_n: int) -> int:
    """Check at every violated row that the head errs on Z3's word, if there is one; return the number of words."""
    transformer = compile_formula(parse_formula(text), tuple(alphabet), regime, gamma)
    known, found = KnownValues(transformer.directions), 0
    for layer, place, head in transformer.heads():
        for direction in head.values:
            meaning = transformer.directions[direction]
            if not isinstance(meaning, Near):
                continue
            task = oblige_attention(transformer, known, up_to(max_n), layer, place, head, direction)
            weighed = [weigh(sweep, 192) for sweep in task.sweeps()]
            for n, i, truth, sweep in find_violations(weighed, ALLOWED_ERROR):
                word = find_word(task.target, tuple(alphabet), sweep, i, truth, ALLOWED_ERROR)
                if word is not None:
                    assert len(word) == n and truth_values(meaning.formula, word)[i - 1] == truth
                    if layer == 1:  # what the head reads is exact there
                        assert (direction, i) in own_misses(transformer, word)
                    found += 1
                elif layer == 1 and n <= 5:
                    forward = SecondForward(transformer, 60)
                    assert not any(
                        (direction, i) in own_misses(transformer, other, forward)
                        and truth_values(meaning.formula, other)[i - 1] == truth
                        for other in words(alphabet, n, n)
                    )
    return found


@pytest.mark.parametrize(
    "text, alphabet, regime, gamma, realizable",
    [
        ("Q_a S Q_b", "abc", TEMPERATURE, "5/4", True),
        ("prev Q_a", "ab", TEMPERATURE, "1/2", True),
        ("O Q_a", "ab", TEMPERATURE, "1", False),
        ("Q_a U Q_b", "ab", POSITION, "1/2", False),
        ("prev Q_a", "ab", CAUSAL_POSITION, "2/5", True),
        ("Q_a since Q_b", "ab", CAUSAL, "1", False),
    ],
)
def test_words_of_z3_break_the_head_at_the_row(
    text: str, alphabet: str, regime: Regime, gamma: str, realizable: bool
) -> None:
    """Otherwise the assignment that breaks the head belongs to no word over the alphabet."""
    found = check_words_of_z3(text, alphabet, regime, Fraction(gamma), 5)
    assert bool(found) == realizable


def test_short_lengths_are_searched_completely() -> None:
    for symbols in (1, 2, 3, 5, 30):
        length = exhaustive_length(symbols, up_to(40))
        assert length == 40 or sum(symbols**k for k in range(1, length + 2)) > 600
        assert length >= 1
    assert [len(list(all_words("ab", up_to(n)))) for n in (1, 2, 3)] == [2, 6, 14]


def test_a_counterexample_beyond_the_searched_lengths_is_found_and_replays() -> None:
    """gamma 11/16 suffices for ``prev`` up to n = 9; the exhaustive search ends at 8."""
    outcome = certify("prev Q_a", "ab", 12, TEMPERATURE, Fraction(11, 16))
    assert isinstance(outcome, Refuted)
    assert len(outcome.counterexample.word) == 10 > exhaustive_length(2, up_to(12))
    assert own_misses(outcome.transformer, outcome.counterexample.word)  # type: ignore[arg-type]


@pytest.mark.exhaustive
def test_the_long_counterexample_is_shortest() -> None:
    transformer = compile_formula(parse_formula("prev Q_a"), ("a", "b"), TEMPERATURE, Fraction(11, 16))
    assert not any(find_miss(transformer, word, 96) for word in words("ab", 9))
