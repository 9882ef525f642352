"""Claims decided by `certify decide`: a trained network on every word (docs/howto/decide.md)."""

from collections.abc import Iterator
from dataclasses import replace
from typing import cast

from certify.auditing.kinds.kind import ClaimEntry, Question
from certify.auditing.results import ClaimAnswer, LengthVerdict, Verdict, Witness, outward
from certify.claims.trained.answering import decide_question
from certify.claims.trained.claim_file import Scope
from certify.claims.trained.decision import Decision
from certify.claims.trained.flags import Flags
from certify.claims.trained.lengths_decision import LengthsDecision
from certify.claims.trained.lengths_show import describe_lengths, describe_verdict, show_runs
from certify.claims.trained.question import read_question
from certify.claims.trained.show import describe_claim, show_letters_read, show_row
from certify.common.words import type_word
from certify.requests.run_command import RunCommand
from constructions.errors import InputError
from constructions.network.lengths import Lengths
from constructions.trained.claim import WordsClaim
from constructions.trained.network import TrainedNetwork
from proofs.enclosures.intervals import point
from proofs.formula.discharge import Progress

NOTHING_JUDGED = "no word of this length is judged"
NO_WORD = "no word of this length fits at these offsets"


def read_subject(entry: ClaimEntry) -> tuple[str, str | None, TrainedNetwork, WordsClaim]:
    """Return the path of a trained network, that of its claim, and both, at the lengths of the audit.

    Raises:
        InputError: if a file is malformed, or they do not fit.
    """
    entry.needed("model")
    path, claim_path = str(entry.file("model")), entry.file("claim")
    offsets = entry.get("offset")
    if isinstance(offsets, list):
        if len(offsets) != 2 or not all(type(one) is int for one in offsets):
            raise InputError(f"offset {offsets}, expected a first and a last one")
        offsets = (offsets[0], offsets[1])
    elif isinstance(offsets, int):
        offsets = (offsets, offsets)
    elif offsets not in (None, "all"):
        raise InputError(f"offset {offsets!r}, expected a number, two of them, or all")
    scope = Scope(entry.lengths.last, entry.lengths.first, offsets)
    return path, claim_path, *read_question(path, claim_path, Flags(), scope)


def read(entry: ClaimEntry) -> Question:
    """Return the question of an entry: its lengths are those of the audit."""
    path, claim_path, network, claim = read_subject(entry)

    def decide(lengths: Lengths, _progress: Progress) -> ClaimAnswer:
        """Decide every word of these lengths."""
        return answer_of(decide_question(network, replace(claim, lengths=(lengths.first, lengths.last))), lengths, path,
                         claim_path)

    return Question(f"{path} satisfies {claim_path or 'its own claim'}", decide)


def answer_of(found: Decision | LengthsDecision, lengths: Lengths, path: str, claim_path: str | None,
              command: str | None = None) -> ClaimAnswer:
    """Return the answer of a decision; the ``command`` that shows a wrong word, unless it is a run of the network."""
    if isinstance(found, LengthsDecision):
        rows, measured = _rows_by_counts(found, lengths, path, claim_path), (
            f"all words {describe_lengths(found)}, decided by {found.way}")
    else:
        rows, measured = _rows(found, lengths, path, claim_path), describe_claim(found.network, found.claim)
    shown = tuple(row if row.witness is None or command is None else replace(
        row, witness=replace(row.witness, command=command)) for row in rows)
    return ClaimAnswer(shown, () if found.certificate is None else (found.certificate,), "logit", about=measured)


def _rows(decision: Decision, lengths: Lengths, path: str, claim_path: str | None) -> Iterator[LengthVerdict]:
    """Yield the verdicts; a length without judged places is vacuous, one without words unknown."""
    found = {row.n: row for row in decision.rows}
    for n in lengths:
        if n not in found:
            yield LengthVerdict(n, "unknown", reason=NO_WORD)
            continue
        verdict, is_wrong = found[n].verdict, decision.wrong is not None and n == len(decision.wrong.word)
        yield LengthVerdict(n, cast(Verdict, verdict),
                            reason=NOTHING_JUDGED if verdict == "vacuous" else found[n].reason,
                            witness=witness_of(decision, path, claim_path) if is_wrong else None)


def _rows_by_counts(decision: LengthsDecision, lengths: Lengths, path: str, claim_path: str | None
                    ) -> Iterator[LengthVerdict]:
    """Yield the verdicts: a range of lengths is certified, the next may have a wrong word, the rest is unknown."""
    certified = decision.certified_to or lengths.last if decision.certificate is not None else 0
    is_vacuous = decision.verdict == "vacuous"
    for n in lengths:
        if n <= certified:
            yield LengthVerdict(n, "vacuous" if is_vacuous else "certified", reason=NOTHING_JUDGED * is_vacuous)
        elif decision.wrong is not None and n == decision.wrong.word.length:
            yield LengthVerdict(n, "refuted", witness=witness_of(decision, path, claim_path))
        else:
            yield LengthVerdict(n, "unknown", reason=describe_verdict(decision))


def witness_of(decision: Decision | LengthsDecision, path: str, claim_path: str | None) -> Witness:
    """Return the wrong word of a refuted decision, with the command that replays it."""
    claim = decision.claim
    if isinstance(decision, LengthsDecision):
        long = decision.wrong
        assert long is not None, "it is refuted"
        case, row, value, offset = long.word.case, long.word.row, long.value, 0
        word = tuple(claim.alphabet[letter] for letter, times in long.word.runs for _ in range(times))
        shown, n, place = show_runs(decision, long), len(word), len(word)
    else:
        wrong = decision.wrong
        assert wrong is not None, "it is refuted"
        case, row, value, offset, word = wrong.case, wrong.row, wrong.value, wrong.offset, decision.letters_read(wrong)
        shown, n, place = show_letters_read(decision, wrong), len(wrong.word), wrong.place
    options = (*(() if claim_path is None else ("--claim", claim_path)), "--offset", str(offset))
    return Witness(show_row(claim.cases[case].above[row]), n, outward(*value), point(claim.margin),
                   RunCommand(path, options).on(type_word(word, claim.alphabet)), shown, place, "more than")
