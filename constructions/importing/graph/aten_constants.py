"""Operations of torch that are read on constants alone, computed at once."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from constructions.importing.graph.aten_call import Call, Translator, Unfit
from constructions.importing.graph.aten_values import ELEMENTS, REAL, Name


def _of(function: Callable[..., Any], is_exact: bool = True, is_jump: bool = False) -> Translator:
    """A function of the constants and the call; one that is a jump is of exact numbers alone."""
    def handler(call: Call) -> None:
        names = [one for value in call.operands() for one in (value if isinstance(value, list) else [value])
                 if isinstance(one, Name)]
        if is_jump and call.program.inexact.intersection(names):
            raise Unfit("a jump on numbers that programs round in several ways, expected exact ones")
        if any(call.is_complex(name) for name in (*names, *call.made)):
            raise Unfit("an operation that is not handled on complex numbers")
        arrays = {name: call.known(name) for name in names}
        try:
            with np.errstate(all="ignore"):
                made = function(call, *arrays.values())
        except (ValueError, TypeError, IndexError, ArithmeticError):
            raise Unfit("arguments that do not fit") from None
        for name, array in zip(call.made, made if isinstance(made, list) else [made], strict=True):
            call.program.keep(name, np.asarray(array))
            if call.kind(name) in REAL and (not is_exact or call.program.inexact.intersection(names)):
                call.program.inexact.add(name)
    return handler


def _kind(call: Call) -> Any:
    return np.dtype(ELEMENTS[call.kind(call.made[0])])


def _axis(call: Call) -> int | None:
    return None if call.get("dim") is None else call.axis(call.get("dim"))


def _product(call: Call, x: Any) -> Any:
    return np.prod(x.astype(np.float64) if x.dtype.kind == "f" else x, _axis(call), _kind(call) if x.dtype.kind != "f"
                   else None, keepdims=bool(call.get("keepdim", False))).astype(_kind(call))


def _running_product(call: Call, x: Any) -> Any:
    wide = x.astype(np.float64) if x.dtype.kind == "f" else x.astype(_kind(call))
    return np.cumprod(wide, call.axis(call.get("dim"))).astype(_kind(call))


def _finite(call: Call, x: Any) -> Any:
    most = np.finfo(x.dtype).max
    nan, high, low = (default if call.get(name) is None else call.get(name) for name, default in (
        ("nan", 0), ("posinf", most), ("neginf", -most)))
    return np.nan_to_num(x, nan=nan, posinf=high, neginf=low)


def _bounded(call: Call, x: Any, *bounds: Any) -> Any:
    if any(one.dtype != x.dtype for one in bounds):
        raise Unfit("bounds of another type")
    for name, function in (("min", np.maximum), ("max", np.minimum)):
        if (bound := call.get(name)) is not None:
            x = function(x, call.known(bound))
    return x


def _logspace(call: Call) -> Any:
    start, end, steps = (call.get(name) for name in ("start", "end", "steps"))
    return np.float64(call.get("base", 10)) ** np.linspace(start, end, steps)


def _corners(upper: bool) -> Callable[[Call], Any]:
    def handler(call: Call) -> Any:
        rows, columns, offset = call.get("row"), call.get("col"), call.get("offset", 0)
        return np.stack((np.triu_indices if upper else np.tril_indices)(rows, offset, columns)).astype(_kind(call))
    return handler


def _grid(call: Call, *arrays: Any) -> list[Any]:
    return [*np.meshgrid(*arrays, indexing=call.get("indexing", "ij"))]


def _sorted(call: Call, x: Any) -> Any:
    axis = call.axis(call.get("dim", -1))
    ordered = np.sort(x, axis)
    if np.isnan(x).any() or (np.diff(ordered, axis=axis) == 0).any():
        raise Unfit("an order of equal numbers")
    order = np.argsort(x, axis)
    made = (np.flip(ordered, axis), np.flip(order, axis)) if call.get("descending", False) else (ordered, order)
    return made[1] if call.operation == "argsort" else [*made]


def _refuse(problem: str) -> Any:
    raise Unfit(problem)


ON_CONSTANTS: Mapping[str, Translator] = {
    "prod": _of(_product, is_exact=False), "cumprod": _of(_running_product, is_exact=False),
    "nan_to_num": _of(_finite),
    "isinf": _of(lambda _, x: np.isinf(x)), "isnan": _of(lambda _, x: np.isnan(x)),
    "isfinite": _of(lambda _, x: np.isfinite(x)), "isneginf": _of(lambda _, x: np.isneginf(x)),
    "isposinf": _of(lambda _, x: np.isposinf(x)), "clamp.Tensor": _of(_bounded), "logspace": _of(_logspace, False),
    "gather": _of(lambda call, x, places: np.take_along_axis(x, places, call.axis(call.get("dim")))
                  if (places >= 0).all() else _refuse("indices below 0")),
    "diagonal": _of(lambda call, x: np.array(np.diagonal(x, call.get("offset", 0), call.get("dim1", 0),
                                                         call.get("dim2", 1)))),
    "diag": _of(lambda call, x: np.diag(x, call.get("diagonal", 0))),
    "tril_indices": _of(_corners(upper=False)), "triu_indices": _of(_corners(upper=True)),
    "meshgrid": _of(_grid), "sort": _of(_sorted, is_jump=True), "argsort": _of(_sorted, is_jump=True),
    "logical_xor": _of(lambda _, x, y: (x != 0) ^ (y != 0), is_jump=True)}
"""Operations by their names."""
