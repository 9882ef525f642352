"""Each operation that is computed on constants, in each definition of opsets 7 to 24, as ONNX Runtime computes it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from constructions.importing.graph.affine_forms import NotUnderstood
from constructions.importing.graph.folding import FOLDED, TYPES, folded
from constructions.importing.graph.operators import OPSETS, Attributes, greatest_size

onnx = pytest.importorskip("onnx")
RANDOM = np.random.default_rng(3)
KINDS = {letter: np.dtype(name).type for name, letter in TYPES.items()}
Case = tuple[list[Any], dict[str, Any]]
NEAR = {"Exp", "Sin", "Cos", "Tanh", "Log", "Pow", "Tan", "Erf", "Sigmoid", "Softmax", "LogSoftmax",
        "LayerNormalization", "ReduceSum", "ReduceMean", "ReduceL2", "ReduceSumSquare", "ReduceProd", "MatMul", "Gemm",
        "Einsum", "OneHot", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Softplus", "Gelu", "Elu", "ReduceL1"}
"""Operations whose sums or functions ONNX Runtime rounds in another way; all others are compared bit by bit."""


def some(choices: Any) -> Any:
    return choices[RANDOM.integers(len(choices))]


def array(kind: str, *shape: int, least: int = -5, most: int = 6) -> Any:
    if kind == "b":
        return RANDOM.integers(0, 2, shape).astype(bool)
    if kind in "ilcu":
        return RANDOM.integers(max(least, 0) if kind == "u" else least, most, shape).astype(KINDS[kind])
    return (np.round(RANDOM.normal(size=shape) * 4) / 2 if RANDOM.integers(2) else RANDOM.normal(size=shape) * 2 + max(
        least, 0)).clip(max(least, -9), 9).astype(KINDS[kind])


def longs(*numbers: int) -> Any:
    return np.array(numbers, np.int64)


def perhaps(**attributes: Any) -> dict[str, Any]:
    return {name: value for name, value in attributes.items() if value is not None and RANDOM.integers(2)}


def one(kind: str, _: int) -> Case:
    return [array(kind, *some([(3,), (2, 3), (2, 1, 4), ()]))], {}


def positive(kind: str, _: int) -> Case:
    return [np.abs(array(kind, 2, 3)) + KINDS[kind](0.25)], {}


def two(kind: str, version: int) -> Case:
    pairs = [((2, 3), (2, 3)), ((2, 3), (3,)), ((1, 3), (2, 1)), ((), (2, 3)), ((2, 1, 3), (4, 1))]
    left, right = pairs[0] if version < 7 else some(pairs)
    return [array(kind, *left), array(kind, *right)], {}


def over(kind: str, _: int) -> Case:
    divisor = array(kind, 3, least=1) * np.where(array("b", 3), 1, -1).astype(KINDS[kind])
    return [array(kind, 2, 3), np.where(divisor == 0, 1, divisor).astype(KINDS[kind])], {}


def remainder(kind: str, version: int) -> Case:
    return over(kind, version)[0], {"fmod": 1} if kind in "fdh" else perhaps(fmod=1)


def power(kind: str, version: int) -> Case:
    return [*positive(kind, version)[0], array(kind, *some([(3,), (2, 3), ()]), least=0, most=4)], {}


def small(kind: str, _: int) -> Case:
    return [array(kind, 2, 3) / KINDS[kind](9.5)], {}


def added(kind: str, version: int) -> Case:
    return [*two(kind, version)[0], *([array(kind, 3)] if RANDOM.integers(2) else [])], {}


def bent(kind: str, _: int) -> Case:
    return [array(kind, 2, 3)], perhaps(alpha=0.5)


def erf_or_tanh(kind: str, _: int) -> Case:
    return [array(kind, 2, 3)], perhaps(approximate=some(["none", "tanh"]))


def clipped(kind: str, _: int) -> Case:
    return [array(kind, 2, 3), *([array(kind, least=-3, most=0)] if RANDOM.integers(2) else [None]),
            *([array(kind, least=1, most=4)] if RANDOM.integers(2) else [])], {}


def chosen(kind: str, _: int) -> Case:
    return [array("b", *some([(2, 3), (2, 1), ()])), array(kind, *some([(2, 3), (1, 3)])), array(kind, 2, 3)], {}


def reduced(first: int) -> Callable[[str, int], Case]:
    def make(kind: str, version: int) -> Case:
        axes = some([[0], [1], [2], [0, 2], None, *([[-1]] if version >= 11 else [])])
        given = [array(kind, 2, 3, 4), *([longs(*axes)] if version >= first and axes else [])]
        empty = perhaps(noop_with_empty_axes=1) if version >= first and not axes else {}
        return given, perhaps(keepdims=some([0, 1])) | empty | ({"axes": axes} if version < first and axes else {})
    return make


def product(kind: str, _: int) -> Case:
    return [array(kind, *some([(2, 3), (4, 2, 3), (3,)])), array(kind, *some([(3, 2), (4, 3, 2), (3,)]))], {}


def affine(kind: str, version: int) -> Case:
    how = perhaps(alpha=0.5, beta=2.0, transA=1, transB=1)
    bias = [array(kind, *some([(2, 4), (4,), (2, 1)]))] if version < 11 or RANDOM.integers(2) else []
    return [array(kind, *((3, 2) if "transA" in how else (2, 3))),
            array(kind, *((4, 3) if "transB" in how else (3, 4))), *bias], how


def equation(kind: str, _: int) -> Case:
    text, *shapes = some([("ij,jk->ik", (2, 3), (3, 4)), ("i , j -> ij", (2,), (3,)), ("ij->ji", (2, 3)),
                          ("bij,bjk->bik", (2, 2, 3), (2, 3, 2)), ("ij->i", (2, 3))])
    return [array(kind, *shape) for shape in shapes], {"equation": text}


def sums(kind: str, _: int) -> Case:
    return [array(kind, 2, 3), np.array(some([0, 1, -1]), some([np.int32, np.int64]))], perhaps(exclusive=1, reverse=1)


def along(kind: str, _: int) -> Case:
    return [array(kind, 2, 3, 4)], perhaps(axis=some([-1, 0, 1, -3]))


def normed(kind: str, _: int) -> Case:
    axis = some([-1, 1, 2])
    shape = (3, 4) if axis == 1 else (4,)
    return [array(kind, 2, 3, 4), array(kind, *shape), *([array(kind, *shape)] if RANDOM.integers(2) else [])], {
        "axis": axis} | perhaps(epsilon=0.5)


def numbers_between(kind: str, _: int) -> Case:
    return [np.array(number, KINDS[kind]) for number in some([(0, 5, 1), (5, 0, -1), (-3, 4, 2), (3, 0, 1), (0, 7, 3)])
            ], {}


def greatest(kind: str, version: int) -> Case:
    last = perhaps(select_last_index=1) if version >= 12 else {}
    return [array(kind, 3, 4, least=0, most=3)], perhaps(axis=some([0, 1] + [-1] * (version >= 11)), keepdims=0) | last


def cast(kind: str, _: int) -> Case:
    return [array(kind, 2, 3)], {"to": some([1, 6, 7, 9, 10, 11, 2, 3])}


def cast_like(kind: str, _: int) -> Case:
    return [array(kind, 2, 3), array(some("fdhilbuc"), 1)], {}


def shape(kind: str, version: int) -> Case:
    return [array(kind, 2, 3, 4)], perhaps(start=some([0, 1, -2, 5, -7]), end=some([1, -1, 9, -9])) if version >= 15 \
        else {}


def reshaped(kind: str, version: int) -> Case:
    if version >= 14 and RANDOM.integers(2):
        return [array(kind, 0, 3), some([longs(3, 0), longs(0, 4)])], {"allowzero": 1}
    return [array(kind, 2, 2, 3), some([longs(3, 4), longs(-1), longs(0, -1), longs(2, 0, 3), longs(1, -1, 3)])], {}


def turned(kind: str, _: int) -> Case:
    return [array(kind, 2, 3, 4)], perhaps(perm=[int(axis) for axis in RANDOM.permutation(3)])


def cut(kind: str, version: int) -> Case:
    ways = [([1], [3], [0], [1]), ([1, 0], [3, -1], [0, 1], [1, 1]), ([-3], [100], [1], [1])]
    more = [([0], [5], [1], [2]), ([4], [0], [1], [-2]), ([-1], [-100], [0], [-1]), ([1], [2], [-1], [1])]
    first, last, axes, steps = some(ways + more * (version >= 11))
    if version < 10:
        return [array(kind, 4, 5, 3)], {"starts": first, "ends": last, "axes": axes}
    kinds = some([np.int32, np.int64])
    return [array(kind, 4, 5, 3), *(np.array(part, kinds) for part in (first, last, axes, steps))], {}


def squeezed(kind: str, version: int) -> Case:
    axes = some([[0], [2], [0, 2], None] + [[-1]] * (version >= 11))
    if version < 13:
        return [array(kind, 1, 3, 1)], {} if axes is None else {"axes": axes}
    return [array(kind, 1, 3, 1), *([] if axes is None else [longs(*axes)])], {}


def unsqueezed(kind: str, version: int) -> Case:
    axes = some([[0], [1], [0, 2], [2, 0], [1, 3]] + [[-1], [-3, -1], [-1, 0]] * (version >= 11))
    return ([array(kind, 2, 3)], {"axes": axes}) if version < 13 else ([array(kind, 2, 3), longs(*axes)], {})


def expanded(kind: str, _: int) -> Case:
    return [array(kind, 2, 1, 3), some([longs(2, 4, 3), longs(3), longs(1, 4, 1), longs(5, 2, 1, 3), longs(1)])], {}


def tiled(kind: str, _: int) -> Case:
    return [array(kind, 2, 3), some([longs(1, 2), longs(2, 2), longs(0, 1)])], {}


def flat(kind: str, version: int) -> Case:
    return [array(kind, 2, 3, 4)], perhaps(axis=int(RANDOM.integers(-3 if version >= 11 else 0, 4)))


def joined(kind: str, version: int) -> Case:
    return [array(kind, 2, 3) for _ in range(RANDOM.integers(1, 4))], {"axis": some([0, 1] + [-1] * (version >= 11))}


def split(kind: str, version: int) -> Case:
    sizes = some([[2, 4], [3, 3]])
    if version < 13:
        return [array(kind, 2, 6)], {"axis": 1, "split": sizes}
    if version >= 18 and RANDOM.integers(2):
        return [array(kind, 2, some([5, 6]))], {"axis": 1, "num_outputs": 2}
    return [array(kind, 2, 6), longs(*sizes)], {"axis": 1}


def gathered(kind: str, version: int) -> Case:
    least = -3 if version >= 11 else 0
    return [array(kind, 4, 3), array(some("il"), *some([(2,), (2, 2), ()]), least=least, most=3)], perhaps(
        axis=some([0, 1] + [-1] * (version >= 11)))


def gathered_each(kind: str, _: int) -> Case:
    return [array(kind, 3, 3), array(some("il"), 3, 3, least=-3, most=3)], perhaps(axis=some([-2, -1, 1]))


def gathered_at(kind: str, version: int) -> Case:
    if version >= 12 and RANDOM.integers(2):
        return [array(kind, 2, 3, 4), np.array([[1], [2]])], {"batch_dims": 1}
    return [array(kind, 3, 3), np.array(some([[[0, 1], [2, 2]], [[0], [2]], [[-1]]]))], {}


def triangle(kind: str, _: int) -> Case:
    places = [np.array(some([-1, 0, 1, 2]))] if RANDOM.integers(2) else []
    return [array(kind, *some([(3, 3), (2, 3, 4)])), *places], perhaps(upper=some([0, 1]))


def unit(kind: str, _: int) -> Case:
    return [array(kind, *some([(3, 3), (2, 4)]))], perhaps(k=some([1, -1]), dtype=some([1, 7, 11]))


def padded(kind: str, version: int) -> Case:
    how, pads = perhaps(mode=some(["constant", "edge"])), some([[0, 1, 0, 1], [1, 0, 0, 2]])
    if version < 11:
        return [array(kind, 2, 3)], how | {"pads": pads} | perhaps(value=1.5)
    return [array(kind, 2, 3), longs(*pads), *([array(kind)] if RANDOM.integers(2) else [])], how


def scattered(kind: str, version: int) -> Case:
    return [array(kind, 4, 3), np.array([[0], [-1]]), array(kind, 2, 3)], perhaps(reduction="none") if version >= 16 \
        else {}


def scattered_each(kind: str, version: int) -> Case:
    places = np.array(some([[[0, 1, 2], [-1, 0, 1]], [[3, 2, 0]]]), some([np.int32, np.int64]))
    return [array(kind, 4, 3), places if version >= 11 else places % 4, array(kind, *places.shape)], {"axis": 0}


def ones_at(_: str, __: int) -> Case:
    return [array("l", 2, 3, least=-3, most=5), np.array(some([3, 4])), array(some("fl"), 2, least=0, most=2).round()
            ], perhaps(axis=some([-1, 0, 1]))


def filled(_: str, __: int) -> Case:
    return [longs(2, 3)], perhaps(value=onnx.numpy_helper.from_array(array(some("fdhilb"), 1)))


def rounded(_: str, version: int) -> Case:
    how = perhaps(saturate=1) if version >= 19 else {}
    return [array("f", 2, 3), np.float32(some([0.1, 0.5, 0.25])), array(some("uc"), least=0)], how


def infinite(kind: str, _: int) -> Case:
    return [np.array([1, np.inf, -np.inf], KINDS[kind])], perhaps(detect_negative=0, detect_positive=0)


MAKE: dict[str, Callable[[str, int], Case]] = {
    **dict.fromkeys(FOLDED, one),
    **dict.fromkeys(("Add", "Sub", "Mul", "Min", "Max", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "Equal",
                     "And", "Or", "Xor", "BitwiseAnd", "BitwiseOr", "BitwiseXor"), two),
    **dict.fromkeys(("Sqrt", "Log", "Reciprocal"), positive), "Div": over, "Mod": remainder, "Pow": power,
    "Clip": clipped, "Where": chosen, "ReduceSum": reduced(13), "ReduceMax": reduced(18), "ReduceMin": reduced(18),
    "ReduceMean": reduced(18), "ReduceL2": reduced(18), "ReduceSumSquare": reduced(18), "ReduceProd": reduced(18),
    "MatMul": product, "Gemm": affine, "Einsum": equation, "CumSum": sums, "Softmax": along, "LogSoftmax": along,
    "LayerNormalization": normed, "Range": numbers_between, "ArgMax": greatest, "ArgMin": greatest, "Cast": cast,
    "CastLike": cast_like, "Shape": shape, "Reshape": reshaped, "Transpose": turned, "Slice": cut, "Squeeze": squeezed,
    "Unsqueeze": unsqueezed, "Expand": expanded, "Tile": tiled, "Flatten": flat, "Concat": joined, "Split": split,
    "Gather": gathered, "GatherElements": gathered_each, "GatherND": gathered_at, "Trilu": triangle, "EyeLike": unit,
    "Pad": padded, "ScatterND": scattered, "OneHot": ones_at, "ConstantOfShape": filled, "QuantizeLinear": rounded,
    "IsInf": infinite, "Asin": small, "Acos": small, "Sum": added, "LeakyRelu": bent, "Elu": bent,
    "Gelu": erf_or_tanh, "ReduceL1": reduced(18), "ScatterElements": scattered_each}
TRIES = 3


def versions(operation: str) -> list[int]:
    """Return the first opset of 7 to 24 of each definition."""
    found = {}
    for opset in reversed(OPSETS):
        try:
            found[onnx.defs.get_schema(operation, opset, "").since_version] = opset
        except onnx.defs.SchemaError:
            break
    return sorted(found.values())


def ran(node: Any, names: list[str], inputs: list[Any], opset: int) -> list[Any] | None:
    """Output of ONNX Runtime; None where it does not implement the types or refuses the node."""
    runtime = pytest.importorskip("onnxruntime")
    helper = onnx.helper
    graph = helper.make_graph(
        [node], "g", [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
                      for name, value in zip(names, inputs, strict=True) if name],
        [onnx.ValueInfoProto(name=name) for name in node.output])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    options = runtime.SessionOptions()
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    try:
        session = runtime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        made: list[Any] = session.run(None, {name: value for name, value in zip(names, inputs, strict=True) if name})
    except Exception:  # its own kinds of exceptions
        return None
    return made


@pytest.mark.parametrize("operation", FOLDED)
def test_a_folded_operation_is_what_onnx_runtime_computes(operation: str) -> None:
    compared = 0
    for opset in versions(operation):
        for kind in FOLDED[operation]:
            for _ in range(TRIES):
                version = onnx.defs.get_schema(operation, opset, "").since_version
                given, how = MAKE[operation](kind, version)
                given = [value if value is None else np.asarray(value) for value in given]
                names = [f"i{place}" if value is not None else "" for place, value in enumerate(given)]
                outputs = ["a", "b"] if operation == "Split" else ["a"]
                node = onnx.helper.make_node(operation, names, outputs, **how)
                try:
                    found = folded(node, Attributes(node, {"": opset}), given, opset)
                except NotUnderstood:
                    continue
                assert greatest_size(Attributes(node, {"": opset}), given) >= max(one.size for one in found)
                expected = ran(node, names, given, opset)
                if expected is None:
                    continue
                compared += 1
                for a, b in zip(found, expected, strict=True):
                    assert (a.dtype, a.shape) == (b.dtype, b.shape)
                    if operation in NEAR and a.dtype.kind == "f":
                        near = 2e-6 if a.dtype == np.float32 else 1e-12 if a.dtype == np.float64 else 0
                        assert np.allclose(a, b, rtol=near, atol=4 * near, equal_nan=True)
                    else:
                        assert np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    assert compared >= TRIES


@pytest.mark.parametrize(("operation", "given", "how", "opset"), [
    ("Cast", [np.array([3e9], np.float32)], {"to": 6}, 20), ("Cast", [np.array([-1], np.float32)], {"to": 2}, 20),
    ("Add", [np.array([1]), np.array([1.5])], {}, 20), ("Add", [longs(1 << 62), longs(1 << 62)], {}, 20),
    ("Div", [longs(1), longs(0)], {}, 20), ("Softmax", [np.zeros((2, 3), np.float32)], {}, 12),
    ("Range", [np.float32(0), np.float32(1), np.float32(0.1)], {}, 20), ("Pow", [longs(2), longs(70)], {}, 20),
    ("Pow", [longs(2), longs(-1)], {}, 20), ("ScatterElements", [longs(1, 2), longs(0, 0), longs(3, 4)], {}, 20),
    ("Unsqueeze", [np.zeros(3)], {"axes": [2, 0]}, 12), ("RandomNormal", [], {"shape": [2]}, 20),
    ("Gather", [longs(1, 2), longs(2)], {}, 20), ("Equal", [np.array([1]), np.array([1], np.int32)], {}, 20)])
def test_what_is_not_in_the_list_is_refused(operation: str, given: list[Any], how: dict[str, Any], opset: int) -> None:
    node = onnx.helper.make_node(operation, [f"i{place}" for place in range(len(given))], ["a"], **how)
    with pytest.raises(NotUnderstood):
        folded(node, Attributes(node, {"": opset}), [np.asarray(one) for one in given], opset)


def test_sizes_are_those_of_shapes_and_never_data() -> None:
    """Ten numbers near 26 are ten numbers, however large the array would be that had them as sizes."""
    for operation, given, size in (
            ("Expand", [np.full((1, 10), 26.0), longs(4, 10)], 40), ("Tile", [np.full(10, 1e6), longs(2)], 20),
            ("Range", [np.array(10**9), np.array(10**9 + 5), np.array(2)], 3),
            ("OneHot", [longs(*[999] * 9), np.array(5), np.zeros(2)], 45),
            ("Expand", [np.zeros(1), longs(1 << 20, 1 << 20)], 1 << 40), ("ConstantOfShape", [longs(*[99] * 9)], 99**9),
            ("Tile", [np.zeros((9, 1)), longs(1 << 20, 1 << 20)], 9 << 40),
            ("Range", [np.array(0), np.array(1 << 50), np.array(1)], 1 << 50),
            ("Einsum", [np.zeros(4096)] * 3, 1 << 36), ("MatMul", [np.zeros((4096, 1)), np.zeros((1, 4096))], 1 << 24)):
        how = {"equation": "i,j,k->ijk"} if operation == "Einsum" else {}
        node = onnx.helper.make_node(operation, [f"i{place}" for place in range(len(given))], ["a"], **how)
        assert greatest_size(Attributes(node, {"": 20}), [np.asarray(one) for one in given]) == size
