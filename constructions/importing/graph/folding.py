"""Constant folding while a graph is read: a list of operations with their input types.

Each row is compared with ONNX Runtime in every definition of opsets 7 to 24 (tests/importing/test_folding.py);
operations outside the list, and numbers outside the compared ranges, are refused.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from constructions.importing.graph.affine_forms import NotUnderstood
from constructions.importing.graph.operators import Attributes
from constructions.importing.graph.state import MAX_ELEMENTS

TYPES = {"float32": "f", "float64": "d", "float16": "h", "int32": "i", "int64": "l", "bool": "b", "uint8": "u",
         "int8": "c"}
_ELEMENTWISE, _ANY = "fdhil", "fdhilbuc"
FOLDED: Mapping[str, str] = {
    **dict.fromkeys(("Add", "Sub", "Mul", "Div", "Neg", "Abs", "Sign", "Min", "Max", "Clip", "Less", "LessOrEqual",
                     "Greater", "GreaterOrEqual"), _ELEMENTWISE),
    **dict.fromkeys(("Floor", "Ceil", "Round", "Exp", "Sin", "Cos", "Tanh", "Sqrt", "Log", "Reciprocal"), "fdh"),
    **dict.fromkeys(("Tan", "Erf", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Softplus", "Gelu"), "f"), "Pow": "fdhil",
    **dict.fromkeys(("Sum", "ReduceL1", "LeakyRelu", "Elu"), "f"),
    **dict.fromkeys(("Sigmoid", "Softmax", "LogSoftmax", "LayerNormalization"), "fd"),
    **dict.fromkeys(("And", "Or", "Xor", "Not"), "b"), "Relu": "fdh", "Equal": "fdhilb", "Where": "fdhilu",
    "Mod": "fdil",
    **dict.fromkeys(("BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot"), "il"), "IsNaN": "fdh", "IsInf": "fd",
    **dict.fromkeys(("ReduceSum", "ReduceMax", "ReduceMin", "MatMul", "Einsum", "CumSum", "Range", "ArgMax", "ArgMin"),
                    "fdil"),
    **dict.fromkeys(("ReduceMean", "ReduceL2", "ReduceSumSquare", "Gemm"), "fd"), "ReduceProd": "fdl",
    **dict.fromkeys(("Cast", "CastLike", "Shape", "Size", "Reshape", "Transpose", "Slice", "Squeeze", "Unsqueeze",
                     "Expand", "Flatten", "Concat", "Split", "Gather", "GatherElements", "GatherND"), _ANY),
    "Tile": "fdilb", "Trilu": "fdilb", "EyeLike": "fdil", "Pad": "fdil", "ScatterND": "fdhilb",
    "ScatterElements": "fdhilb", "NonZero": "lbf",
    "OneHot": "fdil", "ConstantOfShape": "l", "QuantizeLinear": "fuc",
}
"""Operations with the allowed types of their inputs, except indices and sizes."""
_SINCE = {"Softmax": 13, "LogSoftmax": 13, "Clip": 12, "Max": 8, "Min": 8}
"""The first definition covered by the list."""
_LIMITS = {"i": 1 << 31, "l": 1 << 53}
_SUMS = ("ReduceSum", "MatMul", "Einsum", "CumSum")
_WHOLE = ("Add", "Sub", "Mul", "Neg", "Abs", *_SUMS)
_ROUNDED_ONCE = ("MatMul", "Gemm", "Einsum")
"""Sums of binary32 numbers computed in binary64, so that no row of them depends on the number of rows."""
_SCATTERED = (None, b"none")


def folded(node: Any, how: Attributes, inputs: list[Any], opset: int, moves: bool = False) -> list[Any]:
    """Return the outputs of a node on constants.

    With ``moves`` the first input has indices of elements instead, which may be of any type.
    """
    if node.op_type == "Constant":
        return [_constant(how)]
    if how.operation not in FOLDED or how.version < _SINCE.get(how.operation, 1):
        raise NotUnderstood(f"an operation that is not supported on constants, as opset {opset} defines it")
    inputs = [*inputs]
    _expect_types(how, [None, *inputs[1:]] if moves else inputs)
    guard = _GUARDS.get(how.operation)
    if not _is_in_range(how.operation, inputs) or (guard and not guard(how, inputs)):
        raise NotUnderstood("constants or attributes for which programs may differ in the result")
    how.all_are_read()
    if how.operation in _ROUNDED_ONCE and all(one is None or one.dtype.name == "float32" for one in inputs[:2]):
        wide = [one if one is None or one.dtype.kind != "f" else one.astype(np.float64) for one in inputs]
        with np.errstate(over="ignore"):
            return [one.astype(np.float32) for one in _evaluated(node, wide, opset)]
    return _evaluated(node, inputs, opset)


def _constant(how: Attributes) -> Any:
    from onnx import numpy_helper

    found = {name: how.attribute(name) for name in ("value", "value_float", "value_floats", "value_int", "value_ints")}
    given = [(name, one) for name, one in found.items() if one is not None]
    if len(given) != 1:
        raise NotUnderstood("a constant that is not an array of numbers")
    ((name, value),) = given
    return numpy_helper.to_array(value) if name == "value" else np.array(value, np.float32 if "float" in name else
                                                                         np.int64)


def _expect_types(how: Attributes, inputs: list[Any]) -> None:
    """Check that inputs with the same letter in the definition have the same type; others are indices or conditions."""
    found: dict[str, str] = {}
    for number, value in enumerate(inputs):
        if value is None:
            continue
        form = how.schema.inputs[min(number, len(how.schema.inputs) - 1)]
        letter = TYPES.get(value.dtype.name, "")
        is_place = {*form.types} <= {"tensor(int32)", "tensor(int64)", "tensor(bool)"} and how.operation not in (
            "And", "Or", "Xor", "Not")
        name = {"f": "float", "d": "double"}.get(letter, value.dtype.name)
        if f"tensor({name})" not in form.types or (letter not in FOLDED[how.operation] and not is_place) or not letter:
            raise NotUnderstood(f"an operation that is not supported on constants of type {value.dtype.name}")
        if found.setdefault(form.type_str, letter) != letter:
            raise NotUnderstood("constants of several types, expected one")


def _is_in_range(operation: str, inputs: list[Any]) -> bool:
    """Return whether integers are so small that no sum or product of them leaves its type."""
    if operation not in _WHOLE and operation != "ReduceProd":
        return True
    peaks, size = 1, 1
    for value in inputs:
        letter = "" if value is None else TYPES[value.dtype.name]
        if letter in _LIMITS and value.size:
            numbers = [abs(int(value.min())), abs(int(value.max())), 1]
            size = max(size, value.size)
            peaks = peaks * max(numbers) ** (value.size if operation == "ReduceProd" else 1 if len(inputs) > 1 else 2)
            if peaks * (size if operation in _SUMS else 2) >= _LIMITS[letter]:
                return False
    return True


def _cast(how: Attributes, inputs: list[Any]) -> bool:
    """Return whether the integer parts of numbers fit into the other type."""
    from onnx import helper

    values, name = inputs[0], inputs[1].dtype.name if how.operation == "CastLike" else (
        helper.tensor_dtype_to_np_dtype(how.attribute("to")).name)
    if name not in ("int32", "int64", "uint8", "int8") or values.dtype.kind == "b" or not values.size:
        return name in (*TYPES,)
    least, most = np.iinfo(name).min, np.iinfo(name).max
    return bool(np.isfinite(values).all()) and least <= math.trunc(values.min().item()) and (
        math.trunc(values.max().item()) <= most)


def _unsqueeze(how: Attributes, _: list[Any]) -> bool:
    axes = how.attribute("axes") or [0]
    return len(axes) == 1 or (axes == sorted({*axes}) and axes[0] >= 0)


def _is_whole(_: Attributes, inputs: list[Any]) -> bool:
    """Return whether all are integers of at most 24 bits."""
    return all(np.isfinite(one).all() and (one == np.floor(one)).all() and (np.abs(one) < 1 << 24).all()
               for one in inputs)


def _gather(how: Attributes, inputs: list[Any]) -> bool:
    """Return whether indices are within the array."""
    size = inputs[0].shape[how.attribute("axis")]
    return bool(((inputs[1] >= -size) & (inputs[1] < size)).all())


def _power(_: Attributes, inputs: list[Any]) -> bool:
    """Return whether powers of integers are within their type, and below 2^53."""
    base, exponent = inputs
    if base.dtype.kind == "f":
        return True
    if exponent.dtype.kind == "f" or not base.size or not exponent.size or exponent.min() < 0:
        return False
    greatest = int(np.abs(base.astype(object)).max()) ** min(int(exponent.max()), 64)
    return bool(greatest < _LIMITS[TYPES[base.dtype.name]])


def _scatter_elements(how: Attributes, inputs: list[Any]) -> bool:
    """Return whether indices are within the array and distinct."""
    data, places, _ = inputs
    axis, size = how.attribute("axis") % data.ndim, data.shape[how.attribute("axis")]
    if how.attribute("reduction") not in _SCATTERED or not ((places >= -size) & (places < size)).all():
        return False
    whole = [np.broadcast_to(one, places.shape) for one in np.indices(places.shape, sparse=True)]
    whole[axis] = places % size
    return len({*zip(*(one.ravel().tolist() for one in whole), strict=True)}) == int(places.size)


_GUARDS: Mapping[str, Callable[[Attributes, list[Any]], bool]] = {
    "Cast": _cast, "CastLike": _cast, "Unsqueeze": _unsqueeze, "Range": _is_whole, "Gather": _gather,
    "GatherElements": _gather,
    "Div": lambda _, inputs: inputs[1].dtype.kind == "f" or bool((inputs[1] != 0).all()),
    "Mod": lambda _, inputs: bool((inputs[1] != 0).all()),
    "Pad": lambda how, inputs: how.attribute("mode") in (b"constant", b"edge") and len(inputs) < 4,
    "Pow": _power, "ScatterElements": _scatter_elements,
    "ScatterND": lambda how, inputs: how.attribute("reduction") in _SCATTERED and len(
        np.unique(inputs[1].reshape(-1, inputs[1].shape[-1]), axis=0)) * inputs[1].shape[-1] == inputs[1].size,
    "OneHot": _is_whole, "NonZero": lambda _, inputs: inputs[0].ndim > 0,
    "LayerNormalization": lambda how, _: how.attribute("stash_type") == 1,
    "QuantizeLinear": lambda how, inputs: inputs[1].size == 1 and not how.attribute("block_size"),
}
"""Conditions on attributes and constants, besides their types."""


def _evaluated(node: Any, inputs: list[Any], opset: int) -> list[Any]:
    """Evaluate the node by the reference implementation, with our own names, so that all outputs are computed."""
    from onnx import ValueInfoProto, helper
    from onnx.reference import ReferenceEvaluator

    names = ["" if value is None else f"i{place}" for place, value in enumerate(inputs)]
    one = helper.make_node(node.op_type, names, [f"o{place}" for place in range(len(node.output))])
    one.attribute.extend(node.attribute)
    graph = helper.make_graph([one], "node", [ValueInfoProto(name=name) for name in names if name],
                              [ValueInfoProto(name=name) for name in one.output])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    try:
        with np.errstate(all="ignore"):
            found = [*ReferenceEvaluator(model).run(None, {name: value for name, value in zip(
                names, inputs, strict=True) if name})]
    except Exception as error:  # a hostile node may raise any exception
        raise NotUnderstood(f"it cannot be computed ({str(error)[:80] or type(error).__name__})".replace("\n", " ")
                            ) from None
    if any(not isinstance(value, np.ndarray | np.generic) or np.size(value) > MAX_ELEMENTS for value in found):
        raise NotUnderstood(f"its result is not an array of at most {MAX_ELEMENTS} elements")
    return [np.asarray(value) for value in found]
