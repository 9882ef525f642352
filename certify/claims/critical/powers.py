"""The error of a head on one input, as a function of x = e^(-gamma).

A factor gamma of all scores makes the weight of a position x^g times the greatest one, where g is the gap between its
score and the greatest at gamma = 1. So the error is a quotient of two sums of powers,

    error(x) = sum of e_j x^(g_j) / sum of x^(g_j),

with exact rationals e_j (the errors of the values) and g_j >= 0. It is at most a if and only if sum of (e_j - a)
x^(g_j) <= 0.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

from flint import arb

from proofs.enclosures.exponential import ball, working_precision

BITS = 256


@dataclass(frozen=True)
class PowerSum:
    """A sum of multiples of powers of x = e^(-gamma): coefficients by exponents, none 0, the least exponent first."""

    coefficients: tuple[tuple[Fraction, Fraction], ...]

    def at(self, gamma: Fraction, bits: int = BITS) -> arb:
        """Return a ball around the value where x = e^(-gamma)."""
        with working_precision(bits):
            return sum((ball(weight) * ball(-gamma * exponent).exp() for exponent, weight in self.coefficients), arb(0))

    @property
    def denominator(self) -> int:
        """The least d such that this is a polynomial in x^(1/d)."""
        return lcm(*(exponent.denominator for exponent, _ in self.coefficients))


def power_sum(terms: Iterable[tuple[Fraction, Fraction]]) -> PowerSum:
    """Return the sum of these (exponent, coefficient).

    >>> found = power_sum([(Fraction(2), Fraction(1)), (Fraction(0), Fraction(3)), (Fraction(2), Fraction(-1))])
    >>> [tuple(map(str, term)) for term in found.coefficients]
    [('0', '3')]
    """
    collected: dict[Fraction, Fraction] = {}
    for exponent, weight in terms:
        collected[exponent] = collected.get(exponent, Fraction(0)) + weight
    return PowerSum(tuple(sorted((exponent, weight) for exponent, weight in collected.items() if weight)))


@dataclass(frozen=True)
class ErrorForm:
    """The error of a head on one input: (g_j, e_j) for each visible position, the least g_j being 0."""

    terms: tuple[tuple[Fraction, Fraction], ...]

    @property
    def missed(self) -> PowerSum:
        """The numerator: the sum of e_j x^(g_j)."""
        return power_sum(self.terms)

    @property
    def total(self) -> PowerSum:
        """The denominator: the sum of x^(g_j)."""
        return power_sum((gap, Fraction(1)) for gap, _ in self.terms)

    def excess(self, allowed: Fraction) -> PowerSum:
        """Return the sum of (e_j - allowed) x^(g_j): zero where the error is ``allowed``, positive where it is more."""
        return power_sum((gap, error - allowed) for gap, error in self.terms)

    def at(self, gamma: Fraction, bits: int = BITS) -> arb:
        """Return a ball around the error at a constant."""
        with working_precision(bits):
            return self.missed.at(gamma, bits) / self.total.at(gamma, bits)


def error_form(terms: Iterable[tuple[Fraction, Fraction]], gamma: Fraction) -> ErrorForm:
    """Return the error form of these positions, given by (scaled score, error) at ``gamma``.

    >>> error_form([(Fraction(3), Fraction(1)), (Fraction(9), Fraction(0))], Fraction(2)).terms[0]
    (Fraction(3, 1), Fraction(1, 1))
    """
    listed = list(terms)
    greatest = max(score for score, _ in listed)
    return ErrorForm(tuple(((greatest - score) / gamma, error) for score, error in listed))


def integer_coefficients(form: PowerSum) -> Mapping[int, int]:
    """Return the polynomial in y = x^(1/d) that is a positive multiple of the form, its coefficients coprime integers.

    >>> integer_coefficients(power_sum([(Fraction(0), Fraction(-1, 4)), (Fraction(1, 2), Fraction(3, 4))]))
    {0: -1, 1: 3}
    """
    unit = lcm(*(weight.denominator for _, weight in form.coefficients))
    whole = {int(exponent * form.denominator): int(weight * unit) for exponent, weight in form.coefficients}
    shared = gcd(*whole.values())
    return {exponent: weight // shared for exponent, weight in whole.items()}
