"""log2ceil, log2floor, ln and sqrt in the checker's own reading of expressions."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from mpmath import mp, mpf

from proofs.check import Incomplete, Malformed, Rejected, check_text
from proofs.check.checker.budget import Budget
from proofs.check.checker.exponential import enclose_series
from proofs.check.checker.functions import UNITS, floor_ln
from proofs.check.checker.language import Language
from tests.checker import handmade
from tests.checker.handmade import dump, starting
from tests.checker.hostile import rejected


def evaluate(text: str, n: int = 5, i: int = 3) -> Fraction:
    language = Language(Budget())
    return language.value_at(language.number(text), n, i)


@pytest.mark.parametrize(("text", "expected"), [
    ("log2ceil(n)", 3), ("log2floor(n)", 2), ("log2ceil(8)", 3), ("log2floor(8)", 3), ("log2ceil(1)", 0),
    ("log2floor(1/3)", -2), ("log2ceil(1/3)", -1), ("log2ceil(1/4)", -2), ("log2floor(2^64-1)", 63),
    ("sqrt(i^2)", 3), ("sqrt(0)", 0), ("sqrt(9/4)", Fraction(3, 2)),
    ("sqrt(1/(2^64))", Fraction(10**30 // 2**32, UNITS)),
    ("sqrt(2)", Fraction(1414213562373095048801688724209, UNITS)), ("ln(1)", 0),
    ("ln(2)", Fraction(693147180559945309417232121458, UNITS)),
    ("ln(1/2)", -Fraction(693147180559945309417232121459, UNITS)),
    ("ln (n)^2", Fraction(1609437912434100374600759333226, UNITS) ** 2), ("2^log2ceil( n )", 8), ("-ln(1)", 0),
    ("log2floor(sqrt(n+4))*2", 2), ("ln(n)-ln(n)", 0), ("1/log2ceil(i)/2", Fraction(1, 4)),
])  # fmt: skip
def test_values_are_exact(text: str, expected: Fraction | int) -> None:
    assert evaluate(text) == expected


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
    """Beside a multiple of 10^-30 only more bits decide the floor; they are counted as work."""
    spent: list[int] = []

    class Counting(Budget):
        def spend(self, steps: int) -> None:
            spent.append(steps)

    with mp.workprec(9000):
        for units in (10**30, -3 * 10**30, 5 * 10**28 + 1):
            near = Fraction(int(mp.floor(mp.exp(mpf(units) / 10**30) * 2**3000)), 2**3000)
            assert floor_ln(near, Counting()) == Fraction(units - 1, UNITS)
            assert floor_ln(near + Fraction(1, 2**3000), Counting()) == Fraction(units, UNITS)
    assert max(spent) > 20 * min(spent)


def test_work_is_counted_and_what_was_computed_is_remembered() -> None:
    language = Language(Budget())
    f = language.number("ln(n-i+7)")
    language.value_at(f, 2, 1)
    left = language.budget.steps_left
    language.value_at(f, 3, 2)
    assert left - language.budget.steps_left < 100
    language.value_at(f, 3, 1)
    assert left - language.budget.steps_left > 192


def test_hostile_logarithms_are_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proofs.check.checker.budget.DEFAULT_STEPS", 10**5)
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
    assert given.coverage.head_rows == 35
    rejected(starting(made, 2) | {"bounds": [made["bounds"][0] | {"error_if_true": "1/100"}]}, "below the worst case")
    del made["claim"]["min_n"]
    rejected(made, "has no value at n = 1")
