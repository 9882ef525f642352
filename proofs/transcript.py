"""What the second prover was asked while a transformer was proved: the questions that together are its proof."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from proofs.by_z3.solver import Question

Record = Callable[["Question"], None]


def ignore(_: Question) -> None:
    """Nobody wants to know what was asked."""


@dataclass(frozen=True)
class Place:
    """A direction that is written, and by what: ``place`` counts heads from 1, and is 0 for a feed-forward layer."""

    kind: str
    layer: int
    place: int
    direction: str
    source: str = ""

    def __str__(self) -> str:
        writer = f"head {self.place}" if self.place else "feed-forward"
        return f"layer {self.layer}, {writer}, {self.direction}"


@dataclass
class Entry:
    """One obligation: where it arises (equal ones are asked once) and what was asked."""

    places: list[Place] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)


class Transcript:
    """The entries of all obligations that were proved by a solver, in order."""

    def __init__(self) -> None:
        """Nothing has been asked."""
        self._entries: dict[object, Entry] = {}

    def recorder(self, key: object, place: Place) -> Record:
        """What takes the questions of the obligation with this key, which arises at this place (too)."""
        entry = self._entries.setdefault(key, Entry())
        entry.places.append(place)
        return entry.questions.append

    @property
    def entries(self) -> list[Entry]:
        """One per obligation."""
        return list(self._entries.values())
