"""Reader of an ONNX graph node by node, for a number of tokens; it names the first unsupported node."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from constructions.errors import InputError
from constructions.importing.graph.affine_forms import NotUnderstood
from constructions.importing.graph.arithmetic import multiply, plain
from constructions.importing.graph.attention import times_constant
from constructions.importing.graph.curves import Curve, resolved
from constructions.importing.graph.folding import FOLDED, folded
from constructions.importing.graph.nodes import HANDLERS
from constructions.importing.graph.operators import (
    Attributes,
    Graph,
    Input,
    OfProgram,
    OnnxNode,
    expect_one_each,
    greatest_size,
)
from constructions.importing.graph.quantised_nodes import READ, quantised
from constructions.importing.graph.rotated_norms import TurnedSquare
from constructions.importing.graph.state import MAX_ELEMENTS, State, Tables, each_moved
from constructions.importing.graph.token_cases import token_case
from constructions.importing.graph.torch_constants import computed
from constructions.importing.graph.values import (
    Centred,
    Ending,
    IntegerProduct,
    Modulated,
    Quantised,
    TableRows,
    Tokens,
    Tokenwise,
    Whole,
    shape_of,
)
from constructions.importing.quantised import ACTIVATIONS, ROUNDING
from constructions.text import printable

MAX_NODES = 20_000
MAX_TOKENS = 512
_MOVING = {"Reshape", "Transpose", "Slice", "Squeeze", "Unsqueeze", "Expand", "Flatten", "Tile", "Gather",
           "Cast", "Split"}
"""Operations that move elements, by other inputs that are constants."""
_EXACT = {"Add", "Sub", "Mul", "Neg", "MatMul"}
"""Operations with the same results on integers as on real numbers."""
_WHOLE, _REAL = (6, 7), (1, 10, 11, 16)
"""Types of ONNX: integers of 32 and 64 bits, and formats of floating point."""
_MADE_PLAIN = (Modulated, TurnedSquare, Centred)


@dataclass
class GraphReading:
    """The logits, the operation after them, other outputs, and the state after the last node."""

    output: Tokenwise
    ending: str
    left_out: list[str]
    state: State


def tokens_input(graph: Graph, given: Mapping[str, int | None], where: str) -> Input:
    """Return the one input that is not given otherwise."""
    names = [one.name for one in graph.inputs]
    if missing := [name for name in given if name not in names]:
        raise InputError(f"{where}: --given {printable(missing[0])}, but the inputs are "
                         f"{', '.join(map(printable, names[:4])) or 'none'}")
    left = [one for one in graph.inputs if one.name not in given]
    if len(left) != 1:
        others = "; what others are, say --given NAME=NUMBER and NAME=places" if left else ""
        listed = ", ".join(printable(one.name) for one in left[:4]) or "none"
        raise InputError(f"{where}: inputs {listed}, expected one, the tokens{others}")
    return left[0]


def read_nodes(graph: Graph, tokens: int, where: str, given: Mapping[str, int | None] | None = None,
               apart: bool = False, bidirectional: bool = False) -> GraphReading:
    """Read the graph for an input of this number of tokens; name the first unsupported node.

    ``given`` has the values of its other inputs; with ``apart`` heads do not read tables added to scores; with
    ``bidirectional`` tables hide later keys, for networks with causal attention in some layers only.
    """
    reading = _GraphReader(graph, tokens, where, given or {}, Tables(apart, bidirectional)).read()
    if len({one.is_causal for one in reading.state.softmaxes} - {None}) > 1:
        return read_nodes(graph, tokens, where, given, apart, bidirectional=True)
    return reading


class _GraphReader:
    def __init__(self, graph: Graph, count: int, where: str, given: Mapping[str, int | None], tables: Tables) -> None:
        self.made: dict[tuple[Any, ...], tuple[list[Any], list[Any]]] = {}
        self.graph, self.count, self.where = graph, count, where
        self.state = State(count, tables=tables)
        self.values: dict[str, Any] = dict(graph.constants)
        if len(graph.nodes) > MAX_NODES:
            raise InputError(f"{where}: {len(graph.nodes)} nodes, expected at most {MAX_NODES}")
        expect_one_each(where, (*graph.constants, *(one.name for one in graph.inputs), *(
            name for node in graph.nodes for name in node.output if name)))
        tokens = tokens_input(graph, given, where)
        for one in graph.inputs:
            if one.name in given:
                self.values[one.name] = self._given(one, given[one.name])
        self._input(tokens)

    def _given(self, one: Input, number: int | None) -> Any:
        """Return the value of another input: [tokens] or [1, tokens], a constant, or the number of the position."""
        if not one.is_line or one.sizes[-1] not in (None, self.count):
            raise InputError(f"{self.where}: input {printable(one.name)} of shape {[*one.sizes]}, expected [length] or "
                             f"[1, length] for --given")
        made = np.arange(self.count) if number is None else np.full(self.count, number)
        return made.astype(one.kind).reshape((1,) * (len(one.sizes) - 1) + (-1,))

    def _input(self, tokens: Input) -> None:
        """Set the tokens: integers, [tokens] or [1, tokens]."""
        if tokens.kind not in ("int64", "int32") or not tokens.is_line:
            raise InputError(f"{self.where}: input {printable(tokens.name)} of shape {[*tokens.sizes]}, expected "
                             f"tokens as integers, [length] or [1, length]")
        if tokens.sizes[-1] not in (None, self.count):
            raise InputError(f"{self.where}: the graph reads inputs of exactly {tokens.sizes[-1]} tokens, not "
                             f"{self.count}")
        codes = np.arange(self.count, dtype=np.int64)
        self.values[tokens.name] = Tokens(codes if len(tokens.sizes) == 1 else codes[np.newaxis], tokens.kind)

    def read(self) -> GraphReading:
        """Read the nodes that the first output depends on, in order, and return that output."""
        names, needed = {*self.graph.outputs[:1]}, []
        for node in reversed(self.graph.nodes):
            if names.intersection(node.output):
                names.update(name for name in node.input if name)
                needed.append(node)
        for node in reversed(needed):
            self.state.exactness.node = node.name or node.output[0]
            said = f"{self.where}: node {printable(node.name or node.output[0])[:80]} ({printable(node.op_type)[:40]})"
            try:
                known = self._told_apart(node)
                if known not in self.made:
                    self.made[known] = self._node(node), [self._value(name) for name in node.input]
                results = self.made[known][0]
            except NotUnderstood as problem:
                raise InputError(f"{said}: {problem}") from None
            except (ValueError, TypeError, IndexError, KeyError, AttributeError, ArithmeticError) as problem:
                what = " ".join(str(problem).split())[:80]  # also for nodes with unsuitable inputs
                raise InputError(f"{said}: its inputs do not fit ({what})") from None
            self.values |= zip(node.output, results, strict=False)
            for name in node.output:
                shape, stated = shape_of(self.values.get(name)), self.graph.stated.get(name)
                if None not in (shape, stated) and shape != stated:
                    raise InputError(f"{said}: makes an array of shape {shape}, expected {stated}, as the program "
                                     f"states it")
        outputs = self.graph.outputs
        shown = self._plain(self.values.get(outputs[0])) if outputs else None
        logits = shown.logits if isinstance(shown, Ending) else shown
        if not isinstance(logits, Tokenwise | Curve):
            shown_name = printable(outputs[0]) if outputs else "(none)"
            raise InputError(f"{self.where}: output {shown_name}, expected logits of tokens")
        try:
            output = resolved(logits, self.state.exactness)
        except NotUnderstood as problem:
            raise InputError(f"{self.where}: output {printable(outputs[0])}: {problem}") from None
        return GraphReading(output, shown.how if isinstance(shown, Ending) else "", [*outputs[1:]], self.state)

    def _told_apart(self, node: Any) -> tuple[Any, ...]:
        """Return a key that is equal for nodes with the same computation, so that it is read once."""
        inputs = [self._value(name) for name in node.input]
        return (node.op_type, node.domain, len(node.output),
                *((value.dtype.str, value.shape, value.tobytes()) if isinstance(value, np.ndarray) and value.size <= 64
                  else id(value) for value in inputs),
                *sorted(map(repr, node.attributes.items()) if isinstance(node, OnnxNode) else
                        (one.SerializeToString() for one in node.attribute)))

    def _node(self, node: Any) -> list[Any]:
        inputs = [self._value(name) for name in node.input]
        is_rounding = ROUNDING.fullmatch(node.op_type)
        if is_rounding and node.op_type not in READ and not _are_constant(inputs):
            raise NotUnderstood(ACTIVATIONS)
        how = OfProgram(node) if isinstance(node, OnnxNode) else Attributes(node, self.graph.opsets)
        made = quantised(self.state, how, inputs) if is_rounding else None
        results = self._made(node, how, inputs) if made is None else list(made) if isinstance(made, tuple) else [made]
        how.expect_all_read()
        return results

    def _made(self, node: Any, how: Attributes, inputs: list[Any]) -> list[Any]:
        if node.op_type in ("Identity", "Dropout"):
            return [_undropped(inputs)]
        if _are_constant(inputs):
            is_table = node.op_type == "Softmax" and inputs[0].shape[-2:] == (self.count,) * 2 and self.count > 1
            if not is_table:
                return self._folded(node, how, inputs)
        if node.op_type in _MOVING and node.op_type != "Cast":
            return self._moved(node, how, inputs)
        made = token_case(self.state, node.op_type, how, inputs, lambda given: self._folded(node, how, [*given])[0])
        if made is not None:
            return [made]
        if node.op_type in _MOVING:
            return self._moved(node, how, inputs)
        handler = HANDLERS.get(node.op_type)
        if handler is None:
            raise NotUnderstood("an operation that is not supported on values that depend on tokens")
        if any(isinstance(value, Whole) for value in inputs) and node.op_type in _EXACT:
            made = handler(self.state, how, *(one.value if isinstance(one, Whole) else one for one in inputs))
            if not isinstance(made, Tokenwise):
                raise NotUnderstood("numbers of tokens of an integer type, expected a cast of them")
            return [Whole(made)]
        try:
            return [handler(self.state, how, *inputs)]
        except NotUnderstood:
            if not any(isinstance(value, _MADE_PLAIN) for value in inputs):
                raise
        return [handler(self.state, how, *map(self._plain, inputs))]

    def _plain(self, value: Any) -> Any:
        """Return modulated numbers other than rotary positions as hidden units, and centred ones as a linear map.

        The latter applies to centred numbers outside norms. Each value is converted once.
        """
        return self.state.once(self._made_plain, value) if isinstance(value, _MADE_PLAIN) else value

    def _made_plain(self, value: Any) -> Any:
        if isinstance(value, Modulated):
            return plain(value, self.count, self.state.exactness)
        if isinstance(value, TurnedSquare):
            root = self._plain(value.value)
            return multiply(self.state, root, root)
        if value.gain is None:  # rounded unless their number is 2^k
            size = value.of.shape[-1]
            self.state.exactness.note(size & (size - 1) == 0)
            return times_constant(value.of, np.eye(size) - np.float64(1 / size), self.state.exactness)
        return self._plain(multiply(self.state, self._plain(value.alone), value.gain))

    def _value(self, name: str) -> Any:
        if name and name not in self.values:
            raise NotUnderstood(f"no value {printable(name)} before it")
        return self.values[name] if name else None

    # -- constants, and moved elements ---------------------------------------------------------------------------------

    def _folded(self, node: Any, how: Attributes, inputs: list[Any], moves: bool = False) -> list[Any]:
        """Return the outputs of the node on constants."""
        if isinstance(node, OnnxNode):
            how.all_are_read()
            return [computed(how, inputs)]
        if node.op_type in FOLDED and greatest_size(how, inputs) > MAX_ELEMENTS:
            raise NotUnderstood(f"an array of more than {MAX_ELEMENTS} elements")
        return folded(node, how, inputs, self.graph.opsets[""], moves=moves)

    def _moved(self, node: Any, how: Attributes, inputs: list[Any]) -> list[Any]:
        """Apply the operation to the array of the elements' indices."""
        value, rest = inputs[0], inputs[1:]
        if isinstance(value, Centred):
            value = self._plain(value)
        if node.op_type == "Gather" and isinstance(inputs[1], Tokens) and isinstance(value, np.ndarray):
            if how.attribute("axis") != 0:
                raise NotUnderstood("columns of a table looked up by tokens")
            return [TableRows(value, inputs[1]) if value.dtype.kind in "iu" else
                    self.state.looked_up(value, inputs[1])]
        if any(one is not None and not isinstance(one, np.ndarray) for one in rest):
            raise NotUnderstood("indices that depend on tokens")

        def move(array: Any) -> list[Any]:
            return self._folded(node, how, [array, *rest], moves=True)

        if isinstance(value, Ending):
            return [*_after_the_end(node.op_type, how, value, move)]
        if node.op_type == "Cast":
            return [_unchanged(how, value)]
        return each_moved(value, move)


def _are_constant(values: list[Any]) -> bool:
    return all(value is None or isinstance(value, np.ndarray) for value in values)


def _after_the_end(operation: str, how: Attributes, value: Ending, move: Callable[[Any], list[Any]]) -> list[Ending]:
    """Return a moved value after the logits: whole rows of them, or chosen tokens of another type."""
    if operation == "Cast" and how.attribute("to") in (_WHOLE if value.how == "an argmax" else _REAL):
        return [value]
    if value.how == "an argmax" or operation == "Cast":
        raise NotUnderstood("a move of chosen tokens, or a cast of a softmax to another kind of numbers")
    size = value.logits.shape[-1]
    numbers = move(np.arange(value.logits.codes.size).reshape(value.logits.shape))
    if any(one.shape[-1:] != (size,) or (one % size != np.arange(size)).any() for one in numbers):
        raise NotUnderstood("parts of the softmax of logits")
    codes = value.logits.codes.ravel()
    return [replace(value, logits=replace(value.logits, codes=codes[one])) for one in numbers]


def _undropped(inputs: list[Any]) -> Any:
    """Return the input of a dropout in evaluation."""
    training = [*inputs, None, None][2]
    if training is not None and (not isinstance(training, np.ndarray) or training.any()):
        raise NotUnderstood("a dropout in training; expected the model exported in evaluation (model.eval())")
    return inputs[0]


def _unchanged(how: Attributes, value: Any) -> Any:
    """Return the input of a cast among numbers."""
    kind = how.attribute("to")
    if isinstance(value, Tokens) and kind in _WHOLE:
        return replace(value, kind="int32" if kind == _WHOLE[0] else "int64")
    if isinstance(value, Tokens | Quantised | TableRows) or kind not in _REAL:
        raise NotUnderstood("a cast to numbers of another kind")
    return value.plain() if isinstance(value, IntegerProduct) else value.value if isinstance(value, Whole) else value
