import itertools
import math
from fractions import Fraction

import pytest

from proofs.numbers.instances.hahn_lemma_5_masked import change_after, homogeneous
from tests.numbers.instances.helpers import examined, verdicts


def test_the_second_position_changes_by_a_half_at_every_length() -> None:
    assert all(change_after(1, n)[1] == Fraction(1, 2) for n in (2, 3, 50))
    assert [verdicts("hahn-lemma-5-masked-second", n) for n in (2, 3, 50)] == [{True}, {False}, {False}]


def test_the_last_position_outgrows_every_constant_over_n() -> None:
    failing = {n: sum(not one.holds for one in examined("hahn-lemma-5-masked-last", n))
               for n in (2, 3, 4, 10, 11, 30, 31)}
    assert failing == {2: 1, 3: 1, 4: 2, 10: 2, 11: 3, 30: 3, 31: 4}


@pytest.mark.parametrize("layers", [1, 2, 3, 4])
def test_the_last_position_changes_by_the_sum_over_all_decreasing_sequences(layers: int) -> None:
    for n in (1, 2, 5, 12):
        sequences = itertools.combinations_with_replacement(range(1, n + 1), layers - 1)
        expected = sum((Fraction(1, math.prod(sequence)) for sequence in sequences), Fraction(0)) / n
        assert change_after(layers, n)[-1] == expected == homogeneous(layers - 1, n) / n


@pytest.mark.parametrize(("n", "two", "three"), [(64, 4.7439, 12.0670), (512, 6.8165, 24.0539)])
def test_n_times_the_change_is_that_of_harmonic_numbers(n: int, two: float, three: float) -> None:
    first, second = (sum(1 / k**power for k in range(1, n + 1)) for power in (1, 2))
    assert float(n * change_after(2, n)[-1]) == pytest.approx(first) == pytest.approx(two, abs=5e-5)
    assert float(n * change_after(3, n)[-1]) == pytest.approx((first**2 + second) / 2) == pytest.approx(three, abs=5e-5)


def test_the_order_with_logarithms_holds() -> None:
    assert all(verdicts("hahn-lemma-5-masked-order", n) == {True} for n in (1, 2, 3, 10, 40))
