"""How critical temperatures grow with n: a law fitted to the middles of brackets. It proves nothing."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from certify.auditing.results import Critical, Fit

LAWS: tuple[tuple[str, Callable[[float], float], bool], ...] = (
    ("1/temperature = {a:.6g} + {b:.6g} ln n", math.log, False),
    ("1/temperature = {a:.6g} + {b:.6g} n", float, False),
    ("temperature = {a:.6g} n^{b:.4f}", math.log, True),
)
"""Each law as text, the function of n that it is linear in, and whether it is linear in logarithms."""
FEWEST_POINTS = 3


def fit_growth(criticals: Sequence[Critical]) -> Fit | None:
    """The law with the smallest residual (root mean square, relative); None for fewer than three brackets."""
    points = [(float(c.n), float((c.temperature.lower + c.temperature.upper) / 2)) for c in criticals
              if c.gamma is not None and c.gamma.lower > Fraction(0)]
    if len(points) < FEWEST_POINTS:
        return None
    return min((_fit(points, *law) for law in LAWS), key=lambda fit: fit.residual)


def _fit(points: Sequence[tuple[float, float]], text: str, of_n: Callable[[float], float], logarithmic: bool) -> Fit:
    xs = [of_n(n) for n, _ in points]
    ys = [math.log(t) if logarithmic else 1 / t for _, t in points]
    x0, y0 = sum(xs) / len(xs), sum(ys) / len(ys)
    b = sum((x - x0) * (y - y0) for x, y in zip(xs, ys, strict=True)) / sum((x - x0) ** 2 for x in xs)
    a = y0 - b * x0
    misses = [(a + b * x) - y if logarithmic else (a + b * x) / y - 1 for x, y in zip(xs, ys, strict=True)]
    residual = math.sqrt(sum(miss * miss for miss in misses) / len(misses))
    return Fit(text.format(a=math.exp(a) if logarithmic else a, b=b), residual)
