"""Feed-forward outputs under a float model.

See docs/background/floats_rules.md, section 4, rule 5, in the certificate's situations.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence

from ...kernel.numbers import ONE, QUARTER, ZERO
from ...kernel.reading.records import ApproximateTruth, FeedForward, Neuron, Product, Slack, Truth
from ...kernel.verdicts import quote, require, within
from ..formula.families import WrittenDirection, is_by_value
from ..formula.feed_forward.by_cases import Assignment, Output, OutputRow
from ..formula.proof import ProofContext
from .by_value import ByValue
from .enclosures import FloatEnclosures
from .forms import Arithmetic, FloatValue, exactly
from .hidden_units import FALSE, HIGH, LOW, OPEN, TRUE, Input, Neurons, UnitOutput, Writing
from .means import FloatCell
from .rounding import grid_of


class FeedForwards:
    """Proofs of the outputs of a certificate's feed-forward parts under a float model."""

    def __init__(self, proof: ProofContext, arithmetic: Arithmetic, enclosures: FloatEnclosures) -> None:
        self._proof, self._arithmetic, self._enclosures = proof, arithmetic, enclosures
        self._units = Neurons(arithmetic)

    def check(self, part: FeedForward, name: str) -> None:
        """Check one direction that a feed-forward part writes."""
        units, bias = self._proof.units_writing(part, name), part.bias.get(name, ZERO)
        writing = Writing(self._arithmetic, self._units, name, units, bias)
        if is_by_value(self._proof, WrittenDirection(name, self._proof.directions[name], units=units)):
            ByValue(self._proof, self._arithmetic, self._enclosures, name, writing).check()
        else:
            self._check_output(Output(self._proof, name, units, bias), name, writing)
        if isinstance(self._proof.directions[name], Slack):
            self._enclosures.numbers[name] = self._bound_slack(writing.the_unit_of_slack())

    def _check_output(self, output: Output, name: str, writing: Writing) -> None:
        """Check rule 5 in every assignment."""
        meaning = self._proof.directions[name]
        for row, known in self._rows(output, name):
            for assignment in output.assignments(row):
                with within(f"n = {row.n}, i = {row.i}"):
                    if isinstance(meaning, Slack):
                        self._check_slack(output, writing.the_unit_of_slack(), known, assignment)
                        continue
                    inputs = {source: self._input(output, source, assignment, known) for source in output.reads}
                    written, holds = writing.activate(inputs, isinstance(meaning, Product)), output.holds(assignment)
                    if isinstance(meaning, Product):
                        require(writing.bias == 0, "a product is written with a bias")
                        self._check_copies(name, written, holds)
                        continue
                    expected = row.target if holds else ZERO
                    require(expected in (0, 1), "a feed-forward part writes the number {}, expected 0 or 1", expected)
                    writing.check_number(written, expected)

    def _rows(self, output: Output, name: str) -> Iterator[tuple[OutputRow, Mapping[str, FloatCell]]]:
        """Yield rows that differ, and the cells of known directions and products there."""
        cells = {source: self._enclosures.cells if self._proof.is_known(meaning) else self._enclosures.copies
                 for source, meaning in output.reads.items()
                 if self._proof.is_known(meaning) or isinstance(meaning, Product)}

        def columns(n: int) -> Sequence[Sequence[Hashable]]:
            self._arithmetic.budget.spend(10 * n * len(cells))
            return [find(source, n) for source, find in cells.items()]

        for row in output.rows(self._enclosures.lengths(output.lengths(), [name, *output.reads]), columns):
            self._arithmetic.budget.spend(50)
            yield row, {source: cell for source,
                        cell in zip(cells, row.more, strict=True) if isinstance(cell, FloatCell)}

    def _input(self, output: Output, source: str, assignment: Assignment, known: Mapping[str, FloatCell]) -> Input:
        """Return the input from a direction in an assignment."""
        require(source not in output.numbers,
                "{} is a number of positions, or a truth beside one, from which no slack is written", quote(source))
        meaning = output.reads[source]
        match meaning:
            case ApproximateTruth(formula, when):
                if not assignment.truths.get(when, False):
                    return Input(ZERO, HIGH)
                return Input(LOW, HIGH, True) if assignment.truths[formula] else Input(ZERO, QUARTER)
            case Slack(formula):
                return FALSE if assignment.truths[formula] else OPEN
            case Truth(formula) if not self._proof.is_known(meaning):
                return TRUE if assignment.truths[formula] else FALSE
            case Product(_, formula) if not self._proof.is_known(meaning) and not assignment.truths[formula]:
                return FALSE
        return Input(known[source].low, known[source].high)

    def _bound_slack(self, unit: Neuron) -> FloatValue:
        """Enclose slack at all rows."""
        terms = [(exactly(unit.bias), exactly(ONE)),
                 *((exactly(c), self._arithmetic.input(self._enclosures.everywhere(source)))
                   for source, c in unit.reads.items())]
        return FloatValue(ZERO, self._arithmetic.stored(self._arithmetic.sum(terms)).reach, ZERO, None)

    def _check_slack(self, output: Output, unit: Neuron, known: Mapping[str, FloatCell],
                     assignment: Assignment) -> None:
        """Check that the unit is shut where the formula holds, else at least 1; storing does not carry it over 1."""
        counts = output.count_interval(tuple(unit.reads.items()), assignment)
        if counts is None:
            return
        low, high = (end + unit.bias for end in counts)
        terms = [(exactly(unit.bias), exactly(ONE))]
        for source, c in unit.reads.items():
            if source in output.numbers:
                terms.append((exactly(c), self._arithmetic.input(self._enclosures.everywhere(source))))
                continue
            one = self._input(output, source, assignment, known)
            require(one.high is not None and not one.is_near, "slack is written from {}", quote(source))
            most = one.low if one.high is None else one.high
            low, high = low + min(c * one.low, c * most), high + max(c * one.low, c * most)
            value = FloatValue(one.low, most, ZERO, grid_of(one.low) if one.is_point else None)
            terms.append((exactly(c), self._arithmetic.input(value)))
        error = self._arithmetic.sum(terms).error
        if output.holds(assignment):
            require(high + error <= 0, "slack may be more than 0")
        else:
            require(low - error >= 1, "slack may be less than 1")

    def _check_copies(self, name: str, written: Sequence[UnitOutput], holds: bool) -> None:
        """Check that copies of one direction are written: one is left where the formula holds, none elsewhere."""
        require(all(active.is_copy and abs(weight) == 1 for weight, active in written),
                "a product is not written by copies")
        sources = {active.source for _, active in written if active.source is not None}
        known = self._enclosures.copied.get(name)
        found = sources | ({known} if known is not None else set())
        require(len(found) <= 1, "a product is written by copies of several directions")
        weights = [weight for weight, _ in written]
        require(sum(weights) == int(holds), "a product is not left where its formula holds")
        require(max(weights.count(ONE), weights.count(-ONE)) <= 2,
                "a product is written by more than two copies of one sign")
        for source in sources:
            is_known = self._proof.is_known(self._proof.directions[source])
            require(is_known, "{} is copied, but its values are not known", quote(source))
            self._enclosures.copied[name] = source
