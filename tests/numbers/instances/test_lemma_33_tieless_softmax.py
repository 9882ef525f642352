from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs.numbers.instances.lemma_33_tieless_softmax import worst_distance
from tests.numbers.instances.helpers import at, between_0_and_1, distance_from_one_hot, quick, verdicts


@pytest.mark.parametrize("name", ["lemma-33", "lemma-33-sharp"])
def test_it_holds_for_every_length(name: str) -> None:
    assert all(verdicts(name, n) == {True} for n in (1, 2, 3, 32))


def test_one_position_is_exact_and_two_share() -> None:
    assert not worst_distance(1).numerator
    assert at(worst_distance(2), Fraction(1, 3)) == Fraction(1, 2)


@quick
@given(between_0_and_1, st.integers(0, 2), st.lists(st.integers(0, 3), max_size=5), st.integers(0, 3))
def test_no_scores_are_worse(base: Fraction, error: int, slack: list[int], lead: int) -> None:
    """e^(-1/τ) is ``base``, M = 0, γ = 2 error + 1; the first score is at least -error, the others at most error-γ."""
    gap = 2 * error + 1
    weights = [base ** (error - lead), *(base ** (gap - error + less) for less in slack)]
    assert distance_from_one_hot(weights, 1) <= at(worst_distance(len(weights)), base ** (gap - 2 * error))
