"""The worst case of a head under a weighting with a kernel: the share that its windows allow, and a word close to it.

A weight depends on all other scores, so the error is not a sum along a path. The bound is that of ``windows``.
Words that come close to it have a pivot of the least score, and at every other position the bad letter of the greatest
score, if there is one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from constructions.network.weightings import Weighting
from proofs.enclosures.intervals import Interval
from proofs.formula.attention.obligation import AttentionObligation
from proofs.formula.attention.windows import KEEPS, AllWindows, PivotMemory
from proofs.formula.attention.worst_case import SweepExtreme, option_error
from proofs.formula.common.extremes import WorstCase, proved_bound
from proofs.formula.common.kernels import enclose_mean_of
from proofs.formula.common.reading import RowGroup
from proofs.formula.common.sweeps import Option, Step, Sweep
from proofs.formula.failures import NotDerived

MOST_LOOKED_AT = 4
"""The number of words of a group whose error is enclosed: those with the greatest gaps."""
GAPS_COMPARED = 3
Choices = tuple[int, ...]


@dataclass(frozen=True)
class AroundPivot:
    """A word with a pivot, as the option chosen at each step up to row i, and its error."""

    i: int
    choices: Choices
    error: Interval


def find_worst_case_by_windows(obligation: AttentionObligation, bits: int, windows: AllWindows) -> WorstCase:
    """Return the largest errors over all rows of the obligation.

    Raises:
        NotDerived: if some rows have no window.
    """
    for group in obligation.groups:
        if any(windows.find(group, truth) is None for truth in (False, True)):
            raise NotDerived(f"at n = {group.n} no one position decides what is true, or the first position read has "
                             f"nothing before it: under {obligation.head.weighting} only the others are certified")
    found = [_find_extreme(obligation, bits, windows, truth) for truth in (False, True)]
    return WorstCase(found[0], found[1])


def _find_extreme(obligation: AttentionObligation, bits: int, windows: AllWindows, truth: bool) -> SweepExtreme | None:
    shares = {group: window.error for group in obligation.groups
              if (window := windows.find(group, truth)) and not windows.has_no_word(group, truth)}
    if not shares:
        return None
    group = max(shares, key=lambda group: (shares[group], group.n))
    sweep = obligation.reading.sweep(group)
    worst = find_worst_around_pivot(obligation, group, sweep, windows, truth, bits)
    if worst is None:  # no letter makes a pivot, so the error is 0
        return None
    return SweepExtreme(max(worst.error.lower, Fraction(0)), proved_bound(shares[group]), truth, sweep,
                        worst.i, worst.choices, weighting=obligation.head.weighting)


def find_worst_around_pivot(obligation: AttentionObligation, group: RowGroup, sweep: Sweep, windows: AllWindows,
                            truth: bool, bits: int) -> AroundPivot | None:
    """Return the word with the greatest error among the enclosed ones; None if no letter makes a pivot."""
    if windows.memory is None or windows.find(group, truth) is None:
        return None
    words = sorted(_Words(sweep, windows.memory, truth).all(), key=lambda word: word.rank, reverse=True)
    weighed = [_weigh(sweep, word, truth, obligation.head.weighting, bits) for word in words[:MOST_LOOKED_AT]]
    return max(weighed, key=lambda found: found.error.lower, default=None)


def _weigh(sweep: Sweep, word: _Word, truth: bool, weighting: Weighting, bits: int) -> AroundPivot:
    options = [step.options[choice] for step, choice in zip(sweep.steps, word.choices, strict=False)]
    terms = [(option.score, option.value) for option in options]
    value = enclose_mean_of(weighting, terms, bits)
    error = Interval(1 - value.upper, 1 - value.lower) if truth else value
    return AroundPivot(sweep.steps[len(options) - 1].j, word.choices, error)


@dataclass(frozen=True)
class _Word:
    choices: Choices
    rank: tuple[Fraction, ...]


class _Words:
    """The words around each pivot of a sweep."""

    def __init__(self, sweep: Sweep, memory: PivotMemory, truth: bool):
        self._steps, self._rows, self._memory, self._truth = sweep.steps, sweep.rows, memory, truth
        self._free = [self._worst(step, range(len(step.options))) for step in sweep.steps]
        self._keeping = [self._worst(step, [k for k, option in enumerate(step.options) if option.effect == KEEPS])
                         for step in sweep.steps]

    def all(self) -> Iterator[_Word]:
        """Yield, for each step that may be a pivot, the longest word up to a row with this pivot."""
        for place, step in enumerate(self._steps):
            pivot = min((k for k, option in enumerate(step.options) if self._makes_pivot(option)),
                        key=lambda k: step.options[k].score, default=None)
            last = self._last_row(place)
            if pivot is not None and last is not None:
                after = self._free if self._memory is PivotMemory.FLEETING else self._keeping
                chosen = [*self._free[:place], pivot, *after[place + 1:last + 1]]
                choices = tuple(choice for choice in chosen if choice is not None)
                yield _Word(choices, self._rank(choices, step.options[pivot].score))

    def _makes_pivot(self, option: Option) -> bool:
        return option.effect == self._memory.pivots[self._truth] and option.value == self._truth

    def _last_row(self, pivot: int) -> int | None:
        """Return the index of the last row with this pivot, or None."""
        if self._memory is PivotMemory.FLEETING:
            return pivot + 1 if pivot + 1 < len(self._steps) and self._steps[pivot + 1].j in self._rows else None
        last = None
        for place in range(pivot, len(self._steps)):
            if place > pivot and self._keeping[place] is None:
                break
            last = place if self._steps[place].j in self._rows else last
        return last

    def _worst(self, step: Step, choices: Sequence[int]) -> int | None:
        """Return the option of the greatest score that errs; if none errs, the option of the least score."""
        bad = [k for k in choices if step.options[k].value != self._truth]
        if bad:
            return max(bad, key=lambda k: (step.options[k].score, option_error(step.options[k].value, self._truth)))
        return min(choices, key=lambda k: step.options[k].score, default=None)

    def _rank(self, choices: Choices, pivot: Fraction) -> tuple[Fraction, ...]:
        """Return the greatest gaps, in descending order."""
        options = [step.options[choice] for step, choice in zip(self._steps, choices, strict=False)]
        gaps = sorted((option.score - pivot for option in options if option.value != self._truth), reverse=True)
        return tuple(gaps[:GAPS_COMPARED])
