"""Equal scores under other weightings: exact numbers."""

from fractions import Fraction

from tests.numbers.instances.helpers import examined, verdicts


def test_equal_scores_are_a_mean_where_weights_sum_to_one() -> None:
    assert all(verdicts("uniform-means", n) == {True} for n in range(1, 17))


def test_under_softmax_plus_one_they_never_are() -> None:
    assert all(verdicts("uniform-plus-one", n) == {False} for n in range(1, 17))
    assert [found.value.upper for n in (1, 2, 3) for found in examined("uniform-plus-one", n)] == [
        Fraction(1, 2), Fraction(2, 3), Fraction(3, 4)]
