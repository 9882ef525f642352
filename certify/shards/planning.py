"""Into which shards the words of one length are divided: by their first symbols.

The plan depends on the model and the length alone, never on how many processes there are, so that shards which one run
finished are those that another one asks for. It decides how long a shard takes, and no result.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from constructions.network.transformer import Transformer

STEPS_PER_SHARD = 30_000_000
"""Five to ten seconds of a survey, which takes a fraction of them (see ``steps_per_word``)."""
MAX_SHARDS = 4096
"""Of one length: each is a file and a text in memory. Beyond that shards become longer, not more."""


def plan_prefixes(alphabet_size: int, n: int, weight: int) -> int:
    """The least length of prefixes whose shards take at most STEPS_PER_SHARD, if a word takes ``weight`` steps.

    >>> [plan_prefixes(2, n, 1000) for n in (4, 12, 14, 20)]
    [0, 0, 0, 6]
    >>> plan_prefixes(2, 60, 1000), plan_prefixes(1, 60, 10**9)
    (12, 0)
    """
    length = 0
    while (alphabet_size > 1 and length < n and alphabet_size ** (length + 1) <= MAX_SHARDS
           and alphabet_size ** (n - length) * weight > STEPS_PER_SHARD):
        length += 1
    return length


def prefixes(alphabet: Sequence[str], length: int) -> Iterator[tuple[str, ...]]:
    """All prefixes of this length, in the order of the alphabet.

    >>> ["".join(prefix) for prefix in prefixes("ab", 2)]
    ['aa', 'ab', 'ba', 'bb']
    """
    return itertools.product(alphabet, repeat=length)


def steps_per_word(transformer: Transformer, n: int) -> int:
    """How many multiplications the transformer takes on a word of length n, about and at most.

    Words share prefixes and activations, so that a word of many takes fewer.
    """
    per_position = pairs = 0
    for layer in transformer.layers:
        for head in layer.heads:
            rows = [*head.queries, *head.keys, *head.values.values()]
            per_position += sum(len(row) for row in rows)
            pairs += len(head.queries) + len(head.values)
        per_position += sum(len(unit.reads) + len(unit.writes) for unit in layer.feedforward.units)
    return max(1, n * per_position + n * n * pairs)
