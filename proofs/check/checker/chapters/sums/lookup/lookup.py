"""Lookup heads; docs/background/obligations.md: the row reads the mean of a count and attends to the position for it.

For each (n, i) there are finitely many exact cases (target.py). Where the scores are one parabola, few of them are
checked (peaked.py); all other rows are checked here, case by case, with all scores as exact numbers. Scores far below
the greatest one are not summed: their weights are below e^-60 of its weight, and each counts as the number from 0 to
e^-60 that is worst for the claim. (The weights of sparsemax and entmax-1.5 are 0 there.)
"""

from collections.abc import Sequence
from fractions import Fraction
from operator import mul
from typing import NamedTuple, cast

from ....kernel.budget import ENTRY_BITS
from ....kernel.numbers import ONE, Numbers, divide, multiply, over_one_denominator, total
from ....kernel.reading.records import ApproximateCount, ApproximateTruth, Head, Product, visible
from ....kernel.verdicts import require
from ...formula.families import Covered, WrittenDirection
from ...formula.kernels import FALLS
from ...formula.proof import ProofContext
from .case import LookupCase, is_proved
from .peaked import find_covered
from .target import LookupTarget, cover_rows


class RowScores(NamedTuple):
    """The scores and values of a row's visible positions, in integers: scores are starts + m * steps for m others."""

    denominator: int
    size: int
    starts: list[int]
    steps: list[int]
    values: list[int]


class Lookup:
    """One direction that a head writes by a lookup, case by case."""

    def __init__(self, proof: ProofContext, head: Head, name: str, target: LookupTarget) -> None:
        self._proof, self._head, self._name, self._target = proof, head, name, target
        self._queries = [target.split_query(query) for query in head.queries]
        self._known: dict[int, list[Sequence[Fraction]]] = {}  # of one length, the known parts of queries at each row

    def check_length(self, n: int) -> Covered:
        """Prove the rows of one length; return their number, and the number at which the guard can hold."""
        size, rows = self.keys_and_values(n)
        bits = ENTRY_BITS * len(rows) + sum(x.bit_length() for row in rows for x in row)
        with self._proof.budget.holding(bits):
            return cover_rows([(n, (n,) * n)], lambda n, i: self._check_row(n, i, size, rows))

    def keys_and_values(self, n: int) -> tuple[int, list[tuple[int, ...]]]:
        """Return, for each position, its keys, then its value, as integers over one denominator."""
        forms = [*self._head.keys, self._head.values[self._name]]
        columns = self._proof.known_forms(forms, n)
        size, rows = over_one_denominator(self._proof.budget, list(zip(*columns, strict=True)))
        in_range = isinstance(self._target.meaning, ApproximateCount) or all(0 <= row[-1] <= size for row in rows)
        require(in_range, "a value is not in 0..1 at n = {}", n)
        return size, rows

    def _check_row(self, n: int, i: int, size: int, rows: Sequence[tuple[int, ...]]) -> bool | None:
        """Return whether the guard holds in some case of the row; None if it is positional and false there."""
        target, settled = self._target, self._proof.language.settle(self._target.order, n, i)
        if isinstance(target.meaning, ApproximateTruth) and not settled.get(target.meaning.when, True):
            return None
        first, last = visible(self._head.mask, n, i)
        is_guarded = False
        for b in [settled[target.counted]] if target.counted in settled else [False, True]:
            row_scores = self.row_scores(n, i, b, size, rows[first - 1 : last])
            for m in range(self._proof.positions_counted(target.count, n, i)):
                goal = target.goal(m, target.truths(n, settled, b, m))
                if goal is not None:
                    is_guarded = True
                    self._check_case(row_scores, m, goal, f"n = {n}, i = {i}, count {m + b}")
        return is_guarded

    def row_scores(self, n: int, i: int, b: bool, size: int, seen: Sequence[tuple[int, ...]]) -> RowScores:
        """Return the scores for m = 0, and the increment for each further position (queries are linear in m)."""
        budget = self._proof.budget
        queries = [self._scale_query(n, i, b, m + b) for m in (0, 1)]
        denominator, (query, after) = over_one_denominator(budget, queries)
        bits = denominator.bit_length() + max((x.bit_length() for x in (*query, *after)), default=0)
        width = bits + size.bit_length() + max((x.bit_length() for row in seen for x in row), default=0)
        span = self._proof.positions_counted(self._target.count, n, i)
        budget.spend((len(query) + 1) * len(seen) * (1 + (width * width >> 20)))
        budget.spend(span * (10 + len(self._target.order) + (len(seen) * (1 + (width >> 10)) >> 2)))  # 4 scores a step
        starts = [sum(map(mul, query, row)) for row in seen]
        steps = [sum(map(mul, after, row)) - start for row, start in zip(seen, starts, strict=True)]
        return RowScores(denominator, size, starts, steps, [row[-1] for row in seen])

    def _scale_query(self, n: int, i: int, b: bool, number: int) -> Numbers:
        """Return the query of a row over its temperature, where the count is this number."""
        proof, found = self._proof, []
        if n not in self._known:
            self._known = {n: proof.known_forms([form.known for form in self._queries], n)}
        temperature = proof.language.value_at(self._head.temperature, n, i)
        for form, known in zip(self._queries, self._known[n], strict=True):
            if form.foreign:
                raise proof.not_known(form.foreign[0])
            mean = Fraction(number, proof.positions_counted(self._target.count, n, i))
            terms = [known[i - 1], multiply(proof.budget, form.times, mean)]
            for name, weight in form.here.items() if b else ():
                meaning = proof.directions[name]
                value = proof.language.value_at(meaning.value, n, i) if isinstance(meaning, Product) else ONE
                terms.append(multiply(proof.budget, weight, value))
            found.append(divide(proof.budget, total(proof.budget, terms), temperature))
        return tuple(found)

    def _check_case(self, row_scores: RowScores, m: int, wanted: int, where: str) -> None:
        """Check that the weighted mean of the values is within the bounds, in one case."""
        scores = [start + m * step for start, step in zip(row_scores.starts, row_scores.steps, strict=True)]
        top, goal = max(scores), wanted * row_scores.size
        weighting = self._head.weighting
        least = top - FALLS[weighting] * row_scores.denominator * row_scores.size
        near = tuple([(score - top, value - goal)
                      for score, value in zip(scores, row_scores.values, strict=True) if score >= least])
        highest = max(max(row_scores.values) - goal, goal - min(row_scores.values))
        far = highest.bit_length() if len(near) < len(scores) else 0
        case = LookupCase(row_scores.denominator, row_scores.size, near, far, self._target.sides(wanted), weighting)
        require(is_proved(self._proof, case), "the error exceeds its bound at {}", where)


def check_lookup(proof: ProofContext, written: WrittenDirection) -> Covered:
    """Prove the errors at all rows; return their number, and the number at which the guard can hold."""
    (head,), name = written.heads, written.name
    meaning = cast(ApproximateTruth | ApproximateCount, written.meaning)
    target = LookupTarget(proof, head, name, meaning)
    covered = find_covered(proof, head, name, target)
    lookup = Lookup(proof, head, name, target)
    rows = [covered[n] if n in covered else lookup.check_length(n) for n in proof.claim.lengths]
    guarded = sum(one.guarded or 0 for one in rows) if isinstance(meaning, ApproximateTruth) else None
    return Covered(sum(one.rows for one in rows), guarded)
