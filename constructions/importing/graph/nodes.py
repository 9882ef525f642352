"""The operations of a graph on what depends on tokens, each a function of its inputs."""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from constructions.importing.graph import (
    arithmetic,
    attention,
    curves,
    lookups,
    norms,
    reductions,
    turns,
    whole_attention,
)
from constructions.importing.graph.curves import Curve, as_curve, resolved
from constructions.importing.graph.fixed_scores import as_scores, hidden_in_scores, weights_as_scores
from constructions.importing.graph.forms import NotUnderstood
from constructions.importing.graph.operators import Attributes, axis_in
from constructions.importing.graph.state import State, moved_parts, moved_scores
from constructions.importing.graph.token_cases import without_unseen
from constructions.importing.graph.values import (
    Centred,
    CentredSquare,
    Ending,
    MeanSquare,
    Modulated,
    Scores,
    Tokens,
    Tokenwise,
    Weights,
    shape_of,
    what,
)
from constructions.text import printable

FLATTENED_BEFORE = 13
"""Before this definition Softmax takes its array for a matrix."""


def _add(state: State, _: Attributes, inputs: list[Any]) -> Any:
    masked = [isinstance(one, np.ndarray) and bool((one <= attention.MASKED).any()) for one in inputs]
    if any(masked):
        inputs = [one if hides else as_scores(one, state.count, state.positions)
                  for one, hides in zip(inputs, masked, strict=True)]
    return arithmetic.add(inputs[0], inputs[1], 1, state.count, state.exactness)


def _subtract(state: State, _: Attributes, inputs: list[Any]) -> Any:
    return arithmetic.add(inputs[0], inputs[1], -1, state.count, state.exactness)


def _multiply(state: State, _: Attributes, inputs: list[Any]) -> Any:
    turned = turns.product(inputs[0], inputs[1], state)
    return turned if turned is not None else arithmetic.multiply(inputs[0], inputs[1], state.exactness)


def _divide(state: State, _: Attributes, inputs: list[Any]) -> Any:
    y = inputs[1]
    inverse = norms.to_power(y, Fraction(-1)) if isinstance(y, MeanSquare) and y.power == norms.HALF else None
    turned = turns.product(inputs[0], inverse, state)
    return turned if turned is not None else arithmetic.divide(inputs[0], inputs[1], state.exactness)


def _negate(_: State, __: Attributes, inputs: list[Any]) -> Any:
    return arithmetic.negated(inputs[0])


def _power(state: State, _: Attributes, inputs: list[Any]) -> Any:
    value = inputs[0]
    number = arithmetic.number_in(inputs[1]) if isinstance(inputs[1], np.ndarray) and arithmetic.keeps(
        inputs[1], value) else None
    if isinstance(value, MeanSquare) and number is not None:
        return norms.to_power(value, number)
    if isinstance(value, Centred) and number == 2:
        return CentredSquare(value.of)
    if number == 2 and (turned := turns.product(value, value, state)) is not None:
        return turned
    if isinstance(value, Tokenwise | Curve) and number in (2, 3):
        curve = as_curve(value)
        square = curves.times(curve.polynomial, curve.polynomial)
        return Curve(curve.of, square if number == 2 else curves.times(square, curve.polynomial))
    raise NotUnderstood("a power that is neither a square nor a cube")


def _root(_: State, __: Attributes, inputs: list[Any]) -> Any:
    if not isinstance(inputs[0], MeanSquare):
        raise NotUnderstood("a root of something that is no mean of squares")
    return norms.to_power(inputs[0], Fraction(1, 2))


def _reciprocal(_: State, __: Attributes, inputs: list[Any]) -> Any:
    if not isinstance(inputs[0], MeanSquare):
        raise NotUnderstood("the reciprocal of something that is no mean of squares")
    return norms.to_power(inputs[0], Fraction(-1))


def _function(name: curves.Name) -> Callable[[State, Attributes, list[Any]], Any]:
    def handler(state: State, _: Attributes, inputs: list[Any]) -> Any:
        if isinstance(inputs[0], Scores):
            if name == "tanh":
                return inputs[0].capped()
            raise NotUnderstood(f"{name} of scores before their softmax, expected tanh (a cap)")
        if not isinstance(inputs[0], Tokenwise | Curve):
            raise NotUnderstood(f"{name} of something that is no array of numbers of tokens")
        curve = curves.linear(inputs[0], state.exactness) if name == "relu" else as_curve(inputs[0])
        return Curve(curve.of, curves.applied(name, curve.polynomial))
    return handler


def _gelu(_: State, node: Attributes, inputs: list[Any]) -> Any:
    if not isinstance(inputs[0], Tokenwise | Curve):
        raise NotUnderstood("GELU of something that is no array of numbers of tokens")
    value = as_curve(inputs[0])
    x: curves.Polynomial = {(1, None): Fraction(1)}
    if value.polynomial != x:
        raise NotUnderstood("GELU of a multiple")
    if node.attribute("approximate") not in (b"none", b"tanh"):
        raise NotUnderstood("GELU by another formula than those of erf and tanh")
    if node.attribute("approximate") == b"tanh":
        inner = curves.plus({(1, None): curves.ROOT_2_PI}, {(3, None): curves.ROOT_2_PI * Fraction(44715, 10**6)})
        function = curves.applied("tanh", inner)
    else:
        function = curves.applied("erf", {(1, None): Fraction(math.sqrt(1 / 2))})
    half = curves.constant(Fraction(1, 2))
    return Curve(value.of, curves.times(x, curves.plus(half, curves.times(half, function))))


def _swish(_: State, node: Attributes, inputs: list[Any]) -> Any:
    if not isinstance(inputs[0], Tokenwise | Curve):
        raise NotUnderstood("Swish of something that is no array of numbers of tokens")
    curve = as_curve(inputs[0])
    alpha = curves.constant(Fraction(np.float64(node.attribute("alpha"))))
    return Curve(curve.of, curves.times(curve.polynomial, curves.applied("sigmoid", curves.times(alpha,
                                                                                                 curve.polynomial))))


def _layer_norm(state: State, node: Attributes, inputs: list[Any]) -> Any:
    return _norm(state, node, inputs, "layer")


def _rms_norm(state: State, node: Attributes, inputs: list[Any]) -> Any:
    return _norm(state, node, inputs, "rms")


def _norm(state: State, node: Attributes, inputs: list[Any], kind: Any) -> Any:
    epsilon, axis = Fraction(np.float64(node.attribute("epsilon"))), node.attribute("axis")
    if any(not isinstance(one, np.ndarray | None) for one in inputs[1:]):
        raise NotUnderstood("a norm whose gain or bias depends on tokens")
    if kind == "rms" and axis == -1 and epsilon > 0 and (
            turned := turns.normed(inputs[0], epsilon, inputs[1], state)) is not None:
        return turned
    if not isinstance(inputs[0], Tokenwise | Curve):
        raise NotUnderstood(f"a norm of {what(inputs[0])}, expected numbers of tokens")
    value = resolved(inputs[0], state.exactness).settled(state.exactness)
    if axis not in (-1, value.codes.ndim - 1):
        raise NotUnderstood("a norm over more than the last axis")
    if epsilon <= 0:
        raise NotUnderstood("a norm whose epsilon is not above 0")
    gain, bias = (None if one is None else np.broadcast_to(arithmetic.finite(one).reshape(one.shape[-1:]),
                                                           value.shape[-1:]) for one in [*inputs[1:], None, None][:2])
    return norms.normed(value, kind, epsilon, gain, bias)


def _softmax(state: State, node: Attributes, inputs: list[Any]) -> Any:
    value = resolved(inputs[0], state.exactness) if isinstance(inputs[0], Curve) else inputs[0]
    scores = as_scores(value, state.count, state.positions)
    if isinstance(scores, Tokenwise) and _fits_logits(scores, _axis_of_softmax(node, scores.shape)):
        return Ending(scores, "a softmax")
    if not isinstance(scores, Scores) or _axis_of_softmax(node, scores.shape) != len(scores.shape) - 1:
        raise NotUnderstood("a softmax of something that is no scores of queries and keys, over keys")
    return _weights(state, scores)


def _weights(state: State, scores: Scores) -> Weights:
    """The softmax of scores, over keys."""
    scores = without_unseen(state, scores)
    weights = attention.softmax(scores, state.positions, state.exactness, state.tables)
    if (np.isfinite(scores.masks[0].numbers) & ~attention.seen_by(scores)).any():
        state.assume(attention.FINITE)
    if state.tables.hides:
        state.assume(attention.BY_TABLE)
        state.tables.hides = False
    state.softmaxes.append(weights)
    return weights


def _attention(state: State, node: Attributes, inputs: list[Any]) -> Any:
    return whole_attention.attend(state, node, inputs, _weights)


def _axis_of_softmax(node: Attributes, shape: tuple[int, ...]) -> int:
    """The axis over which weights add up to 1: before opset 13 these are all from the given one on, flattened."""
    axis = axis_in(node.attribute("axis"), len(shape))
    return axis if node.version >= FLATTENED_BEFORE or math.prod(shape[axis:-1]) > 1 else len(shape) - 1


def _matmul(state: State, _: Attributes, inputs: list[Any]) -> Any:
    return matmul(state, inputs[0], inputs[1])


def matmul(state: State, x: Any, y: Any) -> Any:
    """x @ y."""
    x, y = (resolved(one, state.exactness) if isinstance(one, Curve) else one for one in (x, y))
    if isinstance(x, Tokenwise) and isinstance(y, np.ndarray) and y.ndim >= 2:
        return attention.times_constant(x, np.asarray(y, np.float64), state.exactness)
    if isinstance(x, np.ndarray) and isinstance(y, Tokenwise) and x.ndim >= 2 and _mixes(x, y):
        scores = weights_as_scores(x)
        if scores is None:
            raise NotUnderstood("tokens mixed by constants that are no weights of attention: rows that add up to 1")
        state.assume("constant weights whose rows add up to 1 within 2^-20 are the softmax of their logarithms")
        x = attention.softmax(scores, state.positions, state.exactness, state.tables)
        state.softmaxes.append(x)
    if isinstance(x, np.ndarray) and isinstance(y, Tokenwise) and x.ndim >= 2:
        made = attention.times_constant(y.moved(_turned), np.asarray(np.swapaxes(x, -1, -2), np.float64),
                                        state.exactness)
        return made.moved(_turned)
    if isinstance(x, Weights) and isinstance(y, Tokenwise):
        return attention.averages(x, y, state.attentions)
    if isinstance(x, Tokenwise | Modulated) and isinstance(y, Tokenwise | Modulated):
        keys = y.moved(_turned) if isinstance(y, Tokenwise) else Modulated(tuple(
            (part.moved(_turned), np.swapaxes(np.broadcast_to(table, part.shape), -1, -2)) for part, table in y.parts),
            y.factor)
        return attention.scores_of(x, keys)
    raise NotUnderstood("a product of matrices that is neither a linear map of each token nor attention")


def _mixes(x: Any, y: Tokenwise) -> bool:
    """Whether a product of constants and numbers of tokens sums over tokens, from as many to as many."""
    places = y.positions
    return y.codes.ndim > 1 and x.shape[-1] == x.shape[-2] == y.shape[-2] > 1 and bool(
        (places != places[..., :1, :]).any())


def _turned(codes: Any) -> Any:
    return np.swapaxes(codes, -1, -2)


def _gemm(state: State, node: Attributes, inputs: list[Any]) -> Any:
    def side(value: Any, turned: bool) -> Any:
        if not turned:
            return value
        return np.swapaxes(value, -1, -2) if isinstance(value, np.ndarray) else value.moved(_turned)

    product = matmul(state, side(inputs[0], node.attribute("transA")), side(inputs[1], node.attribute("transB")))
    alpha, beta = (np.asarray(node.attribute(name), np.float64) for name in ("alpha", "beta"))
    product = product if alpha == 1 else arithmetic.multiply(product, alpha, state.exactness)
    if len(inputs) < 3 or inputs[2] is None:
        return product
    added = inputs[2] if beta == 1 else arithmetic.multiply(inputs[2], beta, state.exactness)
    return arithmetic.add(product, added, 1, state.count, state.exactness)


def _einsum(state: State, node: Attributes, inputs: list[Any]) -> Any:
    """Of two arrays: as a product of matrices, with the axes put in order before and after."""
    equation = node.attribute("equation").decode("ascii", "replace").replace(" ", "")
    sides, _, out = equation.partition("->")
    names = sides.split(",")
    if len(inputs) != 2 or len(names) != 2 or not out or "." in equation or any(
            len({*n}) < len(n) for n in (*names, out)):
        raise NotUnderstood(f"the equation {printable(equation)[:60]}")
    x, y = (resolved(one, state.exactness) if isinstance(one, Curve) else one for one in inputs)
    if isinstance(y, Weights):
        x, y, names = y, x, names[::-1]
    both = [c for c in names[0] if c in names[1]]
    batch, inner = [c for c in both if c in out], [c for c in both if c not in out]
    left, right = [c for c in names[0] if c not in both], [c for c in names[1] if c not in both]
    if {*out} != {*batch, *left, *right}:
        raise NotUnderstood(f"the equation {printable(equation)[:60]}")
    shapes = [shape_of(value) or () for value in (x, y)
              if isinstance(value, Weights | Scores | Tokenwise | Modulated | np.ndarray)]
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
            return moved_scores(value, lambda array: [move(array)])
        if isinstance(value, Modulated):
            return moved_parts(value, lambda array: [move(array)])[0]
        return move(value) if isinstance(value, np.ndarray) else value.moved(move)

    made = matmul(state, arranged(x, names[0], [batch, left, inner]), arranged(y, names[1], [batch, inner, right]))
    order = [*batch, *left, *right]

    def back(array: Any) -> Any:
        return np.transpose(array.reshape([sizes.get(c, 1) for c in order]), [order.index(c) for c in out])
    return moved_scores(made, lambda array: [back(array)]) if isinstance(made, Scores) else made.moved(back)


def _convolution(state: State, node: Attributes, inputs: list[Any]) -> Any:
    """A convolution that sees one token at a time is a linear map."""
    value, kernel, bias = [*inputs, None][:3]
    plain = all(node.attribute(name) in (default, [one], [one, one]) for name, default, one in (
        ("group", 1, 1), ("strides", None, 1), ("pads", None, 0)))
    if not isinstance(kernel, np.ndarray) or kernel.ndim != 3 or kernel.shape[-1] != 1 or not plain:
        raise NotUnderstood("a convolution of several tokens or in groups, expected one of single tokens (kernel 1)")
    made = matmul(state, np.asarray(kernel[:, :, 0], np.float64), value)
    return made if bias is None else arithmetic.add(made, bias[:, np.newaxis], 1, state.count, state.exactness)


def _concat(state: State, node: Attributes, inputs: list[Any]) -> Any:
    if any(isinstance(value, Tokens) for value in inputs):
        raise NotUnderstood("tokens joined with others")
    example = next(value for value in inputs if not isinstance(value, np.ndarray))
    if not isinstance(example, Tokenwise | Curve | Modulated):
        raise NotUnderstood("joined values of this kind")
    axis = axis_in(node.attribute("axis"), len(shape_of(example) or ()))
    return arithmetic.joined(inputs, axis, state.count, state.exactness)


def _where(state: State, _: Attributes, inputs: list[Any]) -> Any:
    choice, *both = inputs
    if isinstance(choice, np.ndarray) and choice.size and choice.all() == choice.any():
        kept, left = both if choice.all() else both[::-1]
        shapes = [shape_of(one) for one in (kept, left, choice)]
        if not isinstance(kept, np.ndarray) and None not in shapes and np.broadcast_shapes(
                *(shape for shape in shapes if shape is not None)) == shapes[0]:
            return kept
    one, other = (as_scores(value, state.count, state.positions) if isinstance(value, Tokenwise) else value
                  for value in both)
    if isinstance(choice, np.ndarray):
        for scores, rest, filled in ((one, other, ~choice), (other, one, choice)):
            if isinstance(scores, Scores) and isinstance(rest, np.ndarray):
                return scores.filled(filled, np.asarray(rest, np.float64))
    raise NotUnderstood("a choice that is no mask of scores")


def _is_nan(_: State, __: Attributes, inputs: list[Any]) -> Any:
    """A condition that never holds: each token sees a key, or its softmax was refused."""
    if not isinstance(inputs[0], Weights):
        raise NotUnderstood(f"whether {what(inputs[0])} are no numbers, expected weights of attention")
    return np.zeros(inputs[0].scores.shape, bool)


def _triangle(_: State, node: Attributes, inputs: list[Any]) -> Any:
    """Scores of later keys replaced by 0."""
    if not isinstance(inputs[0], Scores) or node.attribute("upper") or (
            len(inputs) > 1 and inputs[1] is not None and inputs[1].any()):
        raise NotUnderstood("a triangle of something else than scores, or another one than the lower")
    return inputs[0].filled(~np.tri(inputs[0].shape[-1], dtype=bool), np.zeros(()))


def _argmax(state: State, node: Attributes, inputs: list[Any]) -> Any:
    value = resolved(inputs[0], state.exactness) if isinstance(inputs[0], Tokenwise | Curve) else inputs[0]
    return _ending(node, value.logits if isinstance(value, Ending) else value, "an argmax")


def _log_softmax(state: State, node: Attributes, inputs: list[Any]) -> Any:
    value = resolved(inputs[0], state.exactness) if isinstance(inputs[0], Curve) else inputs[0]
    return _ending(node, value, "the logarithm of a softmax")


def _ending(node: Attributes, value: Any, how: str) -> Ending:
    """Logits, and what follows them; each of their rows is one token's."""
    if isinstance(value, Tokenwise):
        axis = _axis_of_softmax(node, value.shape) if "softmax" in how else axis_in(node.attribute("axis"),
                                                                                    value.codes.ndim)
        if _fits_logits(value, axis):
            return Ending(value, how)
    raise NotUnderstood(f"{how} that is not over the logits of tokens")


def _fits_logits(value: Tokenwise, axis: int) -> bool:
    return axis == value.codes.ndim - 1 and value.shape[-1] > 1 and not (
        value.positions != value.positions[..., :1]).any()


def _shape(_: State, node: Attributes, inputs: list[Any]) -> Any:
    """A constant, as the number of tokens is one here."""
    if (shape := shape_of(inputs[0])) is None:
        raise NotUnderstood("the shape of this kind of value")
    return np.array(shape[node.attribute("start") : node.attribute("end")], np.int64)


HANDLERS: Mapping[str, Callable[[State, Attributes, list[Any]], Any]] = {
    "Add": _add, "Sub": _subtract, "Mul": _multiply, "Div": _divide, "Neg": _negate, "Pow": _power, "Sqrt": _root,
    "Reciprocal": _reciprocal, "Erf": _function("erf"), "Tanh": _function("tanh"), "Sigmoid": _function("sigmoid"),
    "Relu": _function("relu"), "Gelu": _gelu, "Swish": _swish, "Max": reductions.maximum,
    "Min": reductions.minimum, "Clip": reductions.clip, "Abs": reductions.absolute, "LeakyRelu": reductions.leaky,
    "ReduceMean": reductions.mean, "ReduceSum": reductions.total, "ReduceL2": reductions.root_of_squares,
    "ReduceSumSquare": reductions.squares, "GatherND": lookups.rows_of_table, "Conv": _convolution,
    "Equal": hidden_in_scores,
    "LayerNormalization": _layer_norm, "RMSNormalization": _rms_norm, "Softmax": _softmax, "MatMul": _matmul,
    "Gemm": _gemm, "Einsum": _einsum, "Concat": _concat, "Where": _where, "Trilu": _triangle,
    "Shape": _shape, "ArgMax": _argmax, "LogSoftmax": _log_softmax, "OneHot": lookups.one_hot,
    "IsNaN": _is_nan, "Attention": _attention, "RotaryEmbedding": whole_attention.rotate}
