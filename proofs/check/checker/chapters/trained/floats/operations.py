"""Affine forms of one token's numbers in all executions under a float model, step by step.

See docs/background/floats_rules.md, section 7.

A form contains the numbers of every execution: it is the real operation on forms (../zonotopes), plus a radius for the
rounding of each result, which becomes a symbol where it is read.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt
from operator import add, mul

from ....kernel.budget import Budget
from ....kernel.numbers import ONE
from ....kernel.verdicts import require
from ...float_models.reading import FORMATS, FloatClaim, Format
from ...float_models.roundoff import gamma, raised, roundings_of_a_sum, tiny, unit_roundoff
from ..balls.precision import ceil_norm, ceil_sqrt
from ..reading.network import Network, Rotary
from ..zonotopes.activations import activate
from ..zonotopes.affine import (
    FRACTION,
    UNIT,
    WEIGHT,
    AffineForm,
    Linear,
    apply,
    multiply,
    plus,
    promoted,
    scale_each,
    spread,
    tighten,
    widened,
    with_generators,
)
from ..zonotopes.linear_maps import make_rotation, to_units
from ..zonotopes.step_maps import NormMaps, UnitMaps
from .casting import embedded
from .exact_sums import as_stored, numbers_of, product_of, rounded_form, with_numbers
from .rounding import all_times, expect_finite, roundings, sum_errors, times, up

EIGHTS = Fraction(1, 220)  # error of numbers rounded to 8 bits, over the greatest of them


class Operations:
    """The operations of a float model; in a ``whole`` network some numbers are equal in all executions."""

    def __init__(self, budget: Budget, model: FloatClaim, whole: bool = False) -> None:
        self.budget, self.model, self._whole = budget, model, whole
        self.u = unit_roundoff(model.softmax)
        self._norms: dict[tuple[int, Fraction], tuple[int, int, Fraction]] = {}
        self.function = 2 * model.exp_ulp * self.u  # the relative error of exp, erf, tanh and roots

    def embed(self, network: Network, token: int, position: int) -> AffineForm:
        """Return the stream before the first step: one number in all executions unless flushed; with a symbol slot."""
        row = to_units(*embedded(self.model, network, token, position))
        radius = 1 + up(tiny(self.model.storage))
        found = AffineForm(row, 2, [radius] * len(row), [abs(x) + radius for x in row])
        return self._as_one(found, [as_stored(x, self.model.storage, FRACTION) for x in row])

    def _as_one(self, x: AffineForm, numbers: Sequence[int | None]) -> AffineForm:
        return with_numbers(x, numbers) if self._whole else x

    def tight(self, x: AffineForm) -> AffineForm:
        """Return the form with tightened sizes."""
        return tighten(x, spread(self.budget, x))

    def entering(self, x: AffineForm) -> AffineForm:
        """Return a stored vector as it enters products: each radius has become a symbol."""
        x = promoted(x)
        if "eights" in self.model.also:
            expect_finite(FORMATS["binary16"], x.sizes)
            x = promoted(self.tight(widened(x, roundings(FORMATS["binary16"], x.sizes))))
        if self.model.inputs == self.model.storage:
            return x
        expect_finite(self.model.inputs, x.sizes)
        return promoted(rounded_form(self.tight(x), self.model.inputs))

    def reading(self, x: AffineForm) -> AffineForm:
        """Return a stored vector as it enters a product with weights."""
        if "eights" not in self.model.also:
            return self.entering(x)
        more = times(EIGHTS, max(x.sizes)) + (UNIT >> 17)
        return promoted(self.tight(widened(promoted(x), [more] * len(x.sizes))))

    def stored(self, x: AffineForm, made: Sequence[int]) -> AffineForm:
        """Round results with errors ``made`` to the format of storage; sizes are tightened."""
        return self._rounded(self.tight(widened(x, made)))

    def _rounded(self, x: AffineForm) -> AffineForm:
        expect_finite(self.model.storage, x.sizes)
        if self.model.storage == self.model.sums == self.model.softmax:
            return x
        return rounded_form(x, self.model.storage)

    def linear(self, maps: Linear, x: AffineForm) -> AffineForm:
        """Return a matrix product of stored x, plus bias, stored."""
        return self.product(maps, self.reading(x))

    def product(self, maps: Linear, x: AffineForm) -> AffineForm:
        """Return a matrix product of x that has entered it, plus bias, stored."""
        found = self.stored(apply(self.budget, maps, x), self.product_errors(maps, x.sizes))
        numbers = numbers_of(x) if self._whole else None
        if numbers is None:
            return found
        self.budget.spend(len(maps.columns) * len(numbers))
        return self._as_one(found, product_of(maps, numbers, self.model.sums, self.model.storage))

    def product_errors(self, maps: Linear, sizes: Sequence[int]) -> list[int]:
        """Bound the errors of a matrix product of numbers of these sizes, plus bias, before it is stored."""
        more = raised(self.model)
        sizes = [size + up(more) for size in sizes]  # as they count
        sums = [sum(map(mul, weights, sizes)) >> WEIGHT for weights in maps.absolute]
        inexact = (sum(sizes) >> WEIGHT) + times(more, sum(sizes)) + 3  # weights and biases err by at most a unit
        totals = [one + abs(entry) + inexact for one, entry in zip(sums, maps.bias, strict=True)]
        expect_finite(self.model.sums, [2 * total for total in totals])
        return sum_errors(self.model, roundings_of_a_sum(self.model, len(sizes) + 1), totals)

    def entered(self, sizes: Sequence[int], made: Sequence[int]) -> tuple[list[int], list[int]]:
        """Return the errors of results, with errors ``made``, stored and entering products; and their sizes."""
        model = self.model
        require("eights" not in model.also, "inputs in 8 bits have no rule by abstract words in tracks")
        made, _ = rounded_to(model.storage, (model.sums, model.softmax), sizes, made)
        return rounded_to(model.inputs, (model.storage,), sizes, made)

    def sum(self, x: AffineForm, y: AffineForm) -> AffineForm:
        """Return the sum of two stored vectors, rounded in `sums` and stored; y, used only here, keeps its radii."""
        total = self.tight(plus(promoted(x), y))
        return promoted(self._rounded(widened(total, roundings(self.model.sums, total.sizes))))

    def normed(self, maps: NormMaps | None, x: AffineForm) -> AffineForm:
        """Return the norm of the stream, in `softmax`, then stored; the stream if there is no norm."""
        if maps is None:
            return x
        from ..zonotopes.norms import normalise

        x = x if maps.of is None else self.linear(maps.of, x)
        self.budget.spend(20 * len(x.rows))
        x = promoted(x)
        return self.after_norm(maps, x, self.tight(normalise(self.budget, maps.kind, maps.epsilon, x)))

    def after_norm(self, maps: NormMaps, x: AffineForm, exact: AffineForm) -> AffineForm:
        """Return the stored norm of x from its exact norm without gain and bias."""
        made, shift = self.norm_error(maps, x.sizes, exact.sizes, self._least_deviation(maps, x))
        if shift:
            exact = with_generators(exact._replace(sizes=[size + shift for size in exact.sizes]), [[shift]] * len(made))
        scaled = scale_each(self.budget, maps.gain, maps.bias, exact)
        self.gained(maps, exact.sizes, made)
        return self.stored(scaled, made)

    def gained(self, maps: NormMaps, sizes: Sequence[int], made: list[int]) -> None:
        """Replace the errors ``made`` of a norm, whose coordinates have these sizes, by those after gain and bias."""
        gains, biases = maps.gain or [UNIT] * len(made), maps.bias or [0] * len(made)
        if "gains" in self.model.also and maps.kind == "rms":
            made[:] = map(add, made, roundings(self.model.storage, map(add, sizes, made)))
        last, lost = gamma(2, self.u), up(4 * tiny(self.model.softmax))
        expect_finite(self.model.softmax, map(add, sizes, made))
        gains = [abs(gain) + 1 for gain in gains]
        products = [(size + error) * gain // UNIT + 1 for size, error, gain in zip(sizes, made, gains, strict=True)]
        expect_finite(self.model.softmax, products)
        rounded = all_times(last, [product + abs(bias) + 1 for product, bias in zip(products, biases, strict=True)])
        made[:] = [error * gain // UNIT + 2 + more + lost
                   for error, gain, more in zip(made, gains, rounded, strict=True)]

    def norm_error(self, maps: NormMaps, given: Sequence[int], exact: Sequence[int], low: int) -> tuple[list[int], int]:
        """Bound the error of each coordinate of the norm before gain and bias, and the error common to all coordinates.

        Inputs have the sizes ``given``, the exact norm ``exact``; s is at least ``low``. Proof:
        docs/background/floats_rules.md, section 7, Norms. ``psi`` are at least |ψ_i|, ``mean`` is at least |δ|.

        Raises:
            Rejected: if the deviation may be too near to 0 for its rounding.
        """
        d, model, u = len(given), self.model, self.u
        lost, beside, factor = self._of_norms(d, maps.epsilon)
        squares = sum(map(mul, given, given)) // UNIT + 1 + beside  # d times the variance and ε
        expect_finite(model.softmax, [4 * sum(given), 8 * squares, d * UNIT])
        require(max(2 * d * UNIT, -(-8 * squares // d)) <= UNIT * tiny(model.softmax).denominator,
                "an inverse in a norm may be too small for its format")
        psi, mean, spread = [0] * d, 0, 0
        if maps.kind == "layer":
            average, rounded = sum(given) // d + 1, gamma(4, u)
            mean = times(gamma(d + 1, u), average) + lost
            if "merged" in model.also or "one pass" in model.also:
                mean, spread = self._of_other_variances(given, squares, low, min(maps.epsilon, ONE))
            psi = [more + lost for more in all_times(rounded, [size + average for size in given])]
        root = max(1, isqrt(d))
        length = ceil_norm([more + mean for more in psi])
        room = low - -(-length // root) - spread
        require(room > 0, "a norm where the deviation may be too near to 0")
        expect_finite(model.softmax, [2 * UNIT**2 // room, 4 * UNIT**3 // room**2])
        far, apart = length * UNIT // room + 1, -(-ceil_norm(psi) // root) + spread
        shift = mean * UNIT // room + 1 if mean else 0
        moved = [(more * UNIT + (size + far) * apart) // room + 2 + (size * shift // UNIT + 1) * shift // UNIT
                 for size, more in zip(exact, psi, strict=True)]
        last = all_times(factor, [size + shift + more for size, more in zip(exact, moved, strict=True)])
        made = [more + error + lost for more, error in zip(moved, last, strict=True)]
        return made, shift

    def _of_other_variances(self, given: Sequence[int], squares: int, low: int, epsilon: Fraction) -> tuple[int, int]:
        """Bound the errors of the mean, and of s, where variances are merged from parts or made in one pass.

        Proof: docs/background/floats_rules.md, section 7, Variances.
        """
        d, most = len(given), max(given)
        expect_finite(self.model.softmax, [8 * d * squares])
        lost = times(8 * (d + 3) * tiny(self.model.softmax) / epsilon, most + UNIT)
        spread = times(gamma(10 * d + 24, self.u), most) + lost
        if "one pass" in self.model.also:
            spread += times(gamma(4 * d + 8, self.u), squares) * UNIT // (d * max(low, 1)) + 1
        return times(gamma(5 * d + 5, self.u), most) + lost, spread

    def _of_norms(self, d: int, epsilon: Fraction) -> tuple[int, int, Fraction]:
        """Return for norms of d coordinates: what is flushed, d ε, and the relative error of root and quotient.

        Raises:
            Rejected: if ε is too small.
        """
        if (d, epsilon) not in self._norms:
            lost = tiny(self.model.softmax)
            flushed = 4 * (d + 3) * lost / epsilon
            require(8 * flushed <= 1 and 8 * self.function <= 2, "ε, or a root, is too coarse for its format")
            self._norms[d, epsilon] = up(4 * (d + 1) * lost), up(d * epsilon), (
                (1 + gamma(d + 8, self.u)) * (1 + 2 * flushed) * (1 + 2 * self.function) - 1)
        return self._norms[d, epsilon]

    def _least_deviation(self, maps: NormMaps, x: AffineForm) -> int:
        """Return a lower bound of sqrt(mean(c²) + ε) on the form, in units: by `square`, over d^3 or (`rms`) d."""
        from ..zonotopes.norms import centred, square

        d, layer = len(x.sizes), maps.kind == "layer"
        y = centred(x) if layer else x
        known = spread(self.budget, y)
        squares = square(tighten(y, known), known, maps.epsilon * (d**3 if layer else d))
        scaled = (max(squares.least, 0) << 200 - squares.power) // (d**3 if layer else d)
        return max(ceil_sqrt(scaled) - 1, 0) >> 100 - 44

    def units(self, maps: UnitMaps, x: AffineForm, fast: bool = False) -> AffineForm:
        """Return the stream after a feed-forward block; ``fast`` takes the fast path of linear approximations."""
        x = promoted(x)
        read = self.reading(self.normed(maps.norm, x))
        inward = self.product(maps.inward, read)
        if maps.gate is None:
            return self.sum(x, self.linear(maps.outward, self.activated(maps, inward, fast)))
        gate = self.activated(maps, self.product(maps.gate, read), fast)
        product = self.tight(multiply(self.budget, gate, inward))
        expect_finite(self.model.softmax, product.sizes)
        stored = self.stored(product, roundings(self.model.softmax, product.sizes))
        return self.sum(x, self.linear(maps.outward, stored))

    def activated(self, maps: UnitMaps, x: AffineForm, fast: bool) -> AffineForm:
        """Return the activation of a stored vector, stored."""
        units = activate(self.budget, maps.curve, x, fast)
        if maps.curve.name in ("relu", "identity"):
            return units
        return self.stored(units, self.function_error(maps.curve.name, x.sizes))

    def rotated(self, rotary: Rotary, position: int, x: AffineForm) -> AffineForm:
        """Return a query or a key of a head, stored and not fresh, with rotary positions, stored.

        Proof: docs/background/floats_rules.md, section 7, Rotary positions.
        """
        model, maps, inexact = self.model, make_rotation(rotary, position, len(x.rows)), (sum(x.sizes) >> WEIGHT) + 2
        self.budget.spend(1 + (len(x.rows) ** 2 >> 3))
        totals = [(sum(map(mul, weights, x.sizes)) >> WEIGHT) + inexact for weights in maps.absolute]
        expect_finite(model.softmax, totals)
        lost = up(8 * tiny(model.storage))
        made = [more + lost for more in all_times(gamma(3, unit_roundoff(model.storage)), totals)]
        return self.stored(apply(self.budget, maps, x), made)

    def function_error(self, name: str, sizes: Sequence[int]) -> list[int]:
        """Bound the error of an activation of numbers of these sizes.

        See docs/background/floats_rules.md, section 7, Activations.
        """
        least = tiny(self.model.softmax)
        lost = 4 * least
        expect_finite(self.model.softmax, [2 * size for size in sizes])
        require("eights" not in self.model.also or "gelu" not in name, "{} by a table of 16 bits has no rule", name)
        if name in ("tanh", "sigmoid"):
            return [up(self.function + lost)] * len(sizes)
        if name == "gelu-tanh":
            expect_finite(self.model.softmax, [size**3 // UNIT**2 + 1 for size in sizes])
            require(32 * self.u <= 1 and least**2 <= (14 * self.u / 5) ** 3, "the cube in gelu-tanh is too coarse")
        flushed = all_times(lost, [size + UNIT for size in sizes])
        return [more + of_one + 1
                for more, of_one in zip(all_times(5 * self.u + self.function, sizes), flushed, strict=True)]


def rounded_to(form: Format, others: Sequence[Format], sizes: Sequence[int], made: Sequence[int]
               ) -> tuple[list[int], list[int]]:
    """Return errors and sizes of numbers with errors ``made`` rounded to a format, unless all ``others`` are it."""
    errors, totals = list(made), list(map(add, sizes, made))
    expect_finite(form, totals)
    if any(other != form for other in others):
        errors = list(map(add, errors, roundings(form, totals)))
        totals = list(map(add, sizes, errors))
    return errors, totals
