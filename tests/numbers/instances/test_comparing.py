from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from proofs.enclosures.intervals import Interval
from proofs.numbers.instances.comparing import (
    PolynomialQuotient,
    equality,
    instance,
    instance_for_every_gamma,
    logarithm,
    polynomial,
    power_of_e,
)
from tests.numbers.instances.helpers import at, between_0_and_1, quick

coefficients = st.dictionaries(st.integers(0, 4), st.integers(-3, 3), max_size=4).map(polynomial)
positive = st.dictionaries(st.integers(1, 4), st.integers(0, 3), max_size=3).map(
    lambda powers: polynomial({0: 1, **powers}))
quotients = st.builds(PolynomialQuotient, coefficients, positive)


def test_an_instance_is_undecided_exactly_where_the_enclosures_overlap() -> None:
    wide = Interval(Fraction(0), Fraction(1))
    assert [instance(1, "", wide, Fraction(bound)).holds for bound in (-1, 0, 1, 2)] == [False, None, True, True]
    assert equality(1, "", Fraction(1, 3), Fraction(1, 3)).holds is True
    assert equality(1, "", Fraction(1, 3), Fraction(1, 2)).holds is False


@quick
@given(quotients, quotients, between_0_and_1)
def test_what_coefficients_prove_holds_at_every_point(left: PolynomialQuotient, right: PolynomialQuotient,
                                                      x: Fraction) -> None:
    if left.never_exceeds(right):
        assert at(left, x) <= at(right, x)


def test_numbers_alone_never_confirm_a_claim_about_every_gamma() -> None:
    """x² <= x for x < 1 but not beyond: e^(-γ) at γ = 3 does not decide it for every γ."""
    one = polynomial({0: 1})
    square, line = PolynomialQuotient(polynomial({2: 1}), one), PolynomialQuotient(polynomial({1: 1}), one)
    assert instance_for_every_gamma(1, "", square, line, Fraction(3)).holds is None
    assert instance_for_every_gamma(1, "", line, square, Fraction(3)).holds is False
    assert instance_for_every_gamma(1, "", line, line, Fraction(3)).holds is True


def test_powers_and_logarithms_are_enclosed() -> None:
    for x in (Fraction(-3), Fraction(1, 7), Fraction(2)):
        power = power_of_e(x)
        assert logarithm(power.lower).lower <= x <= logarithm(power.upper).upper
        assert 0 < power.upper - power.lower < Fraction(1, 10**30)
