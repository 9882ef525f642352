"""Constants of programs of torch, computed without torch: in the types of their elements, and rounded once.

Integers wrap around, as in torch. Sums, powers and functions are computed in binary64 and rounded; programs round them
differently, so they count as inexact: no discontinuity (a comparison, a rounding to integers) may depend on them.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from constructions.importing.graph.affine_forms import NotUnderstood
from constructions.importing.graph.operators import Attributes, greatest_size
from constructions.importing.graph.state import MAX_ELEMENTS

FORMATS = {1: "float32", 2: "uint8", 3: "int8", 5: "int16", 6: "int32", 7: "int64", 9: "bool", 10: "float16",
           11: "float64", 16: "float32"}
"""Types of ONNX as those of numpy; bfloat16 is represented in binary32."""
BFLOAT = 16
JUMPS = frozenset({"Floor", "Ceil", "Round", "Sign", "Trunc", "Less", "LessOrEqual", "Greater", "GreaterOrEqual",
                   "Equal", "ArgMax", "Mod", "Not", "OneHot"})
"""Operations that turn a small difference into a large one; a cast to integers is one, too."""
_MOVING = frozenset({"Identity", "Slice", "Transpose", "Reshape", "Expand", "Gather", "Concat", "Tile", "Trilu",
                     "Where", "Cast"})
_ROUNDED_ONCE = frozenset({"Add", "Sub", "Mul", "Div", "Neg", "Abs", "Min", "Max", "Clip", "Relu", "Reciprocal",
                           "ReduceMax", "ReduceMin", "And", "Or", "Xor"}) | JUMPS
"""Operations that every program rounds in the same way."""
SUMS = ("ReduceSum", "ReduceMean", "CumSum", "MatMul", "Gemm", "Einsum")
_CLOSE = 1 << 20
"""Roundings to 16 bits must be the same under a relative error of one over this number."""


def as_bfloat(numbers: Any) -> Any:
    """Return numbers of binary32 rounded to bfloat16, ties to even, as numbers of binary32."""
    bits = np.ascontiguousarray(numbers, np.float32).view(np.uint32)
    even = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return np.where(np.isnan(numbers), numbers, even.astype(np.uint32).view(np.float32)).reshape(np.shape(numbers))


def computed(how: Attributes, inputs: Sequence[Any]) -> Any:
    """Return the result of an operation on arrays; raise NotUnderstood if it is not supported."""
    function = _FUNCTIONS.get(how.operation)
    if function is None:
        raise NotUnderstood("an operation that is not supported on constants")
    try:
        if greatest_size(how, inputs) > MAX_ELEMENTS:
            raise NotUnderstood(f"an array of more than {MAX_ELEMENTS} elements")
        with np.errstate(all="ignore"):
            return np.asarray(function(how, *inputs))
    except (ValueError, TypeError, IndexError, ArithmeticError) as problem:
        raise NotUnderstood(f"it cannot be computed ({' '.join(str(problem).split())[:80]})") from None


def is_exact(how: Attributes, inputs: Sequence[Any], made: Any) -> bool:
    """Return whether every program computes the same numbers from exact ones."""
    operation, numbers = how.operation, [one for one in inputs if one is not None]
    if made.dtype.kind != "f" or operation in _MOVING:
        return True
    if len({one.dtype for one in numbers if one.dtype.kind == "f"}) > 1:
        return False
    if operation in _ROUNDED_ONCE:
        return True
    if operation in SUMS and (operation != "Gemm" or how.attribute("alpha") == how.attribute("beta") == 1):
        if not all(np.isfinite(one).all() and (one == np.floor(one)).all() for one in numbers):
            return False
        whole = _FUNCTIONS["ReduceSum" if operation == "ReduceMean" else operation](how, *(
            np.abs(one.astype(np.float64)) if one.dtype.kind == "f" else one for one in numbers))
        return bool((whole < 1 << np.finfo(made.dtype).nmant).all())
    if operation == "Sqrt":
        return bool((made * made == inputs[0]).all())
    return operation == "Pow" and bool(np.isin(inputs[1], (0, 1, 2)).all())


def expect_no_jump(how: Attributes, are_real: bool) -> None:
    """Reject a discontinuous operation on inexact numbers, some of which are real."""
    to = how.attribute("to") if how.operation == "Cast" else None
    if how.operation in JUMPS or (to is not None and np.dtype(FORMATS[to]).kind != "f" and are_real):
        raise NotUnderstood("a jump (a comparison, or a rounding to integers) on numbers that programs round in "
                            "several ways, expected exact ones")


def rounds_surely(numbers: Any, rounding: Callable[[Any], Any]) -> bool:
    """Return whether the rounding of inexact numbers to 16 bits is certain."""
    wide = np.asarray(numbers, np.float64)
    low, high = (rounding((wide * (1 + sign / _CLOSE)).astype(np.float32)) for sign in (-1, 1))
    return bool(np.array_equal(low, high, equal_nan=True))


# -- operations --------------------------------------------------------------------------------------------------------

Function = Callable[..., Any]
"""A function of the attributes and arrays."""


def _expect_real(x: Any) -> None:
    if x.dtype.kind != "f":
        raise NotUnderstood(f"an operation that is not supported on constants of type {x.dtype.name}")


def _expect_alike(kinds: str, *arrays: Any) -> None:
    types = {one.dtype for one in arrays}
    if any(one.kind not in kinds for one in types) or (len(types) > 1 and any(one.kind != "f" for one in types)):
        raise NotUnderstood(f"an operation that is not supported on constants of types "
                            f"{', '.join(sorted(one.name for one in types))}")


def _expect_wide(*arrays: Any) -> None:
    _expect_alike("fiu", *arrays)
    if any(one.dtype.name == "float16" for one in arrays):
        raise NotUnderstood("an operation that is not supported on constants of type float16")


def _real(function: Callable[..., Any]) -> Function:
    """Return the handler of a function of real numbers (and the attributes), computed in binary64 and rounded."""
    def handler(how: Attributes, x: Any) -> Any:
        _expect_real(x)
        return function(x.astype(np.float64), how).astype(x.dtype)
    return handler


def _plain(function: Callable[..., Any], kinds: str = "fiu") -> Function:
    """Return the handler of a numpy function of arrays of one type."""
    def handler(_: Attributes, *arrays: Any) -> Any:
        _expect_alike(kinds, *arrays)
        return function(*arrays)
    return handler


def _summed(function: Callable[..., Any]) -> Function:
    """Return the handler of a product of matrices, summed in binary64."""
    def handler(how: Attributes, *arrays: Any) -> Any:
        _expect_wide(*arrays)
        kind = arrays[0].dtype
        return function(how, *(one.astype(np.float64 if kind.kind == "f" else kind) for one in arrays)).astype(kind)
    return handler


def _over_axes(function: Callable[..., Any], expect: Callable[[Any], None]) -> Function:
    """Return the handler of a function of an array, axes, the type of computation, and whether axes are kept."""
    def handler(how: Attributes, x: Any, axes: Any = None) -> Any:
        expect(x)
        where = tuple(range(x.ndim)) if axes is None else tuple(int(one) for one in axes.ravel())
        wide = np.float64 if x.dtype.kind == "f" else x.dtype
        return function(x, where, wide, keepdims=bool(how.attribute("keepdims"))).astype(x.dtype)
    return handler


def _power(_: Attributes, base: Any, power: Any) -> Any:
    _expect_alike("fiu", base, power)
    if base.dtype.kind != "f":
        if (power < 0).any():
            raise NotUnderstood("a negative power of integers")
        return np.power(base, power)
    if (power == 2).all():
        return np.broadcast_to(base * base, np.broadcast_shapes(base.shape, power.shape))
    return np.power(base.astype(np.float64), power.astype(np.float64)).astype(base.dtype)


def _quotient(_: Attributes, x: Any, y: Any) -> Any:
    _expect_alike("fiu", x, y)
    if x.dtype.kind == "f":
        return x / y
    if (y == 0).any():
        raise NotUnderstood("a quotient of integers by 0")
    whole = np.abs(x) // np.abs(y)  # towards 0
    return np.where((x < 0) != (y < 0), -whole, whole).astype(x.dtype)


def _remainder(how: Attributes, x: Any, y: Any) -> Any:
    _expect_alike("fiu", x, y)
    if x.dtype.kind != "f" and (y == 0).any():
        raise NotUnderstood("a remainder by 0")
    return np.fmod(x, y) if how.attribute("fmod") else np.mod(x, y)


def _cast(how: Attributes, x: Any) -> Any:
    to = how.attribute("to")
    kind = np.dtype(FORMATS[to])
    if x.dtype.kind == "f" and kind.kind in "iu":
        least, most = np.iinfo(kind).min, np.iinfo(kind).max
        ends = [math.trunc(one.item()) for one in (x.min(), x.max())] if x.size and np.isfinite(x).all() else [0]
        if not np.isfinite(x).all() or min(ends) < least or max(ends) > most:
            raise NotUnderstood("numbers outside the type of their cast")
    return as_bfloat(x.astype(np.float32)) if to == BFLOAT else x.astype(kind)


def _slice(_: Attributes, x: Any, first: Any, last: Any, axis: Any, step: Any = None) -> Any:
    where = [slice(None)] * x.ndim
    where[int(axis.item())] = slice(int(first.item()), int(last.item()), 1 if step is None else int(step.item()))
    return x[tuple(where)]


def _gather(how: Attributes, x: Any, places: Any) -> Any:
    axis = how.attribute("axis")
    if not (places >= -x.shape[axis]).all() or not (places < x.shape[axis]).all():
        raise NotUnderstood("indices outside the array")
    if not places.ndim:
        return x[(*[slice(None)] * (axis % x.ndim), int(places), ...)]  # a view, as in torch
    return np.take(x, places, axis)


def _running(_: Attributes, x: Any, axis: Any) -> Any:
    _expect_wide(x)
    return np.cumsum(x, int(axis), np.float64 if x.dtype.kind == "f" else x.dtype).astype(x.dtype).reshape(x.shape)


def _softmax(wide: Any, how: Attributes) -> Any:
    wide = wide - wide.max(how.attribute("axis"), keepdims=True)
    total = np.exp(wide).sum(how.attribute("axis"), keepdims=True)
    return wide - np.log(total) if how.operation == "LogSoftmax" else np.exp(wide) / total


def _gelu(wide: Any, how: Attributes) -> Any:
    inner = _erf(wide * math.sqrt(1 / 2)) if how.attribute("approximate") == b"none" else np.tanh(
        math.sqrt(2 / math.pi) * (wide + 44715 / 10**6 * wide**3))
    return wide / 2 * (1 + inner)


def _erf(x: Any) -> Any:
    return np.array([math.erf(one) for one in x.ravel().tolist()], np.float64).reshape(x.shape)


def _clip(_: Attributes, x: Any, least: Any = None, most: Any = None) -> Any:
    x = x if least is None else np.maximum(x, least)
    return x if most is None else np.minimum(x, most)


def _where(_: Attributes, choice: Any, one: Any, other: Any) -> Any:
    if choice.dtype.kind != "b" or one.dtype != other.dtype:
        raise NotUnderstood("a choice by non-Boolean values, or of arrays of several types")
    return np.where(choice, one, other)


def _one_hot(_: Attributes, x: Any, depth: Any, values: Any) -> Any:
    if not ((x >= 0) & (x < depth)).all():
        raise NotUnderstood("one-hot vectors of numbers that are not below their length")
    return np.where(x[..., np.newaxis] == np.arange(int(depth)), values[1], values[0])


def _sizes(array: Any) -> list[int]:
    return [int(one) for one in array]


_FUNCTIONS: Mapping[str, Function] = {
    "Identity": lambda _, x: x, "Cast": _cast, "Slice": _slice, "Gather": _gather, "Where": _where, "Clip": _clip,
    "Transpose": lambda how, x: np.transpose(x, how.attribute("perm")),
    "Reshape": lambda _, x, shape: x.reshape(_sizes(shape)),
    "Expand": lambda _, x, shape: np.broadcast_to(x, _sizes(shape)),
    "Concat": lambda how, *arrays: _plain(lambda *parts: np.concatenate(parts, how.attribute("axis")), "fiub")(
        how, *arrays),
    "Tile": lambda _, x, times: np.tile(x, _sizes(times)),
    "Trilu": lambda how, x, diagonal=0: (np.triu if how.attribute("upper") else np.tril)(x, int(diagonal)),
    "Add": _plain(np.add), "Sub": _plain(np.subtract), "Mul": _plain(np.multiply), "Div": _quotient, "Pow": _power,
    "Mod": _remainder, "Neg": _plain(np.negative), "Abs": _plain(np.abs), "Sign": _plain(np.sign),
    "Relu": lambda _, x: np.maximum(x, 0).astype(x.dtype),
    **{name: _plain(function, "fiub") for name, function in (
        ("Min", np.minimum), ("Max", np.maximum), ("Less", np.less), ("LessOrEqual", np.less_equal),
        ("Greater", np.greater), ("GreaterOrEqual", np.greater_equal), ("Equal", np.equal))},
    **{name: _plain(function, "b") for name, function in (
        ("And", np.logical_and), ("Or", np.logical_or), ("Xor", np.logical_xor), ("Not", np.logical_not))},
    **{name: _plain(function, "f") for name, function in (
        ("Floor", np.floor), ("Ceil", np.ceil), ("Round", np.round), ("Trunc", np.trunc), ("Sqrt", np.sqrt),
        ("Reciprocal", lambda x: (1 / x).astype(x.dtype)))},
    **{name: _real(lambda x, _, function=function: function(x)) for name, function in (
        ("Exp", np.exp), ("Log", np.log), ("Sin", np.sin), ("Cos", np.cos), ("Tan", np.tan), ("Tanh", np.tanh),
        ("Erf", _erf), ("Sigmoid", lambda x: 1 / (1 + np.exp(-x))), ("Exp2", np.exp2), ("Log2", np.log2),
        ("Log1p", np.log1p), ("Expm1", np.expm1), ("Log10", np.log10))},
    "Gelu": _real(_gelu), "Softmax": _real(_softmax), "LogSoftmax": _real(_softmax), "CumSum": _running,
    "ReduceSum": _over_axes(np.sum, _expect_wide), "ReduceMean": _over_axes(np.mean, _expect_real),
    "ReduceL2": _over_axes(lambda x, axes, wide, keepdims: np.sqrt(np.sum(
        x.astype(wide) * x.astype(wide), axes, keepdims=keepdims)), _expect_real),
    "ReduceMax": _over_axes(lambda x, axes, _, keepdims: np.max(x, axes, keepdims=keepdims), lambda _: None),
    "ReduceMin": _over_axes(lambda x, axes, _, keepdims: np.min(x, axes, keepdims=keepdims), lambda _: None),
    "ArgMax": lambda how, x: np.argmax(x, how.attribute("axis"), keepdims=bool(how.attribute("keepdims"))),
    "OneHot": _one_hot, "MatMul": _summed(lambda _, x, y: x @ y),
    "Gemm": _summed(lambda how, x, y, z: how.attribute("alpha") * (x @ y) + how.attribute("beta") * z),
    "Einsum": _summed(lambda how, *arrays: np.einsum(how.attribute("equation").decode("ascii"), *arrays))}
