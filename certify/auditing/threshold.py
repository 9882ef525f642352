"""Where a claim changes from failing to passing as its constant grows, narrowed down from both sides."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from proofs.discharge import TOLERATED_ERROR, Line

LARGEST_FACTOR = Fraction(2) ** 20
"""Constants are looked for between this many times the first one and its reciprocal."""

ALL_PASS = "every constant that was tried certifies: nothing competes for attention"
NONE_PASSES = "no constant that was tried certifies"


@dataclass(frozen=True)
class Probe:
    """What is found at a constant. ``margin`` is about how far it is from the change: above 0 where it fails.

    It only says where to look next, so that it may be rough, or None.
    """

    passes: bool
    margin: float | None = None


@dataclass(frozen=True)
class Threshold:
    """Constants on either side of a change: the obligations fail at ``fails`` and pass at ``passes``."""

    fails: Fraction
    passes: Fraction


def read_probe(lines: Sequence[Line], allowed_error: Fraction | None) -> Probe:
    """Whether all obligations are proved, and by how much the worst head is within its allowed error or beyond it.

    The odds of error, E/(1-E), fall about exponentially with the constant, so their logarithms are compared.
    """
    passes = all(line.proved for line in lines)
    allowed = _log_odds(allowed_error or TOLERATED_ERROR)
    margins = [_log_odds(worst.upper) - allowed for line in lines if line.worst and (worst := line.worst.worst)]
    margin = max(margins, default=None)
    return Probe(passes, margin if margin is not None and (margin <= 0) == passes else None)


def _log_odds(error: Fraction) -> float:
    if error <= 0:
        return -math.inf
    odds = error / (1 - error) if error < 1 else Fraction(2) ** 64
    return math.log(odds.numerator) - math.log(odds.denominator)


def find_threshold(probe: Callable[[Fraction], Probe], start: Fraction, width: Fraction) -> Threshold | str:
    """Constants of relative distance at most ``width`` on either side of a change, or why there is none.

    >>> found = find_threshold(lambda x: Probe(x * x >= 2), Fraction(3), Fraction(1, 10**6))
    >>> found.fails**2 < 2 <= found.passes**2, found.passes / found.fails - 1 <= Fraction(1, 10**6)
    (True, True)
    """
    low = high = start
    above = below = probe(start)
    while below.passes:
        high, above = low, below
        low, below = low / 2, probe(low / 2)
        if start / low > LARGEST_FACTOR:
            return ALL_PASS
    while not above.passes:
        low, below = high, above
        high, above = high * 2, probe(high * 2)
        if high / start > LARGEST_FACTOR:
            return NONE_PASSES
    halve = False
    while high - low > width * low:
        before = high - low
        middle = _middle(low, high, None if halve else below.margin, above.margin, width)
        if (found := probe(middle)).passes:
            high, above = middle, found
        else:
            low, below = middle, found
        halve = 2 * (high - low) > before
    return Threshold(low, high)


def _middle(low: Fraction, high: Fraction, below: float | None, above: float | None, width: Fraction) -> Fraction:
    """Where to look next: in the middle, or just beyond where a straight line through the margins changes its sign."""
    share = Fraction(1, 2)
    if below is not None and above is not None and math.isfinite(below) and math.isfinite(above) and below > above:
        share = Fraction(below / (below - above))
    step = width * low / 3
    place = low + (high - low) * share
    place += step if share < Fraction(1, 2) else -step if share > Fraction(1, 2) else 0
    room = min((high - low) / 5, step / 4)
    place = min(max(place, low + room), high - room)
    return shortest_between(place - room / 2, place + room / 2)


def shortest_between(low: Fraction, high: Fraction) -> Fraction:
    """The fraction of the smallest denominator in [low, high].

    >>> str(shortest_between(Fraction(1386, 1000), Fraction(142, 100)))
    '7/5'
    """
    whole = -(-low.numerator // low.denominator)
    if whole <= high:
        return Fraction(whole)
    below = Fraction(whole - 1)
    return below + 1 / shortest_between(1 / (high - below), 1 / (low - below))
