"""Every obligation of a transformer, proved twice: by the exact worst case (or exact case check) and by Z3.

The two must agree. A disagreement is an error of this program and is raised as one; it is never a verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from constructions.errors import InternalError
from constructions.network.meanings import Near, Position
from constructions.network.transformer import Transformer
from proofs.attention import AttentionObligation, oblige_attention
from proofs.composition import find_composition_faults, find_embedding_fault, find_output_faults, writes
from proofs.enclosures.exponential import PRECISIONS
from proofs.failures import NotDerived
from proofs.feed_forward import FeedForwardObligation, check_cases, oblige_feed_forward
from proofs.known import KnownValues
from proofs.second_opinion import agrees
from proofs.uniform import check_uniform
from proofs.worst_case import Extreme, find_extreme, weigh

TOLERATED_ERROR = Fraction(1, 4)
Progress = Callable[[str], None]


class Disagreement(InternalError):
    """Z3 and the exact method contradict each other: a bug in this program or in Z3, not a fact about the network."""


@dataclass(frozen=True)
class WorstCase:
    """The largest error where the target is false and where it is true; None where no input has that truth."""

    if_false: Extreme | None
    if_true: Extreme | None

    @property
    def extremes(self) -> list[Extreme]:
        """Those that exist."""
        return [extreme for extreme in (self.if_false, self.if_true) if extreme]

    def bound(self, truth: bool) -> Fraction:
        """The proved bound of the error for inputs with this truth; 0 if there are none."""
        extreme = self.if_true if truth else self.if_false
        return extreme.upper if extreme else Fraction(0)

    @property
    def worst(self) -> Extreme | None:
        """The larger of the two."""
        return max(self.extremes, key=lambda extreme: extreme.upper, default=None)


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
    obligation: AttentionObligation | None = None
    repeated: bool = False


@dataclass
class Memory:
    """Obligations discharged before: equal ones are discharged once."""

    attention: dict[tuple[object, ...], tuple[bool, str, WorstCase]] = field(default_factory=dict)
    feed_forward: dict[tuple[object, ...], str] = field(default_factory=dict)


def discharge(transformer: Transformer, max_n: int, memory: Memory | None = None,
              progress: Progress = lambda _: None) -> list[Line]:
    """One line per obligation, for all n <= max_n and all i <= n; the claim holds if every line is proved.

    Raises:
        Disagreement: if the two provers contradict each other.
        InputError: if an expression is not defined at some (n, i).
    """
    return list(_Discharge(transformer, max_n, memory or Memory(), progress).lines())


class _Discharge:
    def __init__(self, transformer: Transformer, max_n: int, memory: Memory, progress: Progress):
        self.transformer = transformer
        self.max_n = max_n
        self.memory = memory
        self.progress = progress
        self.known = KnownValues(transformer.directions)
        self.cells = max_n * (max_n + 1) // 2

    def lines(self) -> Iterator[Line]:
        faults = find_composition_faults(self.transformer) + find_output_faults(self.transformer)
        yield Line("composition", 0, 0, self.transformer.output, "", self.cells, not faults, "; ".join(faults[:3]))
        for write in writes(self.transformer):
            self.progress(f"{write.where}: {write.direction}")
            layer = (write.stage + 1) // 2
            if write.stage == 0:
                fault = find_embedding_fault(self.transformer, write.direction, self.max_n)
                yield Line("embedding", 0, 0, write.direction, "", self.cells, fault is None, fault or "")
            elif write.stage % 2:
                yield self._head_line(layer, write.place, write.direction)
            else:
                yield self._feed_forward_line(layer, write.direction)

    def _head_line(self, layer: int, place: int, direction: str) -> Line:
        head = self.transformer.layers[layer - 1].heads[place - 1]
        try:
            match self.transformer.directions[direction]:
                case Position():
                    rows = check_uniform(self.transformer, self.known, self.max_n, head, direction)
                    return Line("uniform", layer, place, direction, head.source, rows, True)
                case Near():
                    obligation = oblige_attention(self.transformer, self.known, self.max_n, layer, place, head,
                                                  direction)
                    return self._attention_line(obligation)
                case meaning:
                    raise NotDerived(f"a head cannot make {meaning}: soft attention over truths is only approximate")
        except NotDerived as fault:
            return Line("attention", layer, place, direction, head.source, self.cells, False, str(fault))

    def _attention_line(self, obligation: AttentionObligation) -> Line:
        key = obligation.key()
        repeated = key in self.memory.attention
        if not repeated:
            self.memory.attention[key] = _prove_attention(obligation)
        proved, reason, worst = self.memory.attention[key]
        return Line("attention", obligation.layer, obligation.place, obligation.direction, obligation.head.source,
                    obligation.rows, proved, reason, worst, obligation, repeated)

    def _feed_forward_line(self, layer: int, direction: str) -> Line:
        try:
            obligation = oblige_feed_forward(self.transformer, self.known, self.max_n, layer, direction)
        except NotDerived as fault:
            return Line("feed-forward", layer, 0, direction, "", self.cells, False, str(fault))
        key = obligation.key()
        repeated = key in self.memory.feed_forward
        if not repeated:
            self.memory.feed_forward[key] = _prove_feed_forward(obligation)
        reason = self.memory.feed_forward[key]
        return Line("feed-forward", layer, 0, direction, "", obligation.rows, not reason, reason, repeated=repeated)


def _prove_attention(obligation: AttentionObligation) -> tuple[bool, str, WorstCase]:
    """Exact worst case at rising precision until it is on one side of 1/4, then Z3 for the same statement."""
    from proofs import by_z3  # z3 takes a fifth of a second to import; nothing else needs it

    for bits in PRECISIONS:
        weighed = [weigh(sweep, bits) for sweep in obligation.distinct_sweeps()]
        worst = WorstCase(find_extreme(weighed, False), find_extreme(weighed, True))
        decided = [e for e in worst.extremes if e.upper <= TOLERATED_ERROR or e.lower > TOLERATED_ERROR]
        if len(decided) == len(worst.extremes):
            break
    else:
        return False, f"the worst error is 1/4 to within the precision of {bits} bits", worst
    for extreme in worst.extremes:
        if not agrees(extreme):
            raise Disagreement(f"{obligation.where}: Arb encloses the worst error at n = {extreme.n}, i = {extreme.i} "
                               "where mpmath does not find it")
    exact = all(e.upper <= TOLERATED_ERROR for e in worst.extremes)
    try:
        by_solver = by_z3.proves_attention(obligation, TOLERATED_ERROR)
    except by_z3.Undecided as reason:
        return False, str(reason), worst
    if exact != by_solver:
        raise Disagreement(f"{obligation.where}: the exact worst case {'proves' if exact else 'refutes'} the bound 1/4 "
                           "and Z3 does not")
    return exact, "" if exact else "the worst error exceeds 1/4", worst


def _prove_feed_forward(obligation: FeedForwardObligation) -> str:
    """Why the obligation is not proved; empty if it is, by both methods."""
    from proofs import by_z3

    try:
        check_cases(obligation)
        reason = ""
    except NotDerived as fault:
        reason = str(fault)
    try:
        by_solver = by_z3.proves_feed_forward(obligation)
    except by_z3.Undecided as undecided:
        return reason or str(undecided)
    if not reason and not by_solver:
        raise Disagreement(f"layer {obligation.layer}, feed-forward, {obligation.direction}: the case check proves the "
                           "output exact and Z3 finds an input where it is not")
    return reason
