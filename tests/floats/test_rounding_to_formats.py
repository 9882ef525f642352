"""Rounding is to nearest, ties to even, from the exact number: by brute force, and as hardware and numpy do it."""

import struct
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from constructions.network.float_formats import FORMATS, Format, TooLargeError

TINY = Format(precision=3, least=-2, greatest=3)
NUMBERS = [Fraction(m) * Fraction(2) ** e for e in range(-4, 2) for m in range(8)]
FINITE = sorted({x for x in NUMBERS if x <= TINY.largest})


def test_every_rational_goes_to_the_nearest_number_and_a_tie_to_the_even_one() -> None:
    """A format of 3 bits has few numbers: each rational is compared with all of them."""
    for numerator in range(15 * 96):
        x = Fraction(numerator, 96)
        least = min(abs(x - y) for y in FINITE)
        nearest = [y for y in FINITE if abs(x - y) == least]
        rounded = TINY.round(x)
        assert rounded in nearest and TINY.round(-x) == -rounded
        if len(nearest) == 2:
            step = nearest[1] - nearest[0]
            assert (rounded / step) % 2 == 0


@pytest.mark.parametrize(("name", "code", "least"), [("binary64", "d", -1074), ("binary32", "f", -149),
                                                     ("binary16", "e", -24)])
def test_least_and_greatest_numbers_are_those_of_the_format(name: str, code: str, least: int) -> None:
    form = FORMATS[name]
    bits = {"d": b"\xff\xff\xff\xff\xff\xff\xef\x7f", "f": b"\xff\xff\x7f\x7f", "e": b"\xff\x7b"}[code]
    assert Fraction(*struct.unpack("<" + code, bits)[0].as_integer_ratio()) == form.largest
    assert form.least - form.precision + 1 == least
    assert form.round(Fraction(2) ** least) == Fraction(2) ** least
    assert form.round(Fraction(2) ** (least - 1)) == 0
    assert form.round(Fraction(2) ** (least - 1) * Fraction(9, 8)) == Fraction(2) ** least


@pytest.mark.parametrize(("name", "greatest", "beyond"), [
    ("binary16", 65504, 65520), ("bfloat16", 255 << 120, (511 << 119)), ("binary32", (2**24 - 1) << 104,
                                                                          (2**25 - 1) << 103)])
def test_what_rounds_beyond_the_greatest_number_is_refused_and_nothing_below(
        name: str, greatest: int, beyond: int) -> None:
    form = FORMATS[name]
    assert form.round(Fraction(beyond) - Fraction(1, 10**9)) == greatest == form.largest
    for x in (Fraction(beyond), -Fraction(beyond), Fraction(10) ** 400):
        with pytest.raises(TooLargeError, match=f"^a number is too large for {name}$"):
            form.round(x)


def test_a_number_is_not_rounded_through_a_double_first() -> None:
    """1 + 2^-24 + 2^-60 is nearer to 1 + 2^-23; as a double it is 1 + 2^-24, a tie, which goes to 1."""
    x = 1 + Fraction(1, 2**24) + Fraction(1, 2**60)
    assert FORMATS["binary32"].round(x) == 1 + Fraction(1, 2**23)
    assert np.float32(x.numerator / x.denominator) == 1


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_doubles_round_as_numpy_casts_them(x: float) -> None:
    exact = Fraction(x)
    assert FORMATS["binary64"].round(exact) == exact
    for name, dtype in (("binary32", np.float32), ("binary16", np.float16)):
        with np.errstate(over="ignore"):
            cast = dtype(x)
        if np.isinf(cast):
            with pytest.raises(TooLargeError):
                FORMATS[name].round(exact)
        else:
            assert FORMATS[name].round(exact) == Fraction(float(cast))


@given(st.fractions(), st.sampled_from(["binary16", "bfloat16", "tf32", "binary32"]))
def test_rounding_twice_changes_nothing_and_the_error_is_half_a_unit(x: Fraction, name: str) -> None:
    form = FORMATS[name]
    try:
        rounded = form.round(x)
    except TooLargeError:
        return
    assert form.round(rounded) == rounded
    assert abs(rounded - x) <= max(abs(x) * form.roundoff, Fraction(2) ** (form.least - form.precision))
