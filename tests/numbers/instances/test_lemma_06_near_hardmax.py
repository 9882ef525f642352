from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs.numbers.instances.comparing import polynomial
from proofs.numbers.instances.lemma_06_near_hardmax import worst_distance
from tests.numbers.instances.helpers import at, between_0_and_1, distance_from_one_hot, examined, quick, verdicts


@pytest.mark.parametrize("name", ["lemma-06", "lemma-06-sharp"])
def test_it_holds_with_one_instance_per_winning_position(name: str) -> None:
    for n in (1, 2, 3, 10, 32):
        assert verdicts(name, n) == {True} and len(examined(name, n)) == n


def test_the_worst_instances_are_exact() -> None:
    assert not worst_distance(1, 1).numerator
    assert (worst_distance(3, 2).numerator, worst_distance(3, 2).denominator) == (
        polynomial({1: 4}), polynomial({0: 1, 1: 2}))
    assert at(worst_distance(3, 1), Fraction(1, 2)) == Fraction(6, 7)


def test_the_middle_position_comes_first_and_is_the_worst() -> None:
    values = [instance.value.upper for instance in examined("lemma-06", 9)]
    assert values == sorted(values, reverse=True) and "|j - 5|" in examined("lemma-06", 9)[0].what


def test_no_constant_below_4_would_do() -> None:
    x = Fraction(1, 10**6)
    assert at(worst_distance(3, 2), x) > Fraction(39999, 10000) * x


@quick
@given(st.data(), between_0_and_1, st.integers(1, 6))
def test_no_scores_that_satisfy_the_hypothesis_are_worse(data: st.DataObject, x: Fraction, n: int) -> None:
    winner = data.draw(st.integers(1, n))
    slack = data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    weights = [x ** (abs(j - winner) + (slack[j - 1] if j != winner else 0)) for j in range(1, n + 1)]
    found = distance_from_one_hot(weights, winner)
    assert found <= at(worst_distance(n, winner), x) <= 4 * x / (1 + x)
