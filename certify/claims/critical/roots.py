"""The number gamma = -ln x at which an error form equals the allowed error: its polynomial, closed form and check.

Check       Arb: the excess is certainly positive at the lower end of a bracket and certainly negative at the upper
            end, so that a root lies between them. Without that there is no closed form.
Polynomial  in y = x^(1/d), d the common denominator of the exponents: sympy factors it over Q, the product of the
            factors is compared with it, and the minimal polynomial is the factor that changes sign in the bracket.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import gcd
from typing import Any

import sympy  # type: ignore[import-untyped, unused-ignore]
from flint import arb

from certify.claims.critical.powers import BITS, ErrorForm, PowerSum, integer_coefficients
from proofs.enclosures.exponential import ball, working_precision
from proofs.enclosures.intervals import Interval

HIGHEST_DEGREE = 1024
"""The highest degree of a polynomial that is factored."""
VARIABLE = sympy.Symbol("x", positive=True)


@dataclass(frozen=True)
class Root:
    """The root of ``excess``, as gamma = -ln x.

    ``minimal`` is the minimal polynomial of x^(1/``denominator``), as coprime integers by degree, if it was found.
    """

    excess: PowerSum
    denominator: int
    minimal: Mapping[int, int] | None

    @property
    def inverse(self) -> Any:
        """1/x^(s/d) as a sympy number, if the minimal polynomial has degree 1 or 2 in x^(s/d); else None."""
        low, middle, high = self.low_middle_high or (0, 0, 0)
        if not high:
            return sympy.Rational(-middle, low) if middle else None
        discriminant = sympy.sqrt(sympy.Integer(middle * middle - 4 * low * high))
        inverse = sympy.radsimp(2 * high / (discriminant * sympy.sign(high) - middle))
        assert sympy.expand(low * inverse**2 + middle * inverse + high) == 0, "radicals that are not a root"
        return inverse

    @property
    def step(self) -> int:
        """The greatest s such that the minimal polynomial is a polynomial in x^(s/d)."""
        return gcd(*self.minimal) if self.minimal else 1

    @property
    def low_middle_high(self) -> tuple[int, int, int] | None:
        """The coefficients of the minimal polynomial of x^(s/d), if that has degree 1 or 2 and one positive root."""
        if self.minimal is None or max(self.minimal) > 2 * self.step:
            return None
        low, middle, high = (self.minimal.get(self.step * k, 0) for k in range(3))
        return None if high and low * high > 0 else (low, middle, high)

    @property
    def factor(self) -> Fraction:
        """The factor d/s of the logarithm of ``inverse``."""
        return Fraction(self.denominator, self.step)

    def is_within(self, bracket: Interval) -> bool:
        """Return whether the constant given by ``inverse`` is certainly between these ends."""
        low, middle, high = self.low_middle_high or (0, 0, 0)
        with working_precision(BITS):
            root = -arb(low) / middle if not high else (
                (arb(middle * middle - 4 * low * high).sqrt() * (1 if high > 0 else -1) - middle) / (2 * high))
            gamma = -root.log() * ball(self.factor)
            return bool(ball(bracket.lower) < gamma) and bool(gamma < ball(bracket.upper))


def root_in(form: ErrorForm, allowed: Fraction, bracket: Interval) -> Root | None:
    """Return the constant in the bracket at which the error falls to the allowed one; None if none certainly exists.

    >>> since = ErrorForm(((Fraction(0), Fraction(0)), (Fraction(1), Fraction(1))))
    >>> found = root_in(since, Fraction(1, 4), Interval(Fraction(1), Fraction(2)))
    >>> found.inverse, found.factor, found.minimal
    (3, Fraction(1, 1), {1: 3, 0: -1})
    """
    excess = form.excess(allowed)
    if not (excess.at(bracket.lower) > 0 and excess.at(bracket.upper) < 0):
        return None
    return Root(excess, excess.denominator, minimal_polynomial(excess, bracket))


def minimal_polynomial(excess: PowerSum, bracket: Interval) -> Mapping[int, int] | None:
    """Return the minimal polynomial of x^(1/d) for the root x = e^(-gamma) in the bracket; None if of high degree."""
    whole = integer_coefficients(excess)
    if max(whole) > HIGHEST_DEGREE:
        return None
    polynomial = sympy.Poly.from_dict(whole, VARIABLE, domain="ZZ")
    unit, factors = polynomial.factor_list()
    product = sympy.Poly(unit, VARIABLE, domain="ZZ")
    for factor, power in factors:
        product *= factor**power
    assert product == polynomial, "factors whose product is something else"
    changing = [factor for factor, _ in factors if _changes_sign(factor, excess.denominator, bracket)]
    if len(changing) != 1:
        return None
    return {degrees[0]: int(coefficient) for degrees, coefficient in changing[0].terms()}


def _changes_sign(factor: Any, denominator: int, bracket: Interval) -> bool:
    terms = [(Fraction(degrees[0], denominator), Fraction(int(coefficient))) for degrees, coefficient in factor.terms()]
    form = PowerSum(tuple(sorted(terms)))
    return bool(form.at(bracket.lower) * form.at(bracket.upper) < 0)
