"""Claims that are statements about numbers, by their names in the registry of examinations."""

import os
from collections.abc import Iterable

from certify.auditing.kinds.kind import ClaimEntry, Question
from certify.auditing.results import ClaimAnswer, LengthVerdict, Verdict, Witness, outward
from certify.common.shipped import examples_folder
from certify.requests.run_command import RunCommand
from constructions.errors import InputError
from constructions.network.lengths import Lengths
from proofs.enclosures.intervals import Interval
from proofs.formula.discharge import Progress
from proofs.numbers.instances.examination import Instance, Replay
from proofs.numbers.instances.registry import EXAMINATIONS


def read(entry: ClaimEntry) -> Question:
    """Return the question of an entry."""
    if (name := entry.needed("examine")) not in EXAMINATIONS:
        raise InputError(f"examine {name!r}, expected one of {', '.join(EXAMINATIONS)}")
    examination = EXAMINATIONS[name]

    def decide(lengths: Lengths, _progress: Progress) -> ClaimAnswer:
        return ClaimAnswer(tuple(_examined(n, examination.examine(n)) for n in lengths), measure="value")

    return Question(f"{examination.claim}, for {examination.covers}", decide, examination.covers, is_by_length=True)


def _examined(n: int, instances: Iterable[Instance]) -> LengthVerdict:
    listed = list(instances)
    undecided = next((instance for instance in listed if instance.holds is None), None)
    failing = next((instance for instance in listed if instance.holds is False), None)
    shown = failing or undecided or (listed[0] if listed else None)
    if shown is None:
        return LengthVerdict(n, "unknown", reason="nothing was examined")
    verdict: Verdict = "refuted" if failing else "unknown" if undecided else "certified"
    value, bound = _shortened(shown.value), _shortened(shown.bound)
    witness = Witness(shown.what, n, value, bound, _command(shown.replay), side=shown.side) if failing else None
    reason = "the enclosures do not decide it" if undecided else ""
    return LengthVerdict(n, verdict, value, bound, shown.what, reason, witness)


def _command(replay: Replay | None) -> str:
    """Return the command that shows the instance; the path of the model is relative to the current folder."""
    if replay is None:
        return ""
    model = examples_folder() / "claims" / "models" / replay.model
    return RunCommand(os.path.relpath(model)).on(replay.word)


def _shortened(interval: Interval) -> Interval:
    return outward(interval.lower, interval.upper)
