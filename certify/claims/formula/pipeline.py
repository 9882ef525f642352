"""The main path: build the network, oblige and discharge, seal, check; or refute."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from os import PathLike
from typing import Any

from certify.claims.formula.outcomes import Certified, Outcome, Refuted, Unknown, UnsupportedClaim
from certify.common.output_guard import guard_outputs
from certify.common.verdicts import OWN_WORK
from certify.requests.arguments import Exact, find_python_subject, read_arguments, read_effort, read_lengths
from certify.requests.inputs import NetworkSubject, as_key
from certify.requests.request import DEFAULT_MAX_N, Request, read_request
from certify.requests.subjects import find_formula
from constructions.arguments import typed, unexpected_value
from constructions.errors import Unsupported
from constructions.language.expressions import Expression
from constructions.language.printer import format_briefly
from constructions.language.syntax import Formula, is_symbolic
from constructions.network.lengths import Lengths
from constructions.network.transformer import Transformer
from constructions.network.validation import check_defined
from constructions.network_builder import NetworkBuilder
from constructions.regimes import Regime
from proofs.check import Refusal, check_text
from proofs.enclosures.float_models.model import FloatModel
from proofs.formula.additive.obligation import SelectingObligation
from proofs.formula.attention.obligation import AttentionObligation
from proofs.formula.certificate import seal
from proofs.formula.discharge import DischargedObligations, Line, Progress, discharge
from proofs.formula.refutation import DEFAULT_WORK, RefutationResult, SearchByLength, find_counterexample

FREE_INPUTS = "certify list guides models, section Refuted, and unknown"
Subject = Formula | Transformer | NetworkBuilder | str | PathLike[str]


class Clock:
    """Seconds spent, stage by stage."""

    def __init__(self) -> None:
        """Start now."""
        self.stages: dict[str, float] = {}
        self._start = self._last = time.perf_counter()

    def stamp(self, stage: str) -> None:
        """Add the time since the last stamp to ``stage``."""
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
            delta: Exact | None = None, precision: str | None = None, as_printed: bool = False,
            symbol: str | None = None, dialect: str | None = None, regex: str | None = None,
            dfa: str | PathLike[str] | None = None, weighting: str | None = None, given: str | None = None,
            floats: str | None = None, effort: int = 1, memory: DischargedObligations | None = None,
            progress: Progress = lambda _: None) -> Outcome:
    """Decide whether a transformer computes its formula, for every word of length ``min_n`` to ``max_n``.

    The subject is a formula (text or node), the path of a program, a model or a certificate, or a network; ``regex`` or
    ``dfa`` replace it. The other arguments are the options of the command line: ``regime="position"``,
    ``gamma="13/10"``, ``temperature="1/n"``, ``predicates=["THIRD(k,n) := k % 3 == 1"]``; ``floats`` is ``--float``.
    With ``given="O Q_w"`` the claim is about the positions where this formula holds. Numbers are exact: texts, integers
    and Fractions. ``effort`` multiplies the work of the search for a counterexample.

    >>> certify("prev Q_a", alphabet="ab", max_n=4, regime="position", gamma="7/2").verdict
    'certified'

    Raises:
        InputError: one line on an argument that is malformed or inconsistent with another.
        Unsupported: if a program has no formula.
    """
    options = read_arguments({
        "alphabet": alphabet, "regime": regime, "gamma": gamma, "temperature": temperature, "causal": causal,
        "predicates": predicates, "delta": delta, "precision": precision, "as_printed": as_printed, "symbol": symbol,
        "dialect": dialect, "regex": regex, "dfa": dfa, "weighting": weighting, "given": given})
    lengths = read_lengths(min_n, max_n)
    with guard_outputs() as places:
        request = read_request(find_python_subject(subject, options), options, lengths=lengths, spell=as_key)
    if not isinstance(floats, str | None):
        raise unexpected_value("floats", floats, "the name of a float model, or of a file with one")
    effort, runs = read_effort(effort), None
    if floats is not None:
        from certify.claims.floats.models import read_model  # the page that proves formulas lacks it

        runs = read_model(floats)
    outcome = certify_request(request, memory, progress, effort, runs)
    return replace(outcome, places=places)


@typed
def certify_transformer(transformer: Transformer, max_n: int = DEFAULT_MAX_N, regime: Regime | None = None,
                        memory: DischargedObligations | None = None, progress: Progress = lambda _: None,
                        min_n: int = 1, allowed_error: Fraction | None = None) -> Outcome:
    """Decide whether every direction of the transformer has its meaning, for every word of these lengths.

    The certificate claims the ``regime``, if one is given.

    Raises:
        InputError: if an embedding or temperature is not defined, or not positive, at some (n, i), or the allowed error
            is not above 0 and at most 1/4.
    """
    lengths = Lengths(min_n, max_n)
    Request(NetworkSubject("network", transformer), lengths, allowed_error=allowed_error).check()
    return certify_part(transformer, lengths, regime, memory, allowed_error, progress)


def certify_part(transformer: Transformer, lengths: Lengths, regime: Regime | None,
                 memory: DischargedObligations | None, allowed_error: Fraction | None,
                 progress: Progress = lambda _: None) -> Outcome:
    """Decide a claim about a transformer at some of its lengths; possibly vacuous at these."""
    request = Request(NetworkSubject("network", transformer, regime), lengths, allowed_error=allowed_error)
    outcome = certify_request(request, memory, progress)
    outcome.stages.pop("construct")  # no construction took place
    return outcome


def certify_request(request: Request, memory: DischargedObligations | None = None, progress: Progress = lambda _: None,
                    effort: int = 1, runs: FloatModel | None = None, some: Lengths | None = None) -> Outcome:
    """Decide a request for its lengths, or ``some`` of them; also under the float model ``runs``, if given.

    Certified only if the independent checker accepts the certificate. ``effort`` multiplies the work of the search for
    a counterexample, if one is needed.

    Raises:
        InputError: if an embedding or temperature is not defined, or not positive, at some (n, i).
    """
    request = request if some is None else request.about(some)
    clock, lengths, allowed_error = Clock(), request.claimed_lengths, request.allowed_error
    try:
        network = request.network
    except Unsupported as construct:
        return UnsupportedClaim(formula=request.formula, alphabet=request.alphabet, lengths=lengths,
                                regime=request.regime, seconds=clock.total, stages=clock.stages, reason=str(construct))
    clock.stamp("construct")
    check_defined(network, lengths)
    lines = discharge(network, lengths, memory, progress, allowed_error)
    clock.stamp("discharge")
    formula, regime = find_formula(network), request.stated_regime
    common: dict[str, Any] = {"formula": formula, "alphabet": network.alphabet, "lengths": lengths, "regime": regime,
                              "transformer": network, "lines": tuple(lines), "allowed_error": allowed_error}
    outcome: Outcome
    if all(line.proved for line in lines):
        assert formula is not None, "an output that means no formula leaves a line unproved"
        certificate = seal(formula, lengths, regime, network, lines, allowed_error)
        try:
            check_text(certificate.encode(), work=OWN_WORK)
            outcome = Certified(**common, certificate=certificate)
        except Refusal as why:
            outcome = Unknown(
                **common, reason=f"proved, but the independent checker does not accept the certificate: {why}")
    else:
        search = find_wrong_word(network, lengths, lines, allowed_error, progress, effort * DEFAULT_WORK)
        outcome = (Refuted(**common, counterexample=search.counterexample) if search.counterexample else
                   Unknown(**common, reason=f"{describe_unproved(lines)}; {search.account}"))
    clock.stamp("seal and check" if isinstance(outcome, Certified) else "refute")
    outcome = replace(outcome, seconds=clock.total, stages=clock.stages)
    if runs is None:
        return outcome
    from certify.claims.formula.float_claim import claim_runs

    return claim_runs(outcome, runs, progress, effort)


def find_wrong_word(network: Transformer, lengths: Lengths, lines: Sequence[Line], allowed_error: Fraction | None,
                    progress: Progress, work: int) -> RefutationResult:
    """Search a word that breaks the claim: at all lengths together, then length by length.

    The audit runs both searches in the other order, so it refutes exactly the same claims.
    """
    search = find_counterexample(network, lengths, lines, allowed_error, work, progress)
    if search.counterexample:
        return search
    memory, by_length = DischargedObligations(), SearchByLength(network, allowed_error, progress, work)
    for n in lengths:
        one = Lengths(n, n)
        own = sketch(network, one, allowed_error, memory)
        if not all(line.proved for line in own):
            found = by_length.find(one, own)
            if found.counterexample:
                return found
    return search


def sketch(network: Transformer, lengths: Lengths, allowed_error: Fraction | None,
           memory: DischargedObligations) -> list[Line]:
    """Return the exact prover's line for every obligation: enough to search with, not to certify."""
    return discharge(network, lengths, memory, allowed_error=allowed_error, twice=False)


def describe_unproved(lines: Sequence[Line]) -> str:
    """Return the first obligation that is not proved, why, and how many more are not."""
    first, *others = [line for line in lines if not line.proved]
    where = f"layer {first.layer}, {first.kind}" if first.layer else first.kind
    more = f" (and {len(others)} more)" if others else ""
    return f"{where}, {first.direction}: {first.reason}{name_free_inputs(first)}{more}"


def name_free_inputs(line: Line) -> str:
    """Name the free inputs of a head: its error may belong to truths that no word has."""
    obligation = line.obligation
    if not isinstance(obligation, AttentionObligation | SelectingObligation) or line.worst is None:
        return ""
    free = [format_briefly(atom) for atom in obligation.target.atoms if not is_symbolic(atom)]
    return f" if its inputs {', '.join(free)} may have any truths ({FREE_INPUTS})" if free else ""
