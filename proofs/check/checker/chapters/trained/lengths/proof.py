"""Proof of every row in every cell, and of a long wrong word; docs/background/lengths.md, sections 2 and 5."""

from collections.abc import Mapping, Sequence
from functools import partial

from ....kernel.verdicts import expect, require, within
from ...word_semantics.truth import TruthsAlongWord
from ..reading.counterexamples import LongWord
from ..reading.decision import Decision
from ..reading.lengths import CountCut, CountKind, Counts
from ..reading.words_claim import TrainedClaim
from ..zonotopes.affine import FRACTION, apply, spread
from ..zonotopes.linear_maps import make_rows
from .cells import CellsProof
from .counts import Region, leaves, narrowed, reads_last_letter, regions_of, whole
from .margins import Margins, shares_of


def prove_lengths(given: Decision[TrainedClaim, Counts]) -> Mapping[str, int]:
    """Prove all rows of all cases, wherever they may hold, in each leaf of the tree of each region; return counts."""
    proof = LengthsProof(given)
    regions, trees = regions_of(given.budget, given.claim, given.evidence.kinds), given.evidence.trees
    expect(len(trees) == len(regions), "trees: {} of them, expected {}", len(trees), len(regions))
    for number, (region, tree) in enumerate(zip(regions, trees, strict=True), 1):
        with within(f"region {number}"):
            proof.prove(given.evidence.kinds, region, tree)
    return {"regions": len(regions), "cells": proof.cells, "cells with rows": proof.cells_with_rows}


class LengthsProof(CellsProof):
    """Proof of regions one by one; cells are the leaves of their trees."""

    def prove(self, kinds: Sequence[CountKind], region: Region, tree: tuple[CountCut | None, ...]) -> None:
        """Prove the rows of a region.

        Raises:
            Rejected: if one is not proved.
            Malformed: if the tree is not one.
        """
        for leaf in leaves(whole(self._claim, len(kinds)), tree):
            cell = narrowed(self._budget, kinds, region, leaf, self._truths.sums)
            if cell is None:
                self.cells += 1
            else:
                self.prove_cell(region, cell, partial(self._margins.visible_amounts, cell.cell, region.last))


def prove_long_word(given: Decision[TrainedClaim, LongWord]) -> Mapping[str, int]:
    """Check that the word is in the claim, the case holds at its end, and the row is at most the margin there.

    Raises:
        Rejected: if not, or if it is not decided.
    """
    claim, budget = given.claim, given.budget
    n = sum(times for _, times in given.evidence.runs)
    budget.hold(64 * n * (2 + len(given.claim.language.nodes)))
    word = [letter for letter, times in given.evidence.runs for _ in range(times)]
    require(claim.min_n <= n <= claim.max_n, "a word of length {} is not in the claim", n)
    margins = Margins(given.network, claim, budget)
    budget.spend(1 + n)
    cases = TruthsAlongWord(claim.conditions, given.claim.language).cases(word, [n])[n]
    require(given.evidence.case in cases, "case {} does not hold at the end of the word", given.evidence.case)
    counts = [0] * len(claim.alphabet)
    for letter, times in given.evidence.runs:
        counts[letter] += times
    stream = margins.stream(margins.visible_amounts(shares_of(counts), word[-1] if reads_last_letter(claim) else None))
    row = make_rows(budget, given.network.unembedding, [claim.cases[given.evidence.case].above[given.evidence.row]])
    centres, reaches = spread(budget, apply(budget, row, stream))
    most = (claim.margin.numerator << FRACTION) // claim.margin.denominator
    require(centres[0] + reaches[0] <= most, "the row is not shown to be at most the margin")
    return {"word": 1}
