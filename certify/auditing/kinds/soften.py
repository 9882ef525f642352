"""Claims decided by `certify model`: hard attention by softmax at a temperature (docs/howto/soften.md)."""

from collections.abc import Sequence

from certify.auditing.kinds.kind import EVERY_N, ClaimEntry, Question
from certify.auditing.results import ClaimAnswer, LengthVerdict, OneVerdict, Witness, outward
from certify.claims.softened.results import Softening
from certify.claims.softened.show import NOTHING_HARD
from certify.common.words import show_word, type_word
from certify.requests.inputs import Options
from certify.requests.request import Request, read_request
from certify.requests.subjects import Programs, SubjectKind
from constructions.errors import InputError
from constructions.network.lengths import Lengths
from constructions.network.weightings import Weighting
from constructions.statements.sparse_attention import SOFTENING
from proofs.enclosures.intervals import Interval, point
from proofs.every_n import CoqMissing
from proofs.formula.discharge import Progress
from proofs.softened.search import ALLOWED


def read(entry: ClaimEntry) -> Question:
    """Return the question of an entry; without a temperature, about that of the theorem."""
    if ("model" in entry.table) == ("program" in entry.table):
        raise InputError("expected exactly one of model, program, with hard attention")
    path = entry.file("model") or entry.file("program")
    request = read_request(path, Options(entry.get("alphabet")), (SubjectKind.PROGRAM, SubjectKind.NETWORK),
                           programs=Programs.RUN)
    every_n = entry.table.get("every_n", False)
    if every_n and (given := [key for key in ("temperature", "weighting", "break_ties") if key in entry.table]):
        raise InputError(f"{given[0]}: every_n does not take it: the temperature is the theorem's")
    weighting = Weighting(entry.choice("weighting", *map(str, SOFTENING)))
    temperature = entry.expression("temperature")

    def decide(lengths: Lengths, progress: Progress) -> ClaimAnswer | OneVerdict:
        """Decide all words up to the last length, or every n by Coq."""
        if every_n:
            return _for_every_n(request, progress)
        from certify.claims.softened.pipeline import soften_model

        if lengths.first != 1:
            raise InputError(f"lengths: {lengths}, expected 1 to some length: all words up to it are run")
        return _answer(request, soften_model(request.network, lengths.last, temperature, progress=progress,
                                             breaks_ties=entry.table.get("break_ties", False), weighting=weighting))

    return Question(f"{request.description}: hard attention by {weighting}, temperature "
                    f"{temperature or 'that of the theorem'}", decide)


def _answer(request: Request, found: Softening) -> ClaimAnswer | OneVerdict:
    if found.verdict in ("certified", "vacuous"):
        reason = NOTHING_HARD if found.verdict == "vacuous" else ""
        rows = tuple(LengthVerdict(row.n, found.verdict, outward(row.error, row.error), point(ALLOWED),
                                   reason=reason) for row in found.lengths)
        return ClaimAnswer(rows, (found.certificate,) if found.certificate else (), "distance")
    witness = _witness(request, found)
    if witness is None:
        return OneVerdict(found.verdict, found.reason, measure="distance")
    row = LengthVerdict(witness.n, "refuted", witness.value, witness.allowed, witness=witness)
    return ClaimAnswer((row,), measure="distance")


def _witness(request: Request, found: Softening) -> Witness | None:
    def command(word: Sequence[str]) -> str:
        return request.run_command.on(type_word(word, request.network.alphabet))

    if moved := found.moved:
        return Witness(f"the distance from hard attention at temperature {moved.temperature}", len(moved.word),
                       outward(moved.distance.lower, moved.distance.upper), Interval(ALLOWED * 0, ALLOWED),
                       command(moved.word), show_word(moved.word), moved.position)
    if tie := found.tie:
        first, second = tie.winners[:2]
        what = f"the gap of layer {tie.layer}, head {tie.head}, between positions {first} and {second}"
        return Witness(what, len(tie.word), point(ALLOWED * 0), point(ALLOWED * 0),
                       command(tie.word), show_word(tie.word), tie.position, "more than")
    return None


def _for_every_n(request: Request, progress: Progress) -> OneVerdict:
    from certify.claims.softened.every_n import soften_for_every_n

    try:
        found = soften_for_every_n(request.network, progress)
    except CoqMissing as missing:
        return OneVerdict("unknown", str(missing), lengths=EVERY_N)
    return OneVerdict("proved" if found.verdict == "proved" else "unproved", found.answer.reason, lengths=EVERY_N)
