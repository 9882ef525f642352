"""Score profiles of a head, or their joint bounds, from which errors.py computes error bounds.

Source      docs/background/softened_rules.md, section 3.
Profile     The multiset of the rivals of a winner at one position of one word: their losses, and the differences of
            their keys and values from the winner's. Words that differ elsewhere share it.
Bounds      Joint bounds of all profiles (profile_bounds.py), which replace more than MAX_PROFILES profiles.
Merging     Sets of profiles are united, and joint bounds are maxima, in any order. Whether the union is too large does
            not depend on the shards, so neither does the choice between the two.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from proofs.softened.profile_bounds import JointBounds, Places, Rival, joint_bounds_of

MAX_PROFILES = 2_000


@dataclass(frozen=True)
class ScoreProfiles:
    """At most MAX_PROFILES profiles, on an increasing list of the rivals that occur in them."""

    rivals: tuple[Rival, ...]
    places: frozenset[Places]

    def merge(self, other: ScoreProfiles) -> ScoreProfiles | JointBounds:
        """Return the union, or its joint bounds if it is too large."""
        if self == other:
            return self
        rivals = sorted({*self.rivals, *other.rivals})
        place = {rival: number for number, rival in enumerate(rivals)}
        united = {tuple([to[x] for x in places]) for part in (self, other)
                  for to in ([place[rival] for rival in part.rivals],) for places in part.places}
        return limited(rivals, united)

    def to_json(self) -> dict[str, Any]:
        """Return the canonical form: the rivals, and the profiles in order."""
        return {"rivals": [rival.to_json() for rival in self.rivals], "situations": sorted(map(list, self.places))}

    @classmethod
    def from_json(cls, data: Any) -> ScoreProfiles:
        """Read the value that ``to_json`` wrote."""
        return cls(tuple(map(Rival.from_json, data["rivals"])), frozenset(map(tuple, data["situations"])))


def collect(rivals: Sequence[Rival], profiles: Iterable[Places]) -> ScoreProfiles | JointBounds:
    """Return profiles, given by places in any list of rivals; or their joint bounds if there are too many."""
    chosen = set(profiles)
    used = sorted({x for places in chosen for x in places}, key=rivals.__getitem__)
    place = {x: number for number, x in enumerate(used)}
    return limited([rivals[x] for x in used], {tuple(sorted([place[x] for x in places])) for places in chosen})


def are_too_many(found: Collection[Places]) -> bool:
    """Return whether joint bounds replace this number of profiles."""
    return len(found) > MAX_PROFILES


def limited(rivals: Sequence[Rival], profiles: set[Places]) -> ScoreProfiles | JointBounds:
    """Return profiles on an increasing list of rivals; or their joint bounds if there are too many."""
    if are_too_many(profiles):
        return joint_bounds_of(rivals, profiles)
    return ScoreProfiles(tuple(rivals), frozenset(profiles))


def merge(one: ScoreProfiles | JointBounds, other: ScoreProfiles | JointBounds) -> ScoreProfiles | JointBounds:
    """Merge the results of two shards about one head."""
    if isinstance(one, ScoreProfiles) and isinstance(other, ScoreProfiles):
        return one.merge(other)
    parts = [x if isinstance(x, JointBounds) else joint_bounds_of(x.rivals, x.places)
             for x in (one, other) if _is_any(x)]
    return parts[0].merge(parts[1]) if len(parts) == 2 else parts[0]


def _is_any(found: ScoreProfiles | JointBounds) -> bool:
    return isinstance(found, JointBounds) or bool(found.rivals)
