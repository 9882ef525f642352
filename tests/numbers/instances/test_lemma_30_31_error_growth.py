from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from proofs.numbers.instances.lemma_30_31_error_growth import feed_forward_error, uniform_error
from tests.numbers.instances.helpers import quick, small, verdicts
from tests.numbers.instances.vectors import Matrix, Vector, mean, minus, norm, plus, relu, times


def test_they_hold_and_are_attained() -> None:
    for d in (1, 2, 5, 32):
        assert verdicts("lemma-30", d) == verdicts("lemma-31", d) == {True}
    assert feed_forward_error(3) == 9 and uniform_error(4, 3) == 3


def drawn(data: st.DataObject, d: int, count: int) -> list[Vector]:
    return data.draw(st.lists(st.lists(small, min_size=d, max_size=d), min_size=count, max_size=count))


def greatest(matrix: Matrix) -> Fraction:
    return max(abs(entry) for row in matrix for entry in row)


@quick
@given(st.data(), st.integers(1, 3))
def test_no_feed_forward_layer_magnifies_an_error_more(data: st.DataObject, d: int) -> None:
    first, second, (b1, b2, u, moved) = drawn(data, d, d), drawn(data, d, d), drawn(data, d, 4)

    def layer(vector: Vector) -> Vector:
        return plus(times(second, relu(plus(times(first, vector), b1))), b2)

    p = max(greatest(first), greatest(second))
    assert norm(minus(layer(u), layer(moved))) <= feed_forward_error(d) * p * p * norm(minus(u, moved))


@quick
@given(st.data(), st.integers(1, 3), st.integers(1, 4))
def test_no_uniform_attention_magnifies_an_error_more(data: st.DataObject, d: int, n: int) -> None:
    value, exact, moved = drawn(data, d, d), drawn(data, d, n), drawn(data, d, n)
    error = max(norm(minus(u, v)) for u, v in zip(exact, moved, strict=True))
    weights = [Fraction(1, n)] * n
    found = norm(times(value, minus(mean(weights, exact), mean(weights, moved))))
    assert found <= uniform_error(n, d) * greatest(value) * error
