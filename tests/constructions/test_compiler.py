from fractions import Fraction

import pytest

from constructions.compiler import compile_formula
from constructions.errors import InputError, Unsupported
from constructions.language.parser import parse_formula
from constructions.language.syntax import subformulas
from constructions.network.meanings import Truth
from constructions.regimes import ALL_REGIMES, Regime
from tests.constructions.helpers import network

MIXED = "prev (Q_a since (Q_b | next Q_a)) & (Q_b until prev Q_a)"


@pytest.mark.parametrize("regime", ALL_REGIMES[:2], ids=str)
def test_every_subformula_has_a_direction_that_is_exactly_its_truth(regime: Regime) -> None:
    transformer = network(MIXED, regime)
    held = {meaning.formula for meaning in transformer.directions.values() if isinstance(meaning, Truth)}
    assert set(subformulas(parse_formula(MIXED))) <= held


@pytest.mark.parametrize(("text", "named"), [
    ("Q_a & next Q_b", "next Q_b"), ("prev (Q_a until Q_b)", "Q_a until Q_b"), ("G Q_a", "F !Q_a")])
@pytest.mark.parametrize("regime", ALL_REGIMES[2:], ids=str)
def test_a_causal_regime_names_the_subformula_that_looks_ahead(text: str, named: str, regime: Regime) -> None:
    with pytest.raises(Unsupported) as refusal:
        network(text, regime)
    assert str(refusal.value).startswith(f"{named}: ")


@pytest.mark.parametrize("text", ["ODD(#<[Q_a])", "#<[Q_a] >= 2", "ODD", "prev (#>[Q_a] == 1)"])
def test_counts_and_predicates_are_unsupported_not_wrong(text: str) -> None:
    with pytest.raises(Unsupported):
        network(text, Regime())


def test_the_weights_do_not_depend_on_the_length_and_equal_subformulas_are_built_once() -> None:
    once, twice = network("prev Q_a", Regime()), network("prev Q_a | (prev Q_a & Q_b)", Regime())
    assert sum(1 for _ in once.heads()) == sum(1 for _ in twice.heads())


def test_nested_usual_since_grows_linearly() -> None:
    """``a S b`` stands for (a | b) since b; the doubling of b must not be a doubling of the network."""
    depth = 30
    transformer = network(" S ".join(["Q_a"] * depth + ["Q_b"]), Regime())
    assert sum(1 for _ in transformer.heads()) == depth


def test_a_symbol_outside_the_alphabet_and_a_constant_of_zero_are_refused() -> None:
    with pytest.raises(InputError, match="expected one of a, b"):
        compile_formula(parse_formula("Q_c"), ("a", "b"), Regime())
    with pytest.raises(InputError, match="positive"):
        network("Q_a", Regime(), Fraction(0))
