"""A network on the numbers of a word, and how far every run of a class may be from them.

docs/floats.md, section 7, Balls. Numbers are those of ../stack.py, of the network with rounded weights; errors have
what runs add to them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import isqrt

from ....kernel.budget import Budget
from ....kernel.exponential import floor_shift
from ....kernel.verdicts import Rejected
from ...run_classes.reading import FloatClaim
from ..exact import ExactLinear, after_norm, below, linear, multiply, select, through, transposed, zeros
from ..exponentials import RELATIVE_ERROR
from ..heads import HeadAverage, HeadOnNumbers, Reach, TokenProjections, scale_map
from ..linear import LinearOnNumbers, Unchanged, spectral_norm
from ..precision import NORM_BITS, Logits, PassedUnits, Precision, Stream, Undecided, ceil_norm, ceil_sqrt
from ..reading.decision import LogitRow
from ..reading.network import AttentionStep, Network, NetworkHead, Norm, NormStep, Scale, UnitsStep
from ..stack import Alone, AttentionOnNumbers, NormOfStream, RowsOnNumbers, Stack, UnitsOnNumbers
from .balls import SHARE, Balls, InputOnBalls, ProductOnBalls, SumOnBalls, greatest_gain, share
from .gradients import NormGradients, RowGradients, UnitsGradients, rows_of_norm
from .operations import embedded
from .rounding import gamma, raised, roundoff_of_sums, tiny
from .softmax import SoftmaxOfRuns, is_power


class NormOnBalls(NormOfStream):
    """A step that normalises the stream."""

    def __init__(self, balls: Balls, norm: Norm, width: int, reads: int) -> None:
        super().__init__(balls.precision, balls.budget, norm, width, reads)
        self._input = InputOnBalls(balls, norm, width)
        self._more = (self._input.more * share(greatest_gain(norm)) >> SHARE) + 1 + self._input.off

    def apply(self, stream: Stream) -> Stream:
        """The stream after the step."""
        x, e = super().apply(self._input.widened(stream))
        return x, e + self._more


class UnitsOnBalls(UnitsOnNumbers):
    """A step with units, which have no gate: ``relu``, ``gelu`` or ``tanh``."""

    def __init__(self, balls: Balls, step: UnitsStep, width: int, reads: int) -> None:
        super().__init__(balls.precision, balls.budget, step, width, reads)
        units, one, lost = step.inward.weight.width, balls.precision.one, 4 * tiny(balls.run.softmax)
        self._input, self._sum = InputOnBalls(balls, step.norm, width), SumOnBalls(balls, width)
        self._inward, self._outward = (ProductOnBalls(balls, linear(one)) for one in (step.inward, step.outward))
        self._stored, self._most = balls.stored(units), balls.below(balls.run.softmax, 2)
        self._exact, tanh = step.activation == "relu", step.activation == "tanh"
        self._share = share(lost if tanh else 5 * balls.u + balls.function + lost)
        self._constant = self._side * balls.number(lost + (balls.function if tanh else 0)) + 2
        if tanh and 2 * one >= self._most:
            raise Undecided
        self._made_of = balls, step, width

    def gradients(self) -> UnitsGradients:
        """The step backwards.

        Raises:
            Undecided: if it cannot be.
        """
        return UnitsGradients(*self._made_of, (self._in, self._out), self._activation, self._input)

    def apply(self, stream: Stream) -> Stream:
        """The stream after the step."""
        return self.follow(stream)[0]

    def follow(self, stream: Stream) -> tuple[Stream, PassedUnits]:
        """The stream after the step, and what was found on the way."""
        read, e = self._reading.apply(self._input.widened(stream))
        e_read, off, size = self._input.read(read, e)
        x = self._in.apply(read)
        e = self._in.error(e_read) + self._inward.off(off, size)
        e += self._stored.off(ceil_norm(x) + e)
        size, inner = ceil_norm(x) + e, (x, e)
        hidden = self._activation.apply(x)
        e = self._activation.spread(e) + self._rounding
        if not self._exact:
            if size >= self._most:
                raise Undecided
            e += (self._share * size >> SHARE) + self._constant
            e += self._stored.off(ceil_norm(hidden) + e)
        e_out = self._out.error(e) + self._outward.off(0, ceil_norm(hidden) + e)
        return self._sum.add(stream, self._out.apply(hidden), e_out), PassedUnits(stream, (read, e_read), inner, e)


class HeadOnBalls(HeadOnNumbers):
    """A head; queries have the scale of scores, so what is said of them is times that."""

    def __init__(self, balls: Balls, step: AttentionStep, head: NetworkHead,
                 maps: Sequence[LinearOnNumbers | Unchanged], length: int) -> None:
        super().__init__(balls.precision, step, head, maps, length)
        run, width, (low, high) = balls.run, head.query.weight.width, ends_of_scale(step.scale)
        if not 2 * tiny(run.sums) <= low <= 1:
            raise Undecided
        self._scale, self._back = share(high), share(1 / low)
        self._products = [ProductOnBalls(balls, linear(one)) for one in (head.query, head.key, head.value)]
        self._stored, self._entering = ([kind(size) for size in (width, width, self.width)]
                                        for kind in (balls.stored, balls.entering))
        terms = width + (0 if is_power(step.scale.times) else 2)
        self._product = share(gamma(terms, roundoff_of_sums(run)))
        self._raised = balls.number(raised(run) * ceil_sqrt(max(width, self.width)))
        self._lost = balls.number(4 * terms * tiny(run.sums)) + 2
        self._score = balls.rounded(run.scores, 1, exact=run.scores == run.sums)
        self._sums = balls.below(run.sums, 2) * low
        self._gain = share(greatest_gain(step.norm)) if step.norm else 1 << SHARE
        query, inexact = scale_map(linear(head.query), step.scale, balls.precision.slot)
        self._asked, self._asks = (
            LinearOnNumbers(balls.precision, balls.budget, ExactLinear(transposed(one.weight), zeros(
                len(one.weight.rows))), reads, off)
            for one, reads, off in ((query, self.key.bound, inexact), (linear(head.key), self.query.bound, False)))
        softmax = SoftmaxOfRuns(balls.budget, run)
        fixed, of_size = softmax.exponents_within(length)
        self._fixed, self._of_size = balls.number(fixed) + 1, share(of_size)
        self._most = min(balls.below(run.softmax, 8), balls.below(run.sums, 2),
                         balls.precision.number(softmax.most_to_base_2()))
        relative, lost = softmax.relative(length), softmax.lost(length)
        flushed = 16 * length * tiny(run.softmax)
        if flushed > 1 or 2 * length >= 1 << run.softmax.greatest:
            raise Undecided
        self._relative, self._flushed = share(relative), share((1 + relative) * flushed + self._side * lost)
        self._constant = self._side * balls.number(lost) + 2
        norm = spectral_norm(balls.budget, head.out) + 1
        factor = (1 << 2 * NORM_BITS) // norm * 1023 >> 10
        self.out_norm = -(-(1 << 2 * NORM_BITS) // factor)
        out = multiply(ExactLinear(head.out, zeros(head.out.width)), factor, -NORM_BITS)
        self._written = LinearOnNumbers(balls.precision, balls.budget, out, self.bound)
        through_value, through_gain = (spectral_norm(balls.budget, through(one, out.weight).weight) + 1 for one in (
            linear(head.value), after_norm(step.norm, linear(head.value))))
        self._through = through_value, through_gain
        self._values = min(balls.below(form, 4 * length) for form in (
            (run.sums,) if run.normalised == "before" else (run.sums, run.softmax)))

    def see_read(self, query: Sequence[int], key: Sequence[int], value: Sequence[int], e: int, off: int, size: int
                    ) -> TokenProjections:
        """What the head makes of a token, of what its maps made of a vector that has been read."""
        found, rests, read = [], [], (e * self._gain >> SHARE) + 1 + off
        for kind, (vector, linear_map) in enumerate(((query, self.query), (key, self.key), (value, self.value))):
            scale, back = (self._scale, self._back) if kind == 0 else (1 << SHARE, 1 << SHARE)
            error = linear_map.error(e) + (self._products[kind].off(off, size) * scale >> SHARE) + 1
            rest = linear_map.error(0) + (self._products[kind].off(0, size) * scale >> SHARE) + 1
            for rounded in (self._stored[kind], self._entering[kind]):
                length = ((ceil_norm(vector) + error) * back >> SHARE) + 1
                more = (rounded.off(length) * scale >> SHARE) + 1
                error, rest = error + more, rest + more
            found.append(error)
            rests.append(rest)
        (e_query, e_key, e_value), (of_query, of_key, of_value) = found, rests
        more = ((ceil_norm(value) + e_value + self._raised) * self._relative >> SHARE) + 1
        e_written = min(e_value, (e * self._through[1] + off * self._through[0] >> NORM_BITS) + 1 + of_value)
        asked, asks = (ceil_norm(back.apply(vector)) + back.error(0) if vector else 0
                       for back, vector in ((self._asked, key), (self._asks, query)))
        return TokenProjections(query, key, value, e_query, Reach(
            e_key, ceil_norm(key), e_written + more, read, of_key, asked, e_value + more), of_query, asks)

    def square(self, value: Sequence[int]) -> int:
        """At least the square of the norm of what is written of a value, over that of the matrix."""
        return (ceil_norm(self._written.apply(value)) + self._written.error(0)) ** 2

    def least_norm(self, average: Sequence[int]) -> int:
        """At most the norm of what is written of an average that has been rounded, over that of the matrix."""
        return max(0, ceil_norm(self._written.apply(average)) - 1 - self._written.error(0) - self.rounding)

    def score_error(self, seen: TokenProjections, reach: Reach, scores: Sequence[int]) -> int:
        """How far off the logarithms of the weights of a run may be from these scores."""
        size = ceil_norm(seen.query)
        products = seen.asks * reach.read_error + size * (reach.key_rest + self._dropped)
        products += reach.asked * seen.reach.read_error + seen.query_rest * reach.key_norm
        products += seen.query_error * (reach.key_error + self._dropped)
        e = min(super().score_error(seen, reach, scores), (products >> self._precision.fraction) + 3)
        total = ((ceil_norm(seen.query) + seen.query_error + self._raised)
                 * (reach.key_norm + reach.key_error + self._raised) >> self._precision.fraction) + 1
        if total >= self._sums:
            raise Undecided
        e += (total * self._product >> SHARE) + self._lost
        most = max(map(abs, scores)) + e
        more = self._score.off(most)
        most += more
        if most >= self._most:
            raise Undecided
        return e + more + self._fixed + (self._of_size * most >> SHARE) + 1

    def average(self, sums: int, e_score: int, reach: Reach, length: int, bits: int) -> HeadAverage:
        """The average from the packed sum, and its error; see the base."""
        found, e, _ = super().average(sums, e_score, reach, length, bits)
        most = self.values + reach.value_apart
        if most >= self._values:
            raise Undecided
        more, coarser = (most * self._flushed >> SHARE) + self._constant, self._precision.fraction - bits
        e += (more >> coarser) + 1
        apart = reach.value_apart + (2 * (e_score + RELATIVE_ERROR) * self.values >> self._precision.fraction)
        return HeadAverage(found, e, ceil_norm(found) + e + (apart >> coarser) + 1)


def ends_of_scale(scale: Scale) -> tuple[Fraction, Fraction]:
    """Between which numbers, near each other, the absolute value of the scale of scores is."""
    if scale.root is None:
        times = abs(scale.times if scale.times is not None else Fraction(1))
        return times, times
    places = SHARE + scale.root.bit_length()
    low = isqrt((1 << 2 * places) // scale.root)
    return Fraction(low, 1 << places), Fraction(low + 1, 1 << places)


class AttentionOnBalls(AttentionOnNumbers):
    """A step with heads."""

    def __init__(self, balls: Balls, step: AttentionStep, width: int, reads: int, length: int) -> None:
        super().__init__(balls.precision, balls.budget, step, width, reads, length)
        self._input, self._sum = InputOnBalls(balls, step.norm, width), SumOnBalls(balls, width)
        self._of_runs = [HeadOnBalls(balls, step, head, (known.query, known.key, known.value), length)
                         for head, known in zip(step.heads, self.heads, strict=True)]
        self.heads = [*self._of_runs]
        whole = ExactLinear(below([head.out for head in step.heads]), step.bias or zeros(width))
        self._product, self._stored = ProductOnBalls(balls, whole), balls.stored(len(whole.weight.rows))

    def see(self, stream: Stream, position: int, asks: bool) -> list[TokenProjections]:
        """What each head makes of a token; without a query if it asks nothing."""
        read, e = self._reading.apply(self._input.widened(stream))
        e, off, size = self._input.read(read, e)
        made = (self._all if asks else self._seen).apply(read)
        return [head.see_read(made[query] if asks else (), made[key], made[value], e, off, size)
                for head, (query, key, value) in zip(self._of_runs, self._slices, strict=True)]

    def write(self, stream: Stream, averages: Sequence[HeadAverage]) -> Stream:
        """The stream with what the heads write."""
        z = [one for average in averages for one in average.numbers]
        e = sum((average.error * head.out_norm >> NORM_BITS) + 1
                for average, head in zip(averages, self._of_runs, strict=True))
        size = ceil_norm(average.size for average in averages)
        off = self._stored.off(size)
        return self._sum.add(stream, self._out.apply(z), e + self._out.error(0) + self._product.off(off, size + off))


class RowsOnBalls(RowsOnNumbers):
    """All rows of the claim, of stored logits."""

    def __init__(self, balls: Balls, network: Network, norm: Norm | None, width: int, rows: Sequence[LogitRow],
                 margin: Fraction, reads: int) -> None:
        super().__init__(balls.precision, balls.budget, network, norm, width, rows, margin, reads)
        self._input, self._reads, self._stored = InputOnBalls(balls, norm, width), reads, balls.stored(1)
        used = sorted({token for row in rows for token, _ in row})
        self._logits = [ProductOnBalls(balls, select(linear(network.unembedding), [token])) for token in used]
        self._balls, self._width = balls, width
        self._given = norm, after_norm(norm, linear(network.unembedding)), used
        self._last: Sequence[UnitsOnBalls] = ()
        self._cost = 4 * width
        self._gradients: RowGradients | None = None

    def follow(self, steps: Sequence[Alone]) -> bool:
        """Whether rows can be followed backwards through these last steps; then they are applied here."""
        norm, logits, used = self._given
        last = [step for step in steps if isinstance(step, UnitsOnBalls)]
        if norm is None or not used or len(last) < len(steps):
            return False
        made = NormGradients(self._balls, norm, self._width, self._input)
        rows = rows_of_norm(self._balls, select(logits, used), self._forms, self.least, made.centred)
        try:
            gradients = [step.gradients() for step in last]
        except Undecided:
            return False
        self._gradients = RowGradients(self._balls, made, gradients, rows, self._input.more)
        self._last, self._cost = last, self._cost + sum(step.cost for step in last)
        return True

    def logits(self, stream: Stream) -> Logits:
        """All that rows are sums of, and how far off what they are made from is."""
        passed = []
        for step in self._last:
            stream, one = step.follow(stream)
            passed.append(one)
        z, e, *_ = super().logits(self._input.widened(stream))
        return Logits(z, e + self._input.more, stream, passed)

    def values(self, logits: Logits, rows: Sequence[int]) -> list[tuple[int, int]]:
        """Of each of these rows its value, and how far that may be off."""
        off = self._off(logits)
        return [(value, error + sum([abs(c) * off[place] for place, c in self._forms[row]]))
                for row, (value, error) in zip(rows, super().values(logits, rows), strict=True)]

    def _off(self, logits: Logits) -> list[int]:
        """How far off each logit may be beside what is off before the product."""
        z, e, *_ = logits
        self._budget.spend(2 * len(self._logits))
        size = self._input.size or self._reads + e
        made = [one.off(self._input.off, size) for one in self._logits]
        common = self._product.error(e)  # the spectral norm is at least that of each column
        return [more + self._stored.off(abs(x) + common + more) for x, more in zip(z, made, strict=True)]

    def are_above(self, logits: Logits, rows: Sequence[int]) -> bool:
        """Whether these rows are above the margin in every run: by their errors, or along their gradients.

        Raises:
            Undecided: if numbers are too large, or a norm too small.
        """
        left = [row for row, (value, error) in zip(rows, self.values(logits, rows), strict=True)
                if value - error <= self.least[row]]
        if not left or self._gradients is None:
            return not left
        off = self._off(logits)
        self._budget.spend(len(left) * self._cost)
        return all(self._gradients.least(row, logits, sum([abs(c) * off[place] for place, c in self._forms[row]])) > 0
                   for row in left)


class StackOnBalls(Stack):
    """The network with rounded weights at a precision, in all runs of a class.

    Raises:
        Undecided: if there are words of which nothing could be said.
    """

    def __init__(self, precision: Precision, budget: Budget, network: Network, tokens: Iterable[int],
                 rows: Sequence[LogitRow], margin: Fraction, length: int, run: FloatClaim) -> None:
        self._balls = Balls(run, precision, budget)
        try:
            super().__init__(precision, budget, network, tokens, rows, margin, length)
        except Rejected:
            raise Undecided from None
        self.cost *= 2

    def embed(self, token: int, position: int) -> Stream:
        """The stream before the first step: one number in all runs, unless it is flushed."""
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
        made = RowsOnBalls(self._balls, self.network, norm, self._width, rows, margin, self._bound)
        if self.blocks and made.follow(self.blocks[-1][1]):
            self.blocks[-1] = self.blocks[-1][0], []
        return made
