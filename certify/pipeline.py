"""The main path: build the network, oblige and discharge, seal, check; or refute."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from os import PathLike
from typing import Any

from certify.arguments import find_python_subject, read_arguments, read_lengths, whole_number
from certify.outcomes import OWN_WORK, Certified, Outcome, Refuted, Unknown, UnsupportedClaim
from certify.places import keep_places
from certify.request import DEFAULT_MAX_N, NetworkSubject, Request, request_found
from certify.subjects import find_formula
from constructions.arguments import not_what, typed
from constructions.errors import InputError, Unsupported
from constructions.language.expressions import Expression
from constructions.language.printer import format_briefly
from constructions.language.syntax import Formula, is_symbolic
from constructions.network.lengths import Lengths
from constructions.network.transformer import Transformer
from constructions.network.validation import check_defined
from constructions.network_builder import NetworkBuilder
from constructions.regimes import Regime
from proofs.certificate import seal
from proofs.check import Refusal, check_text
from proofs.discharge import Line, Memory, Progress, discharge
from proofs.obligations.additive import SelectingObligation
from proofs.obligations.attention import AttentionObligation
from proofs.refutation import DEFAULT_WORK, Search, SearchByLength, find_counterexample

FREE_INPUTS = "certify docs models, section Refuted, and unknown"
Subject = Formula | Transformer | NetworkBuilder | str | PathLike[str]
Exact = str | int | Fraction


class Clock:
    """Seconds spent, stage by stage."""

    def __init__(self) -> None:
        """Start now."""
        self.stages: dict[str, float] = {}
        self._start = self._last = time.perf_counter()

    def stamp(self, stage: str) -> None:
        """Book the time since the last stamp on ``stage``."""
        now = time.perf_counter()
        self.stages[stage] = self.stages.get(stage, 0.0) + now - self._last
        self._last = now

    @property
    def total(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self._start


def certify(subject: Subject | None = None, alphabet: str | Sequence[str] | None = None, max_n: int = DEFAULT_MAX_N,
            regime: Regime | str | None = None, gamma: Exact | None = None, *, min_n: int = 1,
            temperature: Exact | Expression | None = None, causal: bool = False, predicates: Sequence[str] = (),
            allowed_error: Exact | None = None, precision: str | None = None, as_printed: bool = False,
            symbol: str | None = None, dialect: str | None = None, regex: str | None = None,
            dfa: str | PathLike[str] | None = None, weighting: str | None = None,
            floats: str | None = None, effort: int = 1, memory: Memory | None = None,
            progress: Progress = lambda _: None) -> Outcome:
    """Decide whether a transformer computes what it should, for every word of length ``min_n`` to ``max_n``.

    The subject is a formula (text or node), the path of a program, a model or a certificate, or a network; ``regex``
    or ``dfa`` take its place. What stands beside it is what the command line takes: ``regime="position"``,
    ``gamma="13/10"``, ``temperature="1/n"``, ``predicates=["THIRD(k,n) := k % 3 == 1"]``; ``allowed_error`` is
    ``--delta``, ``precision`` is ``--for`` and ``floats`` is ``--float``. Numbers are exact: texts, integers and
    Fractions. The search for a counterexample may take ``effort`` times its usual work.

    >>> certify("prev Q_a", alphabet="ab", max_n=4, regime="position", gamma="7/2").verdict
    'certified'

    Raises:
        InputError: in one line, for whatever is malformed or does not go together.
        Unsupported: if a program has no formula.
    """
    options = read_arguments({
        "alphabet": alphabet, "regime": regime, "gamma": gamma, "temperature": temperature, "causal": causal,
        "predicates": predicates, "allowed_error": allowed_error, "precision": precision, "as_printed": as_printed,
        "symbol": symbol, "dialect": dialect, "regex": regex, "dfa": dfa, "weighting": weighting})
    lengths = read_lengths(min_n, max_n)
    with keep_places() as places:
        request = request_found(find_python_subject(subject, options), options, lengths=lengths, spell=str)
    if not isinstance(floats, str | None):
        raise not_what("floats", floats, "the name of a run class, or of a file with one")
    outcome = certify_request(request, memory, progress, whole_number("effort", effort))
    decided = outcome if floats is None else claim_runs_named(outcome, floats, progress, effort)
    return replace(decided, places=places)


def claim_runs_named(outcome: Outcome, name: str, progress: Progress, effort: int) -> Outcome:
    """What becomes of an outcome if the float runs of a class, by its name or in a file, are to be right, too."""
    from certify.floats.claim import claim_runs  # which needs this module
    from certify.floats.classes import read_class

    return claim_runs(outcome, read_class(name), progress, effort)


@typed
def certify_transformer(transformer: Transformer, max_n: int = DEFAULT_MAX_N, regime: Regime | None = None,
                        memory: Memory | None = None, progress: Progress = lambda _: None, min_n: int = 1,
                        allowed_error: Fraction | None = None) -> Outcome:
    """Decide whether every direction of the transformer holds its meaning, for every word of these lengths.

    The certificate claims the ``regime``, if one is given.

    Raises:
        InputError: if an embedding or temperature is not defined, or not positive, at some (n, i), or the allowed error
            is not above 0 and at most 1/4.
    """
    request = Request(NetworkSubject("network", transformer), Lengths(min_n, max_n), allowed_error=allowed_error)
    request.check()
    return _decide(request, transformer, regime, memory, progress, Clock())


def certify_request(request: Request, memory: Memory | None = None, progress: Progress = lambda _: None,
                    effort: int = 1) -> Outcome:
    """Decide what a request asks, for every word of its lengths.

    The search for a counterexample, if one is needed, may take ``effort`` times its usual work.

    Raises:
        InputError: if an embedding or temperature is not defined, or not positive, at some (n, i), or the effort is
            below 1.
    """
    if effort < 1:
        raise InputError(f"effort: {effort}, expected 1 or more")
    clock = Clock()
    try:
        network = request.network
    except Unsupported as construct:
        return UnsupportedClaim(formula=request.formula, alphabet=request.alphabet, lengths=request.claimed_lengths,
                                regime=request.regime, seconds=clock.total, stages=clock.stages, reason=str(construct))
    clock.stamp("construct")
    return _decide(request, network, request.stated_regime, memory, progress, clock, effort)


def _decide(request: Request, network: Transformer, stated: Regime | None, memory: Memory | None, progress: Progress,
            clock: Clock, effort: int = 1) -> Outcome:
    lengths = request.claimed_lengths
    check_defined(network, lengths)
    lines = discharge(network, lengths, memory, progress, request.allowed_error)
    clock.stamp("discharge")
    outcome = Unknown(formula=find_formula(network), alphabet=network.alphabet, lengths=lengths, regime=stated,
                      transformer=network, lines=tuple(lines), reason="", allowed_error=request.allowed_error)
    decided = _seal_and_check(outcome) if all(line.proved for line in lines) else _refute(outcome, progress, effort)
    clock.stamp("seal and check" if isinstance(decided, Certified) else "refute")
    return replace(decided, seconds=clock.total, stages=clock.stages)


def _seal_and_check(proved: Unknown) -> Outcome:
    """Certified only if the independent checker accepts the certificate."""
    assert proved.formula is not None and proved.transformer is not None
    certificate = seal(proved.formula, proved.lengths, proved.regime, proved.transformer, proved.lines,
                       proved.allowed_error)
    try:
        check_text(certificate.encode(), work=OWN_WORK)
    except Refusal as reason:
        return replace(proved, reason=f"proved, but the independent checker does not accept the certificate: {reason}")
    return Certified(**_common(proved), certificate=certificate)


def _refute(unproved: Unknown, progress: Progress, effort: int) -> Outcome:
    """Refuted if some word breaks the claim, the shortest lengths first."""
    assert unproved.transformer is not None
    search = _find_counterexample(unproved, unproved.transformer, progress, effort * DEFAULT_WORK)
    if search.counterexample:
        return Refuted(**_common(unproved), counterexample=search.counterexample)
    failed = [line for line in unproved.lines if not line.proved]
    return replace(unproved, reason=f"{_place(failed[0])}: {failed[0].reason}{_name_free(failed[0])}"
                   + (f" (and {len(failed) - 1} more)" if len(failed) > 1 else "") + f"; {search.account}")


def _find_counterexample(unproved: Unknown, network: Transformer, progress: Progress, work: int) -> Search:
    """A word that breaks the claim: looked for at all lengths together, then length by length.

    The audit asks the same two questions in the other order, so it refutes what is refuted here, and nothing else.
    """
    search = find_counterexample(network, unproved.lengths, unproved.lines, unproved.allowed_error, work, progress)
    if search.counterexample:
        return search
    memory, by_length = Memory(), SearchByLength(network, unproved.allowed_error, progress, work)
    for n in unproved.lengths:
        one = Lengths(n, n)
        lines = sketch(network, one, unproved.allowed_error, memory)
        if not all(line.proved for line in lines):
            found = by_length.find(one, lines)
            if found.counterexample:
                return found
    return search


def sketch(network: Transformer, lengths: Lengths, allowed_error: Fraction | None, memory: Memory) -> list[Line]:
    """What the exact prover alone says of every obligation: enough to search with, not to certify."""
    return discharge(network, lengths, memory, allowed_error=allowed_error, twice=False)


def _place(line: Line) -> str:
    return f"{line.kind}, {line.direction}" if not line.layer else f"layer {line.layer}, {line.kind}, {line.direction}"


def _name_free(line: Line) -> str:
    """Which inputs of a head are left free, as its error may be that of truths that no word has."""
    obligation = line.obligation
    if not isinstance(obligation, AttentionObligation | SelectingObligation) or line.worst is None:
        return ""
    free = [format_briefly(atom) for atom in obligation.target.atoms if not is_symbolic(atom)]
    return f" if its inputs {', '.join(free)} may have any truths ({FREE_INPUTS})" if free else ""


def _common(outcome: Unknown) -> dict[str, Any]:
    return {name: getattr(outcome, name)
            for name in ("formula", "alphabet", "lengths", "regime", "transformer", "lines", "allowed_error")}
