"""Instances from exact numbers, from enclosures, and from quotients of polynomials in x = e^(-γ)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any

from flint import fmpz_poly

from proofs.enclosures.by_mpmath import Reals, seconded
from proofs.enclosures.intervals import Interval, point
from proofs.numbers.instances.examination import Instance, Replay

BITS = 128


def instance(n: int, what: str, value: Interval | Fraction, bound: Interval | Fraction,
             replay: Replay | None = None) -> Instance:
    """Return the instance ``value <= bound``, if the enclosures decide it; ``replay`` is kept if it shows this n.

    >>> instance(2, "", Fraction(1), Fraction(1)).holds, instance(2, "", Fraction(2), Fraction(1)).holds
    (True, False)
    >>> instance(2, "", Interval(Fraction(0), Fraction(2)), Fraction(1)).holds is None
    True
    """
    left, right = _enclosed(value), _enclosed(bound)
    holds = True if left.upper <= right.lower else False if left.lower > right.upper else None
    return Instance(n, holds, what, left, right, replay if replay and replay.shows(n) else None)


def at_least(n: int, what: str, value: Interval | Fraction, bound: Interval | Fraction,
             replay: Replay | None = None) -> Instance:
    """Return the instance ``value >= bound``, decided as far as the enclosures do.

    >>> at_least(2, "", Fraction(1), Fraction(2)).holds, at_least(2, "", Fraction(1), Fraction(2)).side
    (False, 'at least')
    """
    turned = instance(n, what, bound, value, replay)
    return replace(turned, value=turned.bound, bound=turned.value, side="at least")


def equality(n: int, what: str, value: Fraction, expected: Fraction, replay: Replay | None = None) -> Instance:
    """Return the instance ``value == expected``.

    >>> equality(2, "", Fraction(1), Fraction(2)).holds
    False
    """
    return replace(instance(n, what, value, expected, replay), holds=value == expected, side="")


def undecided(n: int, what: str, bound: Fraction) -> Instance:
    """Return the undecided instance of a length at which nothing is computed.

    >>> undecided(20, "", Fraction(1)).holds is None
    True
    """
    return Instance(n, None, what, point(bound), point(bound))


def confirmed_if(proved: bool, found: Instance) -> Instance:
    """Return the instance, undecided if it holds but the proof that it implies all others failed.

    >>> held, refuted = (instance(2, "", Fraction(k), Fraction(1)) for k in (0, 2))
    >>> confirmed_if(True, held).holds, confirmed_if(False, held).holds, confirmed_if(False, refuted).holds
    (True, None, False)
    """
    return found if proved or not found.holds else replace(found, holds=None)


def _enclosed(x: Interval | Fraction) -> Interval:
    return x if isinstance(x, Interval) else point(x)


@lru_cache(maxsize=50_000)
def power_of_e(exponent: Fraction) -> Interval:
    """Enclose e^exponent.

    >>> power_of_e(Fraction(0))
    Interval(lower=Fraction(1, 1), upper=Fraction(1, 1))
    """
    return sum_of_powers_of_e([exponent])


def sum_of_powers_of_e(exponents: Iterable[Fraction]) -> Interval:
    """Enclose the sum of e^exponent, with relative width about 2^-BITS for any distance of the powers.

    >>> sum_of_powers_of_e([]), sum_of_powers_of_e([Fraction(0), Fraction(0)]).upper
    (Interval(lower=Fraction(0, 1), upper=Fraction(0, 1)), Fraction(2, 1))
    """
    listed = list(exponents)
    return seconded(lambda real: sum((real(exponent).exp() for exponent in listed), real(0)),
                    BITS + _integer_bits(listed))


def _integer_bits(exponents: Iterable[Fraction]) -> int:
    """Return the relative bits that the exponential of these numbers loses."""
    return max((-(-abs(x.numerator) // x.denominator) for x in exponents), default=0).bit_length()


def logarithm(x: Fraction) -> Interval:
    """Enclose the natural logarithm of x > 0.

    >>> logarithm(Fraction(1))
    Interval(lower=Fraction(0, 1), upper=Fraction(0, 1))
    """
    return seconded(lambda real: real(x).log(), BITS)


def increasing(share: Interval) -> Interval:
    """Enclose S/(1+S), which grows with S >= 0: the normalised weight of S beside a weight of 1.

    >>> increasing(point(Fraction(1, 3))).upper
    Fraction(1, 4)
    """
    return Interval(share.lower / (1 + share.lower), share.upper / (1 + share.upper))


def polynomial(coefficients: Mapping[int, int]) -> fmpz_poly:
    """Return the polynomial with these coefficients by exponent.

    >>> polynomial({0: 1, 4: 2})
    2*x^4 + 1
    """
    listed = [0] * (max(coefficients, default=-1) + 1)
    for power, coefficient in coefficients.items():
        listed[power] = coefficient
    return fmpz_poly(listed)


def has_no_negative_coefficient(difference: fmpz_poly) -> bool:
    """Return whether no coefficient is negative, so that the value at every x >= 0 is at least 0."""
    return min(difference.coeffs(), default=0) >= 0


@dataclass(frozen=True)
class PolynomialQuotient:
    """A quotient of integer polynomials in x; no coefficient of the denominator is negative, and not all are 0."""

    numerator: fmpz_poly
    denominator: fmpz_poly

    def enclose(self, gamma: Fraction) -> Interval:
        """Enclose the value at x = e^(-γ)."""
        terms = [[(k, int(c)) for k, c in enumerate(each.coeffs()) if c] for each in (self.numerator, self.denominator)]

        def value(real: Reals) -> Any:
            x = real(-gamma).exp()
            power = cache(lambda k: x**k)
            top, bottom = (sum((c * power(k) for k, c in each), 0 * x) for each in terms)
            return top / bottom

        return seconded(value, BITS + _integer_bits([gamma]))

    def never_exceeds(self, other: PolynomialQuotient) -> bool:
        """Return whether ``other - self``, over the common denominator, has no negative coefficient."""
        return has_no_negative_coefficient(
            other.numerator * self.denominator - self.numerator * other.denominator)


def quotient(numerator: Mapping[int, int], denominator: Mapping[int, int] | None = None) -> PolynomialQuotient:
    """Return the quotient of two polynomials with these coefficients by exponent; the denominator is 1 by default."""
    return PolynomialQuotient(polynomial(numerator), polynomial(denominator or {0: 1}))


def instance_for_every_gamma(n: int, what: str, value: PolynomialQuotient, bound: PolynomialQuotient,
                             shown_at: Fraction,
                             replay: Replay | None = None) -> Instance:
    """Return the instance ``value <= bound`` for every real γ; the numbers are those at γ = ``shown_at``.

    If the coefficients do not prove it, the numbers may refute it, but they cannot confirm it.
    """
    shown = instance(n, f"{what}; numbers at γ = {shown_at}", value.enclose(shown_at), bound.enclose(shown_at), replay)
    return replace(shown, holds=True) if value.never_exceeds(bound) else confirmed_if(False, shown)
