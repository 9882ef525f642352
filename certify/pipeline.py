"""The main path: parse, construct, oblige and discharge, seal, check; or refute."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from certify.outcomes import Certified, Outcome, Refuted, Unknown, UnsupportedClaim
from constructions.compiler import PRINTED_GAMMA, compile_formula
from constructions.errors import InputError, Unsupported
from constructions.language.expressions import Expression
from constructions.language.parser import alphabet_of, parse_formula
from constructions.language.predicates import parse_predicate_definitions
from constructions.language.syntax import Formula
from constructions.network.lengths import Lengths
from constructions.network.meanings import Truth
from constructions.network.transformer import Transformer
from constructions.network.validation import check_defined
from constructions.regimes import Regime, Sharpening
from proofs.certificate import seal
from proofs.check import Refusal, check_text
from proofs.discharge import TOLERATED_ERROR, Line, Memory, Progress, discharge
from proofs.refutation import find_counterexample

DEFAULT_MAX_N = 64
CHECKER_WORK = 20  # times the default budget of the checker: the certificate is our own, no stranger's


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


def certify(formula: Formula | str, alphabet: Sequence[str] | None = None, max_n: int = DEFAULT_MAX_N,
            regime: Regime = Regime(), gamma: Fraction = PRINTED_GAMMA, memory: Memory | None = None,
            progress: Progress = lambda _: None, as_printed: bool = False,
            predicates: Sequence[str] = (), min_n: int = 1, temperature: Expression | None = None,
            tolerance: Fraction | None = None) -> Outcome:
    """Build the transformer of a formula and decide the claim for every word of length ``min_n`` to ``max_n``.

    With ``as_printed`` counts are built to the letter of [SHA] Theorems 20 and 21, which is not always right. The
    ``predicates`` define names for a formula that is given as text: ``["THIRD(k,n) := k % 3 == 1"]``. A ``temperature``
    takes the place of the regime's; a ``tolerance`` is the largest error that every head is allowed, up to 1/4.

    Raises:
        InputError: for a malformed formula, predicate, alphabet, length or gamma.
    """
    lengths = Lengths(min_n, max_n)
    clock = Clock()
    if isinstance(formula, str):
        formula = parse_formula(formula, alphabet, parse_predicate_definitions(predicates))
    alphabet = tuple(alphabet or alphabet_of(formula))
    clock.stamp("parse")
    try:
        transformer = compile_formula(formula, alphabet, regime, gamma, as_printed, temperature)
    except Unsupported as construct:
        return UnsupportedClaim(formula=formula, alphabet=alphabet, lengths=lengths, regime=regime, seconds=clock.total,
                                stages=clock.stages, reason=str(construct))
    clock.stamp("construct")
    return certify_transformer(transformer, max_n, stated_regime(regime, temperature), memory, progress, clock, min_n,
                               tolerance)


def stated_regime(regime: Regime, temperature: Expression | None) -> Regime | None:
    """What a certificate may say of the regime where a ``temperature`` takes the place of the regime's own."""
    if temperature is None:
        return regime
    if regime.sharpening is Sharpening.POSITION:
        return None
    return Regime(regime.sharpening, regime.causal and "n" not in temperature.variables)


def certify_transformer(transformer: Transformer, max_n: int = DEFAULT_MAX_N, regime: Regime | None = None,
                        memory: Memory | None = None, progress: Progress = lambda _: None,
                        clock: Clock | None = None, min_n: int = 1, tolerance: Fraction | None = None) -> Outcome:
    """Decide whether every direction of the transformer holds its meaning, for every word of these lengths.

    Raises:
        InputError: if an embedding or temperature is not defined, or not positive, at some (n, i), or the tolerance is
            not above 0 and at most 1/4.
    """
    lengths = Lengths(min_n, max_n)
    if tolerance is not None and not 0 < tolerance <= TOLERATED_ERROR:
        raise InputError(f"tolerance: {tolerance}, expected a number above 0 and at most {TOLERATED_ERROR}")
    clock = clock or Clock()
    check_defined(transformer, lengths)
    lines = discharge(transformer, lengths, memory, progress, tolerance)
    clock.stamp("discharge")
    output = transformer.directions[transformer.output]
    outcome = Unknown(formula=output.formula if isinstance(output, Truth) else None, alphabet=transformer.alphabet,
                      lengths=lengths, regime=regime, transformer=transformer, lines=tuple(lines), reason="",
                      tolerance=tolerance)
    decided = (_seal_and_check(outcome) if all(line.proved for line in lines) else _refute(outcome, progress))
    clock.stamp("seal and check" if isinstance(decided, Certified) else "refute")
    return replace(decided, seconds=clock.total, stages=clock.stages)


def _seal_and_check(proved: Unknown) -> Outcome:
    """Certified only if the independent checker accepts the certificate."""
    assert proved.formula is not None and proved.transformer is not None
    certificate = seal(proved.formula, proved.lengths, proved.regime, proved.transformer, proved.lines,
                       proved.tolerance)
    try:
        check_text(certificate.encode(), work=CHECKER_WORK)
    except Refusal as reason:
        return replace(proved, reason=f"proved, but the independent checker does not accept the certificate: {reason}")
    return Certified(**_common(proved), certificate=certificate)


def _refute(unproved: Unknown, progress: Progress) -> Outcome:
    assert unproved.transformer is not None
    progress("looking for a counterexample")
    counterexample = find_counterexample(unproved.transformer, unproved.lengths, unproved.lines, unproved.tolerance)
    if counterexample:
        return Refuted(**_common(unproved), counterexample=counterexample)
    failed = [line for line in unproved.lines if not line.proved]
    return replace(unproved, reason=f"{_place(failed[0])}: {failed[0].reason}"
                   + (f" (and {len(failed) - 1} more)" if len(failed) > 1 else "") + "; no word found that breaks it")


def _place(line: Line) -> str:
    return f"{line.kind}, {line.direction}" if not line.layer else f"layer {line.layer}, {line.kind}, {line.direction}"


def _common(outcome: Unknown) -> dict[str, Any]:
    return {name: getattr(outcome, name)
            for name in ("formula", "alphabet", "lengths", "regime", "transformer", "lines", "tolerance")}
