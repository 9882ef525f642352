"""Deciding one claim about a network, length by length.

For each length the exact prover says which claims are likely to hold. Runs of lengths where all do are certified
together, by both provers and the independent checker; elsewhere a word is looked for that refutes the claim, and
replayed. What is neither is unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from certify.auditing.results import Bracket, Row, Verdict, Witness, outward
from certify.outcomes import Certified, Refuted, Unknown
from certify.pipeline import certify_transformer
from certify.pipeline import sketch as sketch_network
from certify.request import Request
from certify.run_command import RunCommand
from certify.showing.words import show_word
from constructions.network.lengths import Lengths
from constructions.network.transformer import Transformer
from constructions.network.validation import check_defined
from constructions.regimes import Regime
from proofs.discharge import TOLERATED_ERROR, Line, Memory
from proofs.refutation import find_counterexample
from proofs.replay import Counterexample

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Question:
    """A network, what is allowed of it, and how to show a word on it."""

    network: Transformer
    regime: Regime | None
    allowed_error: Fraction | None
    run_command: RunCommand

    def show(self, word: str) -> str:
        """The command that runs the network on a word."""
        return self.run_command.on(word)


def question_of(request: Request) -> Question:
    """The question that a request asks at each of its lengths.

    Raises:
        Unsupported: if there is no such network.
    """
    return Question(request.network, request.stated_regime, request.allowed_error, request.run_command)


@dataclass
class Search:
    """What was proved before, so that equal obligations are discharged once."""

    exact: Memory = field(default_factory=Memory)
    confirmed: Memory = field(default_factory=Memory)
    progress: Progress = lambda _: None


@dataclass(frozen=True)
class Decision:
    """A row for each length, and the certificates of runs of them; of gaps it is the least that matters."""

    rows: tuple[Row, ...]
    certificates: tuple[str, ...]
    least_matters: bool = False

    @property
    def verdict(self) -> Verdict:
        """Certified if all rows are; refuted if some row is; else unknown."""
        verdicts = {row.verdict for row in self.rows}
        return "certified" if verdicts == {"certified"} else "refuted" if "refuted" in verdicts else "unknown"

    @property
    def decisive(self) -> Row:
        """The row to report: the first that is refuted, or not certified, or that with the largest error."""
        for verdict in ("refuted", "unknown"):
            for row in self.rows:
                if row.verdict == verdict:
                    return row
        measured = [row for row in self.rows if row.error is not None] or list(self.rows)
        sign = -1 if self.least_matters else 1
        return max(measured, key=lambda row: (sign * row.error.upper if row.error else Fraction(0), row.n))


def decide(question: Question, lengths: Lengths, search: Search) -> Decision:
    """The verdict at every length.

    Raises:
        InputError: if an embedding or temperature is not defined, or not positive, at some (n, i).
    """
    check_defined(question.network, lengths)
    sketches = {n: sketch(question, Lengths(n, n), search) for n in lengths}
    rows, certificates = dict[int, Row](), list[str]()
    for run in _runs(n for n in lengths if all(line.proved for line in sketches[n])):
        outcome = certify_run(question, run, search)
        if isinstance(outcome, Certified):
            certificates.append(outcome.certificate)
            rows |= {n: _row(n, "certified", sketches[n], question) for n in run}
        elif isinstance(outcome, Unknown):
            rows |= {n: _row(n, "unknown", sketches[n], question, outcome.reason) for n in run}
    for n in lengths:
        if n not in rows:
            rows[n] = _refute(question, n, sketches[n], search)
    return Decision(tuple(rows[n] for n in lengths), tuple(certificates))


def sketch(question: Question, lengths: Lengths, search: Search) -> list[Line]:
    """What the exact prover alone says of every obligation."""
    return sketch_network(question.network, lengths, question.allowed_error, search.exact)


def certify_run(question: Question, lengths: Lengths, search: Search) -> Certified | Refuted | Unknown:
    """The outcome of the main path for these lengths."""
    search.progress(f"certifying n = {lengths}")
    outcome = certify_transformer(question.network, lengths.last, question.regime, search.confirmed,
                                  min_n=lengths.first, allowed_error=question.allowed_error)
    assert isinstance(outcome, Certified | Refuted | Unknown)
    return outcome


def find_witness(question: Question, lengths: Lengths, lines: Sequence[Line], search: Search) -> Witness | None:
    """A replayed word of one of these lengths that breaks the claim, if the search finds one."""
    search.progress(f"looking for a word of length {lengths}")
    found = find_counterexample(question.network, lengths, lines, question.allowed_error)
    return describe_counterexample(found, question) if found else None


def describe_counterexample(found: Counterexample, question: Question) -> Witness:
    """The word, what is wrong on it, and the command that shows it."""
    word = show_word(found.word)
    return Witness(found.direction, len(found.word), outward(found.value.lower, found.value.upper),
                   Bracket(found.allowed.lower, found.allowed.upper), question.show(word), word, found.position)


def _refute(question: Question, n: int, lines: Sequence[Line], search: Search) -> Row:
    witness = find_witness(question, Lengths(n, n), lines, search)
    if witness:
        return _row(n, "refuted", lines, question, witness=witness)
    failed = [f"{line.direction}: {line.reason}" for line in lines if not line.proved]
    return _row(n, "unknown", lines, question, "; ".join([*failed[:1], "no word found that breaks it"]))


def _row(n: int, verdict: Verdict, lines: Iterable[Line], question: Question, reason: str = "",
         witness: Witness | None = None) -> Row:
    weighed = [(line, line.worst.worst) for line in lines if line.worst and line.worst.worst]
    if not weighed:
        return Row(n, verdict, reason=reason, witness=witness)
    line, worst = max(weighed, key=lambda pair: pair[1].upper)
    bound = question.allowed_error or (TOLERATED_ERROR if line.kind == "attention" else None)
    where = f"layer {line.layer}, head {line.place}, i = {worst.i}"
    return Row(n, verdict, outward(worst.lower, worst.upper), Bracket(bound, bound) if bound else None, where, reason,
               witness)


def _runs(numbers: Iterable[int]) -> Iterator[Lengths]:
    """Consecutive numbers together.

    >>> list(map(str, _runs([1, 2, 4])))
    ['1..2', '4..4']
    """
    first = last = 0
    for n in numbers:
        if last and n == last + 1:
            last = n
            continue
        if last:
            yield Lengths(first, last)
        first = last = n
    if last:
        yield Lengths(first, last)
