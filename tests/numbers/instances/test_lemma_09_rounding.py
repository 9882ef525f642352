from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from constructions.statements.lemma_09_rounding import rounding_units
from proofs.numbers.instances.lemma_09_rounding import rounded, two_relus
from tests.numbers.instances.helpers import examined, quick, verdicts


def test_it_holds_on_all_pieces() -> None:
    assert verdicts("lemma-09", 1) == {True} and len(examined("lemma-09", 1)) == 4
    assert all(verdicts("lemma-09-any-delta", n) == {True} for n in (1, 2, 16))


@quick
@given(st.fractions(-3, 3), st.fractions(-1, Fraction(49, 100)))
def test_both_sides_agree_everywhere(x: Fraction, delta: Fraction) -> None:
    assert two_relus(x, delta) == rounded(x, delta)


def test_it_is_the_network_that_is_built() -> None:
    (reads, first, write), (_, second, back) = rounding_units("x")
    assert reads == {"x": 1} and (first, second) == (Fraction(-1, 4), Fraction(-3, 4)) and (write, back) == (2, -2)
    for x in (Fraction(k, 16) for k in range(-8, 32)):
        assert two_relus(x, Fraction(1, 4)) == write * max(x + first, Fraction(0)) + back * max(x + second, Fraction(0))
