"""The least number of affine pieces of a continuous function through given points, exactly.

Let a continuous piecewise affine function leave a point with slope a and reach the next one with slope b. Between them
it has 0 breaks if a and b are the slope d of the segment, 1 break if d lies strictly between a and b, and at least 2
breaks otherwise: each of these is possible, and no fewer are. At a point itself the slope may change by one break. So
the least number of breaks is a shortest path over the slopes at the points. Only comparisons of slopes with the slopes
of the segments matter: a and b may be restricted to these and to one slope in each gap between, below and above them.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

Point = tuple[Fraction, Fraction]


def fewest_pieces(points: Sequence[Point]) -> int:
    """Return the least number of pieces; the points are in increasing order of their first coordinates.

    >>> fewest_pieces([(Fraction(x), Fraction(abs(x))) for x in (-2, -1, 1, 2)])
    2
    >>> fewest_pieces([(Fraction(x), Fraction(x % 2)) for x in range(4)])
    3
    """
    segments = [(right[1] - left[1]) / (right[0] - left[0]) for left, right in pairwise(points)]
    breaks = dict.fromkeys(_slopes(segments), 0)
    for segment in segments:
        reached = _reached(breaks, segment)
        cheapest = min(reached.values())
        breaks = {slope: min(count, cheapest + 1) for slope, count in reached.items()}
    return min(breaks.values()) + 1


def _slopes(segments: Sequence[Fraction]) -> list[Fraction]:
    """Return the slopes of the segments, and one in each gap between, below and above them."""
    known = sorted(set(segments)) or [Fraction(0)]
    between = [(low + high) / 2 for low, high in pairwise(known)]
    return sorted([known[0] - 1, *known, *between, known[-1] + 1])


def _reached(breaks: dict[Fraction, int], segment: Fraction) -> dict[Fraction, int]:
    """Return the fewest breaks with which a segment's end is reached at each slope, from those at its beginning."""
    below = min(count for slope, count in breaks.items() if slope < segment)
    above = min(count for slope, count in breaks.items() if slope > segment)
    anywhere = min(breaks.values())
    return {slope: min(anywhere + 2, *([breaks[segment]] if slope == segment else
                                       [below + 1] if slope > segment else [above + 1]))
            for slope in breaks}
