"""The ranges of the average of a head, coordinate by coordinate, in floating point: evidence, not proof.

All words of a length are run if they are few, else extreme, regular and random ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from constructions.trained.claim import WordsClaim
from constructions.trained.network import TrainedNetwork
from proofs.trained.forward import FloatNetwork
from proofs.trained.initial_words import Starts
from proofs.trained.words import WordMargins, words_in_batches

Array = NDArray[np.float64]
MOST_WORDS = 1 << 12
"""Words of one length that are all run."""


@dataclass(frozen=True)
class AverageRange:
    """The least and the greatest average on words of length ``n``, by coordinate, each with a word.

    The average is that of the last letter's query, or of the query that the claim reads. ``is_exhaustive`` if all words
    were run.
    """

    n: int
    least: Array
    most: Array
    least_words: tuple[tuple[str, ...], ...]
    most_words: tuple[tuple[str, ...], ...]
    is_exhaustive: bool

    def error(self, constants: Array) -> np.float64:
        """Return the greatest distance from the constants."""
        greatest: np.float64 = np.maximum(self.most - constants, constants - self.least).max()
        return greatest

    def word(self, constants: Array) -> tuple[str, ...]:
        """Return the word with the greatest distance."""
        above, below = self.most - constants, constants - self.least
        words = self.most_words if above.max() >= below.max() else self.least_words
        return words[int(np.maximum(above, below).argmax())]


def average_ranges(network: TrainedNetwork, claim: WordsClaim) -> Iterator[AverageRange]:
    """Yield the ranges for each length with a judged word; the claim is that of ``average_question``."""
    judge, draw = WordMargins(FloatNetwork(network), claim), np.random.default_rng(0)
    bounds = np.array([np.float64(row[1][1]) if len(row) > 1 else np.float64() for row in claim.cases[0].above])
    letters = len(claim.alphabet)
    for n in range(claim.lengths[0] if claim.read != "each" else 1, claim.lengths[1] + 1):
        is_exhaustive = letters**n <= MOST_WORDS
        batches = words_in_batches(letters, n, judge.batch(n)) if is_exhaustive else (Starts(claim, n).first(draw, []),)
        found = None
        for words in batches:
            margins = judge.margins(words, claim.offsets[0])[:, -1] - bounds
            places, rows = margins.argmin(0), range(margins.shape[1])
            new = [(margins[places[row], row], words[places[row]]) for row in rows]
            found = [min(pair, key=lambda one: one[0]) for pair in zip(found or new, new, strict=True)]
        if found is None or not np.isfinite([value for value, _ in found]).all():
            continue
        values = np.array([value for value, _ in found])
        named = [tuple(claim.alphabet[letter] for letter in word) for _, word in found]
        yield AverageRange(n, values[::2], -values[1::2], tuple(named[::2]), tuple(named[1::2]), is_exhaustive)
