"""Closed forms of heads whose temperature has ln or sqrt: in true logarithms, and inside the brackets."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import pytest
from mpmath import mpf

from certify.auditing.critical import NetworkAtConstants
from certify.auditing.decide import AuditSearch
from certify.claims.critical.closed_forms import describe, find_closed_form
from certify.requests.arguments import read_arguments
from certify.requests.request import read_request
from constructions.language.expressions import parse_expression
from constructions.network.lengths import Lengths
from proofs.enclosures.by_mpmath import by_mpmath
from proofs.enclosures.intervals import Interval

MODELS = Path(__file__).parents[2] / "examples" / "models"
QUARTER, WIDTH = mpf(1) / 4, Fraction(1, 10**6)
Error = Callable[[mpf, int], mpf]


def look_first(gamma: mpf, sharpness: mpf, n: int) -> mpf:
    """Scores of 1 at the first position and 0 elsewhere: n - 1 positions weigh e^(-gamma/temperature) each."""
    others = (n - 1) * mpmath.exp(-gamma * sharpness)
    return others / (1 + others)


def fall_by_steps(gamma: mpf, sharpness: mpf, n: int) -> mpf:
    """Scores of -j: the j-th weighs e^(-(j - 1) gamma/temperature)."""
    others = mpmath.fsum(mpmath.exp(-gamma * sharpness * k) for k in range(1, n))
    return others / (1 + others)


def critical(error: Callable[[mpf, mpf, int], mpf], sharpness: mpf, n: int) -> mpf:
    """Find the constant at which the error is 1/4."""
    return mpmath.findroot(lambda gamma: error(gamma, sharpness, n) - QUARTER, (mpf(1) / 10, mpf(3)), solver="anderson")


def found(model: str, temperature: str | None, n: int, around: mpf) -> Any:
    """Return the closed form in a narrow bracket around a number."""
    request = read_request(str(MODELS / model), read_arguments({"gamma": 1, "temperature": temperature}))
    claim = NetworkAtConstants(request, Lengths(n, n), AuditSearch())
    middle = Fraction(mpmath.nstr(around, 20))
    bracket = Interval(middle - WIDTH, middle + WIDTH)
    form = find_closed_form(claim.at(bracket.upper).network, claim.at(2 * bracket.upper).network,
                            claim.lines(bracket.upper), bracket)
    return describe(form) if form else None


LOGARITHM = ("first_by_logarithm.json", None, lambda n: 2 * mpmath.log(n), look_first)


@pytest.mark.parametrize(("case", "n", "gamma", "equation", "value"), [
    (LOGARITHM, 2, "log_4 3", "x^(2*ln(2)) = 1/3", lambda: mpmath.log(3, 4)),
    (LOGARITHM, 3, "log_9 6", "x^(2*ln(3)) = 1/6", lambda: mpmath.log(6, 9)),
    (LOGARITHM, 4, "log_4 3", "x^(4*ln(2)) = 1/9", lambda: mpmath.log(9, 16)),
    (LOGARITHM, 5, "log_25 12", "x^(2*ln(5)) = 1/12", lambda: mpmath.log(12, 25)),
    (("first_by_index.json", "1/ln(n+1)", lambda n: mpmath.log(n + 1), fall_by_steps), 2, "1", "x^(ln(3)) = 1/3",
     lambda: mpf(1)),
    (("first_by_index.json", "3/sqrt(n)", lambda n: mpmath.sqrt(n) / 3, fall_by_steps), 2, "3*sqrt(2)*ln(3)/2",
     "x^(sqrt(2)/3) = 1/3", lambda: 3 * mpmath.sqrt(2) * mpmath.log(3) / 2),
    (("first_by_index.json", "1/sqrt(n)", mpmath.sqrt, fall_by_steps), 4, "-ln x",
     "x^2 + x^4 + x^6 = 1/3", None),
    (("first_by_index.json", "1/ln(n+1)", lambda n: mpmath.log(n + 1), fall_by_steps), 4, "-ln x",
     "x^(ln(5)) + x^(2*ln(5)) + x^(3*ln(5)) = 1/3", None),
])  # fmt: skip
def test_the_number_and_the_equation(case: tuple[str, str | None, Callable[[int], mpf], Any], n: int, gamma: str,
                                     equation: str, value: Callable[[], mpf] | None) -> None:
    model, temperature, sharpness, error = case
    with mpmath.workdps(40):
        root = critical(error, sharpness(n), n)
        form = found(model, temperature, n, root)
        assert (form.gamma, form.equation) == (gamma, equation)
        left, right = equation.split(" = ")
        exponents = [parse_expression(term.removeprefix("x^"), frozenset()) for term in left.split(" + ")]
        powers = mpmath.fsum(mpmath.exp(-root * by_mpmath(exponent, 1, n)) for exponent in exponents)
        assert abs(powers - by_mpmath(parse_expression(right), 1, n)) < mpf(10) ** -30
        if value is not None:
            assert abs(value() - root) < mpf(10) ** -30


def test_no_closed_form_beside_the_root() -> None:
    with mpmath.workdps(40):
        assert found("first_by_logarithm.json", None, 3, mpmath.log(6, 9) + mpf(10) ** -5) is None


def test_the_minimal_polynomial_is_that_of_the_power_of_x() -> None:
    with mpmath.workdps(40):
        root = critical(fall_by_steps, mpmath.log(4), 3)
        form = found("first_by_index.json", "1/ln(n+1)", 3, root)
        assert form.gamma == "ln((3 + sqrt(21))/2)/ln(4)"
        assert form.polynomial == "3y^2 + 3y - 1 with y = x^(ln(4))"
        assert abs(mpmath.log((3 + mpmath.sqrt(21)) / 2) / mpmath.log(4) - root) < mpf(10) ** -30
