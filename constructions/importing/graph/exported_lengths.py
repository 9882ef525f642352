"""Programs of torch.export for inputs of several lengths (dynamic shapes): with a length put in, one for that length.

Sizes are expressions in symbols, written as sympy writes them; nothing of them is run.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from typing import Any

MAX_EXPRESSION = 1000
MAX_SIZE = 1 << 40
_OPERATIONS: Mapping[str, Callable[..., int]] = {
    "Add": lambda *terms: sum(terms), "Mul": lambda *factors: math.prod(factors), "Max": max, "Min": min,
    "FloorDiv": lambda a, b: a // b, "CleanDiv": lambda a, b: a // b, "Mod": lambda a, b: a % b,
    "PythonMod": lambda a, b: a % b}


def symbol_of(size: Mapping[str, Any]) -> str | None:
    """The name of the symbol that a size is; None of a number.

    Raises:
        ValueError: if it is an expression.
    """
    if "as_int" in size:
        return None
    called = _parsed(size["as_expr"]["expr_str"])
    if _name(called) != "Symbol":
        raise ValueError
    return str(ast.literal_eval(called.args[0]))


def concrete(part: Mapping[str, Any], symbols: Mapping[str, int]) -> Any:
    """The graph with numbers in place of symbols, and without the operations that compute with lengths.

    Raises:
        ValueError: if a size is no whole number that follows from the symbols.
    """
    numbers = {name: _number(value, symbols) for kind in ("sym_int_values", "sym_bool_values")
               for name, value in part.get(kind, {}).items() if "as_bool" not in value and _is_known(value)}

    def put_in(value: Any) -> Any:
        if isinstance(value, list):
            return [put_in(one) for one in value]
        if not isinstance(value, dict):
            return value
        if "as_expr" in value:
            return {"as_int": _number(value, symbols)}
        if len(value) == 1 and value.get("as_name") in numbers:
            return {"as_int": numbers[value["as_name"]]}
        return {key: put_in(inner) for key, inner in value.items()}

    nodes = [put_in(node) for node in part["nodes"] if not _computes_lengths(node)]
    return {**part, "nodes": nodes, "tensor_values": put_in(part["tensor_values"])}


def _computes_lengths(node: Mapping[str, Any]) -> bool:
    return bool(node["outputs"]) and all(next(iter(one)) in ("as_sym_int", "as_sym_bool") for one in node["outputs"])


def _is_known(value: Mapping[str, Any]) -> bool:
    """Whether it is a number or an expression of operations that are read; a node that needs another one is refused."""
    if "as_expr" not in value:
        return "as_int" in value
    return all(_name(one) in ("Symbol", "Integer", "Pow", *_OPERATIONS)
               for one in ast.walk(_parsed(value["as_expr"]["expr_str"])) if isinstance(one, ast.Call))


def _number(value: Mapping[str, Any], symbols: Mapping[str, int]) -> int:
    return int(value["as_int"]) if "as_int" in value else _worth(_parsed(value["as_expr"]["expr_str"]), symbols)


def _parsed(text: str) -> Any:
    if len(text) > MAX_EXPRESSION:
        raise ValueError
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, MemoryError):
        raise ValueError from None


def _name(called: Any) -> str:
    return called.func.id if isinstance(called, ast.Call) and isinstance(called.func, ast.Name) else ""


def _worth(called: Any, symbols: Mapping[str, int]) -> int:
    """The number that an expression is."""
    name = _name(called)
    if name == "Symbol":
        return symbols[ast.literal_eval(called.args[0])]
    if name == "Integer":
        return int(ast.literal_eval(called.args[0]))
    numbers = [_worth(one, symbols) for one in called.args]
    if name == "Pow":
        base, power = numbers
        if not 0 <= power <= 4:
            raise ValueError
        made = int(base**power)
    else:
        made = _OPERATIONS[name](*numbers)
    if abs(made) > MAX_SIZE:
        raise ValueError
    return made
