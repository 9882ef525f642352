"""The layers of a transformer at one length, on ids, and the initial activations."""

from collections.abc import Sequence
from fractions import Fraction

from constructions.network.run import embed
from constructions.network.transformer import Mask, Transformer
from proofs.softened.findings import GreatestActivation
from proofs.softened.hash_consing import Numbers, Pool, Vector
from proofs.softened.layers import LayerRun, read_from
from proofs.softened.least_gaps import LeastGaps

ZERO = Fraction(0)


class Stack:
    """All layers; ``gaps`` is the observer of their heads.

    ``starts`` has the initial vectors: for each position one for each symbol. In the first ``below`` layers all heads
    are future-masked.
    """

    def __init__(self, transformer: Transformer, n: int, gaps: LeastGaps | None = None):
        self.transformer, self.n = transformer, n
        self.numbers, self.gaps = Numbers(), gaps or LeastGaps(transformer.alphabet, n)
        self.layers: list[LayerRun] = []
        pool = Pool[Vector]()
        self._streams = [embed(transformer, (symbol,) * n) for symbol in transformer.alphabet]
        self.starts = self._enter(pool)
        for number in range(1, len(transformer.layers) + 1):
            self.layers.append(LayerRun(transformer, number, pool, self.numbers, self.gaps))
            pool = self.layers[-1].after
        self.below = next((place for place, layer in enumerate(self.layers) if {*layer.masks} - {Mask.FUTURE}),
                          len(self.layers))

    def _enter(self, pool: Pool[Vector]) -> list[list[int]]:
        """Return the initial vectors: for each position, one for each symbol."""
        names = read_from(self.transformer, 1)
        return [[pool.id(tuple([self.numbers.id(stream[i].get(name, ZERO)) for name in names]))
                 for stream in self._streams] for i in range(self.n)]

    def find_x_max(self, prefix: Sequence[str]) -> GreatestActivation | None:
        """Return the greatest absolute value of an embedded entry, over all words with this prefix."""
        best: GreatestActivation | None = None
        alphabet = self.transformer.alphabet
        first = (*prefix, *(alphabet[0] for _ in range(self.n - len(prefix))))
        candidates = [(i, symbol) for i in range(1, self.n + 1)
                      for symbol in ((prefix[i - 1],) if i <= len(prefix) else alphabet)]
        for i, symbol in sorted(candidates, key=lambda at: self._key(first, *at)):
            vector = self._streams[alphabet.index(symbol)][i - 1]
            for name in self.transformer.directions:
                value = abs(vector.get(name, ZERO))
                if name in vector and (best is None or value > best.value):
                    best = GreatestActivation(value, (*first[: i - 1], symbol, *first[i:]), i, name)
        return best

    def _key(self, first: Sequence[str], i: int, symbol: str) -> tuple[list[int], int]:
        """Return a sort key: the first word with a symbol at position i, and i."""
        return [self.transformer.alphabet.index(x) for x in (*first[: i - 1], symbol, *first[i:])], i
