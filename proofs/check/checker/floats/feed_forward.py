"""Feed-forward outputs in a float run; docs/floats.md, section 4, rule 5, in the situations of the certificate."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from ..numbers import ONE, QUARTER, ZERO
from ..proving.feed_forward import Output, Row, Situation
from ..proving.proof import Proof
from ..reading.records import FeedForward, Near, Others, Position, Product, Slack, Truth
from ..verdicts import quote, require, within
from .forms import Arithmetic, Value, exactly
from .holding import Holding
from .means import Cell
from .rounding import is_number
from .units import HIGH, LOW, Active, Input, Units

FALSE, TRUE = Input(ZERO, ZERO), Input(ONE, ONE)


class Written(NamedTuple):
    """What a unit writes, and its activation."""

    weight: Fraction
    active: Active


class FeedForwards:
    """What the feed-forward parts of a certificate write in the runs of a class."""

    def __init__(self, proof: Proof, arithmetic: Arithmetic, holding: Holding) -> None:
        self._proof, self._arithmetic, self._holding = proof, arithmetic, holding
        self._units = Units(arithmetic)

    def check(self, part: FeedForward, name: str) -> None:
        """One direction that a feed-forward part writes.

        Raises:
            Rejected: if it may not hold exactly what it means, or (a product) no copy of one direction.
        """
        units, bias = self._proof.units_writing(part, name), part.bias.get(name, ZERO)
        for unit in units:
            self._units.check_weights(unit)
        require(is_number(self._arithmetic.claim.storage, bias), "the bias {} is not a number of the format", bias)
        output = Output(self._proof, name, units, bias)
        copies = isinstance(self._proof.directions[name], Product)
        cells = {source: meaning for source, meaning in output.reads.items()
                 if self._proof.is_known(meaning) or isinstance(meaning, Product)}

        def columns(n: int) -> Sequence[Sequence[Hashable]]:
            return [self._holding.cells(source, n) if self._proof.is_known(meaning) else self._holding.copies(source, n)
                    for source, meaning in cells.items()]

        for row in output.rows(self._holding.lengths(output.lengths(), [name, *output.reads]), columns):
            known = {source: cell for source, cell in zip(cells, row.more, strict=True) if isinstance(cell, Cell)}
            for situation in output.situations(row):
                inputs = {source: self._input(output, source, situation, known) for source in output.reads}
                with within(f"n = {row.n}, i = {row.i}"):
                    written = [Written(unit.writes[name], active) for unit in units
                               for active in [self._units.activate(unit, inputs, copies)] if active is not None]
                    self._check_case(name, written, bias, row, output.holds(situation))

    def _input(self, output: Output, source: str, situation: Situation, known: Mapping[str, Cell]) -> Input:
        """What a direction holds in a situation."""
        meaning = output.reads[source]
        match meaning:
            case Near(formula, when):
                if not situation.truths.get(when, False):
                    return Input(ZERO, HIGH)
                return Input(LOW, HIGH, True) if situation.truths[formula] else Input(ZERO, QUARTER)
            case Slack(formula):
                return FALSE if situation.truths[formula] else Input(ONE, None)
            case Truth(formula) if not self._proof.is_known(meaning):
                return TRUE if situation.truths[formula] else FALSE
            case Product(_, formula) if not self._proof.is_known(meaning) and not situation.truths[formula]:
                return FALSE
            case Others():
                require(False, "{} is a number that was looked up, which is not handled", quote(source))
        return Input(known[source].low, known[source].high)

    def _check_case(self, name: str, written: Sequence[Written], bias: Fraction, row: Row, holds: bool) -> None:
        """The output in one situation.

        Raises:
            Rejected: if it may not be what is wanted.
        """
        meaning = self._proof.directions[name]
        if isinstance(meaning, Product):
            self._check_copies(name, written, bias, holds)
            return
        wanted = row.target if holds else ZERO
        require(isinstance(meaning, Truth | Position), "slack is not handled")
        require(wanted in (0, 1), "a feed-forward part writes the number {}, expected 0 or 1", wanted)
        slopes: dict[str | None, Fraction] = {}
        for weight, active in written:
            slopes[active.source] = slopes.get(active.source, ZERO) + weight * active.slope
        got = bias + sum((weight * active.start for weight, active in written), ZERO)
        require(got == wanted and not any(slopes.values()), "the output may be another number than {}", wanted)
        for chosen in choose_parts(written):
            terms = [(exactly(bias), exactly(ONE)), *((exactly(one.weight), part) for one, part in chosen)]
            require(self._units.is_exact_sum(terms), "the sum of activations may be rounded")

    def _check_copies(self, name: str, written: Sequence[Written], bias: Fraction, holds: bool) -> None:
        """Copies of one direction, one of them left where the formula holds, and none elsewhere."""
        require(bias == 0 and all(active.is_copy and abs(weight) == 1 for weight, active in written),
                "a product is not written by copies")
        sources = {active.source for _, active in written if active.source is not None}
        known = self._holding.known.copied.get(name)
        found = sources | ({known} if known is not None else set())
        require(len(found) <= 1, "a product is written by copies of several directions")
        require(sum(weight for weight, _ in written) == int(holds), "a product is not left where its formula holds")
        for source in sources:
            is_known = self._proof.is_known(self._proof.directions[source])
            require(is_known, "{} is copied, which is not known", quote(source))
            self._holding.known.copied[name] = source


def choose_parts(written: Sequence[Written]) -> Iterator[list[tuple[Written, Value]]]:
    """For each near direction that is read one half, below 1 or from 1 on, the same in all units that read it."""
    sources = sorted({active.source for _, active in written if active.source is not None})
    for halves in product((0, 1), repeat=len(sources)):
        half = dict(zip(sources, halves, strict=True))
        yield [(one, one.active.parts[half[one.active.source] if one.active.source is not None else 0])
               for one in written]
