"""Words with the greatest error of a head: found with the network in doubles, for pictures.

All words are tried if they are few; else some, which are then changed symbol by symbol as long as the error grows. The
obligation of a head leaves its inputs free, so its largest error at a length is a *ceiling* for all words of that
length: a word that attains it is a worst one.
"""

import itertools
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from certify.common.doubles import DoubleNetwork, neighbours
from constructions.network.meanings import Near, Others
from constructions.network.transformer import Transformer
from proofs.words.truths import TruthsOfWords

Array = npt.NDArray[Any]
Word = tuple[str, ...]
FEW = 4096
"""At most this many words of one length are all tried."""
CHUNK = 256
MOST_CELLS = 4 * 10**7
"""The approximate number of attention weights computed in a search."""
LEAST = 96
ROUNDS = 8
NEAR_CEILING = 1e-9


@dataclass(frozen=True)
class WorstWord:
    """A word, the position of the greatest error of a direction on it, and the error; ``truth`` is the target there.

    ``tried`` is the number of words that were tried, None if it was all of that length. With ``at_ceiling`` no word is
    worse. The error is a double; if it ``is_seconded``, an enclosed one that mpmath confirms.
    """

    word: Word
    i: int
    error: float
    truth: int
    tried: int | None
    at_ceiling: bool
    is_seconded: bool = False

    @property
    def is_worst(self) -> bool:
        """True if no word of this length is worse."""
        return self.tried is None or self.at_ceiling


class WorstWordSearch:
    """The worst words of one length that were found so far, for some directions of a network."""

    def __init__(self, network: Transformer, directions: Sequence[str], n: int, ceilings: Mapping[str, float]):
        """Start without words; directions without a ceiling are searched in all rounds."""
        self.network, self.n, self.ceilings = network, n, ceilings
        self.directions = directions
        self.best: dict[str, tuple[float, Word, int, int]] = {}
        self.tried: set[Word] | None = set()
        self.most = max(LEAST, MOST_CELLS // (n * n * max(1, sum(len(layer.heads) for layer in network.layers))))
        self._doubles = DoubleNetwork(network, n)

    def everything(self) -> bool:
        """Try all words, if they are few."""
        if len(self.network.alphabet) ** self.n > FEW:
            return False
        self.tried = None
        self.offer(itertools.product(self.network.alphabet, repeat=self.n))
        return True

    def offer(self, words: Iterable[Word]) -> None:
        """Try these words, within the budget."""
        fresh = list(dict.fromkeys(words))
        if self.tried is not None:
            fresh = [word for word in fresh if word not in self.tried][:max(0, 2 * self.most - len(self.tried))]
            self.tried.update(fresh)
        for start in range(0, len(fresh), CHUNK):
            self._try(fresh[start:start + CHUNK])

    def _try(self, words: list[Word]) -> None:
        values, truths = self._doubles.run(words).values, truths_of(self.network.alphabet, words)
        for name in self.directions:
            target, claimed = _target(self.network, name, truths)
            errors = np.where(claimed, np.abs(values[name] - target), -1)
            which, place = np.unravel_index(int(errors.round(9).argmax()), errors.shape)
            error = float(errors[which, place])
            if error > self.best.get(name, (0.0,))[0] + NEAR_CEILING or (error >= 0 and name not in self.best):
                self.best[name] = error, words[which], int(place) + 1, int(target[which, place])

    def climb(self) -> None:
        """Change single symbols of the best words as long as that makes them worse."""
        for _ in range(ROUNDS):
            before = dict(self.best)
            unfinished = dict.fromkeys(word for name, (_, word, _, _) in self.best.items() if not self._is_done(name))
            self.offer(changed for word in unfinished for changed in neighbours(word, self.network.alphabet))
            if self.best == before:
                break

    def _is_done(self, name: str) -> bool:
        return name in self.ceilings and self.best[name][0] >= self.ceilings[name] - NEAR_CEILING

    def found(self) -> dict[str, WorstWord]:
        """Return the worst word of each direction; none for those without a claim on any of the words."""
        tried = None if self.tried is None else len(self.tried)
        return {name: WorstWord(word, i, error, truth, tried, self._is_done(name))
                for name, (error, word, i, truth) in self.best.items()}


def truths_of(alphabet: Sequence[str], words: Sequence[Sequence[str]]) -> TruthsOfWords:
    """Return the truths of formulas on words of one length."""
    letters = {symbol: place for place, symbol in enumerate(alphabet)}
    return TruthsOfWords(letters, np.array([[letters[symbol] for symbol in word] for word in words]))


def _target(network: Transformer, name: str, truths: TruthsOfWords) -> tuple[Array, Array]:
    """Return the target of a direction, and where the claim applies."""
    match network.directions[name]:
        case Near(formula, when):
            return truths.of(formula).astype(int), truths.of(when)
        case Others(count):
            here = truths.of(count.operand)
            target = truths.count(count) - here
            return target, np.ones_like(target, dtype=bool)
    raise AssertionError(f"{name} is not approximate")


def worst_words(network: Transformer, directions: Sequence[str], n: int, ceilings: Mapping[str, float],
                hints: Iterable[Word] = ()) -> dict[str, WorstWord]:
    """Find for each direction, which must be approximate, a worst word of length n.

    Raises:
        OverflowError: if a number is too large for a double.
    """
    search = WorstWordSearch(network, directions, n, ceilings)
    if not search.everything():
        search.offer(itertools.islice(itertools.chain(hints, seeds(network.alphabet, n)), search.most))
        search.climb()
    return search.found()


def seeds(alphabet: Sequence[str], n: int) -> Iterator[Word]:
    """Yield words to begin with: of one symbol, of two blocks, of a short period, and random ones."""
    chance = random.Random(n)
    for symbol in alphabet:
        yield (symbol,) * n
    for period in (2, 3):
        for short in itertools.islice(itertools.product(alphabet, repeat=period), 128):
            yield tuple(itertools.islice(itertools.cycle(short), n))
    for cut in range(1, n):
        for left, right in itertools.islice(itertools.permutations(alphabet, 2), 12):
            yield (left,) * cut + (right,) * (n - cut)
    for _ in range(256):
        yield tuple(chance.choices(alphabet, k=n))


def longer(words: Iterable[Word], alphabet: Sequence[str], n: int) -> Iterator[Word]:
    """Yield words of length n that begin or end with one of these."""
    for word in dict.fromkeys(words):
        room = n - len(word)
        for filling in (*((symbol,) for symbol in alphabet), *(word[:k] for k in (2, 3)), *(word[-k:] for k in (2, 3))):
            padding = tuple(itertools.islice(itertools.cycle(filling), room))
            yield (*padding, *word)
            yield (*word, *padding)


def sample_word(alphabet: Sequence[str], n: int) -> Word:
    """Return a word in which all pairs of symbols are adjacent somewhere, if it is long enough.

    >>> "".join(sample_word("ab", 8)), "".join(sample_word("abc", 9))
    ('abbaabba', 'abcbcacab')
    """
    size = len(alphabet)
    return tuple(alphabet[(place + place // size) % size] for place in range(n))
