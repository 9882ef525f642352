"""Lookup heads; docs/certificate.md, section 5: the row knows a count by its mean, and looks for what belongs to it.

Nothing about the word enters but one count: its number m + b, where m other positions are counted, and b, the truth
here of what is counted. So for each (n, i) there are finitely many exact cases, and together they are all words.

In each case all scores are exact numbers. Scores far below the greatest one are not summed: their weights are below
e^-60 of its weight, and each counts as whatever from 0 to e^-60 hurts most.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from operator import mul
from typing import NamedTuple

from ..budget import ENTRY_BITS
from ..language import Place
from ..language.evaluation import COMPARE
from ..numbers import over_one_denominator
from ..reading.records import Head, Mean, Near, Others
from ..verdicts import Rejected, require
from .proof import Errors, Proof, visible

NEGLIGIBLE = 60
"""Weights below e^-60 of the greatest are bounded, not summed: 4096 of them are below 2^-74, less than any stated error
that is worth stating. The producer has the same number by itself."""


class Case(NamedTuple):
    """One exact situation of a row, in integers: scores are over ``unit * size``, values over ``size``.

    ``near`` are (score - greatest score, value - goal) of the positions that are summed; the offsets of the others are
    below 2^far. ``sides`` are (1, error above) and (-1, error below), as far as they are claimed.
    """

    unit: int
    size: int
    near: tuple[tuple[int, int], ...]
    far: int
    sides: tuple[tuple[int, Fraction], ...]


class Line(NamedTuple):
    """What one row sees, in integers: scores are starts + m * steps for m other positions that are counted."""

    unit: int
    size: int
    starts: list[int]
    steps: list[int]
    values: list[int]


class Lookup:
    """One direction that a head writes by a lookup."""

    def __init__(self, proof: Proof, head: Head, name: str, meaning: Near | Others) -> None:
        self._proof, self._head, self._name, self._meaning = proof, head, name, meaning
        self._errors: Errors = proof.errors[name]
        language, nodes = proof.language, proof.language.nodes
        read = [meaning, *(proof.directions[source] for query in head.queries for source in query)]
        counts = {one.count for one in read if isinstance(one, Mean | Others)}
        require(len(counts) == 1, "queries read the means of {} counts, expected 1", len(counts))
        self._count = counts.pop()
        self._counted = language.counted(self._count)
        wanted = [meaning.formula, meaning.when] if isinstance(meaning, Near) else []
        self._order = sorted(language.below(
            [self._counted, *wanted], lambda place: place == self._counted or nodes[place].operator in ("T", "on")))

    def check(self) -> tuple[int, int]:
        """The number of rows that were checked, and of those where the guard can hold.

        Raises:
            Rejected: if an error is not proved to be within its bound.
        """
        covered = guarded = 0
        for n in self._proof.claim.lengths:
            size, rows = self._keys_and_values(n)
            bits = ENTRY_BITS * len(rows) + sum(x.bit_length() for row in rows for x in row)
            with self._proof.budget.holding(bits):
                for i in range(1, n + 1):
                    found = self._check_row(n, i, size, rows)
                    covered += found is not None
                    guarded += bool(found)
        return covered, guarded

    def _keys_and_values(self, n: int) -> tuple[int, list[tuple[int, ...]]]:
        """For each position its keys, then its value, over one denominator."""
        forms = [*self._head.keys, self._head.values[self._name]]
        size, rows = over_one_denominator(self._proof.budget, [self._proof.forms(forms, n, j) for j in range(1, n + 1)])
        in_range = isinstance(self._meaning, Others) or all(0 <= row[-1] <= size for row in rows)
        require(in_range, "a value is not in 0..1 at n = {}", n)
        return size, rows

    def _check_row(self, n: int, i: int, size: int, rows: Sequence[tuple[int, ...]]) -> bool | None:
        """Whether the guard holds in some case of the row; None if it is positional and does not hold at (n, i)."""
        settled = self._proof.language.settle(self._order, n, i)
        if isinstance(self._meaning, Near) and not settled.get(self._meaning.when, True):
            return None
        first, last = visible(self._head.mask, n, i)
        is_guarded = False
        for b in [settled[self._counted]] if self._counted in settled else [False, True]:
            line = self._line(n, i, b, size, rows[first - 1 : last])
            for m in range(self._proof.positions_counted(self._count, n, i)):
                truths = self._truths(n, i, settled, b, m)
                if isinstance(self._meaning, Near) and not truths[self._meaning.when]:
                    continue
                is_guarded = True
                self._check_case(line, m, truths, f"n = {n}, i = {i}, count {m + b}")
        return is_guarded

    def _line(self, n: int, i: int, b: bool, size: int, seen: Sequence[tuple[int, ...]]) -> Line:
        """Scores are linear in the count, as queries are: those for m = 0, and what each further position adds."""
        budget, held = self._proof.budget, {self._counted: int(b)}
        queries = [self._proof.scaled_query(self._head, n, i, held | {self._count: m + b}) for m in (0, 1)]
        unit, (query, after) = over_one_denominator(budget, queries)
        bits = unit.bit_length() + max((x.bit_length() for x in (*query, *after)), default=0)
        width = bits + size.bit_length() + max((x.bit_length() for row in seen for x in row), default=0)
        span = self._proof.positions_counted(self._count, n, i)
        budget.spend((len(query) + 1) * len(seen) * (1 + (width * width >> 20)))
        budget.spend(span * (10 + len(self._order) + (len(seen) * (1 + (width >> 10)) >> 2)))  # four scores to a step
        starts = [sum(map(mul, query, row)) for row in seen]
        steps = [sum(map(mul, after, row)) - start for row, start in zip(seen, starts, strict=True)]
        return Line(unit, size, starts, steps, [row[-1] for row in seen])

    def _truths(self, n: int, i: int, settled: Mapping[Place, bool], b: bool, m: int) -> dict[Place, bool]:
        """All that the meaning speaks of, where the count is m + b."""
        given = {**settled, self._counted: b}
        for place in self._order:
            if place not in given and self._proof.language.nodes[place].operator in ("T", "on"):
                given[place] = self._holds_of_count(place, n, m + b)
        return self._proof.language.connect(self._order, given)

    def _holds_of_count(self, place: Place, n: int, number: int) -> bool:
        """A comparison of the count, or a predicate on it.

        Raises:
            Rejected: if it mentions another count.
        """
        name, operands, data = self._proof.language.nodes[place]
        if name == "on" and operands[1] == self._count:
            return self._proof.language.holds_at(operands[0], n, number)
        if name == "T" and operands == (self._count,):
            relation, constant, coefficient = data
            return COMPARE[str(relation)](int(constant) + int(coefficient) * number, 0)
        raise Rejected(f"{self._proof.language.write_short(place)} is not decided by what is read")

    def _check_case(self, line: Line, m: int, truths: Mapping[Place, bool], where: str) -> None:
        """The weighted mean of the values is within the bounds, in one case."""
        wanted = m if isinstance(self._meaning, Others) else int(truths[self._meaning.formula])
        scores = [start + m * step for start, step in zip(line.starts, line.steps, strict=True)]
        top, goal = max(scores), wanted * line.size
        least = top - NEGLIGIBLE * line.unit * line.size
        near = tuple([(score - top, value - goal)
                      for score, value in zip(scores, line.values, strict=True) if score >= least])
        highest = max(max(line.values) - goal, goal - min(line.values))
        far = highest.bit_length() if len(near) < len(scores) else 0
        case = Case(line.unit, line.size, near, far, self._sides(wanted))
        if self._proof.proved.get(case) is None:
            require(is_mean_near(self._proof, case), "the error exceeds its bound at {}", where)
            self._proof.proved.keep(case, True, 2 * len(near) * (64 + line.unit.bit_length() + line.size.bit_length()))

    def _sides(self, wanted: int) -> tuple[tuple[int, Fraction], ...]:
        """A truth is in 0..1, so it can only be too high if it is false, and too low if it is true."""
        above, below = (1, self._errors[0]), (-1, self._errors[1])
        if isinstance(self._meaning, Others):
            return above, below
        return (below,) if wanted else (above,)


def is_mean_near(proof: Proof, case: Case) -> bool:
    """Whether the mean of offset / size, with the weights exp(score / unit / size), is within the stated errors.

    Proof. sign * mean <= error iff the sum of weight * (error - sign * offset / size) is not negative; it is multiplied
    by size and the error's denominator. Each of the at most max_n positions that are left out has a weight of at most
    e^-60 (the greatest is 1) and an |offset| of at most 2^far - 1.
    """
    scale = case.unit * case.size
    proof.budget.spend(3 * len(case.near))
    scores = [*(Fraction(score, scale) for score, _ in case.near), Fraction(-NEGLIGIBLE)]
    for sign, error in case.sides:
        p, q = error.denominator, error.numerator * case.size
        left_out = proof.claim.max_n * min(0, q - p * ((1 << case.far) - 1))
        factors = [*(q - sign * p * offset for _, offset in case.near), left_out]
        if sum(proof.weigher.least_terms(scores, factors)) < 0:
            return False
    return True


def check_lookup(proof: Proof, head: Head, name: str, meaning: Near | Others) -> tuple[int, int]:
    """The number of rows that were checked, and of those where the guard can hold.

    Raises:
        Rejected: if an error is not proved to be within its bound.
    """
    return Lookup(proof, head, name, meaning).check()
