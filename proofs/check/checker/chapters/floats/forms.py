"""Linear forms under a float model; docs/background/floats_rules.md, sections 2 (lemma G) and 4 (rules 1 and 2).

Nothing here depends on words: a `FloatValue` encloses a number, at one row or at many, in every execution.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from ...kernel.budget import Budget
from ...kernel.numbers import ONE, ZERO, add, divide, multiply
from ...kernel.reading.records import LinearForm
from ...kernel.verdicts import quote, require, within
from ..float_models.reading import FloatClaim, Format
from ..float_models.roundoff import gamma, tiny, unit_roundoff
from .rounding import at_most_power, coarsest, fits, grid_of, is_finite, nearest, rounding_error, up


class FloatValue(NamedTuple):
    """A real number in low..high, the computed one within error of it; if exact, a multiple of 2^grid (or None)."""

    low: Fraction
    high: Fraction
    error: Fraction
    grid: int | None

    @property
    def magnitude(self) -> Fraction:
        """The greatest absolute value of the real number."""
        return max(abs(self.low), abs(self.high))

    @property
    def reach(self) -> Fraction:
        """The greatest absolute value of the computed number."""
        return self.magnitude + self.error

    @property
    def is_power(self) -> bool:
        """Whether it is 0, or plus or minus one power of two."""
        return self.error == 0 and self.grid is not None and at_most_power(self.magnitude, self.grid)


Terms = Sequence[tuple[FloatValue, FloatValue]]
"""Products of two numbers."""


class RealSum(NamedTuple):
    """A sum over the reals; products of each sign add up to at most ``reach``, all multiples of 2^grid (or None)."""

    low: Fraction
    high: Fraction
    reach: Fraction
    grid: int | None


SUM_STEPS = 80  # work of each term of a sum, besides its product

TRUTH = FloatValue(ZERO, ONE, ZERO, 0)


def exactly(x: Fraction) -> FloatValue:
    """Return one number, which is stored exactly."""
    return FloatValue(x, x, ZERO, grid_of(x))


def join(values: Sequence[FloatValue]) -> FloatValue:
    """Return the hull."""
    return FloatValue(min(value.low for value in values), max(value.high for value in values),
                      max(value.error for value in values), coarsest(value.grid for value in values))


class Arithmetic:
    """The operations of a float model."""

    def __init__(self, budget: Budget, claim: FloatClaim) -> None:
        self.budget, self.claim = budget, claim

    def rounded(self, form: Format, value: FloatValue, given: Format | None = None) -> FloatValue:
        """Round a number, perhaps of the format ``given``, to a format; unchanged by G, or if the formats agree."""
        self.budget.spend(10)
        if given == form or (value.error == 0 and fits(form, value.grid, value.magnitude)):
            return value
        error = up(value.error + rounding_error(form, up(value.reach)))
        require(is_finite(form, value.magnitude + error), "a number could be beyond the greatest of its format")
        return FloatValue(value.low, value.high, error, None)

    def constant(self, form: Format, x: Fraction) -> FloatValue:
        """Round one known number to a format, with its actual error."""
        close = nearest(self.budget, form, x)
        if close is None:
            return self.rounded(form, FloatValue(x, x, ZERO, None))
        return exactly(x) if close == x else FloatValue(x, x, up(abs(close - x)), None)

    def weight(self, x: Fraction) -> FloatValue:
        """Return a weight, rounded to the storage format, and then as the input of a product."""
        return self.input(self.constant(self.claim.storage, x))

    def input(self, value: FloatValue) -> FloatValue:
        """Round a stored number as the input of a matrix product."""
        return self.rounded(self.claim.inputs, value, self.claim.storage)

    def input_number(self, x: Fraction) -> FloatValue:
        """Round one stored number as the input of a product: one number again, if it is normal."""
        close = x if self.claim.inputs == self.claim.storage else nearest(self.budget, self.claim.inputs, x)
        return self.input(FloatValue(x, x, ZERO, None)) if close is None else exactly(close)

    def real_sum(self, inputs: Terms) -> RealSum:
        """Return the sum over the reals, for numbers that are inputs already."""
        low, high, positive, negative = ZERO, ZERO, ZERO, ZERO
        for c, x in inputs:
            least, most = self._product(c, x)
            low, high = add(self.budget, low, least), add(self.budget, high, most)
            positive = add(self.budget, positive, max(most, ZERO))
            negative = add(self.budget, negative, -min(least, ZERO))
        grids = [None if c.error or x.error or c.grid is None or x.grid is None else c.grid + x.grid for c, x in inputs]
        return RealSum(low, high, max(positive, negative), coarsest(grids))

    def sum(self, inputs: Terms) -> FloatValue:
        """Return the sum of products of two inputs, in any order, fused or not.

        It is exact by G, or each number counts with its error, and m roundings that a product may pass through: the k -
        1 sums, and one more if products are not exact. At most 2 k results are flushed.
        """
        self.budget.spend(SUM_STEPS * (1 + len(inputs)))
        sums, real = self.claim.sums, self.real_sum(inputs)
        if fits(sums, real.grid, real.reach):
            return FloatValue(real.low, real.high, ZERO, real.grid)
        terms = [(c, x) for c, x in inputs if c.reach and x.reach]
        k = len(terms)
        m = k - 1 if all(c.is_power or x.is_power for c, x in terms) else k
        factor = gamma(m, unit_roundoff(sums))
        sizes = [(up(c.magnitude), c.error, up(x.magnitude), x.error) for c, x in terms]
        own = sum((c * dx + x * dc + dc * dx for c, dc, x, dx in sizes), ZERO)
        whole, lost = sum(((c + dc) * (x + dx) for c, dc, x, dx in sizes), ZERO), 4 * k * tiny(sums)
        operations = factor * whole
        if k <= 2 and m <= 1:  # only the result is rounded
            operations = m * rounding_error(sums, up(max(abs(real.low), abs(real.high)) + own))
        require(is_finite(sums, up(whole + factor * whole + lost)),
                "a sum could be beyond the greatest number of its format")
        return FloatValue(real.low, real.high, up(own + operations + lost), None)

    def _product(self, c: FloatValue, x: FloatValue) -> tuple[Fraction, Fraction]:
        """Enclose the real product."""
        if c.low == c.high:  # a weight, as a rule
            c, x = x, c
        if x.low != x.high:
            ends = [multiply(self.budget, a, b) for a in (c.low, c.high) for b in (x.low, x.high)]
            return min(ends), max(ends)
        low = multiply(self.budget, c.low, x.low)
        high = low if c.low == c.high else multiply(self.budget, c.high, x.low)
        return (low, high) if x.low >= 0 else (high, low)

    def form(self, weights: LinearForm, enclosed: Mapping[str, FloatValue]) -> FloatValue:
        """Return a linear form, as it is stored."""
        terms = [(self.weight(c), self.input(enclosed[name])) for name, c in weights.items()]
        return self.stored(self.sum(terms))

    def stored(self, value: FloatValue) -> FloatValue:
        """Return a sum, rounded to the storage format."""
        return self.rounded(self.claim.storage, value, self.claim.sums)

    def exact_form(self, weights: LinearForm, enclosed: Mapping[str, FloatValue]) -> FloatValue:
        """Return a linear form, stored, which must be exact, also as an input of a product."""
        value = self.form(weights, enclosed)
        is_exact = value.error == 0 and fits(self.claim.inputs, value.grid, value.magnitude)
        require(is_exact, "the value {} may be rounded",
                " + ".join(f"{c} {quote(name)}" for name, c in list(weights.items())[:8]))
        return value

    def inverse(self, temperatures: Sequence[Fraction]) -> FloatValue:
        """Return the hull of 1 over these temperatures, each rounded to the storage format."""
        with within("the inverse of a temperature"):
            return join([self.constant(self.claim.storage, divide(self.budget, ONE, one)) for one in temperatures])

    def scaled(self, value: FloatValue, scale: FloatValue) -> FloatValue:
        """Return a form times the inverse of a temperature, as it is stored."""
        return self.stored(self.sum([(self.input(value), self.input(scale))]))

    def score(self, queries: Sequence[FloatValue], keys: Sequence[FloatValue]) -> FloatValue:
        """Return the product of a query and a key, as the score matrix stores it."""
        terms = [(self.input(query), self.input(key)) for query, key in zip(queries, keys, strict=True)]
        return self.rounded(self.claim.scores, self.sum(terms), self.claim.sums)
