"""Claims decided by `certify model`: the sign of an output at one position, and its margin (docs/howto/signs.md)."""

from dataclasses import dataclass, replace
from fractions import Fraction

from certify.auditing.kinds.kind import ClaimEntry, Question
from certify.auditing.results import ClaimAnswer, LengthVerdict, Witness, outward
from certify.claims.margins.answer import answer
from certify.claims.margins.question import MarginOptions, MarginQuestion, read_question
from certify.common.words import show_word, type_word
from certify.requests.inputs import as_key
from certify.requests.run_command import RunCommand
from certify.requests.subjects import SubjectKind, find_subject
from certify.requests.vacuity import find_vacuity
from constructions.network.lengths import Lengths
from proofs.enclosures.intervals import Interval, point
from proofs.formula.discharge import Progress
from proofs.words.margins.deciding import JudgedClass, LengthFound


@dataclass(frozen=True)
class Margin(Question):
    """A network, and the claimed bound on its output."""

    question: MarginQuestion
    command: RunCommand

    @property
    def subject(self) -> str:
        """The network, and the position where it is read."""
        claim = self.question.claim
        beyond = "" if str(claim.margin) == "0" else f" by more than {claim.margin}"
        norm = f", norms with epsilon {self.question.norms.epsilons[0][0]}" if self.question.norms.epsilons else ""
        return f"{self.question.name}{norm}: the output ({claim.at}) is on the right side of {claim.threshold}{beyond}"

    def decide(self, lengths: Lengths, progress: Progress) -> ClaimAnswer:
        """Decide every length by abstract words; the certificate is about the certified ones."""
        question = replace(self.question, claim=replace(self.question.claim, lengths=lengths))
        found = answer(question, progress)
        certificates = () if found.certificate is None else (found.certificate,)
        constant = find_vacuity(question.claim.formula, question.claim.letters, lengths.last)
        return ClaimAnswer(tuple(map(self._row, found.rows)), certificates, "least margin", least_matters=True,
                           note=f"the formula is {constant}" if constant else "")

    def _row(self, row: LengthFound) -> LengthVerdict:
        least = row.least
        if least is None:
            return LengthVerdict(row.n, "unknown", reason=row.reason)
        margin = outward(least.margin.lower, least.margin.upper)
        where = f"position {least.read.position} of {show_word(least.word)}"
        if row.verdict == "refuted":
            return LengthVerdict(row.n, "refuted", margin, _shown(row.required), where,
                                 witness=self._witness(row, least))
        return LengthVerdict(row.n, "certified" if row.verdict == "certified" else "unknown", margin,
                             _shown(row.required), where, row.reason)

    def _witness(self, row: LengthFound, wrong: JudgedClass) -> Witness:
        claim, network = self.question.claim, self.question.network
        required = row.required if wrong.truth else row.required.scaled(Fraction(-1))
        allowed = _shown(point(claim.threshold) + required)
        sequence = type_word((*claim.before, *wrong.word, *claim.after), network.alphabet)
        command = "" if self.question.norms.epsilons else self.command.on(sequence)
        return Witness(network.output, row.n, outward(wrong.output.lower, wrong.output.upper), allowed, command,
                       show_word(wrong.word), wrong.read.position, "more than" if wrong.truth else "less than")


def _shown(bound: Interval) -> Interval:
    """Round a bound outward, unless it is rational."""
    return bound if bound.is_point else outward(bound.lower, bound.upper)


def read(entry: ClaimEntry) -> Margin:
    """Return the claim of an entry."""
    entry.needed("model")
    path, table = str(entry.file("model")), entry.table
    names = ("formula", "alphabet", "before", "after", "threshold", "margin", "gamma", "temperature", "norm")
    options = MarginOptions(at=entry.choice("at", "last", "first", "every"), predicate=entry.options().predicates,
                            **{name: table.get(name) for name in names})
    question = read_question(find_subject(path, (SubjectKind.NETWORK,)), options, entry.lengths, as_key)
    given = [part for name in ("gamma", "temperature") if name in table for part in (f"--{name}", table[name])]
    return Margin(question, RunCommand(path, tuple(given)))
