"""Compiled transformers against the semantics, on every short word and on long random words: hard and soft run."""

import itertools
import random
from collections.abc import Iterable

import pytest
from hypothesis import given

from constructions.compiler import compile_formula
from constructions.language.semantics import truth_values
from constructions.language.syntax import Formula
from constructions.network.meanings import Truth
from constructions.network.run import run_hard
from constructions.network.transformer import Transformer
from constructions.regimes import ALL_REGIMES, Regime
from proofs.words.replay import find_miss, run_soft
from tests.language.strategies import formulas
from tests.network.random_formulas import FUTURE, PAST, random_formula, random_word
from tests.tiers import drawn

NON_CAUSAL = tuple(regime for regime in ALL_REGIMES if not regime.causal)


def formula_number(seed: int, depth: int) -> tuple[Formula, Regime]:
    rng = random.Random(seed)
    regime = ALL_REGIMES[seed % 4]
    return random_formula(rng, depth, temporal=PAST if regime.causal else PAST + FUTURE), regime


def words_up_to(n: int) -> Iterable[tuple[str, ...]]:
    return (word for length in range(1, n + 1) for word in itertools.product("ab", repeat=length))


def exact_truths(transformer: Transformer) -> dict[str, Formula]:
    return {name: m.formula for name, m in transformer.directions.items() if isinstance(m, Truth)}


def check_hard(transformer: Transformer, words: Iterable[tuple[str, ...]]) -> None:
    held = exact_truths(transformer)
    for word in words:
        vectors = run_hard(transformer, word)
        for name, formula in held.items():
            assert [v.get(name, 0) for v in vectors] == list(truth_values(formula, word)), (name, word)


def check_soft(transformer: Transformer, words: Iterable[tuple[str, ...]], bits: int = 64) -> None:
    held = exact_truths(transformer)
    for word in words:
        vectors = run_soft(transformer, word, bits)
        for name, formula in held.items():
            for vector, truth in zip(vectors, truth_values(formula, word), strict=True):
                if name in vector:
                    assert vector[name].is_point and vector[name].lower == truth, (name, word)
                else:
                    assert not truth, (name, word)


@pytest.mark.one_in(10)
@pytest.mark.parametrize("first", range(0, 60, 12))
def test_hard_run_equals_the_semantics_up_to_length_5(first: int) -> None:
    for seed in range(first, first + 12):
        formula, regime = formula_number(seed, 3 + seed % 2)
        check_hard(compile_formula(formula, "ab", regime), words_up_to(5))


@pytest.mark.one_in(6)
@pytest.mark.parametrize("seed", range(100, 106))
def test_hard_run_equals_the_semantics_up_to_length_7(seed: int) -> None:
    formula, regime = formula_number(seed, 3)
    check_hard(compile_formula(formula, "ab", regime), words_up_to(7))


@pytest.mark.one_in(6)
@pytest.mark.parametrize("seed", range(200, 212))
def test_soft_run_is_exact_up_to_length_5(seed: int) -> None:
    formula, regime = formula_number(seed, 3)
    check_soft(compile_formula(formula, "ab", regime), words_up_to(5))


@pytest.mark.parametrize("regime", ALL_REGIMES, ids=str)
def test_both_runs_are_exact_on_long_random_words(regime: Regime) -> None:
    rng = random.Random(f"long {regime}")
    for n in (40, 53):
        formula = random_formula(rng, 3, temporal=PAST if regime.causal else PAST + FUTURE)
        transformer = compile_formula(formula, "ab", regime)
        word = random_word(rng, n)
        check_hard(transformer, [word])
    check_soft(transformer, [random_word(rng, 40)])


@drawn(20)
@given(formulas("ab"))
def test_formulas_of_the_shared_strategy_run_exactly(formula: Formula) -> None:
    """The hypothesis strategy reaches the abbreviations and shared parts that the generator of this folder does not."""
    for regime in NON_CAUSAL:
        transformer = compile_formula(formula, "ab", regime)
        check_hard(transformer, words_up_to(3))
        check_soft(transformer, [("a", "b", "b", "a"), ("b",)])


def test_no_direction_of_a_compiled_transformer_misses_its_meaning() -> None:
    for seed in range(300, 308):
        formula, regime = formula_number(seed, 3)
        transformer = compile_formula(formula, "ab", regime)
        for word in words_up_to(4):
            assert find_miss(transformer, word, 64) is None


@pytest.mark.exhaustive
@pytest.mark.parametrize("first", range(1000, 1300, 10))
def test_hard_and_soft_run_equal_the_semantics_on_every_word_up_to_length_7(first: int) -> None:
    for seed in range(first, first + 10):
        formula, regime = formula_number(seed, 3)
        transformer = compile_formula(formula, "ab", regime)
        check_hard(transformer, words_up_to(7))
        check_soft(transformer, words_up_to(7))
    check_soft(transformer, [random_word(random.Random(first), 64)])
