"""The growth of critical temperatures with n: laws fitted to the midpoints of brackets. They prove nothing."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from certify.auditing.results import CriticalConstant, GrowthLaw
from constructions.network.sharpening import Place

LAWS: tuple[tuple[str, Callable[[float], float], bool], ...] = (
    ("1/temperature = {a:.6g} + {b:.6g} ln n", math.log, False),
    ("1/temperature = {a:.6g} + {b:.6g} n", float, False),
    ("temperature = {a:.6g} n^{b:.4f}", math.log, True),
)
"""Each law as text, the function of n in which it is linear, and whether it is linear in logarithms."""
FEWEST_POINTS = 3
SMALLEST, LARGEST = Fraction(1, 10**300), Fraction(10**300)
"""Temperatures beyond these are left out: they are outside the range of floats."""
Points = Sequence[tuple[float, float]]
"""Lengths, and temperatures at them."""


def fit_laws(criticals: Sequence[CriticalConstant]) -> tuple[GrowthLaw, ...]:
    """Return, for each temperature, the law with the smallest relative root-mean-square residual.

    Fewer than three brackets are not fitted.
    """
    points: dict[tuple[Place, ...], list[tuple[float, float]]] = {}
    for critical in criticals:
        for temperature in critical.temperatures:
            middle = (temperature.critical.lower + temperature.critical.upper) / 2
            if SMALLEST < middle < LARGEST:
                points.setdefault(temperature.heads, []).append((float(critical.n), float(middle)))
    return tuple(min((_fit(heads, found, *law) for law in LAWS), key=lambda fit: fit.residual)
                 for heads, found in points.items() if len(found) >= FEWEST_POINTS)


def _fit(heads: tuple[Place, ...], points: Points, text: str, of_n: Callable[[float], float],
         logarithmic: bool) -> GrowthLaw:
    xs = [of_n(n) for n, _ in points]
    ys = [math.log(t) if logarithmic else 1 / t for _, t in points]
    x0, y0 = sum(xs) / len(xs), sum(ys) / len(ys)
    b = sum((x - x0) * (y - y0) for x, y in zip(xs, ys, strict=True)) / sum((x - x0) ** 2 for x in xs)
    a = y0 - b * x0
    misses = [(a + b * x) - y if logarithmic else (a + b * x) / y - 1 for x, y in zip(xs, ys, strict=True)]
    residual = math.sqrt(sum(miss * miss for miss in misses) / len(misses))
    return GrowthLaw(text.format(a=math.exp(a) if logarithmic else a, b=b), residual, heads)
