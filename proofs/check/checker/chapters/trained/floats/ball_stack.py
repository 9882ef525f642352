"""A network in ball arithmetic, with error bounds for every execution under a float model.

docs/floats.md, section 7, Balls. Numbers are those of ../balls/stack.py, of the network with rounded weights; errors
include those of executions.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from ....kernel.budget import Budget
from ....kernel.exponential import floor_shift
from ....kernel.verdicts import Rejected
from ...float_models.reading import FloatClaim
from ...float_models.roundoff import tiny
from ..balls.exact import ExactLinear, below, linear, select, zeros
from ..balls.heads import HeadAverage, TokenProjections
from ..balls.precision import NORM_BITS, Logits, Precision, Stream, Undecided, ceil_norm, ceil_sqrt
from ..balls.stack import Alone, AttentionOnNumbers, NormOfStream, RowsOnNumbers, Stack, UnitsOnNumbers
from ..reading.network import AttentionStep, LogitRow, Network, Norm, NormStep, UnitsStep
from .ball_heads import HeadOnBalls
from .balls import SHARE, Balls, InputOnBalls, ProductOnBalls, SumOnBalls, greatest_gain, share
from .casting import balls_have_rules, embedded

TABLE_BITS = 6  # tables of activations may err by 2^-(p + 6), p the precision of storage


class NormOnBalls(NormOfStream):
    """A step that normalises the stream."""

    def __init__(self, balls: Balls, norm: Norm, width: int, reads: int) -> None:
        super().__init__(balls.precision, balls.budget, norm, width, reads)
        self._input = InputOnBalls(balls, norm, width)
        self._more = (self._input.more * share(greatest_gain(norm)) >> SHARE) + 1 + self._input.off

    def apply(self, stream: Stream) -> Stream:
        """Return the stream after the step."""
        x, e = super().apply(self._input.widened(stream))
        return x, e + self._more


class UnitsOnBalls(UnitsOnNumbers):
    """A feed-forward block without a gate: ``relu``, ``gelu`` or ``tanh``."""

    def __init__(self, balls: Balls, step: UnitsStep, width: int, reads: int) -> None:
        super().__init__(balls.precision, balls.budget, step, width, reads,
                         max(1, balls.precision.one >> balls.run.storage.precision + TABLE_BITS))
        units, one, lost = step.inward.weight.width, balls.precision.one, 4 * tiny(balls.run.softmax)
        self._input, self._sum = InputOnBalls(balls, step.norm, width), SumOnBalls(balls, width)
        self._inward, self._outward = (ProductOnBalls(balls, linear(one)) for one in (step.inward, step.outward))
        self._stored, self._most = balls.stored(units), balls.below(balls.run.softmax, 2)
        self._exact, tanh = step.activation == "relu", step.activation == "tanh"
        self._share = share(lost if tanh else 5 * balls.u + balls.function + lost)
        self._constant = self._side * balls.number(lost + (balls.function if tanh else 0)) + 2
        if tanh and 2 * one >= self._most:
            raise Undecided

    def apply(self, stream: Stream) -> Stream:
        """Return the stream after the step."""
        read, e = self._reading.apply(self._input.widened(stream))
        e_read, off, size = self._input.read(read, e)
        x = self._in.apply(read)
        e = self._in.error(e_read) + self._inward.off(off, size)
        e += self._stored.off(ceil_norm(x) + e)
        size = ceil_norm(x) + e
        hidden = self._activation.apply(x)
        e = self._activation.spread(e) + self._rounding
        if not self._exact:
            if size >= self._most:
                raise Undecided
            e += (self._share * size >> SHARE) + self._constant
            e += self._stored.off(ceil_norm(hidden) + e)
        e_out = self._out.error(e) + self._outward.off(0, ceil_norm(hidden) + e)
        return self._sum.add(stream, self._write(hidden), e_out)


class AttentionOnBalls(AttentionOnNumbers):
    """An attention step."""

    def __init__(self, balls: Balls, step: AttentionStep, width: int, reads: int, length: int) -> None:
        super().__init__(balls.precision, balls.budget, step, width, reads, length)
        self._input, self._sum = InputOnBalls(balls, step.norm, width), SumOnBalls(balls, width)
        self._of_runs = [HeadOnBalls(balls, step, head, (known.query, known.key, known.value), length)
                         for head, known in zip(step.heads, self.heads, strict=True)]
        self.heads = [*self._of_runs]
        whole = ExactLinear(below([head.out for head in step.heads]), step.bias or zeros(width))
        self._product, self._stored = ProductOnBalls(balls, whole), balls.stored(len(whole.weight.rows))

    def see(self, stream: Stream, position: int, asks: bool) -> list[TokenProjections]:
        """Return each head's projections of a token; without a query unless ``asks``."""
        read, e = self._reading.apply(self._input.widened(stream))
        e, off, size = self._input.read(read, e)
        made = (self._all if asks else self._seen).apply(read)
        return [head.see_read(made[query] if asks else (), made[key], made[value], e, off, size)
                for head, (query, key, value) in zip(self._of_runs, self._slices, strict=True)]

    def write(self, stream: Stream, averages: Sequence[HeadAverage]) -> Stream:
        """Return the stream plus the heads' output."""
        z = [one for average in averages for one in average.numbers]
        e = sum((average.error * head.out_norm >> NORM_BITS) + 1
                for average, head in zip(averages, self._of_runs, strict=True))
        size = ceil_norm(average.size for average in averages)
        apart = ceil_norm(average.size - ceil_norm(average.numbers) for average in averages)
        off = min(self._stored.off(size), self._stored.of(z, apart))
        return self._sum.add(stream, self._out.apply(z), e + self._out.error(0) + self._product.off(off, size + off))


class RowsOnBalls(RowsOnNumbers):
    """All rows of the claim, of stored logits."""

    def __init__(self, balls: Balls, network: Network, norm: Norm | None, width: int, rows: Sequence[LogitRow],
                 margin: Fraction, reads: int) -> None:
        super().__init__(balls.precision, balls.budget, network, norm, width, rows, margin, reads)
        self._input, self._reads, self._stored = InputOnBalls(balls, norm, width), reads, balls.stored(1)
        used = sorted({token for row in rows for token, _ in row})
        self._logits = [ProductOnBalls(balls, select(linear(network.unembedding), [token])) for token in used]

    def logits(self, stream: Stream) -> Logits:
        """Return the logits that occur in rows, and the error bound of their input."""
        z, e = super().logits(self._input.widened(stream))
        return Logits(z, e + self._input.more)

    def values(self, logits: Logits, rows: Sequence[int]) -> list[tuple[int, int]]:
        """Return the value and the error bound of each of these rows."""
        off = self._off(logits)
        return [(value, error + sum([abs(c) * off[place] for place, c in self._forms[row]]))
                for row, (value, error) in zip(rows, super().values(logits, rows), strict=True)]

    def _off(self, logits: Logits) -> list[int]:
        """Bound the error of each logit beyond that of the product's input."""
        z, e = logits
        self._budget.spend(2 * len(self._logits))
        size = self._input.size or self._reads + e
        made = [one.off(self._input.off, size) for one in self._logits]
        common = self._product.error(e)  # the spectral norm is at least that of each column
        return [more + self._stored.off(abs(x) + common + more) for x, more in zip(z, made, strict=True)]

    def are_above(self, logits: Logits, rows: Sequence[int]) -> bool:
        """Return whether these rows are above the margin in every execution.

        Raises:
            Undecided: if numbers are too large.
        """
        return all(value - error > self.least[row]
                   for row, (value, error) in zip(rows, self.values(logits, rows), strict=True))


class StackOnBalls(Stack):
    """The network with rounded weights at a precision, in all executions under a float model.

    Raises:
        Undecided: if some words have no finite bounds.
    """

    def __init__(self, precision: Precision, budget: Budget, network: Network, tokens: Iterable[int],
                 rows: Sequence[LogitRow], margin: Fraction, length: int, run: FloatClaim) -> None:
        if not balls_have_rules(network):
            raise Undecided
        self._balls = Balls(run, precision, budget)
        try:
            super().__init__(precision, budget, network, tokens, rows, margin, length)
        except Rejected:
            raise Undecided from None
        self.cost *= 2

    def embed(self, token: int, position: int) -> Stream:
        """Return the stream before the first step: one number in all executions, unless it is flushed."""
        row, power = embedded(self._balls.run, self.network, token, position)
        x = [floor_shift(w, power + self.precision.fraction) for w in row]
        return x, ceil_sqrt(len(x)) * (1 + self._balls.number(tiny(self._balls.run.storage)))

    def _embedding_bound(self, tokens: Iterable[int]) -> int:
        exact = super()._embedding_bound(tokens)
        return exact + self._balls.rounded(self._balls.run.storage, self.network.width).off(exact)

    def _make_alone(self, step: NormStep | UnitsStep) -> Alone:
        if isinstance(step, UnitsStep):
            return UnitsOnBalls(self._balls, step, self._width, self._bound)
        return NormOnBalls(self._balls, step.norm, self._width, self._bound)

    def _make_attention(self, step: AttentionStep) -> AttentionOnNumbers:
        return AttentionOnBalls(self._balls, step, self._width, self._bound, self._length)

    def _make_rows(self, norm: Norm | None, rows: Sequence[LogitRow], margin: Fraction) -> RowsOnNumbers:
        return RowsOnBalls(self._balls, self.network, norm, self._width, rows, margin, self._bound)
