"""Claims decided by `certify sensitivity`: the change when one symbol is exchanged (docs/background/sensitivity.md)."""

from collections.abc import Callable
from dataclasses import replace

from certify.auditing.kinds.kind import OF_SUBJECTS, ClaimedBound, ClaimEntry, Question, Side
from certify.auditing.results import ClaimAnswer, LengthVerdict, Witness, outward
from certify.claims.numbers.sensitivity.results import MeasuredLength, Sensitivity
from certify.common.words import show_word, type_word
from certify.requests.request import Request
from certify.requests.subjects import Programs
from constructions.errors import InputError
from constructions.network.lengths import Lengths
from proofs.enclosures.intervals import Interval
from proofs.formula.discharge import Progress


def read(entry: ClaimEntry) -> Question:
    """Return the question of an entry, about a trained network or any other."""
    from certify.claims.numbers.sensitivity.logits import measure_logits, read_trained_subject
    from certify.claims.numbers.sensitivity.measure import measure
    from certify.claims.trained.files import is_trained

    at, direction = entry.choice("at", "last", "first", "every"), entry.get("direction")
    bounds, path = ClaimedBound.read(entry), entry.file("model")
    if path is not None and is_trained(path):
        if given := [key for key in (*OF_SUBJECTS, "as_formula") if key in entry.table]:
            raise InputError(f"{given[0]}: {path} contains a trained network, which does not take this key")
        trained = read_trained_subject(path, entry.file("claim"), entry.get("offset"))
        claim = trained.claim_of(entry.lengths.last)

        def of_trained(lengths: Lengths, progress: Progress) -> Sensitivity:
            return measure_logits(trained, lengths, at, direction, list(lengths), progress)

        letters = trained.network.vocabulary if claim is None else len(claim.alphabet)
        return _question(trained.path, of_trained, bounds, letters)
    if given := [key for key in ("claim", "offset") if key in entry.table]:
        raise InputError(f"{given[0]}: expected it with a trained network")
    programs = Programs.FORMULA if entry.get("as_formula") else Programs.COMPILED
    request = entry.request(programs, entry.lengths)

    def of_request(lengths: Lengths, progress: Progress) -> Sensitivity:
        return measure(replace(request, lengths=lengths), at, direction, list(lengths), progress)

    return _question(request.description, of_request, bounds, len(request.alphabet), request)


def _question(name: str, measure: Callable[[Lengths, Progress], Sensitivity], bounds: ClaimedBound, letters: int,
              request: Request | None = None) -> Question:
    """Return the question about the largest change of a direction at each length; ``letters`` counts the alphabet."""
    def row_of(row: MeasuredLength) -> LengthVerdict:
        ends = outward(row.lower, row.lower if row.upper is None else row.upper)
        pair = row.pair
        where = f"{show_word(pair.first)} and {show_word(pair.second)}, read at {pair.judged}" if pair else ""

        def witness(value: Interval, bound: Interval, side: Side) -> Witness:
            command = (request.run_command.on(type_word(pair.first, request.network.alphabet))
                       if pair and request else "")
            return Witness(f"the change ({where or 'of all pairs of words'})", row.n, value, bound, command, side=side)

        if letters == 1 and bounds.at_least is None:
            return LengthVerdict(row.n, "vacuous", reason="there is only one letter, so none can be exchanged")
        return bounds.row(row.n, ends.lower, None if row.upper is None else ends.upper, witness, where)

    return Question(f"{name}: the largest change when one symbol is exchanged", lambda lengths, progress: ClaimAnswer(
        tuple(map(row_of, measure(lengths, progress).rows)), measure="largest change"))
