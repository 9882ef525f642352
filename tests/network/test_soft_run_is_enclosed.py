"""``run_soft`` against a second implementation of the forward pass (dense, mpmath at 120 digits)."""

import random
from dataclasses import replace
from fractions import Fraction

import pytest

from constructions.compiler import compile_formula
from constructions.language.parser import parse_formula
from constructions.network.meanings import Near, Truth
from constructions.network.run import run_hard
from constructions.network.transformer import Transformer
from constructions.regimes import ALL_REGIMES, Regime
from proofs.enclosures.intervals import point
from proofs.words.replay import run_soft
from tests.network.random_formulas import FUTURE, PAST, random_formula, random_word
from tests.network.second_forward import SecondForward, to_fraction

BITS = 192
OWN_ERROR = Fraction(1, 10**100)
"""Far below the width of an enclosure of 192 bits, so that a wrong end would show."""
WIDTH = Fraction(1, 2**180)


def check_enclosed(transformer: Transformer, word: tuple[str, ...]) -> None:
    second = SecondForward(transformer).run(word)
    names = list(transformer.directions)
    for i, vector in enumerate(run_soft(transformer, word, BITS)):
        for k, name in enumerate(names):
            interval, value = vector.get(name, point(Fraction(0))), to_fraction(second[i][k])
            assert interval.lower - OWN_ERROR <= value <= interval.upper + OWN_ERROR, (name, i + 1, word)
            assert interval.upper - interval.lower < WIDTH, (name, i + 1, word)
            if isinstance(transformer.directions[name], Truth):
                assert interval.is_point and interval.lower in (0, 1), (name, i + 1, word)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("regime", ALL_REGIMES, ids=str)
@pytest.mark.parametrize("seed", range(6))
def test_enclosure_contains_the_second_forward_pass(regime: Regime, seed: int) -> None:
    rng = random.Random(f"{regime}{seed}")
    formula = random_formula(rng, 4, temporal=PAST if regime.causal else PAST + FUTURE)
    gamma = rng.choice([Fraction(3), Fraction(3), Fraction(2), Fraction(5, 2)])
    transformer = compile_formula(formula, "ab", regime, gamma)
    for n in (1, 2, 5, 9):
        check_enclosed(transformer, random_word(rng, n))


@pytest.mark.parametrize("regime", ALL_REGIMES, ids=str)
def test_enclosure_holds_on_a_long_word(regime: Regime) -> None:
    rng = random.Random(str(regime))
    formula = random_formula(random.Random(5), 2, temporal=("since",))
    check_enclosed(compile_formula(formula, "ab", regime), random_word(rng, 40))


@pytest.mark.parametrize("regime", ALL_REGIMES, ids=str)
def test_blunt_attention_is_enclosed_where_nothing_rounds_it_to_a_truth(regime: Regime) -> None:
    """Gamma 1/20: near directions lie anywhere, ReLUs work in between, later heads read inexact numbers."""
    rng = random.Random(f"blunt {regime}")
    for _ in range(3):
        formula = random_formula(rng, 3, temporal=PAST if regime.causal else PAST + FUTURE)
        transformer = compile_formula(formula, "ab", regime, Fraction(1, 20))
        word = random_word(rng, 6)
        second = SecondForward(transformer).run(word)
        for i, vector in enumerate(run_soft(transformer, word, BITS)):
            for k, name in enumerate(transformer.directions):
                interval, value = vector.get(name, point(Fraction(0))), to_fraction(second[i][k])
                assert interval.lower - OWN_ERROR <= value <= interval.upper + OWN_ERROR, (name, i + 1, word)


def test_near_directions_are_really_inexact() -> None:
    """The comparison above would be empty if every number were exact."""
    transformer = compile_formula(random_formula(random.Random(5), 2, temporal=("since",)), "ab", Regime())
    vectors = run_soft(transformer, "abab", BITS)
    nears = [name for name, meaning in transformer.directions.items() if isinstance(meaning, Near)]
    assert nears
    assert any(not vector[name].is_point for vector in vectors for name in nears)


def test_a_head_with_more_queries_than_keys_is_no_head_with_fewer() -> None:
    """A component without a partner is an error, never left out of the scores."""
    transformer = compile_formula(parse_formula("Q_a since Q_b"), "ab", Regime())
    (layer,) = transformer.layers
    (head,) = layer.heads
    odd = replace(layer, heads=(replace(head, keys=head.keys[:-1]),))
    for run in (run_hard, lambda network, word: run_soft(network, word, BITS)):
        with pytest.raises(ValueError, match="zip"):
            run(replace(transformer, layers=(odd,)), "ab")
