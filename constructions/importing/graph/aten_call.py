"""Calls of torch's operations (ATen): their arguments and results, and construction of ONNX nodes for them.

Unsupported arguments raise ``Unfit``.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from constructions.importing.graph.affine_forms import NotUnderstood
from constructions.importing.graph.operators import OfProgram, OnnxNode
from constructions.importing.graph.state import MAX_ELEMENTS
from constructions.importing.graph.torch_constants import (
    SUMS,
    as_bfloat,
    computed,
    expect_no_jump,
    is_exact,
    rounds_surely,
)
from constructions.text import printable

BYTE, SHORT, LONG, HALF, FLOAT, DOUBLE, BOOLEAN, BFLOAT = 1, 3, 5, 6, 7, 8, 12, 13
ELEMENTS = {BYTE: "u1", 2: "i1", SHORT: "<i2", 4: "<i4", LONG: "<i8", HALF: "<f2", FLOAT: "<f4", DOUBLE: "<f8",
            10: "<c8", 11: "<c16", BOOLEAN: "?", BFLOAT: "<u2"}
"""Storage formats of torch's element types."""
TYPES = {BYTE: 2, 2: 3, SHORT: 5, 4: 6, LONG: 7, HALF: 10, FLOAT: 1, DOUBLE: 11, BOOLEAN: 9, BFLOAT: 16}
"""The element types in ONNX."""
REAL, WHOLE = (HALF, FLOAT, DOUBLE, BFLOAT), (BYTE, 2, SHORT, 4, LONG)
COMPLEX = {10: FLOAT, 11: DOUBLE}
"""Complex types, with the types of their parts."""
_LOW_TO_HIGH = (BOOLEAN, BYTE, 2, SHORT, 4, LONG, BFLOAT, HALF, FLOAT, DOUBLE)
_FUNCTIONS = ("Sin", "Cos", "Exp", "Log", "Pow", "Tanh", "Sqrt", "ReduceSum", "ReduceMean", "Softmax")
SHORTENED: Mapping[int, Callable[[Any], Any]] = {10: lambda x: x.astype(np.float16), 16: as_bfloat}
"""Roundings to types of 16 bits, by their numbers in ONNX."""
_WITHOUT_EFFECT = frozenset({
    "device", "pin_memory", "non_blocking", "memory_format", "copy", "requires_grad",  # storage of elements
    "padding_idx", "scale_grad_by_freq", "sparse",  # gradients
    "cudnn_enable", "path", "implicit", "output_size"})  # how it is computed; stated twice
_PLAIN: Mapping[str, Any] = {"layout": {"as_layout": 7}, "half_to_float": False, "alpha": 1, "beta": 1, "decimals": 0}
"""Arguments that do not affect the elements of a result, and values of others without effect."""
_SEVERAL = "numbers that programs round to 16 bits in several ways"


class Unfit(Exception):
    """An unsupported part of an operation."""


class Name(str):
    """The name of a tensor, as opposed to other strings."""


# -- what a program states ---------------------------------------------------------------------------------------------


def shape_of(meta: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the shape that a tensor states."""
    return tuple(int(size["as_int"]) for size in meta["sizes"])


def value_of(argument: Mapping[str, Any]) -> Any:
    """Return an argument: numbers, strings, names of tensors, lists of these, or None; ValueError for other kinds."""
    ((kind, inner),) = argument.items()
    match kind:
        case "as_none":
            return None
        case "as_tensor":
            return Name(inner["name"])
        case "as_tensors":
            return [Name(one["name"]) for one in inner]
        case "as_optional_tensor":
            return value_of(inner)
        case "as_optional_tensors":
            return [None if "as_none" in one else Name(one["as_tensor"]["name"]) for one in inner]
        case "as_float":
            return np.float64(inner)  # infinities are strings
        case "as_floats":
            return [np.float64(one) for one in inner]
        case "as_int" | "as_ints" | "as_bool" | "as_bools" | "as_string" | "as_scalar_type":
            return inner
        case "as_sym_int" | "as_sym_bool" if next(iter(inner)) in ("as_int", "as_bool"):
            return next(iter(inner.values()))
        case "as_sym_ints":
            return [int(one["as_int"]) for one in inner]
        case "as_device" | "as_layout" | "as_memory_format":
            return argument  # storage of elements
    raise ValueError


def tensors_of(argument: Any, is_named: bool = False) -> Iterator[Name]:
    """Yield the names of all tensors in it, including those in lists."""
    if isinstance(argument, list):
        for inner in argument:
            yield from tensors_of(inner, is_named)
    elif isinstance(argument, Mapping) and is_named:
        yield Name(argument["name"])
    elif isinstance(argument, Mapping):
        for kind, inner in argument.items():
            yield from tensors_of(inner, kind in ("as_tensor", "as_tensors", "as_nested_tensors"))


class AtenGraph:
    """The graph under construction: nodes, constants, and the program's metadata of its tensors.

    ``inexact``: tensors whose last bits depend on a program's rounding; ``count``: the number of tokens.
    """

    def __init__(self, values: Mapping[str, Any], pairs: frozenset[str], count: int) -> None:
        self.values: dict[str, Any] = dict(values)
        self.pairs, self.count, self.rounded = pairs, count, False
        self.nodes: list[OnnxNode] = []
        self.constants: dict[str, Any] = {}
        self.inexact: set[str] = set()
        self.inputs: list[str] = []

    def kind(self, name: str) -> int:
        """Return the type of a tensor's elements."""
        return int(self.values[name]["dtype"])

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of a tensor."""
        return shape_of(self.values[name])

    def keep(self, name: str, array: Any) -> None:
        """Store a constant in the stated type and shape."""
        kind = self.kind(name)
        if array.shape != self.shape(name):
            raise Unfit(f"a result of shape {array.shape}, expected {self.shape(name)} by its arguments")
        stated = np.dtype(ELEMENTS[FLOAT if kind == BFLOAT else kind])
        if array.dtype != stated:
            if array.dtype.kind != stated.kind:
                raise Unfit(f"elements of type {array.dtype.name}, expected {stated.name}, as stated")
            array = array.astype(stated)
        self.constants[name] = array

    def snapshot(self, name: str) -> str:
        """Return a new name for the current elements of a constant."""
        new = f"{name}@{len(self.constants)}"
        self.values[new], self.constants[new] = self.values[name], np.array(self.constants[name])
        return new

    def add(self, node: OnnxNode) -> None:
        """Add a node; compute it if its inputs are constants."""
        how, names = OfProgram(node), [name for name in node.input if name]
        inputs = [self.constants.get(name) if name else None for name in node.input]
        known, inexact = all(name in self.constants for name in names), bool(self.inexact.intersection(names))
        try:
            if inexact:
                to = node.attributes.get("to")
                endless = any(one is not None and np.isinf(one).all() for one in inputs)
                if (known or node.op_type != "ArgMax") and not (endless and node.op_type == "Equal"):
                    expect_no_jump(how, any(self.kind(name) in REAL for name in names))
                if known and to is not None and to in SHORTENED and not rounds_surely(inputs[0], SHORTENED[to]):
                    raise Unfit(_SEVERAL)
            is_table = node.op_type == "Softmax" and self.shape(names[0])[-2:] == (self.count,) * 2 != (1, 1)
            if not known or is_table:  # a table of weights is attention
                self.nodes.append(node)
                if inexact or node.op_type in _FUNCTIONS:
                    self.inexact.update(name for name in node.output if self.kind(name) in REAL)
                return
            made = computed(how, inputs)
        except NotUnderstood as problem:
            raise Unfit(str(problem)) from None
        self.keep(node.output[0], made)
        if inexact or not is_exact(how, inputs, made):
            kind = self.kind(node.output[0])
            if (kind == BFLOAT and node.op_type in SUMS) or (kind == HALF and not rounds_surely(made, SHORTENED[10])):
                raise Unfit(_SEVERAL)
            if made.dtype.kind == "f":
                self.inexact.add(node.output[0])


class Call:
    """One operation: its arguments by name, its results (``out`` is the first), and construction of its nodes."""

    def __init__(self, program: AtenGraph, node: Mapping[str, Any]) -> None:
        self.program, self.name = program, str(node["name"] or "")
        self.shape, self.kind = program.shape, program.kind
        self.operation = str(node["target"]).removeprefix("torch.ops.").split(".")[1]
        self.arguments = {one["name"]: value_of(one["arg"]) for one in node["inputs"]}
        self.made: list[str] = []
        for one in node["outputs"]:
            found = value_of(one)
            self.made += found if isinstance(found, list) else [found]
        for made in self.made:
            self._expect_small(self.shape(made))
        self.out = self.made[0] if self.made else ""
        self.out_kind, self.out_shape = (self.kind(self.out), self.shape(self.out)) if self.made else (0, ())
        self._extra, self._read = 0, set[str]()

    def _expect_small(self, shape: Sequence[int]) -> None:
        if math.prod(shape) > MAX_ELEMENTS:
            raise Unfit(f"an array of more than {MAX_ELEMENTS} elements")

    def get(self, name: str, default: Any = None) -> Any:
        """Return an argument, or its default; record that it was read."""
        self._read.add(name)
        return self.arguments.get(name, default)

    def operands(self, count: int | None = None) -> list[Any]:
        """Return the first arguments, whatever their names."""
        return [self.get(name) for name in [*self.arguments][:count]]

    @property
    def x(self) -> Name:
        """The first argument."""
        return Name(self.operands(1)[0])

    def expect_all_read(self) -> None:
        """Reject an argument that was not read and may affect the result."""
        for name, value in self.arguments.items():
            if name == "dtype" and value not in (None, self.out_kind):
                raise Unfit(f"elements of type {self.out_kind}, expected type {value}, its argument dtype")
            if name not in self._read and name not in _WITHOUT_EFFECT and name != "dtype" and value is not None and (
                    _PLAIN.get(name) != value):
                raise Unfit(f"its argument {printable(name)[:40]} is not supported")

    def expect_shape(self, shape: Sequence[int], made: str | None = None) -> None:
        """Check the shape of the result against the shape computed from the arguments."""
        stated = self.shape(made or self.out)
        if stated != tuple(shape):
            raise Unfit(f"a result of shape {stated}, expected {tuple(shape)} by its arguments")

    def known(self, name: str) -> Any:
        """Return the elements of a constant."""
        if name not in self.program.constants:
            raise Unfit("a value that depends on tokens, expected a constant")
        return self.program.constants[name]

    def axis(self, number: int, name: str | None = None) -> int:
        """Return an axis counted from the first one."""
        rank = max(1, len(self.plain_shape(name or self.x)))
        if not -rank <= int(number) < rank:
            raise Unfit(f"axis {int(number)} of an array of {rank} axes")
        return int(number) % rank

    def axes(self, given: Any) -> list[int]:
        """Return the axes of an argument: one number, several, or None for all."""
        given = range(len(self.shape(self.x))) if given is None else [given] if isinstance(given, int) else given
        return [self.axis(one) for one in given]

    def keepdim(self) -> int:
        """Return 1 if reduced axes are kept, else 0."""
        return int(bool(self.get("keepdim", False)))

    def plain_shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of a tensor, counting a complex number as one element."""
        return self.shape(name)[:-1] if self.is_complex(name) else self.shape(name)

    def is_complex(self, name: str) -> bool:
        """Return whether the tensor contains complex numbers, as pairs."""
        return name in self.program.pairs

    def new(self, shape: Sequence[int], kind: int) -> Name:
        """Return a new tensor, which the program does not name."""
        self._expect_small(shape)
        self._extra += 1
        name = Name(f"{self.name or self.out}.{self._extra}")
        self.program.values[name] = {"dtype": kind, "sizes": [{"as_int": int(size)} for size in shape]}
        return name

    def keep(self, array: Any, of: Sequence[str]) -> None:
        """Store the result, computed from constants."""
        self.program.keep(self.out, array)
        if self.program.inexact.intersection(of):
            self.program.inexact.add(self.out)

    def constant(self, array: Any, kind: int = LONG) -> Name:
        """Return a constant."""
        array = np.asarray(array)
        if kind not in REAL and (np.trunc(array) != array).any():
            raise Unfit("a constant that is not a number of its type")
        name = self.new(array.shape, FLOAT if kind == BFLOAT else kind)
        array = array.astype(np.float32) if kind == HALF else array  # as torch rounds numbers
        elements = array.astype(ELEMENTS[self.kind(name)])
        self.program.keep(name, as_bfloat(elements) if kind == BFLOAT else elements)
        return name

    def emit(self, operation: str, inputs: Sequence[Any], output: str | None = None, **attributes: Any) -> str:
        """Add a node and return its output, by default the result of the operation; numeric inputs become constants."""
        output = self.out if output is None else output
        words = {name: value.encode() if isinstance(value, str) else value for name, value in attributes.items()}
        names = ["" if one is None else one if isinstance(one, str) else self.constant(one) for one in inputs]
        self.program.add(OnnxNode(operation, names, [output], self.name or self.out, words))
        return output

    def do(self, operation: str, *inputs: Any, shape: Sequence[int] | None = None, kind: int | None = None,
           **attributes: Any) -> str:
        """Add an intermediate node; by default, inputs are broadcast and the type is that of the first input."""
        shape = np.broadcast_shapes(*map(self.shape, inputs)) if shape is None else shape
        return self.emit(operation, inputs, self.new(shape, self.kind(inputs[0]) if kind is None else kind),
                         **attributes)

    def as_kind(self, value: Any, kind: int | None = None) -> str:
        """Return a tensor or a number converted to this type, by default the result's."""
        kind = self.out_kind if kind is None else kind
        if not isinstance(value, Name):
            return self.constant(value, kind)
        return value if self.kind(value) == kind else self.do("Cast", value, kind=kind, to=TYPES[kind])

    def reshaped(self, name: str, shape: Sequence[int], output: str | None = None) -> str:
        """Return the same elements in another shape."""
        return self.emit("Reshape", [name, list(shape)], self.new(shape, self.kind(name)) if output is None else output)

    def turned(self, name: str, order: Sequence[int], output: str | None = None) -> str:
        """Return the array with permuted axes."""
        shape = self.shape(name)
        return self.emit("Transpose", [name], self.new([shape[axis] for axis in order], self.kind(name))
                         if output is None else output, perm=list(order))


Translator = Callable[[Call], object]
"""A function that adds the nodes of an operation."""


# -- torch's type promotion, for arithmetic and comparisons ------------------------------------------------------------


def _category(kind: int) -> int:
    """Return the category of a type: Boolean 0, integer 1, real 2."""
    return 0 if kind == BOOLEAN else 1 if kind in WHOLE else 2


def _common_type(kinds: Sequence[int]) -> int | None:
    """Return the least type that contains all types of the highest category; None of none."""
    found: int | None = None
    for kind in kinds:
        if found is None or _category(kind) != _category(found):
            found = kind if found is None or _category(kind) > _category(found) else found
        elif {kind, found} == {HALF, BFLOAT}:
            found = FLOAT
        else:
            least = [SHORT] if kind != found and BYTE in (kind, found) else []
            found = max(kind, found, *least, key=_LOW_TO_HIGH.index)
    return found


def result_type(call: Call, values: Sequence[Any]) -> int:
    """Return torch.result_type: in a category, arrays with axes have priority over those without, these over numbers.

    The default type of Python's real numbers is binary32.
    """
    ranks: list[list[int]] = [[], [], []]
    for value in values:
        if isinstance(value, Name):
            ranks[0 if call.shape(value) else 1].append(call.kind(value))
        elif isinstance(value, int | np.floating):
            ranks[2].append(BOOLEAN if isinstance(value, bool) else LONG if isinstance(value, int) else FLOAT)
        elif value is not None:
            raise Unfit("an argument that is not a tensor or a number")
    found: int | None = None
    for kind in map(_common_type, reversed(ranks)):
        if found is None or (kind is not None and _category(kind) >= _category(found)):
            found = kind if kind is not None else found
    if found is None:
        raise Unfit("no operands")
    return found
