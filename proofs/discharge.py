"""Every obligation of a transformer, proved twice: by the exact worst case (or exact case check) and by Z3.

The two must agree. A disagreement is an error of this program and is raised as one; it is never a verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction

from constructions.network.lengths import Lengths
from constructions.network.meanings import ALLOWED_ERROR, Average, Mean, Near, Others, Position
from constructions.network.transformer import Head, Transformer
from proofs.enclosures.intervals import Interval
from proofs.exact.extremes import WorstCase
from proofs.exact.irrational import reads_irrational, widened
from proofs.failures import NotDerived
from proofs.obligations.additive import SelectingObligation, additive_kind, oblige_counting, oblige_selecting
from proofs.obligations.attention import AttentionObligation, oblige_attention
from proofs.obligations.bumps import ADDITIVE
from proofs.obligations.composition import (
    Write,
    find_composition_faults,
    find_embedding_fault,
    find_output_faults,
    first_writes,
)
from proofs.obligations.counting import is_by_value, oblige_by_value
from proofs.obligations.feed_forward import oblige_feed_forward
from proofs.obligations.kinds import Kind, Obligation
from proofs.obligations.known import KnownValues
from proofs.obligations.lookup import LookupObligation, looks_up, oblige_lookup
from proofs.obligations.lookup_of_sums import LookupOfSumObligation, looks_up_sum, oblige_lookup_of_sum
from proofs.obligations.sum_lookup import SumLookupObligation, oblige_sum_lookup
from proofs.obligations.uniform import oblige_uniform
from proofs.transcript import Transcript, ignore
from proofs.two_provers import Disagreement, Proof, prove

Progress = Callable[[str], None]
Weighed = (AttentionObligation | LookupObligation | LookupOfSumObligation | SelectingObligation
           | SumLookupObligation)
"""Of heads that approximate."""
WITH_ATOMS = (Kind.ATTENTION, Kind.SELECTING, Kind.FEED_FORWARD)
"""Kinds that leave atoms free; formulas that are read may be taken apart into more of these."""


@dataclass(frozen=True)
class Line:
    """The outcome of one obligation. ``proved`` only if both provers say so; else ``reason`` says what is missing.

    Of heads that approximate, ``worst`` is their worst case and ``obligation`` what it is the worst case of.
    """

    kind: Kind
    layer: int
    place: int
    direction: str
    source: str
    rows: int
    proved: bool
    reason: str = ""
    worst: WorstCase | None = None
    obligation: Weighed | None = None
    repeated: bool = False


@dataclass
class Memory:
    """Obligations discharged before: equal ones are discharged once."""

    proofs: dict[tuple[object, ...], Proof] = field(default_factory=dict)


def discharge(transformer: Transformer, lengths: Lengths, memory: Memory | None = None,
              progress: Progress = lambda _: None, allowed_error: Fraction | None = None,
              twice: bool = True, transcript: Transcript | None = None) -> list[Line]:
    """One line per obligation, for all these n and all i <= n; the claim holds if every line is proved.

    With an ``allowed_error`` (at most 1/4) a head is proved only if it errs by no more than that. Unless ``twice`` is
    set, the exact method alone is asked, which is quick: enough to search with, not to certify. A ``transcript`` takes
    what Z3 is asked; with a ``memory`` of earlier obligations, what it was asked about those is missing there.

    Raises:
        Disagreement: if the two provers contradict each other.
        InputError: if an expression is not defined at some (n, i).
    """
    return list(_Discharge(transformer, lengths, memory or Memory(), progress, allowed_error, twice,
                           transcript).lines())


class _Discharge:
    def __init__(self, transformer: Transformer, lengths: Lengths, memory: Memory, progress: Progress,
                 allowed_error: Fraction | None, twice: bool, transcript: Transcript | None):
        self.transformer = transformer
        self.lengths = lengths
        self.memory = memory
        self.progress = progress
        self.allowed_error = allowed_error
        self.twice = twice
        self.transcript = transcript
        self.known = KnownValues(transformer.directions)
        self.bounds: dict[str, Interval] = {}

    def lines(self) -> Iterator[Line]:
        faults = find_composition_faults(self.transformer) + find_output_faults(self.transformer)
        yield self._exact_line(Kind.COMPOSITION, self.transformer.output, "; ".join(faults[:3]))
        for write in first_writes(self.transformer):
            self.progress(f"{write.where}: {write.direction}")
            if write.stage == 0:
                fault = find_embedding_fault(self.transformer, write.direction, self.lengths)
                yield self._exact_line(Kind.EMBEDDING, write.direction, fault or "")
            else:
                yield self._line(write)

    def _exact_line(self, kind: Kind, direction: str, fault: str) -> Line:
        """What is true or false at sight; it arises in no layer."""
        return Line(kind, 0, 0, direction, "", self.lengths.cells, not fault, fault)

    def _line(self, write: Write) -> Line:
        """What a layer writes."""
        kind = self._kind(write)
        line = self._line_of(kind, write)
        if not line.proved and kind in WITH_ATOMS and _may_be_taken_apart(line.obligation):
            apart = self._line_of(kind, write, apart=True)
            line = apart if apart.proved else line
        self.bounds |= bounds_of([line])
        return line

    def _line_of(self, kind: Kind, write: Write, apart: bool = False) -> Line:
        try:
            obligation = self._oblige(kind, write, apart)
        except NotDerived as fault:
            source = self._head(write).source if write.place else ""
            return Line(kind, write.layer, write.place, write.direction, source, self.lengths.cells, False, str(fault))
        proof, repeated = self._prove(obligation)
        weighed = obligation if isinstance(obligation, Weighed) else None
        if weighed is not None:
            proof = self._of_real_numbers(proof, weighed, write)
        return Line(kind, write.layer, write.place, write.direction, obligation.source, obligation.rows,
                    not proof.reason, proof.reason, proof.worst, weighed, repeated)

    def _kind(self, write: Write) -> Kind:
        """Which rules of docs/certificate.md, section 5, a direction that a layer writes comes under."""
        if not write.place:
            return Kind.FEED_FORWARD
        if self._head(write).weighting in ADDITIVE:
            return additive_kind(self.transformer, write.layer, write.direction)
        match self.transformer.directions[write.direction]:
            case Position():
                return Kind.UNIFORM
            case Mean() | Average():
                return Kind.MEAN
            case Near() | Others() if looks_up(self.transformer, self.known, self._head(write), write.direction):
                return Kind.LOOKUP
        return Kind.ATTENTION

    def _oblige(self, kind: Kind, write: Write, apart: bool) -> Obligation:
        """What the direction must hold.

        Raises:
            NotDerived: if the rules do not cover it.
        """
        if kind is Kind.FEED_FORWARD and is_by_value(self.transformer, self.known, write.layer, write.direction):
            return oblige_by_value(self.transformer, self.known, self.lengths, write.layer, write.direction)
        if kind is Kind.FEED_FORWARD:
            return oblige_feed_forward(self.transformer, self.known, self.lengths, write.layer, write.direction,
                                       self.bounds, apart)
        meaning = self.transformer.directions[write.direction]
        written = (self.transformer, self.known, self.lengths, write.layer, write.place, self._head(write),
                   write.direction)
        near = ALLOWED_ERROR if self.allowed_error is None else self.allowed_error
        additive = (self.transformer, self.known, self.lengths, write.layer, write.place, write.direction)
        match kind:
            case Kind.COUNTING:
                return oblige_counting(*additive)
            case Kind.SELECTING:
                return oblige_selecting(*additive, near, apart)
            case Kind.SUM_LOOKUP:
                return oblige_sum_lookup(*additive, near)
            case Kind.UNIFORM | Kind.MEAN:
                return oblige_uniform(*written)
            case Kind.LOOKUP if looks_up_sum(self.transformer, self._head(write)):
                return oblige_lookup_of_sum(*written, near, self.bounds)
            case Kind.LOOKUP:
                return oblige_lookup(*written, near if isinstance(meaning, Near) else self.allowed_error)
            case Kind.ATTENTION if isinstance(meaning, Near):
                return oblige_attention(*written, near, apart)
        raise NotDerived(f"a head cannot make {meaning}: soft attention over truths is only approximate")

    def _head(self, write: Write) -> Head:
        return self.transformer.head(write.layer, write.place)

    def _of_real_numbers(self, proof: Proof, obligation: Weighed, write: Write) -> Proof:
        """The same of the real ln and sqrt, which were rounded down before."""
        head, allowed = self._head(write), obligation.allowed_error
        if not reads_irrational(self.transformer, head, write.direction):
            return proof
        try:
            worst = proof.worst and widened(proof.worst, self.transformer, head, write.direction, self.lengths)
        except NotDerived as fault:
            return Proof(proof.reason or str(fault))
        if worst and allowed is not None and worst.within(allowed) is None:
            return Proof(f"the worst error is {allowed}, as closely as ln and sqrt are known", worst)
        return replace(proof, worst=worst)

    def _prove(self, obligation: Obligation) -> tuple[Proof, bool]:
        """The proof of the obligation or of an equal one, and whether it is that of an equal one."""
        own = obligation.key()
        if own is None:
            return prove(obligation), False
        key = (obligation.kind, self.twice, *own)
        record = self.transcript.recorder(key, obligation) if self.transcript else ignore
        repeated = key in self.memory.proofs
        if not repeated:
            self.memory.proofs[key] = prove(obligation, self.twice, record)
        return self.memory.proofs[key], repeated


def _may_be_taken_apart(obligation: Weighed | None) -> bool:
    """Whether other atoms may prove what those of this obligation do not, or what was not derived with them."""
    return not isinstance(obligation, AttentionObligation | SelectingObligation) or obligation.target.has_wholes


def bounds_of(lines: Iterable[Line]) -> dict[str, Interval]:
    """The proved range of the error of each *others* direction."""
    return {line.direction: Interval(-line.worst.bound(True), line.worst.bound(False)) for line in lines
            if line.proved and line.worst and line.obligation and isinstance(line.obligation.meaning, Others)}


__all__ = ["ALLOWED_ERROR", "Disagreement", "Line", "Memory", "Progress", "bounds_of", "discharge"]
