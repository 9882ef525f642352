"""What errors.py must know of a head: the situations it meets, or what bounds all of them together.

Source      docs/softened.md, section 3.
Situation   The rivals of the winner, at one position of one word, without their order: by how much each loses, and how
            its keys and values differ from the winner's. Words that differ elsewhere share it.
Profile     For each direction and sign: how much the values of the rivals within a loss differ from the winner's in
            sum, at most, over all situations. It stands for them where there are more than MAX_SITUATIONS.
Merging     Situations unite and profiles take the greater sum, in any order. The union is too large no matter
            how it was divided, so which of the two is kept does not depend on that either.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from math import lcm
from typing import Any

MAX_SITUATIONS = 2_000
ZERO = Fraction(0)
Steps = tuple[tuple[Fraction, Fraction], ...]
"""A step function: at each loss listed, and from there on, the sum; both increase."""
Places = tuple[int, ...]
"""A situation: the places of its rivals in a list, in increasing order."""


@dataclass(frozen=True, order=True)
class Rival:
    """A visible position that loses: Δ, the |q_r| it lost by, its |k_r(*) - k_r(j)|, and its v_t(j) - v_t(*)."""

    loss: Fraction
    queries: tuple[Fraction, ...]
    keys: tuple[Fraction, ...]
    values: tuple[Fraction, ...]

    def to_json(self) -> list[Any]:
        """The loss, and the three lists."""
        return [str(self.loss), *([str(x) for x in part] for part in (self.queries, self.keys, self.values))]

    @classmethod
    def from_json(cls, data: Any) -> Rival:
        """What ``to_json`` wrote."""
        loss, *parts = data
        return cls(Fraction(loss), *(tuple(map(Fraction, part)) for part in parts))


@dataclass(frozen=True)
class Mass:
    """Of one direction and sign: the greatest difference of one rival, and the greatest sums of those within a loss."""

    peak: Fraction
    steps: Steps

    def merge(self, other: Mass) -> Mass:
        """The greater of both, at every loss."""
        if self == other:
            return self
        merged: list[tuple[Fraction, Fraction]] = []
        for loss, mass in sorted({*self.steps, *other.steps}):
            if not merged or mass > merged[-1][1]:
                if merged and merged[-1][0] == loss:
                    merged.pop()
                merged.append((loss, mass))
        return Mass(max(self.peak, other.peak), tuple(merged))


@dataclass(frozen=True)
class Profile:
    """What bounds all situations together: the greatest |q_r| and |k_r(*) - k_r(j)|; masses, two for each direction."""

    queries: tuple[Fraction, ...]
    keys: tuple[Fraction, ...]
    masses: tuple[Mass, ...]

    def merge(self, other: Profile) -> Profile:
        """What bounds the situations of both."""
        return Profile(_greatest([self.queries, other.queries]), _greatest([self.keys, other.keys]),
                       tuple(a.merge(b) for a, b in zip(self.masses, other.masses, strict=True)))

    def to_json(self) -> dict[str, Any]:
        """Canonical: lists of rationals."""
        return {"queries": [str(x) for x in self.queries], "keys": [str(x) for x in self.keys],
                "masses": [[str(mass.peak), [[str(x), str(y)] for x, y in mass.steps]] for mass in self.masses]}

    @classmethod
    def from_json(cls, data: Any) -> Profile:
        """What ``to_json`` wrote."""
        return cls(tuple(map(Fraction, data["queries"])), tuple(map(Fraction, data["keys"])),
                   tuple(Mass(Fraction(peak), tuple((Fraction(x), Fraction(y)) for x, y in steps))
                         for peak, steps in data["masses"]))


@dataclass(frozen=True)
class Situations:
    """At most MAX_SITUATIONS, on an increasing list of the rivals that occur in them."""

    rivals: tuple[Rival, ...]
    places: frozenset[Places]

    def merge(self, other: Situations) -> Situations | Profile:
        """The union, or its profile if it is too large."""
        if self == other:
            return self
        rivals = sorted({*self.rivals, *other.rivals})
        place = {rival: number for number, rival in enumerate(rivals)}
        united = {tuple([to[x] for x in places]) for part in (self, other)
                  for to in ([place[rival] for rival in part.rivals],) for places in part.places}
        return limited(rivals, united)

    def to_json(self) -> dict[str, Any]:
        """Canonical: the rivals, and the situations in order."""
        return {"rivals": [rival.to_json() for rival in self.rivals], "situations": sorted(map(list, self.places))}

    @classmethod
    def from_json(cls, data: Any) -> Situations:
        """What ``to_json`` wrote."""
        return cls(tuple(map(Rival.from_json, data["rivals"])), frozenset(map(tuple, data["situations"])))


def collect(rivals: Sequence[Rival], situations: Iterable[Places]) -> Situations | Profile:
    """The situations, given by places in a list of rivals in any order; or their profile if there are too many."""
    chosen = set(situations)
    used = sorted({x for places in chosen for x in places}, key=rivals.__getitem__)
    place = {x: number for number, x in enumerate(used)}
    return limited([rivals[x] for x in used], {tuple(sorted([place[x] for x in places])) for places in chosen})


def limited(rivals: Sequence[Rival], situations: set[Places]) -> Situations | Profile:
    """The situations on an increasing list of rivals; or their profile if there are too many."""
    if len(situations) > MAX_SITUATIONS:
        return profile_of(rivals, situations)
    return Situations(tuple(rivals), frozenset(situations))


def merge(one: Situations | Profile, other: Situations | Profile) -> Situations | Profile:
    """What two shards found of one head, together."""
    if isinstance(one, Situations) and isinstance(other, Situations):
        return one.merge(other)
    parts = [x if isinstance(x, Profile) else profile_of(x.rivals, x.places) for x in (one, other) if _is_any(x)]
    return parts[0].merge(parts[1]) if len(parts) == 2 else parts[0]


def _is_any(found: Situations | Profile) -> bool:
    return isinstance(found, Profile) or bool(found.rivals)


def profile_of(rivals: Sequence[Rival], situations: Iterable[Places]) -> Profile:
    """The profile of situations on an increasing list of rivals, at least one."""
    chosen = list(situations)
    masses: list[Mass] = []
    for column in zip(*(rival.values for rival in rivals), strict=True):
        for sign in (1, -1):
            masses.append(_mass(rivals, chosen, [max(sign * value, ZERO) for value in column]))
    return Profile(_greatest([rival.queries for rival in rivals]), _greatest([rival.keys for rival in rivals]),
                   tuple(masses))


def _mass(rivals: Sequence[Rival], situations: Iterable[Places], values: Sequence[Fraction]) -> Mass:
    """The greatest sums of values within a loss; a situation lists its rivals by increasing loss."""
    scale = lcm(*{value.denominator for value in values})
    whole = [int(value * scale) for value in values]
    greatest = [0] * len(rivals)
    for places in situations:
        total = 0
        for place in places:
            if whole[place]:
                total += whole[place]
                greatest[place] = max(greatest[place], total)
    steps: list[tuple[Fraction, Fraction]] = []
    highest = 0
    for loss, group in groupby(range(len(rivals)), key=lambda place: rivals[place].loss):
        top = max(greatest[place] for place in group)
        if top > highest:
            highest = top
            steps.append((loss, Fraction(top, scale)))
    return Mass(max(values, default=ZERO), tuple(steps))


def _greatest(rows: Iterable[Sequence[Fraction]]) -> tuple[Fraction, ...]:
    return tuple(max(column) for column in zip(*rows, strict=True))
