"""Words of one length on which floating-point errors may be large, the likelier ones first."""

import itertools
import random
from collections.abc import Iterator, Sequence

from proofs.formula.refutation.plain_words import Word

EXHAUSTIVE_WORDS = 128
"""All words of a length are tried if they are at most this many."""
COUNTS = 24
"""Words of two blocks that are tried for each pair of symbols; all of shorter ones."""
RANDOM_WORDS = 6
LONGEST_PERIOD = 3


def likely_words(alphabet: Sequence[str], n: int) -> Iterator[Word]:
    """Return all words, if they are few; else those of the families below, each word once."""
    if len(alphabet) ** n <= EXHAUSTIVE_WORDS:
        return itertools.product(alphabet, repeat=n)
    families = itertools.chain(two_blocks(alphabet, n), sparse_words(alphabet, n), periodic_words(alphabet, n),
                               random_words(alphabet, n), one_between(alphabet, n))
    return iter(dict.fromkeys(families))


def two_blocks(alphabet: Sequence[str], n: int) -> Iterator[Word]:
    """Yield words of two blocks, with all lengths of the first block if they are few, else mostly ends.

    >>> ["".join(word) for word in two_blocks("ab", 2)]
    ['bb', 'aa', 'ba', 'ab']
    """
    step = max(1, n // COUNTS)
    lengths = dict.fromkeys([n, n - 1, 1, n - 2, 2, *range(n - step, 0, -step), n // 2])
    for k in lengths:
        for first, second in itertools.permutations(alphabet, 2):
            if 0 < k <= n:
                yield (second,) * k + (first,) * (n - k)


def block_words(alphabet: Sequence[str], n: int) -> Iterator[tuple[Word, int]]:
    """Yield all words of two blocks, each with the length of the first block.

    >>> [("".join(word), first) for word, first in block_words("ab", 3)]
    [('abb', 1), ('baa', 1), ('aab', 2), ('bba', 2)]
    """
    for first in range(1, n):
        for one, other in itertools.permutations(alphabet, 2):
            yield (one,) * first + (other,) * (n - first), first


def one_between(alphabet: Sequence[str], n: int) -> Iterator[Word]:
    """Yield a block, another symbol, and a block of a third symbol: at all places, in steps that halve.

    >>> ["".join(word) for word in one_between("abc", 3)][:3]
    ['abc', 'acb', 'bac']
    """
    step = 1 << max(n - 2, 0).bit_length()
    while step := step // 2:
        for place in range(step, n - 1, 2 * step):
            for before, symbol, after in itertools.permutations(alphabet, 3):
                yield (before,) * place + (symbol,) + (after,) * (n - place - 1)


def sparse_words(alphabet: Sequence[str], n: int) -> Iterator[Word]:
    """Yield words of one symbol except for another one at one place."""
    for place in dict.fromkeys((n - 2, n - 3, 1, 0, n // 2)):
        for symbol, other in itertools.permutations(alphabet, 2):
            if 0 <= place < n:
                yield (symbol,) * place + (other,) + (symbol,) * (n - place - 1)


def periodic_words(alphabet: Sequence[str], n: int) -> Iterator[Word]:
    """Yield repetitions of short words."""
    for period in range(2, LONGEST_PERIOD + 1):
        for pattern in itertools.islice(itertools.product(alphabet, repeat=period), EXHAUSTIVE_WORDS // 4):
            yield (pattern * n)[:n]


def random_words(alphabet: Sequence[str], n: int) -> Iterator[Word]:
    """Yield words drawn with a fixed seed."""
    draw = random.Random(n)
    for _ in range(RANDOM_WORDS):
        yield tuple(draw.choice(alphabet) for _ in range(n))
