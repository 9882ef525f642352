"""Words by their last letters, where scores fall with the distance (ALiBi): docs/background/lengths.md, section 7.

In float64, level by level: either all words that end in some letters are right; or the word of exactly these letters is
evaluated, and suffixes with one more letter follow. The result is evidence, which the checker proves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from constructions.trained.claim import WordsClaim
from constructions.trained.network import TrainedNetwork
from proofs.trained.balls import BallNetwork
from proofs.trained.lengths.margins import Array, CountMargins
from proofs.trained.lengths.truths import CountTruths, Region, exactly, reads_last_letter
from proofs.trained.margins import Least
from proofs.trained.search import RefutingWord, confirm

MOST_ENDINGS = 40_000
BATCH = 256
Word = tuple[int, ...]


@dataclass(frozen=True)
class EndingsFound:
    """Result: no word shorter than ``open_from`` is wrong (None: no word at all), ``wrong`` has that length."""

    open_from: int | None
    wrong: RefutingWord | None
    cells: int


@dataclass(frozen=True)
class Endings:
    """Suffixes of one length: ``maps`` of states, ``near`` [words, heads, tokens] are the amounts of their tokens."""

    words: list[Word]
    maps: list[tuple[int, ...]]
    near: Array

    def only(self, chosen: Sequence[int]) -> Endings:
        """Return some of the suffixes."""
        return Endings([self.words[k] for k in chosen], [self.maps[k] for k in chosen], self.near[list(chosen)])


class SuffixSearch:
    """Search for one claim about a network whose scores fall with the distance."""

    def __init__(self, network: TrainedNetwork, claim: WordsClaim, greatest: int | None, slack: np.float64,
                 most: int = MOST_ENDINGS) -> None:
        """Prepare the search; raise Unsupported if last letters do not bound averages, or formulas are about more."""
        self.claim, self.greatest, self.most = claim, greatest, most
        self.margins, self.truths, self.balls = CountMargins(network, claim), CountTruths(claim), BallNetwork(network)
        self._margin, self._slack = np.float64(claim.margin), slack
        self._slopes = np.array(self.margins.slopes)
        self._after = () if reads_last_letter(claim) else claim.after
        self._first = 1 if claim.read == "each" else claim.lengths[0]
        self._steps = claim.automaton.steps if claim.automaton else ((0,) * len(claim.alphabet),)
        self._start = claim.automaton.start if claim.automaton else 0
        self._reached = _reached(self._start, self._steps)
        self.cut: set[Word] = set()
        self.cells = 0

    def run(self) -> EndingsFound:
        """Search until no suffix is open, a word is wrong, or the limit of work is reached."""
        level, length = self._nothing(), 0
        while level.words:
            self.cut |= set(level.words)
            if length >= self._first:
                wrong, is_open = self._wrong_among(level)
                if is_open:
                    return EndingsFound(length, wrong, self.cells)
            if length == self.greatest:
                break
            if self.cells > self.most:
                return EndingsFound(length + 1, None, self.cells)
            level, length = self._longer(level), length + 1
            level = level.only(self._open_ones(level))
        return EndingsFound(None, None, self.cells)

    def tree(self, last: int | None) -> list[int]:
        """Return the tree of all words of at most ``last`` letters (None: of any) in preorder, 1 for a cut."""
        found, waiting = [], [Word()]
        while waiting:
            word = waiting.pop()
            found.append(int(word in self.cut))
            if word in self.cut and len(word) != last:
                waiting += [(letter, *word) for letter in reversed(range(len(self.claim.alphabet)))]
        return found

    def _nothing(self) -> Endings:
        """Return the empty suffix, followed by the tokens after a word."""
        near = np.zeros((1, len(self._slopes), len(self.margins.tokens)))
        for distance, token in enumerate(reversed(self._after)):
            near[0, :, self.margins.tokens.index(token)] += np.exp(-self._slopes * distance)
        return Endings([()], [tuple(range(len(self._steps)))], near)

    def _longer(self, level: Endings) -> Endings:
        """Return the suffixes with one more letter in front."""
        letters = range(len(self.claim.alphabet))
        words = [(letter, *word) for word in level.words for letter in letters]
        maps = [tuple(to[steps[letter]] for steps in self._steps) for to in level.maps for letter in letters]
        near = np.repeat(level.near, len(letters), axis=0)
        weights = np.exp(-self._slopes * (len(level.words[0]) + len(self._after)))
        for letter in letters:
            near[letter :: len(letters), :, self.margins.tokens.index(self.claim.tokens[letter])] += weights
        return Endings(words, maps, near)

    def _open_ones(self, level: Endings) -> list[int]:
        """Return the suffixes with which some word may be wrong."""
        distance = len(level.words[0]) + len(self._after)
        beyond = np.exp(-self._slopes * distance) / -np.expm1(-self._slopes)
        found = self._bounds(level, level.near, level.near + beyond[:, np.newaxis])
        self.cells += len(level.words)
        still = []
        for place, (word, to) in enumerate(zip(level.words, level.maps, strict=True)):
            rows = self._rows(word, frozenset(to[state] for state in self._reached), None)
            if not all(found[place, row] > self._margin + self._slack for row in rows):
                still.append(place)
        return still

    def _wrong_among(self, level: Endings) -> tuple[RefutingWord | None, bool]:
        """Return a wrong word of exactly these letters, if one is found; and whether some word is undecided."""
        near, before = level.near.copy(), self.claim.before
        for k, token in enumerate(reversed(before)):
            distance = len(level.words[0]) + len(self._after) + k
            near[:, :, self.margins.tokens.index(token)] += np.exp(-self._slopes * distance)
        found, is_open = self._bounds(level, near, near), False
        for place, (word, to) in enumerate(zip(level.words, level.maps, strict=True)):
            counts = [word.count(letter) for letter in range(len(self.claim.alphabet))]
            for row in self._rows(word, frozenset({to[self._start]}), counts):
                if found[place, row] > self._margin + self._slack:
                    continue
                is_open = True
                letters = tuple(self.claim.alphabet[letter] for letter in word)
                least = Least(found[place, row] - self._margin, letters, 0, len(word), *self.margins.rows[row])
                if (wrong := confirm(self.balls, self.claim, least)) is not None:
                    return wrong, True
        return None, is_open

    def _rows(self, word: Word, states: frozenset[int], counts: Sequence[int] | None) -> list[int]:
        """Return the rows of the cases that may hold, for given counts or any."""
        last = None if self._after else word[-1]
        sums = exactly(counts) if counts is not None else lambda _: (None, None)
        cases = self.truths.cases(Region(last, (), states), sums)
        return [number for number, (case, _) in enumerate(self.margins.rows) if case in cases]

    def _bounds(self, level: Endings, low: Array, high: Array) -> Array:
        """Return lower bounds of all rows, [words, rows]."""
        ends = [self._after[-1] if self._after else self.claim.tokens[word[-1]] for word in level.words]
        judged_tokens = np.array(list(map(self.margins.tokens.index, ends)))
        found = np.zeros((len(level.words), len(self.margins.rows)))
        for judged in np.unique(judged_tokens):
            mine = np.nonzero(judged_tokens == judged)[0]
            for first in range(0, len(mine), BATCH):
                some = mine[first : first + BATCH]
                amounts = [(low[some, head], high[some, head]) for head in range(len(self._slopes))]
                found[some] = self.margins.within(int(judged), amounts).least
        return found


def _reached(start: int, steps: Sequence[Sequence[int]]) -> frozenset[int]:
    """Return the states that some word reaches."""
    found, waiting = {start}, [start]
    while waiting:
        new = set(steps[waiting.pop()]) - found
        found |= new
        waiting += new
    return frozenset(found)
