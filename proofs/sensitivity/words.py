"""All words of one length, each run once and enclosed: the greatest change of a direction between two bounds.

Claim       For each position p the words fall into groups that agree everywhere else; two words of a group are one
            exchange apart, and no others are. In a group at most the greatest upper end less the least lower end can
            lie between two words, and the two words that have the greatest lower and the least upper end are at least
            so far apart. Where values are exact, both are the same number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product

from constructions.network.transformer import Transformer
from proofs.enclosures.intervals import Interval, point
from proofs.replay import REPLAY_BITS, run_soft
from proofs.sensitivity.changes import Change, ReplayedPair, Word, at_least, distance, exchanged, unlike_letters

SPREAD = 1 << 12
"""Weights below 2^-4096 of the greatest are enclosed from 0 on."""
Values = Mapping[Word, Mapping[int, Interval]]
"""Of each word the value of the direction at each judged position."""


def enclose_values(network: Transformer, word: Sequence[str], direction: str,
                   judged: Sequence[int]) -> dict[int, Interval]:
    """The direction's value behind the last layer at the judged positions.

    Raises:
        InexactHardAttention: if a hard head reads what is known approximately only.
    """
    stream = run_soft(network, word, REPLAY_BITS, SPREAD)
    return {i: stream[i - 1].get(direction, point(Fraction(0))) for i in judged}


def changes_of_all_words(network: Transformer, n: int, direction: str, judged: Sequence[int]) -> tuple[Change, ...]:
    """The greatest change for an exchange at each position, over all words of length n.

    Raises:
        InexactHardAttention: as ``enclose_values``.
    """
    letters = unlike_letters(network)
    values = {word: enclose_values(network, word, direction, judged) for word in product(letters, repeat=n)}
    return tuple(_greatest(values, p, letters, judged) for p in range(1, n + 1))


def _greatest(values: Values, p: int, letters: Sequence[str], judged: Sequence[int]) -> Change:
    upper, best = Fraction(0), None
    for group in _groups(values, p, letters):
        for i in judged:
            pair, bound = _widest(values, group, i)
            upper = max(upper, bound)
            if best is None or pair.distance.lower > best.distance.lower:
                best = pair
    return at_least(p, best, upper)


def _groups(values: Values, p: int, letters: Sequence[str]) -> Iterator[list[Word]]:
    for word in values:
        if word[p - 1] == letters[0]:
            yield [exchanged(word, p, symbol) for symbol in letters]


def _widest(values: Values, group: Sequence[Word], i: int) -> tuple[ReplayedPair, Fraction]:
    """The two words that are farthest apart for certain, and how far two words of the group can be at most."""
    high = max(group, key=lambda word: values[word][i].lower)
    low = min(group, key=lambda word: values[word][i].upper)
    bound = max(values[word][i].upper for word in group) - min(values[word][i].lower for word in group)
    if len(group) == 1 or high == low:
        return ReplayedPair(high, low, i, point(Fraction(0))), bound if len(group) > 1 else Fraction(0)
    return ReplayedPair(high, low, i, distance(values[high][i], values[low][i])), bound
