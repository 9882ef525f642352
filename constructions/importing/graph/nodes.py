"""The operations of a graph on what depends on tokens, each a function of its inputs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from constructions.importing.graph import arithmetic, attention, curves
from constructions.importing.graph.curves import Curve, as_curve, resolved
from constructions.importing.graph.state import MAX_ELEMENTS, Attributes, State, moved_scores
from constructions.importing.graph.values import (
    Centred,
    CentredSquare,
    MeanSquare,
    Modulated,
    NotUnderstood,
    Scores,
    Tokens,
    Tokenwise,
    Weights,
)
from constructions.text import printable


def _add(state: State, _: Attributes, inputs: list[Any]) -> Any:
    return arithmetic.add(inputs[0], inputs[1], 1, state.count, state.exactness)


def _subtract(state: State, _: Attributes, inputs: list[Any]) -> Any:
    return arithmetic.add(inputs[0], inputs[1], -1, state.count, state.exactness)


def _multiply(state: State, _: Attributes, inputs: list[Any]) -> Any:
    return arithmetic.multiply(inputs[0], inputs[1], state.exactness)


def _divide(state: State, _: Attributes, inputs: list[Any]) -> Any:
    return arithmetic.divide(inputs[0], inputs[1], state.exactness)


def _negate(_: State, __: Attributes, inputs: list[Any]) -> Any:
    return arithmetic.negated(inputs[0])


def _power(_: State, __: Attributes, inputs: list[Any]) -> Any:
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


def _root(_: State, __: Attributes, inputs: list[Any]) -> Any:
    if not isinstance(inputs[0], MeanSquare):
        raise NotUnderstood("a root of something that is no mean of squares")
    return arithmetic.to_power(inputs[0], Fraction(1, 2))


def _reciprocal(_: State, __: Attributes, inputs: list[Any]) -> Any:
    if not isinstance(inputs[0], MeanSquare):
        raise NotUnderstood("the reciprocal of something that is no mean of squares")
    return arithmetic.to_power(inputs[0], Fraction(-1))


def _function(name: curves.Name) -> Callable[[State, Attributes, list[Any]], Any]:
    def handler(_: State, __: Attributes, inputs: list[Any]) -> Any:
        if not isinstance(inputs[0], Tokenwise | Curve):
            raise NotUnderstood(f"{name} of something that is no array of numbers of tokens")
        curve = as_curve(inputs[0])
        return Curve(curve.of, curves.applied(name, curve.polynomial))
    return handler


def _gelu(_: State, node: Attributes, inputs: list[Any]) -> Any:
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
        function = curves.applied("erf", {(1, None): Fraction(math.sqrt(1 / 2))})
    half = curves.constant(Fraction(1, 2))
    return Curve(value.of, curves.times(x, curves.plus(half, curves.times(half, function))))


def _swish(_: State, node: Attributes, inputs: list[Any]) -> Any:
    curve = as_curve(inputs[0])
    alpha = curves.constant(Fraction(np.float64(node.attribute("alpha", 1))))
    return Curve(curve.of, curves.times(curve.polynomial, curves.applied("sigmoid", curves.times(alpha,
                                                                                                 curve.polynomial))))


def _maximum(_: State, __: Attributes, inputs: list[Any]) -> Any:
    values = [value for value in inputs if isinstance(value, Tokenwise | Curve)]
    if len(inputs) != 2 or len(values) != 1 or any(isinstance(v, np.ndarray) and v.any() for v in inputs):
        raise NotUnderstood("a maximum that is not with 0")
    curve = as_curve(values[0])
    shape = curve.of.shape
    if any(isinstance(v, np.ndarray) and np.broadcast_shapes(v.shape, shape) != shape for v in inputs):
        raise NotUnderstood("a maximum that makes a larger array")
    return Curve(curve.of, curves.applied("relu", curve.polynomial))


def _mean(state: State, node: Attributes, inputs: list[Any]) -> Any:
    return _over_axes(state, node, inputs, is_sum=False)


def _total(state: State, node: Attributes, inputs: list[Any]) -> Any:
    return _over_axes(state, node, inputs, is_sum=True)


def _over_axes(state: State, node: Attributes, inputs: list[Any], is_sum: bool) -> Any:
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
    return attention.pooled(resolved(value, state.exactness), axis, bool(node.attribute("keepdims", 1)))


def _layer_norm(state: State, node: Attributes, inputs: list[Any]) -> Any:
    return _norm(state, node, inputs, "layer")


def _rms_norm(state: State, node: Attributes, inputs: list[Any]) -> Any:
    return _norm(state, node, inputs, "rms")


def _norm(state: State, node: Attributes, inputs: list[Any], kind: Any) -> Any:
    if not isinstance(inputs[0], Tokenwise | Curve):
        raise NotUnderstood("a norm of something that is no array of numbers of tokens")
    value = resolved(inputs[0], state.exactness).settled(state.exactness)
    if node.attribute("axis", -1) not in (-1, value.codes.ndim - 1):
        raise NotUnderstood("a norm over more than the last axis")
    epsilon = Fraction(np.float64(node.attribute("epsilon", np.float32("1e-5"))))
    if epsilon <= 0:
        raise NotUnderstood("a norm whose epsilon is not above 0")
    gain, bias = (None if one is None else np.broadcast_to(np.asarray(one, np.float64).ravel(), value.shape[-1:])
                  for one in [*inputs[1:], None, None][:2])
    return arithmetic.normed(value, kind, epsilon, gain, bias)


def _softmax(state: State, node: Attributes, inputs: list[Any]) -> Any:
    if not isinstance(inputs[0], Scores) or node.attribute("axis", -1) not in (-1, len(inputs[0].shape) - 1):
        raise NotUnderstood("a softmax of something that is no scores of queries and keys, over keys")
    weights = attention.softmax(inputs[0], state.exactness)
    state.softmaxes.append(weights)
    return weights


def _matmul(state: State, _: Attributes, inputs: list[Any]) -> Any:
    return matmul(state, inputs[0], inputs[1])


def matmul(state: State, x: Any, y: Any) -> Any:
    """x @ y."""
    x, y = (resolved(one, state.exactness) if isinstance(one, Curve) else one for one in (x, y))
    if isinstance(x, Tokenwise) and isinstance(y, np.ndarray) and y.ndim >= 2:
        return attention.times_constant(x, np.asarray(y, np.float64), state.exactness)
    if isinstance(x, np.ndarray) and isinstance(y, Tokenwise) and x.ndim >= 2:
        made = attention.times_constant(y.moved(_turned), np.asarray(np.swapaxes(x, -1, -2), np.float64),
                                        state.exactness)
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


def _gemm(state: State, node: Attributes, inputs: list[Any]) -> Any:
    def side(value: Any, turned: bool) -> Any:
        if not turned:
            return value
        return np.swapaxes(value, -1, -2) if isinstance(value, np.ndarray) else value.moved(_turned)

    product = matmul(state, side(inputs[0], node.attribute("transA", 0)), side(inputs[1], node.attribute("transB", 0)))
    alpha, beta = (np.asarray(node.attribute(name, 1), np.float64) for name in ("alpha", "beta"))
    product = product if alpha == 1 else arithmetic.multiply(product, alpha, state.exactness)
    if len(inputs) < 3 or inputs[2] is None:
        return product
    added = inputs[2] if beta == 1 else arithmetic.multiply(inputs[2], beta, state.exactness)
    return arithmetic.add(product, added, 1, state.count, state.exactness)


def _einsum(state: State, node: Attributes, inputs: list[Any]) -> Any:
    """Of two arrays: as a product of matrices, with the axes put in order before and after."""
    equation = node.attribute("equation", b"").decode("ascii", "replace").replace(" ", "")
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
            return moved_scores(value, lambda array: [move(array)])
        return move(value) if isinstance(value, np.ndarray) else value.moved(move)

    made = matmul(state, arranged(x, names[0], [batch, left, inner]), arranged(y, names[1], [batch, inner, right]))
    order = [*batch, *left, *right]

    def back(array: Any) -> Any:
        return np.transpose(array.reshape([sizes.get(c, 1) for c in order]), [order.index(c) for c in out])
    return moved_scores(made, lambda array: [back(array)]) if isinstance(made, Scores) else made.moved(back)


def _concat(state: State, node: Attributes, inputs: list[Any]) -> Any:
    if any(isinstance(value, Tokens) for value in inputs):
        raise NotUnderstood("tokens joined with others")
    example = next(value for value in inputs if not isinstance(value, np.ndarray))
    of = example.parts[0][0] if isinstance(example, Modulated) else getattr(example, "of", example)
    if not isinstance(of, Tokenwise):
        raise NotUnderstood("joined values of this kind")
    return arithmetic.joined(inputs, node.attribute("axis", 0) % of.codes.ndim, state.count, state.exactness)


def _where(_: State, __: Attributes, inputs: list[Any]) -> Any:
    choice, one, other = inputs
    if isinstance(choice, np.ndarray):
        for scores, rest, seen in ((one, other, choice), (other, one, ~choice)):
            if isinstance(scores, Scores) and isinstance(rest, np.ndarray) and (rest <= attention.MASKED).all():
                return replace(scores, mask=np.where(seen, scores.mask, -np.inf))
    raise NotUnderstood("a choice that is no mask of scores")


def _triangle(_: State, node: Attributes, inputs: list[Any]) -> Any:
    """Scores of later keys replaced by 0."""
    if not isinstance(inputs[0], Scores) or node.attribute("upper", 1) or (
            len(inputs) > 1 and inputs[1] is not None and inputs[1].any()):
        raise NotUnderstood("a triangle of something else than scores, or another one than the lower")
    return arithmetic.hidden(inputs[0], ~np.tri(inputs[0].shape[-1], dtype=bool))


def _argmax(state: State, node: Attributes, inputs: list[Any]) -> Any:
    value = resolved(inputs[0], state.exactness) if isinstance(inputs[0], Tokenwise | Curve) else None
    if value is None or node.attribute("axis", 0) not in (-1, value.codes.ndim - 1):
        raise NotUnderstood("an argmax that is not over the logits of tokens")
    state.argmaxes.add(node.output)
    return value


def _one_hot(state: State, node: Attributes, inputs: list[Any]) -> Any:
    if not isinstance(inputs[0], Tokens) or node.attribute("axis", -1) != -1 or not np.array_equal(inputs[2], [0, 1]):
        raise NotUnderstood("a one-hot vector of something else than tokens")
    depth = int(np.asarray(inputs[1]).ravel()[0])
    if not 0 < depth <= MAX_ELEMENTS >> 10:
        raise NotUnderstood("a one-hot vector of so many tokens")
    return state.looked_up(np.eye(depth), inputs[0])


def _shape(_: State, node: Attributes, inputs: list[Any]) -> Any:
    """A constant, as the number of tokens is one here."""
    value = inputs[0].parts[0][0] if isinstance(inputs[0], Modulated) else getattr(inputs[0], "of", inputs[0])
    shape = value.codes.shape if isinstance(value, Tokens | Tokenwise) else (
        value.shape if isinstance(value, Scores) else value.scores.shape if isinstance(value, Weights) else None)
    if shape is None:
        raise NotUnderstood("the shape of this kind of value")
    return np.array(shape[node.attribute("start", 0) : node.attribute("end", None)], np.int64)


HANDLERS: Mapping[str, Callable[[State, Attributes, list[Any]], Any]] = {
    "Add": _add, "Sub": _subtract, "Mul": _multiply, "Div": _divide, "Neg": _negate, "Pow": _power, "Sqrt": _root,
    "Reciprocal": _reciprocal, "Erf": _function("erf"), "Tanh": _function("tanh"), "Sigmoid": _function("sigmoid"),
    "Relu": _function("relu"), "Gelu": _gelu, "Swish": _swish, "Max": _maximum, "ReduceMean": _mean,
    "ReduceSum": _total,
    "LayerNormalization": _layer_norm, "RMSNormalization": _rms_norm, "Softmax": _softmax, "MatMul": _matmul,
    "Gemm": _gemm, "Einsum": _einsum, "Concat": _concat, "Where": _where, "Trilu": _triangle,
    "Shape": _shape, "ArgMax": _argmax, "OneHot": _one_hot}
