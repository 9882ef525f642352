"""The largest change over n as an SVG text: what is shown by pairs of words, and what is proved from above."""

from __future__ import annotations

from certify.auditing.plots import BLUE, GREEN, LEGEND_LINE, ORANGE, SIZE, Curve, Plot, draw_curves, standalone
from certify.measuring.results import Sensitivity
from certify.measuring.show import show_change
from constructions.errors import InputError
from proofs.enclosures.intervals import Interval, point

CLOSE = 2
"""Bounds within this factor are one curve."""


def draw_sensitivity(found: Sensitivity) -> str:
    """The drawing, for a file of its own.

    Raises:
        InputError: if nothing changes, so that a logarithmic axis has nothing to show.
    """
    curves = [curve for curve in _curves(found) if any(x.upper > 0 for _, x in curve.points)]
    if not curves:
        raise InputError("plot: nothing changes at any of these lengths, so there is nothing to draw")
    longest = found.rows[-1]
    description = ("The largest change over n when one symbol is exchanged; both axes logarithmic. "
                   f"At n = {longest.n} it is {show_change(longest.lower, longest.upper)}.")
    plot = Plot("sensitivity", "Sensitivity over n", description, "")
    size = SIZE[0], SIZE[1] + LEGEND_LINE * len(curves)
    return standalone(draw_curves(curves, "largest change", plot, size, is_logarithmic=True).svg)


def _curves(found: Sensitivity) -> list[Curve]:
    tight = [(row.n, Interval(row.lower, row.upper)) for row in found.rows
             if row.upper is not None and row.upper <= CLOSE * row.lower]
    loose = [row for row in found.rows if row.upper is None or row.upper > CLOSE * row.lower]
    return [Curve("largest change", tight, "o", BLUE),
            Curve("replayed pairs: at least", [(row.n, point(row.lower)) for row in loose], "s", ORANGE),
            Curve("bound: at most", [(row.n, point(row.upper)) for row in loose if row.upper is not None], "^", GREEN)]
