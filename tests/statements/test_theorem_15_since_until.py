from fractions import Fraction

import mpmath
import pytest

from constructions.network.lengths import up_to
from constructions.regimes import Regime, Sharpening
from proofs.formula.discharge import discharge
from tests.statements.helpers import SINCE, UNTIL, attention_lines, is_within, network, worst_errors

REGIMES = [Regime(), Regime(Sharpening.POSITION)]


@pytest.mark.parametrize("regime", REGIMES, ids=str)
@pytest.mark.parametrize("text", [SINCE, UNTIL])
def test_every_obligation_is_proved_at_all_positions(regime: Regime, text: str) -> None:
    transformer = network(text, regime)
    assert all(line.proved for line in discharge(transformer, up_to(20)))
    assert [line.rows for line in attention_lines(transformer, 20)] == [20 * 21 // 2]


def closed_form(gamma: Fraction, n: int) -> mpmath.mpf:
    """The worst error at length n: a decisive trigger at the end and triggers of the other value everywhere else."""
    x = mpmath.exp(-mpmath.mpf(gamma.numerator) / gamma.denominator)
    others = sum(x**k for k in range(1, n))
    return others / (1 + others)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("gamma", [Fraction(3), Fraction(2), Fraction(3, 2)])
@pytest.mark.parametrize("n", [1, 2, 5, 33])
@pytest.mark.parametrize("text", [SINCE, UNTIL])
def test_the_worst_error_has_a_closed_form(gamma: Fraction, n: int, text: str) -> None:
    with mpmath.workdps(60):
        expected = closed_form(gamma, n)
        for extreme in worst_errors(network(text, Regime(), gamma), n, "near[").values():
            assert extreme is not None
            lower, upper = (mpmath.mpf(x.numerator) / x.denominator for x in (extreme.lower, extreme.upper))
            assert lower <= expected * (1 + mpmath.mpf("1e-40"))
            assert expected <= upper
            assert extreme.upper - extreme.lower <= extreme.upper * Fraction(1, 10**11)


def test_the_worst_error_for_the_printed_constant_is_e_to_the_minus_3_not_4_times_that() -> None:
    extreme = worst_errors(network(SINCE, Regime()), 64, "near[")[True]
    assert extreme is not None
    assert f"{float(extreme.upper):.6g}" == "0.0497871"
    assert (extreme.n, extreme.i) == (64, 64)


def test_the_critical_constant_tends_to_the_logarithm_of_4() -> None:
    """The sum of x^k over k >= 1 is 1/3 at x = 1/4, that is at γ = ln 4 = 1.386294..."""
    assert is_within(network(SINCE, Regime(), Fraction(1386295, 10**6)), 64, "near[")
    assert not is_within(network(SINCE, Regime(), Fraction(1386294, 10**6)), 64, "near[")


@pytest.mark.parametrize(("gamma", "first_failing"),
                         [(Fraction(1386, 1000), 7), (Fraction(138, 100), 5), (Fraction(1), 2)])
def test_below_the_critical_constant_the_claim_first_fails_where_the_closed_form_says(
        gamma: Fraction, first_failing: int) -> None:
    assert closed_form(gamma, first_failing) > 0.25 >= closed_form(gamma, first_failing - 1)
    transformer = network(SINCE, Regime(), gamma)
    assert is_within(transformer, first_failing - 1, "near[")
    assert not is_within(transformer, first_failing, "near[")
