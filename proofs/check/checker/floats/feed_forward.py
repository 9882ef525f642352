"""Feed-forward outputs in a float run; docs/floats.md, section 4, rule 5, in the situations of the certificate."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from ..numbers import ONE, QUARTER, ZERO
from ..proving.feed_forward import Output, Row, Situation
from ..proving.proof import Proof
from ..reading.records import FeedForward, Near, Others, Product, Slack, Truth, Unit
from ..verdicts import quote, require, within
from .forms import Arithmetic, Value, exactly
from .holding import Holding
from .means import Cell
from .rounding import grid_of, is_number
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
        is_slack = isinstance(self._proof.directions[name], Slack)
        if is_slack:
            slack = find_slack(units, bias, name)
            self._holding.known.numbers[name] = self._bound_slack(slack)
        for row, known in self._rows(output, name):
            for situation in output.situations(row):
                with within(f"n = {row.n}, i = {row.i}"):
                    if is_slack:
                        self._check_slack(output, slack, known, situation)
                    else:
                        inputs = {source: self._input(output, source, situation, known) for source in output.reads}
                        self._check_case(name, self._activate(units, name, inputs), bias, row, output.holds(situation))

    def _rows(self, output: Output, name: str) -> Iterator[tuple[Row, Mapping[str, Cell]]]:
        """Rows that differ, and what known directions and products hold there."""
        cells = {source: self._holding.cells if self._proof.is_known(meaning) else self._holding.copies
                 for source, meaning in output.reads.items()
                 if self._proof.is_known(meaning) or isinstance(meaning, Product)}

        def columns(n: int) -> Sequence[Sequence[Hashable]]:
            self._arithmetic.budget.spend(10 * n * len(cells))
            return [find(source, n) for source, find in cells.items()]

        for row in output.rows(self._holding.lengths(output.lengths(), [name, *output.reads]), columns):
            self._arithmetic.budget.spend(50)
            yield row, {source: cell for source, cell in zip(cells, row.more, strict=True) if isinstance(cell, Cell)}

    def _activate(self, units: Sequence[Unit], name: str, inputs: Mapping[str, Input]) -> list[Written]:
        """What units write that are not shut."""
        copies = isinstance(self._proof.directions[name], Product)
        active = ((unit, self._units.activate(unit, inputs, copies)) for unit in units)
        return [Written(unit.writes[name], one) for unit, one in active if one is not None]

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
        require(wanted in (0, 1), "a feed-forward part writes the number {}, expected 0 or 1", wanted)
        slopes: dict[str | None, Fraction] = {}
        for weight, active in written:
            slopes[active.source] = slopes.get(active.source, ZERO) + weight * active.slope
        got = bias + sum((weight * active.start for weight, active in written), ZERO)
        require(got == wanted and not any(slopes.values()), "the output may be another number than {}", wanted)
        for chosen in choose_parts(written):
            terms = [(exactly(bias), exactly(ONE)), *((exactly(one.weight), part) for one, part in chosen)]
            require(self._units.is_exact_sum(terms), "the sum of activations may be rounded")

    def _bound_slack(self, unit: Unit) -> Value:
        """All that slack may be, at any row."""
        terms = [(exactly(unit.bias), exactly(ONE)),
                 *((exactly(c), self._holding.everywhere(source)) for source, c in unit.reads.items())]
        value = self._arithmetic.rounded(self._arithmetic.claim.storage, self._arithmetic.sum(terms))
        return Value(ZERO, value.reach, ZERO, None)

    def _check_slack(self, output: Output, unit: Unit, known: Mapping[str, Cell], situation: Situation) -> None:
        """The unit is shut where the formula holds, and at least 1 elsewhere; to store it does not carry it over 1.

        Raises:
            Rejected: if it may not be.
        """
        counts = output.count_interval(tuple(unit.reads.items()), situation)
        if counts is None:
            return
        low, high = (end + unit.bias for end in counts)
        terms = [(exactly(unit.bias), exactly(ONE))]
        for source, c in unit.reads.items():
            if isinstance(output.reads[source], Others):
                terms.append((exactly(c), self._holding.known.numbers[source]))
                continue
            one = self._input(output, source, situation, known)
            require(one.high is not None and not one.is_near, "slack is written from {}", quote(source))
            ends = c * one.low, c * (one.low if one.high is None else one.high)
            low, high = low + min(ends), high + max(ends)
            terms.append((exactly(c), Value(one.low, ends[1] / c, ZERO, grid_of(one.low) if one.is_point else None)))
        error = self._arithmetic.sum(terms).error
        if output.holds(situation):
            require(high + error <= 0, "slack may be more than 0")
        else:
            require(low - error >= 1, "slack may be less than 1")

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


def find_slack(units: Sequence[Unit], bias: Fraction, name: str) -> Unit:
    """The one unit that writes it.

    Raises:
        Rejected: if there are several, or it is not written as it is.
    """
    require(len(units) == 1 and bias == 0 and units[0].writes[name] == 1, "slack is not written by one unit")
    return units[0]


def choose_parts(written: Sequence[Written]) -> Iterator[list[tuple[Written, Value]]]:
    """For each near direction that is read one half, below 1 or from 1 on, the same in all units that read it."""
    sources = sorted({active.source for _, active in written if active.source is not None})
    for halves in product((0, 1), repeat=len(sources)):
        half = dict(zip(sources, halves, strict=True))
        yield [(one, one.active.parts[half[one.active.source] if one.active.source is not None else 0])
               for one in written]
