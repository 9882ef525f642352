"""Affine forms (zonotopes), vectorised: centre + Σ symbol · part ± loose, symbols in [-1, 1].

docs/background/trained_rules.md, section 5. The rules are those of the checker, in float64; the checker proves what is
found with them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from constructions.errors import Unsupported
from constructions.trained.network import Activation, Rounding
from proofs.trained.activations import ACTIVATIONS, rounded
from proofs.trained.forward import FloatAffine, FloatNorm, FloatUnits

Array = NDArray[np.float64]

CURVATURES: Mapping[str, int] = {"gelu": 80, "gelu-tanh": 84, "silu": 51, "sigmoid": 10, "tanh": 77}
"""Bounds of the second derivative, in hundredths."""
CELLS = 32  # of the grid on which a curve is compared with its chord
NARROW = 2**-30  # intervals on which a chord's slope would be noise
WIDE = 256  # ratio of the greatest variance to the least one from which a form of the norm is useless
NEARLY = 2**-5
LEAST_VARIANCE = 2**-1000


@dataclass(frozen=True)
class Forms:
    """N vectors of d coordinates: ``centre`` [N, d], ``parts`` [N, symbols, d], ``loose`` [N, d]."""

    centre: Array
    parts: Array
    loose: Array

    @property
    def symbols(self) -> int:
        """The number of symbols of each vector."""
        return int(self.parts.shape[1])

    @property
    def radius(self) -> Array:
        """The radius of each coordinate, [N, d]."""
        return np.asarray(np.abs(self.parts).sum(axis=1) + self.loose)

    def only(self, chosen: NDArray[np.intp] | slice) -> Forms:
        """Return some of the vectors."""
        return Forms(self.centre[chosen], self.parts[chosen], self.loose[chosen])


def exact(vectors: Array) -> Forms:
    """Return vectors [N, d] as forms without symbols."""
    return Forms(vectors, np.zeros((len(vectors), 0, vectors.shape[1])), np.zeros_like(vectors))


def with_symbols(parts: Array, symbols: int) -> Array:
    """Pad parts with zeros for missing symbols."""
    missing = symbols - parts.shape[1]
    return np.pad(parts, ((0, 0), (0, missing), (0, 0))) if missing else parts


def linear(forms: Forms, weight: Array, bias: Array | None = None) -> Forms:
    """Return x weight + bias."""
    centre = forms.centre @ weight
    centre = centre if bias is None else centre + bias
    parts = (forms.parts.reshape(-1, weight.shape[0]) @ weight).reshape(*forms.parts.shape[:2], weight.shape[1])
    return Forms(centre, parts, forms.loose @ np.abs(weight))


def affine(forms: Forms, image: FloatAffine) -> Forms:
    """Return the image of each vector."""
    return linear(forms, image.weight, image.bias)


def added(first: Forms, second: Forms) -> Forms:
    """Return the sums; symbols with one index are one symbol."""
    symbols = max(first.symbols, second.symbols)
    parts = with_symbols(first.parts, symbols) + with_symbols(second.parts, symbols)
    return Forms(first.centre + second.centre, parts, first.loose + second.loose)


def with_own_symbols(forms: Forms, radii: Array) -> Forms:
    """Append a symbol for each coordinate, with these radii [N, d]."""
    own = np.zeros((*radii.shape, radii.shape[1]))
    places = np.arange(radii.shape[1])
    own[:, places, places] = radii
    return Forms(forms.centre, np.concatenate([forms.parts, own], axis=1), forms.loose)


def product(first: Forms, second: Forms) -> Forms:
    """Return the product by coordinate; the second-order error is one symbol for each coordinate.

    ``second`` may have one coordinate, which multiplies all of ``first``.
    """
    symbols = max(first.symbols, second.symbols)
    m, p = first.centre, second.centre
    parts = with_symbols(first.parts, symbols) * p[:, np.newaxis]
    parts = parts + with_symbols(second.parts, symbols) * m[:, np.newaxis]
    loose = first.loose * np.abs(p) + second.loose * np.abs(m)
    return with_own_symbols(Forms(m * p, parts, loose), first.radius * second.radius)


def normed(forms: Forms, norm: FloatNorm | None) -> Forms:
    """Return the layer norm or RMS norm of each vector or its image; without a norm the vectors."""
    if norm is None:
        return forms
    forms = forms if norm.of is None else affine(forms, norm.of)
    if norm.centred:
        width = forms.centre.shape[1]
        centring = np.eye(width) - 1 / width
        loose = forms.loose + forms.loose.mean(axis=1, keepdims=True)
        forms = Forms(*_pair(linear(forms, centring)), loose)
    variance, low, high = _variance(forms, np.float64(norm.epsilon))
    result = _ended(product(forms, _inverse_root(variance, low, high)), high / low / WIDE,
                    *_ends_alone(forms, np.float64(norm.epsilon)))
    gain = np.ones(forms.centre.shape[1]) if norm.gain is None else norm.gain
    bias = 0 if norm.bias is None else norm.bias
    return Forms(result.centre * gain + bias, result.parts * gain, result.loose * np.abs(gain))


def _pair(forms: Forms) -> tuple[Array, Array]:
    return forms.centre, forms.parts


def _variance(forms: Forms, epsilon: np.float64) -> tuple[Forms, Array, Array]:
    """Return the mean of squares plus epsilon, a form of one coordinate and one symbol more, and its bounds [N, 1]."""
    m, r, width = forms.centre, forms.radius, forms.centre.shape[1]
    rest = (r * r).sum(axis=1, keepdims=True) / width / 2
    centre = (m * m).sum(axis=1, keepdims=True) / width + epsilon + rest
    parts = (forms.parts @ m[:, :, np.newaxis]) * (2 / width)
    parts = np.concatenate([parts, rest[:, np.newaxis]], axis=1)
    loose = (forms.loose * np.abs(m)).sum(axis=1, keepdims=True) * (2 / width)
    variance = Forms(centre, parts, loose)
    radius = variance.radius
    away = np.maximum(np.abs(m) - r, 0)
    low = np.maximum(centre - radius, epsilon + (away * away).sum(axis=1, keepdims=True) / width)
    return variance, np.maximum(low, LEAST_VARIANCE), centre + radius


def _ends_alone(forms: Forms, epsilon: np.float64) -> tuple[Array, Array]:
    """Bound each coordinate of the norm from the ranges of the coordinates of the vector alone."""
    width, low, high = forms.centre.shape[1], forms.centre - forms.radius, forms.centre + forms.radius
    near, far = np.maximum(np.maximum(low, -high), 0) ** 2, np.maximum(-low, high) ** 2
    others = [one.sum(axis=1, keepdims=True) - one + width * epsilon for one in (near, far)]
    most, least = (np.sqrt(width) * end / np.sqrt(end * end + np.where(end > 0, *(others[k] for k in order)))
                   for end, order in ((high, (0, 1)), (low, (1, 0))))
    return least, most


def _ended(forms: Forms, wide: Array, low: Array, high: Array) -> Forms:
    """Replace coordinates by these ends where the ends are less than half as wide, or forms are too wide.

    The checker decides by other roundings: near the threshold, the result contains both.
    """
    narrow, nearly = forms.radius / np.maximum(high - low, LEAST_VARIANCE), 1 - NEARLY
    chosen = np.maximum(wide, narrow) > nearly
    unsure = chosen & ~(np.maximum(wide, narrow) > 1 + NEARLY)
    low = np.where(unsure, np.minimum(low, forms.centre - forms.radius), low)
    high = np.where(unsure, np.maximum(high, forms.centre + forms.radius), high)
    parts = np.where(chosen[:, np.newaxis], 0, forms.parts)
    return with_own_symbols(Forms(np.where(chosen, (low + high) / 2, forms.centre), parts,
                                  np.where(chosen, 0, forms.loose)), np.where(chosen, (high - low) / 2, 0))


def _inverse_root(variance: Forms, low: Array, high: Array) -> Forms:
    """Bound 1/sqrt between its chord on [low, high] and the parallel tangent; append one symbol."""
    roots = np.sqrt(low), np.sqrt(high)
    slope = -1 / (roots[0] * roots[1] * (roots[0] + roots[1]))
    touching = np.cbrt(1 / (4 * slope * slope))
    above = 1 / roots[0] - slope * low
    below = np.minimum(1 / np.sqrt(touching) - slope * touching, above)
    line = Forms(variance.centre * slope + (above + below) / 2, variance.parts * slope[:, np.newaxis],
                 variance.loose * np.abs(slope))  # fmt: skip
    return with_own_symbols(line, (above - below) / 2)


def activated(forms: Forms, activation: Activation | Rounding) -> Forms:
    """Approximate the activation linearly on each interval, by its chord; append a symbol for each coordinate."""
    if activation == "identity":
        return forms
    radius = forms.radius
    low, high = forms.centre - radius, forms.centre + radius
    slope, above, below = (_steps_band(low, high, activation) if isinstance(activation, Rounding) else
                           _relu_band(low, high) if activation == "relu" else _band(low, high, activation))
    line = Forms(forms.centre * slope + (above + below) / 2, forms.parts * slope[:, np.newaxis],
                 forms.loose * np.abs(slope))  # fmt: skip
    return with_own_symbols(line, (above - below) / 2)


def _relu_band(low: Array, high: Array) -> tuple[Array, Array, Array]:
    width = np.maximum(high - low, NARROW)
    slope = np.where(low >= 0, 1, np.where(high <= 0, 0, high / width))
    above = np.where((low < 0) & (high > 0), -slope * low, 0)
    return slope, above, np.zeros_like(above)


def _steps_band(low: Array, high: Array, rounding: Rounding) -> tuple[Array, Array, Array]:
    """Return slope and constants of a rounding with a scale: a constant for few steps, else a chord after clipping.

    Raises:
        Unsupported: if there is no scale.
    """
    if rounding.scale is None:
        raise Unsupported("classes: no rule for roundings by a range")
    scale, first, last = np.float64(rounding.scale), rounded(rounding, low), rounded(rounding, high)
    bottom, top = (scale * (limit - rounding.zero) for limit in (rounding.least, rounding.greatest))
    points = np.stack([low, *(np.minimum(np.maximum(end, low), high) for end in (bottom, top)), high], axis=-1)
    values, width = np.clip(points, bottom, top), np.maximum(high - low, NARROW)
    slope = (values[..., -1] - values[..., 0]) / width
    distance, few = values - slope[..., np.newaxis] * points, 2 * (last - first) <= 3 * scale
    return (np.where(few, 0, slope), np.where(few, last, distance.max(axis=-1) + scale / 2),
            np.where(few, first, distance.min(axis=-1) - scale / 2))


def _band(low: Array, high: Array, activation: Activation) -> tuple[Array, Array, Array]:
    """Return a slope, and the constants between which the curve minus slope · x lies, by a grid and the curvature."""
    curve = ACTIVATIONS[activation]
    points = low[..., np.newaxis] + (high - low)[..., np.newaxis] * (np.arange(CELLS + 1) / CELLS)
    values = curve(points)
    width = high - low
    slope = np.where(width > NARROW, (values[..., -1] - values[..., 0]) / np.maximum(width, NARROW), 0)
    distance = values - slope[..., np.newaxis] * points
    between = CURVATURES[activation] / 100 * (width / CELLS) ** 2 / 8
    return slope, distance.max(axis=-1) + between, distance.min(axis=-1) - between


def after_units(forms: Forms, step: FloatUnits) -> Forms:
    """Return the streams after a feed-forward block."""
    inside = normed(forms, step.norm)
    inward = affine(inside, step.inward)
    if step.gate is None:
        units = activated(inward, step.activation)
    else:
        units = product(activated(affine(inside, step.gate), step.activation), inward)
    return added(forms, affine(units, step.outward))


def least_of(forms: Forms) -> Array:
    """Return the least value of each coordinate, [N, d]."""
    return np.asarray(forms.centre - forms.radius)
