from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs.numbers.instances.comparing import power_of_e
from proofs.numbers.instances.lemma_07_table_lookup import error, is_at_most_x
from tests.numbers.instances.helpers import at, between_0_and_1, examined, quick, shares, verdicts


@pytest.mark.parametrize("name", ["lemma-07", "lemma-07-sharp"])
def test_it_holds_with_one_instance_per_number_that_is_looked_up(name: str) -> None:
    for n in (1, 2, 3, 8, 32):
        assert verdicts(name, n) == {True} and len(examined(name, n)) == n


def test_the_printed_step_fails_first_where_c_and_i_are_2() -> None:
    assert verdicts("lemma-07-proof-step", 1) == {True}
    assert all(verdicts("lemma-07-proof-step", n) == {False} for n in range(2, 33))
    first, = examined("lemma-07-proof-step", 2)
    x = power_of_e(Fraction(-1))
    assert first.value.lower <= x.upper / (1 + x.upper) and x.lower / (1 + x.lower) <= first.value.upper
    assert first.bound.upper == 0


@quick
@given(st.data(), between_0_and_1, st.integers(1, 7))
def test_the_quotient_is_the_error_of_the_scores_as_printed(data: st.DataObject, x: Fraction, i: int) -> None:
    c = data.draw(st.integers(1, i))
    found = shares([x ** -(2 * c * j - j * j) for j in range(1, i + 1)])
    assert at(error(i, c), x) == abs(c - sum(j * share for j, share in enumerate(found, start=1)))


def test_without_a_bound_on_gamma_even_three_halves_would_fail() -> None:
    """At x near 1 the error of looking up 1 among 5 is near 2."""
    x = Fraction(99, 100)
    assert at(error(5, 1), x) > Fraction(3, 2) * x


def test_the_comparison_of_terms_is_true_at_its_edge() -> None:
    assert is_at_most_x(32)
    x = Fraction(707, 1000)
    assert x * x < Fraction(1, 2) and all(at(error(i, 1), x) <= x for i in range(1, 33))
