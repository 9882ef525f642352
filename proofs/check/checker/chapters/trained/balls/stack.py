"""A network in ball arithmetic: steps on each token, attention between them, and rows of logits.

The stream of a token is a vector x with an error bound e in the 2-norm, `Stream`. Norms of the vectors themselves are
bounded once, from the embeddings on, for all words over the claim's tokens.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate, pairwise
from math import lcm
from operator import add as plus
from typing import TYPE_CHECKING

from ....kernel.budget import Budget
from ....kernel.exponential import ceil_shift, floor_shift
from ....kernel.numbers import INTEGER_BITS
from ..reading.dyadics import Vector
from ..reading.network import AttentionStep, LogitRow, Network, Norm, NormStep, Rounding, UnitsStep
from .activations import Activation
from .exact import ExactLinear, after_norm, below, linear, select, zeros
from .exponentials import Exponentials
from .heads import HeadAverage, HeadOnNumbers, TokenProjections, maps_of_heads
from .linear import LinearOnNumbers, MapsBeside, spectral_norm
from .precision import NORM_BITS, Logits, Precision, Stream, ceil_norm, ceil_sqrt
from .steps_on_tokens import StepInput, StepOnTokens

if TYPE_CHECKING:
    from .score_caps import ScoreCap


class NormOfStream(StepOnTokens):
    """A step that normalises the stream; gain and bias are applied entry by entry, rounded as in `LinearOnNumbers`."""

    def __init__(self, precision: Precision, budget: Budget, norm: Norm, width: int, reads: int) -> None:
        self._precision, self._reading = precision, StepInput(norm, width, precision, budget, reads)
        self.width, self.cost = self._reading.width, self._reading.cost
        width = self.width
        gain, bias = norm.gain or Vector((1,) * width, 0), norm.bias or zeros(width)
        self._gain = [floor_shift(g, gain.power + precision.weight) for g in gain.entries]
        self._bias = [floor_shift(b, bias.power + precision.fraction) for b in bias.entries]
        self._greatest = max(map(abs, self._gain)) + 1
        side = ceil_sqrt(width)
        self._rounding = (self._reading.bound >> precision.weight) + 2 + 2 * side
        self.bound = self._grow(self._reading.bound) + ceil_norm(self._bias) + side

    def apply(self, stream: Stream) -> Stream:
        """Return the stream after the step."""
        (x, e), bits = self._reading.apply(stream), self._precision.weight
        return [(y * g >> bits) + b for y, g, b in zip(x, self._gain, self._bias, strict=True)], self._grow(e)

    def _grow(self, e: int) -> int:
        return (e * self._greatest >> self._precision.weight) + 1 + self._rounding


class UnitsOnNumbers(StepOnTokens):
    """A feed-forward block. With a gate the error of a · u is at most Δa |u| + |a| Δu + Δa Δu."""

    def __init__(self, precision: Precision, budget: Budget, step: UnitsStep, width: int, reads: int,
                 allowed: int = 1) -> None:
        """Prepare the maps; ``allowed`` is the error allowed to the parabolas of the activation."""
        self._precision, self._reading = precision, StepInput(step.norm, width, precision, budget, reads)
        self.width = width
        read, units = self._reading.bound, step.inward.weight.width
        self._in = LinearOnNumbers(precision, budget, after_norm(step.norm, linear(step.inward)), read)
        self._gate = LinearOnNumbers(precision, budget, after_norm(step.norm, linear(step.gate)),
                                     read) if step.gate else None
        self._activation = Activation(str(step.activation), precision, budget, allowed)
        self._activates = self._gate or self._in
        self._rounding = ceil_sqrt(units) * self._activation.error + 1
        self._bound = self._activation.bound(self._activates.bound, ceil_sqrt(units))
        hidden = self._bound
        if self._gate:
            hidden = (self._bound * self._in.bound >> precision.fraction) + 1 + ceil_sqrt(units)
        self._side = ceil_sqrt(units)
        self._out = LinearOnNumbers(precision, budget, linear(step.outward), hidden)
        self._write = self._out.apply_to_few if step.activation == "relu" else self._out.apply
        self.bound = reads + self._out.bound
        self.cost = units * width // 8 + units * (2 if step.gate else 1) + self._reading.cost

    def apply(self, stream: Stream) -> Stream:
        """Return the stream after the step."""
        x, e = stream
        read, e_read = self._reading.apply(stream)
        e_hidden = self._activation.propagated_error(self._activates.error(e_read)) + self._rounding
        hidden: Sequence[int] = self._activation.apply(self._activates.apply(read))
        if self._gate:
            bits, e_in = self._precision.fraction, self._in.error(e_read)
            hidden = [a * u >> bits for a, u in zip(hidden, self._in.apply(read), strict=True)]
            e_hidden = (e_hidden * (self._in.bound + e_in) + self._bound * e_in >> bits) + 1 + self._side
        return list(map(plus, x, self._write(hidden))), e + self._out.error(e_hidden)


class AttentionOnNumbers:
    """An attention step."""

    def __init__(self, precision: Precision, budget: Budget, step: AttentionStep, width: int, reads: int,
                 length: int) -> None:
        self._reading = StepInput(step.norm, width, precision, budget, reads)
        maps = maps_of_heads(precision, budget, step, self._reading.bound)
        cap: ScoreCap | None = None
        if step.cap:
            from .score_caps import ScoreCap

            cap = ScoreCap(step.cap, precision, budget)
        self.heads = [HeadOnNumbers(precision, step, head, own, length, cap)
                      for head, own in zip(step.heads, maps, strict=True)]
        projections = [one for _, key, value in maps for one in (key, value)]
        self._keys_and_values = MapsBeside(precision, budget, projections)
        self._all = MapsBeside(precision, budget, [*projections, *(query for query, _, _ in maps)])
        ends = list(accumulate([one.width for one in projections] + [query.width for query, _, _ in maps], initial=0))
        slices, count = [slice(first, last) for first, last in pairwise(ends)], 2 * len(maps)
        self._slices = list(zip(slices[count:], slices[0:count:2], slices[1:count:2], strict=True))
        self._norms = [spectral_norm(budget, head.out, precision.norms) + 1 for head in step.heads]
        whole = ExactLinear(below([head.out for head in step.heads]), step.bias or zeros(width))
        self._out = LinearOnNumbers(precision, budget, whole, ceil_norm(head.bound for head in self.heads))
        self.bound = reads + self._out.bound
        self.cost = sum(head.width for head in self.heads) * self._out.width // 2 + self._reading.cost

    def project(self, stream: Stream, position: int, with_query: bool) -> list[TokenProjections]:
        """Return each head's projections of a token at a position number; with a query if ``with_query``."""
        read, e = self._reading.apply(stream)
        made = (self._all if with_query else self._keys_and_values).apply(read)
        return [head.project(made[query] if with_query else (), made[key], made[value], e, position)
                for head, (query, key, value) in zip(self.heads, self._slices, strict=True)]

    def write(self, stream: Stream, averages: Sequence[HeadAverage]) -> Stream:
        """Return the stream plus the heads' output: each error times the norm of W_O of its head, and one rounding."""
        x, e = stream
        written = self._out.apply([z for average in averages for z in average.numbers])
        e += sum((error * norm >> NORM_BITS) + 1 for (_, error, _), norm in zip(averages, self._norms, strict=True))
        return list(map(plus, x, written)), e + self._out.error(0)


class RowsOnNumbers:
    """All rows of the claim, as integral multiples of sums of logits, in fixed point.

    ``least`` is what a row must exceed, rounded down (values are integers). The error of a row is that of the stream
    (or its norm) times the 2-norm of its column, plus the rounding of each logit times its coefficient.
    """

    def __init__(self, precision: Precision, budget: Budget, network: Network, norm: Norm | None, width: int,
                 rows: Sequence[LogitRow], margin: Fraction, reads: int) -> None:
        self._reading = StepInput(norm, width, precision, budget, reads)
        commons = [lcm(*(c.denominator for _, c in row)) for row in rows]
        self.least = [precision.number(margin * common) for common in commons]
        used = sorted({token for row in rows for token, _ in row})
        budget.spend(self._reading.width * (network.outputs + sum(2 + len(row) for row in rows)))
        budget.hold(INTEGER_BITS * (network.width * len(used) + sum(4 + 2 * len(row) for row in rows)))
        logits = select(after_norm(norm, linear(network.unembedding)), used)
        self._product = LinearOnNumbers(precision, budget, logits, self._reading.bound)
        self.cost = self._reading.cost + self._reading.width * len(used) // 8
        places = {token: place for place, token in enumerate(used)}
        self._forms = [[(places[token], int(c * common)) for token, c in row]
                       for row, common in zip(rows, commons, strict=True)]
        self._budget, self._terms = budget, [4 + len(form) for form in self._forms]
        power = logits.weight.power + NORM_BITS
        norms = [ceil_norm(sum(row[place] * c for place, c in form) for row in logits.weight.rows)
                 for form in self._forms]
        rounding = self._product.rounding
        self._errors = [(ceil_shift(norm, power), 2 + rounding * sum(abs(c) for _, c in form))
                        for norm, form in zip(norms, self._forms, strict=True)]

    def logits(self, stream: Stream) -> Logits:
        """Return the logits that occur in rows, and the error bound of their input."""
        read, e = self._reading.apply(stream)
        return Logits(self._product.apply(read), e)

    def values(self, logits: Logits, rows: Sequence[int]) -> list[tuple[int, int]]:
        """Return the value and the error bound of each of these rows."""
        z, e = logits
        self._budget.spend(1 + (sum([self._terms[row] for row in rows]) >> 3))
        return [(sum([z[place] * c for place, c in self._forms[row]]), (e * norm >> NORM_BITS) + rounding)
                for row in rows for norm, rounding in [self._errors[row]]]


class Stack:
    """The network at a precision, for words of at most ``length`` of these tokens.

    Attributes:
        stem: steps before the first attention.
        starts: a bound of the 2-norm of streams before the first attention.
        blocks: attention, and the steps on each token after it.
    """

    def __init__(self, precision: Precision, budget: Budget, network: Network, tokens: Iterable[int],
                 rows: Sequence[LogitRow], margin: Fraction, length: int) -> None:
        self.precision, self.budget, self.network = precision, budget, network
        self.exponentials = Exponentials(precision.fraction, precision.exponent, budget)
        self._length, self.cost = length, 0
        self._bound, self._width = self._embedding_bound(tokens), network.width
        steps, last = list(network.steps), None
        if steps and isinstance(steps[-1], NormStep):
            last = steps.pop().norm
        self.stem: list[StepOnTokens] = []
        self.blocks: list[tuple[AttentionOnNumbers, list[StepOnTokens]]] = []
        self.starts = self._bound
        for step in steps:
            made: AttentionOnNumbers | StepOnTokens
            if isinstance(step, AttentionStep):
                made = self._make_attention(step)
                self.blocks.append((made, []))
            else:
                made = self._make_token_step(step)
                (self.blocks[-1][1] if self.blocks else self.stem).append(made)
                self._width = made.width
            self._bound, self.cost = made.bound, self.cost + made.cost
            self.starts = self.starts if self.blocks else self._bound
        self.rows = self._make_rows(last, rows, margin)
        self.cost = (self.cost + self.rows.cost) // (1 if precision.level else 4)

    def start(self, token: int, position: int) -> Stream:
        """Return the stream of a token at a position number before the first attention."""
        return pass_on(self.stem, self.embed(token, position))

    def project_first(self, token: int, position: int) -> tuple[Stream, list[TokenProjections]]:
        """Return the stream before the first attention, and its projections there."""
        stream = self.start(token, position)
        return stream, self.blocks[0][0].project(stream, position, with_query=True) if self.blocks else []

    def embed(self, token: int, position: int) -> Stream:
        """Return the stream before the stem: each entry of the embedding rounded twice."""
        power, network = self.precision.fraction, self.network
        x = [floor_shift(w, network.tokens.power + power) for w in network.tokens.rows[token]]
        if network.positions is not None:
            row = network.positions.rows[position]
            x = [a + floor_shift(b, network.positions.power + power) for a, b in zip(x, row, strict=True)]
        return x, 2 * ceil_sqrt(network.width)

    def _embedding_bound(self, tokens: Iterable[int]) -> int:
        power, network = self.precision.fraction, self.network
        bound = greatest_norm([network.tokens.rows[token] for token in tokens], network.tokens.power + power)
        if network.positions is not None:
            bound += greatest_norm(network.positions.rows, network.positions.power + power)
        return bound + 2 * ceil_sqrt(network.width)

    def _make_token_step(self, step: NormStep | UnitsStep) -> StepOnTokens:
        if isinstance(step, UnitsStep) and isinstance(step.activation, Rounding):
            from .rounding_steps import RoundingOnNumbers

            return RoundingOnNumbers(self.precision, self.budget, step, step.activation, self._width, self._bound)
        if isinstance(step, UnitsStep):
            return UnitsOnNumbers(self.precision, self.budget, step, self._width, self._bound)
        return NormOfStream(self.precision, self.budget, step.norm, self._width, self._bound)

    def _make_attention(self, step: AttentionStep) -> AttentionOnNumbers:
        return AttentionOnNumbers(self.precision, self.budget, step, self._width, self._bound, self._length)

    def _make_rows(self, norm: Norm | None, rows: Sequence[LogitRow], margin: Fraction) -> RowsOnNumbers:
        return RowsOnNumbers(self.precision, self.budget, self.network, norm, self._width, rows, margin, self._bound)


def up_to_attention(network: Network) -> Network:
    """Return the network without the steps after its first attention."""
    first = next(k for k, step in enumerate(network.steps) if isinstance(step, AttentionStep))
    return replace(network, steps=network.steps[:first + 1])


def pass_on(steps: Iterable[StepOnTokens], stream: Stream) -> Stream:
    """Return the stream after steps on each token alone."""
    for step in steps:
        stream = step.apply(stream)
    return stream


def pass_all(steps: Iterable[StepOnTokens], streams: Sequence[Stream]) -> Sequence[Stream]:
    """Return the streams of all tokens of an input after steps on each token, or roundings by a range of all."""
    for step in steps:
        streams = step.apply_all(streams)
    return streams


def greatest_norm(vectors: Iterable[Sequence[int]], power: int) -> int:
    """Return the greatest 2-norm of vectors of integers times 2^power, rounded up."""
    return ceil_shift(max(map(ceil_norm, vectors), default=0), power)
