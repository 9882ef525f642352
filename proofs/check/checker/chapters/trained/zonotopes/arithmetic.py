"""The operations of a proof by classes: `Reals` has those over the real numbers, floats/classes.py those of float runs.

Every operation states a form that contains what the network computes wherever its operands do.
"""

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import NamedTuple, Protocol

from ....kernel.budget import Budget
from ..reading.network import LogitRow, Network
from .affine import AffineForm, Linear, apply, charge, move, plus, shift_symbols
from .layers import AttentionMaps, NormMaps, UnitMaps, embed, make_maps, normed, pass_between, turned
from .linear_maps import make_rows
from .ranges import ColumnSource
from .scores import PathBounds, Vectors, scores, with_slope

Between = list[NormMaps | UnitMaps]


class AttentionOfClasses(Protocol):
    """An attention step; heads are numbered, positions are those of the tables."""

    def normed(self, stream: AffineForm) -> AffineForm:
        """Return the stream as the heads see it."""

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
        """What scores of all that a query in this column may see stand for: an average has just the weights exp of it.
        """

    def write(self, stream: AffineForm, averages: Sequence[AffineForm], sizes: Sequence[Sequence[int]], column: int
              ) -> AffineForm:
        """The stream with what the averages of the heads write, whose symbols, their own, follow those of the stream.

        ``sizes`` are of each head how great a coordinate of a value that it may see is.
        """

    def written(self, head: int, value: AffineForm) -> AffineForm:
        """What a head would write where its average is this."""

    def write_sum(self, stream: AffineForm, written: Sequence[AffineForm], sizes: Sequence[Sequence[int]], column: int
                  ) -> AffineForm:
        """Return the same as `write`, of what the heads write."""


class AttentionStage(NamedTuple):
    """An attention step with so many heads, and the steps after it up to the next one."""

    attention: AttentionOfClasses
    heads: int
    after: Between


class ArithmeticOfClasses(Protocol):
    """What a network computes with."""

    stages: list[AttentionStage]

    def point(self, token: int, position: int) -> AffineForm:
        """Return the stream of a token before the first attention step."""

    def between(self, steps: Between, x: AffineForm) -> AffineForm:
        """Return the stream after steps that look at one token alone."""

    def judged(self, stream: AffineForm) -> AffineForm:
        """What rows are linear forms of, from the last stream."""

    def make_rows(self, rows: Sequence[LogitRow]) -> Linear:
        """Return these rows as a map of what is judged."""


class Reals:
    """The real numbers."""

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
        """Return the stream after steps that look at one token alone."""
        return pass_between(self._budget, steps, x)

    def judged(self, stream: AffineForm) -> AffineForm:
        """Return the stream itself."""
        return stream

    def make_rows(self, rows: Sequence[LogitRow]) -> Linear:
        """Return these rows as a map of the stream."""
        return make_rows(self._budget, self._network.unembedding, rows)


class RealAttention:
    """An attention step over the real numbers."""

    def __init__(self, budget: Budget, maps: AttentionMaps) -> None:
        self._budget, self._maps = budget, maps

    def normed(self, stream: AffineForm) -> AffineForm:
        """Return the stream as the heads see it."""
        return normed(self._budget, self._maps.norm, stream)

    def key(self, head: int, read: AffineForm, position: int) -> AffineForm:
        """Return a key, turned."""
        return turned(self._budget, self._maps.rotary, position, apply(self._budget, self._maps.heads[head].key, read))

    def query(self, head: int, read: AffineForm, position: int) -> AffineForm:
        """Return a query with the scale of scores, turned."""
        return turned(self._budget, self._maps.rotary, position,
                      apply(self._budget, self._maps.heads[head].query, read))

    def value(self, head: int, read: AffineForm) -> AffineForm:
        """Return a value."""
        return apply(self._budget, self._maps.heads[head].value, read)

    def scores(self, head: int, query: Vectors, keys: Mapping[ColumnSource, Vectors], column: int
               ) -> dict[ColumnSource, PathBounds]:
        """Inner products, capped, with slopes."""
        slope = self._maps.heads[head].slope
        return {source: with_slope(scores(self._budget, query, key, self._maps.cap), slope, source[0] - column)
                for source, key in keys.items()}

    def logarithms(self, found: Mapping[ColumnSource, PathBounds], column: int) -> Mapping[ColumnSource, PathBounds]:
        """Return the scores."""
        return found

    def write(self, stream: AffineForm, averages: Sequence[AffineForm], sizes: Sequence[Sequence[int]], column: int
              ) -> AffineForm:
        """Return the stream, and each average through its matrix."""
        result, first = stream, stream.slots
        charge(self._budget, len(averages) * len(result.rows), first + sum(z.slots - 1 for z in averages))
        for head, z in zip(self._maps.heads, averages, strict=True):
            result = plus(result, shift_symbols(apply(self._budget, head.out, z), first - 1))
            first += z.slots - 1
        return result if self._maps.bias is None else move(result, self._maps.bias)

    def written(self, head: int, value: AffineForm) -> AffineForm:
        """Return the average through its matrix."""
        return apply(self._budget, self._maps.heads[head].out, value)

    def write_sum(self, stream: AffineForm, written: Sequence[AffineForm], sizes: Sequence[Sequence[int]], column: int
                  ) -> AffineForm:
        """Return the sum of all."""
        result = reduce(plus, written, stream)
        return result if self._maps.bias is None else move(result, self._maps.bias)
