"""The growth of the greatest change with n: laws fitted to the results. They prove nothing."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from certify.claims.numbers.sensitivity.results import FittedLaw, MeasuredLength

LAWS: tuple[tuple[str, Callable[[float], float]], ...] = (
    ("{a:.4g}", lambda n: 1.0),
    ("{a:.4g}/sqrt(n)", lambda n: 1 / math.sqrt(n)),
    ("{a:.4g}/n", lambda n: 1 / n),
    ("{a:.4g} (1 + ln n)/n", lambda n: (1 + math.log(n)) / n),
    ("{a:.4g}/n^2", lambda n: 1 / (n * n)),
)
"""Each law as text, and its shape."""
FEWEST_POINTS = 3
SMALLEST = Fraction(1, 10**300)
"""Smaller numbers are left out: they are not floats."""


def fit_law(rows: Sequence[MeasuredLength]) -> FittedLaw | None:
    """Return the law with the least residual on the longer half of the lengths; None for fewer than three points."""
    points = [(float(row.n), float(row.lower)) for row in rows if row.lower > SMALLEST]
    points = points[min(len(points) // 2, max(0, len(points) - FEWEST_POINTS)):]
    if len(points) < FEWEST_POINTS:
        return None
    return min((_fit(points, text, shape) for text, shape in LAWS), key=lambda law: law.residual)


def _fit(points: Sequence[tuple[float, float]], text: str, shape: Callable[[float], float]) -> FittedLaw:
    factor = math.exp(sum(math.log(y / shape(n)) for n, y in points) / len(points))
    misses = [factor * shape(n) / y - 1 for n, y in points]
    return FittedLaw(text.format(a=factor), math.sqrt(sum(miss * miss for miss in misses) / len(misses)))
