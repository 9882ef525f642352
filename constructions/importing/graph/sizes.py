"""Number of elements that an operation on constants makes, before it is computed: no small file fills the memory."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from constructions.importing.graph.operators import Attributes


def greatest_size(how: Attributes, inputs: Sequence[Any]) -> int:
    """Upper bound of the size of each output, by the shapes of arrays and the values of inputs that are sizes."""
    rule = _RULES.get(how.operation)
    if rule is not None:
        return int(rule(how, inputs))
    shapes = [value.shape for value in inputs if value is not None]
    try:
        return math.prod(np.broadcast_shapes(*shapes))
    except ValueError:  # no elementwise operation: places and sizes beside an array
        return max(map(math.prod, shapes))


def _numbers(array: Any) -> list[int]:
    return [abs(int(number)) for number in np.asarray(array).ravel().tolist()]


def _expand(_: Attributes, inputs: Sequence[Any]) -> int:
    return math.prod(np.broadcast_shapes(inputs[0].shape, tuple(_numbers(inputs[1]))))


def _range(_: Attributes, inputs: Sequence[Any]) -> int:
    start, limit, step = (np.asarray(one).item() for one in inputs)
    return math.ceil(abs(limit - start) / abs(step)) if step else 0


def _pad(how: Attributes, inputs: Sequence[Any]) -> int:
    pads = _numbers(inputs[1] if len(inputs) > 1 else how.attribute("pads"))
    return math.prod(size + sum(pads) for size in inputs[0].shape)


def _gather(how: Attributes, inputs: Sequence[Any]) -> int:
    data, places = inputs
    return int(data.size // max(data.shape[how.attribute("axis")], 1) * places.size)


def _gather_nd(how: Attributes, inputs: Sequence[Any]) -> int:
    data, places = inputs
    left: tuple[int, ...] = data.shape[places.shape[-1] + (how.attribute("batch_dims") or 0):]
    return int(math.prod(places.shape[:-1]) * math.prod(left))


def _product(how: Attributes, inputs: Sequence[Any]) -> int:
    """Rows of the first matrix, columns of the second, and all axes before."""
    x, y = (tuple(map(int, value.shape)) for value in inputs[:2])
    x, y = (shape[::-1] if how.operation == "Gemm" and how.attribute(name) else shape
            for shape, name in ((x, "transA"), (y, "transB")))
    outer = np.broadcast_shapes(x[:-2], y[:-2])
    return math.prod(outer) * (x[-2] if len(x) > 1 else 1) * (y[-1] if len(y) > 1 else 1)


def _einsum(how: Attributes, inputs: Sequence[Any]) -> int:
    """Product of the sizes of all letters, those that are summed over, too."""
    names = how.attribute("equation").decode("ascii", "replace").replace(" ", "").partition("->")[0].split(",")
    if any("." in name or len(name) != value.ndim for name, value in zip(names, inputs, strict=True)):
        return math.prod(value.size for value in inputs)
    sizes: dict[str, int] = {}
    for name, value in zip(names, inputs, strict=True):
        sizes |= {letter: max(size, sizes.get(letter, 1)) for letter, size in zip(name, value.shape, strict=True)}
    return math.prod(sizes.values())


def _of_data(_: Attributes, inputs: Sequence[Any]) -> int:
    return int(inputs[0].size)


_RULES: Mapping[str, Callable[[Attributes, Sequence[Any]], int]] = {
    "ConstantOfShape": lambda _, inputs: math.prod(_numbers(inputs[0])), "Expand": _expand, "Range": _range,
    "Tile": lambda _, inputs: inputs[0].size * math.prod(_numbers(inputs[1])), "Pad": _pad,
    "OneHot": lambda _, inputs: inputs[0].size * max(_numbers(inputs[1])), "Gather": _gather, "GatherND": _gather_nd,
    "GatherElements": lambda _, inputs: inputs[1].size, "MatMul": _product, "Gemm": _product, "Einsum": _einsum,
    "Concat": lambda _, inputs: sum(value.size for value in inputs),
    "NonZero": lambda _, inputs: inputs[0].size * inputs[0].ndim,
    **dict.fromkeys(("Reshape", "Transpose", "Slice", "Squeeze", "Unsqueeze", "Flatten", "Split", "Trilu", "CumSum",
                     "ScatterND", "ScatterElements", "ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd",
                     "ReduceL1", "ReduceL2", "ReduceSumSquare", "ArgMax", "ArgMin"), _of_data)}
"""Rules of operations that are not elementwise."""
