"""log2ceil, log2floor, ln and sqrt: what they are, and that producer and checker mean the same numbers."""

import random
from collections.abc import Iterator
from fractions import Fraction
from math import floor

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf

from constructions.language.functions import (
    DIGITS,
    FUNCTIONS,
    MAX_ARGUMENT_BITS,
    UndefinedError,
    functions_to,
    ln,
    log2ceil,
    log2floor,
    sqrt,
)
from proofs.check.checker.kernel.budget import Budget
from proofs.check.checker.kernel.irrational.functions import apply_function
from proofs.check.checker.kernel.numbers import Enclosure, Number, ends_of

UNITS = 10**DIGITS
WITHIN_THE_DOMAIN = st.integers(1, 1000) | st.integers(1, 2**MAX_ARGUMENT_BITS - 2)
POSITIVE = st.builds(Fraction, WITHIN_THE_DOMAIN, WITHIN_THE_DOMAIN)
"""With a denominator that is one more, the number is still in the domain."""


@given(POSITIVE)
def test_log2floor_and_log2ceil_are_the_nearest_integers(x: Fraction) -> None:
    low, high = log2floor(x), log2ceil(x)
    assert Fraction(2) ** low <= x < Fraction(2) ** (low + 1)
    assert Fraction(2) ** (high - 1) < x <= Fraction(2) ** high


@given(POSITIVE)
def test_sqrt_is_the_greatest_multiple_below_the_root(x: Fraction) -> None:
    root = sqrt(x)
    assert (root * UNITS).denominator == 1
    assert root**2 <= x < (root + Fraction(1, UNITS)) ** 2


@given(st.fractions(min_value=Fraction(1, 10**6), max_value=10**6))
def test_ln_is_the_floor_of_what_mpmath_computes(x: Fraction) -> None:
    with mp.workprec(500):
        assert ln(x) == Fraction(int(mp.floor(mp.log(mpf(x.numerator) / x.denominator) * UNITS)), UNITS)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("exponent", [1, 99, 100, 101, 1000, 4094])
def test_ln_next_to_1_is_decided(sign: int, exponent: int) -> None:
    with mp.workprec(9000):
        true = mp.floor(mp.log(1 + sign * mpf(2) ** -exponent) * UNITS)
    assert ln(1 + sign * Fraction(1, 2**exponent)) == Fraction(int(true), UNITS)


@given(POSITIVE, st.sampled_from(sorted(FUNCTIONS)))
def test_functions_never_decrease(x: Fraction, name: str) -> None:
    assert FUNCTIONS[name](Fraction(x.numerator, x.denominator + 1)) <= FUNCTIONS[name](x)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_not_defined_everywhere(name: str) -> None:
    for x in (-1, Fraction(-1, 3), 2**4096, Fraction(1, 2**4096)):
        with pytest.raises(UndefinedError):
            FUNCTIONS[name](x)
    assert FUNCTIONS[name](2**4096 - 1) > 0
    if name != "sqrt":
        with pytest.raises(UndefinedError):
            FUNCTIONS[name](0)


def arguments() -> Iterator[Fraction]:
    """Small, huge and tiny rationals, those next to 1, and those next to where a result jumps."""
    rng = random.Random(11)
    yield from (*map(Fraction, [1, 2, 3, 2**4096 - 1, 2**64]), Fraction(1, 2), Fraction(1, 2**4095))
    for _ in range(150):
        bits = rng.choice([4, 16, 64, 300, 1000, 4090])
        x = Fraction(rng.getrandbits(bits) + 1, rng.getrandbits(rng.choice([4, bits])) + 1)
        yield x
        yield 1 + rng.choice((1, -1)) * Fraction(1, rng.getrandbits(min(bits, 2000)) + 2)
        yield Fraction(2) ** rng.randrange(-60, 60) + rng.choice((0, 1, -1)) * Fraction(1, 2 ** rng.randrange(70, 200))
        yield Fraction(rng.getrandbits(40), UNITS) ** 2 + rng.choice((0, 1)) * Fraction(1, 10**90)


def near_a_multiple_of_a_unit() -> Iterator[Fraction]:
    """Rationals whose logarithm is closer to a multiple of 10^-30 than 10^-600."""
    rng = random.Random(12)
    with mp.workprec(4000):
        for _ in range(8):
            x = mp.exp(mpf(rng.randrange(-(10**31), 10**31)) / UNITS)
            for side in (0, 1):
                yield Fraction(int(mp.floor(x * 2**2000)) + side, 2**2000)


def rounded_down(value: Number | None, digits: int = DIGITS) -> Fraction | None:
    """Return the greatest multiple of a unit that is at most the number, which an enclosure begins with."""
    if isinstance(value, Enclosure):
        assert value.upper == value.lower + Fraction(1, 10**digits)
    return None if value is None else Fraction(floor(ends_of(value).lower * 10**digits), 10**digits)


@pytest.mark.parametrize("digits", [48, 192])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_producer_rounds_down_what_the_checker_encloses(name: str, digits: int) -> None:
    checked = 0
    for x in [*arguments(), *(near_a_multiple_of_a_unit() if name == "ln" else ())]:
        if x > 0:
            found = apply_function(name, x, Budget(100), digits)
            assert rounded_down(found, digits) == functions_to(digits)[name](x), x
            checked += 1
    assert checked > 590


@pytest.mark.parametrize("name", FUNCTIONS)
def test_producer_and_checker_agree_on_where_there_is_no_value(name: str) -> None:
    for x in (0, -1, Fraction(-1, 7), 2**4096 - 1, 2**4096, Fraction(1, 2**4096), Fraction(1, 2**4096 - 1)):
        try:
            expected: Fraction | None = Fraction(FUNCTIONS[name](x))
        except UndefinedError:
            expected = None
        assert rounded_down(apply_function(name, Fraction(x), Budget())) == expected, x
