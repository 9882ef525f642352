"""The exact worst case of geometric and stick-breaking heads: what is left, letter by letter.

Setting     Read the letters of the visible positions but the row's own, in reading order: o is 0 at first, and after a
            letter with the scaled score z and the value v it is (1 - σ(z)) o + σ(z) v. The head adds the last o.
Claim       For each memory of the automaton the least and the greatest o over all letters that lead there follow from
            those one letter before: what a letter does to o grows with o. σ is enclosed, so they are enclosed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

from proofs.enclosures.exponential import ball, exact_ends, working_precision
from proofs.enclosures.intervals import Interval, point
from proofs.exact.extremes import Extreme, WorstCase, proved_bound
from proofs.obligations.attention import AttentionObligation
from proofs.obligations.reading import RowGroup
from proofs.obligations.sweeps import Step, Sweep

ZERO, ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True)
class Reached:
    """An end of o at one memory: enclosed, with the option that was chosen last and what it was chosen from."""

    held: Interval
    choice: int = -1
    before: Reached | None = field(default=None, repr=False)

    def choices(self) -> tuple[int, ...]:
        """The options, step by step."""
        chosen: list[int] = []
        reached: Reached | None = self
        while reached is not None and reached.before is not None:
            chosen.append(reached.choice)
            reached = reached.before
        return tuple(reversed(chosen))


Ends = dict[int, tuple[Reached, Reached]]
"""By memory: where o is least, and where it is greatest."""


@dataclass(frozen=True)
class StickExtreme(Extreme):
    """The largest error over inputs with the given truth of the target, and the input that has it."""

    truth: bool
    sweep: Sweep = field(repr=False)
    row: int
    choices: tuple[int, ...]

    @property
    def n(self) -> int:
        """The length of the word."""
        return self.sweep.n

    @property
    def i(self) -> int:
        """The position of the query."""
        return self.row

    def terms(self) -> list[tuple[Fraction, Fraction]]:
        """None: weights depend on other scores than softmax."""
        return []

    def read(self) -> list[tuple[Fraction, Fraction]]:
        """The scaled score and the value of every position before the row's own, in reading order."""
        options = [step.options[choice] for step, choice in zip(self.sweep.steps, self.choices, strict=False)]
        return [(option.score, option.value) for option in options]


@lru_cache(maxsize=100_000)
def share(score: Fraction, bits: int) -> Interval:
    """σ(score), the part of what is left that a position takes, in short numbers.

    >>> share(Fraction(0), 64)
    Interval(lower=Fraction(1, 2), upper=Fraction(1, 2))
    """
    if score == 0:
        return point(Fraction(1, 2))
    with working_precision(bits):
        lower, upper = exact_ends(1 / (1 + ball(-score).exp()))
    return rounded(Interval(max(lower, ZERO), min(upper, ONE)), bits)


def rounded(x: Interval, bits: int) -> Interval:
    """An interval around this one whose ends are multiples of 2**-bits; of numbers that are in [0, 1], so are they.

    >>> rounded(Interval(Fraction(1, 3), Fraction(1, 2)), 2)
    Interval(lower=Fraction(1, 4), upper=Fraction(1, 2))
    """
    unit = 1 << bits
    return Interval(Fraction(x.lower.numerator * unit // x.lower.denominator, unit),
                    Fraction(-(-x.upper.numerator * unit // x.upper.denominator), unit))


def after(held: Interval, taken: Interval, value: Fraction, bits: int) -> Interval:
    """(1 - s) o + s v with o and s in these intervals; it is o + s (v - o), which grows with o."""
    ends = [o + s * (value - o) for o, s in ((held.lower, taken.lower), (held.lower, taken.upper),
                                             (held.upper, taken.lower), (held.upper, taken.upper))]
    return rounded(Interval(min(ends), max(ends)), bits)


def walk(sweep: Sweep, bits: int) -> Iterator[tuple[Step, Ends]]:
    """Each step with the ends of o before it."""
    start = Reached(point(ZERO))
    ends: Ends = {0: (start, start)}
    for step in sweep.steps:
        yield step, ends
        ends = _step(step, ends, bits)


def _step(step: Step, ends: Ends, bits: int) -> Ends:
    """The ends of o after one more letter."""
    found: Ends = {}
    for choice, option in enumerate(step.options):
        taken = share(option.score, bits)
        for memory, (least, greatest) in ends.items():
            low, high = [Reached(after(end.held, taken, option.value, bits), choice, end) for end in (least, greatest)]
            target = option.effect[memory] >> 1
            if target in found:
                low = min(low, found[target][0], key=lambda end: end.held.lower)
                high = max(high, found[target][1], key=lambda end: end.held.upper)
            found[target] = low, high
    return found


def find_stick_worst_case(obligation: AttentionObligation, bits: int) -> WorstCase:
    """The largest errors over all rows of the obligation."""
    found: dict[bool, StickExtreme | None] = {False: None, True: None}
    for group in obligation.groups:
        for extreme in _extremes_of(obligation, group, bits):
            best = found[extreme.truth]
            if best is None or extreme.upper > best.upper:
                found[extreme.truth] = extreme
    return WorstCase(found[False], found[True])


def _extremes_of(obligation: AttentionObligation, group: RowGroup, bits: int) -> Iterator[StickExtreme]:
    """The errors at every row of a group, for each truth that the target may have there."""
    sweep = obligation.reading.sweep(group)
    for step, ends in walk(sweep, bits):
        if step.j in sweep.rows:
            for truth in (False, True):
                errors = [(error_of(ends[memory], truth), ends[memory][not truth]) for memory in ends
                          if any(option.effect[memory] % 2 == truth for option in step.options)]
                if errors:
                    error, end = max(errors, key=lambda pair: pair[0].upper)
                    yield StickExtreme(error.lower, proved_bound(error.upper), truth, sweep, step.j, end.choices())


def error_of(ends: tuple[Reached, Reached], truth: bool) -> Interval:
    """How far o may be from the truth, at the end where it is farthest."""
    least, greatest = ends
    return Interval(ONE - least.held.upper, ONE - least.held.lower) if truth else greatest.held
