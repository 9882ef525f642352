"""Sums and means over axes, and piecewise linear functions: minima, maxima, bounds, absolute values."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from constructions.importing.graph import arithmetic, attention, curves
from constructions.importing.graph.affine_forms import NotUnderstood
from constructions.importing.graph.curves import Curve, as_curve, resolved
from constructions.importing.graph.operators import Attributes, axes_in
from constructions.importing.graph.rotated_norms import TurnedSquare
from constructions.importing.graph.state import State
from constructions.importing.graph.values import ArrayMean, MeanSquare, Tokenwise, what

SUM = "a sum over all tokens is their mean times the number of tokens of the graph, on inputs of other lengths, too"
NO_BOUND = 10**38
"""A greatest number of a format as a bound means no bound."""


def _over_axes(state: State, node: Attributes, value: Any, given: Any = None, is_sum: bool = True) -> Any:
    """Reduce by ReduceSum or ReduceMean."""
    keep = bool(node.attribute("keepdims"))
    of = value.turn.of if isinstance(value, TurnedSquare) else (
        value if isinstance(value, Tokenwise) else getattr(value, "of", None))
    if not isinstance(of, Tokenwise):
        raise NotUnderstood(f"a mean or sum of {what(value)}")
    axes = axes_in(node, given, of.codes.ndim)
    if len(axes) != 1:
        raise NotUnderstood(f"a mean or sum of {what(value)} over {len(axes)} axes, expected one")
    (axis,) = axes
    count, is_last = Fraction(of.shape[axis]), axis == of.codes.ndim - 1
    factor = count if is_sum else Fraction(1)
    if isinstance(value, TurnedSquare) and keep and is_last:  # rotations keep lengths
        return MeanSquare(value.turn.of, False, factor * value.value.factor**2)
    if is_last and (square := curves.mean_square(value, factor)) is not None:
        if not keep:
            raise NotUnderstood("a mean or sum that drops its axis")
        return square
    if is_last and isinstance(value, Tokenwise) and keep and not is_sum:
        return ArrayMean(value)
    if not isinstance(value, Tokenwise | Curve):
        raise NotUnderstood(f"a mean or sum of {what(value)}")
    whole = resolved(value, state.exactness)
    if (whole.positions == np.take(whole.positions, [0], axis)).all():
        return curves.summed(whole, axis, keep, factor / count, state.exactness)
    made = attention.pooled(whole, axis, keep)
    state.pooled = True
    if is_sum:
        state.assume(SUM)
    return replace(made, factor=made.factor * factor)


def _squares(state: State, node: Attributes, value: Any, given: Any = None) -> Any:
    """Reduce by ReduceSumSquare."""
    if not isinstance(value, Tokenwise | Curve):
        raise NotUnderstood(f"a sum of squares of {what(value)}")
    curve = as_curve(resolved(value, state.exactness))
    return _over_axes(state, node, Curve(curve.of, curves.times(curve.polynomial, curve.polynomial)), given)


# -- linear in pieces --------------------------------------------------------------------------------------------------


def _rectified(state: State, value: Any) -> Curve:
    """Return max(value, 0)."""
    if not isinstance(value, Tokenwise | Curve):
        raise NotUnderstood(f"a bound of {what(value)}")
    curve = curves.linear(value, state.exactness)
    return Curve(curve.of, curves.applied("relu", curve.polynomial))


def _at_least(state: State, value: Any, bound: Any) -> Any:
    """Return max(value, bound) = bound + max(value - bound, 0)."""
    if isinstance(value, np.ndarray):
        value, bound = bound, value
    if isinstance(bound, np.ndarray) and not bound.any():
        made = _rectified(state, value)
        if np.broadcast_shapes(bound.shape, made.of.shape) != made.of.shape:
            raise NotUnderstood("a maximum with a larger array")
        return made
    return arithmetic.add(state, _above(state, value, bound), bound)


def _above(state: State, value: Any, bound: Any) -> Curve:
    """Return max(value - bound, 0); a factor of the value stays outside, so that differently scaled bounds share it."""
    value = resolved(value, state.exactness) if isinstance(value, Curve) else value
    number = arithmetic.number_in(bound) if isinstance(bound, np.ndarray) else None
    if not isinstance(value, Tokenwise) or number is None or not value.factor:
        return _rectified(state, arithmetic.add(state, value, bound, -1))
    shift = np.float64(number / value.factor)
    state.exactness.note(Fraction(shift) == number / value.factor)
    moved = arithmetic.add(state, replace(value, factor=Fraction(1)), np.full_like(bound, shift, np.float64), -1)
    return _rectified(state, replace(moved, factor=value.factor))


def _at_most(state: State, value: Any, bound: Any) -> Any:
    """Return the minimum: the maximum of the negatives, negated."""
    return arithmetic.negated(_at_least(state, arithmetic.negated(value), arithmetic.negated(bound)))


def _of_two(function: Callable[[State, Any, Any], Any]) -> Callable[..., Any]:
    def handler(state: State, _: Attributes, *inputs: Any) -> Any:
        if len(inputs) != 2:
            raise NotUnderstood(f"a maximum or minimum of {len(inputs)} values, expected two")
        return function(state, *inputs)
    return handler


def _clip(state: State, node: Attributes, value: Any, *bounds: Any) -> Any:
    """Return low + max(x - low, 0) - max(x - high, 0)."""
    given = (node.attribute(name) if one is None else one
             for name, one in zip(("min", "max"), [*bounds, None, None], strict=False))
    numbers = [None if one is None else np.asarray(one, np.float64).item() for one in given]
    if any(number is not None and np.isnan(number) for number in numbers):
        raise NotUnderstood("a bound that is not a number")
    low, high = (None if number is None or sign * number >= NO_BOUND else np.asarray(number)
                 for number, sign in zip(numbers, (-1, 1), strict=True))
    if low is not None and high is not None and low > high:
        raise NotUnderstood("a lower bound above the upper bound")
    if low is None:
        return value if high is None else _at_most(state, value, high)
    lower = _at_least(state, value, low)
    return lower if high is None else arithmetic.add(state, lower, _above(state, value, high), -1)


def _leaky(state: State, value: Any, below: Fraction) -> Curve:
    """Return max(x, 0) - below * max(-x, 0)."""
    if not isinstance(value, Tokenwise | Curve):
        raise NotUnderstood(f"the absolute value of {what(value)}")
    curve = curves.linear(value, state.exactness)
    other = curves.times(curves.constant(-below), curves.applied("relu", curve.times(Fraction(-1)).polynomial))
    return Curve(curve.of, curves.plus(curves.applied("relu", curve.polynomial), other))


HANDLERS: Mapping[str, Callable[..., Any]] = {
    "Max": _of_two(_at_least), "Min": _of_two(_at_most), "Clip": _clip,
    "Abs": lambda state, _, value: _leaky(state, value, Fraction(-1)),
    "LeakyRelu": lambda state, node, value: _leaky(state, value, Fraction(np.float64(node.attribute("alpha")))),
    "ReduceSum": _over_axes, "ReduceMean": partial(_over_axes, is_sum=False),
    "ReduceL2": lambda *inputs: curves.to_power(_squares(*inputs), curves.HALF), "ReduceSumSquare": _squares}
