"""Words of one length that may bring a float run to err, the likelier ones first."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence

from constructions.network.lengths import Lengths
from constructions.network.meanings import Near
from constructions.network.transformer import Transformer
from proofs.exact.attention import weigh
from proofs.failures import NotDerived
from proofs.obligations.attention import AttentionObligation, oblige_attention
from proofs.obligations.composition import writes
from proofs.obligations.known import KnownValues
from proofs.obligations.lookup import looks_up
from proofs.refutation.plain_words import Word
from proofs.refutation.words_breaking_heads import read_worst_input
from proofs.replay import REPLAY_BITS

EXHAUSTIVE_WORDS = 128
"""All words of a length are tried where they are no more."""
COUNTS = 24
"""So many words of two blocks are tried for each pair of symbols; of shorter ones all."""
RANDOM_WORDS = 6
LONGEST_PERIOD = 3


def adverse_words(transformer: Transformer, n: int) -> Iterator[Word]:
    """All words, if they are few; else the worst ones of the heads over the real numbers, two blocks, one symbol among
    others, periods, random ones, and one symbol between two blocks; each once."""
    alphabet = transformer.alphabet
    if len(alphabet) ** n <= EXHAUSTIVE_WORDS:
        return itertools.product(alphabet, repeat=n)
    families = itertools.chain(worst_words(transformer, n), two_blocks(alphabet, n), sparse_words(alphabet, n),
                               periodic_words(alphabet, n), random_words(alphabet, n), one_between(alphabet, n))
    return iter(dict.fromkeys(families))


def worst_words(transformer: Transformer, n: int) -> Iterator[Word]:
    """For each head over truths of symbols the word with the greatest error over the real numbers at the last position
    that its first and its last group of rows have, for a false and for a true target."""
    for obligation in _attention_obligations(transformer, n):
        groups = obligation.groups
        for group in dict.fromkeys((0, len(groups) - 1)) if groups else ():
            weighed = weigh(obligation.reading.sweep(groups[group]), REPLAY_BITS)
            for truth, i in itertools.product((False, True), sorted(weighed.sweep.rows)[-1:]):
                try:
                    word = read_worst_input(obligation.target, transformer.alphabet, weighed, i, truth,
                                            obligation.allowed_error)
                except ValueError:  # no input has this truth at the row
                    continue
                if word is not None:
                    yield word


def _attention_obligations(transformer: Transformer, n: int) -> Iterator[AttentionObligation]:
    known = KnownValues(transformer.directions)
    for write in writes(transformer):
        if not write.place or not isinstance(transformer.directions[write.direction], Near):
            continue
        head = transformer.head(write.layer, write.place)
        if looks_up(transformer, known, head, write.direction):
            continue
        try:
            yield oblige_attention(transformer, known, Lengths(n, n), write.layer, write.place, head, write.direction)
        except NotDerived:
            continue


def two_blocks(alphabet: Sequence[str], n: int) -> Iterator[Word]:
    """A symbol, and then another one: all lengths of the first block if they are few, else some, both ends closely.

    >>> ["".join(word) for word in two_blocks("ab", 2)]
    ['bb', 'aa', 'ba', 'ab']
    """
    step = max(1, n // COUNTS)
    lengths = dict.fromkeys([n, n - 1, 1, n - 2, 2, *range(n - step, 0, -step), n // 2])
    for k in lengths:
        for first, second in itertools.permutations(alphabet, 2):
            if 0 < k <= n:
                yield (second,) * k + (first,) * (n - k)


def one_between(alphabet: Sequence[str], n: int) -> Iterator[Word]:
    """A block, another symbol, and a block of a third symbol: at all places, far ones from each other first.

    >>> ["".join(word) for word in one_between("abc", 3)][:3]
    ['abc', 'acb', 'bac']
    """
    step = 1 << max(n - 3, 0).bit_length()
    while step := step // 2:
        for place in range(step, n - 1, 2 * step):
            for before, symbol, after in itertools.permutations(alphabet, 3):
                yield (before,) * place + (symbol,) + (after,) * (n - place - 1)


def sparse_words(alphabet: Sequence[str], n: int) -> Iterator[Word]:
    """One symbol everywhere but for another one at one place."""
    for place in dict.fromkeys((n - 2, n - 3, 1, 0, n // 2)):
        for symbol, other in itertools.permutations(alphabet, 2):
            if 0 <= place < n:
                yield (symbol,) * place + (other,) + (symbol,) * (n - place - 1)


def periodic_words(alphabet: Sequence[str], n: int) -> Iterator[Word]:
    """Short words again and again."""
    for period in range(2, LONGEST_PERIOD + 1):
        for pattern in itertools.islice(itertools.product(alphabet, repeat=period), EXHAUSTIVE_WORDS // 4):
            yield (pattern * n)[:n]


def random_words(alphabet: Sequence[str], n: int) -> Iterator[Word]:
    """Words drawn with a fixed seed."""
    draw = random.Random(n)
    for _ in range(RANDOM_WORDS):
        yield tuple(draw.choice(alphabet) for _ in range(n))
