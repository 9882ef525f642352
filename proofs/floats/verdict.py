"""What float runs of a class are proved to do: whether a network is right in all of them, and up to which length."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from constructions.network.lengths import Lengths
from constructions.network.meanings import ALLOWED_ERROR, Average, Mean, Near, Others, Position
from constructions.network.transformer import Head, Transformer
from proofs.discharge import Line
from proofs.enclosures.intervals import point
from proofs.failures import NotDerived
from proofs.floats.counting import OutputsByValue
from proofs.floats.feed_forward import ExactOutputs
from proofs.floats.gaps import find_least_gap
from proofs.floats.held import ZERO, describe
from proofs.floats.lookup import OthersErrors
from proofs.floats.near import NearBound, Scores, bound_near
from proofs.floats.numbers import HeldNumbers
from proofs.floats.run_class import RunClass
from proofs.floats.scores import HeadScores, ScoreBound, describe_row
from proofs.obligations.attention import oblige_attention
from proofs.obligations.composition import Write, writes
from proofs.obligations.counting import is_by_value, oblige_by_value
from proofs.obligations.feed_forward import oblige_feed_forward
from proofs.obligations.known import KnownValues
from proofs.obligations.lookup import looks_up, oblige_lookup

Bounds = Mapping[str, tuple[Fraction, Fraction]]
"""Of each direction that a head holds nearly: its certified errors over the reals, if false and if true."""


@dataclass(frozen=True)
class HeadFigures:
    """How far a head may be off in a float run: its scores, the logarithms of its weights, and what it writes.

    ``share`` is what counts against the target before sums are rounded; None for a head that looks up a number.
    """

    layer: int
    place: int
    direction: str
    delta: Fraction
    theta: Fraction
    share: Fraction | None
    bound: Fraction


@dataclass(frozen=True)
class Fault:
    """What is not derived: the direction, who writes it, and why in words."""

    where: str
    direction: str
    why: str

    def __str__(self) -> str:
        return f"{self.where}: {self.direction}: {self.why}"


@dataclass(frozen=True)
class FloatVerdict:
    """Whether every direction that means a truth holds exactly 0 or 1, the right one, in every run of the class.

    ``fault`` is the first thing that is not derived: not that it is false.
    """

    run: RunClass
    lengths: Lengths
    heads: tuple[HeadFigures, ...]
    fault: Fault | None = None

    @property
    def holds(self) -> bool:
        """Whether it is proved for all words of these lengths."""
        return self.fault is None


def certified_bounds(lines: Iterable[Line]) -> dict[str, tuple[Fraction, Fraction]]:
    """The bounds that a certificate of these obligations states."""
    return {line.direction: (line.worst.bound(False), line.worst.bound(True)) for line in lines
            if line.worst is not None}


def find_float_verdict(transformer: Transformer, bounds: Bounds, lengths: Lengths, run: RunClass) -> FloatVerdict:
    """Whether a network that is certified over the reals, with these ``bounds``, is right in all runs of the class."""
    return FloatProof(transformer, bounds, run).verdict(lengths)


def find_largest_length(transformer: Transformer, bounds: Bounds, lengths: Lengths, run: RunClass) -> int | None:
    """The last of the lengths up to which the network is proved right in all runs of the class; None if not even one.

    It is found by bisection: that more words make a proof harder is not used, only that what is proved is true.
    """
    proof = FloatProof(transformer, bounds, run)
    if proof.verdict(lengths).holds:
        return lengths.last
    good, bad = lengths.first - 1, lengths.last
    while bad - good > 1:
        middle = (good + bad) // 2
        if proof.verdict(Lengths(lengths.first, middle)).holds:
            good = middle
        else:
            bad = middle
    return good if good >= lengths.first else None


class FloatProof:
    """The proofs about one network and one class, for any lengths: what is worked out for one serves the others."""

    def __init__(self, transformer: Transformer, bounds: Bounds, run: RunClass):
        """The ``bounds`` are those of an accepted certificate, of lengths that cover all that is asked."""
        self.transformer, self.bounds, self.run = transformer, bounds, run
        self.known = KnownValues(transformer.directions)
        self.numbers = HeldNumbers(transformer, self.known, run)
        self._scores: dict[tuple[int, int], HeadScores] = {}
        self._others: dict[str, OthersErrors] = {}

    def verdict(self, lengths: Lengths) -> FloatVerdict:
        """The verdict for words of these lengths."""
        figures: list[HeadFigures] = []
        others: dict[str, Fraction] = {}
        try:
            self.numbers.check_embeddings(lengths)
        except NotDerived as why:
            return FloatVerdict(self.run, lengths, (), Fault("the embedding", "", str(why)))
        for write in sorted(writes(self.transformer), key=lambda write: write.stage > 0 and not write.place):
            try:
                self._prove(write, lengths, figures, others)
            except NotDerived as why:
                fault = Fault(write.where, write.direction, str(why))
                return FloatVerdict(self.run, lengths, tuple(figures), fault)
        return FloatVerdict(self.run, lengths, tuple(figures))

    def _prove(self, write: Write, lengths: Lengths, figures: list[HeadFigures], others: dict[str, Fraction]) -> None:
        """Prove what one writer writes; what heads come to is added to ``figures`` and ``others``.

        Raises:
            NotDerived: if it is not proved.
        """
        if not write.stage:
            return
        if not write.place:
            self._prove_output(write, lengths, others)
            return
        match self.transformer.directions[write.direction]:
            case Position():
                self._visit(write.direction, lengths)
            case Mean():
                for length in range(1, lengths.last + 1):
                    self.numbers.mean(length)
            case Average():
                pass  # its numbers are bounded where they are read, count by count
            case Others():
                found = self._find_others(write, lengths)
                figures.append(found)
                others[write.direction] = found.bound
            case Near():
                figures.append(self._prove_near(write, lengths))
            case meaning:
                raise NotDerived(f"a head cannot make {meaning}")

    def _visit(self, direction: str, lengths: Lengths) -> None:
        for n in lengths if self.known.mentions_n({direction: Fraction(1)}) else [lengths.last]:
            self.numbers.span(direction, n, n)

    # -- heads ---------------------------------------------------------------------------------------------------------

    def _head(self, write: Write) -> Head:
        return self.transformer.head(write.layer, write.place)

    def _scores_of(self, write: Write) -> HeadScores:
        key = write.layer, write.place
        if key not in self._scores:
            self._scores[key] = HeadScores(self.numbers, self._head(write))
        return self._scores[key]

    def _prove_near(self, write: Write, lengths: Lengths) -> HeadFigures:
        head = self._head(write)
        if any(name in self.known for name in head.values[write.direction]):
            for n in lengths:
                self.numbers.value_form(head.values[write.direction], n, n)
        worst = self._scores_of(write).up_to(lengths.first, lengths.last)
        scores = Scores(lengths.last, worst.held, worst.spread)
        found = bound_near(scores, self.bounds[write.direction], self.run, self._gap_finder(write, lengths))
        if not found.holds:
            raise NotDerived(_too_much(found, worst))
        return HeadFigures(write.layer, write.place, write.direction, found.delta, found.theta, found.share,
                           found.error)

    def _gap_finder(self, write: Write, lengths: Lengths) -> Callable[[], Fraction | None]:
        head = self._head(write)
        if looks_up(self.transformer, self.known, head, write.direction):
            return lambda: None
        return partial(self._find_gap, write, head, lengths)

    def _find_gap(self, write: Write, head: Head, lengths: Lengths) -> Fraction | None:
        return find_least_gap(oblige_attention(self.transformer, self.known, lengths, write.layer, write.place, head,
                                               write.direction))

    def _find_others(self, write: Write, lengths: Lengths) -> HeadFigures:
        if write.direction not in self._others:
            head = self._head(write)
            obligation = oblige_lookup(self.transformer, self.known, lengths, write.layer, write.place, head,
                                       write.direction, None)
            self._others[write.direction] = OthersErrors(obligation, self._scores_of(write), self.run)
        found = self._others[write.direction].up_to(lengths.first, lengths.last)
        return HeadFigures(write.layer, write.place, write.direction, found.delta, found.theta, None, found.error)

    # -- feed-forward parts --------------------------------------------------------------------------------------------

    def _prove_output(self, write: Write, lengths: Lengths, others: Mapping[str, Fraction]) -> None:
        if is_by_value(self.transformer, self.known, write.layer, write.direction):
            by_value = oblige_by_value(self.transformer, self.known, lengths, write.layer, write.direction)
            OutputsByValue(self.numbers).check(by_value)
            return
        exact = dict.fromkeys(others, point(ZERO))
        obligation = oblige_feed_forward(self.transformer, self.known, lengths, write.layer, write.direction, exact)
        ExactOutputs(self.numbers, others).check(obligation)


def _too_much(found: NearBound, worst: ScoreBound) -> str:
    if found.error <= ALLOWED_ERROR:
        return f"it may hold {describe(1 + found.above_one)}, more than 5/4, as sums of weights are rounded"
    return (f"scores may be off by {describe(found.delta)} ({describe_row(worst)}), so that weights are off by up to "
            f"e^{describe(found.theta)} and the head by up to {describe(found.error)}, more than 1/4")
