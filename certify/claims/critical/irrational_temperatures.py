"""Irrational temperatures in closed forms: exponents and constants as expressions in logarithms and roots.

If everything else that a head reads is rational, its scaled scores are rationals over one irrational temperature τ.
Then its error is a form in x^(1/τ) with rational exponents; a root of it is a constant over τ.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import gcd
from typing import Any

import sympy  # type: ignore[import-untyped, unused-ignore]

from certify.claims.critical.expressions import NoClosedForm
from certify.claims.critical.roots import Root
from constructions.language.expressions import Expression, at_place
from constructions.network.meanings import Position, Product
from constructions.network.transformer import Head, Transformer
from proofs.enclosures.expressions import enclose_at
from proofs.enclosures.intervals import Interval
from proofs.formula.common.extremes import Extreme
from proofs.formula.discharge import Line

LONGEST = 10**6
"""The largest base or argument of a logarithm that is multiplied out."""
AGREEMENT = sympy.Float("1e-25", 60)
DIGITS = 60


@dataclass(frozen=True)
class IrrationalTemperature:
    """An irrational temperature at one row: the expression, an enclosure, and the rounding used by the proof search."""

    expression: Expression
    value: Interval
    rounded: Fraction

    def terms(self, extreme: Extreme) -> list[tuple[Fraction, Fraction]]:
        """Return the score, not divided by the temperature, and the error of every visible position."""
        return [(score * self.rounded, error) for score, error in extreme.terms()]

    def narrowed(self, bracket: Interval) -> Interval:
        """Return an interval whose constants, times τ, certainly lie in the bracket."""
        return Interval(bracket.lower / self.value.lower, bracket.upper / self.value.upper)

    @cached_property
    def symbol(self) -> Any:
        """The temperature as a simplified sympy number; not simplified if sympy's result has another value."""
        written = self.expression.to_sympy()
        simplified = sympy.simplify(written.doit())
        return simplified if abs(sympy.N(simplified - written, DIGITS)) < AGREEMENT else written

    def over(self, x: Fraction) -> Any:
        """Return x/τ."""
        return sympy.Rational(x.numerator, x.denominator) / self.symbol


def tau_of(network: Transformer, line: Line, extreme: Extreme) -> IrrationalTemperature | None:
    """Return the temperature of a head at the row of a worst input; None if it is rational.

    Raises:
        NoClosedForm: if something else that the head reads is irrational.
    """
    head = network.head(line.layer, line.place)
    if _reads_irrational(network, head):
        raise NoClosedForm("a head that reads irrational numbers")
    i, n = extreme.i, extreme.n
    value = enclose_at(head.temperature, i, n)
    if value.is_point:
        return None
    return IrrationalTemperature(at_place(head.temperature, i, n), value, head.temperature.evaluate(i=i, n=n))


def _reads_irrational(network: Transformer, head: Head) -> bool:
    names = {name for row in (*head.queries, *head.keys, *head.values.values()) for name in row}
    return any(isinstance(meaning, Position | Product) and meaning.value.may_be_irrational
               for meaning in map(network.directions.__getitem__, names))


def text_of(number: Any) -> str:
    """Format a sympy number in the spelling of reports.

    >>> text_of(2 * sympy.log(3))
    '2*ln(3)'
    """
    return str(number).replace("log(", "ln(")


def latex_of(number: Any) -> str:
    r"""Format a sympy number in LaTeX.

    >>> print(latex_of(2 * sympy.log(3)))
    2 \ln{\left(3 \right)}
    """
    return str(sympy.latex(number, ln_notation=True))


def power_of_x(temperature: IrrationalTemperature, exponent: Fraction) -> str:
    """Format x^(exponent/τ)."""
    return f"x^({text_of(temperature.over(exponent))})"


def constant_text(temperature: IrrationalTemperature, root: Root) -> str:
    """Format γ = τ times the root's constant: a logarithm to another base if τ is a rational over log of an integer.

    It lies in the bracket because the root lies in the narrowed bracket.
    """
    inverse, factor = root.inverse, sympy.Rational(root.factor.numerator, root.factor.denominator)
    logarithms = [part for part in temperature.symbol.atoms(sympy.log) if part.args[0].is_Integer]
    if inverse.is_Integer and len(logarithms) == 1:
        base = logarithms[0].args[0]
        share = sympy.simplify(temperature.symbol * sympy.log(base)) * factor
        if share.is_Rational and share > 0:
            return _logarithm(base, inverse, share)
    return text_of(temperature.symbol * factor * sympy.log(inverse))


def _logarithm(base: Any, argument: Any, share: Any) -> str:
    """Format share times the logarithm of the argument; the share is absorbed by base and argument."""
    if base**share.q > LONGEST or argument**share.p > LONGEST:
        times = f"{share.p} " if share.p != 1 else ""
        text = f"{times}log_{base} {argument}"
        return text if share.q == 1 else f"({text})/{share.q}"
    (a, p), (b, q) = (sympy.perfect_power(number) or (number, 1) for number in (base**share.q, argument**share.p))
    if a == b:
        return str(sympy.Rational(q, p))
    shared = gcd(int(p), int(q))
    return f"log_{a ** (p // shared)} {b ** (q // shared)}"
