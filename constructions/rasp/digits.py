"""0 and 1 as truth values: B-RASP has no numbers, and writes false and true as 0 and 1.

Claim       Programs that are valid without this keep their meaning, except values that consist of 0s and 1s in a
            program that omits the variable of its attention, as B-RASP does: those are truth values.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from constructions.rasp import syntax


@dataclass(frozen=True)
class Digits:
    """The types of known vectors and functions; ``alone`` is the type of 0 or 1 as a whole value."""

    types: Mapping[str, syntax.Type]
    alone: syntax.Type

    def settled(self, body: syntax.Body) -> syntax.Body:
        """Return the body, with true and false for 1 and 0 where a truth value is expected."""
        match body:
            case syntax.AttentionTerm():
                expected = self._kind(body.value) or self._kind(body.default) or self.alone
                return replace(body, score=self._settled(body.score, syntax.Type.BOOLEAN),
                               value=self._settled(body.value, expected),
                               default=self._settled(body.default, expected))
            case syntax.PrefixSum(value):
                return syntax.PrefixSum(self._settled(value, syntax.Type.INTEGER))
            case syntax.RaspExpression():
                return self._settled(body, self._kind(body) or self.alone)

    def _kind(self, expression: syntax.RaspExpression) -> syntax.Type | None:
        """Return the type, as far as it is visible; None for 0 and 1."""
        match expression:
            case syntax.Integer(0 | 1):
                return None
            case syntax.Conditional(_, chosen, otherwise):
                return self._kind(chosen) or self._kind(otherwise)
            case (syntax.TruthValue() | syntax.Not() | syntax.Connective() | syntax.ComparisonTerm()
                  | syntax.SymbolTest()):
                return syntax.Type.BOOLEAN
            case syntax.Literally() | syntax.Parameter():
                return syntax.Type.SYMBOL
            case syntax.VectorEntry(name) | syntax.Call(name):
                return self.types.get(name)
        return syntax.Type.INTEGER

    def _settled(self, expression: syntax.RaspExpression, expected: syntax.Type) -> syntax.RaspExpression:
        match expression:
            case syntax.Integer(0 | 1 as digit) if expected is syntax.Type.BOOLEAN:
                return syntax.TruthValue(digit == 1, place=expression.place)
            case syntax.Not() | syntax.Connective():
                return self._with_parts(expression, syntax.Type.BOOLEAN)
            case syntax.ComparisonTerm() | syntax.SumTerm() | syntax.Negative():
                return self._with_parts(expression, syntax.Type.INTEGER)
            case syntax.Conditional(condition, chosen, otherwise):
                return replace(expression, condition=self._settled(condition, syntax.Type.BOOLEAN),
                               chosen=self._settled(chosen, expected), otherwise=self._settled(otherwise, expected))
            case syntax.Call(_, arguments):
                settled = tuple(self._settled(part, syntax.Type.SYMBOL) for part in arguments)
                return replace(expression, arguments=settled)
        return expression

    def _with_parts(self, expression: syntax.RaspExpression, expected: syntax.Type) -> syntax.RaspExpression:
        parts: dict[str, Any] = {name: self._settled(part, expected) for name, part in vars(expression).items()
                                 if isinstance(part, syntax.RaspExpression)}
        return replace(expression, **parts)
