"""One head in ball arithmetic: queries, keys and values of a token, and the average of values at a query.

Keys are packed by coordinate, over positions: the scores of a query are one sum of products. A value is packed after
the number 1 and the square of its norm, so that a sum of weights times values has the sums of both. A square is in
coarser units where it would be longer than an entry of a value. Error of the average: docs/background/trained_rules.md,
section 6, The average of a head.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isqrt
from operator import mul
from typing import TYPE_CHECKING, Any, NamedTuple

from ....kernel.budget import Budget
from ..reading.network import AttentionStep, NetworkHead, Scale
from .exact import ExactLinear, after_norm, linear, multiply
from .exponentials import ABSOLUTE_ERROR, RELATIVE_ERROR, Exponentials
from .linear import LinearOnNumbers, largest_entry
from .precision import LEAST_WEIGHT, NORM_BITS, Precision, Undecided, ceil_norm, ceil_sqrt

if TYPE_CHECKING:
    from .rotations import Rotation
    from .score_caps import ScoreCap

IntegerRow = Sequence[int]


class HeadAverage(NamedTuple):
    """The average of a head; its 2-norm error bound (under a float model of the output, over ‖W_O‖); its size."""

    numbers: IntegerRow
    error: int
    size: int = 0


class VisibleBounds(NamedTuple):
    """Maxima over the visible keys and values: error and norm of a key, error of a value."""

    key_error: int = 0
    key_norm: int = 0
    value_error: int = 0

    def extend(self, *others: VisibleBounds) -> VisibleBounds:
        """Return the maxima of all of them."""
        return VisibleBounds(*map(max, self, *others))


class TokenProjections(NamedTuple):
    """Query, key and value of a token, the error bound of the query, and the bounds of key and value.

    At the first attention under a float model ``forms`` are its softmax, and query and key on forms.
    """

    query: IntegerRow
    key: IntegerRow
    value: IntegerRow
    query_error: int
    reach: VisibleBounds
    forms: tuple[Any, Any, Any] | None = None


class HeadOnNumbers:
    """A head at a precision, with its linear maps; ``length`` is the greatest number of tokens T.

    Attributes:
        extra: number of packed sums before those of values: of weights, and of weights times squared norms.
    """

    extra = 2

    def __init__(self, precision: Precision, step: AttentionStep, head: NetworkHead,
                 maps: Sequence[LinearOnNumbers], length: int, cap: ScoreCap | None = None) -> None:
        self._precision, self._cap = precision, cap
        self.query, self.key, self.value = maps
        self.width = self.value.width
        self.rotation: Rotation | None = None
        if step.rotary:
            from .rotations import Rotation

            self.rotation = Rotation(step.rotary, precision, self.query.width)
        most = max(self.query.bound, self.key.bound)
        self._growth = self.rotation.grows(most) if self.rotation else (1 << NORM_BITS, 0)
        factor, rounding = self._growth
        queries, keys = ((product.bound * factor >> NORM_BITS) + 1 + rounding for product in (self.query, self.key))
        self._drop = (queries * keys >> precision.fraction).bit_length() + precision.product - (precision.slot - 3)
        if self._drop > 0 and precision.level:
            raise Undecided
        self._drop = max(0, self._drop)
        self._dropped = ceil_sqrt(self.key.width) << self._drop if self._drop else 0
        self._slope, self.attends = head.slope, head.attends
        self._side = ceil_sqrt(self.width)
        self.values = max(self.value.bound, precision.one)
        square = (self.values * self.values >> precision.fraction) + 2
        entry = max(self.value.largest, precision.one)
        self._square_bits = max(0, square.bit_length() - entry.bit_length())
        self.slots = self.extra + self.width
        self.weight_bits = precision.slot - 3 - length.bit_length() - entry.bit_length()
        if self.weight_bits < LEAST_WEIGHT:
            raise Undecided
        coarse = self.weight_bits - precision.exponent
        self._unit = ABSOLUTE_ERROR + 1 << max(0, coarse) if coarse > -2 else 2  # error of a weight
        self._bits = precision.weight if precision.level else precision.slot - 3 - entry.bit_length()
        if self._bits + entry.bit_length() > precision.slot - 2:
            raise Undecided
        self._quotients = precision.quotients(self.width, self._bits)
        self.rounding = 3 * self._side + (self.values >> self._bits) + 2
        self.bound = self.values + self.rounding

    def placed_key(self, key: IntegerRow, place: int) -> list[int]:
        """Return a key, without dropped bits, as a summand of the packed keys, in the slot of its place."""
        bits = self._precision.product - self._precision.fraction + self._precision.slot * place
        return [k >> self._drop << bits for k in key]

    def beside(self, keys: Iterable[IntegerRow]) -> list[int]:
        """Return the packed keys of the first places, in order."""
        pack, drop, bits = self._precision.pack, self._drop, self._precision.product - self._precision.fraction
        return [pack([k >> drop for k in column] if drop else column) << bits for column in zip(*keys, strict=True)]

    def weigh(self, value: IntegerRow, e: int = 0, e_score: int | None = None) -> int:
        """Pack a value after 1 and its squared norm, rounded up; error bounds e and ``e_score`` are for subclasses."""
        square: int = (self.square(value) >> self._precision.fraction + self._square_bits) + 1
        slot = self._precision.slot
        return self._precision.one + (square << slot) + (self._precision.pack(value) << self.extra * slot)

    def square(self, value: IntegerRow) -> int:
        """Return an upper bound of the squared norm of a value."""
        found: int = sum(map(mul, value, value))
        return found

    def least_norm(self, average: IntegerRow) -> int:
        """Return a lower bound of the norm of an average before its rounding."""
        return max(0, ceil_norm(average) - 1 - self.rounding)

    def project(self, query: IntegerRow, key: IntegerRow, value: IntegerRow, e: int, position: int) -> TokenProjections:
        """Return the projections of a token at a position number; its maps were applied to a vector with error e."""
        e_query, e_key = self.query.error(e), self.key.error(e)
        if self.rotation:
            query, key = self.rotation.apply(query, position) if query else query, self.rotation.apply(key, position)
            factor, rounding = self._growth
            e_query, e_key = ((error * factor >> NORM_BITS) + 1 + rounding for error in (e_query, e_key))
        reach = VisibleBounds(e_key, ceil_norm(key), self.value.error(e))
        return TokenProjections(query, key, value, e_query, reach)

    def scores(self, query: IntegerRow, keys: IntegerRow, count: int, places: Sequence[int], place: int) -> list[int]:
        """Return the scores of the query at ``place`` for packed keys at ``places``."""
        found = self._precision.quotients(count, self._precision.product - self._drop)(sum(map(mul, query, keys)))
        found = self._cap.apply(found) if self._cap else found
        if self._slope is None:
            return list(found)
        number, slope = self._precision.number, self._slope
        return [s + number(slope * (j - place)) for s, j in zip(found, places, strict=True)]

    def score_error(self, token: TokenProjections, reach: VisibleBounds, scores: Sequence[int]) -> int:
        """Bound the error of these scores of a query: products, roundings, cap, slope, dropped bits of keys."""
        products = (ceil_norm(token.query) + token.query_error) * (reach.key_error + self._dropped)
        products += reach.key_norm * token.query_error
        return (products >> self._precision.fraction) + 3 + (self._cap.error if self._cap else 0)

    def all_scores(self, token: TokenProjections, others: Sequence[TokenProjections], reach: VisibleBounds,
                   places: Sequence[int], place: int) -> tuple[Sequence[int], Sequence[int]]:
        """Return the scores of a token at ``place`` and others at ``places``, and bounds of their errors."""
        keys = self.beside(one.key for one in others)
        scores = self.scores(token.query, keys, len(others), places, place)
        return scores, [self.score_error(token, reach, scores)] * len(others)

    def sharpened(self, moved: int, most: int, sums: int, total: int, units: int) -> tuple[int, int]:
        """Return 100 times the factor of the spread due to scores, and the error due to values; at most those given."""
        return moved, most

    def weights(self, exponentials: Exponentials, scores: Sequence[int], top: int) -> list[int]:
        """Return the weights, over 2^weight_bits; ``top`` is at least every score."""
        dropped = exponentials.bits - self.weight_bits
        found = exponentials.all_below(top, scores, max(0, dropped))
        return found if dropped >= 0 else [w << -dropped for w in found]

    def equal_weights(self, tokens: Sequence[int]) -> list[int]:
        """Return the weights of these tokens in hard attention."""
        assert self.attends is not None
        return [(token in self.attends) << self.weight_bits for token in tokens]

    def average(self, sums: int, e_score: int, reach: VisibleBounds, length: int, bits: int) -> HeadAverage:
        """Return the average over 2^bits from the packed sum of weights times what `weigh` packs, and its error.

        Proof of the rounding: with D the first sum, z the last ones and h = max(0, log D - bits), log D the number of
        bits of D, entries are z 2^bits / D; computed is floor(floor(z / 2^h) i / 2^P), i = floor(2^(bits + h + P) / D).
        The first floor costs less than 2^(bits + h) / D <= 2 an entry, and nothing if h = 0; the last one less than 1;
        i less than |z| / 2^(h + P) and √m / 2^P in the 2-norm, and |z| / 2^h <= D V / 2^(F + h) <= V 2^(bits - F), V a
        bound of values. Products are at most 2^P times an entry of a value and 2, for which a slot has room.

        Raises:
            Undecided: if the error of scores is above 1, or the sum of weights too small.
        """
        precision, mask = self._precision, (1 << self._precision.slot) - 1
        one, total, squares = precision.one, sums & mask, sums >> precision.slot & mask
        x = e_score + RELATIVE_ERROR
        units, room = length * self._unit, total >> precision.fraction
        if x > one or 64 * units > room or not room:
            raise Undecided
        h = max(0, total.bit_length() - bits)
        values = precision.floors(sums >> self.extra * precision.slot, self.width, h)
        found = self._quotients(values * ((1 << bits + h + self._bits) // total))
        coarser = precision.fraction - bits
        square = ((squares << 2 * precision.fraction + self._square_bits) // total + 1) - (
            self.least_norm(found) << coarser) ** 2
        placed_key = ceil_sqrt(max(0, square))
        scores, others = (105 * x, 106) if 64 * x <= one else (102 * x + (32 * x * x >> precision.fraction) + 1, 840)
        scores, e_value = self.sharpened(scores, reach.value_error, sums, total, units)
        placed_key = scores * placed_key // (100 * one) + others * units * 2 * self.values // (100 * room)
        return HeadAverage(found, (e_value + placed_key + 2 >> coarser) + 1 + self.rounding)


def maps_of_heads(precision: Precision, budget: Budget, step: AttentionStep, reads: int
                  ) -> list[tuple[LinearOnNumbers, ...]]:
    """Return, for each head, its maps to queries (with the scale of scores), keys and values, of one weight scale."""
    exact = [(scale_map(after_norm(step.norm, linear(head.query)), step.scale, precision.slot),
              (after_norm(step.norm, linear(head.key)), False), (after_norm(step.norm, linear(head.value)), False))
             for head in step.heads]
    room = max((largest_entry(given, reads, precision) for maps in exact for given, _ in maps), default=0)
    return [tuple(LinearOnNumbers(precision, budget, given, reads, inexact, room) for given, inexact in maps)
            for maps in exact]


def scale_map(given: ExactLinear, scale: Scale, bits: int) -> tuple[ExactLinear, bool]:
    """Return the map times the scale of scores; and whether its entries are rounded, by less than 2^-bits.

    A root, or a rational whose denominator is not a power of two, is rounded down at 2^-K; K is so large that a weight
    or bias times 2^-K is below 2^-bits.
    """
    if scale.times is not None and scale.times.denominator.bit_count() == 1:
        return multiply(given, scale.times.numerator, 1 - scale.times.denominator.bit_length()), False
    entries = [w for row in given.weight.rows for w in row]
    size = max((w.bit_length() for w in entries), default=0) + given.weight.power
    other = max((b.bit_length() for b in given.bias.entries), default=0) + given.bias.power
    k = bits + max(size, other, 0)
    factor = isqrt((1 << 2 * k) // (scale.root or 1))
    if scale.times is not None:
        factor = (scale.times.numerator << k) // scale.times.denominator
    return multiply(given, factor, -k), True
