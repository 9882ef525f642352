"""The operations of a proof by abstract words: `Reals` over the reals, floats/classes.py under a float model.

Every operation returns a form that contains what the network computes wherever its operands do. Heads are numbered,
positions are those of the tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import NamedTuple

from ....kernel.budget import Budget
from ..reading.network import LogitRow, Network
from .affine import AffineForm, Linear, apply, charge, move, plus, shift_symbols
from .layers import AttentionMaps, embed, make_attention, normed, pass_between, rotated
from .linear_maps import make_rows
from .ranges import ColumnSource
from .scores import PathBounds, Vectors, scores, with_slope
from .step_maps import NormMaps, UnitMaps, make_maps

Between = list[NormMaps | UnitMaps]


class AttentionStage(NamedTuple):
    """An attention step, its number of heads, and the steps after it up to the next one."""

    attention: RealAttention
    heads: int
    after: Between


class Reals:
    """The arithmetic of the exact model; that of a float model overrides every method."""

    def __init__(self, budget: Budget, network: Network) -> None:
        self._budget, self._network = budget, network
        first, stages = network.stages
        self._first = [make_maps(budget, step) for step in first]
        self.stages = [AttentionStage(RealAttention(budget, make_attention(budget, step)), len(step.heads),
                                      [make_maps(budget, one) for one in after]) for step, after in stages]

    def point(self, token: int, position: int) -> AffineForm:
        """Return the stream of a token before the first attention step."""
        return self.between(self._first, embed(self._network, token, position))

    def between(self, steps: Between, x: AffineForm) -> AffineForm:
        """Return the stream after steps on a token alone."""
        return pass_between(self._budget, steps, x)

    def judged(self, stream: AffineForm) -> AffineForm:
        """Return the vector of which rows are linear forms, from the last stream: the stream itself."""
        return stream

    def make_rows(self, rows: Sequence[LogitRow]) -> Linear:
        """Return the rows as a linear map of the judged vector."""
        return make_rows(self._budget, self._network.unembedding, rows)


class RealAttention:
    """An attention step over the reals; one under a float model overrides every method."""

    def __init__(self, budget: Budget, maps: AttentionMaps) -> None:
        self._budget, self._step = budget, maps

    def normed(self, stream: AffineForm) -> AffineForm:
        """Return the heads' input."""
        return normed(self._budget, self._step.norm, stream)

    def key(self, head: int, read: AffineForm, position: int) -> AffineForm:
        """Return a key, with rotary positions."""
        return rotated(self._budget, self._step.rotary, position, apply(self._budget, self._step.heads[head].key, read))

    def query(self, head: int, read: AffineForm, position: int) -> AffineForm:
        """Return a query times the scale of scores, with rotary positions."""
        return rotated(self._budget, self._step.rotary, position,
                      apply(self._budget, self._step.heads[head].query, read))

    def value(self, head: int, read: AffineForm) -> AffineForm:
        """Return a value."""
        return apply(self._budget, self._step.heads[head].value, read)

    def scores(self, head: int, query: Vectors, keys: Mapping[ColumnSource, Vectors], column: int
               ) -> dict[ColumnSource, PathBounds]:
        """Return the scores of a query in this column: inner products, capped, with slopes."""
        slope = self._step.heads[head].slope
        return {source: with_slope(scores(self._budget, query, key, self._step.cap), slope, source[0] - column)
                for source, key in keys.items()}

    def logarithms(self, found: Mapping[ColumnSource, PathBounds], column: int) -> Mapping[ColumnSource, PathBounds]:
        """Return the log-weights of all scores that a query in this column may have: the scores."""
        return found

    def write(self, stream: AffineForm, averages: Sequence[AffineForm], sizes: Sequence[Sequence[int]], column: int
              ) -> AffineForm:
        """Return the stream plus each average times W_O, whose symbols follow the stream's; ``sizes`` bound values."""
        moved, first = list[AffineForm](), stream.slots
        charge(self._budget, len(averages) * len(stream.rows), first + sum(z.slots - 1 for z in averages))
        for head, z in zip(range(len(self._step.heads)), averages, strict=True):
            moved.append(shift_symbols(self.written(head, z), first - 1))
            first += z.slots - 1
        return self.write_sum(stream, moved, sizes, column)

    def written(self, head: int, value: AffineForm) -> AffineForm:
        """Return the product of an average or a value with W_O of a head."""
        return apply(self._budget, self._step.heads[head].out, value)

    def write_sum(self, stream: AffineForm, written: Sequence[AffineForm], sizes: Sequence[Sequence[int]], column: int
                  ) -> AffineForm:
        """Return the same as `write`, from the products with W_O."""
        result = reduce(plus, written, stream)
        return result if self._step.bias is None else move(result, self._step.bias)
