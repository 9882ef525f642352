"""Expressions with their places in the text, and which of them need brackets.

Claim       An expression without brackets is accepted only if two readings group it the same way: the usual one (prefix
            operators bind tightest, then * , + and -, comparisons, &&, ||, if-else), and the reading of the interpreter
            that ``.cr`` files come from, where
              ! and # reach as far to the right as a truth value goes,        !a && b     is  !(a && b)
              a number times something reaches over + and -,                  2*a + b     is  2*(a + b)
              + binds tighter than -,                                         a - b + c   is  a - (b + c)
              if-else groups to the left, and comparisons are looser.         x == 1 if b else 0 is x == (1 if b else 0)
            All other expressions can be grouped in one way only, if truth values and numbers are distinguished. (That
            interpreter does not distinguish them: it reads a number where it counts truths if the text allows it.)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from constructions.crasp.syntax import (
    ComparisonTerm,
    Conditional,
    Connective,
    CountTerm,
    Not,
    ProductTerm,
    RaspExpression,
    SumTerm,
)

_SHOWN = 60


@dataclass(frozen=True)
class SourceExpression:
    """An expression with the place of its text: ``first`` and ``end`` are offsets, including its brackets.

    ``last`` is the operand at its right end, and ``left_end`` the place where its left operand ends.
    """

    expression: RaspExpression
    first: int
    end: int
    last: SourceExpression | None = None
    left_end: int = 0
    is_bracketed: bool = False


def open_ends(written: SourceExpression) -> Iterator[SourceExpression]:
    """Yield the expression, its last part, the last part of that, ... up to the first one in brackets."""
    part: SourceExpression | None = written
    while part is not None and not part.is_bracketed:
        yield part
        part = part.last


def find_other_grouping(text: str, written: SourceExpression, left: SourceExpression) -> tuple[str, str] | None:
    """Return both ways to bracket an operation whose left operand is ``left``; None if there is only one."""
    for part in [left] if isinstance(written.expression, ComparisonTerm) else open_ends(left):
        if not part.is_bracketed and _reaches_on(part.expression, written.expression) and part.last is not None:
            return _groupings(text, part, part.last.first, written.end)
    return None


def _reaches_on(before: RaspExpression, operation: RaspExpression) -> bool:
    """Return whether the last operand of ``before`` can be read as the left operand of the operation."""
    match operation:
        case SumTerm("+", _, _):
            return isinstance(before, ProductTerm) or (isinstance(before, SumTerm) and before.sign == "-")
        case SumTerm():
            return isinstance(before, ProductTerm)
        case ComparisonTerm():
            return isinstance(before, Not)
        case Conditional():
            return isinstance(before, ComparisonTerm)
        case Connective():
            return isinstance(before, Not | CountTerm)
    return False


def find_other_branch(text: str, written: SourceExpression, otherwise: SourceExpression) -> tuple[str, str] | None:
    """Return both ways to bracket a conditional that ends in a comparison or another conditional; None if only one."""
    if otherwise.is_bracketed or not isinstance(otherwise.expression, ComparisonTerm | Conditional):
        return None
    return (_shown(f"({text[written.first : otherwise.left_end]}){text[otherwise.left_end : written.end]}"),
            _shown(f"{text[written.first : otherwise.first]}({text[otherwise.first : written.end]})"))


def _groupings(text: str, part: SourceExpression, last: int, end: int) -> tuple[str, str]:
    """Return ``part`` in brackets before the rest, and its operand from ``last`` on in brackets with the rest."""
    return (_shown(f"({text[part.first : part.end]}){text[part.end : end]}"),
            _shown(f"{text[part.first : last]}({text[last : end]})"))


def _shown(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN // 2]} ... {text[-_SHOWN // 2 :]}"
