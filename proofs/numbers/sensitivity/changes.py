"""Bounds of the greatest change, for one length and each position of the exchange: plain data."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from constructions.network.transformer import Transformer
from proofs.enclosures.intervals import Interval

ZERO = Fraction(0)
Word = tuple[str, ...]


@dataclass(frozen=True)
class ReplayedPair:
    """Two words that differ at one position, and the enclosed difference in the direction at position ``judged``."""

    first: Word
    second: Word
    judged: int
    distance: Interval


@dataclass(frozen=True)
class Change:
    """The greatest change by an exchange at position p: at least ``lower``, attained by ``pair``, at most ``upper``.

    Without a pair ``lower`` is 0; without an ``upper`` no upper bound is known.
    """

    p: int
    lower: Fraction
    upper: Fraction | None
    pair: ReplayedPair | None = None

    @property
    def is_exact(self) -> bool:
        """True if the two bounds are equal."""
        return self.lower == self.upper


def at_least(p: int, pair: ReplayedPair | None, upper: Fraction | None) -> Change:
    """Return the change of the pair; a pair of distance 0 is dropped."""
    shown = pair is not None and pair.distance.lower > 0
    return Change(p, pair.distance.lower if pair and shown else ZERO, upper, pair if shown else None)


def distance(one: Interval, other: Interval) -> Interval:
    """Enclose |x - y| for x and y in the intervals.

    >>> half, third = Interval(Fraction(1, 2), Fraction(1, 2)), Interval(Fraction(1, 3), Fraction(2, 3))
    >>> distance(half, third)
    Interval(lower=Fraction(0, 1), upper=Fraction(1, 6))
    """
    least = max(one.lower - other.upper, other.lower - one.upper, ZERO)
    return Interval(least, max(one.upper - other.lower, other.upper - one.lower))


def unlike_letters(network: Transformer) -> tuple[str, ...]:
    """Return the symbols, one of each group with equal embeddings: exchanging those for one another changes nothing."""
    return firsts((symbol, frozenset((name, weight) for name, weight in network.token_embedding[symbol].items()
                                     if weight)) for symbol in network.alphabet)


def firsts(symbols: Iterable[tuple[str, Hashable]]) -> tuple[str, ...]:
    """Return the symbols, the first one of those with the same key.

    >>> firsts([("a", 1), ("b", 2), ("c", 1)])
    ('a', 'b')
    """
    found: dict[Hashable, str] = {}
    for symbol, kind in symbols:
        found.setdefault(kind, symbol)
    return tuple(found.values())


def exchanged(word: Sequence[str], p: int, symbol: str) -> Word:
    """Return the word with another symbol at position p.

    >>> exchanged("aba", 2, "a")
    ('a', 'a', 'a')
    """
    return (*word[: p - 1], symbol, *word[p:])
