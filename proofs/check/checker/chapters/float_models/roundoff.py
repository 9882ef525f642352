"""Relative errors of the roundings of a class of runs; docs/floats.md, sections 1 and 7."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache

from ...kernel.numbers import ZERO
from ...kernel.verdicts import require
from .reading import FloatClaim, Format, is_within

LEAST = 512  # what may be lost below 2^e is taken to be at least 2^-512


@cache
def unit_roundoff(form: Format) -> Fraction:
    """u: rounding to nearest errs by at most u times the number, where nothing underflows."""
    return Fraction(1, 1 << form.precision)


@cache
def tiny(form: Format) -> Fraction:
    """At least 2^e: a result below that may be flushed to 0, or rounded to a subnormal number."""
    return Fraction(1, 1 << min(-form.least, LEAST))


@cache
def gamma(roundings: int, u: Fraction) -> Fraction:
    """k u / (1 - k u): at least what k factors between 1 - u and 1 + u, or their inverses, make of 1."""
    require(2 * roundings * u <= 1, "a sum of {} roundings is too long for its format", roundings)
    return roundings * u / (1 - roundings * u)


def roundoff_of_sums(run: FloatClaim) -> Fraction:
    """u of matrix products: more, where they are cut off; docs/floats.md, section 7, Sums that are cut off."""
    u = unit_roundoff(run.sums)
    return u if run.sum_ulp == 1 else run.sum_ulp * u


def raised(run: FloatClaim) -> Fraction:
    """By how much factors count as greater in what a sum is off: where sums are cut off, those below 2^e as 2^e."""
    return tiny(run.inputs) if run.sum_ulp > 1 else ZERO


WITHIN = (("inputs", "storage"), ("storage", "sums"), ("scores", "sums"), ("scores", "softmax"), ("weights", "softmax"))


def expect_sensible(run: FloatClaim, within: Sequence[tuple[str, str]] = (*WITHIN, ("storage", "softmax"))) -> None:
    """Formats are within those that take their numbers up, and exponentials are off by at most a quarter."""
    for inner, outer in within:
        require(is_within(run.formats[inner], run.formats[outer]), "{} is not within {}", inner, outer)
    require(run.inputs.precision >= 3, "inputs of fewer than 3 bits")
    require(run.exp_ulp >= 0 and 8 * run.exp_ulp * unit_roundoff(run.softmax) <= 1, "exp_ulp is out of range")
