"""A network in ball arithmetic, with error bounds for every execution under a float model.

docs/background/floats_rules.md, section 7, Balls. Numbers are those of ../balls/stack.py, of the network with rounded
weights; errors include those of executions.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any, cast

from ....kernel.budget import Budget
from ....kernel.exponential import floor_shift
from ....kernel.verdicts import Rejected
from ...float_models.reading import FloatClaim
from ...float_models.roundoff import tiny
from ..balls.exact import ExactLinear, below, linear, select, zeros
from ..balls.heads import HeadAverage, TokenProjections
from ..balls.precision import NORM_BITS, Logits, Precision, Stream, Undecided, ceil_norm, ceil_sqrt
from ..balls.stack import AttentionOnNumbers, NormOfStream, RowsOnNumbers, Stack, UnitsOnNumbers
from ..balls.steps_on_tokens import StepOnTokens
from ..reading.network import AttentionStep, LogitRow, Network, Norm, NormStep, UnitsStep
from ..zonotopes.affine import spread
from .ball_heads import HeadOnBalls
from .balls import SHARE, Balls, InputOnBalls, ProductOnBalls, SumOnBalls, greatest_gain, share
from .casting import balls_have_rules, embedded
from .rounding import TABLE_BITS


class NormOnBalls(NormOfStream):
    """A step that normalises the stream."""

    def __init__(self, balls: Balls, norm: Norm, width: int, reads: int) -> None:
        super().__init__(balls.precision, balls.budget, norm, width, reads)
        self._input = InputOnBalls(balls, norm, width)
        self._more = (self._input.more * share(greatest_gain(norm)) >> SHARE) + 1 + self._input.gain_error

    def apply(self, stream: Stream) -> Stream:
        """Return the stream after the step."""
        x, e = super().apply(self._input.widened(stream))
        return x, e + self._more


class UnitsOnBalls(UnitsOnNumbers):
    """A feed-forward block without a gate: ``relu``, ``gelu`` or ``tanh``."""

    def __init__(self, balls: Balls, step: UnitsStep, width: int, reads: int) -> None:
        super().__init__(balls.precision, balls.budget, step, width, reads,
                         max(1, balls.precision.one >> balls.model.storage.precision + TABLE_BITS))
        units, one, lost = step.inward.weight.width, balls.precision.one, 4 * tiny(balls.model.softmax)
        self._input, self._sum = InputOnBalls(balls, step.norm, width), SumOnBalls(balls, width)
        self._inward, self._outward = (ProductOnBalls(balls, linear(one)) for one in (step.inward, step.outward))
        self._stored, self._most = balls.stored(units), balls.below(balls.model.softmax, 2)
        self._exact, tanh = step.activation == "relu", step.activation == "tanh"
        self._share = share(lost if tanh else 5 * balls.u + balls.function + lost)
        self._constant = self._side * balls.number(lost + (balls.function if tanh else 0)) + 2
        if tanh and 2 * one >= self._most:
            raise Undecided

    def apply(self, stream: Stream) -> Stream:
        """Return the stream after the step."""
        read, e = self._reading.apply(self._input.widened(stream))
        e_read, gain_error, size = self._input.read(read, e)
        x = self._in.apply(read)
        e = self._in.error(e_read) + self._inward.error(gain_error, size)
        e += self._stored.error(ceil_norm(x) + e)
        size = ceil_norm(x) + e
        hidden = self._activation.apply(x)
        e = self._activation.propagated_error(e) + self._rounding
        if not self._exact:
            if size >= self._most:
                raise Undecided
            e += (self._share * size >> SHARE) + self._constant
            e += self._stored.error(ceil_norm(hidden) + e)
        e_out = self._out.error(e) + self._outward.error(0, ceil_norm(hidden) + e)
        return self._sum.add(stream, self._write(hidden), e_out)


class AttentionOnBalls(AttentionOnNumbers):
    """An attention step."""

    def __init__(self, balls: Balls, step: AttentionStep, width: int, reads: int, length: int) -> None:
        super().__init__(balls.precision, balls.budget, step, width, reads, length)
        self._input, self._sum = InputOnBalls(balls, step.norm, width), SumOnBalls(balls, width)
        self._ball_heads = [HeadOnBalls(balls, step, head, (known.query, known.key, known.value), length)
                         for head, known in zip(step.heads, self.heads, strict=True)]
        self.heads = [*self._ball_heads]
        whole = ExactLinear(below([head.out for head in step.heads]), step.bias or zeros(width))
        self._product, self._stored = ProductOnBalls(balls, whole), balls.stored(len(whole.weight.rows))

    def project(self, stream: Stream, position: int, with_query: bool) -> list[TokenProjections]:
        """Return each head's projections of a token; with a query if ``with_query``."""
        read, e = self._reading.apply(self._input.widened(stream))
        e, gain_error, size = self._input.read(read, e)
        made = (self._all if with_query else self._keys_and_values).apply(read)
        return [head.project_read(made[query] if with_query else (), made[key], made[value], e, gain_error, size)
                for head, (query, key, value) in zip(self._ball_heads, self._slices, strict=True)]

    def write(self, stream: Stream, averages: Sequence[HeadAverage]) -> Stream:
        """Return the stream plus the heads' output."""
        z = [one for average in averages for one in average.numbers]
        e = sum((average.error * head.out_norm >> NORM_BITS) + 1
                for average, head in zip(averages, self._ball_heads, strict=True))
        size = ceil_norm(average.size for average in averages)
        apart = ceil_norm(average.size - ceil_norm(average.numbers) for average in averages)
        stored = min(self._stored.error(size), self._stored.error_near(z, apart))
        e += self._out.error(0) + self._product.error(stored, size + stored)
        return self._sum.add(stream, self._out.apply(z), e)


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
        errors = self._logit_errors(logits)
        return [(value, error + sum([abs(c) * errors[place] for place, c in self._forms[row]]))
                for row, (value, error) in zip(rows, super().values(logits, rows), strict=True)]

    def _logit_errors(self, logits: Logits) -> list[int]:
        """Bound the error of each logit beyond that of the product's input."""
        z, e = logits
        self._budget.spend(2 * len(self._logits))
        size = self._input.size or self._reads + e
        made = [one.error(self._input.gain_error, size) for one in self._logits]
        common = self._product.error(e)  # the spectral norm is at least that of each column
        return [more + self._stored.error(abs(x) + common + more) for x, more in zip(z, made, strict=True)]


class StackOnBalls(Stack):
    """The network with rounded weights at a precision, in all executions under a float model.

    Raises:
        Undecided: if some words have no finite bounds.
    """

    def __init__(self, precision: Precision, budget: Budget, network: Network, tokens: Iterable[int],
                 rows: Sequence[LogitRow], margin: Fraction, length: int, model: FloatClaim) -> None:
        if not balls_have_rules(network) or "eights" in model.also:
            raise Undecided
        self._balls = Balls(model, precision, budget)
        try:
            super().__init__(precision, budget, network, tokens, rows, margin, length)
        except Rejected:
            raise Undecided from None
        self.cost *= 2

    def embed(self, token: int, position: int) -> Stream:
        """Return the stream before the first step: one number in all executions, unless it is flushed."""
        row, power = embedded(self._balls.model, self.network, token, position)
        x = [floor_shift(w, power + self.precision.fraction) for w in row]
        return x, ceil_sqrt(len(x)) * (1 + self._balls.number(tiny(self._balls.model.storage)))

    def project_first(self, token: int, position: int) -> tuple[Stream, list[TokenProjections]]:
        """Return the stream before the first attention, and its projections there; on forms, if inputs are rounded."""
        model, forms = self._balls.model, self._forms
        if not self.blocks or model.inputs == model.sums:
            return super().project_first(token, position)
        there, (keys, values, _) = forms.project(forms.stages[0], forms.embed(token, position), 0, position)
        queries = forms.queries(forms.stages[0].attention, there.read, position)
        known = spread(self.budget, there.stream)
        return (known.centres, ceil_norm(known.reaches)), [
            cast("HeadOnBalls", head).project_forms((forms.softmax, query, key), value.known)
            for head, query, key, value in zip(self.blocks[0][0].heads, queries, keys, values, strict=True)]

    @cached_property
    def _forms(self) -> Any:
        from .form_stack import FloatStack

        return FloatStack(self.budget, self.network, self._balls.model)

    def _embedding_bound(self, tokens: Iterable[int]) -> int:
        exact = super()._embedding_bound(tokens)
        return exact + self._balls.rounded(self._balls.model.storage, self.network.width).error(exact)

    def _make_token_step(self, step: NormStep | UnitsStep) -> StepOnTokens:
        if isinstance(step, UnitsStep):
            return UnitsOnBalls(self._balls, step, self._width, self._bound)
        return NormOnBalls(self._balls, step.norm, self._width, self._bound)

    def _make_attention(self, step: AttentionStep) -> AttentionOnNumbers:
        return AttentionOnBalls(self._balls, step, self._width, self._bound, self._length)

    def _make_rows(self, norm: Norm | None, rows: Sequence[LogitRow], margin: Fraction) -> RowsOnNumbers:
        return RowsOnBalls(self._balls, self.network, norm, self._width, rows, margin, self._bound)
