"""Claims decided by `certify decide`: a trained network on every word (docs/howto/decide.md)."""

from dataclasses import dataclass, replace
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
from constructions.trained.claim import WordsClaim as TrainedClaim
from constructions.trained.network import TrainedNetwork
from proofs.enclosures.intervals import point
from proofs.formula.discharge import Progress

NOTHING_JUDGED = "no word of this length is judged"
NO_WORD = "no word of this length fits at these offsets"


@dataclass(frozen=True)
class Decided(Question):
    """A trained network and the claim about it."""

    path: str
    claim_path: str | None
    network: TrainedNetwork
    claim: TrainedClaim

    @property
    def subject(self) -> str:
        """The network and the file of its claim."""
        return f"{self.path} satisfies {self.claim_path or 'its own claim'}"

    def decide(self, lengths: Lengths, progress: Progress) -> ClaimAnswer:
        """Decide every word of these lengths; a length without judged places is vacuous, one without words unknown."""
        decision = decide_question(self.network, replace(self.claim, lengths=(lengths.first, lengths.last)))
        if isinstance(decision, LengthsDecision):
            return self._by_counts(decision, lengths)
        found = {row.n: row for row in decision.rows}
        rows = tuple(LengthVerdict(n, cast(Verdict, found[n].verdict),
                                   reason=NOTHING_JUDGED if found[n].verdict == "vacuous" else found[n].reason,
                                   witness=self._witness(decision) if decision.wrong
                                   and n == len(decision.wrong.word) else None)
                     if n in found else LengthVerdict(n, "unknown", reason=NO_WORD)
                     for n in lengths)
        return ClaimAnswer(rows, () if decision.certificate is None else (decision.certificate,), "logit",
                           about=describe_claim(decision.network, decision.claim))

    def _by_counts(self, decision: LengthsDecision, lengths: Lengths) -> ClaimAnswer:
        """Decide long words: a range of lengths is certified, the next may have a wrong word, the rest is unknown."""
        certified = decision.certified_to or lengths.last if decision.certificate is not None else 0
        to = "vacuous" if decision.verdict == "vacuous" else "certified"
        wrong = decision.wrong.word.length if decision.wrong else None
        rows = tuple(LengthVerdict(n, cast(Verdict, to), reason=NOTHING_JUDGED if to == "vacuous" else "")
                     if n <= certified else
                     LengthVerdict(n, "refuted", witness=self._long_witness(decision)) if n == wrong else
                     LengthVerdict(n, "unknown", reason=describe_verdict(decision)) for n in lengths)
        return ClaimAnswer(rows, () if decision.certificate is None else (decision.certificate,), "logit",
                           about=f"all words {describe_lengths(decision)}, decided by {decision.way}")

    def _long_witness(self, decision: LengthsDecision) -> Witness:
        wrong = decision.wrong
        assert wrong is not None, "it is refuted"
        row = decision.claim.cases[wrong.word.case].above[wrong.word.row]
        word = tuple(decision.claim.alphabet[letter] for letter, times in wrong.word.runs for _ in range(times))
        return Witness(show_row(row), len(word), outward(*wrong.value), point(decision.claim.margin),
                       self._command(word, decision.claim, 0), show_runs(decision, wrong), len(word), "more than")

    def _command(self, word: tuple[str, ...], claim: TrainedClaim, offset: int) -> str:
        """Return the command that replays a word."""
        options = (*(() if self.claim_path is None else ("--claim", self.claim_path)), "--offset", str(offset))
        return RunCommand(self.path, options).on(type_word(word, claim.alphabet))

    def _witness(self, decision: Decision) -> Witness:
        wrong = decision.wrong
        assert wrong is not None, "it is refuted"
        row = decision.claim.cases[wrong.case].above[wrong.row]
        command = self._command(decision.letters_read(wrong), decision.claim, wrong.offset)
        return Witness(show_row(row), len(wrong.word), outward(*wrong.value), point(decision.claim.margin),
                       command, show_letters_read(decision, wrong), wrong.place, "more than")


def read(entry: ClaimEntry) -> Decided:
    """Return the claim of an entry: its lengths are those of the audit."""
    entry.needed("model")
    path, claim_path, lengths = str(entry.file("model")), entry.file("claim"), entry.lengths
    offsets = entry.get("offset")
    if isinstance(offsets, list):
        if len(offsets) != 2 or not all(type(one) is int for one in offsets):
            raise InputError(f"offset {offsets}, expected a first and a last one")
        offsets = (offsets[0], offsets[1])
    elif isinstance(offsets, int):
        offsets = (offsets, offsets)
    elif offsets not in (None, "all"):
        raise InputError(f"offset {offsets!r}, expected a number, two of them, or all")
    network, claim = read_question(path, claim_path, Flags(), Scope(lengths.last, lengths.first, offsets))
    return Decided(path, claim_path, network, claim)
