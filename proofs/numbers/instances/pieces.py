"""The least number of affine pieces of a continuous function through given points, exactly.

Let a continuous piecewise affine function leave a point with slope a and reach the next one with slope b. Between them
it has 0 breaks if a and b are the slope d of the segment, 1 break if d lies strictly between a and b, and at least 2
breaks otherwise: each of these is possible, and no fewer are. At a point itself the slope may change by one break. So
the least number of breaks is a shortest path over the slopes at the points. Only comparisons of slopes with the slopes
of the segments matter: a and b are given by their ranks, odd for a slope of a segment, even in the gap below or above.
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
    ranks = {slope: 2 * place + 1 for place, slope in enumerate(sorted(set(segments)))}
    breaks = [0] * (2 * len(ranks) + 1)
    for rank in map(ranks.__getitem__, segments):
        most = min(breaks) + 2
        below, above = min(breaks[:rank]), min(breaks[rank + 1:])
        reached = [min(most, above + 1)] * rank + [min(most, breaks[rank])]
        reached += [min(most, below + 1)] * (len(breaks) - len(reached))
        cheapest = min(reached)
        breaks = [min(count, cheapest + 1) for count in reached]
    return min(breaks) + 1
