"""The plots of a claim: claimed against critical temperature, error against its bound, slack."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from certify.auditing.results import ClaimResult, CriticalConstant, HeadTemperature, LengthVerdict
from certify.auditing.wording import UNIT_OF_TEMPERATURE, show_enclosed, show_heads, show_slack
from certify.common.plots import (
    BLUE,
    GREEN,
    INK,
    LEGEND_LINE,
    ORANGE,
    SIZE,
    Plot,
    Points,
    draw_points,
    drawable,
    figure_over_n,
    finished,
    middle,
    positive,
    scale_errors,
    scale_log,
    styled,
    svg_of,
)
from constructions.network.sharpening import Place
from proofs.enclosures.intervals import point

MARKERS = {"certified": ("o", BLUE), "refuted": ("X", ORANGE)}
OTHER_MARKER = ("s", GREEN)
MARKERS_OF_TEMPERATURES = (("o", "s"), ("^", "D"), ("v", "P"), ("<", "X"))
"""Pairs of markers for the critical and the claimed temperature of a group of heads."""
Heads = tuple[Place, ...]
OverN = list[tuple[int, HeadTemperature]]


def draw_plots(claim: ClaimResult, prefix: str) -> tuple[Plot, ...]:
    """Draw the plots of a claim's numbers; ``prefix`` makes their identifiers unique among claims."""
    with styled():
        errors = claim.rows if claim.measure == "worst error" else ()
        drawn = (_temperature_plot(claim.criticals), _error_plot(errors), _slack_plot(claim.criticals))
    return tuple(replace(plot, svg=finished(plot, f"{prefix}-{plot.kind}-")) for plot in drawn if plot)


def _temperature_plot(criticals: Sequence[CriticalConstant]) -> Plot | None:
    curves = [curve for heads, found in _temperatures(criticals).items() if (curve := _curve(heads, found))]
    if not curves:
        return None
    figure, axes = figure_over_n(sorted({n for curve in curves for n, _ in curve.critical}),
                                 "temperature (score units)")
    for curve, (marker, claimed_marker) in zip(curves, itertools.cycle(MARKERS_OF_TEMPERATURES), strict=False):
        name = f", {curve.heads}" if len(curves) > 1 else ""
        draw_points(axes, curve.critical, marker, BLUE, f"critical (bracket){name}")
        draw_points(axes, curve.claimed, claimed_marker, ORANGE, f"claimed{name}", line="--")
    scale_log(axes, [x for curve in curves for _, x in [*curve.critical, *curve.claimed]])
    if len(curves) > 1:
        figure.set_figheight(SIZE[1] + 2 * len(curves) * LEGEND_LINE)
        figure.legend(loc="outside upper left")  # names of heads are long
    else:
        axes.legend()
    description = (f"Claimed and critical temperature over n, {UNIT_OF_TEMPERATURE}; both axes logarithmic. "
                   + " ".join(_describe_curve(curve, len(curves) > 1) for curve in curves))
    return Plot("temperature", "Temperature over n", description, svg_of(figure))


@dataclass(frozen=True)
class _Curve:
    """The critical and the claimed temperatures of some heads over n."""

    heads: str
    critical: Points
    claimed: Points


def _temperatures(criticals: Sequence[CriticalConstant]) -> dict[Heads, OverN]:
    """Return the temperatures of the heads that share them."""
    found: dict[Heads, OverN] = {}
    for critical in criticals:
        for temperature in critical.temperatures:
            found.setdefault(temperature.heads, []).append((critical.n, temperature))
    return found


def _curve(heads: Heads, found: OverN) -> _Curve | None:
    """Return the curve of some heads; None if no number is in the range of floats."""
    critical = positive((n, temperature.critical) for n, temperature in found)
    claimed = positive((n, point(temperature.claimed)) for n, temperature in found)
    return _Curve(show_heads(heads), critical, claimed) if critical and claimed else None


def _describe_curve(curve: _Curve, named: bool) -> str:
    n, last = curve.critical[-1]
    name = f" of {curve.heads}" if named else ""
    return (f"At n = {n} the critical temperature{name} is {show_enclosed(last)}, "
            f"the claimed one {show_enclosed(curve.claimed[-1][1])}.")


def _error_plot(rows: Sequence[LengthVerdict]) -> Plot | None:
    errors = drawable((row.n, row.error) for row in rows)
    bounds = drawable((row.n, row.bound) for row in rows)
    if not errors:
        return None
    figure, axes = figure_over_n([n for n, _ in errors], "worst error (absolute)")
    axes.plot([n for n, _ in errors], [middle(x) for _, x in errors], color=INK, alpha=0.35, linewidth=0.8)
    for verdict in dict.fromkeys(row.verdict for row in rows):
        marker, colour = MARKERS.get(verdict, OTHER_MARKER)
        draw_points(axes, drawable((row.n, row.error) for row in rows if row.verdict == verdict), marker, colour,
                    verdict, line="")
    if bounds:
        draw_points(axes, bounds, "", INK, "bound", line="--")
    scale_errors(axes, [x for _, x in errors], [x for _, x in bounds])
    axes.legend()
    n, worst = max(errors, key=lambda pair: pair[1].upper)
    bounded = f", the bound at n = {bounds[-1][0]} is {show_enclosed(bounds[-1][1])}" if bounds else ""
    return Plot("error", "Worst error over n",
                f"Worst error over n. The greatest is {show_enclosed(worst)} at n = {n}{bounded}.", svg_of(figure))


def _slack_plot(criticals: Sequence[CriticalConstant]) -> Plot | None:
    slack = drawable((one.n, one.slack) for one in criticals)
    if not slack:
        return None
    figure, axes = figure_over_n([n for n, _ in slack], "slack (factor)")
    draw_points(axes, slack, "o", BLUE, "claim (bracket)")
    axes.axhline(1, color=ORANGE, linestyle="--", label="just enough")
    axes.set_ylim(0, 1.4 * max(1.0, *(float(x.upper) for _, x in slack)))
    axes.legend()
    n, last = slack[-1]
    return Plot("slack", "Slack over n", "Slack over n: the factor by which the claimed scores exceed what is needed. "
                f"At n = {n} it is at least {show_slack(last)}.", svg_of(figure))
