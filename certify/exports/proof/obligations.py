"""The obligations of a certificate for a proof on paper: proved anew by the exact method, equal ones together."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from certify.formula.sealed import Sealed
from constructions.errors import Unsupported
from proofs.formula.common.kinds import Kind, Obligation
from proofs.formula.discharge import Line, Progress, discharge
from proofs.formula.transcript import Record, Transcript, ignore


@dataclass
class Group:
    """Obligations that one lemma proves: equal ones, or all that are proved in the same words.

    ``obligation`` is the first of those that have one, ``lines`` says where all of them arise.
    """

    kind: Kind
    lines: list[Line] = field(default_factory=list)
    obligation: Obligation | None = None


def group_obligations(sealed: Sealed, progress: Progress = lambda _: None) -> Sequence[Group]:
    """The groups, in the order in which the network computes.

    Raises:
        Unsupported: if the exact method proves less than the checker accepts.
    """
    collected = _Collector()
    lines = discharge(sealed.transformer, sealed.lengths, progress=progress, twice=False, transcript=collected)
    groups: dict[object, Group] = {}
    for line in lines:
        if not line.proved:
            raise Unsupported(f"a proof of {line.kind}, {line.direction}, which is not proved here: {line.reason}")
        key, obligation = collected.found.get((line.layer, line.place, line.direction), ((line.kind, line.layer), None))
        group = groups.setdefault(key, Group(line.kind, obligation=obligation))
        group.lines.append(line)
    return list(groups.values())


class _Collector(Transcript):
    """Keeps the obligations themselves, by where they arise, with keys that equal ones share."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[tuple[int, int, str], tuple[object, Obligation]] = {}

    def recorder(self, key: object, obligation: Obligation) -> Record:
        self.found[obligation.layer, obligation.place, obligation.direction] = key, obligation
        return ignore
