"""Closed forms of critical constants, derived from the worst input of a head: texts, limits, and what is refused."""

from collections.abc import Sequence
from fractions import Fraction

import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.auditing.critical import NetworkAtConstants
from certify.auditing.decide import AuditSearch
from certify.claims.critical.brackets import ClosedForm
from certify.claims.critical.closed_forms import describe, find_closed_form
from certify.claims.critical.powers import ErrorForm, error_form
from certify.requests.arguments import read_arguments
from certify.requests.request import Request, read_request
from constructions.network.lengths import Lengths
from constructions.regimes import Regime, Sharpening
from proofs.enclosures.exponential import ball, exact_ends
from proofs.enclosures.intervals import Interval
from proofs.formula.common.extremes import Extreme

TEMPERATURE, POSITION = Regime(), Regime(Sharpening.POSITION)
CAUSAL, CAUSAL_POSITION = Regime(causal=True), Regime(Sharpening.POSITION, causal=True)
SINCE = ("(Q_a | Q_b) since Q_a", "abc")


def request(text: str, alphabet: str, regime: Regime) -> Request:
    return read_request(text, read_arguments({"alphabet": alphabet, "regime": regime, "gamma": 3}))


def closed_form(text: str, alphabet: str, regime: Regime, n: int, lower: str, upper: str) -> ClosedForm | None:
    """Find the critical constant between these ends, which need not be certified and refuted."""
    claim = NetworkAtConstants(request(text, alphabet, regime), Lengths(n, n), AuditSearch())
    bracket = Interval(Fraction(lower), Fraction(upper))
    found = find_closed_form(claim.at(bracket.upper).network, claim.at(2 * bracket.upper).network,
                             claim.lines(bracket.upper), bracket)
    return describe(found) if found else None


def worst(text: str, alphabet: str, regime: Regime, n: int, gamma: Fraction) -> Extreme:
    """Return the worst case of all heads at this length."""
    lines = NetworkAtConstants(request(text, alphabet, regime), Lengths(n, n), AuditSearch()).lines(gamma)
    extremes = [line.worst.worst for line in lines if line.worst and line.worst.worst]
    return max(extremes, key=lambda extreme: extreme.upper)


@pytest.mark.parametrize(("text", "alphabet", "regime", "n", "bracket", "expected"), [
    (*SINCE, TEMPERATURE, 3, ("1.3327", "1.3328"),
     ClosedForm((1, 1), 3, "ln((3 + sqrt(21))/2)", "x + x^2 = 1/3", "3x^2 + 3x - 1", "")),
    (*SINCE, POSITION, 8, ("1.386", "1.387"),
     ClosedForm((1, 1), 8, "-ln x", "x + x^2 + x^3 + x^4 + x^5 + x^6 + x^7 = 1/3",
                "3x^7 + 3x^6 + 3x^5 + 3x^4 + 3x^3 + 3x^2 + 3x - 1", "ln 4")),
    (*SINCE, CAUSAL, 2, ("0.549", "0.550"), ClosedForm((1, 1), 2, "(ln 3)/2", "x^2 = 1/3", "", "")),
    (*SINCE, CAUSAL_POSITION, 3, ("0.754", "0.755"),
     ClosedForm((1, 1), 3, "-ln x", "x^(3/2) + x^6 = 1/3", "3y^4 + 3y - 1 with y = x^(3/2)", "")),
    ("prev Q_1", "01", TEMPERATURE, 6, ("0.6674", "0.6675"),
     ClosedForm((1, 2), 6, "-ln x", "x^2 + x^4 + x^11 + x^13 + x^15 = 1/3", "3x^15 + 3x^13 + 3x^11 + 3x^4 + 3x^2 - 1",
                "ln 2")),
    ("prev Q_1", "01", CAUSAL, 8, ("0.549", "0.550"), ClosedForm((3, 2), 2, "(ln 3)/2", "x^2 = 1/3", "", "")),
    ("#<[Q_1] >= 1", "01", TEMPERATURE, 6, ("1.1669", "1.1670"),
     ClosedForm((2, 1), 6, "-ln x", "3x + 7x^4 + 11x^9 + 15x^16 + 19x^25 = 1",
                "19x^25 + 15x^16 + 11x^9 + 7x^4 + 3x - 1",
                "1.16695, -ln x with 3x + 7x^4 + 11x^9 + 15x^16 + ... = 1")),
    ("2*#<[Q_1] >= #<[Q_0] + 1", "01", TEMPERATURE, 2, ("0.799", "0.800"),
     ClosedForm((2, 1), 2, "(ln 11)/3", "x^3 = 1/11", "", "")),
    ("ODD(#<[Q_1])", "01", TEMPERATURE, 3, ("1.791", "1.792"), ClosedForm((2, 1), 3, "ln 6", "x = 1/6", "", "")),
])
def test_the_number_the_equation_the_polynomial_and_the_limit(
        text: str, alphabet: str, regime: Regime, n: int, bracket: tuple[str, str], expected: ClosedForm) -> None:
    assert closed_form(text, alphabet, regime, n, *bracket) == expected


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("text", "alphabet", "regime", "limit"), [
    ("(Q_a | Q_b) until Q_a", "abc", TEMPERATURE, "ln 4"), (*SINCE, CAUSAL, "ln 4"),
    ("next Q_1", "01", POSITION, "ln 2"),
    ("#>[Q_1] >= 1", "01", POSITION, "1.16695, -ln x with 3x + 7x^4 + 11x^9 + 15x^16 + ... = 1"),
    ("#<[Q_1] >= 1", "01", CAUSAL, "1.16695, -ln x with 3x + 7x^4 + 11x^9 + 15x^16 + ... = 1"),
    ("ODD(#<[Q_1])", "01", POSITION, "1.79099, -ln x with 6x - x^4 + 3x^9 + ... = 1"),
])
@pytest.mark.parametrize("n", [8, 9])
def test_limits_do_not_depend_on_the_length_they_are_read_off_from(
        text: str, alphabet: str, regime: Regime, limit: str, n: int) -> None:
    found = closed_form(text, alphabet, regime, n, "0.1", "3")
    assert found is not None and found.limit == limit


def test_what_lies_outside_the_bracket_is_not_reported() -> None:
    assert closed_form(*SINCE, TEMPERATURE, 3, "1.34", "1.35") is None
    assert closed_form(*SINCE, TEMPERATURE, 3, "1.30", "1.31") is None


def test_a_head_that_more_than_its_scores_depends_on_has_no_form() -> None:
    claim = NetworkAtConstants(request(*SINCE, TEMPERATURE), Lengths(3, 3), AuditSearch())
    bracket = Interval(Fraction("1.3327"), Fraction("1.3328"))
    other = request("Q_a since Q_b", "abc", CAUSAL).network
    assert find_closed_form(claim.at(bracket.upper).network, other, claim.lines(bracket.upper), bracket) is None


# -- against the exact prover, and against sums written here -----------------------------------------------------------


def assert_within(form: ErrorForm, gamma: Fraction, extreme: Extreme) -> None:
    lower, upper = exact_ends(form.at(gamma))
    assert lower <= extreme.upper and extreme.lower <= upper


@settings(max_examples=20)
@given(st.fractions(1, 4, max_denominator=50), st.integers(2, 7))
def test_the_form_of_one_constant_has_the_worst_error_at_every_other(gamma: Fraction, n: int) -> None:
    """For `since` the same input is the worst at every constant from 1 on, and its error is S/(1 + S)."""
    form = error_form(worst(*SINCE, TEMPERATURE, n, Fraction(3)).terms(), Fraction(3))
    assert_within(form, gamma, worst(*SINCE, TEMPERATURE, n, gamma))
    total = sum(((-ball(gamma) * k).exp() for k in range(1, n)), arb(0))
    assert form.at(gamma).overlaps(total / (1 + total))


@settings(max_examples=15)
@given(st.fractions(1, 4, max_denominator=50), st.sampled_from([
    ("prev Q_1", "01", TEMPERATURE), ("prev Q_1", "01", CAUSAL), ("next Q_1", "01", POSITION), (*SINCE, CAUSAL),
    ("#<[Q_1] >= 1", "01", CAUSAL), ("ODD(#<[Q_1])", "01", POSITION), ("2*#<[Q_1] > #>[Q_0]", "01", TEMPERATURE)]))
def test_the_form_at_its_own_constant_has_the_worst_error(gamma: Fraction, subject: tuple[str, str, Regime]) -> None:
    extreme = worst(*subject, 5, gamma)
    assert_within(error_form(extreme.terms(), gamma), gamma, extreme)


def exponents(form: ErrorForm) -> Sequence[str]:
    return [str(exponent) for exponent, _ in form.missed.coefficients]


def test_gaps_are_those_of_the_theorems() -> None:
    for n in range(2, 8):
        form = error_form(worst(*SINCE, CAUSAL, n, Fraction(3)).terms(), Fraction(3))
        assert exponents(form) == [str(Fraction(n * k, n - k)) for k in range(1, n)]
        counting = error_form(worst("#<[Q_1] >= 1", "01", TEMPERATURE, n, Fraction(3)).terms(), Fraction(3))
        assert exponents(counting) == [str(k * k) for k in range(1, n)]
