"""Proof of a decision about a trained network: all words are covered, and every unit of the cover is proved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING

from ....kernel.verdicts import within
from ..reading.cover import Cover, CoverPart
from ..reading.decision import Decision
from ..reading.words_claim import TrainedClaim, WordsUnit
from .covering import expect_covered
from .judge import ALL, Judge, Share
from .obligations import obligations

if TYPE_CHECKING:
    from .classes import Classes

CoverageCounts = Mapping[str, int]
DecisionByCover = Decision[TrainedClaim, Cover]


def prove_decision(given: DecisionByCover) -> CoverageCounts:
    """Prove every obligation of the claim: the cover leaves none out."""
    expect_covered(given)  # before anything else: units that are not of the claim may have no rows
    return add_up(given, [prove_units(given, given.evidence.units)])


def add_up(given: DecisionByCover, proved: Iterable[CoverageCounts]) -> CoverageCounts:
    """Return the sums of what was proved, and how many obligations the claim has, each counted once."""
    total = Counter[str]()
    for coverage in proved:
        total.update(coverage)
    asked = obligations(given.network, given.claim)
    return {**total, "obligations": sum(one.last - one.first + 1 for one in asked)}


def prove_units(given: DecisionByCover, units: Iterable[CoverPart], share: Share = ALL) -> CoverageCounts:
    """Prove these units, of units by words a share; return counts of each kind."""
    prover, coverage = Prover(given), Counter[str]()
    for unit in units:
        coverage["words" if isinstance(unit, WordsUnit) else "classes"] += prover.prove(unit, share)
    return coverage


class Prover:
    """Prover of the units of one certificate; modules for words and for classes are imported on demand."""

    def __init__(self, given: DecisionByCover) -> None:
        self.given = given
        self._judge = Judge(given.network, given.claim)

    def prove(self, unit: CoverPart, share: Share) -> int:
        """Prove the unit, or a share of its words; return the number of words or classes."""
        if isinstance(unit, WordsUnit):
            return self._prove_words(unit, share)
        with within(f"offset {unit.offset}, from {unit.first} to {unit.last}"):
            return self._classes.prove(unit)

    @cached_property
    def _prove_words(self) -> Callable[[WordsUnit, Share], int]:
        from .running import prove_words, stacks_of

        return partial(prove_words, self._judge, stacks_of(self._judge))

    @cached_property
    def _classes(self) -> Classes:
        from .classes import Classes

        return Classes(self.given)
