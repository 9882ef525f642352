"""Expressions on small integers for the transducers of docs/howto/aligned.md: `(a + b + carry) // 10`."""

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

from constructions.errors import InputError

MOST = 1 << 40
"""Bound of the absolute value of every intermediate result."""
LONGEST = 400
Value = Callable[[Mapping[str, int]], int]

_BINARY: Mapping[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod}
_COMPARISONS: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge}
_FUNCTIONS: Mapping[str, Callable[..., int]] = {"min": min, "max": max, "abs": abs}


class IntegerExpression:
    """A text of + - * // %, comparisons, and, or, not, `x if y else z`, min, max and abs; truths are 1 and 0."""

    def __init__(self, where: str, text: str) -> None:
        """Parse the text; raise InputError if it is not such an expression."""
        self.where, self.text = where, text
        if len(text) > LONGEST:
            raise InputError(f"{where}: {len(text)} characters, expected at most {LONGEST}")
        try:
            body = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise InputError(f"{where}: {text!r} is not an expression") from None
        self.names: set[str] = set()
        self._value = self._compile(body)

    def check_names(self, known: frozenset[str]) -> None:
        """Reject unknown names.

        Raises:
            InputError: naming the first.
        """
        if unknown := sorted(self.names - known):
            raise InputError(f"{self.where}: {unknown[0]} in {self.text!r}, expected one of {', '.join(sorted(known))}")

    def value(self, names: Mapping[str, int]) -> int:
        """Return the value for these values of names.

        Raises:
            InputError: on a division by 0, or if a number is too large.
        """
        try:
            found = self._value(names)
        except ZeroDivisionError:
            raise InputError(f"{self.where}: {self.text!r} divides by 0 where " + _shown(names)) from None
        return int(found)

    def _compile(self, node: ast.expr) -> Value:
        match node:
            case ast.Constant(value=bool() | int() as number) if abs(number) < MOST:
                return lambda names: int(number)
            case ast.Name(id=name):
                self.names.add(name)
                return lambda names: names[name]
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
                return self._joined(_BINARY[type(op)], self._compile(left), self._compile(right))
            case ast.UnaryOp(op=ast.USub() | ast.Not() as sign, operand=operand):
                inner = self._compile(operand)
                return (lambda names: -inner(names)) if isinstance(sign, ast.USub) else (
                    lambda names: int(not inner(names)))
            case ast.BoolOp(op=junction, values=operands):
                return self._all_or_any(isinstance(junction, ast.And), [self._compile(one) for one in operands])
            case ast.Compare():
                return self._comparison(node)
            case ast.IfExp(test=test, body=body, orelse=other):
                ifs = self._compile(test), self._compile(body), self._compile(other)
                return lambda names: ifs[1](names) if ifs[0](names) else ifs[2](names)
            case ast.Call(func=ast.Name(id=name), args=[_, *_] as args, keywords=[]) if name in _FUNCTIONS and (
                    (len(args) == 1) == (name == "abs")):
                function, inputs = _FUNCTIONS[name], [self._compile(one) for one in args]
                return lambda names: function(*(one(names) for one in inputs))
        raise InputError(f"{self.where}: {ast.unparse(node)!r} in {self.text!r}, expected numbers, names, + - * // %, "
                         f"comparisons, and, or, not, if else, min, max, abs")

    def _joined(self, function: Callable[[int, int], int], left: Value, right: Value) -> Value:
        def value(names: Mapping[str, int]) -> int:
            found = function(left(names), right(names))
            if abs(found) >= MOST:
                raise InputError(f"{self.where}: {self.text!r} reaches {MOST}")
            return found
        return value

    def _all_or_any(self, is_all: bool, parts: list[Value]) -> Value:
        join = all if is_all else any
        return lambda names: int(join(part(names) for part in parts))

    def _comparison(self, node: ast.Compare) -> Value:
        if any(type(op) not in _COMPARISONS for op in node.ops):
            raise InputError(f"{self.where}: {ast.unparse(node)!r}, expected ==, !=, <, <=, > or >=")
        operators = [_COMPARISONS[type(op)] for op in node.ops]
        parts = [self._compile(part) for part in (node.left, *node.comparators)]

        def value(names: Mapping[str, int]) -> int:
            found = [part(names) for part in parts]
            return int(all(op(a, b) for op, a, b in zip(operators, found, found[1:], strict=False)))
        return value


def _shown(names: Mapping[str, int]) -> str:
    return ", ".join(f"{name} = {value}" for name, value in names.items())
