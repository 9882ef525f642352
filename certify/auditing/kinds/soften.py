"""Claims decided by `certify model`: hard attention by softmax at a temperature (docs/howto/soften.md)."""

from collections.abc import Sequence
from dataclasses import dataclass

from certify.auditing.kinds.kind import EVERY_N, ClaimEntry, Question
from certify.auditing.results import ClaimAnswer, LengthVerdict, OneVerdict, Witness, outward
from certify.claims.softened.results import Softening
from certify.claims.softened.show import NOTHING_HARD
from certify.common.words import show_word, type_word
from certify.requests.inputs import Options
from certify.requests.request import Request, read_request
from certify.requests.subjects import Programs, SubjectKind
from constructions.errors import InputError
from constructions.language.expressions import Expression
from constructions.network.lengths import Lengths
from constructions.network.weightings import Weighting
from constructions.statements.sparse_attention import SOFTENING
from proofs.enclosures.intervals import Interval, point
from proofs.formula.discharge import Progress
from proofs.softened.search import ALLOWED


@dataclass(frozen=True)
class Softened(Question):
    """A network with hard attention, and the claimed temperature (None: the theorem's)."""

    request: Request
    temperature: Expression | None
    weighting: Weighting
    break_ties: bool
    every_n: bool

    @property
    def subject(self) -> str:
        """The network, and the replacement of hard attention."""
        temperature = self.temperature or "that of the theorem"
        return f"{self.request.description}: hard attention by {self.weighting}, temperature {temperature}"

    def decide(self, lengths: Lengths, progress: Progress) -> ClaimAnswer | OneVerdict:
        """Decide all words up to the last length, or every n by Coq."""
        if self.every_n:
            return self._for_every_n(progress)
        from certify.claims.softened.pipeline import soften_model

        if lengths.first != 1:
            raise InputError(f"lengths: {lengths}, expected 1 to some length: all words up to it are run")
        found = soften_model(self.request.network, lengths.last, self.temperature, progress=progress,
                             breaks_ties=self.break_ties, weighting=self.weighting)
        return self._answer(found)

    def _answer(self, found: Softening) -> ClaimAnswer | OneVerdict:
        if found.verdict in ("certified", "vacuous"):
            reason = NOTHING_HARD if found.verdict == "vacuous" else ""
            rows = tuple(LengthVerdict(row.n, found.verdict, outward(row.error, row.error), point(ALLOWED),
                                       reason=reason) for row in found.lengths)
            return ClaimAnswer(rows, (found.certificate,) if found.certificate else (), "distance")
        witness = self._witness(found)
        if witness is None:
            return OneVerdict(found.verdict, found.reason, measure="distance")
        row = LengthVerdict(witness.n, "refuted", witness.value, witness.allowed, witness=witness)
        return ClaimAnswer((row,), measure="distance")

    def _witness(self, found: Softening) -> Witness | None:
        if moved := found.moved:
            word = show_word(moved.word)
            return Witness(f"the distance from hard attention at temperature {moved.temperature}", len(moved.word),
                           outward(moved.distance.lower, moved.distance.upper), Interval(ALLOWED * 0, ALLOWED),
                           self._run(moved.word), word, moved.position)
        if tie := found.tie:
            word = show_word(tie.word)
            first, second = tie.winners[:2]
            what = f"the gap of layer {tie.layer}, head {tie.head}, between positions {first} and {second}"
            return Witness(what, len(tie.word), point(ALLOWED * 0), point(ALLOWED * 0),
                           self._run(tie.word), word, tie.position, "more than")
        return None

    def _run(self, word: Sequence[str]) -> str:
        return self.request.run_command.on(type_word(word, self.request.network.alphabet))

    def _for_every_n(self, progress: Progress) -> ClaimAnswer | OneVerdict:
        from certify.claims.softened.every_n import soften_for_every_n
        from proofs.every_n import CoqMissing

        try:
            found = soften_for_every_n(self.request.network, progress)
        except CoqMissing as missing:
            return OneVerdict("unknown", str(missing), lengths=EVERY_N)
        return OneVerdict("proved" if found.verdict == "proved" else "unproved", found.answer.reason, lengths=EVERY_N)


def read(entry: ClaimEntry) -> Softened:
    """Return the claim of an entry."""
    if ("model" in entry.table) == ("program" in entry.table):
        raise InputError("expected exactly one of model, program, with hard attention")
    path = entry.file("model") or entry.file("program")
    request = read_request(path, Options(entry.get("alphabet")), (SubjectKind.PROGRAM, SubjectKind.NETWORK),
                           programs=Programs.RUN)
    every_n = entry.table.get("every_n", False)
    if every_n and (given := [key for key in ("temperature", "weighting", "break_ties") if key in entry.table]):
        raise InputError(f"{given[0]}: every_n does not take it: the temperature is the theorem's")
    name = entry.choice("weighting", *map(str, SOFTENING))
    return Softened(request, entry.expression("temperature"), Weighting(name), entry.table.get("break_ties", False),
                    every_n)
