"""Translation of torch's operations (ATen) to those of ONNX; the program states shapes and types."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from constructions.importing.graph.aten_call import (
    BFLOAT,
    BOOLEAN,
    COMPLEX,
    DOUBLE,
    ELEMENTS,
    FLOAT,
    TYPES,
    AtenGraph,
    Call,
    Name,
    Translator,
    Unfit,
    value_of,
)
from constructions.importing.graph.aten_numbers import NUMBERS
from constructions.importing.graph.aten_places import PLACES, repeated

LEAST = -np.inf


def translate(program: AtenGraph, node: Mapping[str, Any], target: str) -> None:
    """Translate one operation to nodes; raise Unfit if it is not supported."""
    if target.startswith(("aten._assert_tensor_metadata.", "aten.sym_constrain_range")) and not node["outputs"]:
        return
    if target.startswith("aten._assert_"):
        if target != "aten._assert_scalar.default" or value_of(node["inputs"][0]["arg"]) is not True:
            raise Unfit("an assertion that may fail on some input")
        return
    library, name, overload = [*target.split("."), ""][:3]
    handler = None
    for plain in (name, name.removesuffix("_")) if library == "aten" else ():  # SharedMemory tracks who sees the change
        handler = handler or TRANSLATORS.get(f"{plain}.{overload}") or TRANSLATORS.get(plain)
    if handler is None and (library != "aten" or name not in _OF_COMPLEX):
        raise Unfit("an operation that is not supported")
    call = Call(program, node)
    if handler is None or any(isinstance(one, Name) and call.is_complex(one) for value in [
            *call.arguments.values(), call.made] for one in (value if isinstance(value, list) else [value])):
        handler = _OF_COMPLEX.get(name)
    if handler is None:
        raise Unfit("an operation that is not supported on complex numbers")
    first = len(program.nodes)
    handler(call)
    call.expect_all_read()
    for made in call.made:
        if call.kind(made) == BFLOAT:
            _round(call, made, program.nodes[first:])


def _round(call: Call, made: str, nodes: list[Any]) -> None:
    """Round a bfloat16 result, whose constants are computed in binary32, as torch does."""
    program = call.program
    unrounded = call.new(call.shape(made), FLOAT)
    if made in program.constants:
        program.constants[unrounded] = program.constants.pop(made)
    for node in nodes:
        node.output[:] = [unrounded if one == made else one for one in node.output]
    if made in program.inexact:
        program.inexact.add(unrounded)
    call.emit("Cast", [unrounded], made, to=TYPES[BFLOAT])


def _linear(call: Call) -> None:
    weight, bias = call.turned(call.get("weight"), [1, 0]), call.get("bias")
    if bias is None:
        call.emit("MatMul", [call.x, weight])
    else:
        call.emit("Add", [call.do("MatMul", call.x, weight, shape=call.out_shape, kind=call.out_kind), bias])


def _convolution(call: Call) -> None:
    if isinstance(call.get("padding"), str) or len(call.shape(call.x)) != 3:
        raise Unfit("a padding by name, or an array without a batch axis")
    call.emit("Conv", [call.x, call.get("weight"), *([call.get("bias")] if call.get("bias") else [])],
              strides=call.get("stride", [1]), pads=[*call.get("padding", [0]) * 2], group=call.get("groups", 1),
              dilations=call.get("dilation", [1]))


def _softmax(operation: str) -> Translator:
    return lambda call: call.emit(operation, [call.as_kind(call.x)], axis=call.axis(call.get("dim")))


def _glu(call: Call) -> None:
    """Translate one half of an axis times the logistic function of the other."""
    axis, shape = call.axis(call.get("dim", -1)), call.out_shape
    one, other = (call.do("Slice", call.x, [first], [first + shape[axis]], [axis], shape=shape)
                  for first in (0, shape[axis]))
    call.emit("Mul", [one, call.do("Sigmoid", other)])


def _length(call: Call) -> None:
    axes = call.get("dim")
    if call.get("ord", 2) != 2 or not axes or len(axes) != 1:
        raise Unfit("a norm other than the 2-norm, or over several axes")
    call.emit("ReduceL2", [call.x, call.axes(axes)], keepdims=call.keepdim())


def _variance(is_root: bool) -> Translator:
    """Return the translator of a variance or its root; torch divides by the number of elements minus one."""
    def handler(call: Call) -> None:
        axes, shape = call.get("dim"), call.shape(call.x)
        axes = [axes] if isinstance(axes, int) else axes
        if not axes or len(axes) != 1 or not call.get("keepdim", False):
            raise Unfit("a variance that drops its axis, or over several axes")
        (axis,) = call.axes(axes)
        less = call.get("correction", 1 if call.get("unbiased", True) else 0)
        less = 1 if less is None else less
        if not shape[axis] > less:
            raise Unfit("a variance with a correction of at least the number of elements")
        single = [*shape[:axis], 1, *shape[axis + 1:]]
        centred = call.do("Sub", call.x, call.do("ReduceMean", call.x, [axis], shape=single, keepdims=1))
        total = call.do("ReduceSum", call.do("Mul", centred, centred), [axis], shape=single, keepdims=1)
        divisor = call.constant(shape[axis] - less, call.kind(call.x))
        if is_root:
            call.emit("Sqrt", [call.do("Div", total, divisor)])
        else:
            call.emit("Div", [total, divisor])
    return handler


def _norm(is_layer: bool) -> Translator:
    """Return the translator of a norm to elementary operations, as ONNX's epsilon would be rounded to binary32."""
    def handler(call: Call) -> None:
        epsilon, shape, kind = call.get("eps"), call.shape(call.x), call.kind(call.x)
        del call.made[1:]  # mean and deviation are not read
        if [*call.get("normalized_shape")] != [*shape[-1:]]:
            raise Unfit("a norm over more than the last axis")
        if epsilon is None:
            epsilon = np.finfo(ELEMENTS[kind]).eps if not is_layer else "1e-5"
        single, name = [*shape[:-1], 1], str(call.x)
        if is_layer:
            name = call.do("Sub", name, call.do("ReduceMean", name, [-1], shape=single, keepdims=1))
        mean = call.do("ReduceMean", call.do("Mul", name, name), [-1], shape=single, keepdims=1)
        name = call.do("Div", name, call.do("Sqrt", call.do("Add", mean, call.constant(np.float64(epsilon), DOUBLE))))
        for operation, weight in (("Mul", call.get("weight")), ("Add", call.get("bias"))):
            if weight is not None:
                name = call.do(operation, name, weight, shape=shape)
        call.emit("Identity", [name])
    return handler


def _weight_norm(call: Call) -> None:
    if call.get("dim", 0) == -1:
        raise Unfit("a norm over all axes")
    axes = [axis for axis in range(len(call.shape(call.x))) if axis != call.axis(call.get("dim", 0))]
    shape, kind = call.shape(call.get("g")), call.kind(call.x)
    root = call.do("ReduceL2", call.x, axes, shape=shape, keepdims=1)
    call.emit("Mul", [call.x, call.do("Div", call.get("g"), root, shape=shape, kind=kind)])


def _attention(call: Call) -> None:
    """Translate softmax(q kᵀ · scale + mask) v; grouped keys and values are repeated for their heads."""
    query, key, value, mask = (call.get(name) for name in ("query", "key", "value", "attn_mask"))
    if call.get("is_causal") and mask is not None:
        raise Unfit("a mask beside is_causal, expected one of them")
    if call.get("dropout_p", 0):
        raise Unfit("a dropout in training; expected the model exported in evaluation (model.eval())")
    kind, heads = call.kind(query), call.shape(query)

    def for_all_heads(name: str) -> str:
        shape = call.shape(name)
        if not call.get("enable_gqa") or heads[-3] == shape[-3]:
            return name
        axis = len(shape) - 3
        return call.reshaped(repeated(call, name, axis, heads[-3] // shape[axis]), [
            *shape[:axis], heads[-3], *shape[axis + 1:]])

    key, value = for_all_heads(key), for_all_heads(value)
    turned = call.turned(key, [*range(len(heads) - 2), len(heads) - 1, len(heads) - 2])
    square = [*heads[:-1], call.shape(key)[-2]]
    scale = call.get("scale")
    if scale is None:
        scale = 1 / math.sqrt(heads[-1])
        call.program.rounded |= math.isqrt(heads[-1]) ** 2 != heads[-1] or bool(heads[-1] & heads[-1] - 1)
    scores = call.do("MatMul", query, turned, shape=square)
    scores = call.do("Mul", scores, call.constant(np.float64(scale), DOUBLE), shape=square)
    if call.get("is_causal"):
        mask = call.constant(np.tri(square[-2], square[-1], dtype=bool), BOOLEAN)
    if mask is not None and call.kind(mask) == BOOLEAN:
        scores = call.do("Where", mask, scores, call.constant(LEAST, kind), shape=square, kind=kind)
    elif mask is not None:
        scores = call.do("Add", scores, mask, shape=square)
    call.emit("MatMul", [call.do("Softmax", scores, axis=-1), value])


TRANSLATORS: Mapping[str, Translator] = {
    **PLACES, **NUMBERS, "linear": _linear, "conv1d": _convolution, "baddbmm": lambda call: call.emit("Add", [
        call.x, call.do("MatMul", call.get("batch1"), call.get("batch2"), shape=call.out_shape, kind=call.out_kind)]),
    "outer": lambda call: call.emit("Mul", [
        call.reshaped(call.as_kind(call.x), [*call.shape(call.x), 1]), call.as_kind(call.operands(2)[1])]),
    "addmm": lambda call: call.emit("Gemm", [call.get("mat1"), call.get("mat2"), call.x]),
    **dict.fromkeys(("matmul", "mm", "bmm", "mv"), lambda call: call.emit("MatMul", call.operands(2))),
    "einsum": lambda call: call.emit("Einsum", call.get("tensors"), equation=call.get("equation")),
    **dict.fromkeys(("softmax", "_softmax", "_safe_softmax"), _softmax("Softmax")),
    **dict.fromkeys(("log_softmax", "_log_softmax"), _softmax("LogSoftmax")), "glu": _glu,
    "linalg_vector_norm": _length, "var": _variance(is_root=False), "std": _variance(is_root=True),
    **dict.fromkeys(("layer_norm", "native_layer_norm"), _norm(is_layer=True)), "rms_norm": _norm(is_layer=False),
    "_weight_norm": _weight_norm, "scaled_dot_product_attention": _attention}


# -- complex numbers, of rotary positions: arrays of pairs along an additional last axis -------------------------------


def in_pairs(values: Mapping[str, Any]) -> tuple[dict[str, Any], frozenset[str]]:
    """Return the metadata of a program's tensors, with complex ones as pairs, and the names of the latter."""
    names = frozenset(name for name, meta in values.items() if meta.get("dtype") in COMPLEX)
    pairs = {name: {**values[name], "dtype": COMPLEX[values[name]["dtype"]],
                    "sizes": [*values[name]["sizes"], {"as_int": 2}]} for name in names}
    return {**values, **pairs}, names


def _kept(name: str) -> Translator:
    def kept(call: Call) -> None:
        if not call.is_complex(call.x) or not call.is_complex(call.out):
            raise Unfit("complex numbers made of real ones, or real ones of complex ones")
        TRANSLATORS[name](call)
    return kept


def _joined(call: Call, real: str, imaginary: str) -> None:
    call.emit("Concat", [real, imaginary], axis=len(call.out_shape) - 1)


def _product(call: Call) -> None:
    if not all(isinstance(value, Name) and call.is_complex(value) for value in call.operands(2)):
        raise Unfit("a product of complex and real numbers")
    (a, b), (c, d) = ([call.do("Slice", name, [index], [index + 1], [len(call.shape(name)) - 1],
                               shape=[*call.shape(name)[:-1], 1]) for index in (0, 1)] for name in call.operands(2))
    _joined(call, call.do("Sub", call.do("Mul", a, c), call.do("Mul", b, d)),
            call.do("Add", call.do("Mul", a, d), call.do("Mul", b, c)))


def _from_parts(call: Call) -> None:
    """Translate a complex number from real and imaginary parts, or from absolute value and angle."""
    one, other = call.operands(2)
    parts = [one, other] if call.operation == "complex" else [
        call.do("Mul", one, call.do(function, other), kind=call.kind(other)) for function in ("Cos", "Sin")]
    _joined(call, *(call.reshaped(part, [*call.shape(part), 1]) for part in parts))


_OF_COMPLEX: Mapping[str, Translator] = {
    **dict.fromkeys(("view_as_complex", "view_as_real"), lambda call: call.emit("Identity", [call.x])),
    "mul": _product, "polar": _from_parts, "complex": _from_parts,
    **{name: _kept(name) for name in (
        "contiguous", "clone", "alias", "detach", "to", "_to_copy", "view", "reshape", "_unsafe_view", "flatten",
        "unflatten", "squeeze", "unsqueeze", "view_as", "reshape_as", "expand", "expand_as", "transpose", "slice",
        "select", "index", "index_select")}}
