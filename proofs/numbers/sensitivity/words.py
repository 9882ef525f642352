"""All words of one length, each enclosed once: the greatest change of a direction between two bounds.

Claim       For each position p the words form groups that agree everywhere else; two words of a group differ by one
            exchange, and no others do. In a group two words differ by at most the greatest upper end minus the least
            lower end. The two words with the greatest lower and the least upper end differ by at least the
            difference of these ends. Where values are exact, both are the same number.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import product

from constructions.network.transformer import Transformer
from proofs.enclosures.by_mpmath import check_by_mpmath
from proofs.enclosures.intervals import Interval, point
from proofs.numbers.sensitivity.changes import Change, ReplayedPair, Word, at_least, distance, exchanged, unlike_letters
from proofs.words.replay import REPLAY_BITS, run_soft

SPREAD = 1 << 12
"""Weights below 2^-4096 of the greatest are enclosed from 0 on."""
ZERO = Fraction(0)
Value = Callable[[Word, int], Interval]
"""The value of the direction on a word at a judged position; identical objects are one number."""


def enclose_values(network: Transformer, word: Sequence[str], direction: str,
                   judged: Sequence[int]) -> dict[int, Interval]:
    """Return the direction's value after the last layer at the judged positions.

    Raises:
        InexactHardAttention: if the scores of a hard head are not exact.
    """
    stream = run_soft(network, word, REPLAY_BITS, SPREAD)
    return {i: stream[i - 1].get(direction, point(ZERO)) for i in judged}


def check_pairs(network: Transformer, direction: str, changes: Iterable[Change]) -> None:
    """Raise InternalError unless mpmath confirms the changes of pairs, the greatest first."""
    pairs = {change.pair.distance: change.pair for change in changes if change.pair}
    check_by_mpmath(network, direction, [(pair.judged, pair.distance, (pair.first, pair.second)) for pair in
                                         sorted(pairs.values(), key=lambda pair: -pair.distance.lower)])


def changes_of_all_words(network: Transformer, n: int, direction: str, judged: Sequence[int]) -> tuple[Change, ...]:
    """Return the greatest change for an exchange at each position, over all words of length n.

    Raises:
        InexactHardAttention: as ``enclose_values``.
    """
    letters = unlike_letters(network)
    values = {word: enclose_values(network, word, direction, judged) for word in product(letters, repeat=n)}
    return tuple(greatest_change(p, groups_of(values, p, letters), lambda word, i: values[word][i], judged)
                 for p in range(1, n + 1))


def groups_of(words: Iterable[Word], p: int, letters: Sequence[str]) -> Iterator[list[Word]]:
    """Yield the words in groups that agree everywhere except at p."""
    return ([exchanged(word, p, symbol) for symbol in letters] for word in words if word[p - 1] == letters[0])


def greatest_change(p: int, groups: Iterable[Sequence[Word]], value: Value, judged: Sequence[int]) -> Change:
    """Return the greatest change in groups of words that differ only at p, if these represent all words."""
    upper, best = ZERO, None
    for group in groups:
        for i in judged:
            pair, bound = _widest(value, group, i)
            upper = max(upper, bound)
            if best is None or pair.distance.lower > best.distance.lower:
                best = pair
    return at_least(p, best, upper)


def _widest(value: Value, group: Sequence[Word], i: int) -> tuple[ReplayedPair, Fraction]:
    """Return the two words with the greatest certain distance, and an upper bound of all distances in the group."""
    values = {word: value(word, i) for word in group}
    high = max(group, key=lambda word: values[word].lower)
    low = min(group, key=lambda word: values[word].upper)
    apart = point(ZERO) if high == low else distance(values[high], values[low])
    bound = max(value.upper for value in values.values()) - min(value.lower for value in values.values())
    is_one_number = all(value is values[high] for value in values.values())
    return ReplayedPair(high, low, i, apart), ZERO if is_one_number else bound
