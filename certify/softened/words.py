"""Words on which softening is likely to move a transformer far, found in doubles, which decide nothing.

What is found here is replayed in enclosed arithmetic before anything is said about it.
"""

import itertools
import random
from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from certify.exports.pages.certificate.running import DoubleNetwork
from certify.frame.shards import steps_per_word
from constructions.language.expressions import parse_expression
from constructions.network.transformer import Transformer
from constructions.statements.theorem_26_uniform_tieless import soften
from proofs.softened.gap import Word

STEPS = 20_000_000
"""A search takes about so many multiplications."""
KEPT = 3
"""So many words are handed on, those that move farthest first."""
LEAST_TRIED, STARTS = 40, 4
AT_ONCE = 256


def likely_words(transformer: Transformer, n: int, temperature: Fraction, seeds: Iterable[Word]) -> list[Word]:
    """Words of length n that move far at this temperature: of all if they are few, else found by climbing from seeds.

    The search is the same every time. Where numbers are too large or too small for it, the seeds are all there is.
    """
    given = [seed for seed in seeds if len(seed) == n]
    try:
        with np.errstate(divide="raise", over="raise", invalid="raise"):
            return _search(transformer, n, temperature, given)
    except (OverflowError, FloatingPointError):
        return given


def _search(transformer: Transformer, n: int, temperature: Fraction, seeds: Sequence[Word]) -> list[Word]:
    sketch = _Sketch(transformer, n, temperature)
    room = max(LEAST_TRIED, STEPS // (2 * steps_per_word(transformer, n)))
    if len(transformer.alphabet) ** n <= room:
        return sketch.farthest(itertools.product(transformer.alphabet, repeat=n))
    draw = random.Random(0)
    sketch.run([*seeds, *(tuple(draw.choices(transformer.alphabet, k=n)) for _ in range(room // 4))])
    for start in sketch.farthest(sketch.known)[:STARTS]:
        sketch.climb(start, room)
    return sketch.farthest(sketch.known)


class _Sketch:
    """A transformer of one length, hard and soft, in doubles; ``known`` has the greatest 1-norm of the difference."""

    def __init__(self, transformer: Transformer, n: int, temperature: Fraction):
        self.alphabet, self.n = transformer.alphabet, n
        self.hard = DoubleNetwork(transformer, n)
        self.soft = DoubleNetwork(soften(transformer, parse_expression(str(temperature))), n)
        self.known: dict[Word, float] = {}

    def farthest(self, words: Iterable[Word]) -> list[Word]:
        """The KEPT words that move farthest."""
        chosen = list(words)
        self.run(chosen)
        return sorted(chosen, key=self.known.__getitem__, reverse=True)[:KEPT]

    def climb(self, word: Word, room: int) -> None:
        """Change one letter at a time for the better, while fewer than ``room`` words are known."""
        while len(self.known) < room:
            changed = [(*word[:place], symbol, *word[place + 1 :])
                       for place, symbol in itertools.product(range(self.n), self.alphabet)]
            self.run(changed)
            best = max(changed, key=self.known.__getitem__)
            if self.known[best] <= self.known[word]:
                return
            word = best

    def run(self, words: Iterable[Word]) -> None:
        """See that these words are known."""
        new = [word for word in dict.fromkeys(words) if word not in self.known]
        for start in range(0, len(new), AT_ONCE):
            part = new[start : start + AT_ONCE]
            hard, soft = (network.run(part).held for network in (self.hard, self.soft))
            moved = sum(np.abs(hard[name] - soft[name]) for name in hard)
            self.known.update(zip(part, np.max(moved, axis=1).tolist(), strict=True))
