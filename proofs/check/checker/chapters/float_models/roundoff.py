"""Relative errors of the roundings of a float model.

See docs/reference/floats.md, section 1, and floats_rules.md, section 7.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import cache

from ...kernel.numbers import ZERO
from ...kernel.verdicts import require
from .reading import FloatClaim, Format, is_within

LEAST = 512  # bits: the loss below 2^e is taken to be at least 2^-512


@cache
def unit_roundoff(form: Format) -> Fraction:
    """Return u: rounding to nearest errs by at most u times the number, where nothing underflows."""
    return Fraction(1, 1 << form.precision)


@cache
def tiny(form: Format) -> Fraction:
    """Return an upper bound of 2^e: a result below 2^e may be flushed to 0, or rounded to a subnormal number."""
    return Fraction(1, 1 << min(-form.least, LEAST))


@cache
def gamma(roundings: int, u: Fraction) -> Fraction:
    """Bound |p - 1| by k u / (1 - k u), for a product p of k factors in [1 - u, 1 + u] or their inverses."""
    require(2 * roundings * u <= 1, "a sum of {} roundings is too long for its format", roundings)
    return roundings * u / (1 - roundings * u)


def roundoff_of_sums(model: FloatClaim) -> Fraction:
    """Return u of matrix products, times ``sum_ulp`` where they are cut off.

    See docs/background/floats_rules.md, section 7.
    """
    u = unit_roundoff(model.sums)
    return u if model.sum_ulp == 1 else model.sum_ulp * u


def roundings_of_a_sum(model: FloatClaim, terms: int) -> int:
    """Return how many roundings a term passes through: six more where sums of whole numbers are scaled."""
    return terms + (6 if "integers" in model.also else 0)


def raised(model: FloatClaim) -> Fraction:
    """Return the least size at which factors count in sums that are cut off (2^e of the inputs); 0 otherwise."""
    return tiny(model.inputs) if model.sum_ulp > 1 else ZERO


WITHIN = (("inputs", "storage"), ("storage", "sums"), ("scores", "sums"), ("scores", "softmax"), ("weights", "softmax"))


def expect_sensible(model: FloatClaim, within: Sequence[tuple[str, str]] = (*WITHIN, ("storage", "softmax"))) -> None:
    """Require that formats are within those that receive their numbers, and exp_ulp u_X <= 1/8.

    See docs/background/floats_rules.md, 4.
    """
    for inner, outer in within:
        require(is_within(model.formats[inner], model.formats[outer]), "{} is not within {}", inner, outer)
    require("integers" not in model.also or model.storage == model.sums, "sums of whole numbers are not stored")
    require("eights" not in model.also or ("integers" in model.also and model.inputs == model.storage
            and model.softmax.precision >= 22), "inputs in 8 bits are of sums of whole numbers, and of 22 bits")
    require(model.inputs.precision >= 3, "inputs of fewer than 3 bits")
    require(model.exp_ulp >= 0 and 8 * model.exp_ulp * unit_roundoff(model.softmax) <= 1, "exp_ulp is out of range")
