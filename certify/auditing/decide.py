"""The decision of one claim about a network, length by length.

For each length the exact prover decides which claims are likely true. Runs of consecutive lengths where all are get
certified together, by both provers and the independent checker; elsewhere a word that refutes the claim is searched for
and replayed. The rest is unknown.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from certify.auditing.results import ClaimAnswer, LengthVerdict, Verdict, Witness, outward
from certify.claims.critical.threshold import Probe
from certify.claims.formula.outcomes import Certified, Refuted, Unknown, worst_upper
from certify.claims.formula.pipeline import certify_part, name_free_inputs
from certify.claims.formula.pipeline import sketch as sketch_network
from certify.common.words import show_word, type_word
from certify.requests.request import Request
from certify.requests.run_command import RunCommand
from constructions.network.lengths import Lengths
from constructions.network.meanings import Slack
from constructions.network.transformer import Transformer
from constructions.network.validation import check_defined
from constructions.regimes import Regime
from proofs.enclosures.intervals import AtLeast, point
from proofs.formula.common.kinds import ObligationKind
from proofs.formula.discharge import ALLOWED_ERROR, DischargedObligations, Line, Progress, bounds_of
from proofs.formula.failures import NotDerived
from proofs.formula.feed_forward.every_word import slack_on_every_word
from proofs.formula.on_words import find_greatest_error
from proofs.formula.refutation import RefutationResult as WordSearch
from proofs.formula.refutation import SearchByLength, find_counterexample
from proofs.trained.runs import runs
from proofs.words.replay import NEAR_A_NUMBER, Counterexample

MOST_WORK = 50_000
"""Units of work to find the greatest error on a word of one length."""


@dataclass(frozen=True)
class ClaimedNetwork:
    """A network, the allowed error, and the command that shows a word on it."""

    network: Transformer
    regime: Regime | None
    allowed_error: Fraction | None
    run_command: RunCommand

    def show(self, word: Sequence[str]) -> str:
        """Return the command that runs the network on a word."""
        return self.run_command.on(type_word(word, self.network.alphabet))


def network_of(request: Request) -> ClaimedNetwork:
    """Return the network of a request, with the claim at each length.

    Raises:
        Unsupported: if there is no such network.
    """
    return ClaimedNetwork(request.network, request.stated_regime, request.allowed_error, request.run_command)


@dataclass
class AuditSearch:
    """The obligations proved before; equal obligations are discharged once."""

    exact: DischargedObligations = field(default_factory=DischargedObligations)
    confirmed: DischargedObligations = field(default_factory=DischargedObligations)
    progress: Progress = lambda _: None


def decide(claimed: ClaimedNetwork, lengths: Lengths, search: AuditSearch) -> ClaimAnswer:
    """Return the verdict at every length.

    Raises:
        InputError: if an embedding or temperature is not defined, or not positive, at some (n, i).
    """
    check_defined(claimed.network, lengths)
    sketches = {n: sketch(claimed, Lengths(n, n), search) for n in lengths}
    rows, certificates = dict[int, LengthVerdict](), list[str]()
    for first, last in runs(n for n in lengths if all(line.proved for line in sketches[n])):
        run = Lengths(first, last)
        outcome = certify_run(claimed, run, search)
        if isinstance(outcome, Certified):
            certificates.append(outcome.certificate)
            rows |= {n: _row(n, "certified", sketches[n], claimed) for n in run}
        elif isinstance(outcome, Unknown):
            rows |= {n: _row(n, "unknown", sketches[n], claimed, outcome.reason) for n in run}
    by_length = SearchByLength(claimed.network, claimed.allowed_error, search.progress)
    for n in (n for n in lengths if n not in rows):
        found = by_length.find(Lengths(n, n), sketches[n])
        is_open = not found.counterexample and words_decide(claimed, sketches[n], n)
        on_words = certify_run(claimed, Lengths(n, n), search) if is_open else None
        if isinstance(on_words, Certified):
            certificates.append(on_words.certificate)
            rows[n] = _row(n, "certified", on_words.lines, claimed)
        else:
            rows[n] = _searched_row(claimed, n, sketches[n], found)
    if not any(row.verdict == "refuted" for row in rows.values()):
        rows |= _refute_together(claimed, lengths, rows, search)
    return ClaimAnswer(tuple(rows[n] for n in lengths), tuple(certificates))


def sketch(claimed: ClaimedNetwork, lengths: Lengths, search: AuditSearch) -> list[Line]:
    """Return the exact prover's line for every obligation, without the second prover."""
    return sketch_network(claimed.network, lengths, claimed.allowed_error, search.exact)


def open_slacks(lines: Sequence[Line], network: Transformer) -> list[str]:
    """Return the slacks that a sketch leaves open, which words may decide; none if other obligations are open, too."""
    found = [line for line in lines if not line.proved]
    if any(max(abs(bound.lower), abs(bound.upper)) > NEAR_A_NUMBER for bound in bounds_of(lines).values()):
        return []
    of_slack = all(line.kind is ObligationKind.FEED_FORWARD and isinstance(network.directions[line.direction], Slack)
                   for line in found)
    return [line.direction for line in found] if of_slack else []


def words_decide(claimed: ClaimedNetwork, lines: Sequence[Line], n: int) -> bool:
    """Return whether all open obligations of a sketch can be decided by examining all words of length n."""
    try:
        found = [slack_on_every_word(claimed.network, slack, Lengths(n, n))
                 for slack in open_slacks(lines, claimed.network)]
    except NotDerived:
        return False
    return bool(found) and all(each.is_small for each in found)


def certify_run(claimed: ClaimedNetwork, lengths: Lengths, search: AuditSearch) -> Certified | Refuted | Unknown:
    """Return the outcome of the main path for these lengths."""
    search.progress(f"certifying n = {lengths}")
    outcome = certify_part(claimed.network, lengths, claimed.regime, search.confirmed, claimed.allowed_error)
    assert isinstance(outcome, Certified | Refuted | Unknown)
    return outcome


def find_witness(claimed: ClaimedNetwork, lengths: Lengths, lines: Sequence[Line],
                 search: AuditSearch) -> Witness | None:
    """Return a replayed word of one of these lengths that breaks the claim, if the search finds one."""
    search.progress(f"looking for a word of length {lengths}")
    found = find_counterexample(claimed.network, lengths, lines, claimed.allowed_error).counterexample
    return describe_counterexample(found, claimed) if found else None


def describe_counterexample(found: Counterexample, claimed: ClaimedNetwork) -> Witness:
    """Return the word, what is wrong on it, and the command that shows it."""
    word, value = show_word(found.word), outward(found.value.lower, found.value.upper)
    command, n = claimed.show(found.word), len(found.word)
    if isinstance(found.allowed, AtLeast):
        return Witness(found.direction, n, value, point(found.allowed.lower), command, word, found.position, "at least")
    return Witness(found.direction, n, value, found.allowed, command, word, found.position)


def _searched_row(claimed: ClaimedNetwork, n: int, lines: Sequence[Line], found: WordSearch) -> LengthVerdict:
    if found.counterexample:
        return _row(n, "refuted", lines, claimed, witness=describe_counterexample(found.counterexample, claimed))
    failed = [f"{line.direction}: {line.reason}{name_free_inputs(line)}" for line in lines if not line.proved]
    return _row(n, "unknown", lines, claimed, "; ".join([*failed[:1], found.account]))


def _refute_together(claimed: ClaimedNetwork, lengths: Lengths, rows: Mapping[int, LengthVerdict],
                     search: AuditSearch) -> dict[int, LengthVerdict]:
    """Return the row of a word that breaks the claim, searched at all lengths together, as the main path does first."""
    if lengths.first == lengths.last or all(row.verdict == "certified" for row in rows.values()):
        return {}
    lines = sketch(claimed, lengths, search)
    found = find_counterexample(claimed.network, lengths, lines, claimed.allowed_error, progress=search.progress)
    if not found.counterexample:
        return {}
    n = len(found.counterexample.word)
    return {n: replace(rows[n], verdict="refuted", reason="",
                       witness=describe_counterexample(found.counterexample, claimed))}


def _row(n: int, verdict: Verdict, lines: Iterable[Line], claimed: ClaimedNetwork, reason: str = "",
         witness: Witness | None = None) -> LengthVerdict:
    lines = list(lines)
    greatest = find_greatest_error(claimed.network, lines, Lengths(n, n), MOST_WORK)
    if greatest is None:
        return LengthVerdict(n, verdict, reason=reason, witness=witness)
    line = greatest.line or max((line for line in lines if line.worst and line.worst.worst), key=worst_upper)
    bound = claimed.allowed_error or (ALLOWED_ERROR if line.kind is ObligationKind.ATTENTION else None)
    where = f"layer {line.layer}, head {line.place}, i = {greatest.position}" if greatest.line else ""
    return LengthVerdict(n, verdict, outward(greatest.lower, greatest.upper), point(bound) if bound else None, where,
                         reason, witness)


# -- the distance from a certificate -----------------------------------------------------------------------------------


WHOLLY_WRONG = Fraction(2) ** 64
"""The odds of an error of 1 or more."""


def read_probe(lines: Sequence[Line], allowed_error: Fraction | None) -> Probe:
    """Return whether all obligations are proved, and the margin of the worst head's error against its allowed error.

    The odds of the error, E/(1-E), fall about exponentially with the constant, so logarithms of odds are compared.
    """
    passes = all(line.proved for line in lines)
    allowed = _log_odds(allowed_error or ALLOWED_ERROR)
    margins = [_log_odds(worst.upper) - allowed for line in lines if line.worst and (worst := line.worst.worst)]
    margin = max(margins, default=None)
    return Probe(passes, margin if margin is not None and (margin <= 0) == passes else None)


def _log_odds(error: Fraction) -> float:
    if error <= 0:
        return -math.inf
    odds = error / (1 - error) if error < 1 else WHOLLY_WRONG
    return math.log(odds.numerator) - math.log(odds.denominator)
