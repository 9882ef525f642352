"""The class of a word: the number of positions in each bucket.

Claim       Two words of the same choices with equally many positions in each bucket have the same output at ``at``.
            The bucket of a cell is the tuple of what the used heads read there, each omitted where it does not depend
            on the symbol. At ``at`` it also has the form of the output.
Proof       docs/background/margins_rules.md, section 3.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any, TypeVar

from constructions.errors import Unsupported
from constructions.network.transformer import Coefficients, Transformer
from proofs.enclosures.rationals import row_to_flint
from proofs.words.classes.cells import Cells, Choices, SeenHead, WordsMatter
from proofs.words.classes.needed import find_needed, reach
from proofs.words.classes.norms import NO_NORMS, Norms
from proofs.words.classes.terms import AtomSum, Interned

NOTHING = 0
"""The bucket of positions where no symbol matters; it is not counted."""
MOST_CLASSES = 1 << 16
State = TypeVar("State", bound=Hashable)
Signature = tuple[tuple[int, int], ...]
"""The buckets, ascending, each with the number of its positions."""
BucketKey = tuple[Any, ...]


class TooManyClasses(Unsupported):
    """There are more classes than MOST_CLASSES."""


@dataclass(frozen=True)
class WordClass:
    """The words with one signature: the first of them in the order of the choices, and their weight.

    The weight is their number, unless symbols have weights.
    """

    signature: Signature
    word: tuple[str, ...]
    weight: Fraction


class Buckets:
    """The buckets of the cells of a sequence of choices, read at position ``at`` (from 1).

    ``by_words`` is True if nothing smaller than words was found: each cell that matters is a bucket of its own.
    """

    def __init__(self, transformer: Transformer, choices: Choices, at: int, read: Coefficients | None = None,
                 norms: Norms = NO_NORMS) -> None:
        """Compute the buckets; ``read`` is a linear form of the final vector, by default the output."""
        self.norms = norms
        self.transformer, self.choices, self.at = transformer, tuple(map(tuple, choices)), at
        self.n = len(self.choices)
        self.read = {transformer.output: Fraction(1)} if read is None else read
        needed = find_needed(transformer, self.read, norms)
        self.reached = reach(transformer, needed, at, self.n)
        self.keys: Interned[BucketKey] = Interned()
        self.keys.number(())
        self.cells: Cells | None = None
        with suppress(WordsMatter):
            self.cells = Cells(transformer, needed, self.choices, at, norms)
        self.columns = [self._numbers(j) for j in range(1, self.n + 1)]

    @property
    def by_words(self) -> bool:
        """True if classes are words."""
        return self.cells is None

    def of(self, j: int, symbol: str) -> int:
        """Return the bucket of position j with this symbol; NOTHING if no symbol matters there."""
        return self.columns[j - 1][symbol]

    def signature(self, word: Sequence[str]) -> Signature:
        """Return the class of a word."""
        counts = Counter(self.of(j, symbol) for j, symbol in enumerate(word, start=1))
        return tuple(sorted((bucket, count) for bucket, count in counts.items() if bucket != NOTHING))

    def classes(self) -> list[WordClass]:
        """Return all classes.

        Raises:
            TooManyClasses: if there are more than MOST_CLASSES.
        """
        return [WordClass(signature, word, weight) for (signature, _), (word, weight) in
                self.fold((), lambda state, j, symbol: state).items()]

    def fold(self, start: State, step: Callable[[State, int, str], State],
             weigh: Callable[[State, int, str], Fraction | int] = lambda state, j, symbol: 1,
             ) -> Mapping[tuple[Signature, State], tuple[tuple[str, ...], Fraction]]:
        """Group all words, read from the left, by class and by the state after ``step``.

        Each group has its first word and the sum of the products of weights over its words; words of weight 0 are
        omitted.

        Raises:
            TooManyClasses: if there are more than MOST_CLASSES.
        """
        if self.by_words and prod(len(self.choices[j - 1]) for j in self.reached) > MOST_CLASSES:
            raise self._too_many()
        found: dict[tuple[Signature, State], tuple[Link, Fraction]] = {((), start): (None, Fraction(1))}
        for j, symbols in enumerate(self.choices, start=1):
            longer: dict[tuple[Signature, State], tuple[Link, Fraction]] = {}
            for (signature, state), (link, weight) in found.items():
                for symbol in symbols:
                    if not (factor := weigh(state, j, symbol)):
                        continue
                    key = (_with(signature, self.of(j, symbol)), step(state, j, symbol))
                    word, before = longer.get(key, ((link, symbol), Fraction(0)))
                    longer[key] = (word, before + weight * factor)
            if len(longer) > MOST_CLASSES:
                raise self._too_many()
            found = longer
        return {key: (_symbols(link), weight) for key, (link, weight) in found.items()}

    def _too_many(self) -> TooManyClasses:
        return TooManyClasses(f"more than {MOST_CLASSES} classes of words of length {self.n}")

    # -- buckets of one position ---------------------------------------------------------------------------------------

    def _numbers(self, j: int) -> dict[str, int]:
        symbols = self.choices[j - 1]
        if self.cells is None:
            matters = j in self.reached and len(symbols) > 1
            return {symbol: self.keys.number((j, symbol)) if matters else NOTHING for symbol in symbols}
        parts = [[part(symbol) for symbol in symbols] for part in self._parts(self.cells, j)]
        loose = [None if all(value == part[0] for value in part) else part for part in parts]
        if not any(loose):
            return dict.fromkeys(symbols, NOTHING)
        return {symbol: self.keys.number(tuple(None if part is None else part[place] for part in loose))
                for place, symbol in enumerate(symbols)}

    def _parts(self, cells: Cells, j: int) -> list[Callable[[str], Hashable]]:
        """Return the parts of a cell that may matter: the form of the output, then the column of each head."""
        row = row_to_flint(self.read)
        output: Callable[[str], Hashable] = (lambda symbol: cells.form(row, symbol)) if j == self.at else _nothing
        return [output, *(_column_of(head, j) if j in seen_range(head, self.at) else _nothing
                          for head in cells.heads)]

    # -- what a class is made of ---------------------------------------------------------------------------------------

    def seen(self, place: int, signature: Signature) -> Mapping[int, int]:
        """Return how often the head at this place of ``cells.heads`` sees each of its columns, in words of the class.

        It is seen from ``at``, or by an unmasked head.
        """
        assert self.cells is not None, "classes are words"
        head = self.cells.heads[place]
        counts = Counter(head.columns[j, self.choices[j - 1][0]] for j in seen_range(head, self.at)
                         if j not in head.loose)
        for bucket, count in signature:
            key = self.keys[bucket][place + 1]
            if key is not None:
                counts[key[0]] += count  # a column, and its position if that matters
        return counts

    def output_form(self, signature: Signature) -> AtomSum:
        """Return the form of what is read, in words of the class."""
        assert self.cells is not None, "classes are words"
        for bucket, _ in signature:
            found = self.keys[bucket][0]
            if isinstance(found, AtomSum):
                return found
        return self.cells.form(row_to_flint(self.read), self.choices[self.at - 1][0])


Link = tuple["Link", str] | None  # a word from its end, sharing its prefix


def _symbols(link: Link) -> tuple[str, ...]:
    symbols: list[str] = []
    while link is not None:
        link, symbol = link
        symbols.append(symbol)
    return tuple(reversed(symbols))


def _nothing(symbol: str) -> None:
    return None


def _column_of(head: SeenHead, j: int) -> Callable[[str], Hashable]:
    place = 0 if head.is_unordered else j
    return lambda symbol: (head.columns[j, symbol], place)


def seen_range(head: SeenHead, at: int) -> range:
    """Return the positions that an unmasked head sees, or a masked one from ``at``."""
    return head.visible(0 if head.is_unmasked else at)


def _with(signature: Signature, bucket: int) -> Signature:
    if bucket == NOTHING:
        return signature
    counts = dict(signature)
    counts[bucket] = counts.get(bucket, 0) + 1
    return tuple(sorted(counts.items()))


