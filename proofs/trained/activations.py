"""The activation functions of docs/reference/trained.md in float64, element by element: evidence, not proof."""

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from constructions.trained.network import Activation, Rounding

Array = NDArray[np.float64]

GELU_TANH_SLOPE = Fraction(0x19884533D43651, 2**53)
"""The binary64 number nearest to sqrt(2/pi)."""
GELU_TANH_CUBE = Fraction(44715, 10**6)

ERF_STEPS = 64  # grid points for each unit
ERF_END = 6     # erf rounds to 1 from here on
ERF_TERMS = 7


def _hermite(x: Array) -> list[Array]:
    """Return the Hermite polynomials H_0, H_1, … at x: exp(-x²) has the derivatives (-1)^k H_k(x) exp(-x²)."""
    values = [np.ones_like(x), 2 * x]
    for k in range(1, ERF_TERMS - 2):
        values.append(2 * x * values[k] - 2 * k * values[k - 1])
    return values


def _erf_table() -> Array:
    """Return the Taylor coefficients of erf at each grid point, [ERF_TERMS, points]."""
    grid = np.arange(ERF_STEPS * ERF_END + 1) / ERF_STEPS
    slope = 2 / math.sqrt(math.pi) * np.exp(-grid * grid)
    rows = [np.array([math.erf(x) for x in grid.tolist()])]
    rows += [(-1) ** k * polynomial * slope / math.factorial(k + 1) for k, polynomial in enumerate(_hermite(grid))]
    return np.stack(rows)


ERF_TABLE = _erf_table()


def erf(x: Array) -> Array:
    """Return the error function, by the Taylor polynomial at the nearest grid point; error of a few units of 2^-53."""
    size = np.minimum(np.abs(x), ERF_END)
    index = np.rint(size * ERF_STEPS).astype(np.intp)
    rest = size - index / ERF_STEPS
    value = ERF_TABLE[-1][index]
    for row in ERF_TABLE[-2::-1]:
        value = value * rest + row[index]
    return np.asarray(np.copysign(value, x))


def logistic(x: Array) -> Array:
    """Return 1 / (1 + exp(-x)); 0 where exp(-x) overflows."""
    with np.errstate(over="ignore"):
        return np.asarray(1 / (1 + np.exp(-x)))


def gelu_tanh(x: Array) -> Array:
    """Return x / (1 + exp(-2 c (x + a x³)))."""
    slope, cube = (number.numerator / number.denominator for number in (GELU_TANH_SLOPE, GELU_TANH_CUBE))
    return x * logistic(2 * slope * (x + cube * (x * x * x)))


def rounded(rounding: Rounding, x: Array) -> Array:
    """Round numbers [..., tokens, units] of inputs, or [..., units] of tokens, if no range is of all tokens.

    The results are multiples of the scale; ties are decided in float64.
    """
    if rounding.scale is not None:
        given = np.float64(rounding.scale)
        whole = np.clip(np.rint(x / given), rounding.least - rounding.zero, rounding.greatest - rounding.zero)
        return np.asarray(whole * given)
    axes = (-2, -1) if rounding.range == "input" else (-1,)
    low, high = np.minimum(x.min(axes, keepdims=True), 0), np.maximum(x.max(axes, keepdims=True), 0)
    scale = np.where(high > low, (high - low) / rounding.greatest, 1)
    zero = np.rint(-low / scale)
    return np.asarray(np.clip(np.rint(x / scale), -zero, rounding.greatest - zero) * scale)


def activation_of(activation: Activation | Rounding) -> Callable[[Array], Array]:
    """Return the function of an activation."""
    return partial(rounded, activation) if isinstance(activation, Rounding) else ACTIVATIONS[activation]


ACTIVATIONS: Mapping[Activation, Callable[[Array], Array]] = {
    "relu": lambda x: np.maximum(x, 0),
    "gelu": lambda x: x * (1 + erf(x / math.sqrt(2))) / 2,
    "gelu-tanh": gelu_tanh,
    "silu": lambda x: x * logistic(x),
    "sigmoid": logistic,
    "tanh": np.tanh,
    "identity": lambda x: x,
}
