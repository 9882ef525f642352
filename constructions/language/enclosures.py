"""Enclosures of expressions with the real ln and sqrt; conditions are decided by enclosures or not at all.

Source      docs/reference/certificate.md, section 1. Rational values stay exact: ln of 1, and the root of a square.
All others
            are Arb balls, with more digits than the enclosures of the checker.
Claim       The real value is between the two rationals of ``real_run_time``; if they are equal, it is the value. The
            truth of a condition is its truth for the real numbers.
Undecided   If the balls do not separate two numbers or determine an integer part or whether there is a value,
            UndecidedError is raised: no rounding decides it.
"""

import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from math import isqrt
from typing import Any

from flint import arb, ctx, fmpq

from constructions.language.arithmetic import BINARY, MAX_BITS, MAX_EXPONENT, UNARY, OutOfRangeError, Postfix, run_time
from constructions.language.functions import (
    DIGITS,
    FUNCTIONS,
    NUMBER_TESTS,
    Number,
    UndefinedError,
    log2ceil,
    log2floor,
)

MORE_BITS = 448
"""Bits beyond four per digit: inputs of an enclosure have a higher precision than the enclosure."""
IRRATIONAL = frozenset({"ln", "sqrt"})
Real = Any
"""A rational, or a ball that contains a real number; flint's types do not distinguish the operations of the two."""


class UndecidedError(ArithmeticError):
    """A question that the enclosures of ln and sqrt leave open; the message continues a sentence on the text."""


def may_be_irrational(program: Postfix) -> bool:
    """Return whether a function with irrational values occurs."""
    return not IRRATIONAL.isdisjoint(program)


def real_run_time(program: Postfix, digits: int = DIGITS) -> Callable[[Mapping[str, int]], tuple[Fraction, Fraction]]:
    """Return the program as a function from variables to two rationals that enclose the real value.

    The truth of a condition is 0 or 1.

    >>> lower, upper = real_run_time((2, "sqrt"))({})
    >>> lower < upper, lower**2 < 2 < upper**2, real_run_time((9, 4, "/", "sqrt"))({})[0]
    (True, True, Fraction(3, 2))
    >>> real_run_time((9, "ln", 2, 3, "ln", "*", ">="))({})
    Traceback (most recent call last):
        ...
    constructions.language.enclosures.UndecidedError: compares numbers that enclosures of ln and sqrt do not separate

    The function raises UndecidedError if the enclosures do not determine whether there is a value or which, and
    OutOfRangeError, UndefinedError and ZeroDivisionError as a program without ln and sqrt.
    """
    function = run_time(program, _UNARY, _BINARY)

    def enclosed(values: Mapping[str, int]) -> tuple[Fraction, Fraction]:
        with ctx.workprec(MORE_BITS + 4 * digits):
            return ends(function(values))

    return enclosed


def ends(value: Real) -> tuple[Fraction, Fraction]:
    """Return the ends of a ball, or a rational twice."""
    if not isinstance(value, arb):
        return Fraction(value), Fraction(value)
    parts = [end.man_exp() for end in (value.lower(), value.upper())]
    lower, upper = (Fraction(int(mantissa)) * Fraction(2) ** int(exponent) for mantissa, exponent in parts)
    return lower, upper


def _ball(x: Real) -> arb:
    return x if isinstance(x, arb) else arb(fmpq(x.numerator, x.denominator))


def _limited(x: arb) -> Real:
    """Return the ball; raise OutOfRangeError if its ends need too many bits."""
    if not x.is_finite() or not abs(x) < arb(2) ** MAX_BITS:
        raise OutOfRangeError(f"needs integers of more than {MAX_BITS} bits")
    if any(int(end.man_exp()[1]) < -MAX_BITS for end in (x.lower(), x.upper())):
        raise OutOfRangeError(f"needs integers of more than {MAX_BITS} bits")
    return Fraction(0) if x == 0 else x


# -- operations --------------------------------------------------------------------------------------------------------


def _lifted(symbol: str, on_balls: Callable[[arb, arb], Real]) -> Callable[[Real, Real], Real]:
    """Extend the operation on rationals to balls."""
    exactly = BINARY[symbol]

    def lifted(left: Real, right: Real) -> Real:
        if not isinstance(left, arb) and not isinstance(right, arb):
            return exactly(left, right)
        return on_balls(_ball(left), _ball(right))

    return lifted


def _multiply(left: arb, right: arb) -> Real:
    return _limited(left * right)


def _divide(left: arb, right: arb) -> Real:
    if right.contains(0):
        raise UndecidedError("may divide by zero: the enclosures of ln and sqrt are too wide to tell")
    return _limited(left / right)


def _floor(x: Real) -> int:
    """Return the integer part, if it is the same for all numbers of the ball."""
    found = None if not isinstance(x, arb) else x.floor().unique_fmpz()
    if isinstance(x, arb) and found is None:
        raise UndecidedError("has a quotient whose integer part the enclosures of ln and sqrt leave open")
    return int(found) if found is not None else x.numerator // x.denominator


def _divide_to_floor(left: arb, right: arb) -> Real:
    return _floor(_divide(left, right))


def _remainder(left: arb, right: arb) -> Real:
    return _limited(left - right * _floor(_divide(left, right)))


def _power(base: Real, exponent: Real) -> Real:
    if isinstance(exponent, arb):
        raise UndecidedError("has an exponent that is irrational, or not known to be an integer")
    if not isinstance(base, arb) or exponent.denominator != 1:
        return BINARY["^"](Fraction(0) if isinstance(base, arb) else base, exponent)
    if abs(exponent) > MAX_EXPONENT:
        raise OutOfRangeError(f"has an exponent outside -{MAX_EXPONENT}..{MAX_EXPONENT}")
    if exponent < 0 and base.contains(0):
        raise UndecidedError("may divide by zero: the enclosures of ln and sqrt are too wide to tell")
    raised = base ** abs(int(exponent))
    return 1 if exponent == 0 else _limited(raised if exponent > 0 else 1 / raised)


def _compared(symbol: str) -> Callable[[arb, arb], Real]:
    """Return a comparison of balls; Arb returns true only if it holds for all numbers of the balls."""
    relation = getattr(operator, {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}[symbol])
    opposite = getattr(operator, {"<": "ge", "<=": "gt", ">": "le", ">=": "lt", "==": "ne", "!=": "eq"}[symbol])

    def compared(left: arb, right: arb) -> Real:
        if relation(left, right):
            return True
        if opposite(left, right):
            return False
        raise UndecidedError("compares numbers that enclosures of ln and sqrt do not separate")

    return compared


def _times(left: Real, right: Real) -> Real:
    """Return a product; 0 times any value is 0."""
    if any(not isinstance(x, arb) and x == 0 for x in (left, right)):
        return Fraction(0)
    return _lifted("*", _multiply)(left, right)


_BINARY: Mapping[str, Callable[[Real, Real], Real]] = {
    **BINARY,
    "+": _lifted("+", lambda left, right: _limited(left + right)),
    "-": _lifted("-", lambda left, right: _limited(left - right)),
    "*": _times,
    "/": _lifted("/", _divide),
    "//": _lifted("//", _divide_to_floor),
    "%": _lifted("%", _remainder),
    "^": _power,
    **{symbol: _lifted(symbol, _compared(symbol)) for symbol in ("<", "<=", ">", ">=", "==", "!=")},
}


# -- functions ---------------------------------------------------------------------------------------------------------


def _ln(x: Real) -> Real:
    if not isinstance(x, arb):
        FUNCTIONS["ln"](x)  # the check of the argument
        return 0 if x == 1 else _limited(_ball(x).log())
    if x > 0:
        return _limited(x.log())
    raise _no_argument("ln", "above", x <= 0)


def _sqrt(x: Real) -> Real:
    if not isinstance(x, arb):
        FUNCTIONS["sqrt"](x)
        whole = Fraction(isqrt(x.numerator), isqrt(x.denominator))
        return whole if whole * whole == x else _limited(_ball(x).sqrt())
    if x >= 0:
        return _limited(x.sqrt())
    raise _no_argument("sqrt", "from", x < 0)


def _no_argument(name: str, where: str, certain: bool) -> ArithmeticError:
    if certain:
        return UndefinedError(f"is not defined ({name} takes numbers {where} 0)")
    return UndecidedError(f"may not be defined ({name} takes numbers {where} 0): the enclosures of ln and sqrt are too "
                          "wide to tell")


def _log2(name: str, exactly: Callable[[Number], int]) -> Callable[[Real], Real]:
    """Return a rounded logarithm to base 2, which is monotone: of a ball, if it is the same at both ends."""

    def found(x: Real) -> Real:
        if not isinstance(x, arb):
            return FUNCTIONS[name](x)
        if not x > 0:
            raise _no_argument(name, "above", x <= 0)
        lower, upper = map(exactly, ends(x))
        if lower != upper:
            raise UndecidedError(f"has a {name} that the enclosures of ln and sqrt leave open")
        return lower

    return found


def _test(name: str) -> Callable[[Real], Real]:
    """Return a test that is false between two integers."""

    def passes(x: Real) -> Real:
        if not isinstance(x, arb):
            return NUMBER_TESTS[name](x)
        floor = x.floor().unique_fmpz()
        if floor is None or not x > floor:
            raise UndecidedError("tests whether a number is an integer, which its enclosure leaves open")
        return False

    return passes


_UNARY: Mapping[str, Callable[[Real], Real]] = {
    **UNARY,
    "ln": _ln,
    "sqrt": _sqrt,
    "log2ceil": _log2("log2ceil", log2ceil),
    "log2floor": _log2("log2floor", log2floor),
    **{name: _test(name) for name in NUMBER_TESTS},
}
