"""Sums and means of what flows along the edges of a graph, and the norms that are made of them."""

from dataclasses import replace
from fractions import Fraction
from math import isqrt, sqrt
from typing import Any, Literal

import numpy as np

from constructions.importing.graph.attention import times_constant
from constructions.importing.graph.curves import Curve, resolved
from constructions.importing.graph.forms import Array, Exactness, Flat, NormBase, NotUnderstood, beside
from constructions.importing.graph.values import Centred, CentredSquare, Mean, MeanSquare, Tokenwise, grouped, placed

HALF = Fraction(1, 2)


def is_square(value: Any) -> bool:
    """Whether it is a square, whose mean over the last axis a norm may need."""
    return isinstance(value, CentredSquare) or (isinstance(value, Curve) and value.polynomial.keys() == {(2, None)})


def summed(value: Tokenwise, axis: int, keep: bool, factor: Fraction, exactness: Exactness) -> Tokenwise:
    """The sum over an axis that is not that of tokens, times a factor."""
    last = value.moved(lambda codes: np.moveaxis(codes, axis, -1))
    made = times_constant(last, np.ones((last.shape[-1], 1)), exactness).moved(lambda codes: codes[..., 0])
    made = replace(made, factor=made.factor * factor)
    return made.moved(lambda codes: np.expand_dims(codes, axis)) if keep else made


def plain_mean(value: Any, exactness: Exactness) -> Any:
    """A mean that is not taken away from its numbers is a sum like any other."""
    if not isinstance(value, Mean):
        return value
    count = value.of.shape[-1]
    return summed(value.of, value.of.codes.ndim - 1, True, Fraction(1, count), exactness)


def plain_centred(value: Centred, exactness: Exactness) -> Tokenwise:
    """Numbers less their mean that no root divides: a linear map of them, rounded unless their number is 2^k."""
    size = value.of.shape[-1]
    exactness.note(size & (size - 1) == 0)
    return times_constant(value.of, np.eye(size) - np.float64(1 / size), exactness)


def mean(value: Any, factor: Fraction = Fraction(1)) -> Mean | MeanSquare:
    """The mean over the last axis, times a factor (their number, for sums)."""
    if isinstance(value, CentredSquare):
        return MeanSquare(value.of, True, factor)
    if isinstance(value, Curve) and value.polynomial.keys() == {(2, None)}:
        return MeanSquare(value.of, False, factor * value.polynomial[2, None])
    if isinstance(value, Tokenwise) and factor == 1:
        return Mean(value)
    raise NotUnderstood("a mean or sum of what is neither an array of numbers of tokens nor its square")


def to_power(value: MeanSquare, exponent: Fraction) -> MeanSquare:
    """A power."""
    if value.power * exponent not in (1, HALF, -HALF):
        raise NotUnderstood(f"the power {value.power * exponent} of a mean of squares, expected 1/2 or -1/2")
    return replace(value, power=value.power * exponent)


def over_root(value: Tokenwise | Centred | Curve, squares: MeanSquare, exactness: Exactness) -> Tokenwise:
    """x / sqrt(factor · mean(x²) + epsilon): a norm."""
    of = value.of if isinstance(value, Centred) else resolved(value, exactness)
    if isinstance(value, Centred) != squares.centred or of.ratio_to(squares.of) is None:
        raise NotUnderstood("a quotient by the root of a mean of other squares")
    total = squares.factor * squares.of.factor**2
    if squares.epsilon <= 0:
        raise NotUnderstood("a norm whose epsilon is not above 0")
    roots = isqrt(total.numerator), isqrt(total.denominator)
    root = Fraction(*roots)
    if root * root != total:
        root = Fraction(sqrt(total))
        exactness.note(exact=False)
    made = normed(replace(of, factor=Fraction(1)), "layer" if squares.centred else "rms", squares.epsilon / total,
                  None, None)
    return replace(made, factor=of.factor / root)


def normed(value: Tokenwise, kind: Literal["layer", "rms"], epsilon: Fraction, gain: Array | None,
           bias: Array | None) -> Tokenwise:
    """The norm along the last axis of an array whose factor is 1."""
    positions, groups, rows = grouped(value)
    width = value.shape[-1]
    norms = [NormBase(width, value.flat.columns(row).as_sum(), kind, epsilon, gain, bias) for row in rows]
    flat = beside([Flat({norm: np.eye(width)}, (), width) for norm in norms])
    forms = groups[..., np.newaxis] * width + np.arange(width)
    return placed(flat, np.broadcast_to(positions[..., np.newaxis], forms.shape), forms)
