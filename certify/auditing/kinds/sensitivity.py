"""Claims decided by `certify sensitivity`: the change when one symbol is exchanged (docs/background/sensitivity.md)."""

from collections.abc import Callable
from dataclasses import dataclass

from certify.auditing.kinds.kind import OF_SUBJECTS, ClaimedBound, ClaimEntry, Question
from certify.auditing.results import ClaimAnswer, LengthVerdict, Witness, outward
from certify.claims.numbers.sensitivity.results import MeasuredLength, Sensitivity
from certify.common.words import show_word, type_word
from certify.requests.request import Request
from certify.requests.subjects import Programs
from constructions.errors import InputError
from constructions.network.lengths import Lengths
from proofs.enclosures.intervals import Interval
from proofs.formula.discharge import Progress

Measure = Callable[[Lengths, Progress], Sensitivity]


@dataclass(frozen=True)
class LargestChange(Question):
    """The largest change of a direction at each length, and the claimed bounds.

    ``letters`` is the size of the alphabet.
    """

    name: str
    measure: Measure
    bounds: ClaimedBound
    request: Request | None
    letters: int

    @property
    def subject(self) -> str:
        """The network."""
        return f"{self.name}: the largest change when one symbol is exchanged"

    def decide(self, lengths: Lengths, progress: Progress) -> ClaimAnswer:
        """Measure every length."""
        rows = self.measure(lengths, progress).rows
        return ClaimAnswer(tuple(map(self._row, rows)), measure="largest change")

    def _row(self, row: MeasuredLength) -> LengthVerdict:
        ends = outward(row.lower, row.lower if row.upper is None else row.upper)
        pair = row.pair
        where = f"{show_word(pair.first)} and {show_word(pair.second)}, read at {pair.judged}" if pair else ""

        def witness(value: Interval, bound: Interval, side: str) -> Witness:
            command = (self.request.run_command.on(type_word(pair.first, self.request.network.alphabet))
                       if pair and self.request else "")
            assert side in ("at most", "at least")
            return Witness(f"the change ({where or 'of all pairs of words'})", row.n, value, bound, command,
                           side="at most" if side == "at most" else "at least")

        if self.letters == 1 and self.bounds.at_least is None:
            return LengthVerdict(row.n, "vacuous", reason="there is only one letter, so none can be exchanged")
        return self.bounds.row(row.n, ends.lower, None if row.upper is None else ends.upper, witness, where)


def read(entry: ClaimEntry) -> LargestChange:
    """Return the claim of an entry, about a trained network or any other."""
    from certify.claims.numbers.sensitivity.logits import measure_logits, read_trained_subject
    from certify.claims.numbers.sensitivity.measure import measure
    from certify.claims.trained.files import is_trained

    at, direction, bounds = entry.choice("at", "last", "first",
                                         "every"), entry.get("direction"), ClaimedBound.read(entry)
    path = entry.file("model")
    if path is not None and is_trained(path):
        if given := [key for key in (*OF_SUBJECTS, "as_formula") if key in entry.table]:
            raise InputError(f"{given[0]}: {path} holds a trained network, which does not take this key")
        trained = read_trained_subject(path, entry.file("claim"), entry.get("offset"))
        claim = trained.claim_of(entry.lengths.last)
        return LargestChange(trained.path, lambda lengths, progress: measure_logits(
            trained, lengths, at, direction, list(lengths), progress), bounds, None,
            trained.network.vocabulary if claim is None else len(claim.alphabet))
    if given := [key for key in ("claim", "offset") if key in entry.table]:
        raise InputError(f"{given[0]}: expected it with a trained network")
    programs = Programs.FORMULA if entry.get("as_formula") else Programs.COMPILED
    request = entry.request(programs, entry.lengths)

    def of_request(lengths: Lengths, progress: Progress) -> Sensitivity:
        from dataclasses import replace

        return measure(replace(request, lengths=lengths), at, direction, list(lengths), progress)

    return LargestChange(request.description, of_request, bounds, request, len(request.alphabet))
