"""Proofs of all obligations of a transformer, each by two provers: the exact worst case (or case check) and Z3.

The two must agree. A disagreement is an error of this program and is raised as one; it is never a verdict.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, TypeGuard

from constructions.network.lengths import Lengths
from constructions.network.meanings import ALLOWED_ERROR, Meaning, Others
from constructions.network.transformer import Transformer
from proofs.enclosures.intervals import Interval
from proofs.formula.additive.obligation import SelectingObligation
from proofs.formula.attention.in_powers import TEMPERATURE_ONE, stays_within
from proofs.formula.attention.obligation import AttentionObligation
from proofs.formula.common.extremes import WorstCase
from proofs.formula.common.kinds import Approximation, Obligation, ObligationKind
from proofs.formula.common.word_independent import KnownValues
from proofs.formula.common.written_direction import WrittenDirection
from proofs.formula.composition import (
    Write,
    find_composition_faults,
    find_embedding_fault,
    find_output_faults,
    first_writes,
)
from proofs.formula.failures import NotDerived
from proofs.formula.families import family_of
from proofs.formula.family import WriterFamily
from proofs.formula.feed_forward.every_word import SlackOnEveryWord
from proofs.formula.irrational import known_to, reads_irrational, widened
from proofs.formula.transcript import Transcript, ignore
from proofs.formula.two_provers import Disagreement, ProofAttempt

Progress = Callable[[str], None]
MORE_DIGITS = 192, 768
"""Digits of ln and sqrt, tried in turn until an error is decided to be at most the allowed one, or greater."""


@dataclass(frozen=True)
class Line:
    """The result of one obligation: ``proved`` only if both provers succeed; else ``reason`` is not empty.

    For heads that approximate, ``worst`` is the worst case of ``obligation``. An obligation that is proved
    ``on_every_word`` is confirmed by the checker only.
    """

    kind: ObligationKind
    layer: int
    place: int
    direction: str
    source: str
    rows: int
    proved: bool
    reason: str = ""
    worst: WorstCase | None = None
    obligation: Approximation | None = None
    repeated: bool = False
    on_every_word: bool = False
    is_open: bool = False


@dataclass
class DischargedObligations:
    """A cache of the proofs of obligations: equal obligations are discharged once."""

    proofs: dict[tuple[object, ...], ProofAttempt] = field(default_factory=dict)
    _latest: tuple[dict[str, Meaning], KnownValues] | None = None

    def known_values(self, directions: Mapping[str, Meaning]) -> KnownValues:
        """Return the known values of these directions, reused if the previous network has the same meanings."""
        if self._latest is None or self._latest[0] != directions:
            self._latest = dict(directions), KnownValues(directions)
        return self._latest[1]


def discharge(transformer: Transformer, lengths: Lengths, memory: DischargedObligations | None = None,
              progress: Progress = lambda _: None, allowed_error: Fraction | None = None,
              twice: bool = True, transcript: Transcript | None = None) -> list[Line]:
    """Return one line per obligation, for all these n and all i <= n; the claim holds if every line is proved.

    With an ``allowed_error`` (at most 1/4) a head is proved only if it errs by no more than that. Unless ``twice`` is
    set, only the exact method is used, which is fast: enough for a search, not for a certificate. A ``transcript``
    receives the questions to Z3, except those about obligations that ``memory`` already has.

    Raises:
        Disagreement: if the two provers contradict each other.
        InputError: if an expression is not defined at some (n, i).
    """
    return list(_Discharge(transformer, lengths, memory or DischargedObligations(), progress, allowed_error, twice,
                           transcript).lines())


class _Discharge:
    def __init__(self, transformer: Transformer, lengths: Lengths, memory: DischargedObligations, progress: Progress,
                 allowed_error: Fraction | None, twice: bool, transcript: Transcript | None):
        self.transformer = transformer
        self.lengths = lengths
        self.memory = memory
        self.progress = progress
        self.allowed_error = allowed_error
        self.twice = twice
        self.transcript = transcript
        self.known = memory.known_values(transformer.directions)
        self.bounds: dict[str, Interval] = {}
        self._finer: dict[int, tuple[Transformer, KnownValues]] = {}

    def lines(self) -> Iterator[Line]:
        faults = find_composition_faults(self.transformer) + find_output_faults(self.transformer)
        yield self._exact_line(ObligationKind.COMPOSITION, self.transformer.output, "; ".join(faults[:3]))
        for write in first_writes(self.transformer):
            self.progress(f"{write.where}: {write.direction}")
            if write.stage == 0:
                fault = find_embedding_fault(self.transformer, write.direction, self.lengths)
                yield self._exact_line(ObligationKind.EMBEDDING, write.direction, fault or "")
            else:
                line = self._with_more_digits(self._line(write, self.transformer, self.known), write)
                self.bounds |= bounds_of([line])
                yield line

    def _exact_line(self, kind: ObligationKind, direction: str, fault: str) -> Line:
        """Return the line of a condition that is decided directly, and belongs to no layer."""
        return Line(kind, 0, 0, direction, "", self.lengths.cells, not fault, fault)

    def _with_more_digits(self, line: Line, write: Write) -> Line:
        """Return the line of a write, computed with as many digits of ln and sqrt as its errors need."""
        if line.is_open and write.place and reads_irrational(
                self.transformer, self.transformer.head(write.layer, write.place), write.direction):
            for digits in MORE_DIGITS:
                line = self._line(write, *self._known_to(digits))
                if not line.is_open:
                    break
        return line

    def _known_to(self, digits: int) -> tuple[Transformer, KnownValues]:
        if digits not in self._finer:
            network = known_to(self.transformer, digits)
            self._finer[digits] = network, KnownValues(network.directions)
        return self._finer[digits]

    def _line(self, write: Write, network: Transformer, known: KnownValues) -> Line:
        """Return the line of a write, at the second attempt with formulas taken apart."""
        written = WrittenDirection(network, known, self.lengths, write.layer, write.place, write.direction,
                                   self.allowed_error, self.bounds)
        family = family_of(written)
        line = self._line_of(family, written)
        if not line.proved and family.takes_apart and _may_be_taken_apart(line.obligation):
            apart = self._line_of(family, replace(written, apart=True))
            line = apart if apart.proved else line
        return line

    def _line_of(self, family: WriterFamily[Any], written: WrittenDirection) -> Line:
        try:
            obligation = family.oblige(written)
        except NotDerived as fault:
            source = written.head.source if written.place else ""
            return Line(family.kind, written.layer, written.place, written.direction, source, self.lengths.cells, False,
                        str(fault))
        proof, repeated = self._prove(family, obligation)
        approximation = obligation if isinstance(obligation, Approximation) else None
        if approximation is not None:
            proof = self._of_real_numbers(proof, approximation, written.transformer)
        return Line(family.kind, written.layer, written.place, written.direction, obligation.source, obligation.rows,
                    not proof.reason, proof.reason, proof.worst, approximation, repeated,
                    isinstance(obligation, SlackOnEveryWord), proof.is_open)

    def _of_real_numbers(self, proof: ProofAttempt, obligation: Approximation, network: Transformer) -> ProofAttempt:
        """Return the proof for the real ln and sqrt, from that with both rounded down."""
        head, direction, allowed = obligation.head, obligation.direction, obligation.allowed_error
        if not reads_irrational(network, head, direction):
            return proof
        try:
            worst = proof.worst and widened(proof.worst, network, head, direction, self.lengths)
        except NotDerived as fault:
            return ProofAttempt(proof.reason or str(fault))
        if worst and allowed is not None and worst.within(allowed) is None:
            if is_of_powers(obligation, network) and stays_within(obligation, self.twice):
                return ProofAttempt("", worst.capped(allowed))
            return ProofAttempt(f"the worst error is {allowed}, as closely as {head.temperature.digits} digits of ln "
                                "and sqrt tell", worst, True)
        return replace(proof, worst=worst)

    def _prove(self, family: WriterFamily[Any], obligation: Obligation) -> tuple[ProofAttempt, bool]:
        """Return the proof of the obligation, and whether it is reused from an equal obligation."""
        own = obligation.key()
        if own is None:
            return family.prove(obligation, self.twice, ignore), False
        key = (obligation.kind, self.twice, *own)
        record = self.transcript.recorder(key, obligation) if self.transcript else ignore
        if known := self.memory.proofs.get(key):  # to hash a key can cost as much as a proof
            return known, True
        proof = self.memory.proofs[key] = family.prove(obligation, self.twice, record)
        return proof, False


def is_of_powers(obligation: Approximation, network: Transformer) -> TypeGuard[AttentionObligation]:
    """Return whether weights may be rational although the temperature is not: everything else that is read is."""
    head = replace(obligation.head, temperature=TEMPERATURE_ONE)
    return (isinstance(obligation, AttentionObligation) and head.weighting.is_softmax
            and not reads_irrational(network, head, obligation.direction))


def _may_be_taken_apart(obligation: Approximation | None) -> bool:
    """Return whether other atoms may prove an obligation that was not derived or proved with these atoms."""
    return not isinstance(obligation, AttentionObligation | SelectingObligation) or obligation.target.has_wholes


def bounds_of(lines: Iterable[Line]) -> dict[str, Interval]:
    """Return the proved error range of each *others* direction."""
    return {line.direction: Interval(-line.worst.bound(True), line.worst.bound(False)) for line in lines
            if line.proved and line.worst and line.obligation and isinstance(line.obligation.meaning, Others)}


__all__ = ["ALLOWED_ERROR", "Disagreement", "DischargedObligations", "Line", "Progress", "bounds_of", "discharge"]
