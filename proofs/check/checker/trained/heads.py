"""One head on numbers: queries, keys and values of a token, and the average of values at a query.

Keys are packed by coordinate, over positions: the scores of a query are one sum of products. A value is packed with the
number 1 before it, so that a sum of weights times values has the sum of weights beside it.

Error of the average. Scores s_j are off by at most x (a number), so weights by a factor between exp(-x) and exp(x), and by
at most u units beside that: w_j = ρ_j (ŵ_j + θ_j), |ln ρ_j| <= x, |θ_j| <= u. Let a be the average of the computed values v̂
with the computed weights ŵ. Then Σ w_j (v̂_j - a) = Σ (w_j - ŵ_j)(v̂_j - a), as Σ ŵ_j (v̂_j - a) = 0, and
|w_j - ŵ_j| <= w_j |1 - 1/ρ_j| + |θ_j|: the average with the true weights is off from a by at most
(exp(x) - 1 + T u / Σ w_j) times the greatest |v̂_j - a|, which is at most 2V, V >= |v̂_j|. If x <= 1/2, exp(x) - 1 <= 1.3 x;
and if T u <= Σ ŵ_j / 8, Σ w_j >= exp(-x) (7/8) Σ ŵ_j >= Σ ŵ_j / 2. True values differ from the v̂_j by at most their error.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt
from operator import mul

from ..budget import Budget
from ..reading.trained_network import AttentionStep, Head, Rotary, Scale
from .exact import Linear, after_norm, linear, multiply
from .exponentials import ABSOLUTE_ERROR, RELATIVE_ERROR, Exponentials
from .linear import Product
from .precision import NORM_BITS, Precision, Undecided, ceil_sqrt, shift

Vector = Sequence[int]


class HeadOnNumbers:
    """What is known of a head at a precision; ``reads`` bounds what it reads, ``length`` is the greatest T."""

    def __init__(self, precision: Precision, budget: Budget, step: AttentionStep, head: Head, reads: int,
                 length: int) -> None:
        self._precision = precision
        self.width = head.value.weight.width
        query, inexact = scaled(after_norm(step.norm, linear(head.query)), step.scale, precision.weight)
        self.query = Product(precision, budget, query, reads, inexact)
        self.key = Product(precision, budget, after_norm(step.norm, linear(head.key)), reads)
        self.value = Product(precision, budget, after_norm(step.norm, linear(head.value)), reads)
        self.turn = Turn(step.rotary, precision, self.query.width) if step.rotary else None
        factor, rounding = self.turn.grows(max(self.query.bound, self.key.bound)) if self.turn else (1 << NORM_BITS, 0)
        self._queries, self._keys = ((product.bound * factor >> NORM_BITS) + 1 + rounding
                                     for product in (self.query, self.key))
        precision.expect_room(self._queries * self._keys >> precision.fraction)
        self._slope = head.slope
        self._side = ceil_sqrt(self.width)
        self.values = max(self.value.bound, precision.one)
        self.weight_bits = precision.slot - 2 - length.bit_length() - self.values.bit_length()
        if self.weight_bits < precision.fraction:
            raise Undecided
        self._coarse = max(0, self.weight_bits - 72 * precision.level)
        self.bound = self.values + (self._side + 1 << 1)

    def spread(self, key: Vector, place: int) -> list[int]:
        """A key as what it adds to the packed keys: its coordinates at the slot of its place."""
        bits = self._precision.weight - self._precision.fraction + self._precision.slot * place
        return [k << bits for k in key]

    def weigh(self, value: Vector) -> int:
        """A value packed, with 1 before it."""
        return self._precision.pack((self._precision.one, *value))

    def scores(self, query: Vector, keys: Vector, count: int, places: Sequence[int], place: int) -> list[int]:
        """The scores of a query at a place for packed keys at these places."""
        found = self._precision.upper_halves(sum(map(mul, query, keys)), count)
        if self._slope is None:
            return list(found)
        number, slope = self._precision.number, self._slope
        return [s + number(slope * (j - place)) for s, j in zip(found, places, strict=True)]

    def score_error(self, e_query: int, e_key: int) -> int:
        """How far off scores are: products, their rounding, and that of slopes."""
        products = self._queries * e_key + self._keys * e_query + e_query * e_key
        return (products >> self._precision.fraction) + 3

    def weights(self, exponentials: Exponentials, scores: Sequence[int], top: int) -> list[int]:
        """The weights, over 2^weight_bits; ``top`` is at least every score."""
        bits, at = self.weight_bits - exponentials.bits, exponentials.at
        return [at(top - s) << bits for s in scores] if bits >= 0 else [at(top - s) >> -bits for s in scores]

    def average(self, halves: Sequence[int], e_score: int, e_value: int, length: int) -> tuple[list[int], int]:
        """The average from the upper halves of the sum of weights times values, and its error.

        Proof of what is not above: the halves are rounded down by less than a unit, of a sum n and a sum of weights D:
        |n*/D* - n/D| <= (√m + |n*/D*|)/D; D units are D 2^(G - F) units of weights.

        Raises:
            Undecided: if the error of scores is above 1/2, or the sum of weights too small.
        """
        precision, total = self._precision, halves[0]
        one = precision.one
        x = e_score + RELATIVE_ERROR
        units = length * (ABSOLUTE_ERROR + 1 << self._coarse)
        room = total << precision.weight - precision.fraction
        if 2 * x > one or 8 * units > room or total <= 0:
            raise Undecided
        spread = 13 * x * 2 * self.values // (10 * one) + 2 * units * 2 * self.values // room
        rounding = (self._side * one + self.values) // total + self._side + 4
        return [(z << precision.fraction) // total for z in halves[1:]], e_value + spread + rounding


def scaled(given: Linear, scale: Scale, bits: int) -> tuple[Linear, bool]:
    """The map times the scale of scores; whether entries are off, by less than 2^-bits.

    A rational with a denominator that is no power of two, and a root, are rounded down at 2^-K, with K so large that a
    weight or bias times that is below 2^-bits.
    """
    if scale.times is not None and scale.times.denominator.bit_count() == 1:
        return multiply(given, scale.times.numerator, 1 - scale.times.denominator.bit_length()), False
    entries = [w for row in given.weight.rows for w in row]
    size = max((w.bit_length() for w in entries), default=0) + given.weight.power
    other = max((b.bit_length() for b in given.bias.entries), default=0) + given.bias.power
    k = bits + max(size, other, 0)
    factor = shift_fraction(scale.times, k) if scale.times is not None else isqrt((1 << 2 * k) // (scale.root or 1))
    return multiply(given, factor, -k), True


def shift_fraction(x: Fraction, bits: int) -> int:
    """x 2^bits, rounded down."""
    return (x.numerator << bits) // x.denominator


class Turn:
    """Rotary positions: pairs of coordinates are turned by the rows of two tables."""

    def __init__(self, rotary: Rotary, precision: Precision, width: int) -> None:
        self._precision, self._pairs, self._width = precision, rotary.cosines.width, width
        tables = (rotary.cosines, rotary.sines)
        self._rows = [[[shift(x, table.power + precision.weight) for x in row] for row in table.rows]
                      for table in tables]
        pairs, halves = self._pairs, rotary.halves
        self._places = [(r, r + pairs) if halves else (2 * r, 2 * r + 1) for r in range(pairs)]
        lengths = [c * c + s * s for cosines, sines in zip(*self._rows, strict=True)
                   for c, s in zip(cosines, sines, strict=True)]
        self._norm = max(ceil_sqrt(max(lengths, default=0)) + 2, 1 << precision.weight)

    def grows(self, bound: int) -> tuple[int, int]:
        """By which factor (over 2^NORM_BITS) a turn makes an error larger, and its own rounding of vectors of this bound.

        A row of the tables is off by less than 2^-G in both, so a turned vector by less than 2 |x| 2^-G, and each
        coordinate is rounded by less than a number.
        """
        factor = -(-self._norm >> self._precision.weight - NORM_BITS)
        return factor, (2 * bound >> self._precision.weight) + 2 + ceil_sqrt(self._width)

    def apply(self, x: Vector, position: int) -> list[int]:
        """The vector turned at a position number."""
        bits, found = self._precision.weight, list(x)
        cosines, sines = (table[position] for table in self._rows)
        for (first, second), c, s in zip(self._places, cosines, sines, strict=True):
            a, b = x[first], x[second]
            found[first], found[second] = (a * c - b * s) >> bits, (b * c + a * s) >> bits
        return found
