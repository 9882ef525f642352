"""Constants of programs of torch, computed without torch: in the types of their elements, and rounded once.

Whole numbers wrap around, as those of torch do. Sums, powers and functions are computed in binary64 and rounded;
programs round these otherwise, so they count as inexact: no jump (a comparison, a rounding to whole numbers) may depend
on them.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from constructions.importing.graph.forms import NotUnderstood
from constructions.importing.graph.state import MAX_ELEMENTS

Attribute = Callable[[str], Any]
FORMATS = {1: "float32", 2: "uint8", 3: "int8", 5: "int16", 6: "int32", 7: "int64", 9: "bool", 10: "float16",
           11: "float64", 16: "float32"}
"""Types of ONNX as those of numpy; bfloat16 is in binary32."""
BFLOAT = 16
JUMPS = frozenset({"Floor", "Ceil", "Round", "Sign", "Trunc", "Less", "LessOrEqual", "Greater", "GreaterOrEqual",
                   "Equal", "ArgMax", "Mod", "Not", "OneHot"})
"""Operations that turn a small difference into a large one; a cast to whole numbers is one, too."""
_MOVING = frozenset({"Identity", "Slice", "Transpose", "Reshape", "Expand", "Gather", "Concat", "Tile", "Trilu",
                     "Where", "Cast"})
_ROUNDED_ONCE = frozenset({"Add", "Sub", "Mul", "Div", "Neg", "Abs", "Min", "Max", "Clip", "Relu", "Reciprocal",
                           "ReduceMax", "ReduceMin", "And", "Or", "Xor"}) | JUMPS
"""Operations that every program rounds in the same way."""
SUMS = ("ReduceSum", "ReduceMean", "CumSum", "MatMul", "Gemm", "Einsum")
_CLOSE = 1 << 20
"""Numbers of 16 bits must be the same if what is rounded is off by one part in so many."""


def as_bfloat(numbers: Any) -> Any:
    """Numbers of binary32 rounded to bfloat16, ties to even, as numbers of binary32."""
    bits = np.ascontiguousarray(numbers, np.float32).view(np.uint32)
    even = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return np.where(np.isnan(numbers), numbers, even.astype(np.uint32).view(np.float32)).reshape(np.shape(numbers))


def of_bfloat(bits: Any) -> Any:
    """Numbers of bfloat16, as they are stored, in binary32."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


def computed(operation: str, attribute: Attribute, inputs: Sequence[Any]) -> Any:
    """The result of an operation on arrays.

    Raises:
        NotUnderstood: if it is not computed here, or not on such arrays.
    """
    function = _FUNCTIONS.get(operation)
    if function is None:
        raise NotUnderstood("an operation that is not computed on constants")
    try:
        if _size(operation, attribute, inputs) > MAX_ELEMENTS:
            raise NotUnderstood(f"an array of more than {MAX_ELEMENTS} elements")
        with np.errstate(all="ignore"):
            return np.asarray(function(attribute, *inputs))
    except (ValueError, TypeError, IndexError, ArithmeticError) as problem:
        raise NotUnderstood(f"it cannot be computed ({' '.join(str(problem).split())[:80]})") from None


def is_exact(operation: str, attribute: Attribute, inputs: Sequence[Any], made: Any) -> bool:
    """Whether every program makes these very numbers of exact ones."""
    numbers = [one for one in inputs if one is not None]
    if made.dtype.kind != "f" or operation in _MOVING:
        return True
    if len({one.dtype for one in numbers if one.dtype.kind == "f"}) > 1:
        return False
    if operation in _ROUNDED_ONCE:
        return True
    limit = 1 << np.finfo(made.dtype).nmant
    if operation in SUMS and (operation != "Gemm" or attribute("alpha") == attribute("beta") == 1):
        if not all(np.isfinite(one).all() and (one == np.floor(one)).all() for one in numbers):
            return False
        whole = computed("ReduceSum" if operation == "ReduceMean" else operation, attribute, [
            np.abs(one.astype(np.float64)) if one.dtype.kind == "f" else one for one in numbers])
        return bool((whole < limit).all())
    if operation == "Sqrt":
        return bool((made * made == inputs[0]).all())
    return operation == "Pow" and bool(np.isin(inputs[1], (0, 1, 2)).all())


def expect_no_jump(operation: str, attribute: Attribute, kinds: Sequence[Any]) -> None:
    """Reject a jump on numbers that are not exact.

    Raises:
        NotUnderstood: if the operation is one.
    """
    to = attribute("to") if operation == "Cast" else None
    if operation in JUMPS or (to is not None and np.dtype(FORMATS[to]).kind != "f" and any(
            kind == "f" for kind in kinds)):
        raise NotUnderstood("a jump (a comparison, or a rounding to whole numbers) on numbers that programs round in "
                            "several ways, expected exact ones")


def rounds_surely(numbers: Any, rounding: Callable[[Any], Any]) -> bool:
    """Whether inexact numbers have one rounding to 16 bits."""
    wide = np.asarray(numbers, np.float64)
    low, high = (rounding((wide * (1 + sign / _CLOSE)).astype(np.float32)) for sign in (-1, 1))
    return bool(np.array_equal(low, high, equal_nan=True))


# -- operations --------------------------------------------------------------------------------------------------------

def _real(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of real numbers, computed in binary64 and rounded."""
    def handler(_: Attribute, x: Any) -> Any:
        _expect_real(x)
        return function(x.astype(np.float64)).astype(x.dtype)
    return handler


def _expect_real(*arrays: Any) -> None:
    if any(one.dtype.kind != "f" for one in arrays):
        raise NotUnderstood(f"an operation that is not computed on constants of type {arrays[0].dtype.name}")


def _plain(function: Callable[..., Any], kinds: str = "fiu") -> Callable[..., Any]:
    """A function as numpy computes it, of arrays of one type."""
    def handler(_: Attribute, *arrays: Any) -> Any:
        _expect_alike(kinds, *arrays)
        return function(*arrays)
    return handler


def _expect_alike(kinds: str, *arrays: Any) -> None:
    types = {one.dtype for one in arrays}
    if any(one.kind not in kinds for one in types) or (len(types) > 1 and any(one.kind != "f" for one in types)):
        raise NotUnderstood(f"an operation that is not computed on constants of types "
                            f"{', '.join(sorted(one.name for one in types))}")


def _power(_: Attribute, base: Any, power: Any) -> Any:
    _expect_alike("fiu", base, power)
    if base.dtype.kind != "f":
        if (power < 0).any():
            raise NotUnderstood("a negative power of whole numbers")
        return np.power(base, power)
    if (power == 2).all():
        return np.broadcast_to(base * base, np.broadcast_shapes(base.shape, power.shape))
    return np.power(base.astype(np.float64), power.astype(np.float64)).astype(base.dtype)


def _quotient(_: Attribute, x: Any, y: Any) -> Any:
    _expect_alike("fiu", x, y)
    if x.dtype.kind == "f":
        return x / y
    if (y == 0).any():
        raise NotUnderstood("a quotient of whole numbers by 0")
    whole = np.abs(x) // np.abs(y)  # towards 0
    return np.where((x < 0) != (y < 0), -whole, whole).astype(x.dtype)


def _remainder(attribute: Attribute, x: Any, y: Any) -> Any:
    _expect_alike("fiu", x, y)
    if x.dtype.kind != "f" and (y == 0).any():
        raise NotUnderstood("a remainder by 0")
    return np.fmod(x, y) if attribute("fmod") else np.mod(x, y)


def _cast(attribute: Attribute, x: Any) -> Any:
    to = attribute("to")
    kind = np.dtype(FORMATS[to])
    if x.dtype.kind == "f" and kind.kind in "iu":
        least, most = np.iinfo(kind).min, np.iinfo(kind).max
        ends = [math.trunc(one.item()) for one in (x.min(), x.max())] if x.size and np.isfinite(x).all() else [0]
        if not np.isfinite(x).all() or min(ends) < least or max(ends) > most:
            raise NotUnderstood("numbers beyond the type that they are cast to")
    return as_bfloat(x.astype(np.float32)) if to == BFLOAT else x.astype(kind)


def _slice(_: Attribute, x: Any, first: Any, last: Any, axis: Any, step: Any = None) -> Any:
    where = [slice(None)] * x.ndim
    where[int(axis.item())] = slice(int(first.item()), int(last.item()), 1 if step is None else int(step.item()))
    return x[tuple(where)]


def _gather(attribute: Attribute, x: Any, places: Any) -> Any:
    axis = attribute("axis")
    if not (places >= -x.shape[axis]).all() or not (places < x.shape[axis]).all():
        raise NotUnderstood("indices beyond the array")
    if not places.ndim:
        return x[(*[slice(None)] * (axis % x.ndim), int(places), ...)]  # a view, as that of torch
    return np.take(x, places, axis)


def _sum(attribute: Attribute, x: Any, axes: Any = None) -> Any:
    _expect_wide(x)
    wide = np.float64 if x.dtype.kind == "f" else x.dtype
    return np.sum(x, _axes(axes, x), wide, keepdims=bool(attribute("keepdims"))).astype(x.dtype)


def _mean(attribute: Attribute, x: Any, axes: Any = None) -> Any:
    _expect_real(x)
    return np.mean(x, _axes(axes, x), np.float64, keepdims=bool(attribute("keepdims"))).astype(x.dtype)


def _length(attribute: Attribute, x: Any, axes: Any = None) -> Any:
    _expect_real(x)
    wide = x.astype(np.float64)
    return np.sqrt(np.sum(wide * wide, _axes(axes, x), keepdims=bool(attribute("keepdims")))).astype(x.dtype)


def _extreme(function: Callable[..., Any]) -> Callable[..., Any]:
    def handler(attribute: Attribute, x: Any, axes: Any = None) -> Any:
        return function(x, _axes(axes, x), keepdims=bool(attribute("keepdims")))
    return handler


def _axes(axes: Any, x: Any) -> tuple[int, ...]:
    return tuple(range(x.ndim)) if axes is None else tuple(int(one) for one in axes.ravel())


def _argmax(attribute: Attribute, x: Any) -> Any:
    return np.argmax(x, attribute("axis"), keepdims=bool(attribute("keepdims")))


def _running(attribute: Attribute, x: Any, axis: Any) -> Any:
    _expect_wide(x)
    return np.cumsum(x, int(axis), np.float64 if x.dtype.kind == "f" else x.dtype).astype(x.dtype).reshape(x.shape)


def _expect_wide(*arrays: Any) -> None:
    _expect_alike("fiu", *arrays)
    if any(one.dtype.name == "float16" for one in arrays):
        raise NotUnderstood("an operation that is not computed on constants of type float16")


def _summed(function: Callable[..., Any]) -> Callable[..., Any]:
    """A product of matrices."""
    def handler(attribute: Attribute, *arrays: Any) -> Any:
        _expect_wide(*arrays)
        kind = arrays[0].dtype
        wide = np.float64 if kind.kind == "f" else kind
        return function(attribute, *(one.astype(wide) for one in arrays)).astype(kind)
    return handler


def _gemm(attribute: Attribute, x: Any, y: Any, z: Any) -> Any:
    return attribute("alpha") * (x @ y) + attribute("beta") * z


def _einsum(attribute: Attribute, *arrays: Any) -> Any:
    return np.einsum(attribute("equation").decode("ascii"), *arrays)


def _softmax(is_log: bool) -> Callable[..., Any]:
    def handler(attribute: Attribute, x: Any) -> Any:
        _expect_real(x)
        wide = x.astype(np.float64)
        wide = wide - wide.max(attribute("axis"), keepdims=True)
        total = np.exp(wide).sum(attribute("axis"), keepdims=True)
        return (wide - np.log(total) if is_log else np.exp(wide) / total).astype(x.dtype)
    return handler


def _gelu(attribute: Attribute, x: Any) -> Any:
    _expect_real(x)
    wide = x.astype(np.float64)
    inner = _erf(wide * math.sqrt(1 / 2)) if attribute("approximate") == b"none" else np.tanh(
        math.sqrt(2 / math.pi) * (wide + 44715 / 10**6 * wide**3))
    return (wide / 2 * (1 + inner)).astype(x.dtype)


def _erf(x: Any) -> Any:
    return np.array([math.erf(one) for one in x.ravel().tolist()], np.float64).reshape(x.shape)


def _clip(_: Attribute, x: Any, least: Any = None, most: Any = None) -> Any:
    x = x if least is None else np.maximum(x, least)
    return x if most is None else np.minimum(x, most)


def _where(_: Attribute, choice: Any, one: Any, other: Any) -> Any:
    if choice.dtype.kind != "b" or one.dtype != other.dtype:
        raise NotUnderstood("a choice by other than truth values, or of arrays of several types")
    return np.where(choice, one, other)


def _triangle(attribute: Attribute, x: Any, diagonal: Any = None) -> Any:
    return (np.triu if attribute("upper") else np.tril)(x, 0 if diagonal is None else int(diagonal))


def _one_hot(_: Attribute, x: Any, depth: Any, values: Any) -> Any:
    if not ((x >= 0) & (x < depth)).all():
        raise NotUnderstood("one-hot vectors of numbers that are not below their length")
    return np.where(x[..., np.newaxis] == np.arange(int(depth)), values[1], values[0])


_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "Identity": lambda _, x: x, "Cast": _cast, "Slice": _slice, "Gather": _gather, "Where": _where, "Clip": _clip,
    "Transpose": lambda attribute, x: np.transpose(x, attribute("perm")),
    "Reshape": lambda _, x, shape: x.reshape([int(one) for one in shape]),
    "Expand": lambda _, x, shape: np.broadcast_to(x, [int(one) for one in shape]),
    "Concat": lambda attribute, *arrays: _plain(lambda *parts: np.concatenate(parts, attribute("axis")), "fiub")(
        attribute, *arrays),
    "Tile": lambda _, x, times: np.tile(x, [int(one) for one in times]), "Trilu": _triangle,
    "Add": _plain(np.add), "Sub": _plain(np.subtract), "Mul": _plain(np.multiply), "Div": _quotient, "Pow": _power,
    "Min": _plain(np.minimum, "fiub"), "Max": _plain(np.maximum, "fiub"), "Mod": _remainder,
    "Less": _plain(np.less, "fiub"), "LessOrEqual": _plain(np.less_equal, "fiub"),
    "Greater": _plain(np.greater, "fiub"), "GreaterOrEqual": _plain(np.greater_equal, "fiub"),
    "Equal": _plain(np.equal, "fiub"), "And": _plain(np.logical_and, "b"), "Or": _plain(np.logical_or, "b"),
    "Xor": _plain(np.logical_xor, "b"), "Not": _plain(np.logical_not, "b"), "Neg": _plain(np.negative),
    "Abs": _plain(np.abs),
    "Sign": _plain(np.sign), "Relu": lambda _, x: np.maximum(x, 0).astype(x.dtype),
    "Floor": _plain(np.floor, "f"), "Ceil": _plain(np.ceil, "f"), "Round": _plain(np.round, "f"),
    "Trunc": _plain(np.trunc, "f"), "Sqrt": _plain(np.sqrt, "f"),
    "Reciprocal": _plain(lambda x: (1 / x).astype(x.dtype), "f"),
    **{name: _real(function) for name, function in (
        ("Exp", np.exp), ("Log", np.log), ("Sin", np.sin), ("Cos", np.cos), ("Tan", np.tan), ("Tanh", np.tanh),
        ("Erf", _erf), ("Sigmoid", lambda x: 1 / (1 + np.exp(-x))), ("Exp2", np.exp2), ("Log2", np.log2),
        ("Log1p", np.log1p), ("Expm1", np.expm1), ("Log10", np.log10))},
    "Gelu": _gelu, "Softmax": _softmax(is_log=False), "LogSoftmax": _softmax(is_log=True), "ReduceSum": _sum,
    "ReduceMean": _mean, "ReduceL2": _length, "ReduceMax": _extreme(np.max), "ReduceMin": _extreme(np.min),
    "ArgMax": _argmax, "CumSum": _running, "OneHot": _one_hot, "MatMul": _summed(lambda _, x, y: x @ y),
    "Gemm": _summed(_gemm), "Einsum": _summed(_einsum)}


def _size(operation: str, attribute: Attribute, inputs: Sequence[Any]) -> int:
    """The number of elements of a result, or more."""
    shapes: list[tuple[int, ...]] = [one.shape for one in inputs if one is not None]
    if operation in ("Reshape", "Slice", "Transpose", "Trilu", "CumSum") or operation.startswith("Reduce"):
        return math.prod(shapes[0])
    if operation == "Expand":
        return math.prod(abs(int(one)) for one in inputs[1].tolist())
    if operation == "Tile":
        return math.prod(shapes[0]) * math.prod(abs(int(one)) for one in inputs[1].tolist())
    if operation == "Gather":
        axis: int = attribute("axis")
        return math.prod(shapes[0]) // max(shapes[0][axis], 1) * max(math.prod(shapes[1]), 1)
    if operation == "OneHot":
        return math.prod(shapes[0]) * abs(int(inputs[1]))
    if operation == "Concat":
        return sum(map(math.prod, shapes))
    if operation in ("MatMul", "Gemm"):
        outer = np.broadcast_shapes(shapes[0][:-2], shapes[1][:-2])
        return math.prod(outer) * max(shapes[0][-2:]) * max(shapes[1][-2:])
    if operation == "Einsum":
        names = attribute("equation").decode("ascii").replace(" ", "").partition("->")[0].split(",")
        pairs = [pair for one, shape in zip(names, shapes, strict=True) for pair in zip(one, shape, strict=True)]
        return math.prod(dict(pairs).values())
    return math.prod(np.broadcast_shapes(*shapes)) if shapes else 0
