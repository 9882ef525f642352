"""A row along its gradient: how far each rounding of a run moves it; docs/floats.md, section 7, Gradients.

Gradients are in numbers, as streams are, and so is what is lost, which is never less than what can be.
"""

from collections.abc import Sequence
from math import isqrt
from operator import add, mul
from typing import NamedTuple

from ....kernel.exponential import ceil_shift, floor_shift
from ..balls.activations import Activation
from ..balls.exact import ExactLinear, after_norm, linear, transposed, zeros
from ..balls.linear import LinearOnNumbers
from ..balls.norms import Normaliser
from ..balls.precision import NORM_BITS, Logits, PassedUnits, Stream, Undecided, ceil_norm, ceil_sqrt
from ..reading.network import Norm, UnitsStep
from .balls import Balls, InputOnBalls

MOST_GRADIENT = 64  # gradients are at most so long
CURVES = (798, 750, 617, 433, 242, 108, 108, 108, 108, 98, 75, 51, 32, 18, 9, 5, 2)
"""At least 1000 |gelu''| from k/4 on."""
TURN, LAST = 6, 5
"""From TURN/4 on gelu bends down, nowhere more than CURVES says from LAST/4 on."""


class Deviation(NamedTuple):
    """Of a stream that is normed: how far off it may be when a run divides by s, and how much more than before; s."""

    wide: int
    more: int
    s: int


class NormGradients:
    """A norm without gain and bias, in a run."""

    def __init__(self, balls: Balls, norm: Norm, width: int, given: InputOnBalls) -> None:
        self._bits, self._width, self.centred = balls.precision.fraction, width, norm.kind == "layer"
        self._norm, self._input, self._side = Normaliser(norm, width, balls.precision), given, ceil_sqrt(width)

    def find(self, stream: Stream) -> tuple[Deviation, Sequence[int], int]:
        """What a run makes of a stream; its norm, and how far that is rounded.

        Raises:
            Undecided: if s is too small, or a number too large.
        """
        x, e = stream
        wide = self._input.widened(stream)[1]
        found, r, rounding = self._norm.find(x)
        if not (s := self._norm.root(r)):
            raise Undecided
        return Deviation(wide, wide - e, s), found, rounding

    def back(self, gradient: Sequence[int], stream: Stream) -> tuple[list[int], int]:
        """The gradient before the norm, and what is lost.

        Raises:
            Undecided: if s may be too small.
        """
        (wide, more, s), found, rounding = self.find(stream)
        width, bits, root = self._width, self._bits, isqrt(self._width)
        low = s - wide // root - 2
        if low <= 0 or rounding >> bits:
            raise Undecided
        size, along = ceil_norm(gradient), sum(map(mul, gradient, found))
        mean = sum(gradient) // width if self.centred else 0
        made = [((g - mean << 2 * bits) - along * n // width) // s >> bits
                for g, n in zip(gradient, found, strict=True)]
        inexact = (3 * size * rounding // root + (2 * self._side + 2 << bits) + 2 * ceil_norm(made)) // s
        lost = (inexact + 2 * self._side + 2) * wide + ((size << bits) // s + 1) * more
        lost += size * (self._input.more + rounding)
        bent = 4 * size * wide * wide * (3 * root * low + 2 * wide) // (15 * root * root * low * s * s)
        return made, (lost >> bits) + bent + 2


class NormStepGradients:
    """A step that norms the stream; ``rounding`` is what its numbers are off by beside the norm."""

    def __init__(self, balls: Balls, norm: Norm, width: int, given: InputOnBalls, rounding: int) -> None:
        self._bits, self._side, self._gain = balls.precision.fraction, ceil_sqrt(width), given.gain
        self._norm, self._off = NormGradients(balls, norm, width, given), given.off + rounding

    def back(self, gradient: Sequence[int], passed: PassedUnits, after: Stream) -> tuple[list[int], int]:
        """The gradient before the step, and what is lost; gains are rounded down, and norms less than 2 √d apart.

        Raises:
            Undecided: if s may be too small.
        """
        bits, size = self._bits, ceil_norm(gradient)
        made, lost = self._norm.back([g * gain >> bits for g, gain in zip(gradient, self._gain, strict=True)],
                                     passed.before)
        return made, lost + (size * self._off >> bits) + 1 + 2 * self._side * (self._side + (size >> bits) + 1)


class UnitsGradients:
    """A step with units, `gelu` or `relu`; ``maps`` are those of the step on numbers, inward and outward.

    Raises:
        Undecided: if the step is another.
    """

    def __init__(self, balls: Balls, step: UnitsStep, width: int, maps: tuple[LinearOnNumbers, LinearOnNumbers],
                 activation: Activation, given: InputOnBalls) -> None:
        if step.activation not in ("gelu", "relu"):
            raise Undecided
        self._bits, self._activation, self._is_relu = balls.precision.fraction, activation, step.activation == "relu"
        self._in, self._out = maps
        self._side, self._most = ceil_sqrt(step.inward.weight.width), MOST_GRADIENT * balls.precision.one
        inward = transposed(after_norm(step.norm, linear(step.inward)).weight)
        self._back_in, self._back_out = (
            LinearOnNumbers(balls.precision, balls.budget, ExactLinear(weight, zeros(weight.width)), self._most)
            for weight in (inward, transposed(step.outward.weight)))
        self._norm = NormGradients(balls, step.norm, width, given) if step.norm else None
        self._columns = [ceil_shift(ceil_norm(one), inward.power + NORM_BITS) for one in inward.rows]

    def back(self, gradient: Sequence[int], passed: PassedUnits, after: Stream) -> tuple[list[int], int]:
        """The gradient before the step, and what is lost.

        Raises:
            Undecided: if a gradient is too long, or s may be too small.
        """
        (_, e), (_, e_read), (inner, e_inner), hidden = passed
        bits, activation = self._bits, self._activation
        lost = self._within(gradient) * (after[1] - e - self._out.error(hidden) + self._out.error(0))
        gamma = self._back_out.apply(gradient)
        length = ceil_norm(gamma)
        lost += self._back_out.error(0) * hidden + length * (hidden - activation.spread(e_inner))
        rest = e_inner - self._in.error(e_read) + self._in.error(0)
        lost += ((activation.slope_error * length >> bits) + 1 + self._side) * e_inner
        lost += (self._bent if self._is_relu else self._curved)(gamma, inner, e_read, rest)
        kappa = [g * slope >> bits for g, slope in zip(gamma, activation.slopes(inner), strict=True)]
        lost += self._within(kappa) * rest
        before, more = self._back_in.apply(kappa), 0
        if self._norm:
            before, more = self._norm.back(before, passed.before)
        return list(map(add, gradient, before)), (lost + self._back_in.error(0) * e_read >> bits) + 1 + more

    def _curved(self, gamma: Sequence[int], inner: Sequence[int], e: int, rest: int) -> int:
        """What is lost where units are no lines, over 2^bits: docs/floats.md, section 7, Gradients."""
        quarter, last, total, most = self._bits - 2, len(CURVES) - 1, 0, 0
        for g, x, column in zip(gamma, inner, self._columns, strict=True):
            far = abs(x) - (column * e >> NORM_BITS) - 1 - rest >> quarter
            far = min(last, far) if far > 0 else 0
            curve = CURVES[max(far, LAST)] * g if g >= 0 else CURVES[far] * -g if far < TURN else 0
            most = max(most, curve)
            total += curve * column * column
        root = ceil_sqrt(most)
        moved = min((ceil_sqrt(total) * e >> NORM_BITS) + 1, (root * e * self._in.norm >> NORM_BITS) + 1)
        return ((moved + root * rest) ** 2 // 2000 >> self._bits) + 1

    def _bent(self, gamma: Sequence[int], inner: Sequence[int], e: int, rest: int) -> int:
        """The same of `relu`, which is above its tangents."""
        return sum([-g * more for g, x, column in zip(gamma, inner, self._columns, strict=True) if g < 0
                    for more in [(column * e >> NORM_BITS) + 1 + rest - abs(x)] if more > 0])

    def _within(self, gradient: Sequence[int]) -> int:
        size = ceil_norm(gradient)
        if size > self._most:
            raise Undecided
        return size


class RowOfNorm(NamedTuple):
    """A row of a norm: its gradient, centred as the norm is; the length of the whole; the constant, less the margin."""

    gradient: list[int]
    length: int
    constant: int


class FollowedRow(NamedTuple):
    """At least s times what a row is above the margin, over 2^(2 bits), but for what its gradient, over 2^bits, makes
    of how far the stream before all steps is off; and how far that is in the 2-norm."""

    found: int
    gradient: Sequence[int]
    e: int

    def least(self, bits: int, moved: int | None = None) -> int:
        """The same over 2^bits, if the gradient makes at most ``moved`` of it, by its length if that is left out."""
        return (self.found - (ceil_norm(self.gradient) * self.e if moved is None else moved) >> bits) - 2


class RowGradients:
    """Rows of logits behind a norm, and the steps of units and norms before that."""

    def __init__(self, balls: Balls, norm: NormGradients, steps: Sequence[UnitsGradients | NormStepGradients],
                 rows: Sequence[RowOfNorm], more: int) -> None:
        self._norm, self._steps, self._rows, self._more = norm, steps, rows, more
        self._bits = balls.precision.fraction

    def follow(self, row: int, logits: Logits, off: int) -> FollowedRow:
        """A row in every run; roundings of logits move it by at most ``off``.

        Raises:
            Undecided: if numbers are too large, or s may be too small.
        """
        (omega, length, constant), bits, (x, e) = self._rows[row], self._bits, logits.stream
        (wide, more, s), n, rounding = self._norm.find(logits.stream)
        width, side, after = len(x), ceil_sqrt(len(x)), logits.stream
        room = constant - off - (length * self._more >> bits) - 1
        gradient = [w + (room * y // width >> bits) for w, y in zip(omega, n, strict=True)]
        lost = (length + abs(room)) * more + (abs(room) * rounding >> bits) * e + side * (2 * ceil_norm(x) + 4 * e)
        lost += max(0, -room) * wide * wide // (2 * width * s)
        for step, passed in zip(reversed(self._steps), reversed(logits.passed), strict=True):
            gradient, loss = step.back(gradient, passed, after)
            after, lost = passed.before, lost + (loss << bits)
        found: int = sum(map(mul, omega, x)) + room * (s if room >= 0 else s + 1) - lost
        return FollowedRow(found, gradient, after[1])


def rows_of_norm(balls: Balls, logits: ExactLinear, forms: Sequence[Sequence[tuple[int, int]]], least: Sequence[int],
                 centred: bool) -> list[RowOfNorm]:
    """The rows that are these sums of logits, each of which must be above its number.

    A gradient is off by less than 2 in each number.
    """
    found, width = [], len(logits.weight.rows)
    power, bits = logits.weight.power + balls.precision.fraction, logits.bias.power + balls.precision.fraction
    for form, most in zip(forms, least, strict=True):
        exact = [sum(c * weights[place] for place, c in form) for weights in logits.weight.rows]
        total = sum(exact) if centred else 0
        constant = floor_shift(sum(c * logits.bias.entries[place] for place, c in form), bits)
        found.append(RowOfNorm([floor_shift(width * w - total, power) // width for w in exact],
                               ceil_shift(ceil_norm(exact), power), constant - most - 1))
    return found
