"""The exact worst case of geometric and stick-breaking heads: the range of the output, letter by letter.

Setting     Read the letters of the visible positions except the row's own, in reading order. At first o is 0; after a
            letter with the scaled score z and the value v it is (1 - σ(z)) o + σ(z) v. The head writes the last o.
Claim       For each memory of the automaton the least and the greatest o over all letters that lead there follow from
            those one letter before, since the next o increases with o. σ is enclosed, so both are enclosed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from proofs.enclosures.exponential import ball, exact_ends, working_precision
from proofs.formula.attention.obligation import AttentionObligation
from proofs.formula.common.extremes import WorstCase, proved_bound
from proofs.formula.common.reading import RowGroup
from proofs.formula.common.sweeps import InputExtreme, Option, Step, Sweep

Enclosed = tuple[int, int]
"""Integer bounds of a number, in units of 2**-bits."""


@dataclass(frozen=True, eq=False)
class Reached:
    """An enclosure of the least or the greatest o at one memory, the last option on its path, and the end before it."""

    held: Enclosed
    choice: int = -1
    before: Reached | None = field(default=None, repr=False)

    def choices(self) -> tuple[int, ...]:
        """Return the options on the path, step by step."""
        chosen: list[int] = []
        reached: Reached | None = self
        while reached is not None and reached.before is not None:
            chosen.append(reached.choice)
            reached = reached.before
        return tuple(reversed(chosen))


@dataclass(frozen=True, eq=False)
class Ends:
    """The least and the greatest o, by memory."""

    by_memory: Mapping[int, tuple[Reached, Reached]]


class StickExtreme(InputExtreme):
    """An extreme whose input is read up to the position before the row's own."""

    def read(self) -> list[tuple[Fraction, Fraction]]:
        """Return the scaled score and the value of every position before the row's own, in reading order."""
        return [(option.score, option.value) for option in self.chosen()]


class OutputRanges:
    """The ranges of o over the steps of sweeps; equal steps from equal ends are computed once."""

    def __init__(self, bits: int):
        """Start with o = 0; o and σ are enclosed by multiples of 2**-bits."""
        self.bits = bits
        self.unit = 1 << bits
        start = Reached((0, 0))
        self._start = Ends({0: (start, start)})
        self._following: dict[tuple[int, Ends], Ends] = {}
        self._shares: dict[Fraction, Enclosed] = {}

    def over(self, sweep: Sweep) -> Iterator[tuple[Step, Ends]]:
        """Yield each step with the ends of o before it."""
        ends = self._start
        for step in sweep.steps:
            yield step, ends
            key = (step.number, ends)
            if key not in self._following:
                self._following[key] = self._follow(step, ends)
            ends = self._following[key]

    def _follow(self, step: Step, ends: Ends) -> Ends:
        """Return the ends of o after one more letter."""
        found: dict[int, tuple[Reached, Reached]] = {}
        for choice, option in enumerate(step.options):
            for memory, (least, greatest) in ends.by_memory.items():
                low, high = [Reached(self._after(end.held, option), choice, end) for end in (least, greatest)]
                target = option.effect[memory] >> 1
                if target in found:
                    low = min(low, found[target][0], key=lambda end: end.held[0])
                    high = max(high, found[target][1], key=lambda end: end.held[1])
                found[target] = low, high
        return Ends(found)

    def _after(self, held: Enclosed, option: Option) -> Enclosed:
        """Enclose (1 - s) o + s v = o + s (v - o), which increases with o and v, and is linear in s."""
        least, most = self._in_units(option.value)
        taken = self.share(option.score)
        return (min((held[0] * self.unit + s * (least - held[0])) // self.unit for s in taken),
                max(-((-held[1] * self.unit - s * (most - held[1])) // self.unit) for s in taken))

    def share(self, score: Fraction) -> Enclosed:
        """Enclose σ(score), the share of the remaining weight that a position takes."""
        if score not in self._shares:
            with working_precision(self.bits):
                lower, upper = exact_ends(1 / (1 + ball(-score).exp()))
            self._shares[score] = self._in_units(lower)[0], min(self._in_units(upper)[1], self.unit)
        return self._shares[score]

    def _in_units(self, x: Fraction) -> Enclosed:
        scaled = x.numerator * self.unit
        return scaled // x.denominator, -(-scaled // x.denominator)


def find_stick_worst_case(obligation: AttentionObligation, bits: int) -> WorstCase:
    """Return the largest errors over all rows of the obligation."""
    ranges = OutputRanges(bits)
    return WorstCase.of((extreme.truth, extreme) for group in obligation.groups
                        for extreme in _extremes_of(obligation, group, ranges))


def _extremes_of(obligation: AttentionObligation, group: RowGroup, ranges: OutputRanges) -> Iterator[StickExtreme]:
    """Yield the greatest error of a group, for each truth that the target may have."""
    sweep = obligation.reading.sweep(group)
    greatest: dict[bool, tuple[int, int, Reached, int]] = {}
    for step, ends in ranges.over(sweep):
        if step.j in sweep.rows:
            for truth in (False, True):
                for memory, pair in ends.by_memory.items():
                    if any(option.effect[memory] % 2 == truth for option in step.options):
                        low, high = error_of(pair, truth, ranges.unit)
                        if truth not in greatest or high > greatest[truth][1]:
                            greatest[truth] = low, high, pair[not truth], step.j
    for truth, (low, high, reached, row) in greatest.items():
        yield StickExtreme(Fraction(low, ranges.unit), proved_bound(Fraction(high, ranges.unit)), truth, sweep, row,
                           reached.choices(), weighting=obligation.head.weighting)


def error_of(ends: tuple[Reached, Reached], truth: bool, unit: int) -> Enclosed:
    """Enclose the greatest error of o."""
    least, greatest = ends
    return (unit - least.held[1], unit - least.held[0]) if truth else greatest.held
