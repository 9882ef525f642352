from fractions import Fraction

import pytest

from constructions.compiler import compile_formula
from constructions.errors import InputError, Unsupported
from constructions.language.parser import parse_formula
from constructions.language.predicates import parse_predicate_definition
from constructions.language.syntax import subformulas
from constructions.network.meanings import Truth
from constructions.regimes import ALL_REGIMES, Regime, Sharpening
from tests.statements.helpers import network

USERS = {"HALF": parse_predicate_definition("HALF(k,n) := 2*k == n")}
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


@pytest.mark.parametrize(("text", "refusal"), [
    ("#<[Q_a] <= #>[Q_b]", "#<[Q_a] <= #>[Q_b]: looks ahead, and a causal regime is future-masked"),
    ("O ODD(#>[Q_a])", "ODD(#>[Q_a]): looks ahead, and a causal regime is future-masked"),
    ("Q_a & LAST", "LAST: LAST depends on the length n, which is not available in a causal regime"),
    ("Q_a | HALF(#<[Q_a])", "HALF(#<[Q_a]): HALF depends on the length n, which is not available in a causal regime"),
])
@pytest.mark.parametrize("regime", ALL_REGIMES[2:], ids=str)
def test_a_causal_regime_names_the_count_or_predicate_that_needs_more_than_the_past(
        text: str, refusal: str, regime: Regime) -> None:
    with pytest.raises(Unsupported) as refused:
        compile_formula(parse_formula(text, "ab", USERS), "ab", regime)
    assert str(refused.value) == refusal


@pytest.mark.parametrize("text", ["Q_a & ODD(#<[Q_a])", "prev (#<[Q_a] >= 2)"])
def test_counting_causally_by_position_embeddings_alone_is_not_in_the_paper(text: str) -> None:
    with pytest.raises(Unsupported, match=r"\[SHA\] counts causally by temperature only"):
        network(text, Regime(Sharpening.POSITION, causal=True))


@pytest.mark.parametrize("regime", ALL_REGIMES, ids=str)
def test_predicates_on_positions_and_comparisons_without_counts_are_embedded_in_every_regime(regime: Regime) -> None:
    transformer = network("PRIME | 0*#<[Q_a] + 2 <= 1", regime)
    assert {name: str(value) for name, value in transformer.position_embedding.items()} == {
        "is[PRIME]": "[PRIME]", "is[0*#<[Q_a] + 2 <= 1]": "[0*#<[Q_a] + 2 <= 1]"}
    assert list(transformer.heads()) == []


PARITIES = {"[EVEN]", "[ODD]"}


@pytest.mark.parametrize(("text", "regime", "temperatures", "embeddings"), [
    ("#<[Q_a] > #>[Q_b]", Regime(), {"1/n"}, {"1", "1/i", "1/(n+1-i)", "i", "i^2"}),
    ("#<[Q_a] > #>[Q_b]", Regime(Sharpening.POSITION), {"1"}, {"1", "1/i", "1/(n+1-i)", "i", "i*n", "i^2*n"}),
    ("#<[Q_a] > 2", Regime(causal=True), {"1/i"}, {"1", "1/i", "i", "i^2"}),
    ("#<[prev Q_a] > 2", Regime(causal=True), {"1/i^2"}, {"1", "(-1)^i", "i", "i^2", *PARITIES}),
    ("#<[Q_b since Q_a] > 2", Regime(causal=True), {"1/i^2"}, {"1", "(-1)^i", "i", "i^2"}),
    ("#>[prev Q_a] > 2", Regime(), {"1/n"}, {"1", "(-1)^i", "i/n", "i", "i^2", *PARITIES}),
    ("#>[prev Q_a] > 2", Regime(Sharpening.POSITION), {"1"},
     {"1", "(-1)^i", "i/n", "n", "i", "i*n", "i^2*n", *PARITIES}),
    ("ODD(#<[Q_a])", Regime(causal=True), {"1/i"}, {"1/i", "i", "i^2", "[ODD]", "[ODD](i-1)"}),
])
def test_temperatures_and_position_embeddings_are_those_of_the_statements(
        text: str, regime: Regime, temperatures: set[str], embeddings: set[str]) -> None:
    transformer = network(text, regime)
    assert {str(head.temperature) for _, _, head in transformer.heads()} == temperatures
    assert {str(value) for value in transformer.position_embedding.values()} == embeddings


def test_heads_of_equal_counts_are_shared() -> None:
    transformer = network("#<[Q_a] >= 2 & #<[Q_a] != 3 & ODD(#<[Q_a]) & 2*#<[Q_a] >= 1", Regime())
    assert [head.name for _, _, head in transformer.heads()] == ["uniform", *["1 + others counted"] * 3]


@pytest.mark.parametrize(("text", "named"), [
    ("1000000001*#<[Q_a] > 0", "a coefficient of 1000000001, expected at most 1000000000"),
    ("#<[Q_a] > 1000000000001", "a constant of 1000000000001 beside counts, expected at most 1000000000000"),
    (f"#<[Q_a] > 1{'0' * 500}", "a constant of 501 digits beside counts, expected at most 1000000000000")])
def test_absurd_numbers_are_bad_input(text: str, named: str) -> None:
    with pytest.raises(InputError) as refused:
        network(text, Regime())
    assert str(refused.value) == f"formula: {named}"


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
