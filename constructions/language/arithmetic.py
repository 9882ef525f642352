"""Exact, bounded arithmetic on the rationals, and postfix programs.

The rules are those of docs/reference/certificate.md section 1: an exponent is an integer of absolute value at most 64,
unless the base is 0, 1 or -1. Beyond that, every intermediate numerator and denominator has at most 100,000 bits.
"""

import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from constructions.language.functions import FUNCTIONS, NUMBER_TESTS, Number

Function = Callable[[Mapping[str, int]], Any]
Operations = Mapping[str, Callable[..., Any]]
Postfix = tuple[int | str, ...]
"""Integers, names of variables, and operators and functions after their operands; unary minus is NEGATE."""

NEGATE = "u-"
MAX_EXPONENT = 64
MAX_BITS = 100_000


class OutOfRangeError(ArithmeticError):
    """An operation outside the limits; the message continues the sentence that begins with the expression."""


def run_time(program: Postfix, unary: Operations | None = None, binary: Operations | None = None) -> Function:
    """Compile the program into a function of its variables.

    It raises OutOfRangeError, UndefinedError and ZeroDivisionError. ``unary`` and ``binary`` replace the tables here.

    >>> run_time(("n", 2, "^", 1, "-"))({"n": 5})
    24
    """
    unary, binary = unary or UNARY, binary or BINARY
    stack: list[Function] = []
    for item in program:
        if item in unary:
            stack.append(_apply_unary(unary[str(item)], stack.pop()))
        elif item in binary:
            right, left = stack.pop(), stack.pop()
            stack.append(_apply_binary(str(item), binary[str(item)], left, right))
        else:
            stack.append(_leaf(item))
    (function,) = stack
    return function


def _leaf(item: int | str) -> Function:
    if isinstance(item, int):
        return lambda values, number=item: number  # type: ignore[misc]
    return operator.itemgetter(item)


def _apply_unary(operation: Callable[..., Any], operand: Function) -> Function:
    return lambda values: operation(operand(values))


def _apply_binary(symbol: str, operation: Callable[..., Any], left: Function, right: Function) -> Function:
    if symbol == "and":
        return lambda values: left(values) and right(values)
    if symbol == "or":
        return lambda values: left(values) or right(values)
    return lambda values: operation(left(values), right(values))


def _bits(number: Number) -> int:
    return max(number.numerator.bit_length(), number.denominator.bit_length())


def _bounded(operation: Callable[[Number, Number], Number]) -> Callable[[Number, Number], Number]:
    def bounded(left: Number, right: Number) -> Number:
        result = operation(left, right)
        if _bits(result) > MAX_BITS:
            raise OutOfRangeError(f"needs integers of more than {MAX_BITS} bits")
        return result

    return bounded


def _power(base: Number, exponent: Number) -> Number:
    if exponent.denominator != 1:
        raise OutOfRangeError("has an exponent that is not an integer")
    if base in (0, 1, -1):
        return power_of_unit(int(base), int(exponent))
    times = exponent.numerator
    if abs(times) > MAX_EXPONENT:
        raise OutOfRangeError(f"has an exponent outside -{MAX_EXPONENT}..{MAX_EXPONENT}")
    if (_bits(base) - 1) * abs(times) > MAX_BITS:
        raise OutOfRangeError(f"needs integers of more than {MAX_BITS} bits")
    return base**times if times > 0 else Fraction(base) ** times


def power_of_unit(base: int, exponent: int) -> int:
    """Return base ** exponent for a base of -1, 0 or 1 and an integer exponent of any size."""
    if base == 0 and exponent < 0:
        raise ZeroDivisionError
    return 1 if exponent == 0 or (base and exponent % 2 == 0) else base


UNARY: Mapping[str, Callable[[Number], Number]] = {
    NEGATE: lambda operand: -operand,
    "not": operator.not_,
    **FUNCTIONS,
    **NUMBER_TESTS,
}

BINARY: Mapping[str, Callable[[Number, Number], Number]] = {
    "+": _bounded(operator.add),
    "-": _bounded(operator.sub),
    "*": _bounded(operator.mul),
    "/": _bounded(Fraction),
    "//": _bounded(operator.floordiv),
    "%": _bounded(operator.mod),
    "^": _bounded(_power),
    "<=": operator.le,
    "<": operator.lt,
    ">=": operator.ge,
    ">": operator.gt,
    "==": operator.eq,
    "!=": operator.ne,
    "and": operator.and_,  # both evaluate the right side only if needed
    "or": operator.or_,
}
