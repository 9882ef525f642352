"""The result of one claim of a claims file: decided, measured, and compared with the expectation."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from certify.auditing.claims import AboutNetwork, AuditClaim, MalformedClaim
from certify.auditing.critical import Bracketing
from certify.auditing.decide import AuditSearch, decide, network_of
from certify.auditing.demanded import decide_gaps, decide_runs, find_embedding_beyond
from certify.auditing.fits import fit_laws
from certify.auditing.kinds.kind import Question
from certify.auditing.results import (
    ClaimAnswer,
    ClaimResult,
    CriticalConstant,
    LengthVerdict,
    OneVerdict,
    Verdict,
)
from certify.auditing.wording import ends
from certify.common.partial_answer import PartialAnswer, answer_in_time
from certify.requests.vacuity import HOLDS_NOWHERE, find_vacuity, find_vacuous_lengths
from constructions.deadline import TimeIsUp, time_limit
from constructions.errors import InputError, Unsupported
from constructions.network.lengths import Lengths
from constructions.network.transformer import Transformer
from proofs.enclosures.intervals import Interval


def judge(claim: AuditClaim, search: AuditSearch) -> ClaimResult:
    """Decide one claim.

    Raises:
        InputError: if an expression of the claim is undefined at some length.
    """
    return with_criticals(claim, judge_with_certificates(claim, search).result, search)


def judge_of_file(path: str, claim: AuditClaim, search: AuditSearch) -> ClaimResult:
    """Decide a claim of the claims file at this path.

    Raises:
        InputError: if an expression of the claim is undefined at some length; names the file and the claim.
    """
    try:
        return judge(claim, search)
    except InputError as error:
        raise InputError(f"{path}, claim {claim.name!r}: {error}") from None


@dataclass(frozen=True)
class Judged:
    """The result of one claim, and the certificates of the lengths that are certified."""

    result: ClaimResult
    certificates: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """The verdict on the claim."""
        return self.result.verdict


def judge_with_certificates(claim: AuditClaim, search: AuditSearch) -> Judged:
    """Decide one claim without critical constants."""
    start = time.perf_counter()
    try:
        judged = Judged(*_decide(claim, search))
    except Unsupported as construct:
        judged = Judged(_result(claim, "unsupported", reason=str(construct)))
    result = replace(judged.result, seconds=round(time.perf_counter() - start, 3))
    return Judged(_labelled(claim, result), judged.certificates)


def judge_in_time(claim: AuditClaim, search: AuditSearch, seconds: int | None = None,
                  decided: Callable[[Verdict, Sequence[int]], None] = lambda _verdict, _left: None) -> Judged:
    """Decide one claim with critical constants; at a timeout the result for shorter words, with the verdict unknown.

    ``decided`` is called with the verdict and the lengths whose critical constants are then computed, for at most
    ``seconds`` (None: unlimited). At a timeout the constants found so far are returned.
    """
    start = time.perf_counter()
    found = answer_in_time(claim.lengths, lambda some: judge_with_certificates(claim.about_some(some), search))
    if isinstance(found, PartialAnswer):
        result = _result(claim, "unknown", "") if found.answer is None else found.answer.result
        return Judged(replace(result, verdict="unknown", reason=found.reason, lengths=str(claim.lengths),
                              seconds=round(time.perf_counter() - start, 3)))
    if critical := lengths_to_bracket(claim, found.result):
        decided(found.result.verdict, critical)
    return replace(found, result=with_criticals(claim, found.result, search, seconds, is_kept=True))


def lengths_to_bracket(claim: AuditClaim, result: ClaimResult) -> tuple[int, ...]:
    """Return the lengths of the requested critical constants, if the network was examined."""
    return claim.about.demands.critical if isinstance(claim.about, AboutNetwork) and result.rows else ()


def with_criticals(claim: AuditClaim, result: ClaimResult, search: AuditSearch, seconds: int | None = None,
                   is_kept: bool = False) -> ClaimResult:
    """Add the critical constants; if ``is_kept``, those found before a timeout, with a note.

    Raises:
        TimeIsUp: unless ``is_kept``.
    """
    if not isinstance(claim.about, AboutNetwork) or not (lengths := lengths_to_bracket(claim, result)):
        return result
    start, demands, found = time.perf_counter(), claim.about.demands, list[CriticalConstant]()
    bracketing = Bracketing(claim.about.request, demands.width, demands.critical, search.progress)
    try:
        with time_limit(seconds):
            for n in lengths:
                found.append(bracketing.critical(Lengths(claim.lengths.first, n)))
    except TimeIsUp as up:
        if not is_kept:
            raise
        left = ",".join(map(str, lengths[len(found):]))
        note = f"critical constants at n = {left} take more than {up.seconds} s: compute them with --critical {left}"
        result = replace(result, note="; ".join(filter(None, (result.note, note))))
    result = replace(result, criticals=tuple(found), fits=fit_laws(found),
                     seconds=round(result.seconds + time.perf_counter() - start, 3))
    return _labelled(claim, _hold_against_constants(claim, result))


def _decide(claim: AuditClaim, search: AuditSearch) -> tuple[ClaimResult, tuple[str, ...]]:
    match claim.about:
        case AboutNetwork() as about:
            return _decide_network(claim, about, search)
        case Question() as question:
            answer = question.decide(claim.lengths, search.progress)
            return _answered(claim, answer), answer.certificates
        case MalformedClaim(why):
            return _result(claim, "malformed", reason=why), ()


def _answered(claim: AuditClaim, answer: ClaimAnswer | OneVerdict) -> ClaimResult:
    """Return the result for an answer."""
    result = replace(_result(claim, answer.verdict, answer.reason), measure=answer.measure)
    if isinstance(answer, OneVerdict):
        return replace(result, lengths=answer.lengths or str(claim.lengths), witness=answer.witness, error=answer.error,
                       bound=answer.bound)
    row = answer.decisive
    return replace(result, rows=answer.rows, witness=row.witness, error=row.error, bound=row.bound,
                   where=f"n = {row.n}, {row.where}" if row.where else "")


def _decide_network(claim: AuditClaim, about: AboutNetwork, search: AuditSearch) -> tuple[ClaimResult,
                                                                                          tuple[str, ...]]:
    request, demands = about.request, about.demands
    if beyond := find_embedding_beyond(request.network, demands, claim.lengths):
        return _result(claim, beyond[0], reason=beyond[1]), ()
    claimed = network_of(request)
    if demands.gap is not None:
        return _answered(claim, decide_gaps(claimed, demands.gap, claim.lengths)), ()
    constant = find_vacuity(request.formula, claimed.network.alphabet, claim.lengths.last) if request.formula else None
    answer = replace(decide(claimed, claim.lengths, search), note=f"the formula is {constant}" if constant else "")
    if demands.runs is not None:
        answer = decide_runs(answer, demands.runs, search.progress)
    answer = _with_vacuous_rows(answer, claimed.network)
    return replace(_answered(claim, answer), gamma=request.gamma), answer.certificates


def _with_vacuous_rows(answer: ClaimAnswer, network: Transformer) -> ClaimAnswer:
    """Return the answer whose certified rows are vacuous where the assumption of the network holds nowhere."""
    certified = answer.lengths_that_are("certified")
    vacuous = set(find_vacuous_lengths(network.given, network.alphabet, certified))
    return replace(answer, rows=tuple(
        LengthVerdict(row.n, "vacuous", reason=HOLDS_NOWHERE) if row.n in vacuous else row for row in answer.rows))


def _result(claim: AuditClaim, verdict: Verdict, reason: str) -> ClaimResult:
    return ClaimResult(claim.name, claim.statement, claim.says, describe_subject(claim), str(claim.lengths), verdict,
                       claim.expected.verdict or "", "", reason, 0.0, note=claim.note, limit=claim.limit,
                       part=claim.part, covers=describe_coverage(claim), reading=claim.reading,
                       rests_on=claim.rests_on)


def describe_subject(claim: AuditClaim) -> str:
    """Describe the subject of the claim in one line."""
    match claim.about:
        case AboutNetwork(request, demands):
            floats = f"; in every execution under {demands.runs.name}, too" if demands.runs else ""
            return request.description + floats
        case Question() as question:
            return question.subject
    return ""


LONGEST_SUBJECT = 120
"""Longer formulas are named by their claims."""


def describe_coverage(claim: AuditClaim) -> str:
    """Describe what is examined at each length, of all that a statement may be about."""
    match claim.about:
        case AboutNetwork(request):
            subject = request.description.partition(";")[0]
            return subject if len(subject) <= LONGEST_SUBJECT else f"the formula of {claim.name}"
        case Question() as question:
            return question.covers
    return ""


# -- the expectations --------------------------------------------------------------------------------------------------


def _labelled(claim: AuditClaim, result: ClaimResult) -> ClaimResult:
    """Return the result with the verdict that its reading leaves, compared with the claims file's expectation."""
    if claim.reading and result.verdict == "refuted":
        result = replace(result, verdict="refuted on a reading")
    return replace(result, mismatch=find_mismatch(claim, result))


def _hold_against_constants(claim: AuditClaim, result: ClaimResult) -> ClaimResult:
    """Return the result, certified only if all stated critical constants were found, and equal the stated ones."""
    found = {critical.n: critical.gamma for critical in result.criticals}
    for n, stated in (claim.expected.constants or {}).items():
        if result.verdict != "certified":
            break
        gamma = found.get(n)
        if gamma is None:
            result = replace(result, verdict="unknown", reason=f"the critical constant at n = {n} was not found")
        elif not _fits(gamma, stated):
            wrong = f"the critical constant at n = {n} lies in {'..'.join(ends(gamma))}, stated as {stated}"
            result = replace(result, verdict="refuted", reason=wrong)
    return result


def find_mismatch(claim: AuditClaim, result: ClaimResult) -> str:
    """Describe the difference between the result and the claims file's expectation; empty if there is none."""
    expected, found = claim.expected, []
    if expected.verdict is not None and result.verdict != expected.verdict:
        found.append(f"expected {expected.verdict}")
    if expected.counterexample is not None:
        witness = result.witness
        if witness is None or (witness.word, witness.position) != expected.counterexample:
            word, position = expected.counterexample
            found.append(f"expected the counterexample {word}, position {position}")
    by_length = {critical.n: critical for critical in result.criticals}
    for n, constant in (expected.constants or {}).items():
        gamma = by_length[n].gamma if n in by_length else None
        if gamma is None or not _fits(gamma, constant):
            found.append(f"expected the critical constant {constant} at n = {n}")
    return "; ".join(found)


def _fits(gamma: Interval, decimal: str) -> bool:
    """Return whether the bracket intersects the numbers that round (or truncate) to the decimal."""
    unit = Fraction(1, 10 ** len(decimal.partition(".")[2]))
    return gamma.lower <= Fraction(decimal) + unit and gamma.upper >= Fraction(decimal) - unit
