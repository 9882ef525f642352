"""The smallest margin, or the share of right inputs, against the length, as SVG.

In a curve of margins certified, refuted and open lengths have separate marks.

The output is deterministic; floating point is for drawing only.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor

from markupsafe import Markup, escape

WIDTH, HEIGHT, LEFT, BELOW, ABOVE = 640.0, 240.0, 52.0, 34.0, 10.0
STEPS = (1, 2, 5)
MOST_TICKS = 8
ROUNDING = 1e-9
MOST_POINTS = 512
"""With more lengths, only the one with the smallest margin in each group of neighbours is drawn."""
MARKS = {"certified": '<circle cx="{x}" cy="{y}" r="3" fill="var(--certified)">{title}</circle>',
         "refuted": '<path d="M{x} {y}m-4-4l8 8m0-8l-8 8" stroke="var(--refuted)" stroke-width="2">{title}</path>',
         "unknown": '<circle cx="{x}" cy="{y}" r="3" fill="none" stroke="var(--open)">{title}</circle>'}


@dataclass(frozen=True)
class Point:
    """The smallest margin found at a length, and a lower bound of all, if known."""

    n: int
    margin: float | None
    bound: float | None
    verdict: str


@dataclass(frozen=True)
class Axes:
    """The map from lengths and margins to coordinates of the drawing."""

    first: int
    last: int
    low: float
    high: float

    def x(self, n: float) -> str:
        """Return the abscissa of a length."""
        share = (n - self.first) / max(self.last - self.first, 1)
        return f"{LEFT + share * (WIDTH - LEFT - 12):.1f}"

    def y(self, margin: float) -> str:
        """Return the ordinate of a margin."""
        share = (self.high - margin) / (self.high - self.low)
        return f"{ABOVE + share * (HEIGHT - BELOW - ABOVE):.1f}"


def draw_curve(points: Sequence[Point], name: str = "smallest margin found") -> Markup | None:
    """Draw the curve of margins, or of another number with this name; None without any."""
    drawn = thinned([point for point in points if point.margin is not None])
    if not drawn:
        return None
    values = [value for point in drawn for value in (point.margin, point.bound) if value is not None]
    low, high = min(0.0, *values), max(0.0, *values)
    axes = Axes(points[0].n, points[-1].n, low, high if high > low else low + 1)
    parts = [*_grid(axes), *_bounds(axes, drawn), *(_mark(axes, point) for point in drawn)]
    return Markup(f'<svg class="curve" role="img" viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}" '
                  f'aria-label="{escape(name)}, against length">{"".join(parts)}</svg>')


@dataclass(frozen=True)
class Share:
    """Lower and upper bound of a share, for a length."""

    n: int
    least: float
    most: float


def draw_shares(shares: Sequence[Share], name: str) -> Markup:
    """Draw bounds of shares in percent against the length, which has this name; equal bounds are a disc."""
    low, high = 100 * min(one.least for one in shares), 100 * max(one.most for one in shares)
    axes = Axes(shares[0].n, shares[-1].n, low if high > low else low - 1, high)
    parts = _grid(axes, name)
    for one in shares:
        x, ends = axes.x(one.n), [axes.y(100 * end) for end in (one.least, one.most)]
        least, most = (f"{100 * end:.6g} %" for end in (one.least, one.most))
        title = f"<title>n = {one.n}: {least if least == most else f'{least} to {most}'}</title>"
        parts.append(f'<circle cx="{x}" cy="{ends[0]}" r="3" fill="var(--certified)">{title}</circle>'
                     if one.least == one.most else
                     f'<path d="M{x} {ends[0]}m-4 0h8m-4 0V{ends[1]}m-4 0h8" fill="none" stroke="var(--certified)" '
                     f'stroke-width="2">{title}</path>')
    return Markup(f'<svg class="curve" role="img" viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}" '
                  f'aria-label="share of right inputs in percent, against {name}">{"".join(parts)}</svg>')


def thinned(points: Sequence[Point], most: int = MOST_POINTS) -> list[Point]:
    """Return at most ``most`` points: of each group of neighbours the one with the smallest margin.

    >>> [point.n for point in thinned([Point(n, abs(n - 5), None, "certified") for n in range(1, 8)], 3)]
    [3, 5, 7]
    """
    step = -(-len(points) // most) or 1
    return [min(points[first:first + step], key=lambda point: point.margin or 0.0)
            for first in range(0, len(points), step)]


def ticks(low: float, high: float, most: int = MOST_TICKS) -> list[float]:
    """Return at most ``most`` round numbers from low to high.

    >>> ticks(0, 7.3)
    [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
    >>> ticks(-0.02, 0.05, 4)
    [-0.02, 0.0, 0.02, 0.04]
    >>> ticks(1, 2)[::5]
    [1.0, 2.0]
    """
    step = next(step for power in range(-12, 13) for unit in STEPS
                if (high - low) / (step := unit * 10.0**power) <= most)
    first, last = ceil(low / step - ROUNDING), floor(high / step + ROUNDING)
    return [round(k * step, 12) for k in range(first, last + 1)]


def _grid(axes: Axes, name: str = "length n") -> list[str]:
    lines = []
    for margin in ticks(axes.low, axes.high):
        strength = "0.7" if margin == 0 else "0.15"
        lines.append(f'<line x1="{LEFT:.0f}" x2="{WIDTH:.0f}" y1="{axes.y(margin)}" y2="{axes.y(margin)}" '
                     f'stroke="currentColor" stroke-opacity="{strength}"/>'
                     f'<text x="{LEFT - 6:.0f}" y="{axes.y(margin)}" dy="4" text-anchor="end" font-size="11" '
                     f'fill="currentColor">{margin:g}</text>')
    for n in ticks(axes.first, axes.last) if axes.last > axes.first else [float(axes.first)]:
        if n == int(n):
            lines.append(f'<text x="{axes.x(n)}" y="{HEIGHT - 18:.0f}" text-anchor="middle" font-size="11" '
                         f'fill="currentColor">{n:g}</text>')
    return [*lines, f'<text x="{WIDTH - 4:.0f}" y="{HEIGHT - 4:.0f}" text-anchor="end" font-size="11" '
            f'fill="currentColor">{name}</text>']


def _bounds(axes: Axes, points: Sequence[Point]) -> list[str]:
    """Return a thin line from each margin found down to the lower bound of all."""
    return [f'<line x1="{axes.x(point.n)}" x2="{axes.x(point.n)}" y1="{axes.y(point.margin)}" '
            f'y2="{axes.y(point.bound)}" stroke="currentColor" stroke-opacity="0.5"/>'
            for point in points if point.margin is not None and point.bound is not None]


def _mark(axes: Axes, point: Point) -> str:
    assert point.margin is not None
    title = f"<title>n = {point.n}: {point.verdict}, {point.margin:.6g}</title>"
    return MARKS[point.verdict].format(x=axes.x(point.n), y=axes.y(point.margin), title=title)
