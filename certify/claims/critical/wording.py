"""Closed forms as texts: `ln 4`, `-ln x`, `x + x^2 + x^3 = 1/3`, `3x^3 + 3x^2 + 3x - 1`."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from certify.claims.critical.powers import PowerSum, integer_coefficients
from certify.claims.critical.roots import Root

NO_ROOT = "-ln x"
Power = Callable[[Fraction], str]
"""The format of a power of x, by its exponent."""


def gamma_text(root: Root) -> str:
    """Format the constant: a logarithm, or minus that of the equation's root.

    >>> gamma_text(Root(PowerSum(((Fraction(0), Fraction(-1)), (Fraction(2), Fraction(3)))), 1, {0: -1, 2: 3}))
    '(ln 3)/2'
    """
    if root.inverse is None:
        return NO_ROOT
    inside = str(root.inverse)
    logarithm = f"ln {inside}" if root.inverse.is_Integer else f"ln({inside})"
    factor = root.factor
    times = f"{factor.numerator} {logarithm}" if factor.numerator != 1 else logarithm
    return times if factor.denominator == 1 else f"({times})/{factor.denominator}"


def equation_text(excess: PowerSum, power: Power | None = None) -> str:
    """Format the equation of x; ``power`` formats powers of x, by default ``power_text``.

    >>> equation_text(PowerSum(((Fraction(0), Fraction(-1, 4)), (Fraction(1, 2), Fraction(3, 4)))))
    'x^(1/2) = 1/3'
    """
    coefficients = integer_coefficients(excess)
    if coefficients.get(0, 0) >= 0 or any(c < 0 for k, c in coefficients.items() if k):
        sign = 1 if coefficients[max(coefficients)] > 0 else -1
        signed = {k: sign * c for k, c in coefficients.items()}
        return f"{polynomial_text(signed, excess.denominator, power=power)} = 0"
    terms, constant = _against_constant(excess, power)
    return f"{_sum(terms)} = {constant}"


def _against_constant(excess: PowerSum, power: Power | None = None) -> tuple[list[str], Fraction]:
    """Return the powers of x, the lowest first, and the value of their sum; equal coefficients are divided out."""
    coefficients = integer_coefficients(excess)
    constant = Fraction(-coefficients.get(0, 0))
    rest = {Fraction(k, excess.denominator): Fraction(c) for k, c in sorted(coefficients.items()) if k}
    if len(set(rest.values())) == 1:
        constant, rest = constant / next(iter(rest.values())), dict.fromkeys(rest, Fraction(1))
    return [_term(c, exponent, power=power) for exponent, c in rest.items()], constant


def series_text(beginning: PowerSum) -> str:
    """Format the equation of a series with this beginning, the lowest power first.

    >>> terms = (Fraction(0), Fraction(-1, 4)), (Fraction(1), Fraction(3, 4)), (Fraction(4), Fraction(7, 4))
    >>> series_text(PowerSum(terms))
    '3x + 7x^4 + ... = 1'
    """
    terms, constant = _against_constant(beginning)
    return f"{_sum([*terms, '...'])} = {constant}"


def polynomial_text(coefficients: Mapping[int, int], denominator: int = 1, variable: str = "x",
                    power: Power | None = None) -> str:
    """Format the polynomial in x^(1/denominator), the highest power first.

    >>> polynomial_text({0: -1, 1: 3, 4: 1}, 2), polynomial_text({0: -1, 2: -3, 3: 1}, variable="y")
    ('x^2 + 3x^(1/2) - 1', 'y^3 - 3y^2 - 1')
    """
    return _sum([_term(Fraction(c), Fraction(k, denominator), variable, power)
                 for k, c in sorted(coefficients.items(), reverse=True)])


def _term(coefficient: Fraction, exponent: Fraction, variable: str = "x", power: Power | None = None) -> str:
    if not exponent:
        return str(coefficient)
    number = str(coefficient) if abs(coefficient) != 1 else "-" if coefficient < 0 else ""
    return number + (power(exponent) if power else power_text(exponent, variable))


def power_text(exponent: Fraction, variable: str = "x") -> str:
    """Format a power of the variable.

    >>> power_text(Fraction(1)), power_text(Fraction(4)), power_text(Fraction(4, 3))
    ('x', 'x^4', 'x^(4/3)')
    """
    if exponent == 1:
        return variable
    return f"{variable}^{exponent}" if exponent.denominator == 1 else f"{variable}^({exponent})"


def _sum(terms: Sequence[str]) -> str:
    return " + ".join(terms).replace("+ -", "- ")


def minimal_polynomial_text(root: Root, power_of_x: Power | None = None) -> str:
    """Format the minimal polynomial of a power of x; empty if none was found, or if the constant is a plain logarithm.

    >>> minimal_polynomial_text(Root(PowerSum(((Fraction(0), Fraction(-1)),)), 2, {0: -1, 3: 3, 9: 1}))
    'y^3 + 3y - 1 with y = x^(3/2)'
    """
    if root.minimal is None or (root.inverse is not None and root.inverse.is_Rational):
        return ""
    coefficients, power = {degree // root.step: c for degree, c in root.minimal.items()}, 1 / root.factor
    if power == 1 and power_of_x is None:
        return polynomial_text(coefficients)
    return f"{polynomial_text(coefficients, variable='y')} with y = {(power_of_x or power_text)(power)}"
