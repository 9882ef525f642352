"""The enclosure of exp against mpmath at 400 bits and more."""

import random
from fractions import Fraction

import pytest
from mpmath import mp, mpf

from proofs.check import Incomplete
from proofs.check.checker.kernel.exponential import enclose_exp


def check_contains(x: Fraction, bits: int = 500, most: int = 40) -> None:
    lower, upper, e = enclose_exp(x, most=most)
    assert type(lower) is int and type(upper) is int and type(e) is int
    with mp.workprec(bits + abs(x.numerator // x.denominator).bit_length() + 50):
        true = mp.exp(mpf(x.numerator) / x.denominator)
        low, high = mp.ldexp(mpf(lower), e), mp.ldexp(mpf(upper), e)
        assert low < true < high
        assert (high - low) / true < mpf(2) ** -128


@pytest.mark.parametrize("sign", [1, -1])
def test_near_zero(sign: int) -> None:
    for k in range(1, 401):
        check_contains(Fraction(sign, 2**k), bits=1200)


def test_zero_is_exact() -> None:
    assert enclose_exp(Fraction(0)) == (1, 1, 0)


@pytest.mark.parametrize("x", [10**3, 10**6, 10**9, 2**40 - 1, Fraction(2**40 * 3 - 1, 3)])
def test_huge_arguments(x: int) -> None:
    check_contains(Fraction(x))
    check_contains(-Fraction(x))


@pytest.mark.parametrize("power", [42, 43, 64, 100, 500, 1023])
def test_arguments_of_any_size_are_enclosed_as_closely(power: int) -> None:
    for x in (Fraction(2**power), 2**power - Fraction(1, 3), Fraction(2**power * 7, 4) - Fraction(1, 10**9)):
        check_contains(-x, most=1024)


def test_integers_and_halves() -> None:
    for k in range(1, 400):
        check_contains(Fraction(k, 2))
        check_contains(Fraction(-k, 2))


def test_random_rationals() -> None:
    rng = random.Random(1)
    for _ in range(800):
        q = rng.randrange(1, 10 ** rng.randrange(1, 30))
        check_contains(Fraction(rng.choice((-1, 1)) * rng.randrange(1, 50 * q), q))


def test_powers_of_two_boundaries() -> None:
    for k in range(-5, 39):
        for epsilon in (-1, 0, 1):
            check_contains(Fraction(2) ** k + Fraction(epsilon, 2**70))


def test_functional_equation() -> None:
    """exp(a) exp(b) and exp(a + b) overlap, by integers alone."""
    rng = random.Random(2)
    for _ in range(200):
        a, b = (Fraction(rng.randrange(-(10**6), 10**6), rng.randrange(1, 10**5)) for _ in range(2))
        (al, au, ae), (bl, bu, be), (cl, cu, ce) = enclose_exp(a), enclose_exp(b), enclose_exp(a + b)
        scale = Fraction(2) ** (ae + be - ce)
        assert al * bl * scale <= cu and cl <= au * bu * scale


def test_monotone() -> None:
    """If x < y by more than the width, the enclosures are in order."""
    for k in range(-300, 300):
        (_, u, e), (lower, _, f) = enclose_exp(Fraction(k, 7)), enclose_exp(Fraction(k, 7) + Fraction(1, 2**100))
        assert u * Fraction(2) ** (e - f) < lower


@pytest.mark.parametrize("x", [2**40, -(2**40), 10**300])
def test_the_argument_is_limited(x: int) -> None:
    with pytest.raises(Incomplete, match="argument of exp"):
        enclose_exp(Fraction(x))


@pytest.mark.parametrize("working", [16, 18, 20, 24, 40])
def test_rounding_is_outward_at_any_precision(working: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The proof does not need many bits: with few, an inward rounding anywhere would show."""
    monkeypatch.setattr("proofs.check.checker.kernel.exponential.WORKING_BITS", working)
    rng = random.Random(working)
    for _ in range(1500):
        q = rng.randrange(1, 2000)
        x = Fraction(rng.choice((-1, 1)) * rng.randrange(1, 40 * q), q)
        lower, upper, e = enclose_exp(x)
        with mp.workprec(300):
            true = mp.exp(mpf(x.numerator) / x.denominator)
            assert mp.ldexp(mpf(lower), e) <= true <= mp.ldexp(mpf(upper), e)
