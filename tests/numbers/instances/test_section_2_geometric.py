"""Geometric attention at small temperatures against its limits, and the smallest counterexample of the sentence."""

from fractions import Fraction
from itertools import product

import pytest
from mpmath import mp, mpf

from proofs.numbers.instances.section_2_geometric import limit_at_the_winner, limits_of_weights
from tests.numbers.instances.helpers import verdicts


@pytest.mark.parametrize("length", [1, 2, 3])
def test_weights_at_a_small_temperature_are_near_the_limits(length: int) -> None:
    for scores in product(range(-2, 3), repeat=length):
        with mp.workdps(40):
            shares = [1 / (1 + mp.exp(-mpf(score) * 100)) for score in scores]
            for j, limit in enumerate(limits_of_weights(scores)):
                weight = shares[j] * mp.fprod(1 - share for share in shares[j + 1:])
                assert abs(weight - mpf(limit.numerator) / limit.denominator) < mpf(10) ** -40 * 10**5


def test_it_fails_first_at_two_positions_and_then_always() -> None:
    assert [verdicts("section-2-geometric", n) for n in range(1, 9)] == [{True}, *[{False}] * 7]
    assert (limit_at_the_winner([0]), limit_at_the_winner([-1])) == (Fraction(1, 2), Fraction(0))
    assert limits_of_weights([2, 1]) == [0, 1]


def test_the_repair_holds_for_all_signs() -> None:
    assert all(verdicts("section-2-geometric-repaired", n) == {True} for n in range(1, 33))
    for scores in product((1, -1, -2), repeat=4):
        assert limit_at_the_winner(scores) == (max(scores) == 1)
