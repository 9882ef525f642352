"""Theorem 26: the induction, a network of one layer, and large gaps."""

from fractions import Fraction

import pytest

from proofs.numbers.instances.lemma_25_one_layer import Constants
from proofs.numbers.instances.theorem_26_uniform_tieless import error_bounds, share_of_half_gap, uniform_attention_error
from tests.numbers.instances.helpers import examined, verdicts

ONE = Fraction(1)


def test_the_induction_holds() -> None:
    assert all(verdicts("theorem-26-induction", n) == {True} for n in (1, 2, 3, 32))


def test_the_sequence_of_bounds_is_the_printed_one() -> None:
    k = Constants(Fraction(3), Fraction(5))
    assert error_bounds(Fraction(1, 2), Fraction(7), k, 3) == [
        Fraction(1, 280) / 36, Fraction(1, 280) / 6, Fraction(1, 280)]
    assert error_bounds(Fraction(9), Fraction(7), k, 1) == [Fraction(1, 140)]
    assert share_of_half_gap(2, ONE, ONE, Constants(ONE, ONE), 1) == Fraction(1, 8)


def test_without_the_room_of_the_constants_the_induction_would_fail() -> None:
    """K1 below 1, which Lemma 25 excludes: then E_1/K1 exceeds what the second layer has room for."""
    k = Constants(Fraction(1, 4), ONE)
    first, second = error_bounds(ONE, ONE, k, 2)
    assert k.k1 * (first + share_of_half_gap(1, ONE, ONE, k, 2)) > second


def test_one_layer_holds_for_every_length() -> None:
    assert all(verdicts("theorem-26-one-layer", n) == {True} for n in range(1, 33))
    found, = examined("theorem-26-one-layer", 2)
    x = (Fraction(1, 4 * 96 * 2) / (4096 * 2)) ** 2
    assert found.value.lower == x / (1 + x)


def test_large_gaps_fail_first_for_two_positions() -> None:
    assert verdicts("theorem-26-large-gap", 1) == {True}
    assert all(verdicts("theorem-26-large-gap", n) == {False} for n in range(2, 33))
    assert [uniform_attention_error(n) for n in (1, 2, 3)] == [0, 2, 7]


@pytest.mark.parametrize("n", [2, 3, 7])
def test_the_gap_there_is_n_times_the_largest_activation(n: int) -> None:
    x = [Fraction(2 * n * n, j) for j in range(1, n + 1)]
    gaps = [sorted(a * b for b in x)[-1] - sorted(a * b for b in x)[-2] for a in x]
    assert min(gaps) == n * max(x) and uniform_attention_error(n) == max(x) - sum(x) / n
