"""Training data of words: judged places, random words, neighbours of wrong words."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from certify.claims.trained.decide import Settings, decide
from certify.claims.trained.decision import Decision
from certify.claims.trained.word_counting import WordsCount
from certify.common.words import show_word
from certify.learning.training.lessons import Batch, Draw, Indices, Item, grouped
from constructions.errors import InputError
from constructions.trained.claim import WordsClaim, judged, last_offset
from constructions.trained.network import TrainedNetwork
from proofs.trained.live_states import StateLevels
from proofs.words.truths import CasesOfWords

ALL_WORDS = 2**13
"""The number of words of the first lengths, all of which are screened."""
OF_LONGER = 256
"""The number of words of each greater length that are screened."""
MOST_NEIGHBOURS = 128


class WordLessons:
    """The data of one claim for one network's shape.

    Raises:
        InputError: if the claim is vacuous.
    """

    def __init__(self, network: TrainedNetwork, claim: WordsClaim) -> None:
        self.network, self.claim = network, claim
        self.first_n, self.last_n = claim.lengths
        self.margin = float(claim.margin)
        rows = list(dict.fromkeys(row for case in claim.cases for row in case.above))
        self.forms = np.zeros((network.outputs, len(rows)))
        for index, row in enumerate(rows):
            for token, number in row:
                self.forms[token, index] = float(number)
        self._of_case = np.array([[row in case.above for row in rows] for case in claim.cases])
        self._cases, self._letters = CasesOfWords(claim), len(claim.alphabet)
        self._sampler = WordTraces(claim, self.last_n)
        self._lengths = [n for n in range(self.first_n, self.last_n + 1) if self._sampler.is_possible(n)]
        if not self._lengths:
            raise InputError("the claim is vacuous: it judges none of its words")

    def draw(self, count: int, draw: Draw) -> Batch:
        """Draw ``count`` inputs of one length."""
        n = int(draw.choice(self._lengths))
        return self._made(self._sampler.draw(count, n, draw), self._offsets(n, count, draw))

    def batch(self, items: Sequence[Item]) -> Batch:
        """Return these inputs, of one length, as a batch."""
        words = np.array([word for _, word in items], dtype=np.int64).reshape(len(items), -1)
        return self._made(words, np.array([offset for offset, _ in items]))

    def _made(self, words: Indices, first: Indices) -> Batch:
        claim, places = self.claim, judged(self.claim, words.shape[1])
        tokens = np.concatenate([
            np.tile(np.array(claim.before, dtype=np.int64), (len(words), 1)), np.array(claim.tokens)[words],
            np.tile(np.array(claim.after, dtype=np.int64), (len(words), 1))], axis=1)
        holds = self._cases.hold(words)[:, [place for place, _ in places]]
        required = holds.astype(np.float32) @ self._of_case.astype(np.float32) > 0
        return Batch(tokens, first, np.array([at for _, at in places]), required)

    def _offsets(self, n: int, count: int, draw: Draw) -> Indices:
        return draw.integers(self.claim.offsets[0], self._last_offset(n) + 1, size=count)

    def _last_offset(self, n: int) -> int:
        claim = self.claim
        return last_offset(self.network, len(claim.before) + n + len(claim.after), claim.offsets)

    def size(self, item: Item) -> tuple[int, ...]:
        """Return a key that items of one length share."""
        return (len(item[1]),)

    def screened(self, draw: Draw) -> list[Item]:
        """Return all short inputs and some of the others."""
        found: list[Item] = []
        left = ALL_WORDS
        for n in self._lengths:
            count = self._letters**n
            left -= count
            words = list(product(range(self._letters), repeat=n)) if left >= 0 else [
                tuple(word) for word in self._sampler.draw(min(count, OF_LONGER), n, draw).tolist()]
            found += zip(self._offsets(n, len(words), draw).tolist(), words, strict=True)
        return found

    def neighbours(self, item: Item, draw: Draw) -> Iterator[Item]:
        """Yield inputs that differ in a few letters."""
        offset, word = item
        found = [word[:place] for place in range(len(word))]
        for place in range(len(word) + 1):
            rest = word[place + 1:]
            for letter in range(self._letters):
                found += [(*word[:place], letter, *word[place:]), (*word[:place], letter, *rest)]
            found += [(*word[:place], *rest), (*word[:place], *rest[:1], *word[place:place + 1], *rest[1:])]
        others = sorted({one for one in found if self.first_n <= len(one) <= self.last_n} - {word})
        for index in draw.permutation(len(others))[:MOST_NEIGHBOURS].tolist():
            yield min(offset, self._last_offset(len(others[index]))), others[index]

    def asked(self, items: Iterable[Item]) -> list[Item]:
        """Return those that the claim judges."""
        groups = [group for (n,), group in grouped(self, items).items() if n in self._lengths]
        return [group[index] for group in groups
                for index in np.nonzero(self.batch(group).asked.any(axis=(1, 2)))[0].tolist()]

    def show(self, item: Item) -> str:
        """Format an item."""
        at = "" if self.claim.offsets == (0, 0) else f" at offset {item[0]}"
        return (show_word(self.claim.alphabet[letter] for letter in item[1]) or "()") + at

    def decide(self, network: TrainedNetwork, settings: Settings) -> Decision:
        """Return the decision about the claim."""
        return decide(network, self.claim, settings)

    def taught_by(self, decision: Decision | WordsCount) -> tuple[list[Item], list[Item]]:
        """Return the inputs that are proved to be wrong, and those with the smallest margins."""
        if isinstance(decision, WordsCount):  # the screened words show which are wrong
            return [], []
        letters = self.claim.letters
        return ([(row.wrong.offset, letters(row.wrong.word)) for row in decision.rows if row.wrong],
                [(row.seen.offset, letters(row.seen.word)) for row in decision.rows if row.seen])


class WordTraces:
    """A sampler of words, letter by letter through the states of the claim's tracker.

    A third of the words of a length is uniform over judged words, a third is shared equally by the sets of cases that
    hold at the end, a third by the states: so rare answers are learnt, too.
    """

    def __init__(self, claim: WordsClaim, longest: int) -> None:
        levels = StateLevels(claim, longest)
        self._steps, self._holds = levels.steps, levels.holds
        self._counts = [np.ones(1)]
        for steps, after in zip(self._steps, self._holds[1:], strict=True):
            counts = np.zeros(len(after))
            np.add.at(counts, steps, np.repeat(self._counts[-1][:, np.newaxis], steps.shape[1], 1))
            self._counts.append(counts)
        self._weights: dict[int, list[NDArray[np.float64]]] = {}

    def is_possible(self, n: int) -> bool:
        """Return whether a case may hold at the end of a word of this length."""
        return bool(self._holds[n].any())

    def draw(self, count: int, n: int, draw: Draw) -> Indices:
        """Draw words [count, n]."""
        if n not in self._weights:
            self._weights[n] = self._weighed(n)
        states, words = np.zeros(count, np.int64), np.zeros((count, n), np.int64)
        for place, weights in enumerate(self._weights[n]):
            up_to = weights[states].cumsum(axis=1)
            words[:, place] = (up_to <= draw.random((count, 1)) * up_to[:, -1:]).sum(axis=1)
            states = self._steps[place][states, words[:, place]]
        return words

    def _weighed(self, n: int) -> list[NDArray[np.float64]]:
        """Return, for each place, the weights [states, letters] of extensions."""
        holds, counts = self._holds[n], self._counts[n]
        required = holds.any(1)
        _, kinds = np.unique(holds, axis=0, return_inverse=True)
        kinds = kinds.ravel()
        of_kind = np.bincount(kinds, counts * required)
        shares = (1 / counts[required].sum() + 1 / (counts * required.sum())
                  + 1 / (np.where(of_kind > 0, of_kind, 1)[kinds] * (of_kind > 0).sum()))
        masses, weights = np.where(required, shares, 0), []
        for steps in reversed(self._steps[:n]):
            weights.append(masses[steps])
            masses = weights[-1].sum(axis=1)
        return weights[::-1]
