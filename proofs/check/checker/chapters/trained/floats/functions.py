"""exp, exp2, erf, tanh and sigmoid of one execution: rounded to nearest from narrow enclosures.

The number that is rounded is within 2^-DIGITS of the true value, relatively. So the result errs by at most 1/2 + 2^(p -
DIGITS) units in the last place, p <= 64.
"""

from fractions import Fraction
from functools import cache
from math import isqrt

from ....kernel.budget import Budget
from ....kernel.exponential import WORKING_BITS, enclose_exp, exp_steps
from ....kernel.irrational.functions import enclose_ln
from ....kernel.numbers import ends_of
from ...float_models.reading import Format
from ..balls.gelu import enclose_pi
from .dyadics import Dyadic, nearest

DIGITS = 72
SMALL = 44  # where |x| <= 2^-SMALL, |tanh(x) - x| <= |x|³/3 < 2^-89 |x|
FAR = 8  # where x >= FAR, 1 - erf(x) < exp(-64) < 2^-92, and where x >= 32, 1 - tanh(x) < 2 exp(-64)

Ends = tuple[Fraction, Fraction]


def exp(x: Fraction, budget: Budget) -> Ends:
    """Enclose e^x."""
    budget.spend(exp_steps(x))
    lower, upper, e = enclose_exp(x)
    unit = Fraction(2) ** e
    return lower * unit, upper * unit


def exp2(x: Fraction, budget: Budget) -> Ends:
    """Enclose 2^x, x <= 0."""
    ln = ends_of(enclose_ln(Fraction(2), budget))
    return exp(x * ln.upper, budget)[0], exp(x * ln.lower, budget)[1]


def tanh(x: Fraction, budget: Budget) -> Ends:
    """Enclose the hyperbolic tangent (1 - w)/(1 + w), w = e^-2x, x >= 0."""
    if x <= Fraction(1, 1 << SMALL):
        return x * (1 - Fraction(1, 1 << 2 * SMALL)), x
    if x >= 4 * FAR:
        return 1 - Fraction(1, 1 << 2 * SMALL), Fraction(1)
    low, high = exp(-2 * x, budget)
    return (1 - high) / (1 + high), (1 - low) / (1 + low)


def erf(x: Fraction, budget: Budget) -> Ends:
    """Enclose the error function, 2/sqrt(π) exp(-x²) (x + 2x³/3 + 4x⁵/(3 · 5) + ...), x >= 0.

    A term is 2x²/(2k + 1) times the one before; where that is at most 1/2, later terms add up to at most the last.
    """
    if x >= FAR:
        return 1 - Fraction(1, 1 << 2 * SMALL), Fraction(1)
    low, high = exp(-x * x, budget)
    square, k = 2 * x * x, 1
    p, q = square.numerator, square.denominator
    term, more = 1 << WORKING_BITS, 1 << WORKING_BITS
    total, greatest = term, more
    while more > 1 or 2 * p > q * k:
        k += 2
        term, more = term * p // (q * k), -(-more * p // (q * k))
        total, greatest = total + term, greatest + more
        budget.spend(2 + (p.bit_length() + q.bit_length() >> 7))
    root_low, root_high = two_over_root_of_pi()
    return x * low * root_low * total / 2**WORKING_BITS, x * high * root_high * (greatest + more) / 2**WORKING_BITS


def sigmoid(x: Fraction, budget: Budget) -> Ends:
    """Enclose 1 / (1 + e^-x)."""
    low, high = exp(-abs(x), budget)
    return (1 / (1 + high), 1 / (1 + low)) if x >= 0 else (low / (1 + low), high / (1 + high))


@cache
def two_over_root_of_pi() -> Ends:
    """Enclose 2/sqrt(π)."""
    low, high = (isqrt((4 << 3 * WORKING_BITS) // end) for end in reversed(enclose_pi(WORKING_BITS)))
    return Fraction(low, 1 << WORKING_BITS), Fraction(high + 1, 1 << WORKING_BITS)


def log2_of_e(form: Format, budget: Budget) -> Dyadic:
    """Return log2(e) = 1/ln(2), rounded."""
    low, high = (nearest(1 / end, form) for end in ends_of(enclose_ln(Fraction(2), budget)))
    if low != high:
        raise ArithmeticError("log2(e) is not enclosed closely enough")
    return low


FUNCTIONS = {"exp": exp, "exp2": exp2, "tanh": tanh, "erf": erf, "sigmoid": sigmoid}


def computed(name: str, x: Fraction, form: Format, budget: Budget) -> Dyadic:
    """Return the function's value at x, as one execution has it; exp and exp2 need x <= 0, tanh and erf x >= 0.

    exp(x), exp2(x) and sigmoid(x) are at most 2^x for x <= 0: less than half of the least number where x is far below
    0.

    Raises:
        ArithmeticError: if the enclosure is too wide; then the check is incomplete.
    """
    if x < form.least - form.precision:
        return 0, 0
    low, high = FUNCTIONS[name](x, budget)
    if not 0 <= (high - low) * 2**DIGITS <= low:
        raise ArithmeticError("a function is not enclosed closely enough")
    return nearest(low, form)
