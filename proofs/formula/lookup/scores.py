"""The scores of a head that looks up a count, as quadratics in the position whose coefficients depend on the case.

Keys at different lengths are often multiples of one another, and the temperature is a factor. So a score is a *scale*
that depends on (n, i), times a quadratic that usually depends on i only, and is then computed once per i.
"""

import itertools
import operator
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm

from constructions.language.semantics import counted_length
from constructions.language.syntax import Count
from constructions.network.meanings import Mean, Meaning, Product, Truth
from constructions.network.transformer import Head
from proofs.formula.common.word_independent import KnownValues
from proofs.formula.failures import NotDerived

ZERO, ONE = Fraction(0), Fraction(1)
MOST_QUADRATICS = 1 << 14
"""The number of cached quadratics where queries mention n."""
Triple = tuple[Fraction, Fraction, Fraction]
"""A number that depends on the case: constant, coefficient of ``here``, coefficient of ``others``."""
Steps = tuple[Fraction, ...]
"""The first step and the second difference of every key."""


@dataclass(frozen=True)
class QueryPart:
    """A coefficient of a query and its meaning; ``known`` is the name of the direction if it is known."""

    weight: Fraction
    meaning: Meaning
    known: str | None = None


@dataclass(frozen=True)
class Parabola:
    """The scores -curvature * (j - others - offset)^2, up to a constant, in every case."""

    curvature: Fraction
    offset: int


@dataclass(frozen=True)
class Quadratic:
    """The first step and the second difference of scores at j = 1, 2, ..., up to a positive factor."""

    slope: Triple
    second_difference: Triple

    @cached_property
    def parabola(self) -> Parabola | None:
        """The parabola around the count that equals the scores, if there is one.

        With curvature c > 0 and offset o, -c (j - m - o)^2 has the first step c (2 o - 3) + 2 c m and the second
        difference -2 c. Sequences with equal first steps and second differences differ by a constant.
        """
        curvature = -self.second_difference[0] / 2
        if curvature <= 0 or any(self.second_difference[1:]) or self.slope[1:] != (ZERO, 2 * curvature):
            return None
        offset = (self.slope[0] / curvature + 3) / 2
        return Parabola(curvature, int(offset)) if offset.denominator == 1 else None

    def is_concave(self, length: int) -> bool:
        """Return whether no case has a positive second difference; it is affine in ``others``, so the ends decide."""
        constant, by_here, by_others = self.second_difference
        if not (by_here or by_others):
            return constant.numerator <= 0
        return all(constant + by_here * here + by_others * others <= 0 for here in (0, 1) for others in (0, length - 1))


class LookupScores:
    """The scores of all rows: ``scale(n, i)`` times ``quadratic(n, i)``, up to a constant."""

    def __init__(self, known: KnownValues, head: Head, queries: list[list[QueryPart]], count: Count):
        """Prepare the scores of ``head``, whose queries consist of these parts."""
        self.known = known
        self.temperature = head.temperature
        self.keys = head.keys
        self.queries = queries
        self.count = count
        self.queries_mention_n = any(self._mentions_n(part) for parts in queries for part in parts)
        self._factors: dict[int, tuple[Fraction, int]] = {}
        self._steps: dict[Steps, int] = {}
        self._units: dict[int, Steps] = {}
        self._by_query: dict[tuple[int, tuple[int, ...]], Quadratic] = {}
        self._quadratics: dict[int, list[Quadratic]] = {}
        self._lasting: dict[int, tuple[Steps, int]] = {}
        """For keys that do not mention n: the steps, and the n up to which they are checked to be quadratic."""

    def key(self) -> Hashable:
        """Return a key: scores with equal keys are equal in all cases, for any counted formulas."""
        queries = tuple(tuple(self._describe(part) for part in parts) for parts in self.queries)
        return queries, tuple(map(self.known.describe, self.keys)), self.temperature, self.count.side

    def _describe(self, part: QueryPart) -> tuple[Hashable, ...]:
        match part:
            case QueryPart(known=None, meaning=Product(value)):
                return part.weight, "where counted", value
            case QueryPart(known=None, meaning=meaning):
                return part.weight, type(meaning).__name__
        return part.weight, part.meaning

    def _mentions_n(self, part: QueryPart) -> bool:
        match part.meaning:
            case _ if part.known:
                return self.known.mentions_n({part.known: ONE})
            case Mean(count):
                return count.side == "right"
            case Product(value):
                return value.mentions_n
        return False

    def check_quadratic(self, n: int) -> None:
        """Check that all keys are quadratic in the position at this length.

        Raises:
            NotDerived: if one is not.
        """
        self.group(n)

    def check_concave(self, n: int) -> None:
        """Check that the scores are concave in every case of every row of this length.

        Raises:
            NotDerived: naming the first i where they are not, or where the temperature is not positive.
        """
        for i, temperature in enumerate(self._temperatures(n), start=1):
            if temperature.numerator <= 0:
                raise NotDerived(f"the temperature is not positive at i = {i}, n = {n}")
        checked = 0 if self.queries_mention_n else len(self._quadratics.get(self.group(n), ()))
        for i, quadratic in enumerate(self.quadratics(n)[checked:], start=checked + 1):
            if not quadratic.is_concave(counted_length(self.count, i, n)):
                raise NotDerived(f"the scores are not concave at i = {i}, n = {n}")

    def group(self, n: int) -> int:
        """Return the number of the group of a length: lengths of one group have proportional keys."""
        return self._factor_and_group(n)[1]

    def factor(self, n: int) -> Fraction:
        """Return the factor of the keys of this length over those of its group."""
        return self._factor_and_group(n)[0]

    def _factor_and_group(self, n: int) -> tuple[Fraction, int]:
        if n not in self._factors:
            steps = tuple(step for key in range(len(self.keys)) for step in self._key_steps(key, n))
            factor = next((abs(step) for step in reversed(steps) if step), ONE)
            unit = tuple(step / factor for step in steps)
            group = self._steps.setdefault(unit, len(self._steps))
            self._factors[n], self._units[group] = (factor, group), unit
        return self._factors[n]

    def _key_steps(self, key: int, n: int) -> Steps:
        row = self.keys[key]
        if self.known.mentions_n(row) or n < 3:
            _check_quadratic(self.known.multiples(row, n))
            return _first_steps(self.known.forms_at(row, range(1, min(n, 3) + 1), n))
        steps, checked = self._lasting.get(key, ((), 2))
        if checked < n:
            column = self.known.forms(row, n)
            if not steps or _first_steps(column[checked - 2:])[1] != steps[1] or n > checked + 1:
                _check_quadratic(self.known.multiples(row, n))
                steps = _first_steps(column)
            self._lasting[key] = steps, n
        return steps

    def _temperatures(self, n: int) -> Sequence[Fraction]:
        """Return the temperatures at i = 1, ..., n, or a single one if they do not depend on i."""
        return self.temperature.column(range(1, n + 1 if self.temperature.mentions_i else 2), n)

    def scales(self, n: int) -> list[Fraction]:
        """Return the scales at i = 1, ..., n, or a single one if they do not depend on i."""
        factor = self.factor(n)
        return [factor / temperature for temperature in self._temperatures(n)]

    def scale(self, n: int, i: int) -> Fraction:
        """Return the scale at (n, i)."""
        return self.factor(n) / self.temperature.evaluate(i=i, n=n)

    def quadratics(self, n: int) -> list[Quadratic]:
        """Return the scores at i = 1, ..., n, each divided by its scale."""
        group = self.group(n)
        if not self.queries_mention_n:
            known = self._quadratics.setdefault(group, [])
            known += [self._quadratic_at(n, i) for i in range(len(known) + 1, n + 1)]
            return known[:n]
        if len(self._by_query) > MOST_QUADRATICS:
            self._by_query.clear()
        found = []
        for i, key in enumerate(self._query_keys(n), start=1):
            if (group, key) not in self._by_query:
                self._by_query[group, key] = self._quadratic_at(n, i)
            found.append(self._by_query[group, key])
        return found

    def _query_keys(self, n: int) -> Iterator[tuple[int, ...]]:
        """Yield, for i = 1, ..., n, all data of (n, i) that the query depends on."""
        positions = range(1, n + 1)
        columns: list[Sequence[Fraction]] = []
        for part in itertools.chain(*self.queries):
            if part.known:
                columns.append(self.known.column(part.known, n))
            elif isinstance(part.meaning, Product):
                columns.append(part.meaning.value.column(positions, n))
        numbers = [[x.numerator for x in column] for column in columns]
        numbers += [[x.denominator for x in column] for column in columns]  # integers have quicker hashes
        return zip([counted_length(self.count, i, n) for i in positions], *numbers, strict=True)

    def quadratic(self, n: int, i: int) -> Quadratic:
        """Return the scores at (n, i), divided by the scale."""
        return self._quadratic_at(n, i) if self.queries_mention_n else self.quadratics(n)[i - 1]

    def _quadratic_at(self, n: int, i: int) -> Quadratic:
        slope, bends = [ZERO] * 3, [ZERO] * 3
        steps = iter(self._units[self.group(n)])
        for parts, first, second in zip(self.queries, steps, steps, strict=True):
            for which, number in enumerate(self._query(parts, i, n)):
                if number:
                    slope[which] += number * first
                    bends[which] += number * second
        return Quadratic((slope[0], slope[1], slope[2]), (bends[0], bends[1], bends[2]))

    def _query(self, parts: list[QueryPart], i: int, n: int) -> list[Fraction]:
        """Return the query as a function of the case: constant, coefficient of ``here``, coefficient of ``others``."""
        total = [ZERO, ZERO, ZERO]
        for part in parts:
            match part.meaning:
                case _ if part.known:
                    total[0] += part.weight * self.known.value(part.known, i, n)
                case Mean():
                    share = part.weight / counted_length(self.count, i, n)
                    total[1] += share
                    total[2] += share
                case Truth():
                    total[1] += part.weight
                case Product(value):
                    total[1] += part.weight * value.evaluate(i=i, n=n)
        return total

    def scaled(self, n: int, i: int) -> tuple[int, tuple[int, int, int], tuple[int, int, int]]:
        """Return a common denominator of the row's slope and second difference, and both times that."""
        quadratic, scale = self.quadratic(n, i), self.scale(n, i)
        parts = [scale * part for part in (*quadratic.slope, *quadratic.second_difference)]
        denominator = lcm(*(part.denominator for part in parts))
        a, b, c, d, e, f = (part.numerator * (denominator // part.denominator) for part in parts)
        return denominator, (a, b, c), (d, e, f)


def _check_quadratic(multiples: Sequence[int]) -> None:
    """Check that second differences are equal.

    Raises:
        NotDerived: if they are not.
    """
    steps = list(map(operator.sub, multiples[1:], multiples))
    second_differences = set(map(operator.sub, steps[1:], steps))
    if len(second_differences) > 1:
        raise NotDerived(f"a key is not quadratic in the position at n = {len(multiples)}")


def _first_steps(sequence: Sequence[Fraction]) -> Steps:
    """Return the first step and the second difference; 0 where the sequence is too short."""
    steps = [b - a for a, b in itertools.pairwise(sequence[:3])]
    return (steps[0] if steps else ZERO), (steps[1] - steps[0] if len(steps) > 1 else ZERO)
