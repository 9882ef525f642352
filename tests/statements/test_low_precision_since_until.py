from fractions import Fraction

import mpmath
import pytest

from tests.statements.helpers import SINCE, UNTIL, worst_errors
from tests.statements.low_precision import is_certified, low_precision_network


@pytest.mark.parametrize("text", [SINCE, UNTIL, "O Q_a & !(Q_b U Q_c)"])
def test_it_is_certified_and_accepted(text: str) -> None:
    assert is_certified(text, 12)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("text", [SINCE, UNTIL])
@pytest.mark.parametrize("gamma", [Fraction(4), Fraction(2)])
@pytest.mark.parametrize("n", [1, 5, 33])
def test_the_worst_error_has_a_closed_form_below_e_to_the_minus_gamma(text: str, gamma: Fraction, n: int) -> None:
    with mpmath.workdps(60):
        weights = sum(mpmath.exp(-mpmath.mpf(gamma.numerator) / gamma.denominator * k) for k in range(1, n))
        expected = weights / (1 + weights)
        extreme = worst_errors(low_precision_network(text, n, gamma=gamma), n, "near[")[False]
        if n == 1:
            assert extreme is None or extreme.upper == 0
            return
        assert extreme is not None
        assert mpmath.mpf(extreme.lower.numerator) / extreme.lower.denominator <= expected * (1 + mpmath.mpf("1e-40"))
        assert expected <= mpmath.mpf(extreme.upper.numerator) / extreme.upper.denominator
        assert expected < mpmath.exp(-mpmath.mpf(gamma.numerator) / gamma.denominator)


def test_since_mentions_n_nowhere_and_is_certified_as_causal() -> None:
    network = low_precision_network(SINCE, 8, causal=True)
    assert not any(value.mentions_n for value in network.position_embedding.values())
    assert is_certified(SINCE, 8, causal=True)


def test_the_network_is_the_same_for_every_greatest_length() -> None:
    assert low_precision_network(SINCE, 8) == low_precision_network(SINCE, 900)
