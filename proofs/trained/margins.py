"""Margins of the rows of a claim on given words, in float64: evidence, not proof."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from constructions.trained.claim import WordsClaim
from proofs.words.truths import Truths

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Least:
    """The least value of a row minus the claim's margin, and its place; 0 or less is a wrong word in floats."""

    margin: np.float64
    word: tuple[str, ...]
    offset: int
    place: int
    case: int
    row: int


class ClaimRows:
    """All rows of all cases of a claim as columns of one matrix."""

    def __init__(self, claim: WordsClaim, outputs: int) -> None:
        self.claim = claim
        self.rows = [(index, row) for index, case in enumerate(claim.cases) for row in range(len(case.above))]
        self.case_of = np.array([case for case, _ in self.rows], dtype=np.intp)
        self.first = np.searchsorted(self.case_of, np.arange(len(claim.cases) + 1)).tolist()
        self.matrix = np.zeros((outputs, len(self.rows)))
        for column, (case, row) in enumerate(self.rows):
            for token, coefficient in claim.cases[case].above[row]:
                self.matrix[token, column] = np.float64(coefficient)
        self.margin = np.float64(claim.margin)

    def margins(self, logits: Array, holds: Truths) -> Array:
        """Return value minus margin of each row, […, rows], for logits […, outputs]; inf unless its case holds."""
        return np.where(holds[..., self.case_of], logits @ self.matrix - self.margin, np.inf)

    def least(self, margins: Array, words: NDArray[np.integer], offset: int, places: Sequence[int]) -> Least | None:
        """Return the least of margins [B, places, rows] of words [B, n]; the first of equals; None if no case holds."""
        if not margins.size:
            return None
        word, place, column = map(int, np.unravel_index(np.argmin(margins), margins.shape))
        margin = margins[word, place, column]
        if margin == np.inf:
            return None
        letters = tuple(self.claim.alphabet[letter] for letter in words[word].tolist())
        return Least(margin, letters, offset, places[place], *self.rows[column])


    def least_of_true_cases(self, logits: Array, holds: Truths, words: NDArray[np.integer], offset: int,
                      places: Sequence[int]) -> Least | None:
        """Return ``least`` of the margins of logits [B, places, outputs], for cases that hold."""
        found = []
        for case, (first, last) in enumerate(itertools.pairwise(self.first)):
            at = np.argwhere(holds[..., case])
            if first == last or not len(at):
                continue
            margins = logits[at[:, 0], at[:, 1]] @ self.matrix[:, first:last] - self.margin
            k, column = map(int, np.unravel_index(np.argmin(margins), margins.shape))
            order = -np.inf if np.isnan(margins[k, column]) else margins[k, column]
            found.append((order, *at[k].tolist(), first + column, margins[k, column]))
        if not found:
            return None
        _, word, place, column, margin = min(found)
        letters = tuple(self.claim.alphabet[letter] for letter in words[word].tolist())
        return Least(margin, letters, offset, places[place], *self.rows[column])


def smaller(one: Least | None, other: Least | None) -> Least | None:
    """Return the one with the smaller margin; the first of equals."""
    if one is None or (other is not None and other.margin < one.margin):
        return other
    return one
