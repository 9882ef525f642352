"""What the second prover was asked while a transformer was proved: the questions that together are its proof."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from proofs.formula.common.kinds import Obligation, ObligationKind, describe_place

if TYPE_CHECKING:
    from proofs.formula.z3.solver import SolverQuery

Record = Callable[["SolverQuery"], None]


def ignore(_: SolverQuery) -> None:
    """Nobody wants to know what was asked."""


@dataclass(frozen=True)
class Origin:
    """Where an obligation arises: a direction that is written, and by what."""

    kind: ObligationKind
    layer: int
    place: int
    direction: str
    source: str

    def __str__(self) -> str:
        return describe_place(self.layer, self.place, self.direction)


@dataclass
class TranscriptEntry:
    """One obligation: where it arises (equal ones are asked once) and what was asked."""

    places: list[Origin] = field(default_factory=list)
    questions: list[SolverQuery] = field(default_factory=list)


class Transcript:
    """The entries of all obligations that were proved by a solver, in order."""

    def __init__(self) -> None:
        """Nothing has been asked."""
        self._entries: dict[object, TranscriptEntry] = {}

    def recorder(self, key: object, obligation: Obligation) -> Record:
        """What takes the questions of the obligation with this key, which arises where this one does (too)."""
        entry = self._entries.setdefault(key, TranscriptEntry())
        entry.places.append(Origin(obligation.kind, obligation.layer, obligation.place, obligation.direction,
                                   obligation.source))
        return entry.questions.append

    @property
    def entries(self) -> list[TranscriptEntry]:
        """One per obligation."""
        return list(self._entries.values())
