from fractions import Fraction

import pytest

from constructions.network.run import embed, scaled_scores
from constructions.regimes import Regime, Sharpening
from tests.statements.helpers import attention_lines, is_within, network, worst_errors

REGIMES = [Regime(), Regime(Sharpening.POSITION)]


@pytest.mark.parametrize("regime", REGIMES, ids=str)
@pytest.mark.parametrize("text", ["prev Q_a", "next Q_a"])
def test_both_heads_are_proved_where_they_are_used(regime: Regime, text: str) -> None:
    even, odd = attention_lines(network(text, regime), 16)
    assert even.proved and odd.proved
    # One head serves odd i > 1 (or odd i < n), the other even i (or even i < n): all rows but the edge ones.
    assert even.rows + odd.rows == 16 * 17 // 2 - 16


def test_the_scores_are_those_that_the_theorem_prints() -> None:
    transformer = network("prev Q_a", Regime())
    stream = embed(transformer, "abba")
    even = transformer.layers[0].heads[0]
    assert scaled_scores(even, stream)[3] == [
        4 * 6 * (Fraction((-1) ** j, 2) + Fraction(j, 8)) for j in range(1, 5)]


@pytest.mark.parametrize("regime", REGIMES, ids=str)
def test_both_cases_have_the_same_errors(regime: Regime) -> None:
    one, other = (worst_errors(network("next Q_a", each), 9, "even keys")[True] for each in (regime, Regime()))
    assert one and other and one.upper == other.upper


def test_the_critical_constant_tends_to_the_logarithm_of_2() -> None:
    """Neighbours of one parity are 2 apart, so the error tends to e^-2γ, which is 1/4 at γ = ln 2 = 0.693147..."""
    for keys in ("even keys", "odd keys"):
        assert is_within(network("prev Q_a", Regime(), Fraction(693148, 10**6)), 40, keys)
    assert not is_within(network("prev Q_a", Regime(), Fraction(693146, 10**6)), 40, "odd keys")


@pytest.mark.parametrize(("text", "edge"), [("prev Q_a", "is[FIRST]"), ("next Q_a", "is[LAST]")])
def test_each_head_is_shut_by_the_parity_that_does_not_ask_it_and_at_the_edge(text: str, edge: str) -> None:
    transformer = network(text, Regime())
    units = [unit for layer in transformer.layers for unit in layer.feedforward.units
             if transformer.output in unit.writes]
    assert [(dict(unit.reads), unit.bias, unit.writes[transformer.output]) for unit in units] == [
        ({f"near[{text}] by {keys} keys": 1, gate: -1, edge: -1}, bias, write)
        for keys, gate in (("even", "is[EVEN]"), ("odd", "is[ODD]"))
        for bias, write in ((Fraction(-1, 4), 2), (Fraction(-3, 4), -2))]
