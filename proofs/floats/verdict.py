"""Verdicts about float models: whether a network is right in every execution, and up to which length."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from constructions.network.lengths import Lengths
from constructions.network.meanings import Average, Mean, Near, Others, Position
from constructions.network.transformer import Head, Transformer
from proofs.enclosures.float_models.model import FloatModel
from proofs.enclosures.intervals import point
from proofs.floats.approximate_truth_heads import bound_near_head
from proofs.floats.approximate_truths import NearBound
from proofs.floats.counting import OutputsByValue
from proofs.floats.feed_forward import ExactOutputs
from proofs.floats.finite import FiniteUnits, check_embeddings
from proofs.floats.float_enclosure import ZERO
from proofs.floats.gaps import find_least_gap
from proofs.floats.lookup import OthersErrors
from proofs.floats.numbers import EnclosedNumbers
from proofs.floats.rows import NO_ERROR, RowByRow, RowsBound
from proofs.floats.scores import HeadScores
from proofs.formula.attention.obligation import oblige_attention
from proofs.formula.common.word_independent import KnownValues
from proofs.formula.composition import Write, writes
from proofs.formula.discharge import Line
from proofs.formula.failures import NotDerived
from proofs.formula.feed_forward.counting import is_by_value, oblige_by_value
from proofs.formula.feed_forward.obligation import oblige_feed_forward
from proofs.formula.lookup.obligation import LookupObligation, looks_up, oblige_lookup

Bounds = Mapping[str, tuple[Fraction, Fraction]]
"""Certified errors over the reals of each direction near a truth, if false and if true."""


@dataclass(frozen=True)
class HeadFigures:
    """Error bounds of a head under a float model: of its scores, its log-weights, and its output.

    ``share`` is the weight against the target before sums are rounded; None for a head that looks up a number.
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
    """A failed derivation: the writer of a direction (empty if it is about all of them), and the reason."""

    where: str
    direction: str
    why: str

    def __str__(self) -> str:
        return ": ".join(filter(None, (self.where, self.direction, self.why)))


@dataclass(frozen=True)
class FloatVerdict:
    """The verdict whether every direction that means a truth is exactly that truth, in every execution under the model.

    ``fault`` is the first thing that is not derived; it need not be false.
    """

    run: FloatModel
    lengths: Lengths
    heads: tuple[HeadFigures, ...]
    fault: Fault | None = None

    @property
    def holds(self) -> bool:
        """Whether it is proved for all words of these lengths."""
        return self.fault is None


def certified_bounds(lines: Iterable[Line]) -> dict[str, tuple[Fraction, Fraction]]:
    """Return the bounds that a certificate of these obligations states."""
    return {line.direction: (line.worst.bound(False), line.worst.bound(True)) for line in lines
            if line.worst is not None}


def find_largest_length(transformer: Transformer, bounds: Bounds, lengths: Lengths, run: FloatModel) -> int | None:
    """Return the last of the lengths up to which the network is proved right in all executions; None if there is none.

    Bisection is sound even if longer claims are easier to prove: only proved lengths are returned.
    """
    return FloatProof(transformer, bounds, run).find_largest_length(lengths)


class FloatProof:
    """Proofs about one network and one float model, for any lengths; results are shared between lengths."""

    def __init__(self, transformer: Transformer, bounds: Bounds, run: FloatModel):
        """Prepare proofs; the ``bounds`` are those of an accepted certificate, for all lengths used here."""
        self.transformer, self.bounds, self.run = transformer, bounds, run
        self.known = KnownValues(transformer.directions)
        self.numbers = EnclosedNumbers(transformer, self.known, run)
        self._scores: dict[tuple[int, int], HeadScores] = {}
        self._others: dict[str, OthersErrors] = {}
        self._rows: dict[str, RowByRow] = {}
        self._by_value = OutputsByValue(self.numbers)

    def verdict(self, lengths: Lengths) -> FloatVerdict:
        """Return the verdict for words of these lengths."""
        figures: list[HeadFigures] = []
        others: dict[str, Fraction] = {}
        if self.run.sum_ulp > 1 or "integers" in self.run.also:
            kind = "cut off" if self.run.sum_ulp > 1 else "of whole numbers"
            return FloatVerdict(self.run, lengths, (), Fault("sums of products", "", (
                f"they are {kind}, which has rules for trained networks only")))
        for number, place, head in self.transformer.heads():
            if not head.weighting.is_softmax:
                return FloatVerdict(self.run, lengths, (), Fault(f"layer {number}, head {place}", "", (
                    f"weighting {head.weighting}: float executions have rules for softmax only")))
        try:
            check_embeddings(self.numbers, lengths, self.run.storage)
        except NotDerived as why:
            return FloatVerdict(self.run, lengths, (), Fault("the embedding", "", str(why)))
        try:
            for number, place, _ in self.transformer.heads():
                self._scores_at(number, place).up_to(lengths.first, lengths.last)
        except NotDerived as why:
            return FloatVerdict(self.run, lengths, (), Fault(f"layer {number}, head {place}", "", str(why)))
        for write in sorted(writes(self.transformer), key=lambda write: write.stage > 0 and not write.place):
            try:
                self._prove(write, lengths, figures, others)
            except NotDerived as why:
                fault = Fault(write.where, write.direction, str(why))
                return FloatVerdict(self.run, lengths, tuple(figures), fault)
        try:
            FiniteUnits(self.numbers, lengths, others).check()
        except NotDerived as why:
            return FloatVerdict(self.run, lengths, tuple(figures), Fault("feed-forward", "", str(why)))
        return FloatVerdict(self.run, lengths, tuple(figures))

    def find_largest_length(self, lengths: Lengths) -> int | None:
        """Return the largest length, as the function of this name."""
        if self.verdict(lengths).holds:
            return lengths.last
        good, bad = lengths.first - 1, lengths.last
        while bad - good > 1:
            middle = (good + bad) // 2
            good, bad = (middle, bad) if self.verdict(Lengths(lengths.first, middle)).holds else (good, middle)
        return good if good >= lengths.first else None

    def _prove(self, write: Write, lengths: Lengths, figures: list[HeadFigures], others: dict[str, Fraction]) -> None:
        """Prove one direction of a writer; bounds of heads are added to ``figures`` and ``others``.

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
                self.numbers.by_value(write.direction, lengths)  # each is finite, and not too small
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

    # -- heads ---------------------------------------------------------------------------------------------------------

    def _head(self, write: Write) -> Head:
        return self.transformer.head(write.layer, write.place)

    def _scores_at(self, layer: int, place: int) -> HeadScores:
        if (layer, place) not in self._scores:
            self._scores[layer, place] = HeadScores(self.numbers, self.transformer.head(layer, place))
        return self._scores[layer, place]

    def _prove_near(self, write: Write, lengths: Lengths) -> HeadFigures:
        head = self._head(write)
        row = head.values[write.direction]
        forms = [self.numbers.value_form(row, n, n)
                 for n in (lengths if self.numbers.differs_by_length(row) else [lengths.last])]
        # Exact values of a certified head are from 0 to 1, so those that are integers are 0 or 1.
        by_tails = (not looks_up(self.transformer, self.known, head, write.direction)
                    and min(form.grid for form in forms) >= 0)
        find_gap = partial(self._find_gap, write, head, lengths) if by_tails else _no_gap
        bound = partial(bound_near_head, self._scores_at(write.layer, write.place), self.bounds[write.direction],
                        self.run, find_gap=find_gap)
        try:
            found: NearBound | RowsBound = bound(lengths)
        except NotDerived:
            if not looks_up(self.transformer, self.known, head, write.direction):
                raise
            found = self._prove_by_rows(write, lengths, bound)
        return HeadFigures(write.layer, write.place, write.direction, found.delta, found.theta, found.share,
                           found.error)

    def _prove_by_rows(self, write: Write, lengths: Lengths, bound: Callable[[Lengths], NearBound]) -> RowsBound:
        """Return the bound of a lookup of a truth, row by row for lengths whose rows have no common bound."""
        rows = RowByRow(self.numbers, self._oblige_lookup(write, lengths))
        found = []
        for n in range(lengths.last, lengths.first - 1, -1):
            try:
                bound(Lengths(n, n))
            except NotDerived:
                found.append(self._rows.setdefault(write.direction, rows).of_length(n))
        return max(found, key=lambda one: one.error, default=NO_ERROR)

    def _find_gap(self, write: Write, head: Head, lengths: Lengths) -> Fraction | None:
        return find_least_gap(oblige_attention(self.transformer, self.known, lengths, write.layer, write.place, head,
                                               write.direction))

    def _find_others(self, write: Write, lengths: Lengths) -> HeadFigures:
        if write.direction not in self._others:
            scores = self._scores_at(write.layer, write.place)
            self._others[write.direction] = OthersErrors(self._oblige_lookup(write, lengths), scores, self.run)
        found = self._others[write.direction].up_to(lengths.first, lengths.last)
        return HeadFigures(write.layer, write.place, write.direction, found.delta, found.theta, None, found.error)

    def _oblige_lookup(self, write: Write, lengths: Lengths) -> LookupObligation:
        return oblige_lookup(self.transformer, self.known, lengths, write.layer, write.place, self._head(write),
                             write.direction, None)

    # -- feed-forward parts --------------------------------------------------------------------------------------------

    def _prove_output(self, write: Write, lengths: Lengths, others: Mapping[str, Fraction]) -> None:
        what = self.transformer, self.known, lengths, write.layer, write.direction
        if is_by_value(self.transformer, self.known, write.layer, write.direction):
            self._by_value.check(oblige_by_value(*what, dict.fromkeys(others, point(ZERO))), others)
        else:
            ExactOutputs(self.numbers, {}).check(oblige_feed_forward(*what))



def _no_gap() -> None:
    """Return no gap, for heads whose sums are bounded by their lengths only."""
