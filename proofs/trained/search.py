"""Search for wrong words at lengths beyond enumeration.

Words descend to smaller margins by exchanges of letters, in float64. A word that is wrong in floats is confirmed by an
enclosure. The search depends on its seed and its work, not on time.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from constructions.trained.claim import WordsClaim, input_tokens, is_by_place, judged
from constructions.trained.network import TrainedNetwork
from proofs.trained.balls import BallNetwork, RowDecision, decide_row
from proofs.trained.float_executions.execution import Execution
from proofs.trained.forward import Array, FloatNetwork
from proofs.trained.initial_words import Starts
from proofs.trained.margins import Least, smaller
from proofs.trained.word_neighbours import Rows, neighbours, shaken
from proofs.trained.words import WordMargins, check_fits
from proofs.words.tracking import cases_at

WORK = 40_000
"""The default number of words that one search runs."""
NEIGHBOURS = 512
WORDS_OF_A_CASE = 3
"""Words that descend at once for each case."""
SHAKES = 3


@dataclass(frozen=True)
class RefutingWord:
    """A word on which a row of a case is at most the claim's margin, and an enclosure of the row's value: a proof.

    Under a float model: an ``execution``, replayed bit by bit, whose stored logits give the value exactly.
    """

    word: tuple[str, ...]
    offset: int
    place: int
    case: int
    row: int
    value: tuple[Fraction, Fraction]
    execution: Execution | None = None


@dataclass(frozen=True)
class SearchResult:
    """The wrong word that was found, if any, and the least margin found in float64."""

    wrong: RefutingWord | None
    least: Least | None


def confirm(network: BallNetwork, claim: WordsClaim, least: Least) -> RefutingWord | None:
    """Return the wrong word found in floats, if an enclosure confirms it.

    Where later letters change nothing, it is cut after the wrong place, or extended to the least length.
    """
    word = least.word
    if is_by_place(network.network, claim):
        word = word[: max(least.place, claim.lengths[0])]
        word += (claim.alphabet[0],) * (claim.lengths[0] - len(word))
    decision = decide_least(network, claim, least, word)
    if decision.above is not False or decision.ends is None:
        return None
    return RefutingWord(word, least.offset, least.place, least.case, least.row, decision.ends)


def find_wrong_prefix(network: TrainedNetwork, claim: WordsClaim, wrong: RefutingWord) -> RefutingWord | None:
    """Return the shortest proper prefix in the claim that is wrong at the same token, if tokens are causal.

    Later letters may decide the case even where the network does not attend to them: a prefix must have it, too.
    """
    if not network.is_causal or claim.read == "last":
        return None
    shortest = max(claim.lengths[0], wrong.place if claim.read == "each" else 0)
    for n in range(shortest, len(wrong.word)):
        prefix = wrong.word[:n]
        place = n if claim.read == "first" else wrong.place
        if wrong.case in cases_at(claim, prefix, place):
            return replace(wrong, word=prefix, place=place)
    return None


def is_wrong(network: BallNetwork, claim: WordsClaim, wrong: RefutingWord) -> bool:
    """Return whether the word is in the claim, its case holds at the place, and balls prove its row at most the margin.

    For wrong words that were not found here.
    """
    n, rows = len(wrong.word), network.network.rows
    last = wrong.offset + len(claim.before) + n + len(claim.after)
    in_claim = claim.lengths[0] <= n <= claim.lengths[1] and wrong.offset in range(claim.offsets[0],
                                                                                   claim.offsets[1] + 1)
    if not in_claim or (rows is not None and last > rows) or wrong.place not in dict(judged(claim, n)):
        return False
    if wrong.case not in cases_at(claim, wrong.word, wrong.place):
        return False
    if wrong.row not in range(len(claim.cases[wrong.case].above)):
        return False
    least = Least(np.float64(0), wrong.word, wrong.offset, wrong.place, wrong.case, wrong.row)
    return decide_least(network, claim, least, wrong.word).above is False


def decide_least(network: BallNetwork, claim: WordsClaim, least: Least, word: Sequence[str]) -> RowDecision:
    """Decide whether the row of ``least`` is above the margin on this word."""
    token = dict(judged(claim, len(word)))[least.place]
    row = claim.cases[least.case].above[least.row]
    return decide_row(network, input_tokens(claim, word), least.offset, token, row, claim.margin)


class WrongWordSearch:
    """Search for wrong words of one network and one claim, by lengths and offsets."""

    def __init__(self, network: TrainedNetwork, claim: WordsClaim) -> None:
        self.claim = claim
        self.judge = WordMargins(FloatNetwork(network), claim)
        self.balls = BallNetwork(network)
        self.starts: dict[int, Starts] = {}

    def find(self, offset: int, n: int, given: Sequence[Sequence[str]], work: int, seed: int = 0) -> SearchResult:
        """Return a wrong word of length n at this offset, after at most about ``work`` words.

        Raises:
            InputError: if words of this length do not fit into the position tables.
        """
        check_fits(self.balls.network, self.claim, offset, n)
        if n not in self.starts:
            self.starts[n] = Starts(self.claim, n)
        descent = _Descent(self, self.starts[n], offset, np.random.default_rng([seed, n, offset]), work)
        descent.run([self.claim.letters(word) for word in given])
        return SearchResult(descent.wrong, descent.least)


class _Descent:
    """Descent of several words of one length to smaller margins at one offset."""

    def __init__(self, search: WrongWordSearch, starts: Starts, offset: int, draw: np.random.Generator,
                 work: int) -> None:
        self.search, self.starts, self.offset, self.draw, self.work = search, starts, offset, draw, work
        self.size = search.judge.batch(starts.n)
        self.places = [place for place, _ in judged(search.claim, starts.n)]
        self.wrong: RefutingWord | None = None
        self.least: Least | None = None
        self.cleared: set[tuple[str, ...]] = set()

    def run(self, given: Sequence[Sequence[int]]) -> None:
        """Search until a wrong word is confirmed or the work is used up."""
        if not self.places:
            return
        if not self.starts.n:
            self._run(np.zeros((1, 0), dtype=np.intp))
            return
        pool = self.starts.first(self.draw, given)
        while not self.is_done():
            for word in self._best_of_each_case(pool):
                self._descend(word)
            pool = self.starts.random(self.draw)

    def is_done(self) -> bool:
        """Return whether a wrong word is found or the work is used up."""
        return self.wrong is not None or self.work <= 0

    def _run(self, words: Rows) -> Array:
        """Return the least margin [B, rows] over the places of each word; confirm wrong words."""
        found = []
        for start in range(0, len(words), self.size):
            batch = words[start : start + self.size]
            margins = self.search.judge.margins(batch, self.offset)
            self.work -= len(batch)
            found.append(margins.min(1))
            self._record(self.search.judge.rows.least(margins, batch, self.offset, self.places))
            if self.wrong:
                break
        return np.concatenate(found)

    def _record(self, least: Least | None) -> None:
        self.least = smaller(self.least, least)
        if least and least.margin <= 0 and least.word not in self.cleared:
            self.wrong = confirm(self.search.balls, self.search.claim, least)
            self.cleared.add(least.word)

    def _best_of_each_case(self, pool: Rows) -> list[Rows]:
        """Return the words of least margin for each row of each case, each word once."""
        if not len(pool):
            pool = self.draw.integers(0, self.starts.letters, (NEIGHBOURS, self.starts.n))
        margins = self._run(pool)
        best = np.argsort(margins, 0, kind="stable")[:WORDS_OF_A_CASE]
        chosen = dict.fromkeys(best.T.ravel().tolist())
        return [pool[index] for index in chosen if np.isfinite(margins[index]).any()]

    def _descend(self, word: Rows) -> None:
        """Move to the best neighbour while it is better; then repeat from there, shaken, a few times."""
        for shake in range(SHAKES + 1):
            margin = np.float64(np.inf)
            while not self.is_done():
                near = neighbours(word, self.starts.letters, self.draw, NEIGHBOURS)
                if not len(near):
                    return
                margins = self._run(near).min(1)
                best = int(np.argmin(margins))
                if not margins[best] < margin:
                    break
                margin, word = margins[best], near[best]
            word = shaken(word, self.starts.letters, self.draw, shake + 2)
