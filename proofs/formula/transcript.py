"""What the second prover was asked while a transformer was proved: the questions that together are its proof."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from proofs.formula.common.kinds import Kind, Obligation, describe_place

if TYPE_CHECKING:
    from proofs.formula.z3.solver import Question

Record = Callable[["Question"], None]


def ignore(_: Question) -> None:
    """Nobody wants to know what was asked."""


@dataclass(frozen=True)
class Place:
    """Where an obligation arises: a direction that is written, and by what."""

    kind: Kind
    layer: int
    place: int
    direction: str
    source: str

    def __str__(self) -> str:
        return describe_place(self.layer, self.place, self.direction)


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

    def recorder(self, key: object, obligation: Obligation) -> Record:
        """What takes the questions of the obligation with this key, which arises where this one does (too)."""
        entry = self._entries.setdefault(key, Entry())
        entry.places.append(Place(obligation.kind, obligation.layer, obligation.place, obligation.direction,
                                  obligation.source))
        return entry.questions.append

    @property
    def entries(self) -> list[Entry]:
        """One per obligation."""
        return list(self._entries.values())
