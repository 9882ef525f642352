"""The layers of a transformer at one length, on ids, and the initial activations."""

from collections.abc import Sequence
from fractions import Fraction

from constructions.network.run import embed
from constructions.network.transformer import Mask, Transformer
from proofs.softened.findings import GreatestActivation
from proofs.softened.hash_consing import Numbers, Pool, Vector
from proofs.softened.layers import LayerRun, read_from
from proofs.softened.least_gaps import Leads

ZERO = Fraction(0)


class Stack:
    """All layers; ``leads`` is told what their heads observe.

    ``starts`` has the initial vectors: for each position one for each symbol. The first ``below`` layers have heads
    that are all future-masked.
    """

    def __init__(self, transformer: Transformer, n: int, leads: Leads | None = None):
        self.transformer, self.n = transformer, n
        self.numbers, self.leads = Numbers(), leads or Leads(transformer.alphabet, n)
        self.layers: list[LayerRun] = []
        pool = Pool[Vector]()
        self._streams = [embed(transformer, (symbol,) * n) for symbol in transformer.alphabet]
        self.starts = self._enter(pool)
        for number in range(1, len(transformer.layers) + 1):
            self.layers.append(LayerRun(transformer, number, pool, self.numbers, self.leads))
            pool = self.layers[-1].after
        self.below = next((place for place, layer in enumerate(self.layers) if {*layer.masks} - {Mask.FUTURE}),
                          len(self.layers))

    def _enter(self, pool: Pool[Vector]) -> list[list[int]]:
        """Return the initial vectors: for each position, one for each symbol."""
        names = read_from(self.transformer, 1)
        return [[pool.id(tuple([self.numbers.id(stream[i].get(name, ZERO)) for name in names]))
                 for stream in self._streams] for i in range(self.n)]

    def find_x_max(self, prefix: Sequence[str]) -> GreatestActivation | None:
        """The greatest absolute value of an embedded entry; each symbol may stand at each position after the prefix."""
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
        """Return the order of the first word with a symbol at position i, and i."""
        return [self.transformer.alphabet.index(x) for x in (*first[: i - 1], symbol, *first[i:])], i
