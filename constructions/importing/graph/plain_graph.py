"""A graph of operations, from whichever file: what is read node by node."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from constructions.importing.contents import Stored
from constructions.importing.graph.operators import Attributes

OPSET = 23
"""The opset of ONNX whose meanings the nodes of programs have."""
_REDUCED = {"keepdims": 1, "noop_with_empty_axes": 0}
DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "ReduceSum": _REDUCED, "ReduceMean": _REDUCED, "ReduceMax": _REDUCED, "ReduceMin": _REDUCED, "ReduceL2": _REDUCED,
    "ArgMax": {"axis": 0, "keepdims": 1, "select_last_index": 0}, "Gather": {"axis": 0}, "Trilu": {"upper": 1},
    "Gelu": {"approximate": b"none"}, "Gemm": {"alpha": 1, "beta": 1, "transA": 0, "transB": 0},
    "Mod": {"fmod": 0}, "OneHot": {"axis": -1}, "Conv": {"group": 1}, "Softmax": {"axis": -1},
    "LogSoftmax": {"axis": -1}, "CumSum": {"exclusive": 0, "reverse": 0}, "Reshape": {"allowzero": 0},
    "Cast": {"saturate": 1}}
"""Attributes of operations that programs are spelled out in, where they have a default."""


@dataclass
class Node:
    """An operation of ONNX that a program is spelled out in, under the names that ONNX has for its parts."""

    op_type: str
    input: list[str]
    output: list[str]
    name: str
    attributes: Mapping[str, Any]
    domain: str = ""


@dataclass(frozen=True)
class Input:
    """An input: the name of its numpy type and its sizes, None where any is taken."""

    name: str
    kind: str
    sizes: tuple[int | None, ...]


@dataclass(frozen=True)
class Graph:
    """Nodes (of ONNX, or of a program), constants and inputs; ``stated``: shapes that arrays are said to have;
    ``stored``: tensors of the file.
    """

    nodes: Sequence[Any]
    constants: Mapping[str, Any]
    inputs: tuple[Input, ...]
    outputs: tuple[str, ...]
    opsets: Mapping[str, int]
    stored: Mapping[str, Stored]
    stated: Mapping[str, tuple[int, ...]] = field(default_factory=dict)


class OfProgram(Attributes):
    """The attributes of a node of a program, which has those alone that it was given."""

    def __init__(self, node: Node) -> None:
        self.operation, self.output, self.version, self.schema = node.op_type, node.output[0], OPSET, None
        self._given, self._read = dict(node.attributes), set()
        self._defaults = dict(DEFAULTS.get(node.op_type, {}))


def attributes_of(node: Any, opsets: Mapping[str, int]) -> Attributes:
    """Return the attributes of a node.

    Raises:
        NotUnderstood: if its definition has them not.
    """
    return OfProgram(node) if isinstance(node, Node) else Attributes(node, opsets)


def written_attributes(node: Any) -> list[Any]:
    """Return the attributes in a form in which they can be compared."""
    if isinstance(node, Node):
        return sorted((name, repr(value)) for name, value in node.attributes.items())
    return sorted(one.SerializeToString() for one in node.attribute)
