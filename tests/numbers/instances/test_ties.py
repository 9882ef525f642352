"""Claims about ties: least sums and worst rows by brute force, and the networks by an exact or enclosed run."""

from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constructions.network.json_form import read_transformer
from constructions.network.run import run_hard
from proofs.numbers.instances.ties_distorted import COLD, HOT, distance_of_tied, moved
from proofs.numbers.instances.ties_small_gaps import LISTED, error_at, least_sum, primes_above_half
from proofs.words.replay import run_soft
from tests.numbers.instances.helpers import between_0_and_1, examined, quick, shares, verdicts

MODELS = Path(__file__).resolve().parents[3] / "examples" / "claims" / "models"


@pytest.mark.parametrize("n", range(1, 9))
def test_least_sums_are_those_of_all_words(n: int) -> None:
    sums = {sum((Fraction(sign, j) for j, sign in enumerate(signs, start=1)), Fraction(0))
            for signs in product((-1, 0, 1), repeat=n)}
    assert least_sum(n) == min(x for x in sums if x > 0) == Fraction(LISTED[n])


def test_there_are_two_primes_above_6_up_to_12() -> None:
    assert [primes_above_half(n) for n in (1, 2, 3, 12, 13)] == [[], [2], [2, 3], [7, 11], [7, 11, 13]]


@quick
@given(between_0_and_1, st.lists(st.integers(0, 4), min_size=1, max_size=5))
def test_no_tied_row_is_farther_off(v: Fraction, places: list[int]) -> None:
    """Scores between 0 and D in quarters: e^(score/τ) is a power of v^(-1/2), here of v^-2 so that all are rational."""
    spread = max(places) - min(places)
    weights = shares([(1 / v) ** place for place in places])
    off = sum((abs(x - Fraction(1, len(places))) for x in weights), Fraction(0)) / 2
    if spread % 2 == 0:  # e^(-D/(2τ)) = v^(spread/2)
        root = v ** (spread // 2)
        assert off <= (1 - root) / (1 + root)


def test_a_row_of_three_attains_the_bound() -> None:
    v = Fraction(1, 2)
    assert distance_of_tied(3, 1, v) == (1 - v) / (1 + v) == Fraction(1, 3)
    assert [found.holds for found in examined("ties-row", 5)] == [True] * 4


@pytest.mark.parametrize("first, second", [(HOT, COLD), (HOT, HOT), (Fraction(1, 20), Fraction(1, 20))])
def test_what_two_layers_move_is_what_an_enclosed_run_shows(first: Fraction, second: Fraction) -> None:
    text = (MODELS / "ties_two_temperatures.json").read_text(encoding="utf-8")
    model = read_transformer(text.replace('"1/5"', f'"{first}"').replace('"1/1000"', f'"{second}"'))
    hard, soft = run_hard(model, "aa")[1]["b"], run_soft(model, "aa", 128)[1]["b"]
    expected = moved(2, first, second)
    assert hard == Fraction(1, 2)
    assert hard - soft.upper <= expected.upper and expected.lower <= hard - soft.lower


def test_two_layers_are_moved_by_almost_a_half_or_by_very_little() -> None:
    assert abs(moved(2, HOT, COLD).lower - Fraction(498_762, 10**6)) < Fraction(1, 10**6)
    assert moved(2, Fraction(1, 20), Fraction(1, 20)).upper < Fraction(1, 10**7)
    assert verdicts("ties-two-temperatures", 7) == {False} and verdicts("ties-one-temperature", 7) == {True}


def test_the_polynomial_temperature_first_fails_at_nine() -> None:
    assert [n for n in range(1, 17) if verdicts("ties-polynomial-temperature", n) == {False}] == list(range(9, 17))
    assert error_at(9, Fraction(1, 9**4)).lower > Fraction(7, 10)
    assert error_at(7, Fraction(1, 7**4)).upper < Fraction(1, 5)


def test_beyond_what_is_listed_nothing_is_said() -> None:
    for name in ("ties-least-sum", "ties-primes", "ties-polynomial-temperature", "ties-rational-gap"):
        assert verdicts(name, 17) == {None}
