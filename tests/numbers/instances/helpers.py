"""Helpers of the tests of examinations."""

from collections.abc import Iterable
from fractions import Fraction

from hypothesis import strategies as st

from proofs.numbers.instances.comparing import PolynomialQuotient
from proofs.numbers.instances.examination import Instance
from proofs.numbers.instances.registry import EXAMINATIONS
from tests.tiers import drawn

quick = drawn(30)
between_0_and_1 = st.fractions(min_value=Fraction(1, 50), max_value=Fraction(49, 50), max_denominator=50)
small = st.fractions(min_value=-3, max_value=3, max_denominator=4)


def examined(name: str, n: int) -> list[Instance]:
    return list(EXAMINATIONS[name].examine(n))


def verdicts(name: str, n: int) -> set[bool | None]:
    return {instance.holds for instance in examined(name, n)}


def at(quotient: PolynomialQuotient, x: Fraction) -> Fraction:
    """Return the value at a rational x, by Horner's scheme on the coefficients."""
    return evaluated(quotient.numerator.coeffs(), x) / evaluated(quotient.denominator.coeffs(), x)


def evaluated(coefficients: Iterable[object], x: Fraction) -> Fraction:
    value = Fraction(0)
    for coefficient in reversed(list(coefficients)):
        value = value * x + int(coefficient)  # type: ignore[call-overload]
    return value


def shares(weights: list[Fraction]) -> list[Fraction]:
    """Softmax, where the weights e^score are given as rationals."""
    return [weight / sum(weights) for weight in weights]


def distance_from_one_hot(weights: list[Fraction], winner: int) -> Fraction:
    """Return the 1-norm of softmax less the one-hot vector at ``winner`` (from 1)."""
    return sum((abs(share - (place == winner)) for place, share in enumerate(shares(weights), start=1)), Fraction(0))
