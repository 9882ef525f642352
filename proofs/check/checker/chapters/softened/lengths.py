"""The transformer at one length: initial vectors of its positions, its layers, and those that words share.

If the heads of the first layers are all future-masked, the vectors in these layers at position i depend on the first i
symbols (and on n) only: words with a common prefix share them. The layers after them are run for each word.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, takewhile
from operator import add, attrgetter

from ...kernel.numbers import ZERO, bits_of
from ...kernel.reading.records import LinearForm
from ...kernel.verdicts import quote, within
from .forms import LayerForms
from .integers import Integers, common_denominator, scaled
from .layers import End, LayerAtLength, find_scales
from .memoisation import LengthTables, ResidualVector
from .reading import Softened
from .scored_heads import Scored
from .weights import Weighing

InitialVectors = dict[str, ResidualVector]
"""The initial vectors of a position, by symbol."""


def count_shared(forms: Sequence[LayerForms]) -> int:
    """Return the number of first layers that words with a common prefix share."""
    return sum(1 for _ in takewhile(attrgetter("looks_to_the_left"), forms))


def position_embeddings(given: Softened, n: int) -> list[LinearForm]:
    """Evaluate all position embeddings at each position, even unread ones."""
    embeddings = given.transformer.position_embedding.items()
    given.language.budget.spend(2 * n * len(embeddings))
    columns = {}
    for d, value in embeddings:
        with within(f"position embedding {quote(d)}"):
            columns[d] = [given.language.value_at(value, n, i) for i in range(1, n + 1)]
    return [{d: column[i] for d, column in columns.items()} for i in range(n)]


@dataclass(frozen=True)
class ShardResult:
    """The result of some words: their number, the least gap (None if no head had one), and counts of cached results.

    Attributes:
        profiles: the number of different pairs of a history and a query.
        ties: the number of these with several winners.
    """

    words: int
    gap: Fraction | None
    profiles: int
    vectors: int
    ties: int = 0


def least_gap(gaps: Iterable[Fraction | None]) -> Fraction | None:
    """Return the least gap, None without one."""
    return min((gap for gap in gaps if gap is not None), default=None)


class TransformerAtLength:
    """The transformer at one length, with the tables of its results.

    Attributes:
        cells: the initial vectors of each position.
        shared, rest: the layers that words with a common prefix share, and those after them.
    """

    def __init__(self, given: Softened, forms: Sequence[LayerForms], n: int) -> None:
        self._budget = given.language.budget
        self.memory, self.n, self._given = LengthTables(self._budget), n, given
        tokens, places = given.transformer.token_embedding, position_embeddings(given, n)
        numbers = chain.from_iterable(row.values() for row in (*tokens.values(), *places))
        self._begin = common_denominator(self._budget, numbers)
        self.layers = self._make_layers(forms, given.bounds(n))
        first, live = (self.layers[0], forms[0].live) if forms else (End(), ())
        with self._budget.holding(len(tokens) * bits_of([self._begin] * len(live))):
            rows = {symbol: self._scale_row(row, live) for symbol, row in tokens.items()}
            self.cells = [self._make_cell(first, rows, self._scale_row(placed, live)) for placed in places]
        self.shared, self.rest = self.layers[: count_shared(forms)], self.layers[count_shared(forms) :]

    def _make_layers(self, forms: Sequence[LayerForms], bounds: Sequence[LinearForm]) -> list[LayerAtLength]:
        """Build the layers, from the last one backwards, as each refers to the next one."""
        scales, begin = [], self._begin
        for layer in forms:
            scales.append(find_scales(self._budget, self.n, layer, begin))
            begin = scales[-1].end
        layers: list[LayerAtLength] = []
        weighing = Weighing(self._given.temperature(self.n), self._given.claim.weighting != "softmax")
        for number in reversed(range(len(forms))):
            stated, following = bounds[2 * number : 2 * number + 3], layers[-1] if layers else End()
            layers.append(LayerAtLength(self.memory, f"layer {number + 1}", stated, weighing, forms[number],
                                        scales[number], following))
        return layers[::-1]

    def _scale_row(self, row: LinearForm, live: Sequence[str]) -> Integers:
        """Return the live numbers of a row of an embedding over the scale of the first layer."""
        return tuple([scaled(self._budget, row.get(d, ZERO), self._begin) for d in live])

    def _make_cell(self, first: LayerAtLength | End, rows: Mapping[str, Integers], placed: Integers) -> InitialVectors:
        self.memory.keep(len(rows), 0)
        self._budget.spend(len(rows) * (1 + len(placed)))
        return {symbol: first.receive(tuple(map(add, row, placed))) for symbol, row in rows.items()}

    def result(self, words: int) -> ShardResult:
        """Return the result after this number of words."""
        scored = [head for layer in self.layers for head in layer.heads if isinstance(head, Scored)]
        return ShardResult(words, least_gap(head.gap for head in scored), sum(head.profiles for head in scored),
                           sum(len(layer.vectors) for layer in self.layers), sum(head.ties for head in scored))
