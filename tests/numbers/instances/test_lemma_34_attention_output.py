from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from proofs.numbers.instances.lemma_34_attention_output import output_error
from tests.numbers.instances.helpers import examined, quick, shares, small, verdicts
from tests.numbers.instances.vectors import mean, minus, norm, times


def test_it_holds_and_is_attained() -> None:
    assert all(verdicts("lemma-34", n) == {True} and len(examined("lemma-34", n)) == 9 for n in (1, 2, 3, 32))
    assert output_error(2, 3, Fraction(1), Fraction(1, 2)) == 3 * (3 + Fraction(1, 2))
    assert output_error(1, 2, Fraction(0), Fraction(1)) == 2


@quick
@given(st.data(), st.integers(1, 3), st.integers(1, 4))
def test_no_instance_exceeds_the_bound(data: st.DataObject, d: int, n: int) -> None:
    vector = st.lists(small, min_size=d, max_size=d)
    exact, moved = (data.draw(st.lists(vector, min_size=n, max_size=n)) for _ in range(2))
    value = data.draw(st.lists(vector, min_size=d, max_size=d))
    raw = [data.draw(st.lists(st.integers(1, 6), min_size=n, max_size=n)) for _ in range(2)]
    before, after = (shares([Fraction(weight) for weight in weights]) for weights in raw)
    error = max(norm(minus(u, v)) for u, v in zip(exact, moved, strict=True))
    u_max, p = (max(abs(entry) for row in rows for entry in row) for rows in (exact, value))
    found = norm(times(value, minus(mean(before, exact), mean(after, moved))))
    assert found <= d * p * (d * u_max * norm(minus(before, after)) + error)
