"""The operations of a graph on values that depend on tokens, each a function of its inputs."""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from constructions.importing.graph import arithmetic, attention, curves, reductions, rotated_norms, whole_attention
from constructions.importing.graph.affine_forms import NotUnderstood
from constructions.importing.graph.curves import Curve, as_curve, resolved
from constructions.importing.graph.operators import Attributes, axis_in
from constructions.importing.graph.state import MAX_ELEMENTS, State, as_scores, rearranged, weights_as_scores
from constructions.importing.graph.token_cases import weights_of
from constructions.importing.graph.values import (
    AttentionWeights,
    Centred,
    CentredSquare,
    Ending,
    MeanSquare,
    Modulated,
    ScoreArray,
    Tokens,
    Tokenwise,
    Whole,
    shape_of,
    what,
)
from constructions.text import printable

FLATTENED_BEFORE = 13
"""Before this definition Softmax treats its array as a matrix."""
Handler = Callable[..., Any]
"""A function of the state, the node's attributes, and its inputs."""

# -- arithmetic --------------------------------------------------------------------------------------------------------


def _add(state: State, _: Attributes, x: Any, y: Any) -> Any:
    masked = [isinstance(one, np.ndarray) and bool((one <= attention.MASKED).any()) for one in (x, y)]
    if any(masked):
        x, y = (one if hides else as_scores(state, one)
                for one, hides in zip((x, y), masked, strict=True))
    return arithmetic.add(state, x, y)


def _multiply(state: State, _: Attributes, x: Any, y: Any) -> Any:
    turned = rotated_norms.product(x, y, state)
    return turned if turned is not None else arithmetic.multiply(state, x, y)


def _divide(state: State, _: Attributes, x: Any, y: Any) -> Any:
    inverse = curves.to_power(y, Fraction(-1)) if isinstance(y, MeanSquare) and y.power == curves.HALF else None
    turned = rotated_norms.product(x, inverse, state)
    return turned if turned is not None else arithmetic.divide(state, x, y)


def _power(state: State, _: Attributes, value: Any, power: Any) -> Any:
    keeps = isinstance(power, np.ndarray) and arithmetic.keeps(power, value)
    number = arithmetic.number_in(power) if keeps else None
    if isinstance(value, MeanSquare) and number is not None:
        return curves.to_power(value, number)
    if isinstance(value, Centred) and value.gain is None and number == 2:
        return CentredSquare(value.of)
    if number == 2 and (turned := rotated_norms.product(value, value, state)) is not None:
        return turned
    if isinstance(value, Tokenwise | Curve) and number in (2, 3):
        curve = as_curve(value)
        square = curves.times(curve.polynomial, curve.polynomial)
        return Curve(curve.of, square if number == 2 else curves.times(square, curve.polynomial))
    raise NotUnderstood("a power that is neither a square nor a cube")


def _of_squares(power: Fraction, name: str) -> Handler:
    def handler(_: State, __: Attributes, value: Any) -> Any:
        if not isinstance(value, MeanSquare):
            raise NotUnderstood(f"{name} of something other than a mean of squares")
        return curves.to_power(value, power)
    return handler


# -- functions of one number -------------------------------------------------------------------------------------------


def _curve_of(value: Any, name: str) -> Curve:
    if not isinstance(value, Tokenwise | Curve):
        raise NotUnderstood(f"{name} of something other than an array of numbers of tokens")
    return as_curve(value)


def _function(name: curves.Name) -> Handler:
    def handler(state: State, _: Attributes, value: Any) -> Any:
        if isinstance(value, ScoreArray):
            if name == "tanh":
                return value.capped()
            raise NotUnderstood(f"{name} of scores before their softmax, expected tanh (a cap)")
        curve = _curve_of(value, name)
        curve = curves.linear(curve, state.exactness) if name == "relu" else curve
        return Curve(curve.of, curves.applied(name, curve.polynomial))
    return handler


def _gelu(_: State, node: Attributes, value: Any) -> Any:
    curve, x = _curve_of(value, "GELU"), curves.Polynomial({(1, None): Fraction(1)})
    if curve.polynomial != x:
        raise NotUnderstood("GELU of a multiple")
    if node.attribute("approximate") not in (b"none", b"tanh"):
        raise NotUnderstood("GELU by another formula than those of erf and tanh")
    if node.attribute("approximate") == b"tanh":
        inner = curves.plus({(1, None): curves.ROOT_2_PI}, {(3, None): curves.ROOT_2_PI * Fraction(44715, 10**6)})
        function = curves.applied("tanh", inner)
    else:
        function = curves.applied("erf", {(1, None): Fraction(math.sqrt(1 / 2))})
    half = curves.constant(Fraction(1, 2))
    return Curve(curve.of, curves.times(x, curves.plus(half, curves.times(half, function))))


def _swish(_: State, node: Attributes, value: Any) -> Any:
    curve, alpha = _curve_of(value, "Swish"), Fraction(np.float64(node.attribute("alpha")))
    inner = curves.times(curves.constant(alpha), curve.polynomial)
    return Curve(curve.of, curves.times(curve.polynomial, curves.applied("sigmoid", inner)))


# -- norms and softmaxes -----------------------------------------------------------------------------------------------


def _norm(kind: Literal["layer", "rms"]) -> Handler:
    def handler(state: State, node: Attributes, value: Any, gain: Any = None, bias: Any = None) -> Any:
        epsilon, axis = Fraction(np.float64(node.attribute("epsilon"))), node.attribute("axis")
        if any(not isinstance(one, np.ndarray | None) for one in (gain, bias)):
            raise NotUnderstood("a norm whose gain or bias depends on tokens")
        if kind == "rms" and axis == -1 and epsilon > 0 and (
                turned := rotated_norms.normed(value, epsilon, gain, state)) is not None:
            return turned
        if not isinstance(value, Tokenwise | Curve):
            raise NotUnderstood(f"a norm of {what(value)}, expected numbers of tokens")
        whole = resolved(value, state.exactness).settled(state.exactness)
        if axis not in (-1, whole.codes.ndim - 1):
            raise NotUnderstood("a norm over more than the last axis")
        if epsilon <= 0:
            raise NotUnderstood("a norm whose epsilon is not above 0")
        gain, bias = (None if one is None else np.broadcast_to(
            arithmetic.finite(one).reshape(one.shape[-1:]), whole.shape[-1:]) for one in (gain, bias))
        return curves.normed(whole, kind, epsilon, gain, bias)
    return handler


def _softmax(state: State, node: Attributes, value: Any) -> Any:
    value = resolved(value, state.exactness) if isinstance(value, Curve) else value
    scores = as_scores(state, value)
    if isinstance(scores, Tokenwise) and _fits_logits(scores, _axis_of_softmax(node, scores.shape)):
        return Ending(scores, "a softmax")
    if not isinstance(scores, ScoreArray) or _axis_of_softmax(node, scores.shape) != len(scores.shape) - 1:
        raise NotUnderstood("a softmax of something other than scores of queries and keys, over keys")
    return weights_of(state, scores)


def _axis_of_softmax(node: Attributes, shape: tuple[int, ...]) -> int:
    """Return the axis over which weights add up to 1: before opset 13 all axes from the given one on, flattened."""
    axis = axis_in(node.attribute("axis"), len(shape))
    return axis if node.version >= FLATTENED_BEFORE or math.prod(shape[axis:-1]) > 1 else len(shape) - 1


# -- products of matrices ----------------------------------------------------------------------------------------------


def matmul(state: State, x: Any, y: Any) -> Any:
    """Return x @ y."""
    x, y = (resolved(one, state.exactness) if isinstance(one, Curve) else one for one in (x, y))
    if isinstance(x, Tokenwise) and isinstance(y, np.ndarray) and y.ndim >= 2:
        return attention.times_constant(x, np.asarray(y, np.float64), state.exactness)
    if isinstance(x, np.ndarray) and isinstance(y, Tokenwise) and x.ndim >= 2 and _mixes(x, y):
        scores = weights_as_scores(x)
        if scores is None:
            raise NotUnderstood("tokens mixed by constants, expected weights of attention: rows that add up to 1")
        state.assume("constant weights whose rows add up to 1 within 2^-20 are the softmax of their logarithms")
        x = attention.softmax(state, scores)
    if isinstance(x, np.ndarray) and isinstance(y, Tokenwise) and x.ndim >= 2:
        made = attention.times_constant(y.moved(_turned), np.asarray(_turned(x), np.float64), state.exactness)
        return made.moved(_turned)
    if isinstance(x, AttentionWeights) and isinstance(y, Tokenwise):
        return attention.averages(x, y, state.attentions)
    if isinstance(x, Tokenwise | Modulated) and isinstance(y, Tokenwise | Modulated):
        return attention.scores_of(x, rearranged(y, _turned))
    raise NotUnderstood("a product of matrices that is neither a linear map of each token nor attention")


def _mixes(x: Any, y: Tokenwise) -> bool:
    """Return whether a product of constants and numbers of tokens sums over all tokens, for as many results."""
    places = y.positions
    return y.codes.ndim > 1 and x.shape[-1] == x.shape[-2] == y.shape[-2] > 1 and bool(
        (places != places[..., :1, :]).any())


def _turned(array: Any) -> Any:
    return np.swapaxes(array, -1, -2)


def _gemm(state: State, node: Attributes, x: Any, y: Any, added: Any = None) -> Any:
    x, y = (one if not node.attribute(name) else _turned(one) if isinstance(one, np.ndarray) else one.moved(_turned)
            for one, name in ((x, "transA"), (y, "transB")))
    product = matmul(state, x, y)
    alpha, beta = (np.asarray(node.attribute(name), np.float64) for name in ("alpha", "beta"))
    product = product if alpha == 1 else arithmetic.multiply(state, product, alpha)
    if added is None:
        return product
    return arithmetic.add(state, product, added if beta == 1 else arithmetic.multiply(state, added, beta))


def _einsum(state: State, node: Attributes, *inputs: Any) -> Any:
    """Translate an einsum of two arrays to a matrix product, with permuted axes before and after."""
    equation = node.attribute("equation").decode("ascii", "replace").replace(" ", "")
    sides, _, out = equation.partition("->")
    names = sides.split(",")
    if len(inputs) != 2 or len(names) != 2 or not out or "." in equation or any(
            len({*n}) < len(n) for n in (*names, out)):
        raise NotUnderstood(f"the equation {printable(equation)[:60]}")
    x, y = (resolved(one, state.exactness) if isinstance(one, Curve) else one for one in inputs)
    if isinstance(y, AttentionWeights):
        x, y, names = y, x, names[::-1]
    both = [c for c in names[0] if c in names[1]]
    batch, inner = [c for c in both if c in out], [c for c in both if c not in out]
    left, right = ([c for c in name if c not in both] for name in names)
    if {*out} != {*batch, *left, *right}:
        raise NotUnderstood(f"the equation {printable(equation)[:60]}")
    shapes = [shape_of(value) or () for value in (x, y)
              if isinstance(value, AttentionWeights | ScoreArray | Tokenwise | Modulated | np.ndarray)]
    if len(shapes) < 2:
        raise NotUnderstood("an equation of other values than arrays of numbers of tokens, constants and weights")
    sizes = {c: size for name, shape in zip(names, shapes, strict=True) for c, size in zip(name, shape, strict=True)
             if size != 1}

    def arranged(value: Any, name: str, groups: list[list[str]]) -> Any:
        axes = [name.index(c) for group in groups for c in group]
        shape = [*(sizes.get(c, 1) for c in groups[0]), *(math.prod(sizes.get(c, 1) for c in g) for g in groups[1:])]
        return rearranged(value, lambda array: np.transpose(array, axes).reshape(shape))

    made = matmul(state, arranged(x, names[0], [batch, left, inner]), arranged(y, names[1], [batch, inner, right]))
    order = [*batch, *left, *right]
    return rearranged(made, lambda array: np.transpose(array.reshape([sizes.get(c, 1) for c in order]), [
        order.index(c) for c in out]))


def _convolution(state: State, node: Attributes, value: Any, kernel: Any, bias: Any = None) -> Any:
    """Return a convolution of single tokens as a linear map."""
    plain = all(node.attribute(name) in (default, [one], [one, one]) for name, default, one in (
        ("group", 1, 1), ("strides", None, 1), ("pads", None, 0)))
    if not isinstance(kernel, np.ndarray) or kernel.ndim != 3 or kernel.shape[-1] != 1 or not plain:
        raise NotUnderstood("a convolution of several tokens or in groups, expected one of single tokens (kernel 1)")
    made = matmul(state, np.asarray(kernel[:, :, 0], np.float64), value)
    return made if bias is None else arithmetic.add(state, made, bias[:, np.newaxis])


# -- elements chosen ---------------------------------------------------------------------------------------------------


def _concat(state: State, node: Attributes, *inputs: Any) -> Any:
    if any(isinstance(value, Tokens) for value in inputs):
        raise NotUnderstood("tokens concatenated with other values")
    example = next(value for value in inputs if not isinstance(value, np.ndarray))
    if not isinstance(example, Tokenwise | Curve | Modulated):
        raise NotUnderstood("a concatenation of values of this kind")
    return arithmetic.joined(state, inputs, axis_in(node.attribute("axis"), len(shape_of(example) or ())))


def _where(state: State, _: Attributes, choice: Any, *both: Any) -> Any:
    if isinstance(choice, np.ndarray) and choice.size and choice.all() == choice.any():
        kept, left = both if choice.all() else both[::-1]
        shapes = [shape_of(one) for one in (kept, left, choice)]
        if not isinstance(kept, np.ndarray) and None not in shapes and np.broadcast_shapes(
                *(shape for shape in shapes if shape is not None)) == shapes[0]:
            return kept
    one, other = (as_scores(state, value) if isinstance(value, Tokenwise) else value
                  for value in both)
    if isinstance(choice, np.ndarray):
        for scores, rest, filled in ((one, other, ~choice), (other, one, choice)):
            if isinstance(scores, ScoreArray) and isinstance(rest, np.ndarray):
                return scores.filled(filled, np.asarray(rest, np.float64))
    raise NotUnderstood("a choice that is not a mask of scores")


def _is_nan(_: State, __: Attributes, value: Any) -> Any:
    """Return a condition that is false: each token sees a key, or its softmax was refused."""
    if not isinstance(value, AttentionWeights):
        raise NotUnderstood(f"whether {what(value)} are NaN, expected weights of attention")
    return np.zeros(value.scores.shape, bool)


def _is_hidden(_: State, __: Attributes, scores: Any, number: Any) -> Any:
    """Return where scores are -infinity: where their mask is."""
    if not isinstance(scores, ScoreArray) or not isinstance(number, np.ndarray) or number.size != 1 or (
            number.item() != -np.inf or len(scores.masks) > 1):
        raise NotUnderstood("a comparison of values that depend on tokens")
    return np.array(np.broadcast_to(scores.masks[0].numbers == -np.inf, scores.shape))


def _triangle(_: State, node: Attributes, scores: Any, diagonal: Any = None) -> Any:
    """Return scores with those of later keys replaced by 0."""
    if not isinstance(scores, ScoreArray) or node.attribute("upper") or (diagonal is not None and diagonal.any()):
        raise NotUnderstood("a triangle of something other than scores, or the upper one")
    return scores.filled(~np.tri(scores.shape[-1], dtype=bool), np.zeros(()))


def _rows_of_table(state: State, node: Attributes, table: Any, tokens: Any) -> Any:
    """Return rows by tokens, by GatherND."""
    if not isinstance(table, np.ndarray) or not isinstance(tokens, Tokens) or tokens.codes.shape[-1:] != (1,) or (
            node.attribute("batch_dims")):
        raise NotUnderstood("elements at indices that depend on tokens, expected rows of a table")
    return state.looked_up(table, Tokens(tokens.codes[..., 0]))


def _one_hot(state: State, node: Attributes, tokens: Any, depth: Any, values: Any) -> Any:
    """Return a one-hot vector for each token: rows of the identity."""
    if not isinstance(tokens, Tokens) or node.attribute("axis") != -1 or not np.array_equal(values, [0, 1]):
        raise NotUnderstood("a one-hot vector of something other than tokens")
    if depth.size != 1 or not 0 < depth.item() <= MAX_ELEMENTS >> 10 or depth.item() != int(depth.item()):
        raise NotUnderstood("a one-hot vector of so many tokens")
    made = state.looked_up(np.eye(int(depth.item())), tokens)
    return made if values.dtype.kind == "f" else Whole(made)


def _shape(_: State, node: Attributes, value: Any) -> Any:
    """Return the shape as a constant, as the number of tokens is fixed here."""
    if (shape := shape_of(value)) is None:
        raise NotUnderstood("the shape of this kind of value")
    return np.array(shape[node.attribute("start") : node.attribute("end")], np.int64)


# -- after the logits --------------------------------------------------------------------------------------------------


def _ending(how: str) -> Handler:
    """Return the handler of an operation after the logits; each row must be one token's."""
    def handler(state: State, node: Attributes, value: Any) -> Ending:
        value = resolved(value, state.exactness) if isinstance(value, Curve) else value
        value = value.logits if isinstance(value, Ending) and how == "an argmax" else value
        if isinstance(value, Tokenwise):
            axis = _axis_of_softmax(node, value.shape) if "softmax" in how else axis_in(node.attribute("axis"),
                                                                                        value.codes.ndim)
            if _fits_logits(value, axis):
                return Ending(value, how)
        raise NotUnderstood(f"{how} that is not over the logits of tokens")
    return handler


def _fits_logits(value: Tokenwise, axis: int) -> bool:
    return axis == value.codes.ndim - 1 and value.shape[-1] > 1 and not (
        value.positions != value.positions[..., :1]).any()


HANDLERS: Mapping[str, Handler] = {
    "Add": _add, "Sub": lambda state, _, x, y: arithmetic.add(state, x, y, -1), "Mul": _multiply, "Div": _divide,
    "Neg": lambda _, __, x: arithmetic.negated(x), "Pow": _power, "Sqrt": _of_squares(curves.HALF, "a root"),
    "Reciprocal": _of_squares(Fraction(-1), "the reciprocal"), "Erf": _function("erf"), "Tanh": _function("tanh"),
    "Sigmoid": _function("sigmoid"), "Relu": _function("relu"), "Gelu": _gelu, "Swish": _swish,
    **reductions.HANDLERS, "GatherND": _rows_of_table, "OneHot": _one_hot, "Conv": _convolution, "Equal": _is_hidden,
    "LayerNormalization": _norm("layer"), "RMSNormalization": _norm("rms"), "Softmax": _softmax,
    "MatMul": lambda state, _, x, y: matmul(state, x, y), "Gemm": _gemm, "Einsum": _einsum, "Concat": _concat,
    "Where": _where, "Trilu": _triangle, "Shape": _shape, "ArgMax": _ending("an argmax"),
    "LogSoftmax": _ending("the logarithm of a softmax"), "IsNaN": _is_nan,
    "Attention": whole_attention.attend, "RotaryEmbedding": whole_attention.rotate}
