"""The operations of a proof by abstract words under a float model: docs/background/floats_rules.md, section 7, Classes.

An average of an execution is compared with the one whose weights are exactly exp(score), for scores as they are stored,
each with the error of the exponentials. The stated ranges are about the latter; the difference is a radius.
"""

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import add, mul

from ....kernel.verdicts import require
from ..reading.network import LogitRow
from ..zonotopes.affine import UNIT, WEIGHT, AffineForm, Linear, apply, move, plus, promoted, shift_symbols
from ..zonotopes.arithmetic import AttentionStage, Between, RealAttention, Reals
from ..zonotopes.ranges import ColumnSource
from ..zonotopes.scores import PathBounds, Vectors
from .form_stack import ConcatenatedAttention, FloatStack, join_forms, make_row_maps


class FloatArithmetic(Reals):
    """The operations of executions under a float model, as `AbstractProof` needs them."""

    def __init__(self, stack: FloatStack) -> None:
        self._stack = stack
        self.stages = [AttentionStage(FloatAttention(self._stack, stage.attention), len(stage.attention.values),
                                      stage.after) for stage in self._stack.stages]

    def point(self, token: int, position: int) -> AffineForm:
        """Return the stream of a token before the first attention step."""
        return self._stack.embed(token, position)

    def between(self, steps: Between, x: AffineForm) -> AffineForm:
        """Return the stream after steps on a token alone."""
        return self._stack.between(steps, x)

    def judged(self, stream: AffineForm) -> AffineForm:
        """Return the logits."""
        return self._stack.logits(stream)

    def make_rows(self, rows: Sequence[LogitRow]) -> Linear:
        """Return the rows as a linear map of the logits."""
        return make_row_maps(self._stack.budget, rows, self._stack.network.outputs)


class FloatAttention(RealAttention):
    """An attention step of executions under a float model."""

    def __init__(self, stack: FloatStack, maps: ConcatenatedAttention) -> None:
        self._stack, self._operations, self._softmax, self._maps = stack, stack.operations, stack.softmax, maps

    def normed(self, stream: AffineForm) -> AffineForm:
        """Return the heads' input."""
        return promoted(self._operations.normed(self._maps.norm, stream))

    def key(self, head: int, read: AffineForm, position: int) -> AffineForm:
        """Return a key, with rotary positions."""
        return self._rotated(self._maps.key, head, read, position)

    def query(self, head: int, read: AffineForm, position: int) -> AffineForm:
        """Return a query, with rotary positions, without the scale of scores."""
        return self._rotated(self._maps.query, head, read, position)

    def value(self, head: int, read: AffineForm) -> AffineForm:
        """Return a value."""
        return self._operations.entering(self._stored(self._maps.value, self._maps.values[head], read))

    def _rotated(self, maps: Linear, head: int, read: AffineForm, position: int) -> AffineForm:
        x = self._stored(maps, self._maps.queries[head], read)
        return self._operations.entering(self._stack.rotated(self._maps, x, [range(len(x.rows))], position))

    def _stored(self, maps: Linear, part: range, read: AffineForm) -> AffineForm:
        own = slice(part.start, part.stop)
        return self._operations.linear(Linear(maps.columns[own], maps.absolute[own], maps.bias[own]), read)

    def scores(self, head: int, query: Vectors, keys: Mapping[ColumnSource, Vectors], column: int
               ) -> dict[ColumnSource, PathBounds]:
        """Enclose the stored scores."""
        slope = self._maps.slopes[head]
        biases = None if slope is None else [slope * (place - column) for place, *_ in keys]
        stored = self._softmax.bounds(query, list(keys.values()), self._maps.scale, biases, self._maps.cap)
        return dict(zip(keys, stored, strict=True))

    def logarithms(self, found: Mapping[ColumnSource, PathBounds], column: int) -> Mapping[ColumnSource, PathBounds]:
        """Enclose the log-weights: the scores, widened by the errors of exponentials.

        Raises:
            Rejected: if such an error may be more than 1.
        """
        least: dict[int, int] = {}
        for (place, *_), one in found.items():  # every word has one of them
            least[place] = min(one.least, least.get(place, one.least))
        errors = self._softmax.exponents([*found.values()], column + 1, max(least.values()))
        require(max(errors) <= UNIT, "the error of exponentials is too large")
        return {source: PathBounds(one.least - more, one.greatest + more)
                for (source, one), more in zip(found.items(), errors, strict=True)}

    def write(self, stream: AffineForm, averages: Sequence[AffineForm], sizes: Sequence[Sequence[int]], column: int
              ) -> AffineForm:
        """Return the stream plus the heads' output, one product."""
        moved, made, first = [], list[int](), stream.slots
        for z, greatest in zip(averages, sizes, strict=True):
            moved.append(shift_symbols(z, first - 1))
            made += self._softmax.beside(greatest, column + 1)
            first += z.slots - 1
        stored = self._operations.stored(join_forms(moved), made)
        return self._operations.sum(stream, self._operations.linear(self._maps.out, stored))

    def written(self, head: int, value: AffineForm) -> AffineForm:
        """Return the product over the reals of an average or value with W_O of a head."""
        out, part = self._maps.out, self._maps.values[head]
        own = slice(part.start, part.stop)
        columns, absolute = ([column[own] for column in those] for those in (out.columns, out.absolute))
        return apply(self._operations.budget, Linear(columns, absolute, [0] * len(columns)), value)

    def write_sum(self, stream: AffineForm, written: Sequence[AffineForm], sizes: Sequence[Sequence[int]], column: int
                  ) -> AffineForm:
        """Return the stream plus the output of all averages of an execution; its real products are near ``written``.

        Proof: docs/background/floats_rules.md, section 7, Inputs in tracks, By classes.
        """
        operations, out, off, most = self._operations, self._maps.out, list[int](), list[int]()
        for greatest in sizes:
            errors, entered = operations.entered(greatest, self._softmax.beside(greatest, column + 1))
            off += errors
            most += entered
        moved = [(sum(map(mul, weights, off)) + sum(off) >> WEIGHT) + 1 for weights in out.absolute]
        made = list(map(add, moved, operations.product_errors(out, most)))
        return operations.sum(stream, operations.stored(move(reduce(plus, written), out.bias), made))
