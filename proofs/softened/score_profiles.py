"""What errors.py must know of a head: the situations it meets, or what bounds all of them together.

Source      docs/background/softened_rules.md, section 3.
Situation   The rivals of the winner, at one position of one word, without their order: by how much each loses, and how
            its keys and values differ from the winner's. Words that differ elsewhere share it.
Profile     What bounds all situations together (profiles.py); it stands for them if they are more than MAX_SITUATIONS.
Merging     Situations unite and profiles take what is greater, in any order. The union is too large no matter how it
            was divided, so which of the two is kept does not depend on that either.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from proofs.softened.profile_bounds import Places, Profile, Rival, profile_of

MAX_SITUATIONS = 2_000


@dataclass(frozen=True)
class ScoreProfiles:
    """At most MAX_SITUATIONS, on an increasing list of the rivals that occur in them."""

    rivals: tuple[Rival, ...]
    places: frozenset[Places]

    def merge(self, other: ScoreProfiles) -> ScoreProfiles | Profile:
        """Return the union, or its profile if it is too large."""
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
    def from_json(cls, data: Any) -> ScoreProfiles:
        """What ``to_json`` wrote."""
        return cls(tuple(map(Rival.from_json, data["rivals"])), frozenset(map(tuple, data["situations"])))


def collect(rivals: Sequence[Rival], situations: Iterable[Places]) -> ScoreProfiles | Profile:
    """The situations, given by places in a list of rivals in any order; or their profile if there are too many."""
    chosen = set(situations)
    used = sorted({x for places in chosen for x in places}, key=rivals.__getitem__)
    place = {x: number for number, x in enumerate(used)}
    return limited([rivals[x] for x in used], {tuple(sorted([place[x] for x in places])) for places in chosen})


def are_too_many(found: Collection[Places]) -> bool:
    """Whether the profile of so many situations stands for them."""
    return len(found) > MAX_SITUATIONS


def limited(rivals: Sequence[Rival], situations: set[Places]) -> ScoreProfiles | Profile:
    """Return the situations on an increasing list of rivals; or their profile if there are too many."""
    if are_too_many(situations):
        return profile_of(rivals, situations)
    return ScoreProfiles(tuple(rivals), frozenset(situations))


def merge(one: ScoreProfiles | Profile, other: ScoreProfiles | Profile) -> ScoreProfiles | Profile:
    """What two shards found of one head, together."""
    if isinstance(one, ScoreProfiles) and isinstance(other, ScoreProfiles):
        return one.merge(other)
    parts = [x if isinstance(x, Profile) else profile_of(x.rivals, x.places) for x in (one, other) if _is_any(x)]
    return parts[0].merge(parts[1]) if len(parts) == 2 else parts[0]


def _is_any(found: ScoreProfiles | Profile) -> bool:
    return isinstance(found, Profile) or bool(found.rivals)
