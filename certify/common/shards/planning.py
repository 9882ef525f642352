"""Division of the words of one length into shards by their first symbols.

The plan depends on the model and the length only, not on the number of processes, so that another run requests the same
shards. It decides how long a shard takes, and no result.
"""

import itertools
from collections.abc import Iterator, Sequence

from constructions.network.transformer import Layer, Mask, Transformer

STEPS_PER_SHARD = 30_000_000
"""About one second of a survey, a few of a check (``steps_per_word_of_many``)."""
MAX_SHARDS = 4096
"""The limit per length, as each shard is a file and a text in memory; beyond it shards become larger."""


def plan_prefixes(alphabet_size: int, n: int, weight: int) -> int:
    """Return the least length of prefixes whose shards take at most STEPS_PER_SHARD, if a word takes ``weight`` steps.

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
    """Return all prefixes of this length, in the order of the alphabet.

    >>> ["".join(prefix) for prefix in prefixes("ab", 2)]
    ['aa', 'ab', 'ba', 'bb']
    """
    return itertools.product(alphabet, repeat=length)


def steps_per_word(transformer: Transformer, n: int) -> int:
    """Estimate, from above, the multiplications of the transformer on one word of length n."""
    return max(1, _steps(transformer.layers, n, n))


def steps_per_word_of_many(transformer: Transformer, n: int) -> int:
    """Estimate, from above, the multiplications per word of length n if computations of common prefixes are shared.

    The first layers, while all heads are future-masked, are then run once for each prefix: s/(s - 1) times a word, at
    most, where s is the size of the alphabet. Activations that occur again take less still.
    """
    size = len(transformer.alphabet)
    causal = list(itertools.takewhile(_is_causal, transformer.layers))
    rest = _steps(transformer.layers[len(causal):], n, n)
    return max(1, rest + (_steps(causal, n, n) if size == 1 else _steps(causal, 1, n) * size // (size - 1)))


def _is_causal(layer: Layer) -> bool:
    return all(head.mask is Mask.FUTURE for head in layer.heads)


def _steps(layers: Sequence[Layer], positions: int, n: int) -> int:
    """Return the multiplications of some layers at some positions, where heads see n."""
    per_position = pairs = 0
    for layer in layers:
        for head in layer.heads:
            rows = [*head.queries, *head.keys, *head.values.values()]
            per_position += sum(len(row) for row in rows)
            pairs += len(head.queries) + len(head.values)
        per_position += sum(len(unit.reads) + len(unit.writes) for unit in layer.feedforward.units)
    return positions * (per_position + n * pairs)
