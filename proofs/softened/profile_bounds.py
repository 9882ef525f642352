"""What bounds all situations of a head together, where they are too many to be listed.

Source      docs/background/softened_rules.md, section 3.
Profile     Situations are told apart by the |q_r| of the query only. For each: how far the keys of rivals with each
            loss are from the winner's at most; and for each direction and sign, how much the values of the rivals
            within each positive loss differ from the winner's in sum, at most, and how much the value of one that ties.
Merging     Every entry is a greatest one, so the order does not matter. With more than MAX_LEVELS pairs of |q_r| and
            loss the profile becomes *coarse*: one entry for all, with the least positive loss, and it stays so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import groupby
from math import lcm
from typing import Any

from proofs.softened.rational_json import read_all, spell, spell_all

MAX_LEVELS = 2_000
ZERO = Fraction(0)
Amounts = tuple[Fraction, ...]
Places = tuple[int, ...]
"""A situation: the places of its rivals in a list, in increasing order."""
Steps = tuple[tuple[Fraction, Fraction], ...]
"""A step function: at each loss listed, and from there on, the sum; both increase."""


@dataclass(frozen=True, order=True)
class Rival:
    """A visible position beside *: Δ, the |q_r| it lost by, its |k_r(*) - k_r(j)|, and its v_t(j) - v_t(*)."""

    loss: Fraction
    queries: tuple[Fraction, ...]
    keys: tuple[Fraction, ...]
    values: tuple[Fraction, ...]

    def to_json(self) -> list[Any]:
        """Return the loss, and the three lists."""
        return [spell(self.loss), *map(spell_all, (self.queries, self.keys, self.values))]

    @classmethod
    def from_json(cls, data: Any) -> Rival:
        """What ``to_json`` wrote."""
        loss, *parts = data
        return cls(Fraction(loss), *map(read_all, parts))


@dataclass(frozen=True)
class Mass:
    """Of one direction and sign: the greatest difference of one rival that ties, of one that loses, the greatest sums.

    The sums are of the differences of rivals that lose, within each loss.
    """

    tied: Fraction
    peak: Fraction
    steps: Steps

    def merge(self, other: Mass) -> Mass:
        """Return the greater of both, at every loss."""
        if self == other:
            return self
        merged: list[tuple[Fraction, Fraction]] = []
        for loss, mass in sorted({*self.steps, *other.steps}):
            if not merged or mass > merged[-1][1]:
                if merged and merged[-1][0] == loss:
                    merged.pop()
                merged.append((loss, mass))
        return Mass(max(self.tied, other.tied), max(self.peak, other.peak), tuple(merged))

    def to_json(self) -> list[Any]:
        """Return the two differences, and the steps."""
        return [spell(self.tied), spell(self.peak), [spell_all(step) for step in self.steps]]

    @classmethod
    def from_json(cls, data: Any) -> Mass:
        """What ``to_json`` wrote."""
        tied, peak, steps = data
        return cls(Fraction(tied), Fraction(peak), tuple((Fraction(loss), Fraction(total)) for loss, total in steps))


NOTHING = Mass(ZERO, ZERO, ())


@dataclass(frozen=True)
class QueryProfile:
    """The situations of queries with the same |q_r|: the greatest |k_r(*) - k_r(j)| by loss, and the masses.

    There are two masses for each direction, of values above the winner's and of those below. A rival that ties is a
    winner, too, from which the same situation is seen: in masses of all situations both signs differ as much at most.
    """

    keys: tuple[tuple[Fraction, Amounts], ...]
    masses: tuple[Mass, ...]

    def merge(self, other: QueryProfile) -> QueryProfile:
        """What bounds the situations of both."""
        keys = dict(self.keys)
        for loss, amounts in other.keys:
            keys[loss] = greatest([amounts, keys.get(loss, amounts)])
        return QueryProfile(tuple(sorted(keys.items())),
                            tuple(a.merge(b) for a, b in zip(self.masses, other.masses, strict=True)))

    def as_one_level(self) -> QueryProfile:
        """Return the least positive loss, with the greatest differences of all; and so of those that tie."""
        levels = [[level for level in self.keys if bool(level[0]) is loses] for loses in (False, True)]
        return QueryProfile(tuple((level[0][0], greatest(amounts for _, amounts in level)) for level in levels
                                  if level),
                            self.masses)


@dataclass(frozen=True)
class Profile:
    """What bounds all situations together, by the |q_r| in increasing order; a single entry if it is coarse."""

    asked: tuple[tuple[Amounts, QueryProfile], ...]
    coarse: bool

    def merge(self, other: Profile) -> Profile:
        """What bounds the situations of both."""
        merged = dict(self.asked)
        for queries, asked in other.asked:
            merged[queries] = merged[queries].merge(asked) if queries in merged else asked
        return bounded(merged, self.coarse or other.coarse)

    def to_json(self) -> dict[str, Any]:
        """Canonical: lists of rationals."""
        return {"profile": [[spell_all(queries), [[spell(loss), spell_all(keys)] for loss, keys in asked.keys],
                             [mass.to_json() for mass in asked.masses]] for queries, asked in self.asked],
                "coarse": self.coarse}

    @classmethod
    def from_json(cls, data: Any) -> Profile:
        """What ``to_json`` wrote."""
        return cls(tuple((read_all(queries), QueryProfile(tuple((Fraction(loss), read_all(row)) for loss, row in keys),
                                                          tuple(map(Mass.from_json, masses))))
                         for queries, keys, masses in data["profile"]), data["coarse"])


def bounded(asked: Mapping[Amounts, QueryProfile], coarse: bool = False) -> Profile:
    """Return the profile, coarse if it must be."""
    if coarse or sum(len(entry.keys) for entry in asked.values()) > MAX_LEVELS:
        asked = {greatest(asked): reduce(QueryProfile.merge, asked.values()).as_one_level()}
        coarse = True
    return Profile(tuple(sorted(asked.items(), key=lambda item: item[0])), coarse)


def profile_of(rivals: Sequence[Rival], situations: Iterable[Places]) -> Profile:
    """Return the profile of situations on an increasing list of rivals, at least one."""
    by_queries: dict[Amounts, list[Places]] = {}
    for places in situations:
        by_queries.setdefault(rivals[places[0]].queries, []).append(places)
    return bounded({queries: _asked(rivals, chosen) for queries, chosen in by_queries.items()})


def _asked(rivals: Sequence[Rival], situations: Sequence[Places]) -> QueryProfile:
    used = sorted({place for places in situations for place in places})
    losses = [(loss, list(group)) for loss, group in groupby(used, key=lambda place: rivals[place].loss)]
    met = [rivals[place] for place in used]
    columns = differences(met)
    masses = {values: Mass(*peaks(met, values), _steps(losses, situations, dict(zip(used, values, strict=True))))
              for values in {*columns}}
    return QueryProfile(tuple((loss, greatest(rivals[place].keys for place in group)) for loss, group in losses),
                        tuple(masses[values] for values in columns))


def differences(rivals: Sequence[Rival]) -> list[Amounts]:
    """For each direction, how much the values of rivals, at least one, are above the winner's, and how much below."""
    return [tuple([sign * x if sign * x.numerator > 0 else ZERO for x in column])
            for column in zip(*(rival.values for rival in rivals), strict=True) for sign in (1, -1)]


def peaks(rivals: Iterable[Rival], values: Iterable[Fraction]) -> tuple[Fraction, Fraction]:
    """Return the greatest value of a rival that ties, and of one that loses."""
    tied, peak = ZERO, ZERO
    for rival, value in zip(rivals, values, strict=True):
        tied, peak = (tied, max(peak, value)) if rival.loss else (max(tied, value), peak)
    return tied, peak


def _steps(losses: Sequence[tuple[Fraction, list[int]]], situations: Iterable[Places],
           values: Mapping[int, Fraction]) -> Steps:
    """The greatest sums of values within a loss, of what loses; a situation lists its rivals by increasing loss."""
    if not any(values.values()):
        return ()
    tied = {place for loss, group in losses if not loss for place in group}
    scale = lcm(*(value.denominator for value in values.values()))
    whole = [0] * (max(values) + 1)
    for place, value in values.items():
        whole[place] = 0 if place in tied else int(value * scale)
    sums = [0] * len(whole)
    for places in situations:
        total = 0
        for place in places:
            if whole[place]:
                total += whole[place]
                if total > sums[place]:  # noqa: PLR1730 - the innermost loop
                    sums[place] = total
    steps: list[tuple[Fraction, Fraction]] = []
    highest = 0
    for loss, group in losses:
        top = max(sums[place] for place in group)
        if top > highest:
            highest = top
            steps.append((loss, Fraction(top, scale)))
    return tuple(steps)


def greatest(rows: Iterable[Amounts]) -> Amounts:
    """Return the greatest of each component.

    >>> greatest([(Fraction(1), Fraction(2)), (Fraction(3), Fraction(0))])
    (Fraction(3, 1), Fraction(2, 1))
    """
    return tuple(max(column) for column in zip(*rows, strict=True))
