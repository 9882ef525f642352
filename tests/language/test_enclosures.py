"""Expressions with the real ln and sqrt: enclosed as mpmath computes them, and conditions decided or left undecided."""

import random
from fractions import Fraction

import mpmath
import pytest
from mpmath import mpf

from constructions.errors import InputError, Unsupported
from constructions.language.expressions import EvaluationError, parse_expression, parse_rational
from proofs.enclosures.by_mpmath import by_mpmath

K = frozenset("kn")


def random_expression(draw: random.Random, depth: int) -> str:
    """Positive wherever it has a value, so that ln(1 + ...) and sqrt do."""
    if depth == 0:
        return draw.choice(["i", "n", "1", "2", "7/3"])
    one, other = (random_expression(draw, depth - 1) for _ in range(2))
    return draw.choice([f"ln(1+{one})", f"sqrt({one})", f"({one}+{other})", f"({one})*({other})", f"({one})/({other})",
                        f"({one})^{draw.choice([2, 3, -2])}", f"(1+{one}-{other}/({other}+1))"])


def test_enclosures_have_the_number_of_mpmath_and_are_narrow() -> None:
    draw, irrational = random.Random(7), 0
    with mpmath.workdps(400):
        for _ in range(300):
            expression = parse_expression(random_expression(draw, 3))
            i, n = draw.randint(1, 5), draw.randint(5, 9)
            lower, upper = expression.enclose(i=i, n=n)
            value = by_mpmath(expression, i, n)
            low, high = (mpf(end.numerator) / end.denominator for end in (lower, upper))
            slack = abs(value) * mpf(10) ** -380  # mpmath rounds, too
            assert low - slack <= value <= high + slack
            assert high - low <= abs(value) * mpf(10) ** -150
            irrational += lower != upper
    assert irrational > 150


@pytest.mark.parametrize(("text", "value"), [
    ("sqrt(9/4)", Fraction(3, 2)), ("ln(1)", 0), ("0*ln(2)", 0), ("ln(2)^0", 1), ("sqrt(i+n)", 3),
    ("log2ceil(sqrt(2))", 1), ("log2floor(ln(n))", 0), ("2^log2ceil(1/sqrt(n))", Fraction(1, 2)),
])  # fmt: skip
def test_what_is_rational_is_exact(text: str, value: Fraction | int) -> None:
    expression = parse_expression(text)
    assert expression.enclose(i=4, n=5) == (value, value)
    assert expression.exactly(i=4, n=5) == value


@pytest.mark.parametrize("text", ["ln(2)", "sqrt(2)*sqrt(2)", "ln(4)/ln(2)", "1/sqrt(n)"])
def test_what_may_be_irrational_is_not_exact(text: str) -> None:
    with pytest.raises(Unsupported, match=r"is irrational at i = 1, n = 2, expected an exact number"):
        parse_expression(text).exactly(i=1, n=2)


@pytest.mark.parametrize(("text", "reason"), [
    ("1/(ln(9)-2*ln(3))", "may divide by zero: the enclosures of ln and sqrt are too wide to tell"),
    ("(ln(9)-2*ln(3))^-1", "may divide by zero: the enclosures of ln and sqrt are too wide to tell"),
    ("ln(ln(9)-2*ln(3))",
     "may not be defined (ln takes numbers above 0): the enclosures of ln and sqrt are too wide to tell"),
    ("sqrt(2*ln(3)-ln(9))",
     "may not be defined (sqrt takes numbers from 0): the enclosures of ln and sqrt are too wide to tell"),
    ("ln(ln(1/2))", "is not defined (ln takes numbers above 0)"),
    ("log2ceil(sqrt(2)^2)", "has a log2ceil that the enclosures of ln and sqrt leave open"),
    ("2^(ln(4)/ln(2))", "has an exponent that is irrational, or not known to be an integer"),
    ("ln(2)^65", "has an exponent outside -64..64"),
    ("(((1/ln(2))^64)^64)^64", "needs integers of more than 100000 bits"),
])  # fmt: skip
def test_where_enclosures_have_no_value(text: str, reason: str) -> None:
    with pytest.raises(EvaluationError) as caught:
        parse_expression(text).enclose(i=1, n=2)
    assert str(caught.value) == f"{parse_expression(text)} {reason} at i = 1, n = 2"


@pytest.mark.parametrize("text", [
    "ln(9) > 2*ln(3)", "ln(9) == 2*ln(3)", "ln(9) != 2*ln(3)", "sqrt(k)*sqrt(k) <= k and k == 2",
    "ln(4)/ln(2) // 1 == 2", "sqrt(2)^2 % 1 == 0", "SQUARE(sqrt(2)*sqrt(2))", "PRIME(ln(8)/ln(2))",
])  # fmt: skip
def test_what_only_rounding_would_decide_is_not_decided(text: str) -> None:
    """Rounded down to 48 digits, ln 9 exceeds 2 ln 3; both are one number."""
    with pytest.raises(EvaluationError, match="enclosure"):
        parse_expression(text, K, boolean=True).holds(k=2, n=2)


@pytest.mark.parametrize(("text", "holds"), [
    ("ln(9) > 2*ln(3) - 1/10^60", True), ("ln(9) > 2*ln(3) + 1/10^60", False),
    ("SQUARE(sqrt(2))", False), ("PRIME(2*ln(2))", False), ("POW2(sqrt(16))", True), ("sqrt(2) // 1 == 1", True),
    ("3*sqrt(k) % 2 < 1", True), ("k == 2 or ln(9) > 2*ln(3)", True), ("k == 3 and ln(9) > 2*ln(3)", False),
])  # fmt: skip
def test_conditions_are_those_of_the_real_functions(text: str, holds: bool) -> None:
    assert parse_expression(text, K, boolean=True).holds(k=2, n=2) is holds


def test_an_expression_that_only_rounding_makes_undefined_says_so() -> None:
    """The real logarithm is about 10^-60, and 0 once it is rounded down."""
    expression = parse_expression("1/ln(1+1/10^60)")
    assert expression.enclose()[0] > 10**59
    with pytest.raises(EvaluationError, match=r"divides by zero, with ln and sqrt rounded down to 48 digits$"):
        expression.evaluate()


@pytest.mark.parametrize("text", ["sqrt(2)", "ln(4)", "2*ln(3)/3"])
def test_a_constant_that_must_be_rational_is_not_rounded(text: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_rational(text)
    assert str(caught.value).startswith(f"{text} is irrational, expected a rational number such as ")
