"""Operations of torch (ATen) in those of ONNX, one by one; shapes and types are those that the program states."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from constructions.importing.graph import aten_numbers as numbers
from constructions.importing.graph import aten_places as places
from constructions.importing.graph.aten_call import BFLOAT, DOUBLE, FLOAT, LONG, Call, Program, Translator, Unfit
from constructions.importing.graph.aten_complex import OF_COMPLEX
from constructions.importing.graph.aten_constants import ON_CONSTANTS
from constructions.importing.graph.aten_values import BOOLEAN, ELEMENTS, TYPES, value_of

LEAST = -np.inf


def translate(program: Program, node: Mapping[str, Any], target: str) -> None:
    """The nodes of one operation.

    Raises:
        Unfit: if it is not read.
    """
    if target.startswith(("aten._assert_tensor_metadata.", "aten.sym_constrain_range")) and not node["outputs"]:
        return
    if target.startswith("aten._assert_"):
        if target != "aten._assert_scalar.default" or value_of(node["inputs"][0]["arg"]) is not True:
            raise Unfit("an assertion that is not known to hold on every input")
        return
    library, name, overload = [*target.split("."), ""][:3]
    handler = None
    for plain in (name, name.removesuffix("_")) if library == "aten" else ():  # what sees it: aten_memory.py
        handler = handler or _TRANSLATORS.get(f"{plain}.{overload}") or _TRANSLATORS.get(plain)
    if handler is None and (library != "aten" or name not in OF_COMPLEX):
        raise Unfit("an operation that is not handled")
    call = Call(program, node)
    if handler is None or call.has_complex:
        handler = OF_COMPLEX.get(name)
    if handler is None:
        raise Unfit("an operation that is not handled on complex numbers")
    first = len(program.nodes)
    handler(call)
    call.expect_all_read()
    for made in call.made:
        if call.kind(made) == BFLOAT:
            _round(call, made, program.nodes[first:])


def _round(call: Call, made: str, nodes: list[Any]) -> None:
    """Round what was made of bfloat16, whose constants are computed in binary32, as torch does."""
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
    weight = call.turned(call.get("weight"), [1, 0])
    if call.get("bias") is None:
        call.emit("MatMul", [call.x, weight])
        return
    product = call.emit("MatMul", [call.x, weight], call.new(call.shape(call.made[0]), call.kind(call.made[0])))
    call.emit("Add", [product, call.get("bias")])


def _addmm(call: Call) -> None:
    call.emit("Gemm", [call.get("mat1"), call.get("mat2"), call.x])


def _mv(call: Call) -> None:
    matrix, vector = call.operands(2)
    call.emit("MatMul", [matrix, vector])


def _baddbmm(call: Call) -> None:
    product = call.emit("MatMul", [call.get("batch1"), call.get("batch2")],
                        call.new(call.shape(call.made[0]), call.kind(call.made[0])))
    call.emit("Add", [call.x, product])


def _matmul(call: Call) -> None:
    call.emit("MatMul", call.operands(2))


def _einsum(call: Call) -> None:
    call.emit("Einsum", call.get("tensors"), equation=call.get("equation"))


def _outer(call: Call) -> None:
    one, other = call.operands(2)
    kind = call.kind(call.made[0])
    call.emit("Mul", [call.reshaped(call.as_kind(one, kind), [*call.shape(one), 1]), call.as_kind(other, kind)])


def _convolution(call: Call) -> None:
    if isinstance(call.get("padding"), str) or len(call.shape(call.x)) != 3:
        raise Unfit("a padding by name, or an array without an axis of batches")
    call.emit("Conv", [call.x, call.get("weight"), *([call.get("bias")] if call.get("bias") else [])],
              strides=call.get("stride", [1]), pads=[*call.get("padding", [0]) * 2], group=call.get("groups", 1),
              dilations=call.get("dilation", [1]))


def _softmax(call: Call) -> None:
    call.emit("Softmax", [call.as_kind(call.x, call.kind(call.made[0]))], axis=call.axis(call.get("dim")))


def _log_softmax(call: Call) -> None:
    call.emit("LogSoftmax", [call.as_kind(call.x, call.kind(call.made[0]))], axis=call.axis(call.get("dim")))


def _norm(is_layer: bool) -> Translator:
    def handler(call: Call) -> None:
        epsilon, shape = call.get("eps"), call.get("normalized_shape")
        del call.made[1:]  # mean and deviation, which nothing here reads
        if [*shape] != [*call.shape(call.x)[-1:]]:
            raise Unfit("a norm over more than the last axis")
        if epsilon is None:
            epsilon = np.finfo(ELEMENTS[call.kind(call.x)]).eps if not is_layer else "1e-5"
        name = _normed(call, is_layer, np.float64(epsilon))
        for operation, weight in (("Mul", call.get("weight")), ("Add", call.get("bias"))):
            if weight is not None:
                name = call.emit(operation, [name, weight], call.new(call.shape(call.x), call.kind(call.x)))
        call.emit("Identity", [name])
    return handler


def _normed(call: Call, is_layer: bool, epsilon: np.float64) -> str:
    """Spelled out, as an attribute of ONNX would round epsilon to binary32."""
    kind, shape = call.kind(call.x), call.shape(call.x)
    single, last = [*shape[:-1], 1], call.constant([-1], LONG)
    name: str = call.x
    if is_layer:
        mean = call.emit("ReduceMean", [name, last], call.new(single, kind), keepdims=1)
        name = call.emit("Sub", [name, mean], call.new(shape, kind))
    square = call.emit("Mul", [name, name], call.new(shape, kind))
    mean = call.emit("ReduceMean", [square, last], call.new(single, kind), keepdims=1)
    total = call.emit("Add", [mean, call.constant(np.float64(epsilon), DOUBLE)], call.new(single, kind))
    root = call.emit("Sqrt", [total], call.new(single, kind))
    return call.emit("Div", [name, root], call.new(shape, kind))


def _weight_norm(call: Call) -> None:
    if call.get("dim", 0) == -1:
        raise Unfit("a norm over all axes")
    axes = [axis for axis in range(len(call.shape(call.x))) if axis != call.axis(call.get("dim", 0))]
    shape = call.shape(call.get("g"))
    root = call.emit("ReduceL2", [call.x, call.constant(axes, LONG)], call.new(shape, call.kind(call.x)), keepdims=1)
    scale = call.emit("Div", [call.get("g"), root], call.new(shape, call.kind(call.x)))
    call.emit("Mul", [call.x, scale])


def _attention(call: Call) -> None:
    """softmax(q kᵀ · scale + mask) v; keys and values of groups are repeated for their heads."""
    query, key, value, mask = (call.get(name) for name in ("query", "key", "value", "attn_mask"))
    if call.get("is_causal") and mask is not None:
        raise Unfit("a mask beside that of is_causal")
    if call.get("dropout_p", 0):
        raise Unfit("a dropout in training; expected the model exported in evaluation (model.eval())")
    kind, heads = call.kind(query), call.shape(query)
    for name, shape in (("key", call.shape(key)), ("value", call.shape(value))):
        if call.get("enable_gqa") and heads[-3] != shape[-3]:
            axis = len(shape) - 3
            wide = places.repeated(call, call.get(name), shape, axis, heads[-3] // shape[-3])
            whole = call.reshaped(wide, [*shape[:axis], heads[-3], *shape[axis + 1:]])
            key, value = (whole, value) if name == "key" else (key, whole)
    turned = call.turned(key, [*range(len(heads) - 2), len(heads) - 1, len(heads) - 2])
    square = [*heads[:-1], call.shape(key)[-2]]
    scale = call.get("scale")
    if scale is None:
        scale = 1 / math.sqrt(heads[-1])
        call.program.rounded |= math.isqrt(heads[-1]) ** 2 != heads[-1] or bool(heads[-1] & heads[-1] - 1)
    scores = call.emit("MatMul", [query, turned], call.new(square, kind))
    scores = call.emit("Mul", [scores, call.constant(np.float64(scale), DOUBLE)], call.new(square, kind))
    if call.get("is_causal"):
        seen = call.constant(np.tri(square[-2], square[-1], dtype=bool), BOOLEAN)
        scores = call.emit("Where", [seen, scores, call.constant(LEAST, kind)], call.new(square, kind))
    elif mask is not None:
        boolean = call.kind(mask) == BOOLEAN
        scores = call.emit("Where" if boolean else "Add", [mask, scores, call.constant(LEAST, kind)] if boolean else
                           [scores, mask], call.new(square, kind))
    call.emit("MatMul", [call.emit("Softmax", [scores], call.new(square, kind), axis=-1), value])


_TRANSLATORS: Mapping[str, Translator] = {
    **ON_CONSTANTS,
    **dict.fromkeys(("contiguous", "clone", "alias", "detach", "lift_fresh_copy", "dropout", "to", "_to_copy",
        "type_as", "detach_"), places.same),
    **dict.fromkeys(("view", "reshape", "_unsafe_view", "flatten", "unflatten", "squeeze", "unsqueeze",
        "view_as", "reshape_as", "ravel"), places.reshape),
    **dict.fromkeys(("expand", "expand_as", "broadcast_to"), places.expand), "permute": places.permute,
    **dict.fromkeys(("transpose", "mT", "swapaxes", "swapdims"), places.transpose),
    **dict.fromkeys(("t", "numpy_T"), places.turn_around),
    "slice": places.cut, "select": places.select, "embedding": places.rows, "index": places.index,
    "index_select": places.index_select, "index_put": places.put, "copy": places.copied, "flip": places.flip,
    **dict.fromkeys(("slice_scatter", "select_scatter"), places.scattered), "_unsafe_index": places.index,
    "_unsafe_index_put": places.put, "roll": places.roll, "cat": places.concat, "concat": places.concat,
    "hstack": places.side_by_side, "stack": places.stack, "narrow": places.cut_out, "movedim": places.move_axes,
    **dict.fromkeys(("split", "split_with_sizes", "chunk", "tensor_split"), places.split), "unbind": places.unbind,
    "repeat": places.repeat, "tile": places.repeat, "repeat_interleave": places.repeat_interleave,
    **dict.fromkeys(("ones", "ones_like", "new_ones"), numbers.filled(1)),
    **dict.fromkeys(("zeros", "zeros_like", "new_zeros", "zero", "empty", "empty_like", "new_empty"),
                    numbers.filled(0)),
    **dict.fromkeys(("full", "full_like", "new_full", "fill", "scalar_tensor"), numbers.filled(None)),
    "any": numbers.any_of("ReduceMax"), "all": numbers.any_of("ReduceMin"), "mv": _mv, "fmod": numbers.fmod,
    **dict.fromkeys(("bitwise_xor", "__xor__"), numbers.two("Xor")), "arange": numbers.arange,
    "native_layer_norm": _norm(is_layer=True),
    "eye": numbers.eye, "tril": numbers.triangle(0), "triu": numbers.triangle(1), "add": numbers.two("Add"),
    "sub": numbers.two("Sub"), "mul": numbers.two("Mul"), "div": numbers.two("Div"), "pow": numbers.two("Pow"),
    "minimum": numbers.two("Min"), "maximum": numbers.two("Max"), "remainder": numbers.remainder,
    "le": numbers.two("LessOrEqual"), "lt": numbers.two("Less"), "ge": numbers.two("GreaterOrEqual"),
    "gt": numbers.two("Greater"), "eq": numbers.two("Equal"), "ne": numbers.differs,
    **dict.fromkeys(("logical_and", "bitwise_and", "__and__"), numbers.two("And")),
    **dict.fromkeys(("logical_or", "bitwise_or", "__or__"), numbers.two("Or")), "logical_not": numbers.one("Not"),
    "bitwise_not": numbers.bitwise_not,
    **{name: numbers.one(name.capitalize()) for name in ("neg", "sqrt", "exp", "log", "sin", "cos", "tanh",
        "sigmoid", "relu", "abs", "erf", "reciprocal", "floor", "ceil", "sign", "tan", "trunc", "exp2", "log2", "log10",
        "log1p", "expm1")}, "round": numbers.rounded,
    "floor_divide": numbers.floor_quotient, "rsub": numbers.taken_from, "linspace": numbers.linspace,
    "amax": numbers.reduced("ReduceMax"), "amin": numbers.reduced("ReduceMin"),
    "gelu": numbers.gelu, "silu": numbers.silu, "square": numbers.square, "rsqrt": numbers.rsqrt,
    "leaky_relu": numbers.leaky, "clamp": numbers.clip("min", "max", (None, None)),
    "clamp_min": numbers.clip("min", "max", (None, None)), "clamp_max": numbers.clip("min", "max", (None, None)),
    "hardtanh": numbers.clip("min_val", "max_val", (-1, 1)), "relu6": numbers.clip("", "", (0, 6)),
    "where": numbers.where, "masked_fill": numbers.masked_fill, "sum": numbers.reduced("ReduceSum"),
    "mean": numbers.reduced("ReduceMean"), "argmax": numbers.argmax, "cumsum": numbers.cumsum,
    "one_hot": numbers.one_hot, "linear": _linear, "addmm": _addmm, "matmul": _matmul, "mm": _matmul, "bmm": _matmul,
    "baddbmm": _baddbmm, "max.other": numbers.two("Max"), "min.other": numbers.two("Min"), "einsum": _einsum,
    "outer": _outer, "conv1d": _convolution, "var": numbers.variance(is_root=False), "softmax": _softmax,
    "std": numbers.variance(is_root=True), "_softmax": _softmax, "_safe_softmax": _softmax,
    "log_softmax": _log_softmax, "_log_softmax": _log_softmax, "glu": numbers.glu,
    "linalg_vector_norm": numbers.length_of,
    "layer_norm": _norm(is_layer=True), "rms_norm": _norm(is_layer=False), "_weight_norm": _weight_norm,
    "scaled_dot_product_attention": _attention,
}
MAKING_NEW = {name for name, translator in _TRANSLATORS.items() if translator not in (
    places.same, places.reshape, places.expand, places.permute, places.transpose, places.turn_around, places.cut,
    places.select, places.split, places.unbind, places.cut_out, places.move_axes, _einsum) and name not in (
        "diagonal", "meshgrid")} | {"clone", "lift_fresh_copy", "polar", "complex"}
"""Operations whose result is new memory; all others may leave it in that of what they are given."""
