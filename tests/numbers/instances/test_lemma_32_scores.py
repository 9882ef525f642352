from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs.numbers.instances.lemma_32_scores import product_of_norms, score_error, three_terms
from tests.numbers.instances.helpers import examined, quick, small, verdicts
from tests.numbers.instances.vectors import dot, minus, norm, times


@pytest.mark.parametrize("name", ["lemma-32", "lemma-32-bound", "lemma-32-sharp"])
def test_the_statement_and_its_bounds_hold(name: str) -> None:
    assert all(verdicts(name, d) == {True} for d in (1, 2, 3, 32))


def test_the_sharp_form_is_attained_in_every_dimension() -> None:
    assert all(score_error(d) == 2 * d * d + d for d in range(1, 8))


def test_the_printed_sum_of_three_terms_fails_in_one_and_two_dimensions_only() -> None:
    assert [verdicts("lemma-32-step-three-terms", d) for d in (1, 2, 3, 4)] == [{False}, {False}, {True}, {True}]
    assert [three_terms(d) for d in (1, 2, 3)] == [5, 14, 27]
    assert examined("lemma-32-step-three-terms", 1)[0].bound.upper == 3


def test_the_product_of_1_norms_fails_from_two_dimensions_on() -> None:
    assert [verdicts("lemma-32-step-norms", d) for d in (1, 2, 3)] == [{True}, {False}, {False}]
    assert [product_of_norms(d) for d in (1, 2, 3)] == [1, 8, 27]


@quick
@given(st.data(), st.integers(1, 3))
def test_no_scores_move_further(data: st.DataObject, d: int) -> None:
    """Times √d, with the query's and the key's vectors drawn apart."""
    vector = st.lists(small, min_size=d, max_size=d)
    queries, keys = (data.draw(st.lists(vector, min_size=d, max_size=d)) for _ in range(2))
    (u, moved_u), (v, moved_v) = ((data.draw(vector), data.draw(vector)) for _ in range(2))
    error = max(norm(minus(u, moved_u)), norm(minus(v, moved_v)))
    u_max = max(Fraction(1), *map(abs, [*u, *v]))
    p = max(abs(entry) for row in (*queries, *keys) for entry in row)
    found = abs(dot(times(queries, u), times(keys, v)) - dot(times(queries, moved_u), times(keys, moved_v)))
    assert found <= p * p * (2 * d * d * u_max * error + d * error * error)
