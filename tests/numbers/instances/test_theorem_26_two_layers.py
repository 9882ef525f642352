"""Theorem 26 on a network of two layers: every word, its gap, and the temperature of the theorem."""

from fractions import Fraction
from itertools import product

from constructions.network.run import run_hard
from proofs.numbers.instances.comparing import power_of_e
from proofs.numbers.instances.lemma_25_one_layer import constants
from proofs.numbers.instances.theorem_26_two_layers import (
    OUTPUT,
    least_gap,
    output_error,
    temperature_of_theorem,
    two_layers,
)
from proofs.numbers.instances.theorem_26_uniform_tieless import share_of_half_gap
from tests.numbers.instances.helpers import examined, verdicts

ONE = Fraction(1)


def test_two_layers_hold_on_every_word_up_to_length_6_and_stay_open_beyond() -> None:
    for n in (1, 2, 4):
        assert verdicts("theorem-26-two-layers", n) == {True} and len(examined("theorem-26-two-layers", n)) == 2**n
    assert verdicts("theorem-26-two-layers", 7) == {None}


def test_the_two_layers_compute_the_place_of_the_last_1() -> None:
    for n in range(1, 6):
        for word in product("01", repeat=n):
            places = [vector.get(OUTPUT, Fraction(0)) for vector in run_hard(two_layers(ONE), word)]
            last = [max((j for j in range(1, i + 1) if word[j - 1] == "1"), default=i) for i in range(1, n + 1)]
            assert places == [Fraction(place, n) for place in last]


def test_the_gap_of_the_two_layers_is_1_over_n() -> None:
    assert [least_gap(n) for n in range(1, 6)] == [1, *(Fraction(1, n) for n in range(2, 6))]


def test_the_temperature_is_below_that_of_equation_3_by_a_hair() -> None:
    """e^(-γ/(2τ)) is at most E_1/(K1 n x_max)."""
    for n in (1, 2, 5):
        gap, share = least_gap(n), share_of_half_gap(n, least_gap(n), ONE, constants(4, 2, Fraction(2), 2), 2)
        power = power_of_e(-gap / 2 / temperature_of_theorem(n))
        assert power.lower <= share and power.upper >= share * (1 - Fraction(1, 10**30))


def test_at_temperature_1_the_two_layers_would_not_be_close_enough() -> None:
    assert output_error(two_layers(ONE), tuple("000001")).lower > Fraction(1, 4)
