"""The average of a head at one token in an execution.

See docs/background/floats_rules.md, section 7, Softmax, has the proof.

Scores are forms over the symbols of the token of the query; keys and values are centres and radii.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor
from operator import add, mul
from typing import TYPE_CHECKING, NamedTuple

from ....kernel.budget import Budget
from ....kernel.numbers import ONE
from ....kernel.verdicts import require
from ...float_models.reading import FloatClaim
from ...float_models.roundoff import raised, tiny
from ..balls.exponentials import ABSOLUTE_ERROR, RELATIVE_ERROR, Exponentials
from ..reading.network import Scale
from ..zonotopes.affine import (
    FRACTION,
    UNIT,
    WEIGHT,
    AffineForm,
    CentredRange,
    apply,
    known_by_sizes,
    make_linear,
    move,
    plus,
    spread,
    tighten,
    widened,
    within_range,
)
from ..zonotopes.linear_maps import over_root, to_units
from ..zonotopes.scores import PathBounds, Vectors, move_of, scores
from .exact_sums import as_stored, rounded_form, sum_is_exact
from .rounding import all_times, expect_finite, roundings, sum_errors, times, up
from .softmax_rules import SoftmaxRules, is_power

if TYPE_CHECKING:
    from .score_caps import CapOnForms

PLACES = 100  # fractional bits of exponentials
FINER = 24  # additional fractional bits of the linear maps to averages
WIDE = 2 * UNIT  # error of scores from which an average is only enclosed by the values


class HeadAverages(NamedTuple):
    """Per coordinate of an average: the form, and the error of an execution relative to it, before it is stored."""

    form: AffineForm
    made: list[int]


class DeviatingWeights(NamedTuple):
    """Per position: a weight, and that times b, a + b and e^a (or more), over 2^44.

    a bounds the deviation of its score from the mean of all, b is at least e^a - 1 - a. ``total`` is the sum of the
    weights, ``zeta`` the average of all b.
    """

    weights: list[int]
    times_b: list[int]
    times_ab: list[int]
    times_exp: list[int]
    total: int
    zeta: int


class SoftmaxOnForms(SoftmaxRules):
    """The softmax of a float model, on affine forms."""

    def __init__(self, budget: Budget, model: FloatClaim) -> None:
        super().__init__(model)
        self._budget, self._exp = budget, Exponentials(FRACTION, PLACES, budget)
        self._raised, self._scales = up(raised(model)), dict[Scale, bool]()

    def scores(self, query: AffineForm, keys: Sequence[Vectors], scale: Scale,
               biases: Sequence[Fraction] | None = None, cap: CapOnForms | None = None, shared: bool = False
               ) -> AffineForm:
        """Return the stored scores of a query that has entered the product; radii are not symbols of the query.

        Symbols of keys are those of the query if they are ``shared``, and others if not.
        """
        self._budget.spend(len(keys) * (8 + 2 * len(query.sizes)))
        factor = [to_units(key.known.centres, -FRACTION, scale) for key in keys]
        form = apply(self._budget, make_linear(factor, [0] * len(keys)), query)
        (centres, reaches), made = known_by_sizes(query), []
        if shared:
            form = plus(form, self._of_keys(to_units(centres, -FRACTION, scale), keys))
        for key, error in zip(keys, self._product_errors(query.sizes, [key.known for key in keys], scale), strict=True):
            moved = (0 if shared else move_of(self._budget, key, centres)) + sum(map(mul, reaches, key.known.reaches))
            within = (moved >> FRACTION) + 1
            made.append(abs(to_units([within], -FRACTION, scale)[0]) + 2 + error)
        form = self._tight(widened(form, made))
        if cap is not None:
            form = self._tight(widened(cap.of_form(form), cap.errors(form.sizes)))
        if biases is not None:
            form = self._tight(move(form, [floor(bias * UNIT) for bias in biases]))
            form = widened(form, self.biasing(biases, form.sizes))
        self.storing(form.sizes)
        return form if self._model.scores == self._model.sums else rounded_form(form, self._model.scores)

    def _of_keys(self, weights: Sequence[int], keys: Sequence[Vectors]) -> AffineForm:
        """Return the products of these weights and what is beside the centres of keys, over the symbols of keys."""
        rows, radii, sizes, slots = [], [], [], 1
        for key in keys:
            form = apply(self._budget, make_linear([weights], [0]), key.form)
            (centre,), (reach,) = known_by_sizes(form)
            slots = max(slots, form.slots)
            rows.append(form.rows[0] - centre)
            radii.append(2 * form.radii[0])  # that of the centre, too
            sizes.append(reach + form.radii[0])
        return within_range(rows, slots, radii, sizes)

    def biasing(self, biases: Sequence[Fraction], sizes: Sequence[int]) -> list[int]:
        """Bound the errors of scores of these sizes due to biases that are rounded, and added, in `sums`."""
        sums, totals = self._model.sums, [size + 1 for size in sizes]
        most = [up(abs(bias)) for bias in biases]
        expect_finite(sums, [*most, *totals])
        errors = list(map(add, roundings(sums, most), [1] * len(most)))
        return list(map(add, errors, roundings(sums, list(map(add, totals, errors)))))

    def bounds(self, query: Vectors, keys: Sequence[Vectors], scale: Scale, biases: Sequence[Fraction] | None = None,
               cap: CapOnForms | None = None) -> list[PathBounds]:
        """Enclose the stored scores of a query and keys that are forms, capped, with biases."""
        self._budget.spend(len(keys) * (8 + 2 * len(query.form.sizes)))
        found = []
        errors = self._product_errors(query.form.sizes, [key.known for key in keys], scale)
        each: Sequence[Fraction | None] = [None] * len(keys) if biases is None else biases
        for key, error, bias in zip(keys, errors, each, strict=True):
            ends = scaled(scores(self._budget, query, key), scale)
            least, greatest = min(ends) - 1 - error, max(ends) + 1 + error
            if cap is not None:
                least, greatest = cap.of_ends(least, greatest)
            if bias is not None:
                least, greatest = least + floor(bias * UNIT), greatest + floor(bias * UNIT) + 1
                (more,) = self.biasing([bias], [max(-least, greatest)])
                least, greatest = least - more, greatest + more
            (more,) = self.storing([max(-least, greatest)])
            one = self._of_numbers(query.known, key.known, scale) if bias is None and cap is None else None
            found.append(one or PathBounds(least - more, greatest + more))
        return found

    def _of_numbers(self, query: CentredRange, key: CentredRange, scale: Scale) -> PathBounds | None:
        """Enclose exact and stored score, if both vectors are equal in all executions and the sum is exact."""
        if any(query.reaches) or any(key.reaches) or scale.times != 1 or self._model.sum_ulp > 1:
            return None
        terms = list(map(mul, query.centres, key.centres))
        total, stored = sum(terms), as_stored(sum(terms), self._model.scores, 2 * FRACTION)
        if stored is None or not sum_is_exact(terms, self._model.sums, 2 * FRACTION):
            return None
        return PathBounds(min(total >> FRACTION, stored), max(-(-total >> FRACTION), stored))

    def storing(self, sizes: Sequence[int]) -> list[int]:
        """Bound the errors of computed scores of these sizes when they are stored."""
        model = self._model
        expect_finite(model.sums, [2 * size for size in sizes])
        expect_finite(model.scores, sizes)
        return [0] * len(sizes) if model.scores == model.sums else roundings(model.scores, sizes)

    def _product_errors(self, sizes: Sequence[int], keys: Sequence[CentredRange], scale: Scale) -> list[int]:
        """Bound the error of q · k times the scale, before it is stored, for a query of these sizes and each key."""
        model, exact = self._model, self._is_exact(scale)
        varies = "scales" in model.also and scale.times != 1
        terms, lost = len(sizes) + (6 if varies else 0 if exact else 2), tiny(model.sums) * ceil(max(
            ONE, abs(scale.times or ONE)))
        totals, stored, sizes = [], list[int](), [size + self._raised for size in sizes]
        for key in keys:
            of_key = [abs(x) + reach + self._raised for x, reach in zip(key.centres, key.reaches, strict=True)]
            total = (sum(map(mul, sizes, of_key)) >> FRACTION) + 1
            expect_finite(model.sums, [2 * total])
            totals.append(abs(scaled([total], scale)[0]) + 2)
            stored.append(times(2 * lost, sum(sizes) + sum(of_key)) + abs(scaled(
                self.storing([total + sum_errors(model, terms, [total])[0]]), scale)[0]) + 2 if varies else 0)
        more = up(4 * terms * (lost - tiny(model.sums)))  # it is scaled, too
        return [error + more + first for error, first in zip(sum_errors(model, terms, totals), stored, strict=True)]

    def _is_exact(self, scale: Scale) -> bool:
        """Return whether products with the scale are exact.

        Raises:
            Rejected: if there is no rule for it.
        """
        if scale not in self._scales:
            expect_finite(self._model.sums, [up(2 * abs(scale.times or ONE))])
            square = Fraction(1, scale.root) if scale.root is not None else (scale.times or 1) ** 2
            require(square >= tiny(self._model.sums) ** 2, "the scale of scores may be too small for its format")
            self._scales[scale] = scale.root is None and is_power(scale.times)
        return self._scales[scale]

    def exponents(self, stored: Sequence[PathBounds], count: int, floor: int | None = None) -> list[int]:
        """Bound errors of log-weights beyond those of these scores, some of ``count``; the top is ``floor`` or more."""
        model, u = self._model, self._u
        top, floor = max(x.greatest for x in stored), max(x.least for x in stored) if floor is None else floor
        most = max(max(-x.least, x.greatest) for x in stored)
        rescaled, own = self._rescaled(count), self.exponent_of_none(count)
        require(up(2 * own) + (times(6 * u * (1 + rescaled), most) if model.exp_base != "e" else 0) <= UNIT,
                "the greatest weight may err by a factor of 1.6")
        fixed = up(own) + 2 * RELATIVE_ERROR
        found = []
        for x in stored:
            apart = top - x.least
            both = max(top, -floor, x.greatest, -x.least)  # of this score, and of the greatest one
            more = (3 * (apart + (1 + rescaled) * both) if model.exp_base != "e" else 0) + (apart if rescaled else 0)
            found.append(fixed + times(u, apart + more))
        expect_finite(model.softmax, [4 * (top - min(x.least for x in stored)), count << FRACTION + 1])
        return found

    def weights(self, centres: Sequence[int]) -> list[int]:
        """Return the exponentials of these scores minus the greatest."""
        top = max(centres)
        return [self._exp.at(top - x) for x in centres]

    def weigh(self, weights: list[int], reaches: list[int]) -> DeviatingWeights | None:
        """Return the weights of positions with these deviations of scores from their mean; None if one is too large."""
        if max(reaches) >= WIDE:
            return None
        return make_deviating_weights(weights, reaches, [exp_remainder(a) for a in reaches])

    def _deviations(self, scores: AffineForm, weights: Sequence[int]) -> AffineForm:
        """Return the form of the deviations of scores from their centres, minus their weighted mean."""
        (centres, reaches), total = known_by_sizes(scores), sum(weights)
        moved = AffineForm([row - x for row, x in zip(scores.rows, centres, strict=True)], scores.slots, scores.radii,
                           reaches)
        shares = [(w << WEIGHT) // total for w in weights]
        mean = apply(self._budget, make_linear([[-share for share in shares]], [0]), moved)
        deviations = plus(moved, within_range(mean.rows * len(centres), mean.slots, mean.radii * len(centres),
                                              mean.sizes * len(centres)))
        return tighten(deviations, spread(self._budget, deviations))

    def average(self, scores: AffineForm, values: Sequence[CentredRange], count: int,
                forms: Sequence[AffineForm] | None = None) -> HeadAverages:
        """Return the average of the values over ``count`` positions; the radii of scores are not symbols.

        ``forms`` are those of values whose symbols are those of the scores.
        """
        centres, reaches = known_by_sizes(scores)
        weights = self.weights(centres)
        deviations = self._deviations(scores, weights)
        found = self.weigh(weights, known_by_sizes(deviations).reaches)
        columns, greatest, made, relative = self._columns(values, count)
        if found is None:  # an average of values is between them, whatever their weights are
            ends = [(min(x - reach for x, reach in column), max(x + reach for x, reach in column))
                    for column in columns]
            rows, radii = [low + high >> 1 for low, high in ends], [(high - low >> 1) + 1 for low, high in ends]
            sizes = list(map(add, map(abs, rows), radii))
            form = within_range(rows, scores.slots, radii, sizes, fresh=True)
            return HeadAverages(form, list(map(add, made, all_times(relative, greatest))))
        small = all_times(self._cancelled(max(reaches), count) * (1 + relative), greatest)
        means, firsts, rests, sizes = map(list, zip(*[self._rest(found, column, forms is not None)
                                                      for column in columns], strict=True))
        made = [sum(errors) + 2 for errors in zip(made, rests, all_times(relative, sizes), small, strict=True)]
        form = apply(self._budget, make_linear(firsts, means), deviations)
        return HeadAverages(form if forms is None else plus(form, self._of_values(found, values, forms)), made)

    def _of_values(self, found: DeviatingWeights, values: Sequence[CentredRange], forms: Sequence[AffineForm]
                   ) -> AffineForm:
        """Return κ Σ w (v' - v), v the centres, over the symbols of the values."""
        kept = 2 * UNIT - (found.zeta * UNIT // (UNIT + found.zeta) + 1)
        shares = make_linear([[w * kept // (2 * found.total) for w in found.weights]], [0])
        slots, rows, radii, sizes = max(form.slots for form in forms), [], [], []
        for i in range(len(forms[0].rows)):
            moved = [form.rows[i] - value.centres[i] for form, value in zip(forms, values, strict=True)]
            column = AffineForm(moved, slots, [form.radii[i] for form in forms], [value.reaches[i] for value in values])
            one = apply(self._budget, shares, column)
            rows += one.rows
            radii += one.radii
            sizes += one.sizes
        return within_range(rows, slots, radii, sizes)

    def sharpened(self, average: HeadAverages, stored: Sequence[PathBounds], errors: Sequence[int],
                  values: Sequence[CentredRange]) -> HeadAverages:
        """Return the average, enclosed by weights as they are stored where these, of few bits, are narrower."""
        model, count = self._model, len(values)
        if (model.weights == model.softmax or model.sum_ulp > 1 or self._rescaled(count)
                or max(one.greatest - one.least + error for one, error in zip(stored, errors, strict=True)) >= UNIT):
            return average
        from .stored_averages import AveragesOfWeights

        made, _ = self._made(self._columns(values, count)[1], count)
        form, sharper = self._tight(average.form), AveragesOfWeights(model, self._exp).find(
            stored, errors, values, made)
        rows, radii, sizes, made = list(form.rows), list(form.radii), list(form.sizes), list(average.made)
        for i, ((low, high), reach) in enumerate(zip(sharper, known_by_sizes(form).reaches, strict=True)):
            half = (high - low >> 1) + 1
            if half < reach + made[i]:
                rows[i], radii[i], sizes[i], made[i] = low + high >> 1, half, abs(low + high >> 1) + half, 0
        return HeadAverages(form._replace(rows=rows, radii=radii, sizes=sizes), made)

    def _columns(self, values: Sequence[CentredRange], count: int
                 ) -> tuple[list[list[tuple[int, int]]], list[int], list[int], Fraction]:
        """Return the values by coordinate, the greatest of each, what is flushed, and the relative error."""
        columns = [[(value.centres[i], value.reaches[i]) for value in values] for i in range(len(values[0].centres))]
        self._budget.spend(8 * len(values) * (4 + len(columns)))
        greatest = [max(abs(x) + reach for x, reach in column) + self._raised for column in columns]
        made, relative = self._made(greatest, count)
        return columns, greatest, made, relative

    def beside(self, greatest: Sequence[int], count: int) -> list[int]:
        """Bound the error of an average, by coordinate, relative to that with exact weights exp(score).

        Each log-weight is within its `exponents`, at most 1; values are at most ``greatest``. Proof:
        docs/background/floats_rules.md, section 7, Classes.

        Raises:
            Rejected: if the flushed part of the weights may be large.
        """
        made, relative = self._made(greatest, count)
        flushed = 16 * count * tiny(self._model.softmax)
        require(flushed <= 1, "exponentials may be too small for their format")
        return [error + times((1 + relative) * (1 + flushed) - 1, size + self._raised)
                for error, size in zip(made, greatest, strict=True)]

    def _made(self, greatest: Sequence[int], count: int) -> tuple[list[int], Fraction]:
        """Return what is flushed in averages of values of at most these sizes, and the relative error of each term."""
        lost = self.lost(count)
        sums = [4 * count * size for size in greatest]
        expect_finite(self._model.sums, sums)
        if self._model.normalised != "before":
            expect_finite(self._model.softmax, sums)
        return [times(lost, size + UNIT) + 1 for size in greatest], self.relative(count)

    def _rest(self, found: DeviatingWeights, column: Sequence[tuple[int, int]], shared: bool = False
              ) -> tuple[int, list[int], int, int]:
        """Return for one coordinate: centre, coefficients of the deviations, remainder, average of sizes.

        If values are forms over ``shared`` symbols, the remainder leaves out what is linear in these.
        """
        total, zeta, numbers = found.total, found.zeta, [x for x, _ in column]
        summed = sum(map(mul, found.weights, numbers))
        z = summed // total
        deviations = [x - z for x in numbers]
        apart = [abs(x) + 1 for x in deviations]
        reached = sum(map(mul, found.times_exp, [reach for _, reach in column]))
        size = reached + sum(map(mul, found.times_exp, [abs(x) + self._raised for x in numbers]))
        part = zeta * UNIT // (UNIT + zeta) + 1  # 1 - 1/(1 + ζ)
        kept = 2 * UNIT - part
        mean, half = (summed << FINER) // total, 1 << 2 * FINER + FRACTION - 1
        firsts = [(share * ((x << FINER) - mean) + half) >> 2 * FINER + FRACTION
                  for share, x in zip([w * (kept << FINER - 1) // total for w in found.weights], numbers, strict=True)]
        centre = z + sum(map(mul, found.times_b, deviations)) * kept // (4 * UNIT**2 * total)
        beside = sum(map(mul, found.times_ab, [reach for _, reach in column])) if shared else reached
        slack = (sum(map(mul, found.times_b, apart)) + 2 * beside) * kept
        linear = (sum(map(mul, found.times_ab, apart)) + reached) * part
        return centre, firsts, -(-(slack + 2 * linear) // (4 * UNIT**2 * total)) + 10, -(-size // (total * UNIT))

    def _cancelled(self, reach: int, count: int) -> Fraction:
        """Bound the effect of weights too small to have a relative error, for values of at most 1.

        Raises:
            Rejected: if they may be a large part of all weights.
        """
        growth = Fraction(1 << (3 * reach >> FRACTION + 1) + 2)
        small = count * growth * (2 * tiny(self._model.softmax) + Fraction(ABSOLUTE_ERROR, 1 << PLACES))
        require(2 * small * growth <= 1, "exponentials may be too small for their format")
        return 4 * small * growth

    def _tight(self, x: AffineForm) -> AffineForm:
        return tighten(x, spread(self._budget, x))


def make_deviating_weights(weights: list[int], reaches: Sequence[int], remainders: Sequence[int]) -> DeviatingWeights:
    """Return the weights of positions whose scores deviate by at most a = ``reaches``; b = ``bends``."""
    times_b, total = list(map(mul, weights, remainders)), sum(weights)
    times_ab = [one + w * a for one, w, a in zip(times_b, weights, reaches, strict=True)]
    times_exp = [one + (w << FRACTION) for one, w in zip(times_ab, weights, strict=True)]
    return DeviatingWeights(weights, times_b, times_ab, times_exp, total, -(-sum(times_b) // total))


def exp_remainder(a: int) -> int:
    """Bound e^a - 1 - a = a²/2 (1 + a/3 (1 + a/4 (1 + a/5 (1 + ...)))) from above, for 0 <= a <= 2, in units."""
    rest = 5 * a * UNIT // (4 * (5 * UNIT - a)) + 1
    return a * a * (3 * UNIT**2 + a * (UNIT + rest)) // (6 * UNIT**3) + 1


def scaled(numbers: Sequence[int], scale: Scale) -> list[int]:
    """Return the numbers times the scale, each with an error of at most 1."""
    if scale.root is not None:
        return [over_root(x, 0, scale.root) for x in numbers]
    times = scale.times if scale.times is not None else ONE
    return [x * times.numerator // times.denominator for x in numbers]
