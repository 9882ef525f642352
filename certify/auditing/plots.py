"""The plots of a claim as SVG texts: claimed against critical temperature, error against its bound, slack; and series.

This is the only file that imports matplotlib, and floating point is for drawing alone. The same numbers give the same
text. Texts come from here and never from a claim; they stay texts, in the ink of the page around them.
"""

from __future__ import annotations

import io
import itertools
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from certify.auditing.results import ClaimResult, CriticalConstant, HeadTemperature, LengthVerdict
from certify.auditing.wording import UNIT_OF_TEMPERATURE, show_enclosed, show_heads, show_slack
from certify.terminal import without_log_of
from constructions.network.sharpening import Place
from proofs.enclosures.intervals import Interval, point

with without_log_of("matplotlib"):  # where it keeps what it knows of fonts, if not at home, is of no interest here
    import matplotlib as mpl
    from matplotlib.figure import Figure
    from matplotlib.ticker import FixedLocator, FuncFormatter, LogLocator, NullLocator

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK = "#010203"
"""Stands for the colour of the surrounding text, until the SVG is finished."""
BLUE, ORANGE, GREEN = "#0077bb", "#d55e00", "#00907a"
"""Told apart by colour-blind eyes (and by their markers), and at least 3 : 1 against white and against near-black."""
MARKERS = {"certified": ("o", BLUE), "refuted": ("X", ORANGE)}
OTHER_MARKER = ("s", GREEN)
MARKERS_OF_TEMPERATURES = (("o", "s"), ("^", "D"), ("v", "P"), ("<", "X"))
"""Of the critical and the claimed temperature of some heads, of others, and so on."""
SIZE = (3.6, 2.7)
WITH_NAMES_BESIDE = (6.4, 3.0)
LEGEND_LINE = 0.19
"""The height of a line of a legend outside the axes, as SIZE in inches."""
STYLE: dict[Any, Any] = {
    "svg.fonttype": "none", "svg.hashsalt": "certify", "font.family": "sans-serif", "font.size": 9.0,
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
Heads = tuple[Place, ...]
OverN = list[tuple[int, HeadTemperature]]


@dataclass(frozen=True)
class Plot:
    """A drawing and the words that say the same."""

    kind: str
    title: str
    description: str
    svg: str


def draw_plots(claim: ClaimResult, prefix: str) -> tuple[Plot, ...]:
    """The plots that the claim has numbers for; ``prefix`` keeps their identifiers apart from those of other claims."""
    with mpl.rc_context(STYLE):
        errors = claim.rows if claim.measure == "worst error" else ()
        drawn = (_temperature_plot(claim.criticals), _error_plot(errors), _slack_plot(claim.criticals))
    return tuple(replace(plot, svg=_finished(plot, f"{prefix}-{plot.kind}-")) for plot in drawn if plot)


@dataclass(frozen=True)
class Series:
    """A curve over n: its name, its points, and whether it is a dashed line without markers.

    ``look``, its marker, colour and line, takes the place of what it would be given in turn.
    """

    name: str
    points: Sequence[tuple[int, Interval]]
    is_dashed: bool = False
    look: tuple[str, str, str] | None = None


def draw_series(series: Sequence[Series], y_label: str, title: str, description: str) -> Plot | None:
    """Several curves over n in one drawing, both axes logarithmic; None if no point is positive."""
    drawable = [(one, _positive(one.points)) for one in series]
    shown = [(one, points) for one, points in drawable if points]
    if not shown:
        return None
    with mpl.rc_context(STYLE):
        figure, axes = _draw_all(shown, y_label)
        _scale_log(axes, [x for _, points in shown for _, x in points])
        figure.set_figheight(SIZE[1] + len(shown) * LEGEND_LINE)
        figure.legend(loc="outside upper left")
        plot = Plot("series", title, description, _svg(figure))
    return replace(plot, svg=_finished(plot, "series-"))


def draw_levels(series: Sequence[Series], y_label: str, title: str, description: str) -> Plot:
    """The same for numbers that are near each other: a linear axis, and the names beside the curves."""
    with mpl.rc_context(STYLE):
        figure, _ = _draw_all([(one, one.points) for one in series], y_label)
        figure.set_size_inches(*WITH_NAMES_BESIDE)
        figure.legend(loc="outside right upper")
        plot = Plot("levels", title, description, _svg(figure))
    return replace(plot, svg=_finished(plot, "levels-"))


def _draw_all(shown: Sequence[tuple[Series, Points]], y_label: str) -> tuple[Figure, Axes]:
    figure, axes = _figure(sorted({n for _, points in shown for n, _ in points}), y_label)
    for (one, points), marker, colour in zip(shown, itertools.cycle("os^"), itertools.cycle((BLUE, ORANGE, GREEN)),
                                             strict=False):
        look = one.look or (("", colour, "--") if one.is_dashed else (marker, colour, "-"))
        _draw(axes, points, look[0], look[1], one.name, look[2])
    return figure, axes


def standalone(svg: str) -> str:
    """The SVG for a file or an image of its own: dark ink on white, whatever is around it."""
    return svg.replace("<svg ", '<svg style="color:#1b1f24;background:#ffffff" ', 1)


# -- the three plots ---------------------------------------------------------------------------------------------------


def _temperature_plot(criticals: Sequence[CriticalConstant]) -> Plot | None:
    curves = [curve for heads, found in _temperatures(criticals).items() if (curve := _curve(heads, found))]
    if not curves:
        return None
    figure, axes = _figure(sorted({n for curve in curves for n, _ in curve.critical}), "temperature (score units)")
    for curve, (marker, claimed_marker) in zip(curves, itertools.cycle(MARKERS_OF_TEMPERATURES), strict=False):
        name = f", {curve.heads}" if len(curves) > 1 else ""
        _draw(axes, curve.critical, marker, BLUE, f"critical (bracket){name}")
        _draw(axes, curve.claimed, claimed_marker, ORANGE, f"claimed{name}", line="--")
    _scale_log(axes, [x for curve in curves for _, x in [*curve.critical, *curve.claimed]])
    if len(curves) > 1:
        figure.set_figheight(SIZE[1] + 2 * len(curves) * LEGEND_LINE)
        figure.legend(loc="outside upper left")  # names of heads are long
    else:
        axes.legend()
    description = (f"Claimed and critical temperature over n, {UNIT_OF_TEMPERATURE}; both axes logarithmic. "
                   + " ".join(_describe_curve(curve, len(curves) > 1) for curve in curves))
    return Plot("temperature", "Temperature over n", description, _svg(figure))


@dataclass(frozen=True)
class _Curve:
    """The critical and the claimed temperatures of some heads over n."""

    heads: str
    critical: Points
    claimed: Points


def _temperatures(criticals: Sequence[CriticalConstant]) -> dict[Heads, OverN]:
    """The temperatures of the heads that share them."""
    found: dict[Heads, OverN] = {}
    for critical in criticals:
        for temperature in critical.temperatures:
            found.setdefault(temperature.heads, []).append((critical.n, temperature))
    return found


def _curve(heads: Heads, found: OverN) -> _Curve | None:
    """The curve of some heads; None if no number is in the range of floats."""
    critical = _positive((n, temperature.critical) for n, temperature in found)
    claimed = _positive((n, point(temperature.claimed)) for n, temperature in found)
    return _Curve(show_heads(heads), critical, claimed) if critical and claimed else None


def _describe_curve(curve: _Curve, named: bool) -> str:
    n, last = curve.critical[-1]
    name = f" of {curve.heads}" if named else ""
    return (f"At n = {n} the critical temperature{name} is {show_enclosed(last)}, "
            f"the claimed one {show_enclosed(curve.claimed[-1][1])}.")


def _error_plot(rows: Sequence[LengthVerdict]) -> Plot | None:
    errors = _drawable((row.n, row.error) for row in rows)
    bounds = _drawable((row.n, row.bound) for row in rows)
    if not errors:
        return None
    figure, axes = _figure([n for n, _ in errors], "worst error (absolute)")
    axes.plot([n for n, _ in errors], [_middle(x) for _, x in errors], color=INK, alpha=0.35, linewidth=0.8)
    for verdict in dict.fromkeys(row.verdict for row in rows):
        marker, colour = MARKERS.get(verdict, OTHER_MARKER)
        _draw(axes, _drawable((row.n, row.error) for row in rows if row.verdict == verdict), marker, colour, verdict,
              line="")
    if bounds:
        _draw(axes, bounds, "", INK, "bound", line="--")
    _scale_errors(axes, [x for _, x in errors], [x for _, x in bounds])
    axes.legend()
    n, worst = max(errors, key=lambda pair: pair[1].upper)
    bounded = f", the bound at n = {bounds[-1][0]} is {show_enclosed(bounds[-1][1])}" if bounds else ""
    return Plot("error", "Worst error over n",
                f"Worst error over n. The greatest is {show_enclosed(worst)} at n = {n}{bounded}.", _svg(figure))


def _slack_plot(criticals: Sequence[CriticalConstant]) -> Plot | None:
    slack = _drawable((one.n, one.slack) for one in criticals)
    if not slack:
        return None
    figure, axes = _figure([n for n, _ in slack], "slack (factor)")
    _draw(axes, slack, "o", BLUE, "claim (bracket)")
    axes.axhline(1, color=ORANGE, linestyle="--", label="just enough")
    axes.set_ylim(0, 1.4 * max(1.0, *(float(x.upper) for _, x in slack)))
    axes.legend()
    n, last = slack[-1]
    return Plot("slack", "Slack over n", "Slack over n: the factor by which the claimed scores exceed what is needed. "
                f"At n = {n} it is at least {show_slack(last)}.", _svg(figure))


# -- drawing -----------------------------------------------------------------------------------------------------------


def _figure(lengths: Sequence[int], y_label: str) -> tuple[Figure, Axes]:
    """An empty plot over n on a logarithmic axis, labelled at lengths that occur."""
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
    """The lengths themselves if they are few, else those at equal steps of a logarithmic axis.

    >>> _some([4, 8, 16]), _some(range(1, 65))
    ([4, 8, 16], [1, 2, 3, 6, 11, 20, 35, 64])
    """
    if len(lengths) <= MOST_LABELS:
        return list(lengths)
    first, step = math.log(lengths[0]), math.log(lengths[-1] / lengths[0]) / (MOST_LABELS - 1)
    wished = [math.exp(first + place * step) for place in range(MOST_LABELS)]
    return list(dict.fromkeys(min(lengths, key=lambda n: abs(n - wish)) for wish in wished))


def _draw(axes: Axes, points: Points, marker: str, colour: str, label: str, line: str = "-") -> None:
    """Intervals as vertical lines with a marker in the middle; most are shorter than the marker."""
    places = [n for n, _ in points]
    axes.vlines(places, [float(x.lower) for _, x in points], [float(x.upper) for _, x in points], colors=colour)
    axes.plot(places, [_middle(x) for _, x in points], marker=marker, linestyle=line, color=colour, label=label)


def _scale_errors(axes: Axes, errors: Sequence[Interval], bounds: Sequence[Interval]) -> None:
    """From 0 on, or logarithmic if otherwise nothing but the bound could be seen."""
    greatest = max(float(x.upper) for x in [*errors, *bounds])
    if all(x.lower > 0 for x in [*errors, *bounds]) and greatest > WIDE * max(float(x.upper) for x in errors):
        _scale_log(axes, [*errors, *bounds])
    else:
        axes.set_ylim(0, 1.25 * greatest or 1)


def _scale_log(axes: Axes, values: Sequence[Interval]) -> None:
    decades = math.log10(max(float(x.upper) for x in values)) - math.log10(min(float(x.lower) for x in values))
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if decades < DECADES_WITH_STEPS else (1,)))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(_plain_number))
    axes.set_ylabel(f"{axes.get_ylabel()}, log")


def _plain_number(x: float, _place: int | None = None) -> str:
    return f"{x:g}"


def _svg(figure: Figure) -> str:
    """The drawing as an element to be put into a page."""
    file = io.StringIO()
    figure.savefig(file, format="svg", transparent=True,
                   metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    text = file.getvalue()
    return text[text.index("<svg "):].strip().replace(INK, "currentColor")


def _finished(plot: Plot, prefix: str) -> str:
    """The drawing with identifiers that no other drawing of the page has, and with its description for who hears it."""
    svg = re.sub(r' xmlns:xlink="[^"]*"|\bxlink:(?=href=)', "", plot.svg)  # an SVG needs no other namespace by now
    svg = re.sub(r'(\bid="|url\(#|href="#)', lambda start: start.group() + prefix, svg)
    return svg.replace("<svg ", f'<svg role="img" aria-label="{plot.description}" ', 1)


# -- from exact numbers to floats --------------------------------------------------------------------------------------


def _middle(x: Interval) -> float:
    return float((x.lower + x.upper) / 2)


def _drawable(points: Iterable[tuple[int, Interval | None]]) -> Points:
    """The points with n and both ends in the range of floats."""
    return _kept(points, lambda x: abs(x) < 10**300)


def _positive(points: Iterable[tuple[int, Interval | None]]) -> Points:
    """The points that a logarithmic axis can show."""
    return _kept(points, lambda x: Fraction(1, 10**300) < x < 10**300)


def _kept(points: Iterable[tuple[int, Interval | None]], fits: Callable[[Fraction], bool]) -> Points:
    return sorted((n, x) for n, x in points if x and 0 < n < 10**9 and fits(x.lower) and fits(x.upper))
