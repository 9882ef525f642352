"""0 and 1 where a truth value is meant: B-RASP has no numbers, and writes false and true so.

Claim       Whatever makes sense without this means the same with it, but for values of 0s and 1s alone in a program
            that leaves out the variable of its attention, as B-RASP does: those are truth values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from constructions.rasp.syntax import (
    Attention,
    Body,
    Call,
    Comparison,
    Conditional,
    Connective,
    Entry,
    Expression,
    Integer,
    Letter,
    Literally,
    Negative,
    Not,
    Parameter,
    PrefixSum,
    Sum,
    Truth,
    Type,
)


@dataclass(frozen=True)
class Digits:
    """``types`` are those of the known vectors and functions; ``alone`` is that of 0 or 1 with nothing else."""

    types: Mapping[str, Type]
    alone: Type

    def settled(self, body: Body) -> Body:
        """The body, with true and false for 1 and 0 where a truth value is expected."""
        match body:
            case Attention():
                expected = self._kind(body.value) or self._kind(body.default) or self.alone
                return replace(body, score=self._settled(body.score, Type.BOOLEAN),
                               value=self._settled(body.value, expected),
                               default=self._settled(body.default, expected))
            case PrefixSum(value):
                return PrefixSum(self._settled(value, Type.INTEGER))
            case Expression():
                return self._settled(body, self._kind(body) or self.alone)

    def _kind(self, expression: Expression) -> Type | None:
        """The type, as far as it can be seen; None of 0 and 1."""
        match expression:
            case Integer(0 | 1):
                return None
            case Conditional(_, chosen, otherwise):
                return self._kind(chosen) or self._kind(otherwise)
            case Truth() | Not() | Connective() | Comparison() | Letter():
                return Type.BOOLEAN
            case Literally() | Parameter():
                return Type.SYMBOL
            case Entry(name) | Call(name):
                return self.types.get(name)
        return Type.INTEGER

    def _settled(self, expression: Expression, expected: Type) -> Expression:
        match expression:
            case Integer(0 | 1 as digit) if expected is Type.BOOLEAN:
                return Truth(digit == 1, place=expression.place)
            case Not(operand):
                return replace(expression, operand=self._settled(operand, Type.BOOLEAN))
            case Connective(_, left, right):
                return replace(expression, left=self._settled(left, Type.BOOLEAN),
                               right=self._settled(right, Type.BOOLEAN))
            case Comparison(_, left, right) | Sum(_, left, right):
                return replace(expression, left=self._settled(left, Type.INTEGER),
                               right=self._settled(right, Type.INTEGER))
            case Negative(operand):
                return replace(expression, operand=self._settled(operand, Type.INTEGER))
            case Conditional(condition, chosen, otherwise):
                return replace(expression, condition=self._settled(condition, Type.BOOLEAN),
                               chosen=self._settled(chosen, expected), otherwise=self._settled(otherwise, expected))
            case Call(_, arguments):
                return replace(expression, arguments=tuple(self._settled(part, Type.SYMBOL) for part in arguments))
        return expression
