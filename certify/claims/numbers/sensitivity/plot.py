"""The largest change over n as an SVG: lower bounds by pairs of words, and proved upper bounds."""

from certify.claims.numbers.sensitivity.results import Sensitivity
from certify.claims.numbers.sensitivity.show import show_change
from certify.common.plots import Series, draw_series, standalone
from constructions.errors import InputError
from proofs.enclosures.intervals import Interval, point

CLOSE = 2
"""Bounds within this factor are one curve."""


def draw_sensitivity(found: Sensitivity) -> str:
    """Return the drawing as a standalone SVG.

    Raises:
        InputError: if nothing changes: 0 is not on a logarithmic axis.
    """
    longest = found.rows[-1]
    description = ("The largest change over n when one symbol is exchanged; both axes logarithmic. "
                   f"At n = {longest.n} it is {show_change(longest.lower, longest.upper)}.")
    plot = draw_series(_series(found), "largest change", "Sensitivity over n", description)
    if plot is None:
        raise InputError("plot: nothing changes at any of these lengths, so there is nothing to draw")
    return standalone(plot.svg)


def _series(found: Sensitivity) -> list[Series]:
    tight = [(row.n, Interval(row.lower, row.upper)) for row in found.rows
             if row.upper is not None and row.upper <= CLOSE * row.lower]
    loose = [row for row in found.rows if row.upper is None or row.upper > CLOSE * row.lower]
    return [Series("largest change", tight),
            Series("replayed pairs: at least", [(row.n, point(row.lower)) for row in loose]),
            Series("bound: at most", [(row.n, point(row.upper)) for row in loose if row.upper is not None])]
