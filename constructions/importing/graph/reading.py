"""A graph of ONNX read node by node, with so many tokens; the first node that is not understood is named."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from constructions.errors import InputError
from constructions.importing.graph.arithmetic import multiply, plain
from constructions.importing.graph.curves import Curve, resolved
from constructions.importing.graph.exact import Exactness
from constructions.importing.graph.fixed_scores import Tables
from constructions.importing.graph.nodes import HANDLERS
from constructions.importing.graph.quantised_nodes import quantised
from constructions.importing.graph.state import MAX_ELEMENTS, Attributes, State, moved_parts, moved_scores
from constructions.importing.graph.token_cases import TokenCase, token_case
from constructions.importing.graph.turns import TurnedSquare
from constructions.importing.graph.values import (
    Ending,
    Modulated,
    NotUnderstood,
    Product,
    Quantised,
    Scores,
    TableRows,
    Tokens,
    Tokenwise,
    Weights,
)
from constructions.importing.quantised import ROUNDING
from constructions.text import printable

MAX_NODES = 20_000
MAX_TOKENS = 512
_MOVING = {"Reshape", "Transpose", "Slice", "Squeeze", "Unsqueeze", "Expand", "Flatten", "Identity", "Tile", "Gather",
           "Dropout", "Cast", "Split"}
"""Operations that put elements elsewhere, by their other inputs, which are constants."""
_WHOLE, _REAL = (6, 7), (1, 10, 11, 16)
"""Types of ONNX: whole numbers of 32 and 64 bits, and formats of floating point."""
_NOT_FOLDED = {"If", "Loop", "Scan", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike",
               "Bernoulli", "Multinomial", "SequenceMap", "StringNormalizer", "TfIdfVectorizer", "ImageDecoder"}
_ENLARGING = {"ConstantOfShape", "Expand", "Tile", "Range", "Resize", "Pad", "OneHot", "Upsample"}


@dataclass
class Reading:
    """The logits, the softmaxes, what follows the logits, what was rounded, whether weights are quantised
    and numbers of tokens rounded, other outputs, what is read as something near to it, what is added to scores.
    """

    output: Tokenwise
    softmaxes: list[Weights]
    ending: str
    exactness: Exactness
    quantised: bool
    rounded: bool
    left_out: list[str] = field(default_factory=list)
    assumed: dict[str, dict[str, None]] = field(default_factory=dict)
    tables: Tables = field(default_factory=Tables)


def tokens_input(model: Any, given: Mapping[str, int | None], where: str) -> Any:
    """The one input that is no initialiser and is not given otherwise.

    Raises:
        InputError: if there is another number of them.
    """
    weights = {one.name for one in model.graph.initializer}
    inputs = [one for one in model.graph.input if one.name not in weights]
    names = [one.name for one in inputs]
    if missing := [name for name in given if name not in names]:
        raise InputError(f"{where}: --given {printable(missing[0])}, but the inputs are "
                         f"{', '.join(map(printable, names[:4])) or 'none'}")
    left = [one for one in inputs if one.name not in given]
    if len(left) != 1:
        others = "; what others are, say --given NAME=NUMBER and NAME=places" if left else ""
        listed = ", ".join(printable(one.name) for one in left[:4]) or "none"
        raise InputError(f"{where}: inputs {listed}, expected one, the tokens{others}")
    return left[0]


def read_nodes(model: Any, tokens: int, where: str, shapes: bool = False,
               given: Mapping[str, int | None] | None = None, apart: bool = False) -> Reading:
    """The graph on an input of so many tokens; with ``shapes`` those of its arrays must be as it states them.

    ``given`` says what stands in its other inputs; with ``apart`` heads do not read tables that are added to scores.

    Raises:
        InputError: naming the first node that is not understood.
    """
    stated = {one.name: tuple(size.dim_value for size in one.type.tensor_type.shape.dim)
              for one in model.graph.value_info} if shapes else {}
    reader = _Reader(model, tokens, where, stated, given or {})
    reader.state.tables.apart = apart
    return reader.read()


class _Reader:
    def __init__(self, model: Any, count: int, where: str, stated: Mapping[str, tuple[int, ...]],
                 given: Mapping[str, int | None]) -> None:
        from onnx import numpy_helper

        self.stated = stated
        self.made: dict[tuple[Any, ...], tuple[list[Any], list[Any]]] = {}
        self.model, self.graph, self.count, self.where = model, model.graph, count, where
        self.state = State(count)
        self.values: dict[str, Any] = {one.name: numpy_helper.to_array(one) for one in self.graph.initializer}
        self.opsets = {one.domain: one.version for one in model.opset_import}
        if len(self.graph.node) > MAX_NODES:
            raise InputError(f"{where}: {len(self.graph.node)} nodes, expected at most {MAX_NODES}")
        tokens = tokens_input(model, given, where)
        for one in self.graph.input:
            if one.name in given:
                self.values[one.name] = self._given(one, given[one.name])
        self._input(tokens)

    def _given(self, one: Any, number: int | None) -> Any:
        """What stands in another input: [tokens] or [1, tokens], a number everywhere, or that of the place."""
        from onnx import helper

        form = one.type.tensor_type
        sizes = [size.dim_value if size.HasField("dim_value") else None for size in form.shape.dim]
        if len(sizes) not in (1, 2) or sizes[-1] not in (None, self.count) or (
                len(sizes) == 2 and sizes[0] not in (None, 1)):
            raise InputError(f"{self.where}: input {printable(one.name)} of shape {sizes}, expected [length] or "
                             f"[1, length] of what is given")
        made = np.arange(self.count) if number is None else np.full(self.count, number)
        return made.astype(helper.tensor_dtype_to_np_dtype(form.elem_type)).reshape((1,) * (len(sizes) - 1) + (-1,))

    def _input(self, tokens: Any) -> None:
        """The tokens: whole numbers, [tokens] or [1, tokens]."""
        from onnx import TensorProto

        form = tokens.type.tensor_type
        sizes = [size.dim_value if size.HasField("dim_value") else None for size in form.shape.dim]
        if form.elem_type not in (TensorProto.INT64, TensorProto.INT32) or len(sizes) not in (1, 2) or (
                len(sizes) == 2 and sizes[0] not in (None, 1)):
            raise InputError(f"{self.where}: input {printable(tokens.name)} of shape {sizes}, expected tokens as "
                             f"whole numbers, [length] or [1, length]")
        if sizes[-1] not in (None, self.count):
            raise InputError(f"{self.where}: the graph reads inputs of exactly {sizes[-1]} tokens, not {self.count}")
        codes = np.arange(self.count, dtype=np.int64)
        self.values[tokens.name] = Tokens(codes if len(sizes) == 1 else codes[np.newaxis])

    def read(self) -> Reading:
        """Every node in turn that the first output needs, and that."""
        for node in self._needed():
            self.state.exactness.node = node.name or node.output[0]
            try:
                known = self._told_apart(node)
                if known not in self.made:
                    self.made[known] = self._node(node), [self._value(name) for name in node.input]
                results = self.made[known][0]
            except NotUnderstood as problem:
                raise InputError(f"{self.where}: node {_name(node)}: {problem}") from None
            except (ValueError, TypeError, IndexError, KeyError, AttributeError, ArithmeticError) as problem:
                what = " ".join(str(problem).split())[:80]  # of a node whose inputs do not fit: one line, too
                raise InputError(f"{self.where}: node {_name(node)}: its inputs do not fit ({what})") from None
            self.values |= zip(node.output, results, strict=False)
            for name in node.output:
                shape = _shape(self.values.get(name))
                if shape is not None and shape != self.stated.get(name, shape):
                    raise InputError(f"{self.where}: node {_name(node)}: makes an array of shape {shape}, expected "
                                     f"{self.stated[name]}, as the program states it")
        names = [one.name for one in self.graph.output]
        shown = self._plain(self.values.get(names[0])) if names else None
        ending = shown.how if isinstance(shown, Ending) else ""
        shown = shown.logits if isinstance(shown, Ending) else shown
        try:
            output = resolved(shown, self.state.exactness) if isinstance(shown, Tokenwise | Curve) else None
        except NotUnderstood as problem:
            raise InputError(f"{self.where}: output {printable(names[0])}: {problem}") from None
        if output is None:
            raise InputError(f"{self.where}: output {printable(names[0]) if names else '(none)'}, expected logits of "
                             f"tokens")
        return Reading(output, self.state.softmaxes, ending, self.state.exactness,
                       self.state.quantised, self.state.rounded, names[1:], self.state.assumed,
                       self.state.tables)

    def _told_apart(self, node: Any) -> tuple[Any, ...]:
        """The same for nodes that compute the same: that is read once."""
        inputs = [self._value(name) for name in node.input]
        return (node.op_type, node.domain, len(node.output),
                *((value.dtype.str, value.shape, value.tobytes()) if isinstance(value, np.ndarray) and value.size <= 64
                  else id(value) for value in inputs), *sorted(one.SerializeToString() for one in node.attribute))

    def _needed(self) -> list[Any]:
        names = {one.name for one in self.graph.output[:1]}
        needed = []
        for node in reversed(self.graph.node):
            if names.intersection(node.output):
                names.update(name for name in node.input if name)
                needed.append(node)
        return needed[::-1]

    def _node(self, node: Any) -> list[Any]:
        """What a node makes."""
        inputs = [self._value(name) for name in node.input]
        if ROUNDING.fullmatch(node.op_type) and (made := quantised(self.state, node, inputs)) is not None:
            return list(made) if isinstance(made, tuple) else [made]
        if node.domain not in ("", "ai.onnx"):
            raise NotUnderstood(f"an operation of {printable(node.domain)}, expected those of ONNX alone")
        if all(value is None or isinstance(value, np.ndarray) for value in inputs):
            is_table = node.op_type == "Softmax" and inputs[0].shape[-2:] == (self.count,) * 2 and self.count > 1
            if not is_table:
                return self._folded(node, inputs)
        if node.op_type in _MOVING and node.op_type not in ("Cast", "Identity"):
            return self._moved(node, inputs)
        made = token_case(self.state, node.op_type, Attributes(node), inputs,
                          lambda given: self._evaluated(node, [*given])[0])
        if made is not None:
            return [made]
        if node.op_type in _MOVING:
            return self._moved(node, inputs)
        handler = HANDLERS.get(node.op_type)
        if handler is None:
            raise NotUnderstood("an operation that is not handled on what depends on tokens")
        try:
            return [handler(self.state, Attributes(node), inputs)]
        except NotUnderstood:
            if not any(isinstance(value, Modulated | TurnedSquare) for value in inputs):
                raise
        return [handler(self.state, Attributes(node), [self._plain(value) for value in inputs])]

    def _plain(self, value: Any) -> Any:
        """Numbers times constants of positions, where they are no rotary positions, as units; once for each."""
        if not isinstance(value, Modulated | TurnedSquare):
            return value
        if id(value) not in self.state.plain:
            root = None if isinstance(value, Modulated) else self._plain(value.value)
            made = plain(value, self.count, self.state.exactness) if isinstance(value, Modulated) else (
                multiply(root, root, self.state.exactness))
            self.state.plain[id(value)] = value, made
        return self.state.plain[id(value)][1]

    def _value(self, name: str) -> Any:
        if name and name not in self.values:
            raise NotUnderstood(f"no value {printable(name)} before it")
        return self.values[name] if name else None

    # -- constants, and elements put elsewhere -------------------------------------------------------------------------

    def _folded(self, node: Any, inputs: list[Any]) -> list[Any]:
        """The node on constants, as the reference implementation of ONNX computes it."""
        if node.op_type in _NOT_FOLDED:
            raise NotUnderstood("an operation that is not handled")
        if _greatest_size(node.op_type, [value for value in inputs if value is not None]) > MAX_ELEMENTS:
            raise NotUnderstood(f"an array of more than {MAX_ELEMENTS} elements")
        return self._evaluated(node, inputs)

    def _evaluated(self, node: Any, inputs: list[Any]) -> list[Any]:
        from onnx import ValueInfoProto, helper
        from onnx.reference import ReferenceEvaluator

        def info(name: str) -> Any:
            made = ValueInfoProto()
            made.name = name
            return made

        given = {name: value for name, value in zip(node.input, inputs, strict=True) if name}
        graph = helper.make_graph([node], "node", [info(name) for name in given],
                                  [info(name) for name in node.output if name])
        one = helper.make_model(graph, opset_imports=[helper.make_opsetid(domain, version)
                                                      for domain, version in self.opsets.items()])
        try:
            with np.errstate(all="ignore"):
                found = list(ReferenceEvaluator(one).run(None, given))
        except Exception as error:  # whatever an evaluator of a hostile node raises is one line
            raise NotUnderstood(f"it cannot be computed ({str(error)[:80] or type(error).__name__})".replace("\n", " ")
                                ) from None
        if any(not isinstance(value, np.ndarray | np.generic) or np.size(value) > MAX_ELEMENTS for value in found):
            raise NotUnderstood(f"it makes no array of at most {MAX_ELEMENTS} elements")
        return [np.asarray(value) for value in found]

    def _moved(self, node: Any, inputs: list[Any]) -> list[Any]:
        """The same operation on the array of what stands where."""
        value, rest = inputs[0], inputs[1:]
        if node.op_type == "Gather" and isinstance(inputs[1], Tokens) and isinstance(value, np.ndarray):
            if Attributes(node).attribute("axis", 0) != 0:
                raise NotUnderstood("columns of a table looked up by tokens")
            return [TableRows(value, inputs[1]) if value.dtype.kind in "iu" else
                    self.state.looked_up(value, inputs[1])]
        if any(one is not None and not isinstance(one, np.ndarray) for one in rest):
            raise NotUnderstood("places that depend on tokens")
        if isinstance(value, Ending):
            return [*_after_the_end(node, value, lambda array: self._evaluated(node, [array, *rest]))]
        if node.op_type in ("Cast", "Dropout"):
            return [_unchanged(node, value, rest)]
        if node.op_type == "Identity":
            return [value]

        def move(array: Any) -> list[Any]:
            return self._evaluated(node, [array, *rest])

        if isinstance(value, Quantised):
            return [replace(value, value=replace(value.value, codes=np.asarray(codes, np.int64)))
                    for codes in move(value.value.codes)]
        if isinstance(value, Tokens):
            return [Tokens(np.asarray(codes, np.int64)) for codes in move(value.codes)]
        if isinstance(value, Tokenwise):
            return [replace(value, codes=np.asarray(codes, np.int64)) for codes in move(value.codes)]
        if isinstance(value, Curve):
            return [Curve(replace(value.of, codes=np.asarray(codes, np.int64)), value.polynomial)
                    for codes in move(value.of.codes)]
        if isinstance(value, Modulated):
            return moved_parts(value, move)
        if isinstance(value, TokenCase):
            return list(value.moved(move))
        if isinstance(value, Scores | Weights):
            return [moved_scores(value, move)]
        raise NotUnderstood("elements of this kind of value put elsewhere")


def _after_the_end(node: Any, value: Ending, move: Callable[[Any], list[Any]]) -> list[Ending]:
    """What is put elsewhere after the logits: whole rows of them, or chosen tokens of another type."""
    if value.how == "an argmax" and node.op_type != "Cast":
        raise NotUnderstood("chosen tokens put elsewhere")
    if node.op_type == "Cast":
        return [value]
    size = value.logits.shape[-1]
    numbers = move(np.arange(value.logits.codes.size).reshape(value.logits.shape))
    if any(one.shape[-1:] != (size,) or (one % size != np.arange(size)).any() for one in numbers):
        raise NotUnderstood("parts of what a softmax makes of logits")
    codes = value.logits.codes.ravel()
    return [replace(value, logits=replace(value.logits, codes=codes[one])) for one in numbers]


def _shape(value: Any) -> tuple[int, ...] | None:
    """The shape of an array of any kind; None of what has none of its own."""
    whole = value.parts[0][0] if isinstance(value, Modulated) else value.scores if isinstance(value, Weights) else (
        value.of if isinstance(value, Curve) else value)
    return tuple(whole.shape) if isinstance(whole, np.ndarray | Tokenwise | Scores) else None


def _greatest_size(operation: str, inputs: list[Any]) -> int:
    """How many elements an operation on constants makes at most, so that no small file fills the memory."""
    shapes = [value.shape for value in inputs]
    if operation in _ENLARGING:
        numbers = [abs(int(number)) + 1 for value in inputs[:3] if value.size <= 16 and value.dtype.kind in "iuf"
                   and np.isfinite(value).all() for number in value.ravel().tolist()]
        data = max((value.size for value in inputs if value.size > 16), default=1)
        return int(data * (sum(numbers) if operation == "Range" else math.prod(numbers)))
    if operation in ("MatMul", "Gemm") and len(shapes) >= 2 and min(map(len, shapes[:2])) >= 1:
        outer = math.prod(shapes[0][:-2]) * math.prod(shapes[1][:-2])
        return int(outer * max(shapes[0][-2:]) * max(shapes[1][-2:]))
    if operation == "Concat":
        return sum(map(math.prod, shapes))
    if operation == "Gather":
        return int(math.prod(map(math.prod, shapes)) // max(min(shapes[0], default=1), 1))
    try:
        largest: int = max([math.prod(np.broadcast_shapes(*shapes)), *map(math.prod, shapes)])
    except ValueError:
        largest = math.prod(map(math.prod, shapes))
    return largest


def _unchanged(node: Any, value: Any, rest: list[Any]) -> Any:
    """What a cast among numbers, or a dropout that is not training, leaves as it is.

    Raises:
        NotUnderstood: if it changes what it is given.
    """
    if node.op_type == "Dropout":
        if len(rest) > 1 and rest[1] is not None and rest[1].any():
            raise NotUnderstood("a dropout in training; expected the model exported in evaluation (model.eval())")
        return value
    kinds = _WHOLE if isinstance(value, Tokens) else _REAL
    if Attributes(node).attribute("to", 0) not in kinds or isinstance(value, Quantised | TableRows):
        raise NotUnderstood("a cast to numbers of another kind")
    return value.plain() if isinstance(value, Product) else value


def _name(node: Any) -> str:
    return f"{printable(node.name or node.output[0])[:80]} ({printable(node.op_type)[:40]})"
