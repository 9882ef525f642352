"""Functions of one number, and norms, both composed of elementary operations.

A function is a polynomial times erf, tanh, the logistic function or relu: ``x * 0.5 * (1 + erf(x / 1.414))`` arrives
node by node and is recognised when another operation uses it. A norm is made of means, roots and quotients.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from constructions.importing.graph.affine_forms import (
    Array,
    Exactness,
    Flat,
    HeadBase,
    HiddenUnits,
    NormBase,
    NotUnderstood,
    UnitBase,
    beside,
)
from constructions.importing.graph.attention import times_constant
from constructions.importing.graph.values import (
    ArrayMean,
    Centred,
    CentredSquare,
    MeanSquare,
    Move,
    Tokenwise,
    grouped,
    placed,
)
from constructions.trained.network import Activation

Name = Literal["erf", "tanh", "sigmoid", "relu"]
Inner = tuple[tuple[int, Fraction], ...]
Monomial = tuple[int, tuple[Name, Inner] | None]
"""A power of x, and one function of a polynomial in x, or None."""
Polynomial = dict[Monomial, Fraction]

NEAR = Fraction(1, 10**6)
"""Relative tolerance of GELU's constants, which may be rounded."""
_ACTIVATIONS: dict[Name, Activation] = {"tanh": "tanh", "sigmoid": "sigmoid", "relu": "relu"}
ROOT_2_PI = Fraction(math.sqrt(2 / math.pi))


@dataclass(eq=False)
class Curve:
    """The function of each element of an array, whose factor is 1."""

    of: Tokenwise
    polynomial: Polynomial
    made: Tokenwise | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        if self.of.factor != 1:
            raise NotUnderstood("a function of a multiple of numbers")

    def each_of(self, move: Move) -> list[Curve]:
        """Return the functions of the arrays made of the elements."""
        return [Curve(one, self.polynomial) for one in self.of.each_of(move)]

    def times(self, factor: Fraction) -> Curve:
        """Return a multiple."""
        return Curve(self.of, {monomial: a * factor for monomial, a in self.polynomial.items() if factor})


def as_curve(value: Tokenwise | Curve) -> Curve:
    """Return an array as the function x, or its multiple."""
    if isinstance(value, Curve):
        return value
    return Curve(Tokenwise(value.flat, value.codes), {(1, None): value.factor})


def linear(value: Tokenwise | Curve, exactness: Exactness) -> Curve:
    """Return the value as a multiple of an array: a nonlinear function becomes hidden units first."""
    if isinstance(value, Curve) and value.polynomial.keys() != {(1, None)}:
        value = resolved(value, exactness)
    return as_curve(value)


def constant(number: Fraction) -> Polynomial:
    """Return a constant."""
    return {(0, None): number} if number else {}


def plus(x: Polynomial, y: Polynomial, sign: int = 1) -> Polynomial:
    """Return the sum, or the difference."""
    total = dict(x)
    for monomial, number in y.items():
        total[monomial] = total.get(monomial, Fraction(0)) + sign * number
    return {monomial: number for monomial, number in total.items() if number}


def times(x: Polynomial, y: Polynomial) -> Polynomial:
    """Return the product."""
    total: Polynomial = {}
    for (i, f), a in x.items():
        for (j, g), b in y.items():
            if f and f == g and f[0] == "relu" and len(f[1]) == 1 and f[1][0][0] == 1:
                total = plus(total, {(i + j + 1, f): a * b * f[1][0][1]})  # relu(cx)² = cx relu(cx)
                continue
            if f and g:
                raise NotUnderstood("a product of two functions of one number, expected at most one")
            total = plus(total, {(i + j, f or g): a * b})
    return total


def applied(name: Name, x: Polynomial) -> Polynomial:
    """Return a function of a polynomial."""
    if any(f for _, f in x):
        raise NotUnderstood(f"{name} of a function that is not linear")
    return {(0, (name, tuple(sorted((power, number) for (power, _), number in x.items())))): Fraction(1)}


@dataclass(frozen=True)
class Piece:
    """factor · activation(inner · x), times x if it is a gate of itself."""

    activation: Activation
    inner: Fraction
    factor: Fraction
    gates: bool = False


def _is_near(x: Fraction, y: Fraction) -> bool:
    return abs(x - y) <= NEAR * abs(y)


def _gelu(rest: Polynomial) -> Piece | None:
    """Return GELU, by erf or by tanh, and remove its two terms from the polynomial; None if absent."""
    for (power, f), b in rest.items():
        a = rest.get((1, None))
        if power != 1 or f is None or a is None or not _is_near(b, a):
            continue
        name, inner = f
        scales = dict(inner)
        slope = scales.get(1, Fraction(0))
        exact = name == "erf" and scales.keys() == {1} and _is_near(slope * slope, Fraction(1, 2)) and slope > 0
        by_tanh = name == "tanh" and scales.keys() == {1, 3} and _is_near(slope, ROOT_2_PI) and _is_near(
            scales[3], slope * Fraction(44715, 10**6))
        if exact or by_tanh:
            del rest[1, f], rest[1, None]
            return Piece("gelu" if exact else "gelu-tanh", Fraction(1), 2 * a)
    return None


def pieces(polynomial: Polynomial) -> tuple[Fraction, Fraction, list[Piece]]:
    """Return the constant, the multiple of x, and multiples of activations whose sum it is."""
    rest = dict(polynomial)
    free = rest.pop((0, None), Fraction(0))
    found = []
    if gelu := _gelu(rest):
        found.append(gelu)
    linear = rest.pop((1, None), Fraction(0))
    for (power, f), number in rest.items():
        if f is None or len(f[1]) != 1 or f[1][0][0] != 1 or f[0] == "erf":
            raise NotUnderstood(f"a function of one number that is not an activation ({_shown(polynomial)})")
        name, ((_, inner),) = f
        if power == 0:
            found.append(Piece(_ACTIVATIONS[name], inner, number))
        elif power == 1 and name == "sigmoid":
            found.append(Piece("silu", inner, number / inner))
        elif power == 1:
            found.append(Piece(_ACTIVATIONS[name], inner, number, gates=True))
        else:
            raise NotUnderstood(f"a function of one number that is not an activation ({_shown(polynomial)})")
    return free, linear, found


def _shown(polynomial: Polynomial) -> str:
    terms = []
    for (power, f), number in list(polynomial.items())[:4]:
        inner = " + ".join(f"{np.float64(c):.4g} x^{k}" for k, c in f[1]) if f else ""
        function = f" {f[0]}({inner})" if f else ""
        terms.append(f"{np.float64(number):.4g}" + (f" x^{power}" if power else "") + function)
    return " + ".join(terms)


def resolved(value: Tokenwise | Curve, exactness: Exactness) -> Tokenwise:
    """Return the array of the curve's numbers: hidden units, if it is not linear."""
    if isinstance(value, Tokenwise):
        return value
    if value.made is None:
        value.made = _made(value, exactness)
    return value.made


def _made(curve: Curve, exactness: Exactness) -> Tokenwise:
    if curve.polynomial.keys() == {(2, None)}:
        return product(curve.of, curve.of, curve.polynomial[2, None])
    free, linear, found = pieces(curve.polynomial)
    if not found and not free:
        return Tokenwise(curve.of.flat, curve.of.codes, linear)
    chosen, places = np.unique(curve.of.forms, return_inverse=True)
    inward = curve.of.flat.columns(chosen)
    total, alone = Flat({}, (), len(chosen)), len(found) == 1 and not free and not linear
    for piece in found:
        inner = _scaled(inward, piece.inner, exactness)
        values = UnitBase(len(chosen), HiddenUnits(piece.activation, inner if piece.gates else None,
                                                   inward if piece.gates else inner)).values()
        total = values if alone else total.plus(values.scaled(piece.factor, exactness), exactness)
    if linear:
        total = total.plus(inward.scaled(linear, exactness), exactness)
    if free:
        total = Flat(total.terms, (*total.constants, np.full((1, len(chosen)), np.float64(free))), len(chosen))
    return placed(total, curve.of.positions, places.reshape(curve.of.shape), found[0].factor if alone else Fraction(1))


def _scaled(flat: Flat, factor: Fraction, exactness: Exactness) -> Flat:
    """Return forms times a number that is not a weight of their own: it belongs to the hidden units that read them."""
    if abs(factor) == 1 or not any(isinstance(base, HeadBase | UnitBase) for base in flat.terms):
        return flat.scaled(factor, exactness)
    return Flat({flat.as_sum(): exactness.scaled(np.eye(flat.size), factor)}, (), flat.size)


def product(gate: Tokenwise | Curve, inward: Tokenwise, factor: Fraction = Fraction(1)) -> Tokenwise:
    """Return the elementwise product of two arrays: hidden units gated by the curve or the identity."""
    activation: Activation = "identity"
    if isinstance(gate, Curve):
        free, linear, found = pieces(gate.polynomial)
        if free or linear or len(found) != 1 or found[0].gates:
            raise NotUnderstood("a gate that is not a single activation")
        activation, factor, inner = found[0].activation, factor * found[0].factor, found[0].inner
        of, exactness = gate.of, Exactness()
    else:
        of, inner, factor, exactness = gate, Fraction(1), factor * gate.factor, Exactness()
    if (of.positions != inward.positions).any():
        raise NotUnderstood("a product of numbers of different tokens, expected the same tokens")
    pairs, places = np.unique(np.stack([of.forms.ravel(), inward.forms.ravel()]), axis=1, return_inverse=True)
    units = HiddenUnits(activation, of.flat.columns(pairs[0]).scaled(inner, exactness), inward.flat.columns(pairs[1]))
    return placed(UnitBase(pairs.shape[1], units).values(), of.positions, places.reshape(of.shape),
                  factor * inward.factor)


# -- sums, means, and norms made of them -------------------------------------------------------------------------------

HALF = Fraction(1, 2)


def summed(value: Tokenwise, axis: int, keep: bool, factor: Fraction, exactness: Exactness) -> Tokenwise:
    """Return the sum over an axis other than that of tokens, times a factor."""
    last = value.moved(lambda codes: np.moveaxis(codes, axis, -1))
    made = times_constant(last, np.ones((last.shape[-1], 1)), exactness).moved(lambda codes: codes[..., 0])
    made = replace(made, factor=made.factor * factor)
    return made.moved(lambda codes: np.expand_dims(codes, axis)) if keep else made


def plain_mean(value: Any, exactness: Exactness) -> Any:
    """Return a mean that is not subtracted from its numbers as a plain sum."""
    if not isinstance(value, ArrayMean):
        return value
    count = value.of.shape[-1]
    return summed(value.of, value.of.codes.ndim - 1, True, Fraction(1, count), exactness)


def mean_square(value: Any, factor: Fraction) -> MeanSquare | None:
    """Return the mean of a square over the last axis, times a factor (their number, for sums), or None."""
    if isinstance(value, CentredSquare):
        return MeanSquare(value.of, True, factor)
    if isinstance(value, Curve) and value.polynomial.keys() == {(2, None)}:
        return MeanSquare(value.of, False, factor * value.polynomial[2, None])
    return None


def to_power(value: MeanSquare, exponent: Fraction) -> MeanSquare:
    """Return the value raised to a power."""
    if value.power * exponent not in (1, HALF, -HALF):
        raise NotUnderstood(f"the power {value.power * exponent} of a mean of squares, expected 1/2 or -1/2")
    return replace(value, power=value.power * exponent)


def over_root(value: Tokenwise | Centred | Curve, squares: MeanSquare, exactness: Exactness) -> Tokenwise:
    """Return x / sqrt(factor · mean(x²) + epsilon): a norm."""
    of = value.of if isinstance(value, Centred) else resolved(value, exactness)
    if isinstance(value, Centred) != squares.centred or of.ratio_to(squares.of) is None:
        raise NotUnderstood("a quotient by the root of the mean of other squares")
    total = squares.factor * squares.of.factor**2
    if squares.epsilon <= 0:
        raise NotUnderstood("a norm whose epsilon is not above 0")
    roots = math.isqrt(total.numerator), math.isqrt(total.denominator)
    root = Fraction(*roots)
    if root * root != total:
        root = Fraction(math.sqrt(total))
        exactness.note(exact=False)
    made = normed(replace(of, factor=Fraction(1)), "layer" if squares.centred else "rms", squares.epsilon / total,
                  None, None)
    return replace(made, factor=of.factor / root)


def normed(value: Tokenwise, kind: Literal["layer", "rms"], epsilon: Fraction, gain: Array | None,
           bias: Array | None) -> Tokenwise:
    """Return the norm along the last axis of an array whose factor is 1."""
    positions, groups, rows = grouped(value)
    width = value.shape[-1]
    flat = beside([NormBase(width, value.flat.columns(row).as_sum(), kind, epsilon, gain, bias).values()
                   for row in rows])
    forms = groups[..., np.newaxis] * width + np.arange(width)
    return placed(flat, np.broadcast_to(positions[..., np.newaxis], forms.shape), forms)
