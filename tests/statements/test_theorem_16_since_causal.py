from fractions import Fraction

import mpmath
import pytest

from constructions.network.lengths import up_to
from constructions.regimes import Regime, Sharpening
from proofs.formula.discharge import discharge
from tests.statements.helpers import SINCE, is_within, network, worst_errors

REGIMES = [Regime(causal=True), Regime(Sharpening.POSITION, causal=True)]


@pytest.mark.parametrize("regime", REGIMES, ids=str)
def test_every_obligation_is_proved_at_all_positions(regime: Regime) -> None:
    assert all(line.proved for line in discharge(network(SINCE, regime), up_to(20)))


@pytest.mark.parametrize("regime", REGIMES, ids=str)
def test_the_position_embeddings_are_those_of_the_theorem(regime: Regime) -> None:
    transformer = network(SINCE, regime)
    last = "1" if regime.sharpening is Sharpening.TEMPERATURE else "i^2"
    assert {str(value) for value in transformer.position_embedding.values()} == {"1/i", last}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("gamma", [Fraction(3), Fraction(3, 2)])
@pytest.mark.parametrize("i", [2, 3, 8, 30])
def test_the_worst_error_has_a_closed_form(gamma: Fraction, i: int) -> None:
    """Ties at distance k from the end weigh exp(-γ i k/(i - k)); all of them against the decisive last one."""
    with mpmath.workdps(60):
        g = mpmath.mpf(gamma.numerator) / gamma.denominator
        others = sum(mpmath.exp(-g * i * k / mpmath.mpf(i - k)) for k in range(1, i))
        expected = others / (1 + others)
        extreme = worst_errors(network(SINCE, REGIMES[0], gamma), i, "near[")[False]
        assert extreme is not None
        assert abs(mpmath.mpf(extreme.upper.numerator) / extreme.upper.denominator - expected) < expected * 1e-10


@pytest.mark.parametrize(("n", "too_small", "enough"), [
    (16, 1247784, 1247785), pytest.param(64, 1331000, 1386294, marks=pytest.mark.exhaustive)])
def test_the_critical_constant_stays_below_the_logarithm_of_4(n: int, too_small: int, enough: int) -> None:
    """i k/(i - k) > k, so every n is a little safer than Theorem 15; the limit is the same, ln 4 = 1.386294..."""
    assert not is_within(network(SINCE, REGIMES[0], Fraction(too_small, 10**6)), n, "near[")
    assert is_within(network(SINCE, REGIMES[0], Fraction(enough, 10**6)), n, "near[")
