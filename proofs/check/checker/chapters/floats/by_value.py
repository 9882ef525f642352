"""Feed-forward outputs by the value of a sum of counts, under a float model.

See docs/background/floats_rules.md, section 4, rule 6.

Rows and intervals of values are those of sums/by_value.py; those with different computed numbers are checked apart.
"""

from collections.abc import Mapping
from fractions import Fraction

from ...kernel.budget import Cache
from ...kernel.numbers import ONE, ZERO
from ...kernel.reading.records import Neuron, Slack
from ...kernel.verdicts import require, within
from ..formula.proof import ProofContext
from ..sums.by_value import CountedRow, OutputByValue, ValueInterval
from .enclosures import CELL_BITS, FloatEnclosures
from .forms import Arithmetic, FloatValue, exactly
from .hidden_units import FALSE, OPEN, Input, Writing
from .means import FloatCell
from .rounding import grid_of

KnownCells = Mapping[str, FloatCell]
"""Enclosures of known directions at a row."""


class ByValue:
    """A direction whose feed-forward output is proved by the value of a sum."""

    def __init__(self, proof: ProofContext, arithmetic: Arithmetic, enclosures: FloatEnclosures, name: str,
                 writing: Writing) -> None:
        self._proof, self._arithmetic, self._enclosures = proof, arithmetic, enclosures
        self._name, self._writing = name, writing
        self._inputs = Cache[tuple[Fraction, Fraction], FloatValue]()
        self._output = OutputByValue(proof, name, writing.writing, writing.bias)

    def check(self) -> None:
        """Check that the direction is exactly its meaning."""
        output, is_slack = self._output, isinstance(self._proof.directions[self._name], Slack)
        if is_slack:
            self._writing.the_unit_of_slack()
        require(is_slack or not output.means, "a mean is read where no slack is written, which is not handled")
        names = [self._name, *output.known, *output.means, *output.slacks]
        for row in output.rows(not self._enclosures.are_steady(names), self._enclosures.cells):
            cells = (cell for cell in row.more if isinstance(cell, FloatCell))
            enclosed = dict(zip(output.known, cells, strict=True))
            for interval in output.runs(row):
                first, last = interval.first, interval.last
                with within(f"n = {row.n}, i = {row.first_at[1]}, where the counts sum to {first} to {last}"):
                    if is_slack:
                        self._check_slack(interval, row, enclosed)
                    else:
                        self._check_number(interval, enclosed)

    def _check_number(self, interval: ValueInterval, enclosed: KnownCells) -> None:
        """Check a truth or a total, written from slack and known numbers: rule 5."""
        inputs = {source: Input(cell.low, cell.high) for source, cell in enclosed.items()}
        inputs |= {source: FALSE if shut else OPEN
                   for source, shut in zip(self._output.slacks, interval.shut, strict=True)}
        self._writing.check_number(self._writing.activate(inputs), interval.expected)

    def _check_slack(self, interval: ValueInterval, row: CountedRow, enclosed: KnownCells) -> None:
        """Check that the unit is shut where the formula holds, and at least 1 elsewhere."""
        unit = self._writing.the_unit_of_slack()
        value = self._arithmetic.sum(self._terms(unit, interval, row, enclosed))
        if interval.or_more:
            require(value.low - value.error >= 1, "slack may be less than 1")
        else:
            require(value.high + value.error <= 0, "slack may be more than 0")

    def _terms(self, unit: Neuron, interval: ValueInterval, row: CountedRow,
               enclosed: KnownCells) -> list[tuple[FloatValue, FloatValue]]:
        """Return the products, each enclosed: numbers as computed, and as inputs."""
        terms = [(exactly(unit.bias), exactly(ONE))]
        for source, c in unit.reads.items():
            require(source not in self._output.slacks, "slack is read beside a mean, which is not handled")
            cells = [enclosed[source]] if source in enclosed else self._means(source, interval, row)
            low, high = min(cell.low for cell in cells), max(cell.high for cell in cells)
            terms.append((exactly(c), self._between(low, high)))
        return terms

    def _means(self, source: str, interval: ValueInterval, row: CountedRow) -> list[FloatCell]:
        """Return the values of a mean or an average at both ends of an interval."""
        factor = self._output.means[source]
        return [self._enclosures.mean_of_sum(source, row.n, row.positions, factor * Fraction(value))
                for value in (interval.first, interval.last)]

    def _between(self, low: Fraction, high: Fraction) -> FloatValue:
        """Enclose any stored number between two, rounded as an input; rounding is monotone."""
        known = self._inputs.get((low, high))
        if known is not None:
            return known
        ends = [self._arithmetic.input_number(end) for end in (low, high)]
        least, most = ends[0].low - ends[0].error, ends[1].high + ends[1].error
        value = FloatValue(least, most, ZERO, grid_of(least) if least == most else None)
        return self._inputs.keep((low, high), value, CELL_BITS)
