"""The questions to the second prover while a transformer was proved, which together are its proof."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from proofs.formula.common.kinds import Obligation, ObligationKind, describe_place

if TYPE_CHECKING:
    from proofs.formula.z3.solver import SolverQuery

Record = Callable[["SolverQuery"], None]


def ignore(_: SolverQuery) -> None:
    """Drop a question."""


@dataclass(frozen=True)
class Origin:
    """The source of an obligation: a written direction and its writer."""

    kind: ObligationKind
    layer: int
    place: int
    direction: str
    source: str

    def __str__(self) -> str:
        return describe_place(self.layer, self.place, self.direction)


@dataclass
class TranscriptEntry:
    """The sources of one obligation (equal ones are proved once), and the questions about it."""

    places: list[Origin] = field(default_factory=list)
    questions: list[SolverQuery] = field(default_factory=list)


class Transcript:
    """The entries of all obligations that a solver proved, in order."""

    def __init__(self) -> None:
        """Start with no entries."""
        self._entries: dict[object, TranscriptEntry] = {}

    def recorder(self, key: object, obligation: Obligation) -> Record:
        """Return the recorder of the questions about obligations with this key, and add the source of this one."""
        entry = self._entries.setdefault(key, TranscriptEntry())
        entry.places.append(Origin(obligation.kind, obligation.layer, obligation.place, obligation.direction,
                                   obligation.source))
        return entry.questions.append

    @property
    def entries(self) -> list[TranscriptEntry]:
        """The entries, one per obligation."""
        return list(self._entries.values())
