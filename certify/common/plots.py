"""Plots over n as SVG texts.

Beside `certify/exports/figures.py` this is the only file that imports matplotlib, and floating point is for drawing
alone. The same numbers give the same text. Texts come from here and never from a claim; they stay texts, in the ink of
the page around them.
"""

from __future__ import annotations

import io
import itertools
import math
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from certify.common.terminal import without_log_of
from proofs.enclosures.intervals import Interval

with without_log_of("matplotlib"):  # it logs the folder of its cache, if not at home
    import matplotlib as mpl
    from matplotlib.figure import Figure
    from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK = "#010203"
"""Placeholder for the colour of the surrounding text, until the SVG is finished."""
BLUE, ORANGE, GREEN = "#0077bb", "#d55e00", "#00907a"
"""Colours safe for colour blindness, with contrast at least 3 : 1 to white and to near-black."""
SIZE = (3.6, 2.7)
WITH_NAMES_BESIDE = (6.4, 3.0)
LEGEND_LINE = 0.19
"""The height of a line of a legend outside the axes, as SIZE in inches."""
STYLE: dict[Any, Any] = {
    "svg.fonttype": "none", "pdf.fonttype": 42, "svg.hashsalt": "certify",
    "font.family": "sans-serif", "font.size": 9.0,
    "text.color": INK, "axes.edgecolor": INK, "axes.labelcolor": INK, "xtick.color": INK, "ytick.color": INK,
    "axes.spines.top": False, "axes.spines.right": False, "axes.linewidth": 0.6, "grid.linewidth": 0.4,
    "grid.color": INK, "grid.alpha": 0.18, "lines.linewidth": 1.3, "lines.markersize": 5.0,
    "legend.frameon": False, "legend.fontsize": 8.5,
}  # fmt: skip
DECADES_WITH_STEPS = 2.5
"""A logarithmic axis longer than this labels powers of ten only."""
WIDE = 50
"""From this ratio of bound to error on, an error is drawn on a logarithmic axis."""
MOST_LABELS = 8
Points = Sequence[tuple[int, Interval]]


@dataclass(frozen=True)
class Plot:
    """A drawing and its description in words."""

    kind: str
    title: str
    description: str
    svg: str


def styled() -> AbstractContextManager[None]:
    """Apply the style of all our plots within the context."""
    return mpl.rc_context(STYLE)


@dataclass(frozen=True)
class Series:
    """A curve over n: its name, its points, and whether it is a dashed line without markers.

    ``look``, its marker, colour and line, overrides the defaults by its number.
    """

    name: str
    points: Sequence[tuple[int, Interval]]
    is_dashed: bool = False
    look: tuple[str, str, str] | None = None


def draw_series(series: Sequence[Series], y_label: str, title: str, description: str) -> Plot | None:
    """Draw several curves over n, both axes logarithmic; None if no point is positive."""
    drawable = [(one, positive(one.points)) for one in series]
    shown = [(one, points) for one, points in drawable if points]
    if not shown:
        return None
    with styled():
        figure, axes = _draw_all(shown, y_label)
        scale_log(axes, [x for _, points in shown for _, x in points])
        figure.set_figheight(SIZE[1] + len(shown) * LEGEND_LINE)
        figure.legend(loc="outside upper left")
        plot = Plot("series", title, description, svg_of(figure))
    return replace(plot, svg=finished(plot, "series-"))


def draw_levels(series: Sequence[Series], y_label: str, title: str, description: str) -> Plot:
    """Draw several curves of similar numbers: a linear axis, and the names beside the curves."""
    with styled():
        figure, _ = _draw_all([(one, one.points) for one in series], y_label)
        figure.set_size_inches(*WITH_NAMES_BESIDE)
        figure.legend(loc="outside right upper")
        plot = Plot("levels", title, description, svg_of(figure))
    return replace(plot, svg=finished(plot, "levels-"))


def _draw_all(shown: Sequence[tuple[Series, Points]], y_label: str) -> tuple[Figure, Axes]:
    figure, axes = figure_over_n(sorted({n for _, points in shown for n, _ in points}), y_label)
    for (one, points), marker, colour in zip(shown, itertools.cycle("os^"), itertools.cycle((BLUE, ORANGE, GREEN)),
                                             strict=False):
        look = one.look or (("", colour, "--") if one.is_dashed else (marker, colour, "-"))
        draw_points(axes, points, look[0], look[1], one.name, look[2])
    return figure, axes


def standalone(svg: str) -> str:
    """Return the SVG for a file or an image of its own: dark ink on white, whatever is around it."""
    return svg.replace("<svg ", '<svg style="color:#1b1f24;background:#ffffff" ', 1)


# -- drawing -----------------------------------------------------------------------------------------------------------


def figure_over_n(lengths: Sequence[int], y_label: str) -> tuple[Figure, Axes]:
    """Return an empty plot over n on a logarithmic axis, labelled at lengths that occur."""
    figure = Figure(figsize=SIZE, layout="constrained")
    axes = figure.add_subplot()
    axes.set_xscale("log")
    ticks = _some(lengths)
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(_plain_number))
    axes.set_xlim(lengths[0] / 1.15, lengths[-1] * 1.15)
    axes.set_xlabel("length n (logarithmic)")
    axes.set_ylabel(y_label)
    axes.grid(True)
    return figure, axes


def _some(lengths: Sequence[int]) -> list[int]:
    """Return the lengths themselves if they are few, else those at equal steps of a logarithmic axis.

    >>> _some([4, 8, 16]), _some(range(1, 65))
    ([4, 8, 16], [1, 2, 3, 6, 11, 20, 35, 64])
    """
    if len(lengths) <= MOST_LABELS:
        return list(lengths)
    first, step = math.log(lengths[0]), math.log(lengths[-1] / lengths[0]) / (MOST_LABELS - 1)
    wished = [math.exp(first + place * step) for place in range(MOST_LABELS)]
    return list(dict.fromkeys(min(lengths, key=lambda n: abs(n - wish)) for wish in wished))


def draw_points(axes: Axes, points: Points, marker: str, colour: str, label: str, line: str = "-") -> None:
    """Draw intervals as vertical lines with a marker in the middle; most are shorter than the marker."""
    places = [n for n, _ in points]
    axes.vlines(places, [float(x.lower) for _, x in points], [float(x.upper) for _, x in points], colors=colour)
    axes.plot(places, [middle(x) for _, x in points], marker=marker, linestyle=line, color=colour, label=label)


def scale_errors(axes: Axes, errors: Sequence[Interval], bounds: Sequence[Interval]) -> None:
    """Scale the axis linearly from 0, or logarithmically if the errors would be invisible beside the bound."""
    greatest = max(float(x.upper) for x in [*errors, *bounds])
    if all(x.lower > 0 for x in [*errors, *bounds]) and greatest > WIDE * max(float(x.upper) for x in errors):
        scale_log(axes, [*errors, *bounds])
    else:
        axes.set_ylim(0, 1.25 * greatest or 1)


def scale_log(axes: Axes, values: Sequence[Interval]) -> None:
    """Set a logarithmic scale, labelled at steps within decades where there are few."""
    decades = math.log10(max(float(x.upper) for x in values)) - math.log10(min(float(x.lower) for x in values))
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if decades < DECADES_WITH_STEPS else (1,)))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(_plain_number))
    axes.set_ylabel(f"{axes.get_ylabel()}, log")


def _plain_number(x: float, _place: int | None = None) -> str:
    return f"{x:g}"


def svg_of(figure: Figure) -> str:
    """Return the drawing as an element to be put into a page."""
    file = io.StringIO()
    figure.savefig(file, format="svg", transparent=True,
                   metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    text = file.getvalue()
    return text[text.index("<svg "):].strip().replace(INK, "currentColor")


def pdf_of(figure: Figure) -> bytes:
    """Return the drawing as a file of one page, the same bytes every time."""
    file = io.BytesIO()
    figure.savefig(file, format="pdf", metadata={"CreationDate": None, "Creator": None, "Producer": None})
    return file.getvalue()


def finished(plot: Plot, prefix: str) -> str:
    """Return the SVG with identifiers unique in the page, and its description for screen readers."""
    svg = re.sub(r' xmlns:xlink="[^"]*"|\bxlink:(?=href=)', "", plot.svg)  # an SVG needs no other namespace by now
    svg = re.sub(r'(\bid="|url\(#|href="#)', lambda start: start.group() + prefix, svg)
    return svg.replace("<svg ", f'<svg role="img" aria-label="{plot.description}" ', 1)


# -- from exact numbers to floats --------------------------------------------------------------------------------------


def middle(x: Interval) -> float:
    """Return about the middle of an interval, for drawing."""
    return float((x.lower + x.upper) / 2)


def drawable(points: Iterable[tuple[int, Interval | None]]) -> Points:
    """Return the points with n and both ends in the range of floats."""
    return _kept(points, lambda x: abs(x) < 10**300)


def positive(points: Iterable[tuple[int, Interval | None]]) -> Points:
    """Return the points that a logarithmic axis can show."""
    return _kept(points, lambda x: Fraction(1, 10**300) < x < 10**300)


def _kept(points: Iterable[tuple[int, Interval | None]], fits: Callable[[Fraction], bool]) -> Points:
    return sorted((n, x) for n, x in points if x and 0 < n < 10**9 and fits(x.lower) and fits(x.upper))
