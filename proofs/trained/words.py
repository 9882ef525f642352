"""All words of an obligation in float64: the least margin, and its word. Evidence, not proof.

Causal networks share prefixes, depth first by blocks, one new token for each prefix. Where a place's truth or logits
depend on later tokens, whole words are run in batches.
"""

from collections.abc import Collection, Iterator, Mapping

import numpy as np

from constructions.errors import InputError, Unsupported
from constructions.progress import report_progress
from constructions.trained.claim import WordsClaim, is_by_place, judged
from constructions.trained.network import TrainedNetwork
from proofs.trained.forward import Array, FloatNetwork, FloatUnits
from proofs.trained.key_value_cache import EMPTY, Prefixes, Rows, extend, numbers_of_a_row
from proofs.trained.live_states import StateLevels
from proofs.trained.margins import ClaimRows, Least, smaller
from proofs.words.truths import CasesOfWords, Truths

BLOCK = 2048
MOST_WORDS = 2**62
KEPT_NUMBERS = 2**24
"""The memory of the levels of a tree, in numbers of 8 bytes."""
BATCH_NUMBERS = 2**18
"""Numbers of the widest array of a batch: arrays that fit a processor's cache are fastest."""


def survey(network: FloatNetwork, claim: WordsClaim, offset: int, count: int) -> Least | None:
    """Return the least margin of an obligation, a place or length (docs/reference/trained.md, 4); None without cases.

    Raises:
        InputError: if the words do not fit into the position tables.
    """
    return survey_all(network, claim, offset, [count])[count]


def survey_all(network: FloatNetwork, claim: WordsClaim, offset: int, counts: Collection[int]) -> Mapping[int, Least
                                                                                                          | None]:
    """Return the least margin for each of several places or lengths at one offset, in one pass over shared prefixes.

    Raises:
        InputError: if the words do not fit into the position tables.
    """
    check_fits(network.network, claim, offset, max(counts, default=0))
    if is_read_at_ends(network, claim):
        return _Tree(network, claim, offset, counts).found
    return {count: _whole_words(network, claim, offset, count) for count in counts}


def is_read_at_ends(network: FloatNetwork, claim: WordsClaim) -> bool:
    """Return whether logits judged at a prefix depend on this prefix (and on ``after``) only."""
    if not network.network.is_causal or claim.read == "first":
        return False
    return claim.read == "last" or is_by_place(network.network, claim)


def check_fits(network: TrainedNetwork, claim: WordsClaim, offset: int, n: int) -> None:
    """Check that the position tables have a row for every token of a word of length n at this offset.

    Raises:
        InputError: if they do not.
    """
    last, rows = offset + len(claim.before) + n + len(claim.after) - 1, network.rows
    if offset < 0 or (rows is not None and last >= rows):
        expected = "none below 0" if rows is None else f"0 to {rows - 1}"
        raise InputError(f"length {n} at offset {offset}: position numbers {offset} to {last}, expected {expected}")


class _Tree:
    """Depth-first traversal of the prefix tree."""

    def __init__(self, network: FloatNetwork, claim: WordsClaim, offset: int, counts: Collection[int]) -> None:
        self.network, self.claim, self.offset = network, claim, offset
        self.tokens = np.array(claim.tokens, dtype=np.intp)
        self.after = claim.after if claim.read == "last" else ()  # a later token changes nothing at a letter's
        self.found: dict[int, Least | None] = dict.fromkeys(sorted(counts))
        self.longest = max(counts, default=0)
        self.live = StateLevels(claim, self.longest).live(self.found)
        self.cases = CasesOfWords(claim)
        self.rows = ClaimRows(claim, network.network.outputs)
        levels = len(claim.before) + self.longest + len(self.after)
        kept = numbers_of_a_row(network) * max(levels, 1)
        self.block = max(1, min(BLOCK, KEPT_NUMBERS // max(kept, 1)))
        self.judged, self.most = 0, sum(len(claim.alphabet)**place for place in self.found)
        self._visit(self._beginning(), np.zeros((1, 0), dtype=np.intp), np.zeros(1, dtype=np.intp))

    def _beginning(self) -> Prefixes:
        prefixes = EMPTY
        for index, token in enumerate(self.claim.before):
            judged_here = index + 1 == len(self.claim.before) and self._is_judged(0)
            prefixes = self._extended(prefixes, np.zeros(1, dtype=np.intp), np.array([token]), judged_here)
        return prefixes

    def _is_judged(self, place: int) -> bool:
        """Return whether the prefixes of a place are judged at their last letters."""
        return place in self.found and not self.after

    def _extended(self, prefixes: Prefixes, parents: Rows, tokens: Rows, judged_here: bool) -> Prefixes:
        return extend(self.network, prefixes, parents, tokens, self.offset, judged=judged_here)

    def _visit(self, prefixes: Prefixes, words: Rows, states: Rows) -> None:
        """Judge the words of a block, and visit their extensions by a letter."""
        place = words.shape[1]
        if place in self.found:
            self._judge(prefixes, words)
        if place == self.longest:
            return
        following = self.live[place][states]
        parents, letters = np.nonzero(following >= 0)
        for start in range(0, len(parents), self.block):
            part = slice(start, start + self.block)
            chosen, letter = parents[part], letters[part]
            longer = self._extended(prefixes, chosen, self.tokens[letter], self._is_judged(place + 1))
            read = np.concatenate([words[chosen], letter[:, np.newaxis]], 1)
            self._visit(longer, read, following[chosen, letter])

    def _judge(self, prefixes: Prefixes, words: Rows) -> None:
        place, rows = words.shape[1], np.arange(len(words))
        self.judged += len(words)
        report_progress("words", self.judged, self.most)
        for index, token in enumerate(self.after):
            last = index + 1 == len(self.after)
            prefixes = self._extended(prefixes, rows, np.full(len(words), token), last)
        assert prefixes.stream is not None
        holds = self.cases.hold(words)[:, place]
        logits = self.network.tail(prefixes.stream)
        least = self.rows.least_of_true_cases(logits[:, np.newaxis], holds[:, np.newaxis], words, self.offset, [place])
        self.found[place] = smaller(self.found[place], least)


def _whole_words(network: FloatNetwork, claim: WordsClaim, offset: int, n: int) -> Least | None:
    least = None
    judge = WordMargins(network, claim)
    total, done = len(claim.alphabet)**n, 0
    for words in words_in_batches(len(claim.alphabet), n, judge.batch(n)):
        least, done = smaller(least, judge.least(words, offset)), done + len(words)
        report_progress(f"words of length {n}", done, total)
    return least


class WordMargins:
    """The margins of whole words, batch by batch."""

    def __init__(self, network: FloatNetwork, claim: WordsClaim) -> None:
        self.network, self.claim = network, claim
        self.cases = CasesOfWords(claim)
        self.rows = ClaimRows(claim, network.network.outputs)
        self.tokens = np.array(claim.tokens, dtype=np.intp)

    def batch(self, n: int) -> int:
        """Return the number of words of length n to run at once."""
        length = len(self.claim.before) + n + len(self.claim.after)
        units = [len(step.outward.weight) for step in self.network.steps if isinstance(step, FloatUnits)]
        return max(1, BATCH_NUMBERS // (max(length, 1) * max(self.network.network.width, length, *units)))

    def inputs(self, words: Rows) -> Rows:
        """Return the tokens [B, T] of words [B, n]."""
        around = [np.tile(np.array(tokens, dtype=np.intp), (len(words), 1))
                  for tokens in (self.claim.before, self.claim.after)]  # fmt: skip
        return np.concatenate([around[0], self.tokens[words], around[1]], 1)

    def margins(self, words: Rows, offset: int) -> Array:
        """Return margins [B, judged places, rows]; inf where a case does not hold."""
        return self.rows.margins(*self._run(words, offset))

    def _run(self, words: Rows, offset: int) -> tuple[Array, Truths]:
        """Return logits and cases that hold, [B, judged places, …]."""
        places, tokens = zip(*judged(self.claim, words.shape[1]), strict=True)
        return self.network.logits(self.inputs(words), offset, tokens), self.cases.hold(words)[:, places]

    def least(self, words: Rows, offset: int) -> Least | None:
        """Return the least margin of these words; None if no case holds."""
        pairs = judged(self.claim, words.shape[1])
        if not pairs:
            return None
        return self.rows.least_of_true_cases(*self._run(words, offset), words, offset, [place for place, _ in pairs])


def words_in_batches(letters: int, n: int, size: int) -> Iterator[Rows]:
    """Yield all words of length n, in the order of the alphabet, as arrays [at most size, n].

    Raises:
        Unsupported: if there are more than 2^62.
    """
    powers = [letters**place for place in range(n - 1, -1, -1)]
    total = letters**n
    if total > MOST_WORDS:
        raise Unsupported(f"length {n}: {letters}^{n} words cannot be run one by one")
    for start in range(0, total, size):
        numbers = np.arange(start, min(start + size, total))[:, np.newaxis]
        yield numbers // np.array(powers, dtype=np.int64) % letters
