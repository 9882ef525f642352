"""A graph of ONNX read node by node, with so many tokens: what each node makes, or the first one that is not understood."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from constructions.errors import InputError
from constructions.importing.graph import arithmetic, attention, curves
from constructions.importing.graph.curves import Curve, as_curve, resolved
from constructions.importing.graph.exact import Exactness
from constructions.importing.graph.values import (
    Centred,
    CentredSquare,
    Flat,
    MeanSquare,
    Modulated,
    NotUnderstood,
    Scores,
    TokenBase,
    Tokens,
    Tokenwise,
    Weights,
    placed,
)
from constructions.text import printable

MAX_ELEMENTS = 1 << 24
"""Of one array."""
MAX_NODES = 20_000
MAX_TOKENS = 512
_MOVING = {"Reshape", "Transpose", "Slice", "Squeeze", "Unsqueeze", "Expand", "Flatten", "Identity", "Tile", "Gather",
           "Dropout", "Cast", "Split"}
"""Operations that put elements elsewhere, by their other inputs, which are constants."""
_NOT_FOLDED = {"If", "Loop", "Scan", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike",
               "Bernoulli", "Multinomial", "SequenceMap", "StringNormalizer", "TfIdfVectorizer", "ImageDecoder"}
_ENLARGING = {"ConstantOfShape", "Expand", "Tile", "Range", "Resize", "Pad", "OneHot", "Upsample"}


@dataclass
class Reading:
    """What was found: the logits, the softmaxes, whether the graph ends in an argmax, what was rounded, other outputs."""

    output: Tokenwise
    softmaxes: list[Weights]
    argmax: bool
    exactness: Exactness
    left_out: list[str] = field(default_factory=list)


def read_nodes(model: Any, tokens: int, where: str) -> Reading:
    """The graph on an input of so many tokens.

    Raises:
        InputError: naming the first node that is not understood.
    """
    return _Reader(model, tokens, where).read()


class _Reader:
    def __init__(self, model: Any, count: int, where: str) -> None:
        from onnx import numpy_helper

        self.model, self.graph, self.count, self.where = model, model.graph, count, where
        self.exactness = Exactness()
        self.softmaxes: list[Weights] = []
        self.token_base: TokenBase | None = None
        self.argmaxes: set[str] = set()
        self.values: dict[str, Any] = {one.name: numpy_helper.to_array(one) for one in self.graph.initializer}
        self.opsets = {one.domain: one.version for one in model.opset_import}
        if len(self.graph.node) > MAX_NODES:
            raise InputError(f"{where}: {len(self.graph.node)} nodes, expected at most {MAX_NODES}")
        self._input()

    def _input(self) -> None:
        """The one input that is no initialiser: whole numbers, [tokens] or [1, tokens]."""
        from onnx import TensorProto

        inputs = [one for one in self.graph.input if one.name not in self.values]
        if len(inputs) != 1:
            raise InputError(f"{self.where}: inputs {', '.join(printable(one.name) for one in inputs[:4]) or 'none'}, "
                             f"expected one, the tokens")
        form = inputs[0].type.tensor_type
        sizes = [size.dim_value if size.HasField("dim_value") else None for size in form.shape.dim]
        if form.elem_type not in (TensorProto.INT64, TensorProto.INT32) or len(sizes) not in (1, 2) or (
                len(sizes) == 2 and sizes[0] not in (None, 1)):
            raise InputError(f"{self.where}: input {printable(inputs[0].name)} of shape {sizes}, expected tokens as whole "
                             f"numbers, [length] or [1, length]")
        if sizes[-1] not in (None, self.count):
            raise InputError(f"{self.where}: the graph reads inputs of exactly {sizes[-1]} tokens, not {self.count}")
        codes = np.arange(self.count, dtype=np.int64)
        self.values[inputs[0].name] = Tokens(codes if len(sizes) == 1 else codes[np.newaxis])

    def read(self) -> Reading:
        """Every node in turn, and the first output."""
        for node in self.graph.node:
            self.exactness.node = node.name or node.output[0]
            try:
                results = self._node(node)
            except NotUnderstood as problem:
                raise InputError(f"{self.where}: node {_name(node)}: {problem}") from None
            self.values |= zip(node.output, results, strict=False)
        names = [one.name for one in self.graph.output]
        shown = self.values.get(names[0]) if names else None
        try:
            output = resolved(shown, self.exactness) if isinstance(shown, Tokenwise | Curve) else None
        except NotUnderstood as problem:
            raise InputError(f"{self.where}: output {printable(names[0])}: {problem}") from None
        if output is None:
            raise InputError(f"{self.where}: output {printable(names[0]) if names else '(none)'}, expected logits of "
                             f"tokens")
        return Reading(output, self.softmaxes, names[0] in self.argmaxes, self.exactness, names[1:])

    def _node(self, node: Any) -> list[Any]:
        """What a node makes."""
        if node.domain not in ("", "ai.onnx"):
            raise NotUnderstood(f"an operation of {printable(node.domain)}, expected those of ONNX alone")
        inputs = [self._value(name) for name in node.input]
        if all(value is None or isinstance(value, np.ndarray) for value in inputs):
            return self._folded(node, inputs)
        if node.op_type in _MOVING:
            return self._moved(node, inputs)
        handler = _HANDLERS.get(node.op_type)
        if handler is None:
            raise NotUnderstood("an operation that is not handled on what depends on tokens")
        return [handler(self, _Node(node), inputs)]

    def _value(self, name: str) -> Any:
        if name and name not in self.values:
            raise NotUnderstood(f"no value {printable(name)} before it")
        return self.values[name] if name else None

    # -- constants, and elements put elsewhere -------------------------------------------------------------------------

    def _folded(self, node: Any, inputs: list[Any]) -> list[Any]:
        """The node on constants, as the reference implementation of ONNX computes it."""
        if node.op_type in _NOT_FOLDED:
            raise NotUnderstood("an operation that is not handled")
        if node.op_type in _ENLARGING:
            for value in inputs:
                if value is not None and value.dtype.kind in "iu" and value.size <= 16 and (
                        math.prod(max(int(size), 1) for size in value.ravel().tolist()) > MAX_ELEMENTS):
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
            return [self.looked_up(_Node(node), value, inputs[1])]
        if any(one is not None and not isinstance(one, np.ndarray) for one in rest):
            raise NotUnderstood("places that depend on tokens")
        if node.op_type in ("Cast", "Dropout"):
            return [value]

        def move(array: Any) -> list[Any]:
            return self._evaluated(node, [array, *rest])

        if isinstance(value, Tokens):
            return [Tokens(np.asarray(codes, np.int64)) for codes in move(value.codes)]
        if isinstance(value, Tokenwise):
            return [replace(value, codes=np.asarray(codes, np.int64)) for codes in move(value.codes)]
        if isinstance(value, Curve):
            return [Curve(replace(value.of, codes=np.asarray(codes, np.int64)), value.polynomial)
                    for codes in move(value.of.codes)]
        if isinstance(value, Modulated):
            parts = [(move(part.codes), move(np.array(np.broadcast_to(table, part.shape)))) for part, table in value.parts]
            return [Modulated(tuple((replace(part, codes=np.asarray(codes[k], np.int64)), np.asarray(tables[k]))
                                    for (part, _), (codes, tables) in zip(value.parts, parts, strict=True)), value.factor)
                    for k in range(len(parts[0][0]))]
        if isinstance(value, Scores | Weights):
            return [_moved_scores(value, move)]
        raise NotUnderstood("elements of this kind of value put elsewhere")

    def looked_up(self, node: _Node, table: Any, tokens: Tokens) -> Tokenwise:
        """Rows of a table, by tokens."""
        if node.attribute("axis", 0) != 0 or table.ndim not in (1, 2) or table.dtype.kind != "f":
            raise NotUnderstood("rows looked up by tokens in what is no table")
        rows = np.asarray(table, np.float64).reshape(len(table), -1)
        if self.token_base is None:
            self.token_base = TokenBase(len(rows))
        if self.token_base.size != len(rows):
            raise NotUnderstood(f"a table of {len(rows)} tokens, another one has {self.token_base.size}")
        width = rows.shape[1]
        positions = tokens.codes if table.ndim == 1 else np.broadcast_to(
            tokens.codes[..., np.newaxis], (*tokens.codes.shape, width))
        forms = np.broadcast_to(np.arange(width) if table.ndim == 2 else np.zeros((), np.int64), positions.shape)
        return placed(Flat({self.token_base: rows}, (), width), positions, forms)


def _moved_scores(value: Scores | Weights, move: Callable[[Any], list[Any]]) -> Scores | Weights:
    """Scores whose indices before the last two were changed."""
    scores = value.scores if isinstance(value, Weights) else value
    size = math.prod(scores.shape[-2:])
    if math.prod(scores.shape) > MAX_ELEMENTS:
        raise NotUnderstood(f"scores of more than {MAX_ELEMENTS} elements")
    (codes,) = move(np.arange(math.prod(scores.shape)).reshape(scores.shape))
    if isinstance(value, Scores) and codes.ndim > 1 and codes.shape[-1] > 1 and codes.flat[1] == scores.shape[-1]:
        turned = replace(scores, reads=_swapped(scores.reads), mask=np.swapaxes(scores.mask, -1, -2),
                         hidden=np.swapaxes(scores.hidden, -1, -2))
        return _moved_scores(turned, lambda array: move(np.swapaxes(array, -1, -2)))
    lead = codes[..., :1, :1] // size
    if codes.shape[-2:] != scores.shape[-2:] or (
            codes != lead * size + np.arange(size).reshape(scores.shape[-2:])).any():
        raise NotUnderstood("scores whose queries and keys are put elsewhere")
    chosen = lead[..., 0, 0]
    reads = scores.reads.reshape(-1)[chosen] if chosen.ndim else scores.reads.reshape(-1)[int(chosen):][0]
    mask, hidden = (np.broadcast_to(one, scores.shape).reshape(-1, *scores.shape[-2:])[chosen]
                    for one in (scores.mask, scores.hidden))
    whole = np.empty(chosen.shape, object)
    whole[...] = reads
    moved = replace(scores, reads=whole, shape=codes.shape, mask=mask, hidden=hidden)
    if isinstance(value, Weights):
        slopes = np.empty(chosen.shape, object)
        slopes[...] = value.slopes.reshape(-1)[chosen]
        return Weights(moved, slopes, value.is_causal)
    return moved


def _swapped(reads: Any) -> Any:
    """Query for key."""
    found = np.empty(reads.shape, object)
    for index in np.ndindex(*reads.shape):
        found[index] = reads[index][::-1]
    return found


def _name(node: Any) -> str:
    return f"{printable(node.name or node.output[0])[:80]} ({printable(node.op_type)[:40]})"


class _Node:
    """The attributes of a node."""

    def __init__(self, node: Any) -> None:
        from onnx import helper

        self.inputs, self.output = list(node.input), node.output[0]
        self._attributes = {one.name: helper.get_attribute_value(one) for one in node.attribute}

    def attribute(self, name: str, default: Any) -> Any:
        return self._attributes.get(name, default)


# -- operations on what depends on tokens ------------------------------------------------------------------------------


def _add(reader: _Reader, _: _Node, inputs: list[Any]) -> Any:
    return arithmetic.add(inputs[0], inputs[1], 1, reader.count, reader.exactness)


def _subtract(reader: _Reader, _: _Node, inputs: list[Any]) -> Any:
    return arithmetic.add(inputs[0], inputs[1], -1, reader.count, reader.exactness)


def _multiply(reader: _Reader, _: _Node, inputs: list[Any]) -> Any:
    return arithmetic.multiply(inputs[0], inputs[1], reader.exactness)


def _divide(reader: _Reader, _: _Node, inputs: list[Any]) -> Any:
    return arithmetic.divide(inputs[0], inputs[1], reader.exactness)


def _negate(_: _Reader, __: _Node, inputs: list[Any]) -> Any:
    return arithmetic.negated(inputs[0])


def _power(_: _Reader, __: _Node, inputs: list[Any]) -> Any:
    value = inputs[0]
    number = arithmetic.number_in(inputs[1]) if isinstance(inputs[1], np.ndarray) else None
    if isinstance(value, MeanSquare) and number is not None:
        return arithmetic.to_power(value, number)
    if isinstance(value, Centred) and number == 2:
        return CentredSquare(value.of)
    if isinstance(value, Tokenwise | Curve) and number in (2, 3):
        curve = as_curve(value)
        square = curves.times(curve.polynomial, curve.polynomial)
        return Curve(curve.of, square if number == 2 else curves.times(square, curve.polynomial))
    raise NotUnderstood("a power that is neither a square nor a cube")


def _root(_: _Reader, __: _Node, inputs: list[Any]) -> Any:
    if not isinstance(inputs[0], MeanSquare):
        raise NotUnderstood("a root of something that is no mean of squares")
    return arithmetic.to_power(inputs[0], Fraction(1, 2))


def _reciprocal(_: _Reader, __: _Node, inputs: list[Any]) -> Any:
    if not isinstance(inputs[0], MeanSquare):
        raise NotUnderstood("the reciprocal of something that is no mean of squares")
    return arithmetic.to_power(inputs[0], Fraction(-1))


def _function(name: curves.Name) -> Callable[[_Reader, _Node, list[Any]], Any]:
    def handler(_: _Reader, __: _Node, inputs: list[Any]) -> Any:
        if not isinstance(inputs[0], Tokenwise | Curve):
            raise NotUnderstood(f"{name} of something that is no array of numbers of tokens")
        curve = as_curve(inputs[0])
        return Curve(curve.of, curves.applied(name, curve.polynomial))
    return handler


def _gelu(_: _Reader, node: _Node, inputs: list[Any]) -> Any:
    if not isinstance(inputs[0], Tokenwise | Curve):
        raise NotUnderstood("GELU of something that is no array of numbers of tokens")
    value = as_curve(inputs[0])
    x: curves.Polynomial = {(1, None): Fraction(1)}
    if value.polynomial != x:
        raise NotUnderstood("GELU of a multiple")
    if node.attribute("approximate", b"none") == b"tanh":
        inner = curves.plus({(1, None): curves.ROOT_2_PI}, {(3, None): curves.ROOT_2_PI * Fraction(44715, 10**6)})
        function = curves.applied("tanh", inner)
    else:
        function = curves.applied("erf", {(1, None): Fraction(math.sqrt(0.5))})
    half = curves.constant(Fraction(1, 2))
    return Curve(value.of, curves.times(x, curves.plus(half, curves.times(half, function))))


def _swish(_: _Reader, node: _Node, inputs: list[Any]) -> Any:
    curve = as_curve(inputs[0])
    alpha = curves.constant(Fraction(float(node.attribute("alpha", 1.0))))
    return Curve(curve.of, curves.times(curve.polynomial, curves.applied("sigmoid", curves.times(alpha,
                                                                                                 curve.polynomial))))


def _maximum(_: _Reader, __: _Node, inputs: list[Any]) -> Any:
    values = [value for value in inputs if isinstance(value, Tokenwise | Curve)]
    if len(inputs) != 2 or len(values) != 1 or any(isinstance(v, np.ndarray) and v.any() for v in inputs):
        raise NotUnderstood("a maximum that is not with 0")
    curve = as_curve(values[0])
    return Curve(curve.of, curves.applied("relu", curve.polynomial))


def _mean(reader: _Reader, node: _Node, inputs: list[Any]) -> Any:
    return _over_axes(reader, node, inputs, is_sum=False)


def _total(reader: _Reader, node: _Node, inputs: list[Any]) -> Any:
    return _over_axes(reader, node, inputs, is_sum=True)


def _over_axes(reader: _Reader, node: _Node, inputs: list[Any], is_sum: bool) -> Any:
    value = inputs[0]
    axes = inputs[1].ravel().tolist() if len(inputs) > 1 and inputs[1] is not None else node.attribute("axes", [])
    of = value if isinstance(value, Tokenwise) else getattr(value, "of", None)
    if len(axes) != 1 or not isinstance(of, Tokenwise):
        raise NotUnderstood("a mean or sum over several axes, or of another kind of value")
    axis = axes[0] % of.codes.ndim
    if axis == of.codes.ndim - 1:
        if not node.attribute("keepdims", 1):
            raise NotUnderstood("a mean or sum that drops its axis")
        return arithmetic.mean(value, Fraction(of.shape[-1]) if is_sum else Fraction(1))
    if is_sum:
        raise NotUnderstood("a sum over tokens")
    return attention.pooled(resolved(value, reader.exactness), axis, bool(node.attribute("keepdims", 1)))


def _layer_norm(reader: _Reader, node: _Node, inputs: list[Any]) -> Any:
    return _norm(reader, node, inputs, "layer")


def _rms_norm(reader: _Reader, node: _Node, inputs: list[Any]) -> Any:
    return _norm(reader, node, inputs, "rms")


def _norm(reader: _Reader, node: _Node, inputs: list[Any], kind: Any) -> Any:
    if not isinstance(inputs[0], Tokenwise | Curve):
        raise NotUnderstood("a norm of something that is no array of numbers of tokens")
    value = resolved(inputs[0], reader.exactness).settled(reader.exactness)
    if node.attribute("axis", -1) not in (-1, value.codes.ndim - 1):
        raise NotUnderstood("a norm over more than the last axis")
    epsilon = Fraction(float(node.attribute("epsilon", np.float32(1e-5))))
    if epsilon <= 0:
        raise NotUnderstood("a norm whose epsilon is not above 0")
    gain, bias = (None if one is None else np.broadcast_to(np.asarray(one, np.float64).ravel(), value.shape[-1:])
                  for one in [*inputs[1:], None, None][:2])
    return arithmetic.normed(value, kind, epsilon, gain, bias)


def _softmax(reader: _Reader, node: _Node, inputs: list[Any]) -> Any:
    if not isinstance(inputs[0], Scores) or node.attribute("axis", -1) not in (-1, len(inputs[0].shape) - 1):
        raise NotUnderstood("a softmax of something that is no scores of queries and keys, over keys")
    weights = attention.softmax(inputs[0], reader.exactness)
    reader.softmaxes.append(weights)
    return weights


def _matmul(reader: _Reader, _: _Node, inputs: list[Any]) -> Any:
    return matmul(reader, inputs[0], inputs[1])


def matmul(reader: _Reader, x: Any, y: Any) -> Any:
    """x @ y."""
    x, y = (resolved(one, reader.exactness) if isinstance(one, Curve) else one for one in (x, y))
    if isinstance(x, Tokenwise) and isinstance(y, np.ndarray) and y.ndim >= 2:
        return attention.times_constant(x, np.asarray(y, np.float64), reader.exactness)
    if isinstance(x, np.ndarray) and isinstance(y, Tokenwise) and x.ndim >= 2:
        made = attention.times_constant(y.moved(_turned), np.asarray(np.swapaxes(x, -1, -2), np.float64),
                                        reader.exactness)
        return made.moved(_turned)
    if isinstance(x, Weights) and isinstance(y, Tokenwise):
        return attention.averages(x, y)
    if isinstance(x, Tokenwise | Modulated) and isinstance(y, Tokenwise | Modulated):
        keys = y.moved(_turned) if isinstance(y, Tokenwise) else Modulated(tuple(
            (part.moved(_turned), np.swapaxes(np.broadcast_to(table, part.shape), -1, -2)) for part, table in y.parts),
            y.factor)
        return attention.scores_of(x, keys)
    raise NotUnderstood("a product of matrices that is neither a linear map of each token nor attention")


def _turned(codes: Any) -> Any:
    return np.swapaxes(codes, -1, -2)


def _gemm(reader: _Reader, node: _Node, inputs: list[Any]) -> Any:
    def side(value: Any, turned: bool) -> Any:
        if not turned:
            return value
        return np.swapaxes(value, -1, -2) if isinstance(value, np.ndarray) else value.moved(_turned)

    product = matmul(reader, side(inputs[0], node.attribute("transA", 0)), side(inputs[1], node.attribute("transB", 0)))
    alpha, beta = (np.asarray(node.attribute(name, 1.0), np.float64) for name in ("alpha", "beta"))
    product = product if alpha == 1 else arithmetic.multiply(product, alpha, reader.exactness)
    if len(inputs) < 3 or inputs[2] is None:
        return product
    return arithmetic.add(product, inputs[2] if beta == 1 else arithmetic.multiply(inputs[2], beta, reader.exactness), 1,
                          reader.count, reader.exactness)


def _einsum(reader: _Reader, node: _Node, inputs: list[Any]) -> Any:
    """Of two arrays: as a product of matrices, with the axes put in order before and after."""
    equation = node.attribute("equation", b"").decode("ascii", "replace").replace(" ", "")
    sides, _, out = equation.partition("->")
    names = sides.split(",")
    if len(inputs) != 2 or len(names) != 2 or not out or "." in equation or any(len({*n}) < len(n) for n in (*names, out)):
        raise NotUnderstood(f"the equation {printable(equation)[:60]}")
    x, y = (resolved(one, reader.exactness) if isinstance(one, Curve) else one for one in inputs)
    if isinstance(y, Weights):
        x, y, names = y, x, names[::-1]
    both = [c for c in names[0] if c in names[1]]
    batch, inner = [c for c in both if c in out], [c for c in both if c not in out]
    left, right = [c for c in names[0] if c not in both], [c for c in names[1] if c not in both]
    if {*out} != {*batch, *left, *right}:
        raise NotUnderstood(f"the equation {printable(equation)[:60]}")
    shapes = [value.scores.shape if isinstance(value, Weights) else value.shape for value in (x, y)
              if isinstance(value, Weights | Scores | Tokenwise | np.ndarray)]
    if len(shapes) < 2:
        raise NotUnderstood("an equation of other values than arrays of numbers of tokens, constants and weights")
    sizes = {c: size for name, shape in zip(names, shapes, strict=True) for c, size in zip(name, shape, strict=True)
             if size != 1}

    def arranged(value: Any, name: str, groups: list[list[str]]) -> Any:
        axes = [name.index(c) for group in groups for c in group]
        shape = [*(sizes.get(c, 1) for c in groups[0]), *(math.prod(sizes.get(c, 1) for c in g) for g in groups[1:])]

        def move(array: Any) -> Any:
            return np.transpose(array, axes).reshape(shape)
        if isinstance(value, Weights | Scores):
            return _moved_scores(value, lambda array: [move(array)])
        return move(value) if isinstance(value, np.ndarray) else value.moved(move)

    made = matmul(reader, arranged(x, names[0], [batch, left, inner]), arranged(y, names[1], [batch, inner, right]))
    order = [*batch, *left, *right]

    def back(array: Any) -> Any:
        return np.transpose(array.reshape([sizes.get(c, 1) for c in order]), [order.index(c) for c in out])
    return _moved_scores(made, lambda array: [back(array)]) if isinstance(made, Scores) else made.moved(back)


def _concat(reader: _Reader, node: _Node, inputs: list[Any]) -> Any:
    if any(isinstance(value, Tokens) for value in inputs):
        raise NotUnderstood("tokens joined with others")
    example = next(value for value in inputs if not isinstance(value, np.ndarray))
    of = example.parts[0][0] if isinstance(example, Modulated) else getattr(example, "of", example)
    if not isinstance(of, Tokenwise):
        raise NotUnderstood("joined values of this kind")
    return arithmetic.joined(inputs, node.attribute("axis", 0) % of.codes.ndim, reader.count, reader.exactness)


def _where(_: _Reader, __: _Node, inputs: list[Any]) -> Any:
    choice, one, other = inputs
    if isinstance(choice, np.ndarray):
        for scores, rest, seen in ((one, other, choice), (other, one, ~choice)):
            if isinstance(scores, Scores) and isinstance(rest, np.ndarray) and (rest <= attention.MASKED).all():
                return replace(scores, mask=np.where(seen, scores.mask, -np.inf))
    raise NotUnderstood("a choice that is no mask of scores")


def _triangle(_: _Reader, node: _Node, inputs: list[Any]) -> Any:
    """Scores of later keys replaced by 0."""
    if not isinstance(inputs[0], Scores) or node.attribute("upper", 1) or (
            len(inputs) > 1 and inputs[1] is not None and inputs[1].any()):
        raise NotUnderstood("a triangle of something else than scores, or another one than the lower")
    return arithmetic.hidden(inputs[0], ~np.tri(inputs[0].shape[-1], dtype=bool))


def _argmax(reader: _Reader, node: _Node, inputs: list[Any]) -> Any:
    value = resolved(inputs[0], reader.exactness) if isinstance(inputs[0], Tokenwise | Curve) else None
    if value is None or node.attribute("axis", 0) not in (-1, value.codes.ndim - 1):
        raise NotUnderstood("an argmax that is not over the logits of tokens")
    reader.argmaxes.add(node.output)
    return value


def _one_hot(reader: _Reader, node: _Node, inputs: list[Any]) -> Any:
    if not isinstance(inputs[0], Tokens) or node.attribute("axis", -1) != -1 or not np.array_equal(inputs[2], [0, 1]):
        raise NotUnderstood("a one-hot vector of something else than tokens")
    depth = int(np.asarray(inputs[1]).ravel()[0])
    if not 0 < depth <= MAX_ELEMENTS >> 10:
        raise NotUnderstood("a one-hot vector of so many tokens")
    return reader.looked_up(_Empty(), np.eye(depth), inputs[0])


class _Empty(_Node):
    """No attributes."""

    def __init__(self) -> None:
        self._attributes = {}


def _shape(_: _Reader, node: _Node, inputs: list[Any]) -> Any:
    """A constant, as the number of tokens is one here."""
    value = inputs[0].parts[0][0] if isinstance(inputs[0], Modulated) else getattr(inputs[0], "of", inputs[0])
    shape = value.codes.shape if isinstance(value, Tokens | Tokenwise) else (
        value.shape if isinstance(value, Scores) else value.scores.shape if isinstance(value, Weights) else None)
    if shape is None:
        raise NotUnderstood("the shape of this kind of value")
    return np.array(shape[node.attribute("start", 0) : node.attribute("end", None)], np.int64)


_HANDLERS: Mapping[str, Callable[[_Reader, _Node, list[Any]], Any]] = {
    "Add": _add, "Sub": _subtract, "Mul": _multiply, "Div": _divide, "Neg": _negate, "Pow": _power, "Sqrt": _root,
    "Reciprocal": _reciprocal, "Erf": _function("erf"), "Tanh": _function("tanh"), "Sigmoid": _function("sigmoid"),
    "Relu": _function("relu"), "Gelu": _gelu, "Swish": _swish, "Max": _maximum, "ReduceMean": _mean, "ReduceSum": _total,
    "LayerNormalization": _layer_norm, "RMSNormalization": _rms_norm, "Softmax": _softmax, "MatMul": _matmul,
    "Gemm": _gemm, "Einsum": _einsum, "Concat": _concat, "Where": _where, "Trilu": _triangle, "Shape": _shape, "ArgMax": _argmax, "OneHot": _one_hot}
