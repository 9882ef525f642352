"""The worst case of a lookup head under sparsemax or 1.5-entmax, where scores are parabolas around the target position.

Rule ``near``. In a case the target position is the pivot, with the right value; a position at distance k has the gap
-c k², so the error is at most the share of those whose values err (``common.kernels``). It decreases as c grows: among
cases in which the same distances err, the case of least c is the worst.

Rule ``others``. If the value at distance k errs by k, the worst error has the least c of all rows, no position to the
left, and max_n - 1 to the right: docs/background/obligations.md, section 5, lookup head, 6.

Cases with other scores are processed one by one, with the weights of all positions.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from math import isqrt

from constructions.network.meanings import Others
from constructions.network.weightings import Weighting
from proofs.formula.common.extremes import WorstCase, proved_bound
from proofs.formula.common.kernels import WEIGHS_NOTHING_FROM, enclose_mean_of, share_of_others
from proofs.formula.failures import NotDerived
from proofs.formula.lookup.dominance import Case, NearRule, OthersRule, RowGroup, SquareRow, groups_of, rows_of_length
from proofs.formula.lookup.obligation import LookupObligation, LookupProblem
from proofs.formula.lookup.worst_case import CountCase, LookupExtreme, cases_of

ZERO = Fraction(0)
Gaps = tuple[Fraction, ...]
"""Gaps of the positions that may err, in descending order."""
Terms = tuple[tuple[Fraction, Fraction], ...]
"""The gap to the greatest score, and the error, of every position."""


@dataclass(frozen=True)
class KernelWorstCase:
    """The worst case, and the data for a second prover.

    For a truth these are the ``gaps`` to the target position in all cases that may be the worst; for a number the least
    ``curvature``. ``singly`` has the cases that were processed one by one, each with its sign.
    """

    worst: WorstCase
    gaps: tuple[Gaps, ...]
    curvature: Fraction | None
    singly: tuple[Terms, ...]


@dataclass(frozen=True)
class _Found:
    """An enclosure of the error of a case, above its target or below it."""

    lower: Fraction
    upper: Fraction
    case: CountCase
    excess: bool


def find_kernel_worst_case(obligation: LookupObligation, bits: int) -> KernelWorstCase:
    """Return the largest excess and the largest shortfall over all cases.

    Raises:
        NotDerived: if the rules do not apply.
    """
    groups = list(groups_of(obligation.problem))
    search = _Search(obligation, bits)
    others = isinstance(obligation.meaning, Others)
    gaps: tuple[Gaps, ...] = ()
    curvature = None
    if others:
        curvature = search.search_numbers(groups)
    else:
        gaps = search.search_truths(groups)
    for n, i in (place for group in groups for place in group.other):
        search.search_row(n, i)
    return KernelWorstCase(search.worst(), gaps, curvature, tuple(search.singly))


class _Search:
    def __init__(self, obligation: LookupObligation, bits: int):
        self._problem, self._bits = obligation.problem, bits
        self._weighting = obligation.head.weighting
        self._best: dict[bool, _Found] = {}
        self.singly: dict[Terms, None] = {}

    def search_truths(self, groups: list[RowGroup]) -> tuple[Gaps, ...]:
        """Process every case that may be the worst; return the gaps that occur."""
        problem = self._problem
        rule = NearRule(problem, lambda curvature: reach_of(self._weighting, curvature))
        is_covered = all(rule.covers(group) for group in groups)
        found: dict[tuple[bool, Gaps], CountCase] = {}
        for n, i, here, others in rule.undominated() if is_covered else _all_cases(problem, groups):
            case = CountCase(problem.row(n, i), here, others)
            target = case.row.targets[here][others]
            assert target is not None
            found.setdefault((not target, self._gaps(case, not target)), case)
        for (excess, gaps), case in found.items():
            share = share_of_others(self._weighting, [(1, gap) for gap in gaps], self._bits)
            self._take(_Found(self._error(case, excess)[0], share, case, excess))
        return tuple({gaps for _, gaps in found})

    def _gaps(self, case: CountCase, excess: bool) -> Gaps:
        """Return the gaps of the positions that err and have a positive weight.

        Raises:
            NotDerived: if the target position errs.
        """
        terms = LookupExtreme(ZERO, ZERO, case, excess).terms()
        top = max(score for score, _ in terms)
        if any(error for score, error in terms if score == top):
            raise NotDerived(f"the value that is looked for at n = {case.row.n}, i = {case.row.i} is not the target")
        least = WEIGHS_NOTHING_FROM[self._weighting]
        return tuple(sorted((score - top for score, error in terms if error and score - top > least), reverse=True))

    def search_numbers(self, groups: list[RowGroup]) -> Fraction | None:
        """Return the least curvature of all rows, which has the greatest errors; None if no scores are parabolas.

        Raises:
            NotDerived: if the values are not the distances from a position.
        """
        problem, rule = self._problem, OthersRule(self._problem)
        if not all(rule.covers(group) for group in groups):
            raise NotDerived(f"the values are not the distances from a position, as a count under {self._weighting} "
                             "needs them")
        rows = [row for group in groups for row in group.square]
        if not rows:
            return None
        least: SquareRow = min(rows, key=lambda row: row.curvature)
        upper = mean_distance(self._weighting, least.curvature, problem.lengths.last, self._bits)
        for excess, others in ((True, 0), (False, len(least.peaks) - 1)):
            case = CountCase(problem.row(least.n, least.i), False, others)
            self._take(_Found(self._error(case, excess)[0], upper, case, excess))
        return least.curvature

    def search_row(self, n: int, i: int) -> None:
        """Process all cases of a row, one by one."""
        row = self._problem.row(n, i)
        for here, others, _ in cases_of(row.targets):
            case = CountCase(row, here, others)
            for excess in (True, False):
                terms = LookupExtreme(ZERO, ZERO, case, excess).terms()
                top = max(score for score, _ in terms)
                self.singly[tuple((score - top, error) for score, error in terms)] = None
                self._take(_Found(*self._error(case, excess), case, excess))

    def _error(self, case: CountCase, excess: bool) -> tuple[Fraction, Fraction]:
        """Enclose the error of a case."""
        mean = enclose_mean_of(self._weighting, LookupExtreme(ZERO, ZERO, case, excess).terms(), self._bits)
        return mean.lower, mean.upper

    def _take(self, found: _Found) -> None:
        best = self._best.get(found.excess)
        if found.upper > 0 and (best is None or found.upper > best.upper):
            self._best[found.excess] = found

    def worst(self) -> WorstCase:
        """Return the worst case of all processed cases."""
        above, below = (self._extreme(excess) for excess in (True, False))
        return WorstCase(above, below)

    def _extreme(self, excess: bool) -> LookupExtreme | None:
        if (found := self._best.get(excess)) is None:
            return None
        return LookupExtreme(max(found.lower, ZERO), proved_bound(found.upper), found.case, excess,
                             weighting=self._weighting)


def find_kernel_violations(obligation: LookupObligation, bits: int, bound: Fraction) -> Iterator[CountCase]:
    """Yield cases in which the error certainly exceeds ``bound``, some of each length, the shortest words first."""
    problem, weighting = obligation.problem, obligation.head.weighting
    for n in problem.lengths:
        group = rows_of_length(problem, n)
        rule = NearRule(problem, lambda curvature: reach_of(weighting, curvature))
        is_covered = not isinstance(obligation.meaning, Others) and rule.covers(group)
        cases = rule.undominated() if is_covered else _all_cases(problem, [group])
        singly = ((n, i, here, others) for _, i in group.other
                  for here, others, _ in cases_of(problem.targets.at(n, i)))
        for _, i, here, others in chain(cases, singly):
            case = CountCase(problem.row(n, i), here, others)
            terms = LookupExtreme(ZERO, ZERO, case, excess=True).terms()
            error = enclose_mean_of(weighting, terms, bits)
            if error.lower > bound or error.upper < -bound:
                yield case


def reach_of(weighting: Weighting, curvature: Fraction) -> int:
    """Return the greatest distance of a positive weight, at least 1."""
    squared = -WEIGHS_NOTHING_FROM[weighting] / curvature
    return max(isqrt(squared.numerator // squared.denominator), 1)


def mean_distance(weighting: Weighting, curvature: Fraction, longest: int, bits: int) -> Fraction:
    """Return an upper bound of the mean of k = 0, ..., longest - 1 with the scores -curvature * k²."""
    terms = [(-curvature * k * k, Fraction(k)) for k in range(longest)]
    heavy = [(gap, k) for gap, k in terms if gap > WEIGHS_NOTHING_FROM[weighting]]
    return enclose_mean_of(weighting, heavy, bits).upper


def _all_cases(problem: LookupProblem, groups: list[RowGroup]) -> Iterator[Case]:
    for row in (row for group in groups for row in group.square):
        for here, others, _ in cases_of(problem.targets.at(row.n, row.i)):
            yield row.n, row.i, here, others
