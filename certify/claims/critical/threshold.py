"""A change of a claim from failing to passing as its constant grows, narrowed from both sides.

The answers of probes are not verified here; brackets.py certifies and refutes.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from constructions.language.expressions import Constant, enclose_constant

LARGEST_FACTOR = Fraction(2) ** 128
"""The largest factor, up or down, between the first constant and those that are tried."""
HALF, BESIDE = Fraction(1, 2), Fraction(999, 1000)


class NoChange(StrEnum):
    """The reason why no change is found between the constants that are tried."""

    ALL_PASS = "every constant that was tried certifies"
    NONE_PASSES = "no constant that was tried certifies"


@dataclass(frozen=True)
class Probe:
    """The result at a constant. ``margin`` is the approximate distance from the change: above 0 where it fails.

    It only guides the search, so it may be rough, or None.
    """

    passes: bool
    margin: float | None = None


@dataclass(frozen=True)
class Probed:
    """A constant, and the result of its probe."""

    constant: Fraction
    found: Probe


@dataclass(frozen=True)
class Threshold:
    """Constants on either side of a change: the claim fails at ``fails`` and passes at ``passes``."""

    fails: Fraction
    passes: Fraction


def find_threshold(probe: Callable[[Fraction], Probe], start: Fraction, width: Fraction) -> Threshold | NoChange:
    """Find constants of relative distance at most ``width`` on either side of a change, or why there is none.

    >>> found = find_threshold(lambda x: Probe(x * x >= 2), Fraction(3), Fraction(1, 10**6))
    >>> found.fails**2 < 2 <= found.passes**2, found.passes / found.fails - 1 <= Fraction(1, 10**6)
    (True, True)
    >>> find_threshold(lambda x: Probe(True), Fraction(3), Fraction(1, 10**6)).name
    'ALL_PASS'
    """
    low = high = Probed(start, probe(start))
    factor = Fraction(2)
    while low.found.passes:
        if factor > LARGEST_FACTOR:
            return NoChange.ALL_PASS
        high, low = low, Probed(start / factor, probe(start / factor))
        factor *= factor
    while not high.found.passes:
        if factor > LARGEST_FACTOR:
            return NoChange.NONE_PASSES
        low, high = high, Probed(start * factor, probe(start * factor))
        factor *= factor
    return narrow(probe, low, high, width)


def narrow(probe: Callable[[Fraction], Probe], low: Probed, high: Probed, width: Fraction) -> Threshold:
    """Narrow a change between two constants, of which the lower fails and the higher passes, to this width.

    Distant constants are bisected by their logarithms. Then secant steps by the margins; if a step leaves more than
    half of the interval, the next constant is its middle.
    """
    while high.constant >= 4 * low.constant:
        octaves = int(high.constant / low.constant).bit_length() - 1
        middle = low.constant * 2 ** (octaves // 2)
        found = Probed(middle, probe(middle))
        low, high = (low, found) if found.found.passes else (found, high)
    halve = False
    while high.constant - low.constant > width * low.constant:
        before = high.constant - low.constant
        middle = _between(low, high, width, halve)
        found = Probed(middle, probe(middle))
        low, high = (low, found) if found.found.passes else (found, high)
        halve = 2 * (high.constant - low.constant) > before
    return Threshold(low.constant, high.constant)


def _between(low: Probed, high: Probed, width: Fraction, halve: bool) -> Fraction:
    """Return the next constant: a short one in the middle third without margins, else near their change of sign."""
    if low.found.margin is None and high.found.margin is None:
        third = (high.constant - low.constant) / 3
        return shortest_between(low.constant + third, high.constant - third)
    place = (low.constant + high.constant) / 2 if halve else _guess(low, high, width)
    room = min((high.constant - low.constant) / 5, width * low.constant / 12)
    place = min(max(place, low.constant + room), high.constant - room)
    return shortest_between(place - room / 2, place + room / 2)


def _guess(low: Probed, high: Probed, width: Fraction) -> Fraction:
    """Return a constant just beyond the zero of a line through the margins; the middle if they are of no use."""
    below, above = low.found.margin, high.found.margin
    if below is None or above is None or not math.isfinite(below) or not math.isfinite(above) or below <= above:
        return (low.constant + high.constant) / 2
    share = Fraction(below / (below - above))
    place = low.constant + (high.constant - low.constant) * share
    step = width * low.constant / 3
    if share < HALF:
        return place + step
    return place - step if share > HALF else place


def rational_nearby(constant: Constant) -> Fraction:
    """Return a short rational at a constant or just below, where the search for other constants starts.

    >>> from constructions.language.expressions import parse_expression
    >>> str(rational_nearby(parse_expression("ln(4)")))
    '79/57'
    """
    lower, upper = enclose_constant(constant)
    return lower if lower == upper else shortest_between(lower * BESIDE, upper)


def shortest_between(low: Fraction, high: Fraction) -> Fraction:
    """Return the fraction of the smallest denominator in [low, high].

    >>> str(shortest_between(Fraction(1386, 1000), Fraction(142, 100)))
    '7/5'
    """
    whole = -(-low.numerator // low.denominator)
    if whole <= high:
        return Fraction(whole)
    below = Fraction(whole - 1)
    return below + 1 / shortest_between(1 / (high - below), 1 / (low - below))
