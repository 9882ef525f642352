"""Heads that look up, row by row and count by count: from the stored query to the head's output (rule 7).

A query is one number or two, rounded; its error is common to all scores of its row, and moves them together. So a row
is bounded for each number that the query may be: every score is then determined except for its own roundings, which are
monotone, so that it lies between two numbers of the format.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import lcm

from constructions.language.semantics import counted_length
from constructions.network.float_formats import Format
from constructions.network.meanings import ALLOWED_ERROR, Mean, Near, Product, Truth
from constructions.network.transformer import Coefficients
from proofs.enclosures.float_models.model import ExpBase, FloatModel
from proofs.floats.approximate_truths import UPPER_OF_ALL, rescalings_of
from proofs.floats.float_enclosure import ONE, ZERO, describe
from proofs.floats.numbers import EnclosedNumbers
from proofs.floats.outward import exp_down, exp_up, gamma, half_unit, up
from proofs.floats.sums import roundoff_of_sums
from proofs.floats.uniform import UniformSum, ends_of_mean
from proofs.formula.failures import NotDerived
from proofs.formula.lookup.obligation import LookupObligation

FINE = 256
"""Fractional bits of the ends of a span."""
UNIT = 1 << FINE
COARSE = 16
"""Fractional bits of exponents, so that few exponentials are ever computed."""
WEIGHT = 1 << 64
"""Weights are in units of its inverse."""
GRAIN = 1 << COARSE
ENOUGH, LARGEST_ERROR = Fraction(1, 32), Fraction(1, 2)
"""No better bound is sought below the first one; above the second one, a number is given up."""
LEAST_EXPONENT = -100 << COARSE
MOST_THETA = Fraction(1, 8)
LONGEST = 24
"""The greatest length bounded row by row: the work grows with the fourth power of the length."""

Span = tuple[int, int]
"""The least and the greatest number that may be computed, in units of 2^-FINE."""
NOTHING: Span = (0, 0)


@dataclass(frozen=True)
class RowsBound:
    """The worst case of some rows: the width of score spans, and the error bound of the head."""

    delta: Fraction
    theta: Fraction
    share: Fraction
    error: Fraction


NO_ERROR = RowsBound(ZERO, ZERO, ZERO, ZERO)


@dataclass(frozen=True)
class _VisibleRow:
    """The visible keys and values of a row, and the number to be written."""

    keys: Sequence[Sequence[Span]]
    values: Sequence[Fraction]
    goal: int
    where: str


@dataclass(frozen=True)
class _Loss:
    """Relative errors of the sum of weights and of the sum of values, and the number of results that may be flushed."""

    below: Fraction
    above: Fraction
    flushed: int


class Spans:
    """Rounding of spans under one float model."""

    def __init__(self, run: FloatModel):
        """Store the model, which has the formats."""
        self.run = run

    def form(self, terms: Iterable[tuple[Span, Span]], is_score: bool = False) -> Span:
        """Return the sum of at most two products in any order, fused or not, stored; a score may be left unstored.

        Raises:
            NotDerived: if more than two products may be nonzero.
        """
        sums = self.run.sums
        products = []
        for a, b in terms:
            ends = [x * y for x in self.entered(a) for y in self.entered(b)]
            if any(ends):
                exact = min(ends), max(ends)
                products.append(hull((exact[0] >> FINE, -(-exact[1] >> FINE)), rounded(exact, sums, FINE)))
        if len(products) > 2:
            raise NotDerived("a sum of more than two products is not bounded row by row")
        total = rounded((sum(low for low, _ in products), sum(high for _, high in products)), sums)
        if is_score:
            return hull(total, rounded(total, self.run.scores))
        return rounded(total, self.run.storage)

    def entered(self, span: Span) -> Span:
        """Return a stored span as the input of a product."""
        return span if self.run.inputs == self.run.storage else rounded(span, self.run.inputs)

    def weight(self, x: Fraction) -> Span:
        """Return a number of the network, rounded to the storage format."""
        return rounded(outward(x, x), self.run.storage)


def outward(low: Fraction, high: Fraction) -> Span:
    """Return the span from one number to another."""
    return low.numerator * UNIT // low.denominator, -(-high.numerator * UNIT // high.denominator)


def hull(a: Span, b: Span) -> Span:
    """Return the least span that contains both."""
    return min(a[0], b[0]), max(a[1], b[1])


def rounded(span: Span, target: Format, finer: int = 0) -> Span:
    """Enclose the numbers of a span after rounding; its ends have ``finer`` additional bits."""
    tiny = 1 << max(target.least + FINE + finer, 0)
    low, high = (nearest(x, target.precision) for x in span)
    if low and abs(low) < tiny:
        low = 0 if low > 0 else -tiny
    if high and abs(high) < tiny:
        high = 0 if high < 0 else tiny
    return low >> finer, -(-high >> finer)


def nearest(x: int, precision: int) -> int:
    """Return x rounded to ``precision`` significant bits, ties to even.

    >>> nearest(257, 8), nearest(259, 8), nearest(-259, 8), nearest(3, 8)
    (256, 260, -260, 3)
    """
    cut = abs(x).bit_length() - precision
    return x if cut <= 0 else (x + (1 << (cut - 1)) - 1 + (x >> cut & 1)) >> cut << cut


def halves(span: Span, target: Format) -> list[Span] | None:
    """Return parts of a span that cover all its numbers of the format; None if it is not cut.

    Where the ends have one sign, all of them are multiples of the unit in the last place of the lesser one.
    """
    low, high = span
    least = min(abs(low), abs(high))
    if low == high or low <= 0 <= high or least < 1 << max(target.least + FINE, 0):
        return None
    unit = 1 << max(least.bit_length() - target.precision, 0)
    first, last = -(-low // unit), high // unit
    middle = (first + last) // 2
    return [(a * unit, b * unit) for a, b in ((first, middle), (middle + 1, last)) if a <= b]


@lru_cache(maxsize=1 << 16)
def weight_above(exponent: int) -> int:
    """Bound e^(exponent 2^-COARSE) from above, in units of 1 / WEIGHT."""
    x = exp_up(Fraction(exponent, 1 << COARSE))
    return -(-x.numerator * WEIGHT // x.denominator)


@lru_cache(maxsize=1 << 16)
def weight_below(exponent: int) -> int:
    """Bound e^(exponent 2^-COARSE) from below, in units of 1 / WEIGHT."""
    x = exp_down(Fraction(exponent, 1 << COARSE))
    return x.numerator * WEIGHT // x.denominator


class RowByRow:
    """Bounds of one direction that a lookup head writes, under one float model."""

    def __init__(self, numbers: EnclosedNumbers, obligation: LookupObligation):
        """Store the obligation; bounds are computed on demand."""
        self.numbers, self.run, self.obligation = numbers, numbers.run, obligation
        self.spans = Spans(numbers.run)
        self._by_length: dict[int, RowsBound | NotDerived] = {}
        self._keys: dict[int, list[list[Span]]] = {}

    def of_length(self, n: int) -> RowsBound:
        """Return the worst bound of all rows of words of length n.

        Raises:
            NotDerived: if there is none, or a truth may err by more than 1/4.
        """
        if n not in self._by_length:
            try:
                self._by_length[n] = self._find(n)
            except NotDerived as why:
                self._by_length[n] = why
        found = self._by_length[n]
        if isinstance(found, NotDerived):
            raise found
        return found

    def _find(self, n: int) -> RowsBound:
        if n > LONGEST:
            raise NotDerived(f"words of length {n} are not bounded row by row")
        keys = [self._key(n, j) for j in range(1, n + 1)]
        values = self.obligation.problem.values(n)
        if self._whole_may_be(n) > UPPER_OF_ALL:
            raise NotDerived(f"sums of {n} weights may err by too much in {self.run.sums} or {self.run.softmax}")
        found = [NO_ERROR]
        for i in range(n, 0, -1):
            visible = self.obligation.head.mask.visible(i, n)
            seen = slice(visible[0] - 1, visible[-1])
            found += [self._prove(query, _VisibleRow(keys[seen], values[seen], goal, f"i = {i}, n = {n}"))
                      for goal, query in self._cases(n, i)]
        return _worst(found)

    def _prove(self, query: Sequence[Span], row: _VisibleRow) -> RowsBound:
        """Return the bound for all queries of these spans, cut in halves if the bound is not enough."""
        fault = ""
        try:
            bound = self._bound(query, row)
            if bound.error <= (ALLOWED_ERROR if self._is_truth else ENOUGH):
                return bound
            fault = f"the head may err by {describe(bound.error)} at {row.where}, more than {self._most}"
            if bound.error <= self._most and not self._parts(query):
                return bound
        except NotDerived as why:
            fault = f"{why}, at {row.where}"
        if parts := self._parts(query):
            return _worst([NO_ERROR, *(self._prove(part, row) for part in parts)])
        raise NotDerived(fault)

    def _parts(self, query: Sequence[Span]) -> list[list[Span]]:
        for place, span in enumerate(query):
            if (parts := halves(span, self.run.storage)) is not None:
                return [[*query[:place], part, *query[place + 1:]] for part in parts]
        return []

    @property
    def _is_truth(self) -> bool:
        return isinstance(self.obligation.meaning, Near)

    @property
    def _most(self) -> Fraction:
        return ALLOWED_ERROR if self._is_truth else LARGEST_ERROR

    # -- queries and keys ----------------------------------------------------------------------------------------------

    def _cases(self, n: int, i: int) -> Iterator[tuple[int, list[Span]]]:
        """Yield goal and query over the temperature, for each truth of what is counted and each number of others."""
        targets = self.obligation.problem.targets.at(n, i)
        length = counted_length(self.obligation.count, i, n)
        for here in (1, 0):
            for others in range(length - 1, -1, -1):
                goal = targets[here][others]
                if goal is not None:
                    yield goal, self._query(n, i, here, others + here, length)

    def _query(self, n: int, i: int, here: int, count: int, length: int) -> list[Span]:
        head, found = self.obligation.head, []
        inverse = 1 / head.temperature.evaluate(i=i, n=n)
        for row in head.queries:
            query = self._form(row, n, i, here, count, length)
            found.append(query if inverse == ONE else
                         self.spans.form([(query, self.spans.weight(inverse))]))
        return found

    def _form(self, row: Coefficients, n: int, i: int, here: int = 0, count: int = 0, length: int = 0) -> Span:
        return self.spans.form([(self.spans.weight(weight), self._held(name, n, i, here, count, length))
                                for name, weight in row.items()])

    def _key(self, n: int, j: int) -> list[Span]:
        return [self._form(row, n, j) for row in self.obligation.head.keys]

    def _held(self, name: str, n: int, i: int, here: int, count: int, length: int) -> Span:
        """Enclose a direction at (n, i), where ``count`` positions are counted, ``here`` of them this one."""
        numbers = self.numbers
        match meaning := numbers.transformer.directions[name]:
            case _ if name in numbers.known:
                if not numbers.written[name].stage:
                    return self.spans.weight(numbers.known.value(name, i, n))
                enclosure = numbers.column(name, n)[i - 1]
                return outward(enclosure.lower - enclosure.error, enclosure.upper + enclosure.error)
            case Truth(formula) if formula is self.obligation.count.operand:
                return here * UNIT, here * UNIT
            case Product(_, formula) if formula is self.obligation.count.operand:
                source = numbers.copied(name)
                return self.spans.entered(self._held(source, n, i, here, count, length)) if here else NOTHING
            case Mean(other) if other is self.obligation.count:
                return outward(*ends_of_mean(UniformSum(length, count, count, 0, signed=False), count, self.run))
        raise NotDerived(f"reads {name}, {meaning}")

    # -- the head's output ---------------------------------------------------------------------------------------------

    def _bound(self, query: Sequence[Span], row: _VisibleRow) -> RowsBound:
        """Bound the error of the weighted mean of the values, for all scores in their spans."""
        scores = [self.spans.form(zip(query, key, strict=True), is_score=True) for key in row.keys]
        run, n = self.run, len(scores)
        top = max(high for _, high in scores)
        spread, size = top - min(low for low, _ in scores), max(max(high, -low) for low, high in scores)
        theta = self._theta(n, Fraction(spread, UNIT), Fraction(size, UNIT))
        if theta > MOST_THETA:
            raise NotDerived(f"weights may err by e^{describe(theta)}")
        own, slope = int(-(-theta * GRAIN // 1)), 1 if run.exp_base is ExpBase.E else 4
        bits = FINE - COARSE + run.softmax.precision  # steep / 2^bits grows with the distance, in grains
        flushed = 6 * (run.softmax.smallest_normal + run.weights.smallest_normal) * WEIGHT
        lost, least, most = int(-(-flushed // 1)), list[int](), list[int]()
        for low, high in scores:
            error = own + (slope * (top - low) >> bits) + 1
            most.append(weight_above(max(-((top - high) * GRAIN >> FINE) + error, LEAST_EXPONENT)) + lost)
            below = -((top - low) * GRAIN >> FINE) - 1 - error
            least.append(max(0, weight_below(below) - lost) if below > LEAST_EXPONENT else 0)
        width = up(Fraction(max(high - low for low, high in scores), UNIT))
        return RowsBound(width, theta, *self._error(least, most, row))

    def _theta(self, n: int, spread: Fraction, size: Fraction) -> Fraction:
        """Bound the error of log-weights, except for the part that grows with the distance to the greatest score."""
        run, u, tiny = self.run, self.run.softmax.roundoff, self.run.softmax.smallest_normal
        exp_error = run.exp_error / (1 - run.exp_error)
        theta = tiny + exp_error + run.weights.roundoff / (1 - run.weights.roundoff)
        rescalings = rescalings_of(n, run)
        if run.exp_base is not ExpBase.E:
            theta += (1 + rescalings) * (3 * u * size + 4 * tiny)
        if rescalings:
            theta += rescalings * (exp_error + 3 * u + tiny) + u * spread + tiny
        return up(theta)

    def _error(self, least: Sequence[int], most: Sequence[int], row: _VisibleRow) -> tuple[Fraction, Fraction]:
        """Return the share that counts against the goal, and the error bound of the head."""
        size = lcm(*(value.denominator for value in row.values))
        values = [value.numerator * (size // value.denominator) for value in row.values]
        whole, goal = sum(least), row.goal * size
        against = [sum(x * max(sign * (value - goal), 0) for x, value in zip(most, values, strict=True))
                   for sign in (-1, 1)]
        if whole <= 0:
            raise NotDerived("all weights may be flushed to 0")
        if self._is_truth:
            rest = sum(x * (size - abs(value - goal)) for x, value in zip(least, values, strict=True))
            if rest <= 0:
                raise NotDerived("what remains of the weight on the target may be flushed to 0")
            share, greatest = Fraction(sum(against), sum(against) + rest), ONE
            mean = (1 - share, ONE) if goal else (ZERO, share)
        else:
            share, greatest = Fraction(max(against), whole * size), max(*row.values, ONE)
            mean = (row.goal - Fraction(against[0], whole * size), row.goal + Fraction(against[1], whole * size))
        terms = [x * value for x, value in zip(most, values, strict=True)]
        ends = [self._computed(mean, loss, greatest) for loss in self._losses(mean[1], terms, most, whole, size)]
        if not ends:
            raise NotDerived(f"sums of {len(most)} weights may err by too much")
        if self._is_truth:
            return up(share), up(min(1 - low if goal else high for low, high in ends))
        error = min(max(row.goal - low, high - row.goal) for low, high in ends)
        return up(share), up(error + half_unit(self.run.storage, greatest + error) + self.run.storage.smallest_normal)

    def _losses(self, mean: Fraction, terms: Sequence[int], most: Sequence[int], whole: int,
                size: int) -> Iterator[_Loss]:
        """Yield the errors of sums, by the number of roundings, and by tails."""
        n, rescalings = len(most), rescalings_of(len(most), self.run)
        factor = gamma(n + rescalings, roundoff_of_sums(self.run))
        if factor is not None and factor <= MOST_THETA:
            yield _Loss(factor, factor * mean, n)
        if factor is not None and not rescalings:
            below, above = (up((1 + factor) * Fraction(self._tails(some), whole)) for some in (most, terms))
            if below <= MOST_THETA:
                yield _Loss(below, above / size, n * (n + 1))

    def _tails(self, terms: Sequence[int]) -> int:
        """Return the sum of min(u S, T_j) over j >= 2 of lemma T, for terms that are at most these."""
        ranked = sorted(terms)
        most = -(-sum(ranked) // roundoff_of_sums(self.run).denominator)
        return sum(min(most, tail) for tail in list(accumulate(ranked))[:-1])

    def _computed(self, mean: tuple[Fraction, Fraction], loss: _Loss, greatest: Fraction) -> tuple[Fraction, Fraction]:
        """Enclose the computed mean, if the exact one is between these."""
        run = self.run
        single = (1 + run.softmax.roundoff) * (1 + run.weights.roundoff) * (1 + run.sums.roundoff)
        tiny = sum((each.smallest_normal for each in (run.weights, run.softmax, run.sums)), ZERO)
        lost = 4 * loss.flushed * greatest * tiny
        return (max(mean[0] * (2 - single) - loss.above * single, ZERO) / (1 + loss.below) - lost,
                (mean[1] + loss.above) * single / (1 - loss.below) + lost)

    def _whole_may_be(self, n: int) -> Fraction:
        """Bound the output of a head with values up to 1."""
        factor = gamma(n + rescalings_of(n, self.run), roundoff_of_sums(self.run))
        if factor is None or factor >= 1:
            raise NotDerived(f"sums of {n} weights may err by too much in {self.run.sums} or {self.run.softmax}")
        return self._computed((ONE, ONE), _Loss(factor, factor, n), ONE)[1]


def _worst(bounds: Iterable[RowsBound]) -> RowsBound:
    return max(bounds, key=lambda bound: bound.error)
