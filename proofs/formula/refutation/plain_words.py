"""Words that do not depend on the network: all short words, words of few symbols, random words."""

import itertools
import random
from collections.abc import Iterable, Iterator, Sequence

from constructions.network.lengths import Lengths
from proofs.formula.refutation.budget import WorkBudget

Word = tuple[str, ...]

EXHAUSTIVE_WORDS = 600
"""All words are tried, length by length, up to this number of words."""
RANDOM_WORDS = 300
"""The number of random words; their lengths are drawn from those that are not searched exhaustively."""


def exhaustive_length(symbols: int, lengths: Lengths) -> int:
    """Return the largest length up to which all words can be tried; the one before the first length, if none can.

    >>> exhaustive_length(2, Lengths(1, 64)), exhaustive_length(1, Lengths(1, 4)), exhaustive_length(2, Lengths(12, 64))
    (8, 4, 11)
    """
    length, total = lengths.first - 1, 0
    while length < lengths.last and total + symbols ** (length + 1) <= EXHAUSTIVE_WORDS:
        length += 1
        total += symbols**length
    return length


def all_words(alphabet: Sequence[str], lengths: Iterable[int]) -> Iterator[Word]:
    """Yield every word of these lengths, in order.

    >>> list(all_words("a", [1, 2]))
    [('a',), ('a', 'a')]
    """
    for n in lengths:
        yield from itertools.product(alphabet, repeat=n)


def words_of_few_symbols(alphabet: Sequence[str], lengths: Iterable[int]) -> Iterator[Word]:
    """Yield the words of one symbol, and of one symbol with another at one end.

    >>> ["".join(word) for word in words_of_few_symbols("ab", [3])]
    ['aaa', 'baa', 'aab', 'bbb', 'abb', 'bba']
    """
    for n in lengths:
        for symbol in alphabet:
            yield (symbol,) * n
            for other in alphabet:
                if other != symbol and n > 1:
                    yield (other, *(symbol,) * (n - 1))
                    yield (*(symbol,) * (n - 1), other)


def random_words(alphabet: Sequence[str], lengths: range, budget: WorkBudget) -> Iterator[Word]:
    """Yield random words of random lengths, drawn with a fixed seed."""
    draw = random.Random(len(lengths))
    for _ in range(RANDOM_WORDS if lengths else 0):
        n = draw.choice(lengths)
        if not budget.spend(n):
            return
        yield tuple(draw.choice(alphabet) for _ in range(n))
