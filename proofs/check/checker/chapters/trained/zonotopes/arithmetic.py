"""The operations of a proof by abstract words: `Reals` over the reals, floats/classes.py under a float model.

Every operation returns a form that contains what the network computes wherever its operands do.
"""

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import NamedTuple, Protocol

from ....kernel.budget import Budget
from ..reading.network import LogitRow, Network
from .affine import AffineForm, Linear, apply, charge, move, plus, shift_symbols
from .layers import AttentionMaps, NormMaps, UnitMaps, embed, make_maps, normed, pass_between, rotated
from .linear_maps import make_rows
from .ranges import ColumnSource
from .scores import PathBounds, Vectors, scores, with_slope

Between = list[NormMaps | UnitMaps]


class AttentionOfClasses(Protocol):
    """An attention step; heads are numbered, positions are those of the tables."""

    def normed(self, stream: AffineForm) -> AffineForm:
        """Return the heads' input."""

    def key(self, head: int, read: AffineForm, position: int) -> AffineForm:
        """Return a key, as it enters scores."""

    def query(self, head: int, read: AffineForm, position: int) -> AffineForm:
        """Return a query, as it enters scores."""

    def value(self, head: int, read: AffineForm) -> AffineForm:
        """Return a value, as it is averaged."""

    def scores(self, head: int, query: Vectors, keys: Mapping[ColumnSource, Vectors], column: int
               ) -> dict[ColumnSource, PathBounds]:
        """Return the scores of a query in this column."""

    def logarithms(self, found: Mapping[ColumnSource, PathBounds], column: int) -> Mapping[ColumnSource, PathBounds]:
        """Return the log-weights of all scores that a query in this column may have: weights are exp of them."""

    def write(self, stream: AffineForm, averages: Sequence[AffineForm], sizes: Sequence[Sequence[int]], column: int
              ) -> AffineForm:
        """Return the stream plus the heads' output, with new symbols after the stream's; ``sizes`` bound the values."""

    def written(self, head: int, value: AffineForm) -> AffineForm:
        """Return the product of an average or a value with W_O of a head."""

    def write_sum(self, stream: AffineForm, written: Sequence[AffineForm], sizes: Sequence[Sequence[int]], column: int
                  ) -> AffineForm:
        """Return the same as `write`, from the products with W_O."""


class AttentionStage(NamedTuple):
    """An attention step, its number of heads, and the steps after it up to the next one."""

    attention: AttentionOfClasses
    heads: int
    after: Between


class ArithmeticOfClasses(Protocol):
    """The arithmetic of a network's execution."""

    stages: list[AttentionStage]

    def point(self, token: int, position: int) -> AffineForm:
        """Return the stream of a token before the first attention step."""

    def between(self, steps: Between, x: AffineForm) -> AffineForm:
        """Return the stream after steps on a token alone."""

    def judged(self, stream: AffineForm) -> AffineForm:
        """Return the vector of which rows are linear forms, from the last stream."""

    def make_rows(self, rows: Sequence[LogitRow]) -> Linear:
        """Return these rows as a linear map of the judged vector."""


class Reals:
    """The arithmetic of the exact model."""

    def __init__(self, budget: Budget, network: Network) -> None:
        self._budget, self._network = budget, network
        self._first: Between = []
        self.stages: list[AttentionStage] = []
        for step in network.steps:
            maps = make_maps(budget, step)
            if isinstance(maps, AttentionMaps):
                self.stages.append(AttentionStage(RealAttention(budget, maps), len(maps.heads), []))
            else:
                (self.stages[-1].after if self.stages else self._first).append(maps)

    def point(self, token: int, position: int) -> AffineForm:
        """Return the stream of a token before the first attention step."""
        return self.between(self._first, embed(self._network, token, position))

    def between(self, steps: Between, x: AffineForm) -> AffineForm:
        """Return the stream after steps on a token alone."""
        return pass_between(self._budget, steps, x)

    def judged(self, stream: AffineForm) -> AffineForm:
        """Return the stream itself."""
        return stream

    def make_rows(self, rows: Sequence[LogitRow]) -> Linear:
        """Return the rows as a linear map of the stream."""
        return make_rows(self._budget, self._network.unembedding, rows)


class RealAttention:
    """An attention step over the reals."""

    def __init__(self, budget: Budget, maps: AttentionMaps) -> None:
        self._budget, self._maps = budget, maps

    def normed(self, stream: AffineForm) -> AffineForm:
        """Return the heads' input."""
        return normed(self._budget, self._maps.norm, stream)

    def key(self, head: int, read: AffineForm, position: int) -> AffineForm:
        """Return a key, with rotary positions."""
        return rotated(self._budget, self._maps.rotary, position, apply(self._budget, self._maps.heads[head].key, read))

    def query(self, head: int, read: AffineForm, position: int) -> AffineForm:
        """Return a query times the scale of scores, with rotary positions."""
        return rotated(self._budget, self._maps.rotary, position,
                      apply(self._budget, self._maps.heads[head].query, read))

    def value(self, head: int, read: AffineForm) -> AffineForm:
        """Return a value."""
        return apply(self._budget, self._maps.heads[head].value, read)

    def scores(self, head: int, query: Vectors, keys: Mapping[ColumnSource, Vectors], column: int
               ) -> dict[ColumnSource, PathBounds]:
        """Return inner products, capped, with slopes."""
        slope = self._maps.heads[head].slope
        return {source: with_slope(scores(self._budget, query, key, self._maps.cap), slope, source[0] - column)
                for source, key in keys.items()}

    def logarithms(self, found: Mapping[ColumnSource, PathBounds], column: int) -> Mapping[ColumnSource, PathBounds]:
        """Return the scores."""
        return found

    def write(self, stream: AffineForm, averages: Sequence[AffineForm], sizes: Sequence[Sequence[int]], column: int
              ) -> AffineForm:
        """Return the stream plus each average times W_O."""
        result, first = stream, stream.slots
        charge(self._budget, len(averages) * len(result.rows), first + sum(z.slots - 1 for z in averages))
        for head, z in zip(self._maps.heads, averages, strict=True):
            result = plus(result, shift_symbols(apply(self._budget, head.out, z), first - 1))
            first += z.slots - 1
        return result if self._maps.bias is None else move(result, self._maps.bias)

    def written(self, head: int, value: AffineForm) -> AffineForm:
        """Return the product with W_O."""
        return apply(self._budget, self._maps.heads[head].out, value)

    def write_sum(self, stream: AffineForm, written: Sequence[AffineForm], sizes: Sequence[Sequence[int]], column: int
                  ) -> AffineForm:
        """Return the sum of all."""
        result = reduce(plus, written, stream)
        return result if self._maps.bias is None else move(result, self._maps.bias)
