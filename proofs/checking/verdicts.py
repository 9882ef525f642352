"""The classes of verdicts that the checker refuses, which the producer leaves open; no accepted claim depends on it."""

from typing import cast

from proofs.check.checker.chapters.trained.reading.count_parts import CountedParts
from proofs.check.checker.chapters.trained.reading.decision import Decision
from proofs.check.checker.chapters.trained.reading.tracks import LayoutProofs, Unit
from proofs.check.checker.chapters.trained.reading.tracks_claim import TracksClaim
from proofs.check.checker.chapters.trained.tracks.by_classes import FormProof
from proofs.check.checker.chapters.trained.tracks.counting import about_part
from proofs.check.checker.chapters.trained.tracks.layers import ClassRanges
from proofs.check.checker.checking import nothing_unexpected, read_within
from proofs.check.checker.kernel.budget import Budget
from proofs.check.checker.kernel.verdicts import Rejected
from proofs.check.checker.requirements import ANYTHING


class _Trial(FormProof):
    """A proof that goes on after a class that is refused."""

    def __init__(self, about: Decision[TracksClaim, LayoutProofs]) -> None:
        (unit,) = about.evidence.units
        super().__init__(cast(Decision[TracksClaim, object], about), 0, cast(Unit, unit))
        self.refused: list[int] = []

    def prove_verdict(self, number: int, ranged: ClassRanges, token: int) -> None:
        try:
            super().prove_verdict(number, ranged, token)
        except Rejected:
            self.refused.append(number)


def find_refused_verdicts(data: bytes, work: int = 1) -> list[list[int] | None]:
    """Return for each list of verdicts of a count the classes whose verdict is refused; None if a range is."""
    with nothing_unexpected():
        given = cast(Decision[TracksClaim, CountedParts], read_within(data, ANYTHING, Budget(work)).given)
        return [_refused(_Trial(about_part(given, stated))) for stated in given.evidence.verdicts]


def _refused(trial: _Trial) -> list[int] | None:
    try:
        trial.run()
    except Rejected:
        return None
    return trial.refused
