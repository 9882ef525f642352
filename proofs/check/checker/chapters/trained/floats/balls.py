"""Errors of the roundings of an execution in the 2-norm, in fixed point.

See docs/background/floats_rules.md, section 7, Balls.

Sizes bound the 2-norm of vectors of the execution, errors their distance from the computed ones.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt
from operator import add, mul
from typing import NamedTuple

from ....kernel.budget import Budget
from ....kernel.exponential import ceil_shift, floor_shift
from ...float_models.reading import FloatClaim, Format
from ...float_models.roundoff import gamma, raised, roundings_of_a_sum, roundoff_of_sums, tiny, unit_roundoff
from ..balls.exact import ExactLinear
from ..balls.linear import spectral_norm
from ..balls.precision import NORM_BITS, Precision, Stream, Undecided, ceil_norm, ceil_sqrt
from ..reading.network import Norm

SHARE = 64  # fractional bits of relative errors


class Rounded(NamedTuple):
    """A rounding of a vector: relative error, absolute error, the bound that its size must be below, and p."""

    share: int
    lost: int
    most: int
    bits: int = 0

    def error(self, size: int) -> int:
        """Bound the error of the rounded vector.

        Raises:
            Undecided: if a number may be too large.
        """
        if size >= self.most:
            raise Undecided
        return (self.share * size >> SHARE) + 1 + self.lost

    def error_near(self, x: Sequence[int], e: int) -> int:
        """Bound the error of rounding vectors within e of x: half a unit in the last place of each coordinate.

        Raises:
            Undecided: if a number may be too large.
        """
        error = self.error(ceil_norm(x) + e)
        halves = ceil_sqrt(sum([1 << 2 * (abs(y) + e).bit_length() for y in x]))
        return min(error, (halves >> self.bits + 1) + 1 + self.lost)


class Balls:
    """The roundings of a float model."""

    def __init__(self, model: FloatClaim, precision: Precision, budget: Budget) -> None:
        self.model, self.precision, self.budget = model, precision, budget
        self.u = unit_roundoff(model.softmax)
        self.function = 2 * model.exp_ulp * self.u

    def number(self, x: Fraction) -> int:
        """Return x in fixed point, rounded up."""
        return -(-(x.numerator << self.precision.fraction) // x.denominator)

    def below(self, form: Format, parts: int = 1) -> int:
        """Return a bound: ``parts`` times anything below it is a finite number of the format."""
        return (self.precision.one << form.greatest) // parts

    def rounded(self, form: Format, width: int, exact: bool = False) -> Rounded:
        """Return the rounding of a vector to a format; it changes nothing if ``exact``."""
        if exact:
            return Rounded(0, 0, self.below(form))
        return Rounded(share(unit_roundoff(form)), ceil_sqrt(width) * self.number(tiny(form)), self.below(form),
                       form.precision)

    def stored(self, width: int) -> Rounded:
        """Return the rounding of results when they are stored."""
        model = self.model
        return self.rounded(model.storage, width, exact=model.storage == model.sums == model.softmax)

    def entering(self, width: int) -> Rounded:
        """Return the rounding of stored vectors when they enter a product."""
        return self.rounded(self.model.inputs, width, exact=self.model.inputs == self.model.storage)


def share(x: Fraction) -> int:
    """Return a relative error over 2^SHARE, rounded up."""
    return -(-(x.numerator << SHARE) // x.denominator)


class ProductOnBalls:
    """x W + b of stored x, before the result is stored."""

    def __init__(self, balls: Balls, given: ExactLinear) -> None:
        height, width, weight = len(given.weight.rows), given.weight.width, given.weight
        u, more = roundoff_of_sums(balls.model), raised(balls.model)
        self._norm = spectral_norm(balls.budget, weight, balls.precision.norms) + 1
        self._frobenius = ceil_shift(ceil_norm(w for row in weight.rows for w in row), weight.power + NORM_BITS)
        self._frobenius += ceil_shift(share(more * ceil_sqrt(height * width)), NORM_BITS - SHARE)
        self._raised = balls.number(more * ceil_sqrt(height))
        self._bias = ceil_shift(ceil_norm(given.bias.entries), given.bias.power + balls.precision.fraction)
        self._share = share(gamma(roundings_of_a_sum(balls.model, height + 1), u))
        self._entering = balls.entering(height)
        self._lost = ceil_sqrt(width) * balls.number(4 * (height + 1) * tiny(balls.model.sums)) + 2
        self._most = balls.below(balls.model.sums, 2)

    def error(self, e: int, size: int) -> int:
        """Bound the error of the product, for an input with error e whose 2-norm, errors included, is at most ``size``.

        Raises:
            Undecided: if a number may be too large.
        """
        more = self._entering.error(size)
        total = ((size + more + self._raised) * self._frobenius >> NORM_BITS) + 1 + self._bias
        if total >= self._most:
            raise Undecided
        return ((e + more) * self._norm >> NORM_BITS) + (self._share * total >> SHARE) + self._lost


class InputOnBalls:
    """The input of a step: the stream, or its norm, which does not have gain and bias yet.

    Attributes:
        more: error of the norm of an execution, before gain and bias, beyond that due to the stream.
        gain_error, size: the input's further error, and a bound of its 2-norm; 0 without a norm.
    """

    def __init__(self, balls: Balls, norm: Norm | None, width: int) -> None:
        self.more, self.gain_error, self.size, self._norm = 0, 0, 0, norm
        self._variances: tuple[int, int, int, int] | None = None
        if norm is None:
            return
        u, lost, model = balls.u, tiny(balls.model.softmax), balls.model
        side, one = ceil_sqrt(width), balls.precision.one
        layer = norm.kind == "layer"
        self._share = share(gamma(width + 1, u) + 2 * gamma(4, u)) if layer else 0
        self._lost = side * balls.number(4 * (width + 1) * lost) + 1
        flushed = 4 * (width + 3) * lost / norm.epsilon
        if 8 * flushed > 1 or 4 * balls.function > 1 or 2 * width * lost > 1:
            raise Undecided
        varies = layer and ("merged" in model.also or "one pass" in model.also)
        room = 8 * width if varies else 8
        squares = min(Fraction(1 << model.softmax.greatest), width / lost) / room - width * norm.epsilon - 1
        if squares < 1 or max(Fraction(width), 4 / norm.epsilon) >= 1 << model.softmax.greatest:
            raise Undecided
        self._most = min(isqrt(squares.numerator // squares.denominator) * one, balls.below(model.softmax, 4 * side))
        factor = (1 + gamma(width + 8, u)) * (1 + 2 * flushed) * (1 + 2 * balls.function) - 1
        self.more = (side * one * share(factor) >> SHARE) + 1 + side * balls.number(lost) + self._lost
        if "gains" in model.also and not layer:
            self.more += balls.rounded(model.storage, width).error(side * one + self.more)
        if varies:
            small = side * balls.number(8 * (width + 3) * lost / min(norm.epsilon, Fraction(1)))
            at_once = share(gamma(4 * width + 8, u)) if "one pass" in model.also else 0
            root = ceil_sqrt(balls.number(norm.epsilon) << balls.precision.fraction)
            self._variances = share(gamma(10 * width + 24, u)), at_once, small, root
        made = side * one + self.more
        if made >= balls.below(model.softmax):
            raise Undecided
        self.size = balls.number(greatest_gain(norm) * made / one) + (0 if norm.bias is None else ceil_shift(
            ceil_norm(norm.bias.entries), norm.bias.power + balls.precision.fraction))
        self._last = (Rounded(share(gamma(2, u)), side * balls.number(4 * lost), balls.below(model.softmax, 2)),
                      balls.stored(width))
        self._greatest, self._side, bits = share(greatest_gain(norm)), side, balls.precision.fraction
        self._gain = [floor_shift(g, norm.gain.power + bits) for g in norm.gain.entries] if norm.gain else [one] * width
        self._bias = [floor_shift(b, norm.bias.power + bits) for b in norm.bias.entries] if norm.bias else [0] * width
        self._bits = bits
        self.gain_error, self.size = self._rounded(self.size)

    def _rounded(self, size: int) -> tuple[int, int]:
        """Return the error of applying gain and bias, and the size with it; ``size`` is that without roundings."""
        error = 0
        for step in self._last:
            error += step.error(size + error)
        return error, size + error

    def widened(self, stream: Stream) -> Stream:
        """Return the stream with an error increased by those of the mean and of the differences to it.

        Raises:
            Undecided: if a number may be too large.
        """
        x, e = stream
        if self._norm is None:
            return stream
        size = ceil_norm(x) + e
        if size >= self._most:
            raise Undecided
        e += (self._share * size >> SHARE) + self._lost
        return x, e if self._variances is None else self._other_variances(self._variances, x, e, size)

    def _other_variances(self, shares: tuple[int, int, int, int], x: Sequence[int], e: int, size: int) -> int:
        """Return the error e, increased by those of means and of s where variances are merged or made in one pass.

        Proof: docs/background/floats_rules.md, section 7, Variances. The last of the shares is at least √ε.
        """
        merged, at_once, lost, root = shares
        width, total, side = len(x), sum(x), self._side
        square = width * sum(map(mul, x, x)) - total**2
        if (deviation := isqrt(square) // width) == 0:
            raise Undecided
        merged = (merged * size >> SHARE) + (lost * size >> self._bits) + lost + 2
        e += side * (2 * merged + ((at_once * size >> SHARE) + 1) * 2 * size // (width * deviation) + 1)
        if square < 4 * width * e * (e + side * root):
            raise Undecided
        return e

    def read(self, x: Sequence[int], e: int) -> tuple[int, int, int]:
        """Return the error before gain and bias, the further error, and the size of the input that was read."""
        if self._norm is None:
            return e, 0, ceil_norm(x) + e
        e += self.more
        bits = self._bits
        made = [(y * g >> bits) + b for y, g, b in zip(x, self._gain, self._bias, strict=True)]
        more = (e * self._greatest >> SHARE) + 4 * self._side + (ceil_norm(x) >> bits)
        size, (last, stored) = ceil_norm(made) + more, self._last
        error = last.error(size)
        error += stored.error_near(made, more + error)
        return e, error, size + error


def greatest_gain(norm: Norm) -> Fraction:
    """Return the greatest absolute value of a gain."""
    return Fraction(1) if norm.gain is None else max(map(abs, norm.gain.entries)) * Fraction(2)**norm.gain.power


class SumOnBalls:
    """The residual sum of the stream and the output of a step, each stored."""

    def __init__(self, balls: Balls, width: int) -> None:
        self._stored = balls.stored(width)
        self._summed = balls.rounded(balls.model.sums, width)

    def add(self, stream: Stream, written: Sequence[int], e: int) -> Stream:
        """Return the new stream; e is the error of the output before it is stored.

        Raises:
            Undecided: if a number may be too large.
        """
        x, error = stream
        e += error + self._stored.error_near(written, e)
        found = list(map(add, x, written))
        e += self._summed.error(ceil_norm(found) + e)
        return found, e + self._stored.error_near(found, e)
