"""Scores that are one parabola around the target position; docs/background/obligations.md, Lookup head.

The three equalities of the page are compared at every (n, i), for both truths b of the counted formula, independently
of the number m of others and of j.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import accumulate
from math import isqrt
from operator import truediv
from typing import NamedTuple

from ....kernel.numbers import ONE, ZERO, add, add_columns, combine_columns, divide, multiply, multiply_column
from ....kernel.reading.records import Head, LinearForm, Product, visible
from ...formula.composition import names_in
from ...formula.kernels import NEGLIGIBLE
from ...formula.proof import ProofContext
from .target import LookupTarget


class ParabolaShape(NamedTuple):
    """The target position is m + offs[b] at every row; ``curvatures`` are the lesser C of both b, row by row."""

    offs: tuple[int, int]
    curvatures: Sequence[Fraction]
    least: Sequence[Fraction]  # minimum of the curvatures up to each row


class QueryColumns(NamedTuple):
    """A linear form of a query at all rows: its known part, the contribution of b, and the coefficient of the mean."""

    known: Sequence[Fraction]
    here: Sequence[Fraction]
    mean: Fraction


class VisibleRow(NamedTuple):
    """The first and the last visible position of a row, and the number of positions in the range of its count."""

    first: int
    last: int
    span: int


class Parabola:
    """The shapes of the scores of one head, for all lengths."""

    def __init__(self, proof: ProofContext, head: Head, target: LookupTarget) -> None:
        self._proof, self._head, self._target = proof, head, target
        places = proof.places_of(names_in([*head.keys, *head.queries]))
        counts_back = proof.language.nodes[target.count].operator == "#<"
        self._mentions_length = not counts_back or proof.mentions_length(places)
        self._shapes: dict[int, ParabolaShape | None] = {}

    def find(self, n: int) -> tuple[tuple[int, int], Fraction] | None:
        """Return the offsets at length n, and the least C over the temperature; None if scores are not one parabola."""
        length = n if self._mentions_length else self._proof.claim.max_n
        if length not in self._shapes:
            self._shapes = {length: self._find_shape(length)}
        shape = self._shapes[length]
        if shape is None:
            return None
        place = self._head.temperature
        if "i" not in self._proof.language.leaves(place):
            temperature = self._proof.language.value_at(place, n, 1)
            return shape.offs, divide(self._proof.budget, shape.least[n - 1], temperature)
        temperatures = self._proof.columns.numbers(place, n)
        self._proof.budget.spend(3 * n)
        return shape.offs, min(map(truediv, shape.curvatures, temperatures))

    def _find_shape(self, n: int) -> ParabolaShape | None:
        quadratics = [find_quadratic(self._proof, column) for column in self._proof.known_forms(self._head.keys, n)]
        found = [quadratic for quadratic in quadratics if quadratic is not None]
        if len(found) < len(quadratics):
            return None
        curvature, slope = self._form([-a for a, _ in found], n), self._form([b for _, b in found], n)
        if curvature is None or slope is None or curvature.mean:
            return None
        budget = self._proof.budget
        curvatures = [curvature.known, add_columns(budget, curvature.known, curvature.here)]
        offs = [self._find_off(slope, column, b, n) for b, column in enumerate(curvatures)]
        if offs[0] is None or offs[1] is None:
            return None
        lesser = list(map(min, *curvatures))
        return ParabolaShape((offs[0], offs[1]), lesser, list(accumulate(lesser, min)))

    def _form(self, factors: Sequence[Fraction], n: int) -> QueryColumns | None:
        """Return the sum of the queries with these factors; None if it depends on more than (n, i), b and m."""
        weights: dict[str, Fraction] = {}
        for factor, query in zip(factors, self._head.queries, strict=True):
            for name, weight in query.items():
                product = multiply(self._proof.budget, factor, weight)
                weights[name] = add(self._proof.budget, weights.get(name, ZERO), product)
        form, proof = self._target.split_query(weights), self._proof
        if form.foreign:
            return None
        (known,) = proof.known_forms([form.known], n)
        return QueryColumns(known, columns_here(proof, form.here, n), form.times)

    def _find_off(self, slope: QueryColumns, curvature: Sequence[Fraction], b: int, n: int) -> int | None:
        """Return off, if m adds 2 C to S at every row, C is positive, and S = 2 C off where m = 0; else None."""
        budget, off = self._proof.budget, None
        for i, (c, known, more) in enumerate(zip(curvature, slope.known, slope.here, strict=True), 1):
            seen = Fraction(self._proof.positions_counted(self._target.count, n, i))
            step = divide(budget, slope.mean, seen)
            start = add(budget, known, add(budget, more, step)) if b else known
            if c <= 0 or step != add(budget, c, c):
                return None
            found = divide(budget, start, step)
            if found.denominator != 1 or off not in (None, found):
                return None
            off = int(found)
        return off


def find_quadratic(proof: ProofContext, column: Sequence[Fraction]) -> tuple[Fraction, Fraction] | None:
    """Return a and b such that the column (3 rows or more) is a j^2 + b j + c at j = 1, 2, ..., or None.

    Proof. A sequence is a quadratic iff its second differences are one number, 2 a; then the first step is 3 a + b.
    """
    if len(column) < 3:
        return None
    negated = multiply_column(proof.budget, -ONE, column)
    steps = add_columns(proof.budget, column[1:], negated[:-1])
    if len({*add_columns(proof.budget, steps[1:], [-step for step in steps[:-1]])}) > 1:
        return None
    a = (steps[1] - steps[0]) / 2
    return a, steps[0] - 3 * a


def columns_here(proof: ProofContext, here: LinearForm, n: int) -> Sequence[Fraction]:
    """Return the contribution of truths and products of the counted formula where it holds, at (n, 1), ..., (n, n)."""
    columns: dict[str, Sequence[Fraction]] = {}
    for name in here:
        meaning = proof.directions[name]
        columns[name] = proof.columns.numbers(meaning.value, n) if isinstance(meaning, Product) else [ONE] * n
    return combine_columns(proof.budget, here, columns, n)


def reach_of(least: Fraction, fall: int = NEGLIGIBLE) -> int:
    """Return the greatest k with C k^2 < fall, C = ``least``; positions beyond this distance are not summed."""
    return isqrt(-(-fall * least.denominator // least.numerator) - 1)


def rows_of(proof: ProofContext, head: Head, target: LookupTarget, n: int) -> Iterator[VisibleRow]:
    """Yield the rows of a length."""
    proof.budget.spend(n)
    for i in range(1, n + 1):
        first, last = visible(head.mask, n, i)
        yield VisibleRow(first, last, proof.positions_counted(target.count, n, i))
