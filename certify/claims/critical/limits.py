"""The limit of a critical constant as n grows: the root of the limit of its equation.

The worst input at one length is extended to all lengths by its families; each term has a limit, and so the excess of
the error over the allowed error becomes a series in x. If all exponents are arithmetic progressions it is a rational
function of x, whose root is computed as for a polynomial; else (squares: a theta series) the root is enclosed. The
shape of the worst inputs of longer words is extrapolated from one length, not proved.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

import sympy  # type: ignore[import-untyped, unused-ignore]
from flint import arb

from certify.claims.critical.expressions import NoClosedForm
from certify.claims.critical.families import TermFamily, find_families
from certify.claims.critical.powers import BITS, power_sum
from certify.claims.critical.roots import VARIABLE, Root, minimal_polynomial
from certify.claims.critical.wording import NO_ROOT, equation_text, gamma_text, series_text
from certify.common.numbers import enclosed
from constructions.network.transformer import Transformer
from proofs.enclosures.exponential import ball, working_precision
from proofs.enclosures.intervals import Interval
from proofs.formula.common.extremes import Extreme
from proofs.formula.discharge import Line

SUMMED = 64
"""The number of terms of each family that are summed; the remainder is bounded."""
SHOWN = 4
BISECTIONS = 40
ROOM = Interval(Fraction(3, 4), Fraction(4, 3))
"""The bracket of the limit, as factors of the constant at the given length."""


def limit_text(transformer: Transformer, line: Line, extreme: Extreme, allowed: Fraction, bracket: Interval) -> str:
    """Return the limit in words; empty if none is found."""
    try:
        families = find_families(transformer, line, extreme, bracket.upper)
    except NoClosedForm:
        return ""
    if all(family.only for family in families):
        return ""
    around = Interval(bracket.lower * ROOM.lower, bracket.upper * ROOM.upper)
    if all(family.only or (len(family.exponent), len(family.error)) == (2, 1) for family in families):
        return _of_progressions(families, allowed, around)
    return _of_series(families, allowed, around)


def _of_progressions(families: Sequence[TermFamily], allowed: Fraction, around: Interval) -> str:
    """Return the root of a sum of geometric series."""
    unit = lcm(*(part.denominator for family in families for part in family.exponent))
    total = sympy.Integer(0)
    for family in families:
        error = sympy.Rational(family.error[0] - allowed)
        first = VARIABLE ** int(family.exponent[0] * unit)
        total += error * (first if family.only else first / (1 - VARIABLE ** int(family.exponent[1] * unit)))
    numerator, _ = sympy.fraction(sympy.cancel(sympy.together(total)))
    polynomial = sympy.Poly(numerator, VARIABLE)
    excess = power_sum((Fraction(degrees[0], unit), Fraction(int(c.p), int(c.q))) for degrees, c in polynomial.terms())
    if not any(exponent for exponent, _ in excess.coefficients):
        return ""
    minimal = minimal_polynomial(excess, around)
    if minimal is None:
        return ""
    root = Root(excess, excess.denominator, minimal)
    if root.inverse is not None and root.is_within(around):
        return gamma_text(root)
    return f"{NO_ROOT} with {equation_text(excess)}"


def _of_series(families: Sequence[TermFamily], allowed: Fraction, around: Interval) -> str:
    """Return the root of a series, enclosed, and the beginning of the series."""
    found = enclose_root(families, allowed, around)
    if found is None:
        return ""
    count = [1 if family.only else SHOWN for family in families]
    terms = sorted(family.term(s) for family, most in zip(families, count, strict=True) for s in range(most))
    beginning = power_sum((exponent, error - allowed) for exponent, error in terms[:SHOWN + 1])
    return f"{enclosed(found.lower, found.upper)}, {NO_ROOT} with {series_text(beginning)}"


def enclose_root(families: Sequence[TermFamily], allowed: Fraction, around: Interval) -> Interval | None:
    """Return two constants between which the series is certainly 0; None unless it falls from positive to negative."""
    first = power_sum((exponent, error - allowed) for family in families
                      for exponent, error in map(family.term, range(1 if family.only else SUMMED)))
    endless = [family for family in families if not family.only]

    def series_at(gamma: Fraction) -> arb:
        return first.at(gamma) + sum((_rest(family, allowed, gamma) for family in endless), arb(0))

    low, high = around.lower, around.upper
    if not (series_at(low) > 0 and series_at(high) < 0):
        return None
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        value = series_at(middle)
        if value > 0:
            low = middle
        elif value < 0:
            high = middle
        else:
            break
    return Interval(low, high)


def _rest(family: TermFamily, allowed: Fraction, gamma: Fraction) -> arb:
    """Return a ball around 0 with the terms of a family that are not among the first, at a constant.

    Exponents grow by at least c = exponent[1] + exponent[2] from s to s + 1, and |error - allowed| is at most E (s +
    1), with E the sum of the absolute coefficients and ``allowed``. So the terms from S on sum to at most E (S + 1)
    x^(exponent of S) / (1 - x^c)^2.
    """
    with working_precision(BITS):
        slope = sum(family.exponent[1:], Fraction(0))
        most = ball((sum(map(abs, family.error), Fraction(0)) + allowed) * (SUMMED + 1))
        power = ball(-gamma * family.term(SUMMED)[0]).exp()
        rest = (most * power / (1 - ball(-gamma * slope).exp()) ** 2).upper()
        return arb(0, rest)
