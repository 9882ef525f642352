"""Lookups of sums of counts; docs/background/obligations.md, Lookup of a sum, which proves rules 1 to 3."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import NamedTuple, cast

from ...kernel.language import Place
from ...kernel.numbers import ONE, ZERO, divide, ratio
from ...kernel.reading.records import ApproximateCount, ApproximateTruth, Head, LinearForm, Truth, visible
from ...kernel.verdicts import Rejected, quote, require
from ..formula.composition import names_in
from ..formula.families import Covered, WrittenDirection
from ..formula.kernels import FALLS, suffices
from ..formula.proof import ProofContext
from .counts import find_counts
from .lookup.target import cover_rows


class SumQuery(NamedTuple):
    """The queries: one form that depends on the word, the multiple of it in each query, and the known parts."""

    form: LinearForm
    factors: Sequence[Fraction]
    known: Sequence[LinearForm]


class Vertex(NamedTuple):
    """The vertex p of the scores -curvature (j - H)², |H - p| <= error.

    p is sign * D plus the sum of more[φ] over the φ that hold here.
    """

    sign: int
    more: Mapping[Place, int]
    curvature: Fraction
    error: Fraction


class SumLookupValues(NamedTuple):
    """The values at all positions; no vertex if all of them are equal."""

    values: Sequence[Fraction]
    vertex: Vertex | None


class Claimed(NamedTuple):
    """The values of D at which something is claimed, their p, and those whose goal is not the value at p."""

    values: Sequence[int]
    places: Sequence[int]
    wrong: Sequence[int]


class LookupOfSum:
    """One direction that a head writes by a lookup of a sum."""

    def __init__(self, proof: ProofContext, head: Head, name: str, meaning: ApproximateTruth) -> None:
        self._proof, self._language, self._head, self._name, self._meaning = proof, proof.language, head, name, meaning
        self._query = split_queries(proof, head)
        self._sum = self._find_sum()
        self._counted = dict.fromkeys(self._language.counted(count) for count in self._sum)
        self._order = sorted(self._language.below(
            [*self._counted, meaning.formula, meaning.when],
            lambda place: place in self._counted or self._language.is_of_counts(place)))
        read = proof.places_of(names_in([*head.keys, head.values[name], *self._query.known]))
        self._by_length = proof.mentions_length([*read, *self._order])
        self._times: dict[Place, Fraction] = {}
        self._contents: dict[int, SumLookupValues] = {}
        self._claimed: dict[tuple[object, ...], Claimed] = {}

    def _find_sum(self) -> Mapping[Place, int]:
        """Return the sum that a predicate of the meaning is applied to."""
        places = self._language.below([self._meaning.formula, self._meaning.when], self._language.is_of_counts)
        found = [place for place in places if self._language.nodes[place].operator == "on"]
        require(bool(found), "queries read counts, and the meaning has no predicate of a sum of counts")
        return self._language.counts_of(found[0])

    # -- the scores ----------------------------------------------------------------------------------------------------

    def _content(self, n: int) -> SumLookupValues:
        """Return the values and the vertex for words of length n; for max_n if nothing mentions n."""
        length = n if self._by_length else self._proof.claim.max_n
        if length not in self._contents:
            (values,) = self._proof.known_forms([self._head.values[self._name]], length)
            require(all(ZERO <= value <= ONE for value in values), "a value is not in 0..1 at n = {}", length)
            vertex = self._find_vertex(length) if len(set(values)) > 1 else None
            self._contents = {length: SumLookupValues(values, vertex)}
        return self._contents[length]

    def _find_vertex(self, n: int) -> Vertex:
        """Find the vertex; scores are U times (linear in j), U a multiple of H, plus (quadratic in j)."""
        keys = self._proof.known_forms(self._head.keys, n)
        numbers = [self._constant(known, n) for known in self._query.known]
        linear = [sum(map(Fraction.__mul__, self._query.factors, row), ZERO) for row in zip(*keys, strict=True)]
        square = [sum(map(Fraction.__mul__, numbers, row), ZERO) for row in zip(*keys, strict=True)]
        step, curvature = linear[1] - linear[0], (square[0] - square[1]) / 3
        self._proof.budget.spend(n * (4 + 4 * len(keys)))
        is_parabola = curvature > 0 and all(
            x - linear[0] == step * (j - 1) and square[0] - y == curvature * (j * j - 1)
            for j, (x, y) in enumerate(zip(linear, square, strict=True), 1))
        require(is_parabola, "the scores are no parabola around the sum at n = {}", n)
        return self._place_of_form(step / (2 * curvature), curvature)

    def _constant(self, known: LinearForm, n: int) -> Fraction:
        (column,) = self._proof.known_forms([known], n)
        require(len(set(column)) == 1, "the known part of a query differs from row to row at n = {}", n)
        return column[0]

    def _place_of_form(self, factor: Fraction, curvature: Fraction) -> Vertex:
        """Return the vertex where H is factor times the form, near an integer."""
        form, error = {name: factor * weight for name, weight in self._query.form.items()}, ZERO
        for name, weight in form.items():
            meaning = self._proof.directions[name]
            is_truth = isinstance(meaning, Truth) and meaning.formula in self._counted
            require(is_truth or isinstance(meaning, ApproximateCount),
                    "a query reads {}, which does not belong to the sum", quote(name))
            error += ZERO if is_truth else abs(weight) * max(self._proof.errors[name])
        read = find_counts(self._proof, form.items())
        truths = {place: read.pop(place, ZERO) for place in self._counted}
        sign = ratio(read, self._sum)
        require(sign in (1, -1), "the counts that are read are not those of the sum")
        require(all(weight.denominator == 1 for weight in truths.values()), "a truth is read in part")
        require(2 * error < 1, "the errors of the counts sum to {}, expected less than 1/2", error)
        return Vertex(int(sign or 0), {place: int(weight) for place, weight in truths.items()}, curvature, error)

    # -- the rows ------------------------------------------------------------------------------------------------------

    def check(self) -> Covered:
        """Prove the errors at all rows; return their number, and the number at which the guard can hold."""
        counts_ahead = any(self._language.nodes[count].operator == "#>" for count in self._sum)
        mask = "past" if counts_ahead or self._by_length else self._head.mask
        covered = cover_rows(self._proof.lengths([], mask), self._check_row)
        self._check_error()
        return covered

    def _check_row(self, n: int, i: int) -> bool | None:
        """Return whether the guard holds in some case of the row; None if it is positional and false there."""
        self._content(n)  # checks 0..1, whatever the guard is
        settled = self._language.settle(self._order, n, i)
        if not settled.get(self._meaning.when, True):
            return None
        first, last = visible(self._head.mask, n, i)
        is_guarded = False
        for here in self._truths_here(settled):
            claimed = self._find_claimed(n, here, settled)
            least, greatest = self._ends(n, i, here)
            begin, end = bisect_left(claimed.values, least), bisect_right(claimed.values, greatest)
            right = bisect_left(claimed.wrong, least) == bisect_right(claimed.wrong, greatest)
            require(right, "a value is not the truth that is claimed, at n = {}, i = {}", n, i)
            if begin < end:
                is_guarded = True
                ends = claimed.places[begin], claimed.places[end - 1]
                require(first <= min(ends) <= max(ends) <= last or self._content(n).vertex is None,
                        "a position that is looked for is not visible at n = {}, i = {}", n, i)
        return is_guarded

    def _truths_here(self, settled: Mapping[Place, bool]) -> Iterator[dict[Place, bool]]:
        """Yield all truths at the row of the counted formulas."""
        for truths in product(*([settled[place]] if place in settled else [False, True] for place in self._counted)):
            self._proof.budget.spend(20 + 4 * len(self._sum))
            yield dict(zip(self._counted, truths, strict=True))

    def _ends(self, n: int, i: int, here: Mapping[Place, bool]) -> tuple[int, int]:
        """Return the least and the greatest value of D at a row, if each count is any number in its range."""
        least = greatest = 0
        for count, c in self._sum.items():
            one = here[self._language.counted(count)]
            ends = sorted(c * number for number in (one, one + self._proof.positions_counted(count, n, i) - 1))
            least, greatest = least + ends[0], greatest + ends[1]
        return least, greatest

    def _find_claimed(self, n: int, here: Mapping[Place, bool], settled: Mapping[Place, bool]) -> Claimed:
        """Return the claims for all values of D in words of length n; for max_n if nothing mentions n."""
        length = n if self._by_length else self._proof.claim.max_n
        key = (length, *here.values(), *(settled[place] for place in self._order if place in settled))
        if key not in self._claimed:
            reach = length * sum(map(abs, self._sum.values()))
            self._proof.budget.spend(2 * reach * (10 + 3 * len(self._order)))
            self._proof.budget.hold(512 * reach)
            self._claimed[key] = self._list_claimed(length, range(-reach, reach + 1), here, settled)
        return self._claimed[key]

    def _list_claimed(self, n: int, sums: range, here: Mapping[Place, bool],
                      settled: Mapping[Place, bool]) -> Claimed:
        content = self._content(n)

        def find_goal(d: int) -> int | None:
            truths = self._language.connect(self._order, self._decide(n, d, here, settled))
            return int(truths[self._meaning.formula]) if truths[self._meaning.when] else None

        vertex = content.vertex
        more = sum(more for place, more in vertex.more.items() if here[place]) if vertex else 0
        return list_claimed(sums, find_goal, lambda d: vertex.sign * d + more if vertex else 1, content.values)

    def _decide(self, n: int, d: int, here: Mapping[Place, bool], settled: Mapping[Place, bool]) -> dict[Place, bool]:
        """Return the truths of counted formulas, comparisons and predicates where the sum is d."""
        given = {**settled, **here}
        for place in self._order:
            if place not in given and self._language.is_of_counts(place):
                given[place] = self._language.holds_of_sum(place, n, self._times_of(place) * d)
        return given

    def _times_of(self, place: Place) -> Fraction:
        """Return the factor x of a comparison's or predicate's sum x D, found once: sums may be long."""
        if place not in self._times:
            counts = self._language.counts_of(place)
            self._proof.budget.spend(4 * len(counts))
            times = ratio(counts, self._sum)
            if times is None or (self._language.nodes[place].operator == "on" and times.denominator != 1):
                raise Rejected(f"{self._language.write_short(place)} is not determined by the directions read")
            self._times[place] = times
        return self._times[place]

    def _check_error(self) -> None:
        """Check S (1 - e) <= e (or the kernel's condition), with the least curvature over the temperature."""
        found = [(n, vertex) for n, vertex in map(self._vertex_that_matters, self._proof.claim.lengths) if vertex]
        if not found:
            return
        least = min(divide(self._proof.budget, vertex.curvature,
                           max(self._proof.columns.numbers(self._head.temperature, n))) for n, vertex in found)
        deviation = max(vertex.error for _, vertex in found)
        error, longest, gaps = min(self._proof.errors[self._name]), self._proof.claim.max_n, list[Fraction]()
        while len(gaps) < 2 * longest:
            k = 1 + len(gaps) // 2
            gap = least * (2 * k * deviation - k * k)
            if gap <= -FALLS[self._head.weighting]:
                break
            gaps += [gap, gap]
        self._proof.budget.spend(8 * len(gaps))
        fits = error < 1 and suffices(self._proof.weigher, self._proof.budget, self._head.weighting, gaps, longest,
                                      error)
        require(fits, "the error exceeds its bound, where the least curvature is {}", least)

    def _vertex_that_matters(self, n: int) -> tuple[int, Vertex | None]:
        """Return the length and its vertex; None if all values of the length are equal, as is the goal."""
        content = self._content(n)
        self._proof.budget.spend(n)
        return n, content.vertex if len(set(content.values[:n])) > 1 else None


def list_claimed(sums: Iterable[int], find_goal: Callable[[int], int | None], find_place: Callable[[int], int],
                 values: Sequence[Fraction], scale: Fraction = ONE) -> Claimed:
    """List the claims for these values of D, in their order: goals (None where nothing is claimed) against values.

    Values are ``scale`` times truths. The caller checks that places are visible where something is claimed.
    """
    found, places, wrong = list[int](), list[int](), list[int]()
    for d in sums:
        goal = find_goal(d)
        if goal is not None:
            p = find_place(d)
            found.append(d)
            places.append(p)
            if 1 <= p <= len(values) and values[p - 1] != goal * scale:
                wrong.append(d)
    return Claimed(found, places, wrong)


def split_queries(proof: ProofContext, head: Head) -> SumQuery:
    """Split queries into multiples of one form that depends on the word, and known parts."""
    proof.budget.spend(4 * sum(map(len, [*head.queries, *head.keys])))
    known = [{name: weight for name, weight in query.items() if proof.is_known(proof.directions[name])}
             for query in head.queries]
    rest = [{name: weight for name, weight in query.items() if name not in some}
            for query, some in zip(head.queries, known, strict=True)]
    form = next(row for row in rest if row)
    factors = [ratio(row, form) for row in rest]
    require(None not in factors, "queries read counts in several proportions")
    return SumQuery(form, [factor or ZERO for factor in factors], known)


def check_lookup_of_sum(proof: ProofContext, written: WrittenDirection) -> Covered:
    """Prove the errors at all rows; return their number, and the number at which the guard can hold."""
    (head,) = written.heads
    return LookupOfSum(proof, head, written.name, cast(ApproximateTruth, written.meaning)).check()
