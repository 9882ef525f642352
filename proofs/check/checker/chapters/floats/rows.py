"""Lookups under a float model, row by row, each possible stored query by itself.

See docs/background/floats_rules.md, rule 7.

The error of a query moves all scores of its row together. Ends of spans are integers, in units of 2^-FINE.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

from ...kernel.budget import Cache
from ...kernel.numbers import ONE, QUARTER, ZERO, divide, over_one_denominator
from ...kernel.reading.records import ApproximateTruth, Head, LinearForm, Mean, Product, Truth, visible
from ...kernel.verdicts import quote, refuse, require, within
from ..float_models.reading import FloatClaim, Format
from ..float_models.roundoff import gamma, tiny, unit_roundoff
from ..formula.describing import write_rounded_up
from ..formula.proof import ProofContext
from ..sums.lookup.target import LookupTarget
from .enclosures import NOTHING, FloatEnclosures
from .means import FloatCell
from .rounding import rounding_error, up
from .softmax import Softmax

FINE = 384
EXPONENT, WEIGHT = 16, 96  # fractional bits of an exponent, and of a weight
LEAST = -60 << EXPONENT  # exponents below it count as it, or as nothing
SMALL = Fraction(1, 8)  # the greatest theta and rho
ENOUGH = Fraction(1, 32)  # if a number errs by no more, its query is not cut
HALF = Fraction(1, 2)
FORM_STEPS, WEIGHT_STEPS = 20, 20

Span = tuple[int, int]
WeightBounds = tuple[list[int], list[int]]
Ends = tuple[Fraction, Fraction]


class LookupRow(NamedTuple):
    """The visible keys and values of a row, and the number to be written. Values and goal are over ``size``."""

    keys: Sequence[Sequence[Span]]
    values: Sequence[int]
    goal: int
    size: int

    @property
    def greatest(self) -> Fraction:
        """The greatest value, or 1."""
        return Fraction(max(self.size, *self.values), self.size)


class CountedPositions(NamedTuple):
    """At a row: whether it is counted itself, the count, and the number of positions counted over."""

    here: bool
    number: int
    positions: int


def to_precision(x: int, precision: int) -> int:
    """Return x rounded to ``precision`` significant bits, ties to even."""
    extra = abs(x).bit_length() - precision
    if extra <= 0:
        return x
    floor, rest, half = x >> extra, x & ((1 << extra) - 1), 1 << (extra - 1)
    return (floor + (rest > half or (rest == half and floor % 2 == 1))) << extra


def rounded(form: Format, span: Span, more: int = 0) -> Span:
    """Enclose the numbers of a span after rounding; its ends have ``more`` additional bits."""
    least = 1 << max(0, form.least + FINE + more)
    low, high = to_precision(span[0], form.precision), to_precision(span[1], form.precision)
    if 0 < abs(low) < least:
        low = 0 if low > 0 else -least
    if 0 < abs(high) < least:
        high = 0 if high < 0 else least
    return low >> more, -(-high >> more)


def around(low: Fraction, high: Fraction) -> Span:
    """Return the span of these ends."""
    return (low.numerator << FINE) // low.denominator, -((-high.numerator << FINE) // high.denominator)


def cut(form: Format, query: Sequence[Span]) -> list[list[Span]] | None:
    """Return parts of a query that cover all its numbers of the format; None if it is not cut.

    All normal numbers between two ends of one sign are multiples of the unit in the last place of the lesser one.
    """
    for r, (low, high) in enumerate(query):
        least = min(abs(low), abs(high))
        bits = least.bit_length() - form.precision
        if low < high and low * high > 0 and bits >= 0 and least >> max(0, form.least + FINE):
            first, last = -(-low >> bits), high >> bits
            middle = (first + last) // 2
            parts = [(a << bits, b << bits) for a, b in ((first, middle), (middle + 1, last)) if a <= b]
            return [[*query[:r], part, *query[r + 1 :]] for part in parts]
    return None


@dataclass(frozen=True)
class RowByRow:
    """Proof by rule 7 of one direction that a lookup head writes."""

    proof: ProofContext
    enclosures: FloatEnclosures
    softmax: Softmax
    head: Head
    name: str
    target: LookupTarget
    powers: Cache[tuple[int, bool], int]  # exponentials, by exponent, above and below

    @property
    def claim(self) -> FloatClaim:
        """The float model."""
        return self.softmax.claim

    def find_error(self, n: int) -> Fraction:
        """Bound the head's error at the rows of a length: at most 1/4 for a truth, at most 1/2 for a number."""
        rho = gamma(n + replace(self.softmax, length=n).blocks, self._unit)
        is_short = rho <= SMALL and self._ends(ONE, ONE, rho, rho, self._flushed(n, ONE))[1] <= 1 + QUARTER
        require(is_short, "{} positions are too many for sums of this precision", n)
        columns = self.proof.known_forms([self.head.values[self.name]], n)
        size, (values,) = over_one_denominator(self.proof.budget, [tuple(column) for column in columns])
        most = 1 if self._is_truth else n
        require(all(0 <= value <= most * size for value in values), "a value is not in 0..{}", most)
        keys = [[self._form(key, n, j) for key in self.head.keys] for j in range(1, n + 1)]
        worst = ZERO
        for i in range(n, 0, -1):
            first, last = visible(self.head.mask, n, i)
            for goal, query in self._queries(n, i):
                case = LookupRow(keys[first - 1 : last], values[first - 1 : last], goal * size, size)
                with within(f"n = {n}, i = {i}"):
                    worst = max(worst, self.prove(query, case))
        return worst

    @property
    def _is_truth(self) -> bool:
        return isinstance(self.target.meaning, ApproximateTruth)

    @property
    def _unit(self) -> Fraction:
        return max(unit_roundoff(self.claim.sums), unit_roundoff(self.claim.softmax))

    # -- what is stored ------------------------------------------------------------------------------------------------

    def _queries(self, n: int, i: int) -> Iterator[tuple[int, list[Span]]]:
        """Yield goal and query for each truth of what is counted, and each number of others."""
        target, language = self.target, self.proof.language
        settled = language.settle(target.order, n, i)
        positions = self.proof.positions_counted(target.count, n, i)
        inverse = divide(self.proof.budget, ONE, language.value_at(self.head.temperature, n, i))
        scale = rounded(self.claim.storage, around(inverse, inverse))
        for here in [settled[target.counted]] if target.counted in settled else [True, False]:
            for m in range(positions - 1, -1, -1):
                goal = target.goal(m, target.truths(n, settled, here, m))
                if goal is not None:
                    forms = [self._form(one, n, i, CountedPositions(here, m + here, positions))
                             for one in self.head.queries]
                    yield goal, [self.sum([(form, scale)]) for form in forms]

    def _form(self, weights: LinearForm, n: int, i: int, counted: CountedPositions | None = None) -> Span:
        """Return a linear form at a row, as it is stored."""
        return self.sum([(rounded(self.claim.storage, around(c, c)), self._span_of(name, n, i, counted))
                         for name, c in weights.items()])

    def _span_of(self, name: str, n: int, i: int, counted: CountedPositions | None) -> Span:
        """Return the span of a direction at a row."""
        meaning, cell = self.proof.directions[name], NOTHING
        if self.proof.is_known(meaning):
            cell = self.enclosures.cells(name, n)[i - 1]
        elif counted is not None and isinstance(meaning, Mean) and meaning.count == self.target.count:
            cell = self.enclosures.mean_of_sum(name, n, counted.positions, Fraction(counted.number))
        elif counted is None or not isinstance(meaning, Truth | Product) or meaning.formula != self.target.counted:
            refuse("a score depends on {}", quote(name))
        elif counted.here:
            is_truth = isinstance(meaning, Truth)
            cell = FloatCell(ONE, ONE, ONE) if is_truth else self.enclosures.copies(name, n)[i - 1]
        return around(cell.low, cell.high)

    def sum(self, terms: Iterable[tuple[Span, Span]], is_score: bool = False) -> Span:
        """Return a sum of at most two products, in any order, fused or not, stored; a score may be left unstored."""
        self.proof.budget.spend(FORM_STEPS)
        low = high = count = 0
        for one, other in terms:
            ends = [a * b for a in rounded(self.claim.inputs, one) for b in rounded(self.claim.inputs, other)]
            if any(ends):
                exact, count = (min(ends), max(ends)), count + 1
                stored = rounded(self.claim.sums, exact, FINE)
                low, high = low + min(exact[0] >> FINE, stored[0]), high + max(-(-exact[1] >> FINE), stored[1])
        require(count <= 2, "a sum of more than two products is not looked at row by row")
        total = rounded(self.claim.sums, (low, high))
        stored = rounded(self.claim.scores if is_score else self.claim.storage, total)
        return (min(total[0], stored[0]), max(total[1], stored[1])) if is_score else stored

    # -- what is written -----------------------------------------------------------------------------------------------

    def prove(self, query: Sequence[Span], case: LookupRow) -> Fraction:
        """Bound the head's error, for all numbers in the spans of the query's components."""
        error = self._error(query, case)
        if error is not None and error <= (QUARTER if self._is_truth else ENOUGH):
            return error
        parts = cut(self.claim.storage, query)
        if parts is not None:
            return max((self.prove(part, case) for part in parts), default=ZERO)
        if error is None:
            refuse("no bounds of the weights")
        most = QUARTER if self._is_truth else HALF
        require(error <= most, "the head has an error bound of about {}, expected at most {}",
                write_rounded_up(error, 3), most)
        return error

    def _error(self, query: Sequence[Span], case: LookupRow) -> Fraction | None:
        """Bound the error for these spans uncut; None if there is no bound."""
        scores = [self.sum(zip(query, key, strict=True), True) for key in case.keys]
        bounds = self.weigh(scores)
        if bounds is None:
            return None
        least, most = bounds
        self.proof.budget.spend(WEIGHT_STEPS * len(scores))
        offsets, size, goal = [v - case.goal for v in case.values], case.size, Fraction(case.goal, case.size)
        under, over = (sum(x * max(sign * offset, 0) for x, offset in zip(most, offsets, strict=True))
                       for sign in (-1, 1))
        if self._is_truth:
            rest = sum(x * (size - abs(offset)) for x, offset in zip(least, offsets, strict=True))
            share = Fraction(under + over, under + over + rest) if rest > 0 else ONE
            ends = [*self.computed((1 - share, ONE) if goal else (ZERO, share), case, bounds)]
            return min((1 - a if goal else b for a, b in ends), default=None)
        whole = sum(least) * size
        ends = [*self.computed((goal - Fraction(under, whole), goal + Fraction(over, whole)), case, bounds)]
        error = min((max(goal - a, b - goal) for a, b in ends), default=None)
        return None if error is None else up(error + rounding_error(self.claim.storage, up(case.greatest + error)))

    def weigh(self, scores: Sequence[Span]) -> WeightBounds | None:
        """Return the least and the greatest weights, in units of 2^-WEIGHT; None if there are no bounds."""
        claim, u, smallest = self.claim, unit_roundoff(self.claim.softmax), tiny(self.claim.softmax)
        softmax, top = replace(self.softmax, length=len(scores)), max(high for _, high in scores)
        difference = Fraction(top - min(low for low, _ in scores), 1 << FINE)
        size = Fraction(max(max(abs(low), abs(high)) for low, high in scores), 1 << FINE)
        theta = softmax.exp_error + unit_roundoff(claim.weights) / (1 - unit_roundoff(claim.weights)) + smallest
        if claim.exp_base != "e":
            theta += (1 + softmax.blocks) * (3 * u * size + 4 * smallest)
        if softmax.blocks:
            theta += softmax.blocks * (softmax.exp_error + 3 * u + smallest) + u * difference + smallest
        if theta > SMALL:
            return None
        own, slope = -(-(theta.numerator << EXPONENT) // theta.denominator), 1 if claim.exp_base == "e" else 4
        lost = 6 * (smallest + tiny(claim.weights))
        flushed = -((-lost.numerator << WEIGHT) // lost.denominator)
        least, most = list[int](), list[int]()
        for low, high in scores:
            offset = own + -(-slope * (top - low) >> (FINE - EXPONENT + claim.softmax.precision))
            most.append(self._power(max(-(-(high - top) >> (FINE - EXPONENT)) + offset, LEAST), True) + flushed)
            below = ((low - top) >> (FINE - EXPONENT)) - offset
            least.append(max(0, self._power(below, False) - flushed) if below > LEAST else 0)
        return (least, most) if sum(least) > 0 else None

    def _power(self, exponent: int, above: bool) -> int:
        """Return an exponential, rounded up or down."""
        known = self.powers.get((exponent, above))
        if known is not None:
            return known
        x = Fraction(exponent, 1 << EXPONENT)
        bound = self.softmax.exp_up(x) if above else 1 / self.softmax.exp_up(-x)
        scaled = bound.numerator << WEIGHT
        return self.powers.keep((exponent, above), -(-scaled // bound.denominator) if above else
                                scaled // bound.denominator, 1024)

    def computed(self, mean: Ends, case: LookupRow, bounds: WeightBounds) -> Iterator[Ends]:
        """Yield enclosures of the computed mean: by gamma, and by T."""
        (low, high), (least, most), n = mean, bounds, len(case.values)
        blocks = replace(self.softmax, length=n).blocks
        rho, lost = gamma(n + blocks, self._unit), self._flushed(n, case.greatest)
        if rho <= SMALL:
            yield self._ends(low, high, rho, rho * high, lost)
        if not blocks:
            factor, terms = (1 + rho) / sum(least), [x * v for x, v in zip(most, case.values, strict=True)]
            rho, zeta = up(self._tails(most) * factor), up(self._tails(terms) * factor / case.size)
            if rho <= SMALL:
                yield self._ends(low, high, rho, zeta, (n + 1) * lost)

    def _ends(self, low: Fraction, high: Fraction, rho: Fraction, zeta: Fraction, lost: Fraction) -> Ends:
        """Return the ends of the computed mean, where sums err by rho, and zeta."""
        factor = ONE
        for form in (self.claim.softmax, self.claim.weights, self.claim.sums):
            factor *= 1 + unit_roundoff(form)
        return ((max(low * (2 - factor) - zeta * factor, ZERO) / (1 + rho) - lost),
                (high + zeta) * factor / (1 - rho) + lost)

    def _flushed(self, n: int, greatest: Fraction) -> Fraction:
        """Bound the sum of everything that is flushed."""
        claim = self.claim
        return 4 * n * greatest * (tiny(claim.weights) + tiny(claim.softmax) + tiny(claim.sums))

    def _tails(self, terms: Sequence[int]) -> int:
        """Return the sum of min(u S, T_j) over j >= 2, for terms that are at most these."""
        left, found = sum(terms), 0
        most = -(-left // self._unit.denominator)
        for x in sorted(terms, reverse=True)[:-1]:
            left -= x
            found += min(most, left)
        return found
