"""All words of one length under hard attention, exactly.

Claim       ``survey_words`` is exact for every word of length n that begins with the prefix: its gap and its tie are
            the first to occur in the order of words (by the order of the alphabet), positions, layers, heads.
Method      Layers up to the first one with a head that is not future-masked see only the prefix up to i: they are
            run on the tree of prefixes, depth first, the others word by word. What a prefix shows to later positions
            are ids of keys and values; where these have occurred before, at the same depth, so has all that
            follows, and it is skipped. The tree is walked in the order of words, so what occurs first is found first.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from constructions.errors import InputError
from constructions.network.run import embed
from constructions.network.transformer import Mask, Transformer
from proofs.perturbation.findings import Entry, Lead, Survey, taken
from proofs.perturbation.heads import HardAttention
from proofs.perturbation.interning import Memo, Numbers, Pool, Vector
from proofs.perturbation.layers import LayerRun, read_from

ZERO = Fraction(0)
Shown = tuple[tuple[int, ...], ...]
"""For each head below: the ids of the keys and values so far; at the end, those of the vectors above."""


def survey_words(transformer: Transformer, n: int, prefix: Sequence[str] = ()) -> Survey:
    """What hard attention does on all words of length n that begin with ``prefix``.

    Raises:
        InputError: if the prefix is no prefix of such a word, or an embedding is not defined at some position.
        Unsupported: if a head is soft and not uniform.
    """
    if n < 1 or len(prefix) > n:
        raise InputError(f"words of length {n} that begin with {len(prefix)} given symbols, expected at most n >= 1")
    for symbol in prefix:
        if symbol not in transformer.alphabet:
            raise InputError(f"prefix: {symbol!r}, expected a symbol of the alphabet {' '.join(transformer.alphabet)}")
    walk = _Walk(transformer, n)
    walk.run([transformer.alphabet.index(symbol) for symbol in prefix])
    return Survey(
        transformer.alphabet, n, len(transformer.alphabet) ** (n - len(prefix)), None if walk.tie else walk.gap,
        walk.tie, walk.find_x_max(prefix),
        {} if walk.tie else {(number, place): head.finish() for number, layer in enumerate(walk.layers, start=1)
                             for place, head in enumerate(layer.heads, start=1) if isinstance(head, HardAttention)},
        {} if walk.tie else {(number, form): taken(walk.numbers[x] for x in numbers)
                             for number, layer in enumerate(walk.layers, start=1)
                             for form, numbers in layer.feedforward.taken.items()})


class _Walk:
    """One walk over the tree of words; it observes its heads, and knows which word and position they are at."""

    def __init__(self, transformer: Transformer, n: int):
        self.transformer, self.n = transformer, n
        self.numbers = Numbers()
        self.gap: Lead | None = None
        self.tie: Lead | None = None
        self._word = [0] * n
        self._i = 1
        self.layers: list[LayerRun] = []
        pool = Pool[Vector]()
        self._streams = [embed(transformer, (symbol,) * n) for symbol in transformer.alphabet]
        self._starts = self._enter(pool)
        for number in range(1, len(transformer.layers) + 1):
            self.layers.append(LayerRun(transformer, number, pool, self.numbers, self))
            pool = self.layers[-1].after
        below = next((place for place, layer in enumerate(self.layers) if {*layer.masks} - {Mask.FUTURE}),
                     len(self.layers))
        self._below, self._above = self.layers[:below], self.layers[below:]
        self._shown: list[Memo[Shown, list[bool]]] = [Memo(lambda _: []) for _ in range(n + 1)]

    def _enter(self, pool: Pool[Vector]) -> list[list[int]]:
        """The initial vectors: for each position, one for each symbol."""
        names = read_from(self.transformer, 1)
        return [[pool.id(tuple([self.numbers.id(stream[i].get(name, ZERO)) for name in names]))
                 for stream in self._streams] for i in range(self.n)]

    # -- observing -----------------------------------------------------------------------------------------------------

    def note_gap(self, gap: Fraction, layer: int, place: int) -> None:
        """Keep the least gap; of equal ones the first."""
        if self.gap is None or gap <= self.gap.value:
            self.gap = self._earlier(self.gap, gap, layer, place)

    def note_tie(self, layer: int, place: int) -> None:
        """Keep the first tie."""
        self.tie = self._earlier(self.tie, ZERO, layer, place)

    def _earlier(self, known: Lead | None, value: Fraction, layer: int, place: int) -> Lead:
        """What is observed here, unless what is known has the same value and comes no later."""
        found = Lead(value, tuple(self.transformer.alphabet[x] for x in self._word), self._i, layer, place)
        return found if known is None or known.value > value or self._order(found) < self._order(known) else known

    def _order(self, lead: Lead) -> tuple[list[int], int, int, int]:
        return [self.transformer.alphabet.index(x) for x in lead.word], lead.i, lead.layer, lead.head

    # -- walking -------------------------------------------------------------------------------------------------------

    def run(self, prefix: Sequence[int]) -> None:
        """Visit all words with this prefix, in order, up to the first one with a tie."""
        shown: Shown = ((),) * (sum(len(layer.heads) for layer in self._below) + 1)
        for i, letter in enumerate(prefix, start=1):
            shown = self._extend(shown, i, letter)
        self._visit(shown, len(prefix))

    def _visit(self, shown: Shown, depth: int) -> None:
        """Visit the words that go on from a prefix; nothing if another one has shown the same before."""
        if depth == self.n:
            self._run_above(shown[-1])
            return
        visited = self._shown[depth][shown]
        if visited:
            return
        visited.append(True)
        for letter in range(len(self.transformer.alphabet)):
            self._visit(self._extend(shown, depth + 1, letter), depth + 1)
            if self.tie:
                return
        self._word[depth] = 0

    def _extend(self, shown: Shown, i: int, letter: int) -> Shown:
        """Run the layers below at position i, with this letter there."""
        self._word[i - 1], self._i = letter, i
        vector = self._starts[i - 1][letter]
        longer: list[tuple[int, ...]] = []
        for layer in self._below:
            step = [vector]
            for outcomes, (query, seen) in zip(layer.outcomes, layer.read[vector], strict=True):
                visible = (*shown[len(longer)], seen)
                longer.append(visible)
                step.append(outcomes[query, visible])
            vector = layer.steps[tuple(step)]
        longer.append((*shown[-1], vector) if self._above else ())
        return tuple(longer)

    def _run_above(self, vectors: tuple[int, ...]) -> None:
        """Run the layers above on one word."""
        for layer in self._above:
            read = [layer.read[vector] for vector in vectors]
            steps: list[list[int]] = [[vector] for vector in vectors]
            for place, (mask, outcomes) in enumerate(zip(layer.masks, layer.outcomes, strict=True)):
                seen = tuple([at[place][1] for at in read])
                for i, (at, step) in enumerate(zip(read, steps, strict=True), start=1):
                    self._i = i
                    visible = mask.visible(i, self.n)
                    step.append(outcomes[at[place][0], seen[visible.start - 1 : visible.stop - 1]])
            vectors = tuple([layer.steps[tuple(step)] for step in steps])

    # -- initial activations -------------------------------------------------------------------------------------------

    def find_x_max(self, prefix: Sequence[str]) -> Entry | None:
        """The greatest absolute value of an embedded entry; each symbol may stand at each position after the prefix."""
        best: Entry | None = None
        alphabet = self.transformer.alphabet
        first = (*prefix, *(alphabet[0] for _ in range(self.n - len(prefix))))
        candidates = [(i, symbol) for i in range(1, self.n + 1)
                      for symbol in ((prefix[i - 1],) if i <= len(prefix) else alphabet)]
        for i, symbol in sorted(candidates, key=lambda at: self._key(first, *at)):
            vector = self._streams[alphabet.index(symbol)][i - 1]
            for name in self.transformer.directions:
                value = abs(vector.get(name, ZERO))
                if name in vector and (best is None or value > best.value):
                    best = Entry(value, (*first[: i - 1], symbol, *first[i:]), i, name)
        return best

    def _key(self, first: Sequence[str], i: int, symbol: str) -> tuple[list[int], int]:
        """The order of the first word with a symbol at position i, and i."""
        return [self.transformer.alphabet.index(x) for x in (*first[: i - 1], symbol, *first[i:])], i
