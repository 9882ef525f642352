"""Classes of words with one value at a judged position, each enclosed once: the greatest change for longer words.

Claim       Words with equally many positions in each bucket have one value at the judged position (words/classes/). Of
            the words with one symbol at p, those of one class go into one class by every replacement of it, as the
            exchange moves one position between buckets: so one word of each class represents it (words.py).
            Positions whose symbols have the same buckets are interchangeable: one of them is checked.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import comb

from constructions.network.transformer import Transformer
from proofs.enclosures.intervals import Interval
from proofs.formula.refutation.budget import replay_work
from proofs.numbers.sensitivity.changes import Change, ReplayedPair, Word, exchanged, unlike_letters
from proofs.numbers.sensitivity.words import greatest_change
from proofs.words.classes.buckets import Buckets, Signature, WordClass
from proofs.words.classes.enclosing import enclose_class
from proofs.words.replay import REPLAY_BITS

Kind = tuple[int, ...]
"""The buckets of a position, symbol by symbol."""


class Classes:
    """The words of one length, as one direction at one judged position distinguishes them."""

    def __init__(self, network: Transformer, n: int, direction: str, judged: int) -> None:
        """Compute the buckets; no class is run yet."""
        self.n, self.judged = n, judged
        self.letters = unlike_letters(network)
        self.buckets = Buckets(network, [self.letters] * n, judged, {direction: Fraction(1)})
        self.kinds: list[Kind] = [tuple(self.buckets.of(j, symbol) for symbol in self.letters)
                                  for j in range(1, n + 1)]
        self.values: dict[Signature, Interval] = {}

    @property
    def at_most(self) -> int:
        """An upper bound of the number of classes: over kinds of positions, the product of the ways to fill buckets."""
        total = 1
        for kind, positions in Counter(self.kinds).items():
            buckets = len(set(kind))
            total *= comb(positions + buckets - 1, buckets - 1)
        return total

    @property
    def work(self) -> int:
        """An upper bound of the cost of running them, in the units of the refutation's budget."""
        cells = self.buckets.cells
        if cells is None or any(not head.is_unordered for head in cells.heads):
            return self.at_most * replay_work(self.buckets.transformer)(self.n)  # each is run as a word
        return self.at_most * self.n * (1 + len(cells.heads))

    def changes(self) -> list[Change]:
        """Return the greatest change for an exchange at each position.

        Raises:
            InexactHardAttention: if the scores of a hard head are not exact.
        """
        found: dict[Kind, Change] = {}
        for p, kind in enumerate(self.kinds, start=1):
            if kind not in found:
                found[kind] = greatest_change(p, self._groups(p), self._value, [self.judged])
        return [self._moved(found[kind], p) for p, kind in enumerate(self.kinds, start=1)]

    def _groups(self, p: int) -> list[list[Word]]:
        """Return one word for each class of words with the first symbol at p, with every symbol there."""
        first = self.letters[0]
        words = self.buckets.fold((), lambda state, j, symbol: state,
                                  lambda state, j, symbol: j != p or symbol == first)
        return [[exchanged(word, p, symbol) for symbol in self.letters] for word, _ in words.values()]

    def _value(self, word: Word, i: int) -> Interval:
        signature = self.buckets.signature(word)
        if signature not in self.values:
            self.values[signature] = enclose_class(self.buckets, WordClass(signature, word, Fraction(1)), REPLAY_BITS)
        return self.values[signature]

    @staticmethod
    def _moved(change: Change, p: int) -> Change:
        """Return the same change by an exchange at a position of the same kind: the two positions are swapped."""
        pair = change.pair
        if pair is None or change.p == p:
            return replace(change, p=p)
        first, second = (_swapped(word, change.p, p) for word in (pair.first, pair.second))
        return replace(change, p=p, pair=ReplayedPair(first, second, pair.judged, pair.distance))


def _swapped(word: Word, p: int, q: int) -> Word:
    return exchanged(exchanged(word, p, word[q - 1]), q, word[p - 1])


def merged(changes: Sequence[Sequence[Change]]) -> tuple[Change, ...]:
    """Return the greatest change at any of several judged positions, by position of the exchange; all have bounds."""
    found = []
    for alike in zip(*changes, strict=True):
        greatest = max(alike, key=lambda change: change.lower)
        found.append(replace(greatest, upper=max(change.upper or Fraction(0) for change in alike)))
    return tuple(found)
