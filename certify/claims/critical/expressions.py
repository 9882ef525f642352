"""Exact expressions in i and n as rational functions, for sympy to simplify.

Roots and logarithms are excluded: the format rounds them to 48 digits. Powers of -1 whose exponent contains i or n are
kept.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import sympy  # type: ignore[import-untyped, unused-ignore]

from constructions.language.arithmetic import MAX_EXPONENT, NEGATE, Postfix
from constructions.language.expressions import Expression

MOST_STEPS = 64
"""The greatest number of factors of an expression that is converted, after multiplying out its powers."""


class NoClosedForm(Exception):
    """The expression is not a rational function, or too large for one; it is not malformed."""


@dataclass(frozen=True)
class _Part:
    """A part of an expression, and an upper bound on the number of factors to which its powers multiply out."""

    value: Any
    steps: int


_JOINED: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b,
}  # fmt: skip


def rational_function(expression: Expression, variables: Mapping[str, Any]) -> Any:
    """Convert the expression to sympy, with these symbols for its variables.

    >>> from constructions.language.expressions import parse_expression
    >>> rational_function(parse_expression("(i+1)/(2*n)"), {"i": sympy.Symbol("j"), "n": sympy.Symbol("n")})
    (j + 1)/(2*n)

    Raises:
        NoClosedForm: if it has a function other than + - * / ^, divides by zero everywhere, or has towers of powers.
    """
    return _evaluate(expression.postfix, variables)


def _evaluate(program: Postfix, variables: Mapping[str, Any]) -> Any:
    stack: list[_Part] = []
    for item in program:
        if isinstance(item, int):
            stack.append(_Part(sympy.Integer(item), 1))
        elif item in variables:
            stack.append(_Part(variables[item], 1))
        elif item == NEGATE:
            operand = stack.pop()
            stack.append(_Part(-operand.value, operand.steps))
        elif item in _JOINED or item == "^":
            right, left = stack.pop(), stack.pop()
            stack.append(_power(left, right) if item == "^" else _join(item, left, right))
        else:
            raise NoClosedForm(f"{item} is not arithmetic")
    (result,) = stack
    return result.value


def _join(operator: str, left: _Part, right: _Part) -> _Part:
    if operator == "/" and right.value == 0:
        raise NoClosedForm("divides by zero")
    return _limited(_JOINED[operator](left.value, right.value), left.steps + right.steps)


def _power(base: _Part, exponent: _Part) -> _Part:
    if exponent.value.is_Integer and abs(exponent.value) <= MAX_EXPONENT and (base.value != 0 or exponent.value >= 0):
        return _limited(base.value ** exponent.value, base.steps * max(1, abs(int(exponent.value))))
    if base.value == -1:
        return _limited(base.value ** sympy.expand(exponent.value), exponent.steps)
    raise NoClosedForm("a power that is not a rational function")


def _limited(value: Any, steps: int) -> _Part:
    if steps > MOST_STEPS:
        raise NoClosedForm("powers of powers")
    return _Part(value, steps)
