"""Expressions at 400 digits, by mpmath: what enclosures of ln and sqrt are held against."""

from __future__ import annotations

from collections.abc import Callable

import mpmath
from mpmath import mpf

from constructions.language.brackets import Bracket, PositionFunction

OPERATIONS: dict[str, Callable[..., mpf]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b,
    "ln": mpmath.log, "sqrt": mpmath.sqrt, "u-": lambda a: -a, "^": lambda a, b: a ** int(b),
}  # fmt: skip


def by_mpmath(function: PositionFunction, i: int, n: int) -> mpf:
    """The value, from the postfix program, at the working precision."""
    if isinstance(function, Bracket):
        return mpf(int(function.evaluate(i=i, n=n)))
    stack: list[mpf] = []
    for item in function.postfix:
        if isinstance(item, int):
            stack.append(mpf(item))
        elif item in ("i", "n"):
            stack.append(mpf(i if item == "i" else n))
        else:
            arity = 1 if item in ("ln", "sqrt", "u-") else 2
            operands = stack[-arity:]
            del stack[-arity:]
            stack.append(OPERATIONS[item](*operands))
    (value,) = stack
    return value
