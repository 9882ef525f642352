"""Sums and means over axes, and functions that are linear in pieces: minima, maxima, bounds, absolute values."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from constructions.importing.graph import arithmetic, attention, curves, norms, turns
from constructions.importing.graph.curves import Curve, as_curve, resolved
from constructions.importing.graph.exact import Exactness
from constructions.importing.graph.forms import NotUnderstood
from constructions.importing.graph.operators import Attributes, axes_in
from constructions.importing.graph.state import State
from constructions.importing.graph.turns import TurnedSquare
from constructions.importing.graph.values import Tokenwise, what

SUM = "a sum over all tokens is their mean times the number of tokens of the graph, on inputs of other lengths, too"
NO_BOUND = 10**38
"""Where a bound is a greatest number of a format, there is none."""


def mean(state: State, node: Attributes, inputs: list[Any]) -> Any:
    """ReduceMean."""
    return _over_axes(state, node, inputs, is_sum=False)


def total(state: State, node: Attributes, inputs: list[Any]) -> Any:
    """ReduceSum."""
    return _over_axes(state, node, inputs, is_sum=True)


def _over_axes(state: State, node: Attributes, inputs: list[Any], is_sum: bool) -> Any:
    value, keep = inputs[0], bool(node.attribute("keepdims"))
    of = value.turn.of if isinstance(value, TurnedSquare) else (
        value if isinstance(value, Tokenwise) else getattr(value, "of", None))
    if not isinstance(of, Tokenwise):
        raise NotUnderstood(f"a mean or sum of {what(value)}")
    axes = axes_in(node, inputs[1] if len(inputs) > 1 else None, of.codes.ndim)
    if len(axes) != 1:
        raise NotUnderstood(f"a mean or sum of {what(value)} over {len(axes)} axes, expected one")
    axis = axes[0]
    count = Fraction(of.shape[axis])
    if isinstance(value, TurnedSquare) and keep and axis == of.codes.ndim - 1:
        return turns.mean(value, count if is_sum else Fraction(1))
    is_square = norms.is_square(value)
    if axis == of.codes.ndim - 1 and (is_square or (isinstance(value, Tokenwise) and keep and not is_sum)):
        if not keep:
            raise NotUnderstood("a mean or sum that drops its axis")
        return norms.mean(value, count if is_sum else Fraction(1))
    if not isinstance(value, Tokenwise | Curve):
        raise NotUnderstood(f"a mean or sum of {what(value)}")
    whole = resolved(value, state.exactness)
    if (whole.positions == np.take(whole.positions, [0], axis)).all():
        return norms.summed(whole, axis, keep, Fraction(1) if is_sum else 1 / count, state.exactness)
    made = attention.pooled(whole, axis, keep)
    state.pooled = True
    if not is_sum:
        return made
    state.assume(SUM)
    return replace(made, factor=made.factor * count)


def root_of_squares(state: State, node: Attributes, inputs: list[Any]) -> Any:
    """ReduceL2: the root of a sum of squares."""
    return norms.to_power(squares(state, node, inputs), Fraction(1, 2))


def squares(state: State, node: Attributes, inputs: list[Any]) -> Any:
    """ReduceSumSquare."""
    value = resolved(inputs[0], state.exactness) if isinstance(inputs[0], Tokenwise | Curve) else None
    if value is None:
        raise NotUnderstood(f"a sum of squares of {what(inputs[0])}")
    curve = as_curve(value)
    return total(state, node, [Curve(curve.of, curves.times(curve.polynomial, curve.polynomial)), *inputs[1:]])


# -- linear in pieces --------------------------------------------------------------------------------------------------


def rectified(value: Any, exactness: Exactness) -> Curve:
    """max(value, 0)."""
    if not isinstance(value, Tokenwise | Curve):
        raise NotUnderstood(f"a bound of {what(value)}")
    curve = curves.linear(value, exactness)
    return Curve(curve.of, curves.applied("relu", curve.polynomial))


def at_least(value: Any, bound: Any, state: State) -> Any:
    """max(value, bound) = bound + max(value - bound, 0)."""
    if isinstance(value, np.ndarray):
        value, bound = bound, value
    if isinstance(bound, np.ndarray) and not bound.any():
        made = rectified(value, state.exactness)
        if np.broadcast_shapes(bound.shape, made.of.shape) != made.of.shape:
            raise NotUnderstood("a maximum that makes a larger array")
        return made
    return arithmetic.add(_above(value, bound, state), bound, 1, state.count, state.exactness)


def _above(value: Any, bound: Any, state: State) -> Curve:
    """max(value - bound, 0), where a factor of the value stays one: what is bounded is read once, and not in scales."""
    value = resolved(value, state.exactness) if isinstance(value, Curve) else value
    number = arithmetic.number_in(bound) if isinstance(bound, np.ndarray) else None
    if not isinstance(value, Tokenwise) or number is None or not value.factor:
        return rectified(arithmetic.add(value, bound, -1, state.count, state.exactness), state.exactness)
    shift = np.float64(number / value.factor)
    state.exactness.note(Fraction(shift) == number / value.factor)
    moved = arithmetic.add(replace(value, factor=Fraction(1)), np.full_like(bound, shift, np.float64), -1, state.count,
                           state.exactness)
    return rectified(replace(moved, factor=value.factor), state.exactness)


def _two(inputs: list[Any]) -> list[Any]:
    if len(inputs) != 2:
        raise NotUnderstood(f"a maximum or minimum of {len(inputs)}, expected two")
    return inputs


def maximum(state: State, _: Attributes, inputs: list[Any]) -> Any:
    """Max."""
    one, other = _two(inputs)
    return at_least(one, other, state)


def minimum(state: State, _: Attributes, inputs: list[Any]) -> Any:
    """Min: the greater one of the negatives, negated."""
    one, other = map(arithmetic.negated, _two(inputs))
    return arithmetic.negated(at_least(one, other, state))


def clip(state: State, node: Attributes, inputs: list[Any]) -> Any:
    """Clip: low + max(x - low, 0) - max(x - high, 0)."""
    value, *bounds = [*inputs, None, None][:3]
    given = (node.attribute(name) if one is None else one for name, one in zip(("min", "max"), bounds, strict=True))
    numbers = [None if one is None else np.asarray(one, np.float64).item() for one in given]
    if any(number is not None and np.isnan(number) for number in numbers):
        raise NotUnderstood("a bound that is no number")
    low, high = (None if number is None or sign * number >= NO_BOUND else np.asarray(number)
                 for number, sign in zip(numbers, (-1, 1), strict=True))
    if low is not None and high is not None and low > high:
        raise NotUnderstood("bounds of which the lower one is greater")
    if low is None:
        return value if high is None else minimum(state, node, [value, high])
    lower = at_least(value, low, state)
    if high is None:
        return lower
    return arithmetic.add(lower, _above(value, high, state), -1, state.count, state.exactness)


def absolute(state: State, _: Attributes, inputs: list[Any]) -> Any:
    """Abs: max(x, 0) + max(-x, 0)."""
    return _leaky(state, inputs[0], Fraction(-1))


def leaky(state: State, node: Attributes, inputs: list[Any]) -> Any:
    """LeakyRelu."""
    return _leaky(state, inputs[0], Fraction(np.float64(node.attribute("alpha"))))


def _leaky(state: State, value: Any, below: Fraction) -> Curve:
    if not isinstance(value, Tokenwise | Curve):
        raise NotUnderstood(f"the absolute value of {what(value)}")
    curve = curves.linear(value, state.exactness)
    minus = {monomial: -number for monomial, number in curve.polynomial.items()}
    other = curves.times(curves.constant(-below), curves.applied("relu", minus))
    return Curve(curve.of, curves.plus(curves.applied("relu", curve.polynomial), other))
