"""Words on which softening is likely to move the result far, found in floating point, which decides nothing.

The words that are found here are replayed in enclosed arithmetic before they are reported.
"""

import itertools
import random
from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from certify.common.doubles import DoubleNetwork, neighbours
from certify.common.shards import steps_per_word
from constructions.language.expressions import parse_expression
from constructions.network.transformer import Transformer
from constructions.statements.theorem_26_uniform_tieless import soften
from proofs.softened.gap import Word

STEPS = 20_000_000
"""The approximate number of multiplications of a search."""
KEPT = 3
"""The number of words that are returned, those that move farthest first."""
LEAST_TRIED, STARTS = 40, 4
CHUNK = 256
"""The number of words that are run at once."""
DECIMALS = 9
"""Distances that agree to as many are equal, however a machine sums: the first word is returned."""


def likely_words(transformer: Transformer, n: int, temperature: Fraction, seeds: Iterable[Word]) -> list[Word]:
    """Return words of length n that move far at this temperature: the best of all, or by hill climbing from seeds.

    The search is deterministic. If numbers overflow or underflow, it returns the seeds.
    """
    given = [seed for seed in seeds if len(seed) == n]
    if not float(temperature):
        return given
    try:
        return _search(_Distances(transformer, n, temperature), given,
                       max(LEAST_TRIED, STEPS // (2 * steps_per_word(transformer, n))))
    except OverflowError:
        return given


class _Distances:
    """The greatest 1-norm, over all positions, of the difference between soft and hard; by word of one length."""

    def __init__(self, transformer: Transformer, n: int, temperature: Fraction):
        soft = soften(transformer, parse_expression(str(temperature)))
        self.alphabet, self.n = transformer.alphabet, n
        self.networks = DoubleNetwork(transformer, n), DoubleNetwork(soft, n)
        self.known: dict[Word, float] = {}

    def farthest(self, words: Sequence[Word], most: int = KEPT) -> list[Word]:
        """Return the words that move farthest."""
        new = list(dict.fromkeys(word for word in words if word not in self.known))
        for start in range(0, len(new), CHUNK):
            some = new[start:start + CHUNK]
            hard, soft = (network.run(some).values for network in self.networks)
            moved = sum((np.abs(soft[name] - hard[name]) for name in hard), np.zeros((len(some), self.n)))
            self.known |= zip(some, moved.max(axis=1).round(DECIMALS).tolist(), strict=True)
        return sorted(words, key=self.known.__getitem__, reverse=True)[:most]


def _search(distances: _Distances, seeds: Sequence[Word], room: int) -> list[Word]:
    alphabet, n = distances.alphabet, distances.n
    if len(alphabet) ** n <= room:
        return distances.farthest(list(itertools.product(alphabet, repeat=n)))
    draw = random.Random(0)
    drawn = [tuple(draw.choices(alphabet, k=n)) for _ in range(room // 4)]
    for start in distances.farthest([*seeds, *drawn], STARTS):
        before, best = None, start
        while best != before and len(distances.known) < room:
            before, (best,) = best, distances.farthest([best, *neighbours(best, alphabet)], 1)
    return distances.farthest(list(distances.known))
