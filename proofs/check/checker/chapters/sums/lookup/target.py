"""The goal of a lookup, from the number m of other counted positions and the truth b of the counted formula here.

Nothing else about the word matters, so together the cases (n, i, b, m) are all words.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from ....kernel.language import Place
from ....kernel.numbers import ZERO, add
from ....kernel.reading.records import (
    ADDITIVE,
    ApproximateCount,
    ApproximateTruth,
    ExactCount,
    Head,
    LinearForm,
    Mean,
    Product,
    Truth,
)
from ....kernel.verdicts import Rejected, require
from ...formula.families import Covered
from ...formula.proof import Errors, ProofContext


def cover_rows(lengths: Iterable[tuple[int, Sequence[int]]], check_row: Callable[[int, int], bool | None]) -> Covered:
    """Return the numbers of checked rows and of those where the guard can hold (`check_row`; None for neither)."""
    covered = guarded = 0
    for n, firsts in lengths:
        for i, first in enumerate(firsts, 1):
            found = check_row(n, i)
            covered += 0 if found is None else n + 1 - first
            guarded += n + 1 - first if found else 0
    return Covered(covered, guarded)


class QueryForm(NamedTuple):
    """A linear form of a query: the known part, the part where b holds, the coefficient of the count, the rest."""

    known: LinearForm
    here: LinearForm
    times: Fraction
    foreign: Sequence[str]


class LookupTarget:
    """The count that a head reads, and its meaning."""

    def __init__(self, proof: ProofContext, head: Head, name: str, meaning: ApproximateTruth
                 | ApproximateCount) -> None:
        self._proof, self._language, self.meaning = proof, proof.language, meaning
        self.errors: Errors = proof.errors[name]
        read = [meaning, *(proof.directions[source] for query in head.queries for source in query)]
        of_mean = head.weighting not in ADDITIVE
        counts = {one.count for one in read if isinstance(one, Mean | ApproximateCount if of_mean else ExactCount)}
        require(len(counts) == 1, "queries read the {} of {} counts, expected 1", "means" if of_mean else "totals",
                len(counts))
        self.count = counts.pop()
        self._count_as_read = Mean(self.count) if of_mean else ExactCount(self.count)
        self.counted = self._language.counted(self.count)
        stated = [meaning.formula, meaning.when] if isinstance(meaning, ApproximateTruth) else []
        self.order = sorted(self._language.below(
            [self.counted, *stated], lambda place: place == self.counted or self._language.is_of_counts(place)))

    def truths(self, n: int, settled: Mapping[Place, bool], b: bool, m: int) -> dict[Place, bool]:
        """Return the truths of all formulas of the meaning, where the count is m + b, and ``settled`` holds."""
        given = {**settled, self.counted: b}
        for place in self.order:
            if place not in given and self._language.is_of_counts(place):
                operator, operands, _ = self._language.nodes[place]
                if operands[operator == "on" :] != (self.count,):
                    raise Rejected(f"{self._language.write_short(place)} is not determined by the directions read")
                times = self._language.counts_of(place)[self.count]
                given[place] = self._language.holds_of_sum(place, n, times * (m + b))
        return self._language.connect(self.order, given)

    def split_query(self, weights: LinearForm) -> QueryForm:
        """Split a linear form of a query by what its directions depend on: (n, i), b, and the count."""
        known, here, foreign, times = dict[str, Fraction](), dict[str, Fraction](), list[str](), ZERO
        for name, weight in weights.items():
            meaning = self._proof.directions[name]
            if self._proof.is_known(meaning):
                known[name] = weight
            elif meaning == self._count_as_read:
                times = add(self._proof.budget, times, weight)
            elif isinstance(meaning, Truth | Product) and meaning.formula == self.counted:
                here[name] = weight
            else:
                foreign.append(name)
        return QueryForm(known, here, times, foreign)

    def goal(self, m: int, truths: Mapping[Place, bool]) -> int | None:
        """Return the number that the head must write; None if nothing is claimed in this case."""
        if isinstance(self.meaning, ApproximateCount):
            return m
        return int(truths[self.meaning.formula]) if truths[self.meaning.when] else None

    def sides(self, goal: int) -> tuple[tuple[int, Fraction], ...]:
        """Return the sides of the error to check; a truth in 0..1 errs only upwards if false, else downwards."""
        above, below = (1, self.errors[0]), (-1, self.errors[1])
        if isinstance(self.meaning, ApproximateCount):
            return above, below
        return (below,) if goal else (above,)
