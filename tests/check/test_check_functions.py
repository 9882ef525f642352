"""log2ceil, log2floor, ln and sqrt in the checker's own reading of expressions."""

import random
from fractions import Fraction

import pytest
from mpmath import mp, mpf

from proofs.check import Incomplete, Malformed, Rejected, check_text
from proofs.check.checker.chapters.irrational.heads import with_rationals_as_values
from proofs.check.checker.kernel.budget import Budget
from proofs.check.checker.kernel.exponential import enclose_series
from proofs.check.checker.kernel.functions import DIGITS
from proofs.check.checker.kernel.irrational.functions import floor_ln
from proofs.check.checker.kernel.language import Language
from proofs.check.checker.kernel.language.columns import Columns
from tests.check import handmade
from tests.check.handmade import dump, starting
from tests.check.hostile import rejected
from tests.covered import fields


def evaluate(text: str, n: int = 5, i: int = 3) -> Fraction:
    language = Language(Budget())
    return language.value_at(language.number(text), n, i)


@pytest.mark.parametrize(("text", "expected"), [
    ("log2ceil(n)", 3), ("log2floor(n)", 2), ("log2ceil(8)", 3), ("log2floor(8)", 3), ("log2ceil(1)", 0),
    ("log2floor(1/3)", -2), ("log2ceil(1/3)", -1), ("log2ceil(1/4)", -2), ("log2floor(2^64-1)", 63),
    ("sqrt(i^2)", 3), ("sqrt(0)", 0), ("sqrt(9/4)", Fraction(3, 2)),
    ("sqrt(1/(2^64))", Fraction(1, 2**32)), ("sqrt(1/9)", Fraction(1, 3)), ("ln(1)", 0),
    ("sqrt(n+4)^-2", Fraction(1, 9)),
    ("2^log2ceil( n )", 8), ("-ln(1)", 0), ("log2floor(sqrt(n+4))*2", 2), ("1/log2ceil(i)/2", Fraction(1, 4)),
    ("log2ceil(sqrt(2))", 1), ("log2floor(ln(n))", 0), ("ln(2)^0", 1), ("0*sqrt(2)", 0),
])  # fmt: skip
def test_values_are_exact(text: str, expected: Fraction | int) -> None:
    assert evaluate(text) == expected


# What is below each of these, in units of 10^-48: the floors, by mpmath at 80 digits.
UNITS = 10**DIGITS
ROOT_2 = 1414213562373095048801688724209698078569671875376
LN_2 = 693147180559945309417232121458176568075500134360
LN_5 = 1609437912434100374600759333226187639525601354268
LN_5_LESS_1 = 609437912434100374600759333226187639525601354268
ROOT_OF_LN_2 = 832554611157697756353164644895201047630588852264


@pytest.mark.parametrize(("text", "lower", "upper"), [
    ("sqrt(2)", Fraction(ROOT_2, UNITS), Fraction(ROOT_2 + 1, UNITS)),
    ("ln(2)", Fraction(LN_2, UNITS), Fraction(LN_2 + 1, UNITS)),
    ("-ln(2)", Fraction(-LN_2 - 1, UNITS), Fraction(-LN_2, UNITS)),
    ("ln(1/2)", Fraction(-LN_2 - 1, UNITS), Fraction(-LN_2, UNITS)),
    ("1/ln(2)", Fraction(UNITS, LN_2 + 1), Fraction(UNITS, LN_2)),
    ("ln(2)^-1", Fraction(UNITS, LN_2 + 1), Fraction(UNITS, LN_2)),
    ("ln (n)^2", Fraction(LN_5, UNITS) ** 2,
     Fraction(LN_5 + 1, UNITS) ** 2),
    ("(1-ln(n))^2", Fraction(LN_5_LESS_1, UNITS) ** 2,
     Fraction(LN_5_LESS_1 + 1, UNITS) ** 2),
    ("ln(n)-ln(n)", Fraction(-1, UNITS), Fraction(1, UNITS)),
    ("(ln(n)-ln(n))^2", Fraction(0), Fraction(1, UNITS**2)),
    ("ln(4)-2*ln(2)", Fraction(-2, UNITS), Fraction(1, UNITS)),
    ("sqrt(ln(2))", Fraction(ROOT_OF_LN_2, UNITS), Fraction(ROOT_OF_LN_2 + 1, UNITS)),
])  # fmt: skip
def test_irrational_numbers_are_enclosed_and_have_no_exact_value(text: str, lower: Fraction, upper: Fraction) -> None:
    language = Language(Budget())
    place = language.number(text)
    assert language.enclose_at(place, 5, 3) == (lower, upper)
    assert with_rationals_as_values(language, DIGITS).value_at(place, 5, 3) == lower
    with pytest.raises(Rejected, match="is irrational at n = 5, i = 3, expected a rational"):
        language.value_at(place, 5, 3)
    with pytest.raises(Rejected, match="is irrational at n = 5, i = 1, expected a rational"):
        Columns(language, language.values, range(5, 6)).numbers(place, 5)
    assert Columns(language, language.values, range(5, 6)).enclosures(place, 5) == [(lower, upper)] * 5


def test_enclosures_of_random_expressions_contain_what_mpmath_finds() -> None:
    """Sums, products, quotients and powers of logarithms and roots, with 60 digits."""
    rng = random.Random(5)
    decided = 0
    with mp.workdps(60):
        for _ in range(400):
            parts = [f"{rng.choice(['ln', 'sqrt'])}({rng.randint(2, 40)})" for _ in range(3)]
            text = f"({parts[0]}{rng.choice('+-*/')}{parts[1]})^{rng.choice(['2', '3', '(-1)', '(-2)'])}"
            text += f"{rng.choice('+-*/')}{parts[2]}"
            language = Language(Budget())
            try:
                lower, upper = language.enclose_at(language.number(text), 1, 1)
            except Rejected:
                continue
            decided += 1
            true = eval(text.replace("^", "**"), {"ln": mp.log, "sqrt": mp.sqrt})  # of our own text
            slack = mpf(10) ** -50 * (1 + abs(true))
            assert mpf(lower.numerator) / lower.denominator <= true + slack
            assert true - slack <= mpf(upper.numerator) / upper.denominator
    assert decided > 350


@pytest.mark.parametrize(("condition", "true_at"), [
    ("k > ln(n)", [2, 3, 4, 5]), ("sqrt(k) == 2", [4]), ("sqrt(k) != 2", [1, 2, 3, 5]),
    ("sqrt(k) // 1 == 1", [1, 2, 3]),
    ("SQUARE(sqrt(k))", [1]), ("sqrt(k) % 1 == 0", [1, 4]), ("ln(k)*ln(k) >= 0 and k > 1", [2, 3, 4, 5]),
    ("ln(3) > 1 and k > 2", [3, 4, 5]), ("3*sqrt(k) % 2 < 1", [2, 4, 5]),
])  # fmt: skip
def test_conditions_are_of_the_real_functions(condition: str, true_at: list[int]) -> None:
    """3 sqrt(k) is 3, 4.24, 5.19, 6 and 6.7 for k = 1 to 5; ln 5 is 1.6."""
    language = Language(Budget())
    language.define(f"P(k,n) := {condition}")
    place = language.formula("P")
    assert [k for k in range(1, 6) if language.value_at(place, 5, k)] == true_at


@pytest.mark.parametrize("condition", ["ln(4) == 2*ln(2)", "ln(4) <= 2*ln(2)", "ln(4)-2*ln(2) < 0",
                                       "ln(4)/ln(2) // 1 > 1",
                                       "SQUARE(sqrt(2)*sqrt(2))", "sqrt(2)^2 % 1 == 0"])  # fmt: skip
def test_a_condition_that_hinges_on_the_rounding_has_no_value(condition: str) -> None:
    """Rounded down, 2 ln 2 is less than ln 4; they are equal."""
    language = Language(Budget())
    language.define(f"P(k) := {condition}")
    with pytest.raises(Rejected, match="has no value at n = 5, i = 3"):
        language.value_at(language.formula("P"), 5, 3)


@pytest.mark.parametrize("text", ["1/(ln(4)-2*ln(2))", "(ln(4)-2*ln(2))^-1", "sqrt(2*ln(2)-ln(4))", "ln(sqrt(2)^2-2)",
                                  "2^(ln(4)/ln(2))", "log2ceil(sqrt(2)^2)", "ln(2)^65"])  # fmt: skip
def test_where_an_enclosure_does_not_decide_there_is_no_value(text: str) -> None:
    language = Language(Budget())
    with pytest.raises(Rejected, match="has no value at n = 5"):
        language.enclose_at(language.number(text), 5, 3)


@pytest.mark.parametrize("text", ["ln(0)", "ln(i-n)", "sqrt(-1)", "log2ceil(0)", "log2floor(-1)", "ln((2^64)^64)",
                                  "ln(1/((2^64)^64))", "1+ln(1/(n-5))", "1/ln(1)", "sqrt((2^64)^64)"])  # fmt: skip
def test_where_there_is_no_value(text: str) -> None:
    with pytest.raises(Rejected, match="has no value at n = 5"):
        evaluate(text)


def test_arguments_below_2_to_the_4096_have_values() -> None:
    assert evaluate("log2floor((2^64)^63*(2^63+(2^63-1)))") == 4095
    assert evaluate("log2floor(1/((2^64)^63*(2^63+(2^63-1))))") == -4096


@pytest.mark.parametrize("text", [
    "ln", "ln n", "ln()", "n ln(n)", "ln(n", "lnn(n)", "LN(n)", "log(n)", "exp(n)", "i(n)", "ln(n)(n)", "ln[n]",
    "ln(n, i)", "sqrt", "2 sqrt(n)", "ln(n == 1)", "ln\t(n)"])  # fmt: skip
def test_other_texts_are_malformed(text: str) -> None:
    with pytest.raises(Malformed):
        evaluate(text)


@pytest.mark.parametrize("text", [
    "ln(3) > #<[Q_a]", "#<[Q_a] > sqrt(4)", "ln(#<[Q_a]) > 1", "ln(Q_a)", "ln", "log2ceil(4)"])  # fmt: skip
def test_formulas_have_no_functions(text: str) -> None:
    with pytest.raises(Malformed):
        Language(Budget()).formula(text)


def test_conditions_have_functions_and_their_names_are_taken() -> None:
    table = Language(Budget())
    table.define("ROOT(k,n) := sqrt(k) % 1 == 0 and log2ceil(n) == 4")
    root = table.formula("ROOT")
    assert [k for k in range(17) if table.value_at(root, 9, k)] == [0, 1, 4, 9, 16]
    assert not any(table.value_at(root, 8, k) for k in range(17))
    for text in ("ln(k) := k == 1", "A(sqrt) := sqrt == 1", "A(k,log2ceil) := k == 1"):
        with pytest.raises(Malformed, match="with new names"):
            table.define(text)


def test_ln_is_the_floor_where_the_enclosure_is_narrow_and_where_it_is_not() -> None:
    """Beside a multiple of 10^-48 only more bits decide the floor; they are counted as work."""
    spent: list[int] = []

    class Counting(Budget):
        def spend(self, steps: int) -> None:
            spent.append(steps)

    with mp.workprec(9000):
        for units in (10**48, -3 * 10**48, 5 * 10**46 + 1):
            near = Fraction(int(mp.floor(mp.exp(mpf(units) / 10**48) * 2**3000)), 2**3000)
            assert floor_ln(near, Counting()) == units - 1
            assert floor_ln(near + Fraction(1, 2**3000), Counting()) == units
    assert max(spent) > 20 * min(spent)


def test_work_is_counted_and_what_was_computed_is_remembered() -> None:
    language = Language(Budget())
    f = language.number("ln(n-i+7)")
    language.enclose_at(f, 2, 1)
    left = language.budget.steps_left
    language.enclose_at(f, 3, 2)
    assert left - language.budget.steps_left < 100
    language.enclose_at(f, 3, 1)
    assert left - language.budget.steps_left > 192


def test_hostile_logarithms_are_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proofs.check.checker.kernel.budget.DEFAULT_STEPS", 10**5)
    with pytest.raises(Incomplete, match="more than 100000 steps of work"):
        evaluate("ln(1-1/((2^64)^63))")


@pytest.mark.parametrize("bits", [16, 20, 40, 100])
def test_the_series_is_enclosed_at_any_precision(bits: int) -> None:
    """exp and atanh with few bits, where a rounding to the wrong side would show."""
    rng = random.Random(bits)
    for _ in range(500):
        s = Fraction(rng.randrange(2**60), 2**61)
        term, u = 1 << bits, int(s * 2**bits)
        with mp.workprec(300):
            t = mpf(s.numerator) / s.denominator
            lower, upper = enclose_series(term, u, bits, lambda m: (1, m))
            assert lower <= mp.exp(t) * 2**bits <= upper
            first, step = int(s * 2**bits), int(s * s * 2**bits)
            lower, upper = enclose_series(first, step, bits, lambda m: (2 * m - 1, 2 * m + 1))
            assert lower <= mp.atanh(t) * 2**bits <= upper


def test_a_temperature_with_a_logarithm_is_certified_from_2() -> None:
    made = handmade.logarithmic_certificate(8)
    given = check_text(dump(made))
    assert fields(given).head_rows == 35
    rejected(starting(made, 2) | {"bounds": [made["bounds"][0] | {"error_if_true": "1/100"}]}, "below the worst case")
    del made["claim"]["min_n"]
    rejected(made, "has no value at n = 1")
