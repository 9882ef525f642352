"""A head in ball arithmetic under a float model.

See docs/background/floats_rules.md, section 7, Balls, Scores and Averages.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt
from operator import add
from typing import Any

from ...float_models.roundoff import gamma, raised, roundoff_of_sums, tiny
from ..balls.exact import ExactLinear, linear, multiply, zeros
from ..balls.exponentials import RELATIVE_ERROR
from ..balls.heads import HeadAverage, HeadOnNumbers, TokenProjections, VisibleBounds
from ..balls.linear import LinearOnNumbers, spectral_norm
from ..balls.precision import NORM_BITS, Undecided, ceil_norm, ceil_sqrt
from ..reading.network import AttentionStep, NetworkHead, Scale
from ..zonotopes.affine import CentredRange, known_by_sizes
from ..zonotopes.scores import PathBounds
from .balls import SHARE, Balls, ProductOnBalls, share
from .softmax_rules import SoftmaxRules, is_power


class HeadOnBalls(HeadOnNumbers):
    """A head; the bounds of queries include the scale of scores."""

    extra = 4

    def __init__(self, balls: Balls, step: AttentionStep, head: NetworkHead,
                 maps: Sequence[LinearOnNumbers], length: int) -> None:
        super().__init__(balls.precision, step, head, maps, length)
        self._length, self._scale_of_scores = length, step.scale
        model, width, (low, high) = balls.model, head.query.weight.width, ends_of_scale(step.scale)
        if not 2 * tiny(model.sums) <= low <= 1:
            raise Undecided
        self._scale, self._back = share(high), share(1 / low)
        self._products = [ProductOnBalls(balls, linear(one)) for one in (head.query, head.key, head.value)]
        self._stored, self._entering = ([kind(size) for size in (width, width, self.width)]
                                        for kind in (balls.stored, balls.entering))
        self._varies = "scales" in model.also and step.scale.times != 1
        terms = width + (6 if self._varies else 0 if is_power(step.scale.times) else 2)
        self._product = share(gamma(terms, roundoff_of_sums(model)))
        self._raised = balls.number(raised(model) * ceil_sqrt(max(width, self.width)))
        self._lost = balls.number(4 * terms * tiny(model.sums)) + 2
        if self._varies:
            self._lost += balls.number(4 * tiny(model.sums) * width * Fraction(
                self.query.bound + self.key.bound, balls.precision.one) / low) + 1
        self._score = balls.rounded(model.scores, 1, exact=model.scores == model.sums)
        self._sums = balls.below(model.scores if self._varies else model.sums, 2) * low
        softmax = SoftmaxRules(model)
        fixed, of_size = softmax.exponents_within(length)
        self._fixed, self._of_size = balls.number(fixed) + 1, share(of_size)
        self._most = min(balls.below(model.softmax, 8), balls.below(model.sums, 2),
                         balls.precision.number(softmax.most_of_scores(length)))
        relative, lost = softmax.relative(length), softmax.lost(length)
        flushed = 16 * length * tiny(model.softmax)
        if flushed > 1 or 2 * length >= 1 << model.softmax.greatest:
            raise Undecided
        self._relative, self._flushed = share(relative), share((1 + relative) * flushed + self._side * lost)
        self._constant = self._side * balls.number(lost) + 2
        norm = spectral_norm(balls.budget, head.out, balls.precision.norms) + 1
        factor = (1 << 2 * NORM_BITS) // norm * 1023 >> 10
        self.out_norm = -(-(1 << 2 * NORM_BITS) // factor)
        out = multiply(ExactLinear(head.out, zeros(head.out.width)), factor, -NORM_BITS)
        self._written = LinearOnNumbers(balls.precision, balls.budget, out, self.bound)
        self._values = min(balls.below(form, 4 * length) for form in (
            (model.sums,) if model.normalised == "before" else (model.sums, model.softmax)))

    def project_read(self, query: Sequence[int], key: Sequence[int], value: Sequence[int], e: int, gain_error: int,
                     size: int) -> TokenProjections:
        """Return the projections of a token from its mapped input.

        The input has error e before gain and bias; ``gain_error`` after, and 2-norm at most ``size``.
        """
        found = []
        for kind, (vector, linear_map) in enumerate(((query, self.query), (key, self.key), (value, self.value))):
            scale, back = (self._scale, self._back) if kind == 0 else (1 << SHARE, 1 << SHARE)
            error = linear_map.error(e) + (self._products[kind].error(gain_error, size) * scale >> SHARE) + 1
            for rounded in (self._stored[kind], self._entering[kind]):
                stored = [(abs(y) * back >> SHARE) + 1 for y in vector]
                more = (rounded.error_near(stored, (error * back >> SHARE) + 1) * scale >> SHARE) + 1
                error += more
            found.append(error)
        e_query, e_key, e_value = found
        more = ((ceil_norm(value) + e_value + self._raised) * self._relative >> SHARE) + 1
        return TokenProjections(query, key, value, e_query, VisibleBounds(e_key, ceil_norm(key), e_value + more))

    def project_forms(self, forms: tuple[Any, Any, Any], value: CentredRange) -> TokenProjections:
        """Return the projections of a token at the first attention; the forms are softmax, query and key.

        Raises:
            Undecided: if the value does not fit its slots.
        """
        size, largest, e = ceil_norm(value.centres), max(map(abs, value.centres)), ceil_norm(value.reaches)
        if size > self.value.bound or largest > self.value.largest:
            raise Undecided
        e += ((size + e + self._raised) * self._relative >> SHARE) + 1
        return TokenProjections((), (), value.centres, 0, VisibleBounds(value_error=e), forms)

    def weigh(self, value: Sequence[int], e: int = 0, e_score: int | None = None) -> int:
        """Pack before the value also its error, and (exp(x) - 1)² / 8, x the error of its score; both at most 1."""
        unit, bits, slot = self._precision.one, self._precision.fraction, self._precision.slot
        x = unit << 2 if e_score is None else e_score + RELATIVE_ERROR
        growth = x + (3 * x * x >> bits + 2) + 1
        beside = min(unit, e) + (min(unit, (growth * growth >> bits + 3) + 1) << slot)
        return super().weigh(value) + (beside << 2 * slot)

    def sharpened(self, moved: int, most: int, sums: int, total: int, units: int) -> tuple[int, int]:
        """Sharpen the bounds by the averages of what is packed before values.

        See docs/background/floats_rules.md, section 7, Balls.
        """
        one, bits, slot = self._precision.one, self._precision.fraction, self._precision.slot
        room, mask = total >> bits, (1 << slot) - 1
        if 1024 * units > room:
            return moved, most
        error, square = (((sums >> k * slot & mask) << more) // total + 1 for k, more in ((2, bits), (3, bits + 3)))
        if 4 * square <= one:
            root = ceil_sqrt(square << bits)
            moved = min(moved, 101 * (root + (5 * root * square >> bits + 3) + 1))
        if most < one:
            most = min(most, 101 * error // 100 + moved * most // (200 * one) + 8 * units * most // room + 2)
        return moved, most

    def square(self, value: Sequence[int]) -> int:
        """Return an upper bound of the squared norm of the value's output, divided by ‖W_O‖²."""
        return (ceil_norm(self._written.apply(value)) + self._written.error(0)) ** 2

    def least_norm(self, average: Sequence[int]) -> int:
        """Return a lower bound of the norm of the output of an average before its rounding, divided by ‖W_O‖."""
        return max(0, ceil_norm(self._written.apply(average)) - 1 - self._written.error(0) - self.rounding)

    def score_error(self, token: TokenProjections, reach: VisibleBounds, scores: Sequence[int]) -> int:
        """Bound the error of the log-weights of an execution relative to these scores."""
        e = self._unstored_error(token, reach)
        return e + self._stored_error(max(map(abs, scores)) + e)

    def all_scores(self, token: TokenProjections, others: Sequence[TokenProjections], reach: VisibleBounds,
                   places: Sequence[int], place: int) -> tuple[Sequence[int], Sequence[int]]:
        """Return the stored scores, over 2^44, and bounds of the errors of log-weights relative to them."""
        if token.forms is None:
            return super().all_scores(token, others, reach, places, place)
        softmax, query, _ = token.forms
        keys = [one.forms[2] for one in others if one.forms is not None]
        centres, reaches = known_by_sizes(softmax.scores(query, keys, self._scale_of_scores))
        stored = [PathBounds(x - reach, x + reach) for x, reach in zip(centres, reaches, strict=True)]
        errors = softmax.exponents(stored, self._length, min(one.least for one in stored))
        return centres, list(map(add, reaches, errors))

    def _unstored_error(self, token: TokenProjections, reach: VisibleBounds) -> int:
        """Bound the error of a score before it is stored."""
        return super().score_error(token, reach, ()) + self._operation_error(token, reach)

    def _operation_error(self, token: TokenProjections, reach: VisibleBounds) -> int:
        """Bound the error that operations add to a score."""
        total = ((ceil_norm(token.query) + token.query_error + self._raised)
                 * (reach.key_norm + reach.key_error + self._raised) >> self._precision.fraction) + 1
        if total >= self._sums:
            raise Undecided
        made = (total * self._product >> SHARE) + self._lost
        return made + (self._score.error(total + made) if self._varies else 0)

    def _stored_error(self, most: int) -> int:
        """Bound the further error of log-weights, of scores of at most ``most`` before they are stored."""
        more = self._score.error(most)
        most += more
        if most >= self._most:
            raise Undecided
        return more + self._fixed + (self._of_size * most >> SHARE) + 1

    def average(self, sums: int, e_score: int, reach: VisibleBounds, length: int, bits: int) -> HeadAverage:
        """Return the average from the packed sum, and its error bound; see the base class."""
        found, e, _ = super().average(sums, e_score, reach, length, bits)
        most = self.values + reach.value_error
        if most >= self._values:
            raise Undecided
        more, coarser = (most * self._flushed >> SHARE) + self._constant, self._precision.fraction - bits
        e += (more >> coarser) + 1
        apart = reach.value_error + (2 * (e_score + RELATIVE_ERROR) * self.values >> self._precision.fraction)
        return HeadAverage(found, e, ceil_norm(found) + e + (apart >> coarser) + 1)


def ends_of_scale(scale: Scale) -> tuple[Fraction, Fraction]:
    """Enclose the absolute value of the scale of scores, within 2^-SHARE."""
    if scale.root is None:
        times = abs(scale.times if scale.times is not None else Fraction(1))
        return times, times
    places = SHARE + scale.root.bit_length()
    low = isqrt((1 << 2 * places) // scale.root)
    return Fraction(low, 1 << places), Fraction(low + 1, 1 << places)
