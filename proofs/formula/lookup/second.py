"""Lookup heads: the weights of all profiles of a group at once as real variables, each in the hull of its values.

Let w be the weight at an offset, and y the weight times the miss there (value minus target). In a group w is in an
interval, and y between w times the least and w times the greatest miss. Z3 proves that the sum of the y does not exceed
the bound times the sum of the w. If this is too weak, the group is halved.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import z3

from proofs.enclosures.exponential import enclose_exp
from proofs.formula.lookup.worst_case import LookupProfile, LookupProfiles, Peak, Window
from proofs.formula.transcript import Record, ignore
from proofs.formula.z3.solver import SolverQuery, rational, total

NEGLIGIBLE_NATS, NEGLIGIBLE = 400, Fraction(1, 2**550)
"""e^-400 < 2^-550, which is far below the smallest bound that is ever stated: weights there are in [0, 2^-550]."""
EXTRA_BITS = 64
"""Additional bits of enclosures, so that Z3 decides whatever the exact worst case decides."""
LEGEND = (
    "w_k: the weight of a position at one distance from the greatest score, relative to that; within its enclosures",
    "y_k: w_k times the value minus the target, in units of the values' common denominator",
)
Ends = tuple[Fraction, Fraction]
Hull = tuple[Ends, tuple[int, int]]
"""Bounds of a weight, and bounds of the miss there."""


def proves_lookup(profiles: LookupProfiles, excess: Fraction, shortfall: Fraction, record: Record = ignore) -> bool:
    """Return whether Z3 proves that no mean exceeds its target by more than ``excess``, or falls short by more.

    False means that Z3 found weights within the enclosures of a single profile; then the bounds are false up to
    rounding. ``record`` gets the questions that are proved: if the result is True, they are the proof.

    Raises:
        Undecided: if Z3 gives up.
    """
    weights = _EnclosedWeights(profiles.bits + EXTRA_BITS)
    ordered = sorted((profile for profile, _ in profiles.cases),
                     key=lambda profile: (profile.window.peak.drop(1), profile.left))
    return all(_proves_group(profiles, ordered, weights, sign, bound, record)
               for sign, bound in ((1, excess), (-1, shortfall)))


def _proves_group(profiles: LookupProfiles, group: Sequence[LookupProfile], weights: _EnclosedWeights, sign: int,
                  bound: Fraction, record: Record) -> bool:
    pending = [group] if group else []
    while pending:
        group = pending.pop()
        hulls, limit = _hulls(profiles, group, weights), bound * profiles.scale
        if len(group) == 1 or _greatest_excess(hulls, sign, limit) <= 0:  # else there are such weights
            question = _ask(_describe(group, sign, bound), hulls, sign, limit)
            if question.is_proved():
                record(question)
                continue
            if len(group) == 1:
                return False
        middle = len(group) // 2
        pending += [group[middle:], group[:middle]]
    return True


def _greatest_excess(hulls: Sequence[Hull], sign: int, bound: Fraction) -> Fraction:
    """Return the greatest value of sign * (sum of weight * miss) - bound * (sum of weights) within these ranges."""
    greatest = Fraction(0)
    for (lightest, heaviest), misses in hulls:
        excess = max(sign * miss for miss in misses) - bound
        greatest += excess * (heaviest if excess > 0 else lightest)
    return greatest


def _describe(group: Sequence[LookupProfile], sign: int, bound: Fraction) -> str:
    """Return in words what a proof of the question shows."""
    misses = "exceeds its target" if sign > 0 else "falls short of its target"
    return f"the weighted mean {misses} by at most {bound} in all cases of {len(group)} profiles"


class _EnclosedWeights:
    """Cached enclosures of weights relative to the greatest."""

    def __init__(self, bits: int) -> None:
        self._bits = bits
        self._ends: dict[tuple[Peak, int], Ends] = {}

    def ends(self, peak: Peak, offset: int) -> Ends:
        key = (peak, offset)
        if key not in self._ends:
            self._ends[key] = ends_of_exp(peak.drop(offset), self._bits)
        return self._ends[key]


def ends_of_exp(drop: Fraction, bits: int) -> Ends:
    """Return rational bounds of e^drop."""
    if drop < -NEGLIGIBLE_NATS:
        return Fraction(0), NEGLIGIBLE
    ends = enclose_exp(drop, bits)
    unit = Fraction(2) ** ends.exponent
    return ends.lower * unit, ends.upper * unit


def _hulls(profiles: LookupProfiles, group: Sequence[LookupProfile], weights: _EnclosedWeights) -> list[Hull]:
    """Return the ranges of the weight and of the miss at every offset, and of the rest beyond the windows."""
    aligned: dict[tuple[int, int], list[tuple[int, ...]]] = {}
    reaches: dict[Window, tuple[int, int]] = {}
    for profile in group:
        aligned.setdefault((profile.left, profile.right), []).append(profile.misses)
        left, right = reaches.get(profile.window, (0, 0))
        reaches[profile.window] = max(left, profile.left), max(right, profile.right)
    hulls = []
    for offset in range(-max(left for left, _ in aligned), max(right for _, right in aligned) + 1):
        columns = [[row[left + offset] for row in rows] for (left, right), rows in aligned.items()
                   if -left <= offset <= right]
        ends = [weights.ends(window.peak, offset) for window, (left, right) in reaches.items()
                if -left <= offset <= right]
        lightest = min(low for low, _ in ends) if len(columns) == len(aligned) else Fraction(0)
        hulls.append(((lightest, max(high for _, high in ends)), (min(map(min, columns)), max(map(max, columns)))))
    return hulls + _beyond(profiles, group, weights)


def _beyond(profiles: LookupProfiles, group: Sequence[LookupProfile], weights: _EnclosedWeights) -> list[Hull]:
    """Bound the total of the positions beyond the windows by multiples of the first weight there."""
    cut = {(profile.window, side) for profile in group for side in (0, 1) if profile.cut[side]}
    if not cut:
        return []
    heaviest = max(weights.ends(window.peak, (-window.left - 1, window.right + 1)[side])[1] for window, side in cut)
    return [((Fraction(0), 2 * profiles.positions * heaviest), (-profiles.spread, profiles.spread))]


def _ask(about: str, hulls: Sequence[Hull], sign: int, bound: Fraction) -> SolverQuery:
    """Ask whether weights and misses in these ranges have sign * (sum of weight * miss) > bound * (sum of weights)."""
    given, weights, missed = [], [], []
    for k, ((lightest, heaviest), (least, most)) in enumerate(hulls):
        weight, product = z3.Real(f"w_{k}"), z3.Real(f"y_{k}")
        given += [rational(lightest) <= weight, weight <= rational(heaviest)]
        given += [least * weight <= product, product <= most * weight]
        weights.append(weight)
        missed.append(product)
    excess: Any = sign * total(missed)
    return SolverQuery(about, LEGEND, tuple(given), z3.BoolVal(True), excess > rational(bound) * total(weights))
