"""Joint bounds of all score profiles of a head, where they are too many to be listed.

Source      docs/background/softened_rules.md, section 3.
Bounds      Profiles are grouped by the |q_r| of the query. Each group has for each loss the greatest difference of the
            keys of rivals from the winner's. For each direction and sign it has the greatest sum of the differences of
            values, over rivals within each positive loss, and the greatest difference of a rival that ties.
Merging     Every entry is a maximum, so the order does not matter. With more than MAX_LEVELS pairs of |q_r| and loss
            the bounds become *coarse*, and remain so: one entry for all, with the least positive loss.
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
"""A score profile: the places of its rivals in a list, in increasing order."""
Steps = tuple[tuple[Fraction, Fraction], ...]
"""A step function: the sum at each listed loss and beyond; both increase."""


@dataclass(frozen=True, order=True)
class Rival:
    """A visible position j other than *: its loss Δ, the |q_r|, the |k_r(*) - k_r(j)|, and the v_t(j) - v_t(*)."""

    loss: Fraction
    queries: tuple[Fraction, ...]
    keys: tuple[Fraction, ...]
    values: tuple[Fraction, ...]

    def to_json(self) -> list[Any]:
        """Return the loss, and the three lists."""
        return [spell(self.loss), *map(spell_all, (self.queries, self.keys, self.values))]

    @classmethod
    def from_json(cls, data: Any) -> Rival:
        """Read the value that ``to_json`` wrote."""
        loss, *parts = data
        return cls(Fraction(loss), *map(read_all, parts))


@dataclass(frozen=True)
class Mass:
    """The greatest difference of a rival that ties, and of one that loses, for one direction and sign; greatest sums.

    The sums are over the differences of rivals that lose, within each loss.
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
        """Read the value that ``to_json`` wrote."""
        tied, peak, steps = data
        return cls(Fraction(tied), Fraction(peak), tuple((Fraction(loss), Fraction(total)) for loss, total in steps))


NOTHING = Mass(ZERO, ZERO, ())


@dataclass(frozen=True)
class QueryBounds:
    """Bounds of the profiles of queries with the same |q_r|: the greatest |k_r(*) - k_r(j)| by loss, and the masses.

    There are two masses for each direction, of values above the winner's and below it. A rival that ties is also a
    winner, with its own profile: so the greatest differences of ties are equal for both signs.
    """

    keys: tuple[tuple[Fraction, Amounts], ...]
    masses: tuple[Mass, ...]

    def merge(self, other: QueryBounds) -> QueryBounds:
        """Return joint bounds of the profiles of both."""
        keys = dict(self.keys)
        for loss, amounts in other.keys:
            keys[loss] = greatest([amounts, keys.get(loss, amounts)])
        return QueryBounds(tuple(sorted(keys.items())),
                            tuple(a.merge(b) for a, b in zip(self.masses, other.masses, strict=True)))

    def as_one_level(self) -> QueryBounds:
        """Return coarse bounds: one level for ties, and one for the least positive loss, with greatest differences."""
        levels = [[level for level in self.keys if bool(level[0]) is loses] for loses in (False, True)]
        return QueryBounds(tuple((level[0][0], greatest(amounts for _, amounts in level)) for level in levels
                                  if level),
                            self.masses)


@dataclass(frozen=True)
class JointBounds:
    """Joint bounds of all profiles of a head, by the |q_r| in increasing order; a single entry if they are coarse."""

    by_query: tuple[tuple[Amounts, QueryBounds], ...]
    coarse: bool

    def merge(self, other: JointBounds) -> JointBounds:
        """Return joint bounds of the profiles of both."""
        merged = dict(self.by_query)
        for queries, entry in other.by_query:
            merged[queries] = merged[queries].merge(entry) if queries in merged else entry
        return bounded(merged, self.coarse or other.coarse)

    def to_json(self) -> dict[str, Any]:
        """Return the canonical form: lists of rationals."""
        return {"profile": [[spell_all(queries), [[spell(loss), spell_all(keys)] for loss, keys in entry.keys],
                             [mass.to_json() for mass in entry.masses]] for queries, entry in self.by_query],
                "coarse": self.coarse}

    @classmethod
    def from_json(cls, data: Any) -> JointBounds:
        """Read the value that ``to_json`` wrote."""
        return cls(tuple((read_all(queries), QueryBounds(tuple((Fraction(loss), read_all(row)) for loss, row in keys),
                                                          tuple(map(Mass.from_json, masses))))
                         for queries, keys, masses in data["profile"]), data["coarse"])


def bounded(by_query: Mapping[Amounts, QueryBounds], coarse: bool = False) -> JointBounds:
    """Return the bounds, coarse if there are too many levels."""
    if coarse or sum(len(entry.keys) for entry in by_query.values()) > MAX_LEVELS:
        by_query = {greatest(by_query): reduce(QueryBounds.merge, by_query.values()).as_one_level()}
        coarse = True
    return JointBounds(tuple(sorted(by_query.items(), key=lambda item: item[0])), coarse)


def joint_bounds_of(rivals: Sequence[Rival], profiles: Iterable[Places]) -> JointBounds:
    """Return joint bounds of profiles, at least one, on an increasing list of rivals."""
    by_queries: dict[Amounts, list[Places]] = {}
    for places in profiles:
        by_queries.setdefault(rivals[places[0]].queries, []).append(places)
    return bounded({queries: _query_bounds(rivals, chosen) for queries, chosen in by_queries.items()})


def _query_bounds(rivals: Sequence[Rival], profiles: Sequence[Places]) -> QueryBounds:
    used = sorted({place for places in profiles for place in places})
    losses = [(loss, list(group)) for loss, group in groupby(used, key=lambda place: rivals[place].loss)]
    rivals_used = [rivals[place] for place in used]
    columns = differences(rivals_used)
    masses = {values: Mass(*peaks(rivals_used, values), _steps(losses, profiles, dict(zip(used, values, strict=True))))
              for values in {*columns}}
    return QueryBounds(tuple((loss, greatest(rivals[place].keys for place in group)) for loss, group in losses),
                        tuple(masses[values] for values in columns))


def differences(rivals: Sequence[Rival]) -> list[Amounts]:
    """Return, for each direction and sign, the positive parts of rivals' values minus the winner's."""
    return [tuple([sign * x if sign * x.numerator > 0 else ZERO for x in column])
            for column in zip(*(rival.values for rival in rivals), strict=True) for sign in (1, -1)]


def peaks(rivals: Iterable[Rival], values: Iterable[Fraction]) -> tuple[Fraction, Fraction]:
    """Return the greatest value of a rival that ties, and of one that loses."""
    tied, peak = ZERO, ZERO
    for rival, value in zip(rivals, values, strict=True):
        tied, peak = (tied, max(peak, value)) if rival.loss else (max(tied, value), peak)
    return tied, peak


def _steps(losses: Sequence[tuple[Fraction, list[int]]], profiles: Iterable[Places],
           values: Mapping[int, Fraction]) -> Steps:
    """Return the greatest sums of values of losing rivals within each loss; profiles list rivals by increasing loss."""
    if not any(values.values()):
        return ()
    tied = {place for loss, group in losses if not loss for place in group}
    scale = lcm(*(value.denominator for value in values.values()))
    whole = [0] * (max(values) + 1)
    for place, value in values.items():
        whole[place] = 0 if place in tied else int(value * scale)
    sums = [0] * len(whole)
    for places in profiles:
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
