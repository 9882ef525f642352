"""Expressions: their grammar, exact values, limits and forms."""

import copy
import sys
from fractions import Fraction

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from constructions.errors import InputError
from constructions.language.expressions import EvaluationError, Expression, parse_expression
from constructions.language.functions import FUNCTIONS
from tests.language.strategies import expression_texts

K = frozenset({"k", "n"})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7", 7), ("007", 7), ("i", 3), ("n", 5), ("i+n*2", 13), ("(i+n)*2", 16), ("n-i-1", 1), ("n-(i-1)", 3),
        ("i/n", Fraction(3, 5)), ("n/i/2", Fraction(5, 6)), ("n/(i/2)", Fraction(10, 3)), ("2*n/i", Fraction(10, 3)),
        ("-1^i", -1), ("(-1)^i", -1), ("(-1)^(i+1)", 1), ("-2^2", -4), ("(-2)^2", 4), ("2^-1", Fraction(1, 2)),
        ("2^3^2", 512), ("(2^3)^2", 64), ("2^-3^2", Fraction(1, 512)), ("--i", 3), ("2*-i", -6), ("2--i", 5),
        ("1/(n-i+1)", Fraction(1, 3)), ("i ^ 2", 9), ("i**2", 9), ("i^0", 1), ("0^0", 1), ("(i-n)/4", Fraction(-1, 2)),
        ("(1/2)^i", Fraction(1, 8)), ("(1/2)^-i", 8), ("2^64", 2**64), ("2^(n/n)", 2), ("1^(10^60)", 1),
        ("(-1)^(10^60+1)", -1), ("0^(10^60)", 0), (" ( i ) ", 3),
        ("log2ceil(n)", 3), ("log2floor(n)", 2), ("sqrt(i^2)", 3), ("ln(i-2)", 0),
        ("2^log2ceil (n) /i", Fraction(8, 3)), ("-sqrt(n-1)^2", -4), ("ln(n)-ln(n)", 0),
        ("log2floor(sqrt(n+4))", 1), ("sqrt(0)", 0),
    ],
)  # fmt: skip
def test_values_are_exact(text: str, value: Fraction | int) -> None:
    result = parse_expression(text).evaluate(i=3, n=5)
    assert type(result) is Fraction
    assert result == value


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("k % 3 == 1", True), ("k%3=1", True), ("k // 2 == 3", True), ("k != 7", False), ("k < n", True),
        ("k >= n", False),
        ("k > 6 and n <= 9", True), ("k > 7 or n < 9", False), ("not k == 7", False), ("not not k == 7", True),
        ("not k == 1 and k == 2", False), ("k == 7 or k == 8 and n == 0", True),
        ("(k == 7 or k == 8) and n == 0", False),
        ("log2ceil(k) == 3 and sqrt(n) % 1 == 0", True), ("sqrt(k)^2 == k + 1/10^60", False), ("(ln(n)) > 2", True),
        ("ln(k) > 1945910149055313305105352743443179729637/10^39", True), ("sqrt(n+7) == 4", True),
        ("((k+1)*2 == 16)", True), ("n == 9 or 1/(n-9) > 0", True), ("not (n != 9 and 1/(n-9) > 0)", True),
        ("-k % 3 == 2", True), ("2*k/3 > 4", True),
    ],
)  # fmt: skip
def test_conditions(text: str, holds: bool) -> None:
    condition = parse_expression(text, K, boolean=True)
    assert condition.holds(k=7, n=9) is holds
    assert parse_expression(str(condition), K, boolean=True) == condition


NUMBER = "expected a number, a variable, a function, '(' or '-'"
CALLED = "expected an operator or one of log2ceil, log2floor, ln, sqrt"
MORE = "expected an operator such as + or the end of the expression"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", f"'', column 1: found the end of the expression, {NUMBER}"),
        ("1/", f"'1/', column 3: found the end of the expression, {NUMBER}"),
        ("1 2", f"'1 2', column 3: found '2', {MORE}"),
        ("i n", f"'i n', column 3: found 'n', {MORE}"),
        ("2i", f"'2i', column 2: found 'i', {MORE}"),
        ("x + 1", "'x + 1', column 1: found 'x', expected i or n"),
        ("1+__import__", "'1+__import__', column 3: found '__import__', expected i or n"),
        ("i//n", "'i//n', column 2: found '//', which only the conditions of predicates may use"),
        ("i%2", "'i%2', column 2: found '%', which only the conditions of predicates may use"),
        ("(1", "'(1', column 3: found the end of the expression, expected ')' or an operator such as +"),
        ("1)", f"'1)', column 2: found ')', {MORE}"),
        ("i == n", f"'i == n', column 3: found '==', {MORE}"),
        ("$", f"'$', column 1: found '$', {NUMBER}"),
        ("1.5.", f"'1.5.', column 4: found '.', {MORE}"),
        ("1e3", f"'1e3', column 2: found 'e3', {MORE}"),
        ("i^", f"'i^', column 3: found the end of the expression, {NUMBER}"),
        ("+i", f"'+i', column 1: found '+', {NUMBER}"),
        ("2*f(i)", f"'2*f(i)', column 3: found 'f' before '(', {CALLED}"),
        ("i(n)", f"'i(n)', column 1: found 'i' before '(', {CALLED}"),
        ("log2(i)", f"'log2(i)', column 1: found 'log2' before '(', {CALLED}"),
        ("1+ln", "'1+ln', column 3: found 'ln', expected i or n"),
        ("ln i", f"'ln i', column 4: found 'i', {MORE}"),
        ("n ln(i)", f"'n ln(i)', column 3: found 'ln', {MORE}"),
        ("ln()", f"'ln()', column 4: found ')', {NUMBER}"),
        ("ln(i, n)", "'ln(i, n)', column 5: found ',', expected ')' or an operator such as +"),
        ("1\n+1", f"'1\\n+1', column 2: found '\\n', {MORE}"),
        ("٣", f"'٣', column 1: found '٣', {NUMBER}"),
    ],
)
def test_what_does_not_parse(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_expression(text)
    assert str(caught.value) == f"expression {message}"


@pytest.mark.parametrize("text", ["k", "k + 1", "(k == 1) + 1", "k == 1 == 2", "not k", "k and n", "k == (n == 1)"])
def test_a_condition_compares(text: str) -> None:
    with pytest.raises(InputError):
        parse_expression(text, K, boolean=True)


@pytest.mark.parametrize(
    ("text", "values", "message"),
    [
        ("1/(n - 3)", {"i": 1, "n": 3}, "1/(n-3) divides by zero at i = 1, n = 3"),
        ("0^(i-n)", {"i": 1, "n": 3}, "0^(i-n) divides by zero at i = 1, n = 3"),
        ("1/0", {}, "1/0 divides by zero"),
        ("2^n", {"n": 65}, "2^n has an exponent outside -64..64 at n = 65"),
        ("2^-n", {"n": 65}, "2^-n has an exponent outside -64..64 at n = 65"),
        ("1^(i/n)", {"i": 1, "n": 2}, "1^(i/n) has an exponent that is not an integer at i = 1, n = 2"),
        ("ln(n-1)", {"n": 1}, "ln(n-1) is not defined (ln takes numbers above 0) at n = 1"),
        ("1/ln(n)", {"n": 1}, "1/ln(n) divides by zero at n = 1"),
        ("1+log2ceil(i-n)", {"i": 1, "n": 1},
         "1+log2ceil(i-n) is not defined (log2ceil takes numbers above 0) at i = 1, n = 1"),
        ("log2floor(-1)", {}, "log2floor(-1) is not defined (log2floor takes numbers above 0)"),
        ("sqrt(i-n)", {"i": 1, "n": 2}, "sqrt(i-n) is not defined (sqrt takes numbers from 0) at i = 1, n = 2"),
        ("ln((2^64)^64)", {}, "ln((2^64)^64) is not defined (ln takes numerators and denominators below 2^4096)"),
        ("sqrt(1/(2^64)^64)", {},
         "sqrt(1/(2^64)^64) is not defined (sqrt takes numerators and denominators below 2^4096)"),
        ("((9^64)^64)^64", {}, "((9^64)^64)^64 needs integers of more than 100000 bits"),
    ],
)
def test_where_there_is_no_value(text: str, values: dict[str, int], message: str) -> None:
    with pytest.raises(EvaluationError) as caught:
        parse_expression(text).evaluate(**values)
    assert str(caught.value) == message


def test_numbers_beyond_100000_bits_are_refused_before_they_are_computed() -> None:
    distinct = [f"1/(({base}^64)^64)" for base in (7, 11, 13, 17, 19, 23, 29, 31, 37, 41)]
    for text in ("(" * 40 + "9^64" + ")^64" * 40, "*".join(["(9^64)^64"] * 20), "+".join(distinct)):
        with pytest.raises(EvaluationError, match="more than 100000 bits"):
            parse_expression(text).evaluate()


def test_texts_of_more_than_300_characters_are_refused() -> None:
    assert parse_expression("9" * 300).evaluate() == int("9" * 300)
    with pytest.raises(InputError, match="expression of 301 characters: expected at most 300"):
        parse_expression("9" * 301)
    with pytest.raises(InputError, match="expression of 5000000 characters: expected at most 300"):
        parse_expression("9" * 5_000_000)
    long_when_spaced = " or ".join(["k<1"] * 42)
    assert len(long_when_spaced) <= 300
    with pytest.raises(InputError, match="when written out"):
        parse_expression(long_when_spaced, K, boolean=True)


@pytest.mark.parametrize("text", ["(" * 149 + "i" + ")" * 149, "-" * 299 + "i", "(-" * 99 + "i" + ")" * 99,
                                  "1^" * 149 + "i", "i-(" * 74 + "i" + ")" * 74])  # fmt: skip
def test_deep_nesting_is_no_problem(text: str) -> None:
    expression = parse_expression(text)
    assert parse_expression(str(expression)) == expression
    assert isinstance(expression.evaluate(i=2, n=2), Fraction)
    assert expression.latex() and str(expression.to_sympy())


@given(expression_texts(tuple(FUNCTIONS)))
def test_the_text_is_canonical(text: str) -> None:
    expression = parse_expression(text)
    again = parse_expression(str(expression))
    assert again == expression
    assert again.postfix == expression.postfix
    assert len(str(expression)) <= len(text)


@given(expression_texts(), st.integers(1, 4), st.integers(1, 4))
def test_values_agree_with_python_and_sympy(text: str, i: int, n: int) -> None:
    expression = parse_expression(text)
    try:
        value = expression.evaluate(i=i, n=n)
    except EvaluationError:
        return
    built = expression.to_sympy()
    substituted = built.subs({symbol: {"i": i, "n": n}[symbol.name] for symbol in built.free_symbols})
    assert substituted.doit() == sympy.Rational(value.numerator, value.denominator)


@pytest.mark.parametrize(
    ("text", "canonical", "latex"),
    [
        ("( -1 ) ** i", "(-1)^i", r"\left(-1\right)^{i}"),
        ("-(1^i)", "-1^i", "-1^{i}"),
        ("i / n", "i/n", r"\frac{i}{n}"),
        ("(i*2) - (n+1)", "i*2-(n+1)", r"i \cdot 2 - \left(n + 1\right)"),
        ("(i/n)^2", "(i/n)^2", r"\left(\frac{i}{n}\right)^{2}"),
        ("1/((n-i)+1)", "1/(n-i+1)", r"\frac{1}{n - i + 1}"),
        ("2^(3^i)", "2^3^i", "2^{3^{i}}"),
        ("(ln( (n+1) )) * 2", "ln(n+1)*2", r"\ln\left(n + 1\right) \cdot 2"),
        ("sqrt(n)^-1", "sqrt(n)^-1", r"\sqrt{n}^{-1}"),
        ("1/(log2ceil(n)-log2floor(i))", "1/(log2ceil(n)-log2floor(i))",
         r"\frac{1}{\left\lceil\log_2\left(n\right)\right\rceil - \left\lfloor\log_2\left(i\right)\right\rfloor}"),
    ],
)
def test_forms(text: str, canonical: str, latex: str) -> None:
    expression = parse_expression(text)
    assert str(expression) == canonical
    assert expression.latex() == latex


def test_conditions_have_all_forms() -> None:
    condition = parse_expression("not(k%3==1 or k//2 != n)and k<=n", K, boolean=True)
    assert str(condition) == "not (k%3 == 1 or k//2 != n) and k <= n"
    assert condition.latex() == (
        r"\lnot \left(k \bmod 3 = 1 \lor \left\lfloor\frac{k}{2}\right\rfloor \ne n\right) \land k \le n"
    )
    k, n = sympy.Symbol("k", integer=True, positive=True), sympy.Symbol("n", integer=True, positive=True)
    for place, length in ((1, 1), (3, 1), (2, 1), (3, 3)):
        value = condition.to_sympy().subs({k: place, n: length}).doit()
        assert bool(value) == condition.holds(k=place, n=length)


def test_sympy_never_computes_what_is_written() -> None:
    assert parse_expression("(9^9^9^9)*2*n^(9^9^9)").to_sympy().free_symbols


@pytest.mark.parametrize(("text", "value"), [
    ("log2ceil(n)", 3), ("log2floor(n)", 2), ("ln(n)", sympy.log(5)), ("sqrt(n)", sympy.sqrt(5))])  # fmt: skip
def test_functions_are_those_of_sympy_without_the_rounding(text: str, value: object) -> None:
    built = parse_expression(text).to_sympy()
    assert built.free_symbols == {sympy.Symbol("n", integer=True, positive=True)}
    assert sympy.simplify(built.subs(sympy.Symbol("n", integer=True, positive=True), 5).doit() - value) == 0


def test_equality_is_structural_and_survives_copying() -> None:
    expression = parse_expression("1/(n-i+1)")
    assert expression == parse_expression("1 / ((n - i) + 1)") != parse_expression("1/(n-(i-1))")
    assert hash(expression) == hash(parse_expression("1/((n-i)+1)"))
    assert copy.deepcopy(expression) == expression
    assert expression.variables == {"i", "n"}
    assert parse_expression("3").variables == frozenset()
    assert isinstance(expression, Expression)


def test_evaluation_neither_parses_nor_calls_much() -> None:
    """It is done for every n and i, so the work of one evaluation counts: here, as the functions that it calls."""
    expression, called = parse_expression("i/n"), list[str]()
    sys.setprofile(lambda frame, event, _: called.append(frame.f_code.co_qualname) if event == "call" else None)
    try:
        expression.evaluate(i=3, n=64)
    finally:
        sys.setprofile(None)
    assert len(called) <= 20, called
