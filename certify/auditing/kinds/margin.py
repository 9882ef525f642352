"""Claims decided by `certify model`: the sign of an output at one position, and its margin (docs/howto/signs.md)."""

from dataclasses import replace
from fractions import Fraction

from certify.auditing.kinds.kind import ClaimEntry, Question
from certify.auditing.results import ClaimAnswer, LengthVerdict, Witness, outward
from certify.claims.margins.answer import answer
from certify.claims.margins.question import MarginOptions, read_question
from certify.common.words import show_word, type_word
from certify.requests.inputs import as_key
from certify.requests.run_command import RunCommand
from certify.requests.subjects import SubjectKind, find_subject
from certify.requests.vacuity import find_vacuity
from constructions.network.lengths import Lengths
from proofs.enclosures.intervals import Interval, point
from proofs.formula.discharge import Progress
from proofs.words.margins.deciding import JudgedClass, LengthFound


def read(entry: ClaimEntry) -> Question:
    """Return the question of an entry: a network, and the claimed bound on its output."""
    entry.needed("model")
    path, table = str(entry.file("model")), entry.table
    names = ("formula", "alphabet", "before", "after", "threshold", "margin", "gamma", "temperature", "norm")
    options = MarginOptions(at=entry.choice("at", "last", "first", "every"), predicate=entry.options().predicates,
                            **{name: table.get(name) for name in names})
    question = read_question(find_subject(path, (SubjectKind.NETWORK,)), options, entry.lengths, as_key)
    claim, network, epsilons = question.claim, question.network, question.norms.epsilons
    given = [part for name in ("gamma", "temperature") if name in table for part in (f"--{name}", table[name])]
    command = RunCommand(path, tuple(given))

    def decide(lengths: Lengths, progress: Progress) -> ClaimAnswer:
        """Decide every length by abstract words; the certificate is about the certified ones."""
        found = answer(replace(question, claim=replace(claim, lengths=lengths)), progress)
        certificates = () if found.certificate is None else (found.certificate,)
        constant = find_vacuity(claim.formula, claim.letters, lengths.last)
        return ClaimAnswer(tuple(map(row_of, found.rows)), certificates, "least margin", least_matters=True,
                           note=f"the formula is {constant}" if constant else "")

    def row_of(row: LengthFound) -> LengthVerdict:
        least = row.least
        if least is None:
            return LengthVerdict(row.n, "unknown", reason=row.reason)
        margin = outward(least.margin.lower, least.margin.upper)
        where = f"position {least.read.position} of {show_word(least.word)}"
        if row.verdict == "refuted":
            return LengthVerdict(row.n, "refuted", margin, _shown(row.required), where, witness=witness(row, least))
        return LengthVerdict(row.n, "certified" if row.verdict == "certified" else "unknown", margin,
                             _shown(row.required), where, row.reason)

    def witness(row: LengthFound, wrong: JudgedClass) -> Witness:
        required = row.required if wrong.truth else row.required.scaled(Fraction(-1))
        allowed = _shown(point(claim.threshold) + required)
        sequence = type_word((*claim.before, *wrong.word, *claim.after), network.alphabet)
        return Witness(network.output, row.n, outward(wrong.output.lower, wrong.output.upper), allowed,
                       "" if epsilons else command.on(sequence), show_word(wrong.word), wrong.read.position,
                       "more than" if wrong.truth else "less than")

    beyond = "" if str(claim.margin) == "0" else f" by more than {claim.margin}"
    norm = f", norms with epsilon {epsilons[0][0]}" if epsilons else ""
    return Question(f"{question.name}{norm}: the output ({claim.at}) is on the right side of {claim.threshold}{beyond}",
                    decide)


def _shown(bound: Interval) -> Interval:
    """Round a bound outward, unless it is rational."""
    return bound if bound.is_point else outward(bound.lower, bound.upper)
