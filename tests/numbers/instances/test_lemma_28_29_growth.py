from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs.numbers.instances.lemma_28_29_growth import repaired_in_t, stretched, worst_in_t, worst_norm
from tests.numbers.instances.helpers import evaluated, examined, quick, small, verdicts
from tests.numbers.instances.vectors import Matrix, Vector, mean, norm, plus, relu, times

ONE = Fraction(1)


def vectors(d: int) -> st.SearchStrategy[Vector]:
    return st.lists(small, min_size=d, max_size=d)


def matrices(d: int) -> st.SearchStrategy[Matrix]:
    return st.lists(vectors(d), min_size=d, max_size=d)


def greatest(*parts: Vector) -> Fraction:
    return max((abs(entry) for part in parts for entry in part), default=Fraction(0))


def test_lemma_28_holds_and_is_attained() -> None:
    assert all(verdicts("lemma-28", d) == {True} for d in (1, 2, 32)) and stretched(7) == 7


@quick
@given(st.data(), st.integers(1, 3))
def test_no_matrix_stretches_more(data: st.DataObject, d: int) -> None:
    matrix, u = data.draw(matrices(d)), data.draw(vectors(d))
    assert norm(times(matrix, u)) <= stretched(d) * greatest(*matrix) * norm(u)


def test_lemma_29_fails_as_printed_first_for_one_dimension_and_one_layer() -> None:
    first, ones, *_ = examined("lemma-29", 1)
    assert (first.holds, first.value.lower, first.bound.upper) == (False, Fraction(1, 2), Fraction(1, 8))
    assert (ones.holds, ones.value.lower, ones.bound.upper) == (False, 3, 1)


def test_lemma_29_holds_without_biases_for_small_parameters_too() -> None:
    assert all(verdicts("lemma-29-without-biases", d) == {True} for d in (1, 2, 3, 8))
    assert worst_norm(1, 1, Fraction(1, 2), Fraction(0)) == Fraction(1, 8)


def test_lemma_29_repaired_holds() -> None:
    assert all(verdicts("lemma-29-repaired", d) == {True} for d in (1, 2, 3, 8))
    assert worst_norm(1, 1, ONE, ONE) == 3 == repaired_in_t(1, 1)(0)


@pytest.mark.parametrize("p", [ONE, Fraction(3, 2), Fraction(4)])
def test_the_polynomials_are_the_norms(p: Fraction) -> None:
    for d in (1, 2, 3):
        for layers in (1, 2):
            assert evaluated(worst_in_t(d, layers).coeffs(), p - 1) == worst_norm(d, layers, p, p)
            assert evaluated(repaired_in_t(d, layers).coeffs(), p - 1) == (3 * (d * p) ** 3) ** layers * d


@quick
@given(st.data(), st.integers(1, 2), st.integers(1, 3))
def test_no_layer_exceeds_the_worst_norm(data: st.DataObject, d: int, n: int) -> None:
    """Random value and feed-forward matrices, biases and attention weights against equal parameters."""
    value, first, second = (data.draw(matrices(d)) for _ in range(3))
    b1, b2 = data.draw(vectors(d)), data.draw(vectors(d))
    inputs = data.draw(st.lists(vectors(d), min_size=n, max_size=n))
    raw = data.draw(st.lists(st.integers(1, 5), min_size=n, max_size=n))
    attended = mean([Fraction(weight, sum(raw)) for weight in raw], [times(value, u) for u in inputs])
    output = plus(times(second, relu(plus(times(first, attended), b1))), b2)
    p, x_max = greatest(*value, *first, *second, b1, b2), max(greatest(*inputs), ONE)
    assert norm(output) <= (d * p) ** 3 * d * x_max + (d * p) ** 2 + d * p
    assert norm(output) <= 3 * (d * max(p, ONE)) ** 3 * d * x_max
