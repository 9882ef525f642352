"""Initial words of the search for a wrong one: extreme, regular, and random ones of each case."""

from collections.abc import Iterator, Sequence
from itertools import islice, permutations

import numpy as np
from numpy.typing import NDArray

from constructions.trained.claim import WordsClaim
from proofs.trained.live_states import StateLevels, Steps

Rows = NDArray[np.integer]

PAIRS = 60
REGULAR = 64
OF_EACH_CASE = 96


class Starts:
    """Initial words of one length."""

    def __init__(self, claim: WordsClaim, n: int) -> None:
        self.claim, self.n, self.letters = claim, n, len(claim.alphabet)
        levels = StateLevels(claim, n)
        self.live = [levels.live([n], case) for case in range(len(claim.cases))]

    def first(self, draw: np.random.Generator, given: Sequence[Sequence[int]]) -> Rows:
        """Return the initial words, [B, n]: first the given ones, cut or repeated to this length."""
        words: list[Rows] = [np.resize(np.array(word, dtype=np.intp), self.n) for word in given if len(word)]
        words += islice(self._extreme(), PAIRS)
        words += self._regular(draw)
        return np.concatenate([np.array(words, dtype=np.intp).reshape(-1, self.n), self.random(draw)])

    def random(self, draw: np.random.Generator) -> Rows:
        """Return random words for each case: those on which it can hold at the end, as far as prefixes decide."""
        none = np.zeros((0, self.n), dtype=np.intp)
        return np.concatenate([none, *(draw_live_words(live, self.n, draw) for live in self.live)])

    def _extreme(self) -> Iterator[Rows]:
        """Yield words of one letter; of two letters alternating, half and half, or one of them once."""
        places = np.arange(self.n)
        yield from (np.full(self.n, letter) for letter in range(self.letters))
        for one, other in permutations(range(self.letters), 2):
            yield np.where(places % 2, other, one)
            yield np.where(2 * places < self.n, one, other)
            yield np.where(places == 0, one, other)
            yield np.where(places == self.n - 1, one, other)

    def _regular(self, draw: np.random.Generator) -> Iterator[Rows]:
        """Yield mirrored words, repeated words, long runs, and shuffles with nearly equal counts of letters."""
        half = (self.n + 1) // 2
        for _ in range(REGULAR // 4):
            part = draw.integers(0, self.letters, half)
            yield np.concatenate([part, part[: self.n - half][::-1]])
            yield np.resize(part[: draw.integers(1, half + 1)] if half else part, self.n)
            yield np.repeat(draw.integers(0, self.letters, self.n), draw.integers(1, 8, self.n))[: self.n]
            yield draw.permutation(np.resize(draw.permutation(self.letters), self.n))


def draw_live_words(live: Steps, n: int, draw: np.random.Generator) -> Rows:
    """Return random words [OF_EACH_CASE, n] along live states; none if the first is dead."""
    words = np.zeros((OF_EACH_CASE, n), dtype=np.intp)
    states = np.zeros(OF_EACH_CASE, dtype=np.intp)
    rows = np.arange(OF_EACH_CASE)
    for place in range(n):
        following = live[place][states]
        if (following < 0).all(1).any():
            return words[:0]
        words[:, place] = np.argmax(np.where(following >= 0, draw.random(following.shape), -1), 1)
        states = following[rows, words[:, place]]
    return words
