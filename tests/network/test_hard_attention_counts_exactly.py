"""Compiled formulas of the full language, under exact hard attention, against the semantics on every short word."""

import random

import pytest
from hypothesis import given

from constructions.compiler import compile_formula, is_counting
from constructions.language.parser import parse_formula
from constructions.language.predicates import parse_predicate_definition
from constructions.language.syntax import Formula, Side, subformulas
from constructions.regimes import Regime, Sharpening
from tests.language.strategies import formulas
from tests.network.random_formulas import FUTURE, PAST, WITHOUT_LENGTH, random_counting_formula, random_word
from tests.network.test_hard_and_soft_run_compute_the_formula import check_hard, check_soft, words_up_to
from tests.tiers import drawn

REGIMES = (Regime(), Regime(Sharpening.POSITION), Regime(causal=True))


def formula_number(seed: int) -> tuple[Formula, Regime]:
    """Depth 1 to 4, the three regimes that count in turn."""
    rng, regime = random.Random(f"counting {seed}"), REGIMES[seed % 3]
    depth = 1 + seed // 3 % 4
    if regime.causal:
        return random_counting_formula(rng, depth, temporal=PAST, sides=("left",), names=WITHOUT_LENGTH), regime
    return random_counting_formula(rng, depth, temporal=PAST + FUTURE), regime


def test_most_of_the_random_formulas_count_and_many_count_counts() -> None:
    formulas_met = [formula_number(seed)[0] for seed in range(300)]
    counting = [formula for formula in formulas_met if any(map(is_counting, subformulas(formula)))]
    nested = [formula for formula in counting if sum(map(is_counting, subformulas(formula))) > 2]
    assert (len(counting) > 150, len(nested) > 40) == (True, True), (len(counting), len(nested))


@pytest.mark.one_in(8)
@pytest.mark.parametrize("first", range(0, 60, 15))
def test_hard_run_equals_the_semantics_up_to_length_4(first: int) -> None:
    for seed in range(first, first + 15):
        formula, regime = formula_number(seed)
        check_hard(compile_formula(formula, "ab", regime), words_up_to(4))


@pytest.mark.parametrize("first", range(300, 330, 10))
def test_soft_run_is_exact_up_to_length_3(first: int) -> None:
    for seed in range(first, first + 10):
        formula, regime = formula_number(seed)
        check_soft(compile_formula(formula, "ab", regime), words_up_to(3))


@drawn(20)
@given(formulas("ab", counting=True, max_depth=3))
def test_formulas_of_the_shared_strategy_run_exactly(formula: Formula) -> None:
    for regime in REGIMES[:2]:
        check_hard(compile_formula(formula, "ab", regime), words_up_to(3))


@pytest.mark.parametrize("regime", REGIMES, ids=str)
def test_hard_run_is_exact_on_a_long_random_word(regime: Regime) -> None:
    rng = random.Random(f"long {regime}")
    sides: tuple[Side, ...] = ("left",) if regime.causal else ("left", "right")
    formula = random_counting_formula(rng, 3, temporal=PAST, sides=sides, names=WITHOUT_LENGTH)
    check_hard(compile_formula(formula, "ab", regime), [random_word(rng, 40)])


@pytest.mark.parametrize("regime", REGIMES[:2], ids=str)
def test_predicates_of_the_user_on_positions_and_counts_run_exactly(regime: Regime) -> None:
    known = {"HALF": parse_predicate_definition("HALF(k,n) := 2*k == n or k == 0")}
    for text in ["HALF", "HALF(#<[Q_a])", "HALF(#>[Q_a & HALF])", "#<[HALF(#<[Q_b])] >= 1"]:
        check_hard(compile_formula(parse_formula(text, "ab", known), "ab", regime), words_up_to(5))


@pytest.mark.exhaustive
@pytest.mark.parametrize("first", range(1000, 1300, 10))
def test_hard_run_equals_the_semantics_on_every_word_up_to_length_7(first: int) -> None:
    for seed in range(first, first + 10):
        formula, regime = formula_number(seed)
        transformer = compile_formula(formula, "ab", regime)
        check_hard(transformer, words_up_to(7))
        check_soft(transformer, words_up_to(5))
    check_soft(transformer, [random_word(random.Random(first), 64)])
