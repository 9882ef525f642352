"""Operators as the opset of a model defines them; each attribute is used, without effect, or refused.

Defaults, types of attributes, and numbers of inputs and outputs are from the specification of ONNX in ``onnx.defs``,
for each opset its own; for operations of ONNX Runtime from its list of contributed operators.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from constructions.errors import InputError
from constructions.importing.contents import Stored
from constructions.importing.graph.affine_forms import NotUnderstood
from constructions.text import printable

OPSETS = range(7, 25)
"""Before 7 Add and others broadcast by attributes; opsets after 24 were not examined."""
_RUNTIME: Mapping[str, Mapping[str, int | None]] = {
    "MatMulNBits": {"K": None, "N": None, "block_size": None, "bits": 4, "accuracy_level": 0, "weight_prepacked": 0},
    "GatherBlockQuantized": {"gather_axis": 0, "quantize_axis": 1, "block_size": 128, "bits": 4},
    "QuantizeLinear": {}, "DequantizeLinear": {}}
"""Operations of the domain com.microsoft with their attributes, required if there is no default."""
WITHOUT_EFFECT: Mapping[tuple[str, str], str] = {
    **{(operation, "stash_type"): "it is the format of a program's sums, and here numbers are real"
       for operation in ("LayerNormalization", "RMSNormalization")},
    ("Attention", "softmax_precision"): "it is the format of a program's sums, and here numbers are real",
    ("Attention", "qk_matmul_output_mode"): "it is about the output of scores, which is not read",
    ("RotaryEmbedding", "num_heads"): "an array with 4 axes shows it",
    **dict.fromkeys((("QuantizeLinear", "precision"), ("DequantizeLinear", "output_dtype")),
                    "it is the format of a program's quotients or products, and here numbers are real"),
    **dict.fromkeys((("Cast", "saturate"), ("Cast", "round_mode"), ("QuantizeLinear", "saturate")),
                    "it is about formats of 8 bits of floating point, which are refused"),
    **dict.fromkeys((("Dropout", "ratio"), ("Dropout", "seed")), "a dropout in training is refused"),
    **dict.fromkeys((("ArgMax", "keepdims"), ("ArgMax", "select_last_index")), "the logits before it are read"),
    ("Conv", "kernel_shape"): "it is the shape of the kernel",
    **dict.fromkeys((("Conv", "dilations"), ("Conv", "auto_pad")), "a kernel of 1 with strides of 1 has neither"),
    ("QuantizeLinear", "axis"): "there is one scale",
}
"""Ignored attributes, each with the reason."""
OPSET = 23
"""The opset of the nodes of translated programs."""
_REDUCED = {"keepdims": 1, "noop_with_empty_axes": 0}
DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "ReduceSum": _REDUCED, "ReduceMean": _REDUCED, "ReduceMax": _REDUCED, "ReduceMin": _REDUCED, "ReduceL2": _REDUCED,
    "ArgMax": {"axis": 0, "keepdims": 1, "select_last_index": 0}, "Gather": {"axis": 0}, "Trilu": {"upper": 1},
    "Gelu": {"approximate": b"none"}, "Gemm": {"alpha": 1, "beta": 1, "transA": 0, "transB": 0},
    "Mod": {"fmod": 0}, "OneHot": {"axis": -1}, "Conv": {"group": 1}, "Softmax": {"axis": -1},
    "LogSoftmax": {"axis": -1}, "CumSum": {"exclusive": 0, "reverse": 0}, "Reshape": {"allowzero": 0},
    "Cast": {"saturate": 1}}
"""Default attributes of the operations that programs are translated to."""


@dataclass
class OnnxNode:
    """An operation of ONNX in a translated program, with ONNX's names for its parts."""

    op_type: str
    input: list[str]
    output: list[str]
    name: str
    attributes: Mapping[str, Any]
    domain: str = ""


@dataclass(frozen=True)
class Input:
    """An input: the name of its numpy type and its sizes, None for any."""

    name: str
    kind: str
    sizes: tuple[int | None, ...]

    @property
    def is_line(self) -> bool:
        """True if the shape is [length] or [1, length]."""
        return len(self.sizes) == 1 or (len(self.sizes) == 2 and self.sizes[0] in (None, 1))


@dataclass(frozen=True)
class Graph:
    """Nodes (of ONNX, or of a program), constants and inputs.

    ``stated``: declared shapes of arrays; ``stored``: tensors of the file.
    """

    nodes: Sequence[Any]
    constants: Mapping[str, Any]
    inputs: tuple[Input, ...]
    outputs: tuple[str, ...]
    opsets: Mapping[str, int]
    stored: Mapping[str, Stored]
    stated: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

def expect_one_each(where: str, names: Sequence[str]) -> None:
    """Reject two arrays with the same name."""
    if len({*names}) < len(names):
        name = next(name for number, name in enumerate(names) if name in names[:number])
        raise InputError(f"{where}: two arrays with the name {printable(name)[:80]}, expected one")


def opset_of(model: Any, where: str) -> dict[str, int]:
    """Return the opset of each domain."""
    found: dict[str, int] = {}
    for one in model.opset_import:
        domain = "" if one.domain == "ai.onnx" else one.domain
        if found.setdefault(domain, one.version) != one.version:
            raise InputError(f"{where}: two opsets of {printable(domain)[:40] or 'ONNX'}, expected one")
    if found.get("") not in OPSETS:
        raise InputError(f"{where}: opset {found.get('', '(none)')} of ONNX, expected {OPSETS[0]} to {OPSETS[-1]}")
    return found


_FLAGS = {"keepdims", "noop_with_empty_axes", "transA", "transB", "upper", "select_last_index", "saturate", "allowzero",
          "exclusive", "reverse", "fmod", "detect_negative", "detect_positive", "stash_type", "is_causal",
          "interleaved"}
"""Attributes for which programs differ on values other than 0 and 1."""


class Attributes:
    """The attributes of a node with the defaults of its definition, and a record of those that were read.

    ``version``: the opset of the definition; ``schema``: that definition, None for ONNX Runtime's operations.
    """

    def __init__(self, node: Any, opsets: Mapping[str, int]) -> None:
        self.operation, self.output = str(node.op_type), str(node.output[0])
        self._given: dict[str, Any] = {}
        self._read: set[str] = set()
        domain = "" if node.domain == "ai.onnx" else node.domain
        if domain not in opsets or node.overload or domain not in ("", "com.microsoft"):
            raise NotUnderstood(f"an operation of {printable(domain or 'ONNX')[:40]}, expected only those of ONNX")
        self.schema: Any = None
        self.version = opsets[domain]
        if domain:
            if self.operation not in _RUNTIME:
                raise NotUnderstood(f"an operation of {domain}, expected only those of ONNX")
            kinds = {name: (2, default is None, default) for name, default in _RUNTIME[self.operation].items()}
        else:
            kinds = self._define(node)
        self._defaults = {name: default for name, (_, _, default) in kinds.items()}
        for one in node.attribute:
            self._give(one, kinds)
        if missing := [name for name, (_, required, _) in kinds.items() if required and name not in self._given]:
            raise NotUnderstood(f"no attribute {missing[0]}, expected it, as it is required")

    def _define(self, node: Any) -> dict[str, tuple[int, bool, Any]]:
        """Return type, whether it is required, and default of each attribute."""
        from onnx import defs, helper

        try:
            schema = defs.get_schema(self.operation, self.version, "")
        except defs.SchemaError:
            schema = None
        if schema is None or schema.deprecated:
            raise NotUnderstood(f"no operation of opset {self.version}")
        self.schema, self.version = schema, schema.since_version
        for what, number, least, most in (("inputs", len(node.input), schema.min_input, schema.max_input),
                                          ("outputs", len(node.output), schema.min_output, schema.max_output)):
            if not least <= number <= most:
                raise NotUnderstood(f"{number} {what}, expected {least} to {most}")
        attributes: dict[str, Any] = dict(schema.attributes)
        return {name: (int(one.type), one.required, helper.get_attribute_value(one.default_value)
                       if one.default_value.type else None) for name, one in attributes.items()}

    def _give(self, one: Any, kinds: Mapping[str, tuple[int, bool, Any]]) -> None:
        from onnx import helper

        name = printable(one.name)[:40]
        if one.name not in kinds or one.ref_attr_name or one.name in self._given:
            raise NotUnderstood(f"attribute {name}, which the definition of opset {self.version} does not have" if
                                one.name not in kinds else f"attribute {name} is given twice, or by a function")
        if one.type != kinds[one.name][0] or one.t.data_location == 1:
            raise NotUnderstood(f"attribute {name} of another type than its definition says, or in another file")
        self._given[one.name] = helper.get_attribute_value(one)
        if one.name in _FLAGS and self._given[one.name] not in (0, 1):
            raise NotUnderstood(f"attribute {name} is {self._given[one.name]}, expected 0 or 1")

    def attribute(self, name: str) -> Any:
        """Return an attribute, or its default; None without default, or if the definition lacks it."""
        self._read.add(name)
        return self._given.get(name, self._defaults.get(name))

    def all_are_read(self) -> None:
        """Mark all attributes as read, as the reference implementation reads them."""
        self._read.update(self._given)

    def expect_all_read(self) -> None:
        """Raise NotUnderstood for an attribute that was not read."""
        for name in self._given:
            if name not in self._read and (self.operation, name) not in WITHOUT_EFFECT:
                raise NotUnderstood(f"attribute {printable(name)[:40]}, which is not supported here")


class OfProgram(Attributes):
    """The attributes of a node of a program: only those that it was given."""

    def __init__(self, node: OnnxNode) -> None:
        self.operation, self.output, self.version, self.schema = node.op_type, node.output[0], OPSET, None
        self._given, self._read = dict(node.attributes), set()
        self._defaults = dict(DEFAULTS.get(node.op_type, {}))


def axis_in(number: int, dimensions: int) -> int:
    """Return an axis counted from the first one."""
    if not -dimensions <= number < max(dimensions, 1):
        raise NotUnderstood(f"axis {number} of an array with {dimensions}")
    return number % max(dimensions, 1)


def axes_in(node: Attributes, given: Any, dimensions: int) -> list[int]:
    """Return the axes of an input or attribute; by default all axes, or none if the node then does nothing."""
    stated, nothing = node.attribute("axes"), node.attribute("noop_with_empty_axes")
    axes = stated if given is None else given.ravel().tolist()
    found = [axis_in(int(one), dimensions) for one in axes or ()]
    if len({*found}) < len(found):
        raise NotUnderstood("an axis that is named twice")
    return found or ([] if nothing else [*range(dimensions)])


def greatest_size(how: Attributes, inputs: Sequence[Any]) -> int:
    """Bound the size of each output, by the shapes of arrays and the values of inputs that are sizes."""
    if how.operation in _RULES:
        return int(_RULES[how.operation](how, inputs))
    shapes = [value.shape for value in inputs if value is not None]
    try:
        return math.prod(np.broadcast_shapes(*shapes))
    except ValueError:  # not elementwise: indices and sizes beside an array
        return max(map(math.prod, shapes))


def _numbers(array: Any) -> list[int]:
    return [abs(int(number)) for number in np.asarray(array).ravel().tolist()]


def _product(how: Attributes, inputs: Sequence[Any]) -> int:
    """Return rows of the first matrix times columns of the second times all axes before."""
    x, y = (tuple(map(int, value.shape)) for value in inputs[:2])
    x, y = (shape[::-1] if how.operation == "Gemm" and how.attribute(name) else shape
            for shape, name in ((x, "transA"), (y, "transB")))
    outer = np.broadcast_shapes(x[:-2], y[:-2])
    return math.prod(outer) * (x[-2] if len(x) > 1 else 1) * (y[-1] if len(y) > 1 else 1)


def _einsum(how: Attributes, inputs: Sequence[Any]) -> int:
    """Return the product of the sizes of all letters, including those that are summed over."""
    names = how.attribute("equation").decode("ascii", "replace").replace(" ", "").partition("->")[0].split(",")
    if any("." in name or len(name) != value.ndim for name, value in zip(names, inputs, strict=True)):
        return math.prod(value.size for value in inputs)
    sizes: dict[str, int] = {}
    for name, value in zip(names, inputs, strict=True):
        sizes |= {letter: max(size, sizes.get(letter, 1)) for letter, size in zip(name, value.shape, strict=True)}
    return math.prod(sizes.values())


def _steps(_: Attributes, inputs: Sequence[Any]) -> int:
    start, limit, step = (np.asarray(one).item() for one in inputs)
    return math.ceil(abs(limit - start) / abs(step)) if step else 0


_RULES: Mapping[str, Callable[[Attributes, Sequence[Any]], int]] = {
    "ConstantOfShape": lambda _, inputs: math.prod(_numbers(inputs[0])), "Range": _steps,
    "Expand": lambda _, inputs: math.prod(np.broadcast_shapes(inputs[0].shape, tuple(_numbers(inputs[1])))),
    "Tile": lambda _, inputs: inputs[0].size * math.prod(_numbers(inputs[1])),
    "Pad": lambda how, inputs: math.prod(size + sum(_numbers(
        inputs[1] if len(inputs) > 1 else how.attribute("pads"))) for size in inputs[0].shape),
    "OneHot": lambda _, inputs: inputs[0].size * max(_numbers(inputs[1])),
    "Gather": lambda how, inputs: inputs[0].size // max(inputs[0].shape[how.attribute("axis")], 1) * inputs[1].size,
    "GatherND": lambda how, inputs: math.prod(inputs[1].shape[:-1]) * math.prod(
        inputs[0].shape[inputs[1].shape[-1] + (how.attribute("batch_dims") or 0):]),
    "GatherElements": lambda _, inputs: inputs[1].size, "MatMul": _product, "Gemm": _product, "Einsum": _einsum,
    "Concat": lambda _, inputs: sum(value.size for value in inputs),
    "NonZero": lambda _, inputs: inputs[0].size * inputs[0].ndim,
    **dict.fromkeys(("Reshape", "Transpose", "Slice", "Squeeze", "Unsqueeze", "Flatten", "Split", "Trilu", "CumSum",
                     "ScatterND", "ScatterElements", "ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd",
                     "ReduceL1", "ReduceL2", "ReduceSumSquare", "ArgMax", "ArgMin"), lambda _, inputs: inputs[0].size)}
"""Rules of operations that are not elementwise."""
