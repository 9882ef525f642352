"""Operations of torch (ATen) on their way to ONNX: what is known of one, and how nodes are written for it."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from constructions.importing.graph.aten_values import ELEMENTS, REAL, TYPES, Name, shape_of, value_of
from constructions.importing.graph.forms import NotUnderstood
from constructions.importing.graph.plain_graph import Node, OfProgram
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

DOUBLE, FLOAT, LONG, HALF, BFLOAT = 8, 7, 5, 6, 13
_WITHOUT_EFFECT = frozenset({
    "device", "pin_memory", "non_blocking", "memory_format", "copy", "requires_grad",  # where elements lie
    "padding_idx", "scale_grad_by_freq", "sparse",  # gradients
    "cudnn_enable", "path", "implicit", "output_size"})  # how it is computed; stated twice
_PLAIN: Mapping[str, Any] = {"layout": {"as_layout": 7}, "half_to_float": False, "alpha": 1, "beta": 1}
"""Arguments on which the elements of a result do not depend, and values of others that change nothing."""


class Unfit(Exception):
    """Something about an operation that is not read."""


def expect_small(shape: Sequence[int]) -> None:
    """Arrays that are made here have at most so many elements."""
    if math.prod(shape) > MAX_ELEMENTS:
        raise Unfit(f"an array of more than {MAX_ELEMENTS} elements")


class Program:
    """The graph that is made: nodes, constants, and what the program says of each of its tensors.

    ``inexact``: tensors whose last bits depend on how a program rounds; ``count``: the number of tokens.
    """

    def __init__(self, values: Mapping[str, Any], pairs: frozenset[str], count: int) -> None:
        self.values: dict[str, Any] = dict(values)
        self.pairs, self.count = pairs, count
        self.nodes: list[Node] = []
        self.constants: dict[str, Any] = {}
        self.inexact: set[str] = set()
        self.inputs: list[str] = []
        self.rounded = False

    def kind(self, name: str) -> int:
        """The type of a tensor's elements."""
        return int(self.values[name]["dtype"])

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of a tensor."""
        return shape_of(self.values[name])

    def keep(self, name: str, array: Any) -> None:
        """A constant, in the type that is stated.

        Raises:
            Unfit: if it has another shape than is stated, or 16 bits that depend on rounding.
        """
        kind = self.kind(name)
        if array.shape != self.shape(name):
            raise Unfit(f"a result of shape {array.shape}, expected {self.shape(name)} by its arguments")
        stated = np.dtype(ELEMENTS[FLOAT if kind == BFLOAT else kind])
        if array.dtype != stated:
            if array.dtype.kind != stated.kind:
                raise Unfit(f"elements of type {array.dtype.name}, expected {stated.name}, as is stated")
            array = array.astype(stated)
        self.constants[name] = array

    def snapshot(self, name: str) -> str:
        """The elements that a constant has now, under a name of their own."""
        new = f"{name}@{len(self.constants)}"
        self.values[new], self.constants[new] = self.values[name], np.array(self.constants[name])
        return new

    def add(self, node: Node) -> None:
        """A node, which is computed if it is one on constants.

        Raises:
            Unfit: if it is not computed.
        """
        how, names = OfProgram(node), [name for name in node.input if name]
        inputs = [self.constants.get(name) if name else None for name in node.input]
        known = all(name in self.constants for name in names)
        try:
            if self.inexact.intersection(names):
                to = node.attributes.get("to")
                endless = any(one is not None and np.isinf(one).all() for one in inputs)
                if (known or node.op_type != "ArgMax") and not (endless and node.op_type == "Equal"):
                    expect_no_jump(node.op_type, how.attribute, [
                        "f" if self.kind(name) in REAL else "i" for name in names])
                if known and to is not None and to in SHORT and not rounds_surely(inputs[0], SHORT[to]):
                    raise Unfit("numbers that programs round to 16 bits in several ways")
            is_table = node.op_type == "Softmax" and self.shape(names[0])[-2:] == (self.count,) * 2 != (1, 1)
            if not known or is_table:  # a table of weights is attention
                self.nodes.append(node)
                if self.inexact.intersection(names) or node.op_type in _FUNCTIONS:
                    self.inexact.update(name for name in node.output if self.kind(name) in REAL)
                return
            made = computed(node.op_type, how.attribute, inputs)
        except NotUnderstood as problem:
            raise Unfit(str(problem)) from None
        self.keep(node.output[0], made)
        if self.inexact.intersection(names) or not is_exact(node.op_type, how.attribute, inputs, made):
            kind = self.kind(node.output[0])
            if (kind == BFLOAT and node.op_type in SUMS) or (kind == HALF and not rounds_surely(made, SHORT[10])):
                raise Unfit("numbers that programs round to 16 bits in several ways")
            if made.dtype.kind == "f":
                self.inexact.add(node.output[0])


_FUNCTIONS = ("Sin", "Cos", "Exp", "Log", "Pow", "Tanh", "Sqrt", "ReduceSum", "ReduceMean", "Softmax")
SHORT: Mapping[int, Callable[[Any], Any]] = {10: lambda x: x.astype(np.float16), 16: as_bfloat}
"""Roundings to types of 16 bits, by their numbers in ONNX."""


class Call:
    """One operation: its arguments by name, what it makes, and how to write nodes for it."""

    def __init__(self, program: Program, node: Mapping[str, Any]) -> None:
        self.program, self.name = program, str(node["name"] or "")
        self.operation = str(node["target"]).removeprefix("torch.ops.").split(".")[1]
        self.arguments = {one["name"]: value_of(one["arg"]) for one in node["inputs"]}
        self.made: list[str] = []
        for one in node["outputs"]:
            found = value_of(one)
            self.made += found if isinstance(found, list) else [found]
        for made in self.made:
            expect_small(self.shape(made))
        self._extra, self._read = 0, set[str]()

    def get(self, name: str, default: Any = None) -> Any:
        """An argument, or its default; note that it was read."""
        self._read.add(name)
        return self.arguments.get(name, default)

    def operands(self, count: int | None = None) -> list[Any]:
        """The first arguments, whatever they are called."""
        return [self.get(name) for name in [*self.arguments][:count]]

    @property
    def x(self) -> Name:
        """The first argument."""
        return Name(self.operands(1)[0])

    def expect_all_read(self) -> None:
        """Reject an argument that no handler read and that may change the result.

        Raises:
            Unfit: if there is one.
        """
        for name, value in self.arguments.items():
            if name == "dtype" and value not in (None, self.kind(self.made[0])):
                raise Unfit(f"elements of type {self.kind(self.made[0])}, expected type {value}, its argument dtype")
            if name not in self._read and name not in _WITHOUT_EFFECT and name != "dtype" and value is not None and (
                    _PLAIN.get(name) != value):
                raise Unfit(f"its argument {printable(name)[:40]} is not handled")

    def expect_shape(self, shape: Sequence[int], made: str | None = None) -> None:
        """Compare the shape that follows from the arguments with that of the result.

        Raises:
            Unfit: if they differ.
        """
        stated = self.shape(made or self.made[0])
        if stated != tuple(shape):
            raise Unfit(f"a result of shape {stated}, expected {tuple(shape)} by its arguments")

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of a tensor."""
        return self.program.shape(name)

    def kind(self, name: str) -> int:
        """The type of a tensor's elements."""
        return self.program.kind(name)

    def known(self, name: str) -> Any:
        """The elements of a constant.

        Raises:
            Unfit: if it depends on tokens.
        """
        if name not in self.program.constants:
            raise Unfit("what depends on tokens, expected constants")
        return self.program.constants[name]

    def axis(self, number: int, name: str | None = None) -> int:
        """An axis counted from the first one.

        Raises:
            Unfit: if there is no such axis.
        """
        rank = max(1, len(self.plain_shape(name or self.x)))
        if not -rank <= int(number) < rank:
            raise Unfit(f"axis {int(number)} of an array of {rank} axes")
        return int(number) % rank

    def plain_shape(self, name: str) -> tuple[int, ...]:
        """Shape of a tensor, where a complex number is one element."""
        return self.shape(name)[:-1] if self.is_complex(name) else self.shape(name)

    def is_complex(self, name: str) -> bool:
        """Whether it stands for complex numbers, as pairs."""
        return name in self.program.pairs

    @property
    def has_complex(self) -> bool:
        """Whether any tensor of it does."""
        return any(isinstance(one, Name) and self.is_complex(one) for value in [*self.arguments.values(), self.made]
                   for one in (value if isinstance(value, list) else [value]))

    def new(self, shape: Sequence[int], kind: int) -> Name:
        """A tensor that the program has no name for.

        Raises:
            Unfit: if it is too large.
        """
        expect_small(shape)
        self._extra += 1
        name = Name(f"{self.name or self.made[0]}.{self._extra}")
        self.program.values[name] = {"dtype": kind, "sizes": [{"as_int": int(size)} for size in shape]}
        return name

    def keep(self, array: Any, of: Sequence[str]) -> None:
        """The result, which was computed of constants."""
        self.program.keep(self.made[0], array)
        if self.program.inexact.intersection(of):
            self.program.inexact.add(self.made[0])

    def constant(self, array: Any, kind: int) -> Name:
        """A constant."""
        array = np.asarray(array)
        if kind not in REAL and (np.trunc(array) != array).any():
            raise Unfit("a constant that is not a number of its type")
        name = self.new(array.shape, FLOAT if kind == BFLOAT else kind)
        array = array.astype(np.float32) if kind == HALF else array  # as torch rounds numbers
        elements = array.astype(ELEMENTS[self.kind(name)])
        self.program.keep(name, as_bfloat(elements) if kind == BFLOAT else elements)
        return name

    def emit(self, operation: str, inputs: Sequence[str | None], output: str | None = None, **attributes: Any) -> str:
        """A node; its output is that of the operation if it is left out."""
        output = self.made[0] if output is None else output
        words = {name: value.encode() if isinstance(value, str) else value for name, value in attributes.items()}
        self.program.add(Node(operation, [one or "" for one in inputs], [output], self.name or self.made[0], words))
        return output

    def as_kind(self, value: Any, kind: int) -> str:
        """A tensor or a number, as one of this type."""
        if not isinstance(value, Name):
            return self.constant(value, kind)
        if self.kind(value) == kind:
            return value
        return self.emit("Cast", [value], self.new(self.shape(value), kind), to=TYPES[kind])

    def reshaped(self, name: str, shape: Sequence[int], output: str | None = None) -> str:
        """The same elements in another shape."""
        return self.emit("Reshape", [name, self.constant(list(shape), LONG)],
                         self.new(shape, self.kind(name)) if output is None else output)

    def turned(self, name: str, order: Sequence[int], output: str | None = None) -> str:
        """The axes in another order."""
        shape = self.shape(name)
        return self.emit("Transpose", [name], self.new([shape[axis] for axis in order], self.kind(name))
                         if output is None else output, perm=list(order))


Translator = Callable[[Call], None]
