from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from proofs.enclosures.intervals import point
from proofs.numbers.instances.comparing import power_of_e
from proofs.numbers.instances.lemma_25_one_layer import constants, weight_elsewhere
from tests.numbers.instances.helpers import between_0_and_1, distance_from_one_hot, examined, quick, verdicts


def test_as_printed_it_fails_first_for_two_positions_whatever_the_constants() -> None:
    assert verdicts("lemma-25", 1) == {True}
    for n in (2, 3, 32):
        assert verdicts("lemma-25", n) == {False} and len(examined("lemma-25", n)) == 3


def test_the_first_counterexample_in_numbers() -> None:
    """u = (48, 1/48): hard attention returns 48, soft attention at temperature 1/2 about 42.276; 3 is allowed."""
    first = examined("lemma-25", 2)[0]
    assert Fraction(57236, 10000) < first.value.lower and first.value.upper < Fraction(57237, 10000)
    assert first.bound.upper == 3


def test_the_printed_sign_fails_first_for_two_positions() -> None:
    assert verdicts("lemma-25-step-sign", 1) == {True}
    assert all(verdicts("lemma-25-step-sign", n) == {False} for n in range(2, 33))
    first, = examined("lemma-25-step-sign", 2)
    right = power_of_e(Fraction(-6)).scaled(Fraction(4))
    assert first.bound.upper < first.value.lower <= first.value.upper < right.lower


def test_repaired_it_holds_on_the_worst_instances() -> None:
    assert all(verdicts("lemma-25-repaired", n) == {True} for n in (1, 2, 3, 32))


def test_the_constants_are_at_least_1_and_grow_with_the_layers() -> None:
    one, two = constants(4, 2, Fraction(2), 1), constants(4, 2, Fraction(2), 2)
    assert (one.k1, one.k2) == (4096, 96) and two.k1 / one.k1 == two.k2 / one.k2 == 3 * 8**3 * 4
    least = constants(1, 1, Fraction(0), 1)
    assert least.k1 >= 1 and least.k2 >= 1


@quick
@given(between_0_and_1, st.integers(1, 6))
def test_the_weight_elsewhere_is_half_the_distance(q: Fraction, count: int) -> None:
    found = weight_elsewhere(count, point(q))
    assert found.is_point and 2 * found.lower == distance_from_one_hot([Fraction(1), *[q] * count], 1)
