"""Every obligation of a transformer, proved twice: by the exact worst case (or exact case check) and by Z3.

The two must agree. A disagreement is an error of this program and is raised as one; it is never a verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from constructions.network.lengths import Lengths
from constructions.network.meanings import Mean, Meaning, Near, Others, Position
from constructions.network.transformer import Transformer
from proofs.enclosures.intervals import Interval
from proofs.exact.extremes import WorstCase
from proofs.failures import NotDerived
from proofs.obligations.attention import AttentionObligation, KnownSteps, oblige_attention
from proofs.obligations.composition import find_composition_faults, find_embedding_fault, find_output_faults, writes
from proofs.obligations.feed_forward import oblige_feed_forward
from proofs.obligations.known import KnownValues
from proofs.obligations.lookup import LookupObligation, looks_up, oblige_lookup
from proofs.obligations.uniform import check_mean, check_uniform
from proofs.transcript import Place, Record, Transcript, ignore
from proofs.two_provers import Disagreement, Proof, prove_attention, prove_feed_forward, prove_lookup

TOLERATED_ERROR = Fraction(1, 4)
Progress = Callable[[str], None]


@dataclass(frozen=True)
class Line:
    """The outcome of one obligation. ``proved`` only if both provers say so; else ``reason`` says what is missing."""

    kind: str
    layer: int
    place: int
    direction: str
    source: str
    rows: int
    proved: bool
    reason: str = ""
    worst: WorstCase | None = None
    obligation: AttentionObligation | LookupObligation | None = None
    repeated: bool = False


@dataclass
class Memory:
    """Obligations discharged before: equal ones are discharged once."""

    heads: dict[tuple[object, ...], Proof] = field(default_factory=dict)
    feed_forward: dict[tuple[object, ...], str] = field(default_factory=dict)
    steps: KnownSteps = field(default_factory=KnownSteps)


def discharge(transformer: Transformer, lengths: Lengths, memory: Memory | None = None,
              progress: Progress = lambda _: None, tolerance: Fraction | None = None,
              twice: bool = True, transcript: Transcript | None = None) -> list[Line]:
    """One line per obligation, for all these n and all i <= n; the claim holds if every line is proved.

    With a ``tolerance`` (at most 1/4) a head is proved only if it errs by no more than that. Unless ``twice`` is set,
    the exact method alone is asked, which is quick: enough to search with, not to certify. A ``transcript`` takes what
    Z3 is asked; with a ``memory`` of earlier obligations, what it was asked about those is missing there.

    Raises:
        Disagreement: if the two provers contradict each other.
        InputError: if an expression is not defined at some (n, i).
    """
    return list(_Discharge(transformer, lengths, memory or Memory(), progress, tolerance, twice, transcript).lines())


class _Discharge:
    def __init__(self, transformer: Transformer, lengths: Lengths, memory: Memory, progress: Progress,
                 tolerance: Fraction | None, twice: bool, transcript: Transcript | None):
        self.transformer = transformer
        self.lengths = lengths
        self.memory = memory
        self.progress = progress
        self.tolerance = tolerance
        self.twice = twice
        self.transcript = transcript
        self.known = KnownValues(transformer.directions)
        self.bounds: dict[str, Interval] = {}
        self.cells = lengths.cells

    def lines(self) -> Iterator[Line]:
        faults = find_composition_faults(self.transformer) + find_output_faults(self.transformer)
        yield Line("composition", 0, 0, self.transformer.output, "", self.cells, not faults, "; ".join(faults[:3]))
        for write in writes(self.transformer):
            self.progress(f"{write.where}: {write.direction}")
            layer = (write.stage + 1) // 2
            if write.stage == 0:
                fault = find_embedding_fault(self.transformer, write.direction, self.lengths)
                yield Line("embedding", 0, 0, write.direction, "", self.cells, fault is None, fault or "")
            elif write.stage % 2:
                yield self._head_line(layer, write.place, write.direction)
            else:
                yield self._feed_forward_line(layer, write.direction)

    def _head_line(self, layer: int, place: int, direction: str) -> Line:
        head = self.transformer.layers[layer - 1].heads[place - 1]
        meaning = self.transformer.directions[direction]
        kind = _kind_of_head(meaning, looks_up(self.transformer, self.known, head, direction))
        near = TOLERATED_ERROR if self.tolerance is None else self.tolerance
        try:
            match kind:
                case "uniform" | "mean":
                    check = check_uniform if kind == "uniform" else check_mean
                    rows = check(self.transformer, self.known, self.lengths, head, direction)
                    return Line(kind, layer, place, direction, head.source, rows, True)
                case "lookup":
                    lookup = oblige_lookup(self.transformer, self.known, self.lengths, layer, place, head, direction,
                                           near if isinstance(meaning, Near) else self.tolerance)
                    return self._weighed_line(kind, lookup, lambda record: prove_lookup(lookup, self.twice, record))
                case "attention" if isinstance(meaning, Near):
                    attention = oblige_attention(self.transformer, self.known, self.lengths, layer, place, head,
                                                 direction, self.memory.steps)
                    return self._weighed_line(
                        kind, attention, lambda record: prove_attention(attention, near, self.twice, record))
            raise NotDerived(f"a head cannot make {meaning}: soft attention over truths is only approximate")
        except NotDerived as fault:
            return Line(kind, layer, place, direction, head.source, self.cells, False, str(fault))

    def _weighed_line(self, kind: str, obligation: AttentionObligation | LookupObligation,
                      prove: Callable[[Record], Proof]) -> Line:
        key = (kind, self.tolerance, self.twice, *obligation.key())
        record = self._recorder(key, Place(kind, obligation.layer, obligation.place, obligation.direction,
                                           obligation.head.source))
        repeated = key in self.memory.heads
        if not repeated:
            self.memory.heads[key] = prove(record)
        proof = self.memory.heads[key]
        line = Line(kind, obligation.layer, obligation.place, obligation.direction, obligation.head.source,
                    obligation.rows, not proof.reason, proof.reason, proof.worst, obligation, repeated)
        self.bounds |= bounds_of([line])
        return line

    def _feed_forward_line(self, layer: int, direction: str) -> Line:
        try:
            obligation = oblige_feed_forward(self.transformer, self.known, self.lengths, layer, direction, self.bounds)
        except NotDerived as fault:
            return Line("feed-forward", layer, 0, direction, "", self.cells, False, str(fault))
        key = (self.twice, self.lengths, *obligation.key())
        record = self._recorder(key, Place("feed-forward", layer, 0, direction))
        repeated = key in self.memory.feed_forward
        if not repeated:
            self.memory.feed_forward[key] = prove_feed_forward(obligation, self.lengths, self.twice, record)
        reason = self.memory.feed_forward[key]
        return Line("feed-forward", layer, 0, direction, "", obligation.rows, not reason, reason, repeated=repeated)

    def _recorder(self, key: tuple[object, ...], place: Place) -> Record:
        return self.transcript.recorder(key, place) if self.transcript else ignore


def _kind_of_head(meaning: Meaning, looks_up_a_count: bool) -> str:
    """Which rules of docs/certificate.md, section 5, a direction that a head writes comes under."""
    match meaning:
        case Position():
            return "uniform"
        case Mean():
            return "mean"
        case Near() | Others() if looks_up_a_count:
            return "lookup"
    return "attention"


def bounds_of(lines: Iterable[Line]) -> dict[str, Interval]:
    """The proved range of the error of each *others* direction."""
    return {line.direction: Interval(-line.worst.bound(True), line.worst.bound(False)) for line in lines
            if line.proved and line.worst and line.obligation and isinstance(line.obligation.meaning, Others)}


__all__ = ["TOLERATED_ERROR", "Disagreement", "Line", "Memory", "Progress", "bounds_of", "discharge"]
