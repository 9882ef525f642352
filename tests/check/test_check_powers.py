"""Weights that are powers of one rational: an error equal to its bound is accepted, one beyond it by a hair is not."""

import random
from fractions import Fraction
from itertools import product

import pytest
from mpmath import mp

from constructions.language.expressions import parse_expression
from proofs.check import Rejected, check_text
from proofs.check.checker.chapters.irrational.powers import PowerValues
from proofs.check.checker.kernel.budget import Budget
from proofs.check.checker.kernel.exponential import enclose_exp
from proofs.check.checker.kernel.language import Language
from proofs.enclosures.by_mpmath import by_mpmath
from proofs.formula.attention.in_powers import logarithms_over
from tests.check.handmade import Json, dump, edit, position, since_certificate
from tests.check.hostile import rejected

TINY = "10^60/10^60/10^60"


def since(temperature: str, max_n: int = 2, bound: str = "1/4") -> Json:
    """Scores 2 is[left -> right] + i/n: at temperature 1/(n ln(b)) a step to the left weighs 1/b."""
    made = since_certificate(max_n, 2, errors=(bound, bound))
    made["transformer"]["layers"][0]["heads"][0]["temperature"] = temperature
    return made


def is_accepted(made: Json) -> bool:
    try:
        check_text(dump(made))
    except Rejected:
        return False
    return True


@pytest.mark.parametrize("constant", [
    "ln(3)", "2*ln(3)/2", "ln(9)/2", "ln(27)/3", "ln(sqrt(9))", "(ln(2)+ln(3/2))", "(ln(6)-ln(2))", "(-ln(1/3))",
    "(ln(12)-2*ln(2))", "(3/2*ln(3)-ln(3)/2)"])
def test_an_error_that_is_its_bound_is_within_it(constant: str) -> None:
    """At x = 1/3 and n = 2 the error is x/(1 + x), which is 1/4."""
    check_text(dump(since(f"1/(n*{constant})")))
    rejected(since(f"1/(n*{constant})", bound="249999999999/1000000000000"), "is below the worst case at n = 2, i = 2")


@pytest.mark.parametrize("beside", ["1/10^6", "1/10^20", "1/10^60", "1/10^60/10^40", f"1/{TINY}", "sqrt(2)/10^60"])
@pytest.mark.parametrize("constant", ["ln(3)", "ln(9)/2", "(sqrt(2)/7+ln(3)-sqrt(2)/7)"])
def test_constants_beside_the_critical_one_are_told_apart(constant: str, beside: str) -> None:
    assert is_accepted(since(f"1/(n*({constant}+{beside}))"))
    assert not is_accepted(since(f"1/(n*({constant}-{beside}))"))


def errors_of(base: Fraction, n: int) -> Fraction:
    """Return the greatest error of the head on all words of this length, by brute force."""
    greatest = Fraction(0)
    for word in product("abc", repeat=n):
        truth = False
        for i in range(1, n + 1):
            truth = word[i - 1] in "ab" and (word[i - 1] == "b" or truth)
            weights = [base ** (2 * n * (word[j - 1] in "bc") + j) for j in range(1, i + 1)]
            value = sum((weight for weight, symbol in zip(weights, word, strict=False) if symbol == "b"), Fraction(0))
            greatest = max(greatest, abs(value / sum(weights) - truth))
    return greatest


@pytest.mark.parametrize("base", [Fraction(3), Fraction(7, 2), Fraction(4), Fraction(31, 10)])
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_the_greatest_error_over_all_words_is_the_least_bound(base: Fraction, n: int) -> None:
    worst = max(errors_of(base, length) for length in range(1, n + 1))
    assert is_accepted(since(f"1/(n*ln({base}))", n, str(worst))) is (worst <= Fraction(1, 4))
    if worst:
        assert not is_accepted(since(f"1/(n*ln({base}))", n, str(worst - Fraction(1, 10**40))))


def test_a_position_with_the_text_of_the_temperature_is_no_power() -> None:
    """A number that keys read, written like the temperature, is not replaced by the rational beside the logarithm."""
    made = since("1/ln(4)", 2)
    for place in ("directions", "position_embedding"):
        value = "1/ln(4)" if place == "position_embedding" else position("1/ln(4)")
        made = edit(made, "transformer", place, "time", value=value)
    rejected(made, "is below the worst case")


def test_one_base_is_needed_at_all_rows() -> None:
    """A temperature c/ln(b) with another b at another length, or rational at one length, is not of the form."""
    assert not is_accepted(since("1/(n*ln(1+n))", 2, "1/4")) or errors_of(Fraction(3), 2) <= Fraction(1, 4)
    rejected(since("1/(n*(ln(3)*(n-1)+(2-n)/2))", 2), "is below the worst case at n = 1|n = 2")
    check_text(dump(since("1/(n*(ln(4)*(n-1)+(2-n)*3))", 2)))


def random_constant(rng: random.Random, depth: int) -> str:
    """Return a sum of multiples of logarithms, written in some way, or something like it."""
    if not depth:
        return rng.choice(["ln(2)", "ln(12)", "ln(3/2)", "ln(1/5)", "2", "n", "3/7", "sqrt(9)", "sqrt(2)"])
    left, right = (random_constant(rng, depth - 1) for _ in range(2))
    return f"({left}{rng.choice('++-*/')}{right})"


def test_producer_and_checker_take_the_same_logarithms_out_of_temperatures() -> None:
    """The checker says c/ln(b), the producer a sum of r ln(p) over primes; mpmath finds the same number."""
    rng, compared, refused = random.Random(53), 0, 0
    for _ in range(1500):
        text, n = f"1/({random_constant(rng, rng.randrange(3))})", rng.randrange(1, 5)
        language = Language(Budget())
        tau = language.number(text)
        try:
            factor, _, base = PowerValues(language, tau).power(n, 1)
        except Rejected:
            refused += 1
            continue
        found = logarithms_over(parse_expression(text), 1, n)
        assert base > 1
        with mp.workdps(60):
            inverse = mp.log(mp.mpf(base.numerator) / base.denominator) * factor.denominator / factor.numerator
            by_primes = mp.fsum(mp.log(p) * r.numerator / r.denominator for p, r in found.items())
            assert abs(inverse - by_primes) < mp.mpf(10) ** -50
            assert abs(inverse - 1 / by_mpmath(parse_expression(text), 1, n)) < mp.mpf(10) ** -45
        compared += 1
    assert compared > 200 and refused > 200


@pytest.mark.parametrize("bits", [192, 768, 3072])
@pytest.mark.parametrize("x", [Fraction(1, 3), Fraction(-7, 2), Fraction(-4000), Fraction(10**6 + 1, 10**6)])
def test_exponentials_of_more_bits_are_narrower_and_inside(x: Fraction, bits: int) -> None:
    (low, high, e), (lower, upper, f) = enclose_exp(x, bits), enclose_exp(x, 2 * bits)
    two = Fraction(2)
    assert low * two**e <= lower * two**f <= upper * two**f <= high * two**e
    assert Fraction(high - low, low) < Fraction(1, 2 ** (bits - 60))
