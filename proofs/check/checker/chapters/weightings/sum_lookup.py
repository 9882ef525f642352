"""Sum lookups; docs/background/obligations.md: the row reads a count, and heads together select the position for it.

In a case (n, i), b, m (target.py) all heads score multiples of p - j and constants, with p = m + off. So together they
weigh the position j by W(p - j) (response_functions.py); different positions have different distances. The output is
W(0) times the value at p, plus something in L..U over all other distances of -(n - 1)..n - 1.

The scores alone do not determine p: another off has other constants. It is chosen where W is greatest. The proof holds
for every choice, and a proof exists only where W(0) is 3/4 or more, and all other weights 1/4 or less.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from ...kernel.language import Place
from ...kernel.numbers import ZERO, Numbers, add, divide, multiply
from ...kernel.reading.records import ApproximateTruth, Head, LinearForm, visible
from ...kernel.verdicts import quote, refuse, require
from ..formula.composition import names_in
from ..formula.families import Covered
from ..formula.proof import ProofContext
from ..sums.lookup.parabola import columns_here
from ..sums.lookup.target import LookupTarget, QueryForm, cover_rows
from ..sums.lookup_of_sums import list_claimed
from .additive import columns_of, common_score, divide_all, find_extreme, lengths_of, read_keys, share_row
from .response_functions import ResponseFunction, ResponseTerm, check_near


class ResponseTerms(NamedTuple):
    """The terms of W as a function of m - j for the first b that occurs, and the starts for the other b."""

    truths: tuple[bool, ...]
    terms: tuple[ResponseTerm, ...]
    starts: tuple[tuple[Fraction, ...], ...]


class Goals(NamedTuple):
    """The least number of others at which the value at p is not the goal, and at which something is claimed."""

    wrong: int
    guarded: int


class SumLookup:
    """One near direction that heads of one layer write together."""

    def __init__(self, proof: ProofContext, heads: Sequence[Head], name: str, meaning: ApproximateTruth) -> None:
        self._proof, self._heads, self._name, self._meaning = proof, heads, name, meaning
        targets = [LookupTarget(proof, head, name, meaning) for head in heads]
        self._target, self._count, self._counted = targets[0], targets[0].count, targets[0].counted
        require(all(one.count == self._count for one in targets), "the heads read the totals of different counts")
        self._mask = heads[0].mask
        require(all(head.mask == self._mask for head in heads), "the heads have different masks")
        self._row, self._factors = share_row(proof, heads, name)
        self._queries = [self._split(head.queries) for head in heads]
        self._by_length = proof.mentions_length([*proof.places_of(self._row), *self._target.order])
        self._scale = self._find_scale()
        self._goals: dict[tuple[object, ...], Goals] = {}

    def _find_scale(self) -> Fraction:
        """Return a number of which all values are multiples by 0..1, at all lengths; if all are 0, a coefficient.

        Such a coefficient of the row would be the number if the direction that is read held 1 somewhere.
        """
        lengths = self._proof.claim.lengths if self._by_length else [self._proof.claim.max_n]
        columns = [self._proof.known_forms([self._row], n)[0] for n in lengths]
        extremes = [max(column, key=abs) for column in columns]
        scale = find_extreme(extremes if any(extremes) else self._row.values())
        self._proof.budget.spend(sum(map(len, columns)))
        require(all(value * scale >= 0 for column in columns for value in column), "there are values of both signs")
        return scale

    def _split(self, queries: Sequence[LinearForm]) -> list[QueryForm]:
        """Split queries by what their directions depend on."""
        self._proof.budget.spend(sum(1 + len(query) for query in queries))
        forms = [self._target.split_query(query) for query in queries]
        for name in (name for form in forms for name in form.foreign):
            refuse("a query reads {}, which is not known and does not belong to the count", quote(name))
        return forms

    def check(self) -> Covered:
        """Prove the errors at all rows; return their number, and the number at which the guard can hold."""
        read = [*names_in(row for head in self._heads for row in (*head.queries, *head.keys)), *self._row]
        sees_end = self._proof.language.nodes[self._count].operator == "#>"
        lengths = [*lengths_of(self._proof, self._heads, read, self._target.order, sees_end)]
        shapes = {n: self._find_shape(n) for n, _ in lengths}
        longest: dict[ResponseTerms, int] = {}
        for n, shape in shapes.items():
            longest[shape] = max(n, longest.get(shape, 0))
        offs = {shape: self._find_offs(shape, n) for shape, n in longest.items()}
        return cover_rows(lengths, lambda n, i: self._check_row(n, i, offs[shapes[n]]))

    # -- the scores ----------------------------------------------------------------------------------------------------

    def _find_shape(self, n: int) -> ResponseTerms:
        """Return the scores at one length, and the factors of the values."""
        found = self._proof.columns.truths(self._counted, n) if self._is_settled() else (False, True)
        truths = tuple(sorted({*found}))
        terms, starts = [], []
        for number, head in enumerate(self._heads):
            slope, first, *more = self._find_numbers(n, number, truths)
            over = Fraction(n if head.weighting == "relu-over-n" else 1)
            factor = multiply(self._proof.budget, self._factors[number], self._scale)
            slope, first, *more = (divide(self._proof.budget, x, over) for x in (slope, first, *more))
            terms.append(ResponseTerm(factor, slope, first))
            starts.append(tuple(more))
        return ResponseTerms(truths, tuple(terms), tuple(starts))

    def _is_settled(self) -> bool:
        return self._proof.language.is_positional(self._counted)

    def _find_numbers(self, n: int, number: int, truths: Sequence[bool]) -> list[Fraction]:
        """Return a of one head, and a off + b for each b: the score of position j for m = 0, with a j added."""
        proof, head, query = self._proof, self._heads[number], self._queries[number]
        places = [Fraction(j) for j in range(1, n + 1)]
        keys = read_keys(proof, self._mask, list(zip(*proof.known_forms(head.keys, n), places, strict=True)))
        rows = columns_of(proof, head, [form.known for form in query], n)
        here = [columns_here(proof, form.here, n) for form in query]
        times = tuple(form.times for form in query)
        slope = common_score(proof, [row[:1] for row in rows], keys,
                             lambda row: (*divide_all(proof, times, row[0]), ZERO))
        found, size = [slope], len(times)

        def scaled(row: Numbers) -> Numbers:
            temperature, known, more = row[0], row[1 : 1 + size], row[1 + size :]
            summed = [add(proof.budget, x, add(proof.budget, y, z))
                      for x, y, z in zip(known, times, more, strict=True)] if more else known
            return (*divide_all(proof, summed, temperature), slope or ZERO)

        for b in truths:
            every = [(*row, *more) for row, *more in zip(rows, *here, strict=True)] if b else rows
            occurs = proof.columns.truths(self._counted, n) if self._is_settled() else [b] * n
            found.append(common_score(proof, [row if truth is b else None for row, truth in
                                              zip(every, occurs, strict=True)], keys, scaled))
        require(None not in found, "the scores of head {} are not a (p - j) + b at n = {}", quote(head.name), n)
        return [x for x in found if x is not None]

    def _find_offs(self, shape: ResponseTerms, n: int) -> dict[bool, int]:
        """Return off for each b, after checking W up to this length."""
        budget, is_sigmoid = self._proof.budget, self._heads[0].weighting == "sigmoid"
        response = ResponseFunction(self._proof, is_sigmoid, shape.terms)
        off = -max(range(-n, n - 1), key=lambda t: (response.at(t)[0], -t))
        terms = tuple(term._replace(start=add(budget, term.start, -multiply(budget, term.slope, Fraction(off))))
                      for term in shape.terms)
        check_near(ResponseFunction(self._proof, is_sigmoid, terms), range(1 - n, n), 0, self._proof.errors[self._name])
        found = {shape.truths[0]: off}
        for b in shape.truths[1:]:
            others = {divide(budget, add(budget, start, -term.start), term.slope)
                      for term, (start,) in zip(terms, shape.starts, strict=True) if term.slope}
            fits = len(others) == 1 and all(term.slope or start == term.start
                                            for term, (start,) in zip(terms, shape.starts, strict=True))
            other = others.pop() if fits else None
            require(other is not None and other.denominator == 1, "the heads look for different positions")
            found[b] = int(other or ZERO)
        return found

    # -- the rows ------------------------------------------------------------------------------------------------------

    def _check_row(self, n: int, i: int, offs: Mapping[bool, int]) -> bool | None:
        """Return whether the guard holds in some case of the row; None if it is positional and false there."""
        settled = self._proof.language.settle(self._target.order, n, i)
        first, last = visible(self._mask, n, i)
        span = self._proof.positions_counted(self._count, n, i)
        is_guarded = False
        for b in [settled[self._counted]] if self._counted in settled else [False, True]:
            self._proof.budget.spend(4)
            require(first <= offs[b] and offs[b] + span - 1 <= last,
                    "a position that is looked for is not visible at n = {}, i = {}", n, i)
            goals = self._find_goals(n, b, offs[b], settled)
            require(span <= goals.wrong, "a value is not the truth that is claimed, at n = {}, i = {}, count {}", n, i,
                    goals.wrong + b)
            is_guarded |= goals.guarded < span
        return is_guarded if settled.get(self._meaning.when, True) else None

    def _find_goals(self, n: int, b: bool, off: int, settled: Mapping[Place, bool]) -> Goals:
        """Return the goals over all numbers of others in words of length n; for max_n if nothing mentions n."""
        length = n if self._by_length else self._proof.claim.max_n
        key = (length, b, off, tuple(settled.items()))
        if key not in self._goals:
            self._proof.budget.spend(length * (10 + 2 * len(self._target.order)))
            (values,) = self._proof.known_forms([self._row], length)

            def find_goal(m: int) -> int | None:
                return self._target.goal(m, self._target.truths(length, settled, b, m))

            claimed = list_claimed(reversed(range(length)), find_goal, lambda m: m + off, values, self._scale)
            least_wrong, least = (some[-1] if some else length for some in (claimed.wrong, claimed.values))
            self._goals[key] = Goals(least_wrong, least)
        return self._goals[key]
