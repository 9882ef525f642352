"""Programs of torch.export for inputs of several lengths (dynamic shapes), specialised to one length.

Sizes are expressions in symbols, as sympy writes them; they are never executed.
"""

import ast
import math
import numbers
import operator
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

MAX_EXPRESSION = 1000
MAX_SIZE = 1 << 40


def _power(base: int, power: int) -> int:
    if not 0 <= power <= 4:
        raise ValueError
    return int(base**power)


_OPERATIONS: Mapping[str, Callable[..., int]] = {
    "Integer": int, "Add": lambda *terms: sum(terms), "Mul": lambda *factors: math.prod(factors), "Max": max,
    "Min": min, "max": max, "min": min, "torch.sym_max": max, "torch.sym_min": min, "FloorDiv": operator.floordiv,
    "CleanDiv": operator.floordiv,
    "Mod": operator.mod, "PythonMod": operator.mod, "GreaterThan": operator.ge, "StrictGreaterThan": operator.gt,
    "LessThan": operator.le, "StrictLessThan": operator.lt, "Equality": operator.eq, "Unequality": operator.ne,
    "And": lambda *terms: all(terms), "Or": lambda *terms: any(terms), "Not": operator.not_,
    "Pow": _power}
"""Functions that sympy writes by their names, and those of Python in guards."""
_IN_GUARDS: Mapping[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.USub: operator.neg, ast.Not: operator.not_,
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge}
"""Operators of Python in guards."""
_SIZES = ("torch.ops.aten.sym_size.", "torch.ops.aten.sym_numel.", "_operator.", "math.", "torch.sym_")
"""Prefixes of targets that compute with lengths."""


class UnknownSize(ValueError):
    """A size that does not follow from the length."""


def symbol_of(size: Mapping[str, Any]) -> str | None:
    """Return the symbol that a size consists of; None for a number."""
    if "as_int" in size:
        return None
    called = _parsed(size["as_expr"]["expr_str"])
    if _name(called) != "Symbol":
        raise UnknownSize(size["as_expr"]["expr_str"])
    return str(ast.literal_eval(called.args[0]))


def concrete(part: Mapping[str, Any], symbols: Mapping[str, int]) -> Any:
    """Return the graph with numbers for symbols, and without the operations that compute with lengths."""
    known = {name: _number(value, symbols) for kind in ("sym_int_values", "sym_bool_values")
               for name, value in part.get(kind, {}).items() if _is_known(value, symbols)}

    def put_in(value: Any) -> Any:
        if isinstance(value, list):
            return [put_in(one) for one in value]
        if not isinstance(value, dict):
            return value
        if "as_expr" in value:
            return {"as_int": _number(value, symbols)}
        if len(value) == 1 and value.get("as_name") in known:
            number = known[value["as_name"]]
            return {"as_bool" if isinstance(number, bool) else "as_int": number}
        return {key: put_in(inner) for key, inner in value.items()}

    nodes = [put_in(node) for node in part["nodes"] if not node["outputs"] or not str(node["target"]).startswith(_SIZES)
             or any(next(iter(one)) not in ("as_sym_int", "as_sym_bool") for one in node["outputs"])]
    return {**part, "nodes": nodes, "tensor_values": put_in(part["tensor_values"])}


def _is_known(value: Mapping[str, Any], symbols: Mapping[str, int]) -> bool:
    """Return whether a value is a number or a supported expression; nodes with other sizes are refused."""
    if "as_expr" not in value:
        return "as_int" in value or "as_bool" in value
    called = [one for one in ast.walk(_parsed(value["as_expr"]["expr_str"])) if isinstance(one, ast.Call)]
    return bool(called) and all(
        ast.literal_eval(one.args[0]) in symbols if _name(one) == "Symbol" else _name(one) in _OPERATIONS
        for one in called)


def _number(value: Mapping[str, Any], symbols: Mapping[str, int]) -> int:
    if "as_bool" in value:
        return bool(value["as_bool"])
    if "as_int" in value:
        return int(value["as_int"])

    def of_symbol(tree: Any) -> int | None:
        if _name(tree) != "Symbol":
            return None
        symbol = ast.literal_eval(tree.args[0])
        if symbol not in symbols:
            raise UnknownSize(str(symbol))
        return symbols[symbol]

    return int(_worth(_parsed(value["as_expr"]["expr_str"]), of_symbol))


def holds(guard: str, shape_of: Callable[[str], Sequence[int]]) -> bool:
    """Return whether a guard, a Python expression in sizes as L['tokens'].size()[1], is true; else raise ValueError."""
    def of_size(tree: Any) -> int | None:
        is_size = isinstance(tree, ast.Subscript) and isinstance(tree.value, ast.Call) and isinstance(
            tree.value.func, ast.Attribute) and tree.value.func.attr == "size" and not tree.value.args
        return shape_of(_input_name(tree.value.func.value))[ast.literal_eval(tree.slice)] if is_size else None

    return bool(_worth(_parsed(guard), of_size))


def _worth(tree: Any, leaf: Callable[[Any], int | None]) -> Any:
    """Return the value of an expression; ``leaf`` evaluates its symbols or sizes, and returns None for other parts."""
    if (known := leaf(tree)) is not None:
        return known
    if isinstance(tree, ast.Constant) and isinstance(tree.value, numbers.Real):
        return tree.value
    if isinstance(tree, ast.Compare):
        found = [_worth(one, leaf) for one in (tree.left, *tree.comparators)]
        return all(_IN_GUARDS[type(one)](*pair) for one, pair in zip(tree.ops, pairwise(found), strict=True))
    if isinstance(tree, ast.BoolOp):
        return (all if isinstance(tree.op, ast.And) else any)([_worth(one, leaf) for one in tree.values])
    if isinstance(tree, ast.BinOp):
        made = _IN_GUARDS[type(tree.op)](_worth(tree.left, leaf), _worth(tree.right, leaf))
    elif isinstance(tree, ast.UnaryOp):
        made = _IN_GUARDS[type(tree.op)](_worth(tree.operand, leaf))
    else:
        made = _OPERATIONS[_name(tree)](*(_worth(one, leaf) for one in tree.args))
    if abs(made) > MAX_SIZE:
        raise ValueError
    return made


def _input_name(tree: Any) -> str:
    """Return the name in the graph of an input, which guards write as L['name'] or L['name'][0]."""
    keys = []
    while isinstance(tree, ast.Subscript):
        keys.append(str(ast.literal_eval(tree.slice)))
        tree = tree.value
    if not isinstance(tree, ast.Name) or tree.id != "L":
        raise ValueError
    return "_".join(reversed(keys))


def _parsed(text: str) -> Any:
    if len(text) > MAX_EXPRESSION:
        raise ValueError
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, MemoryError):
        raise ValueError from None


def _name(called: Any) -> str:
    return ast.unparse(called.func) if isinstance(called, ast.Call) else ""
