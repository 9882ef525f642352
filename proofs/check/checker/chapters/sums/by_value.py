"""Feed-forward outputs by the value of a sum of counts D; docs/background/obligations.md, Feed-forward output by value.

Consecutive values d of D that decide all formulas equally are one interval; a mean or an average is then in an
interval, whose ends belong to the first and the last d.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor, gcd
from typing import NamedTuple

from ...kernel.language import Place
from ...kernel.numbers import ONE, ZERO, add, divide, multiply, ratio
from ...kernel.reading.records import Average, ExactCount, Mean, Meaning, Neuron, Slack, Truth, kind_of
from ...kernel.verdicts import quote, refuse, require
from ..formula.families import Covered, WrittenDirection, is_on_count
from ..formula.feed_forward.piecewise import NeuronForm, Range, add_ranges, group_by_form
from ..formula.proof import ProofContext

SumOfCounts = Mapping[Place, int]
"""Counts and their coefficients, which are not 0."""


class ValueInterval(NamedTuple):
    """The values first..last, the expected output there (or its lower bound, if ``or_more``), and which slack is 0."""

    first: int
    last: int
    expected: Fraction
    or_more: bool
    shut: tuple[bool, ...]


class CountedRow(NamedTuple):
    """A row, checked at length n, with the first length and position that it represents.

    `ends` are the least and the greatest value of the sum, `positions` the denominator of means, `numbers` the known
    numbers that are read, and `more` whatever else distinguishes rows.
    """

    n: int
    first_at: tuple[int, int]
    ends: tuple[int, int]
    positions: int
    numbers: tuple[Fraction, ...]
    more: tuple[Hashable, ...] = ()


ColumnOf = Callable[[str, int], Sequence[Hashable]]
"""For a direction and a length, a column with an entry for each i."""


class OutputByValue:
    """One direction that a feed-forward block writes, by these hidden units and this bias."""

    def __init__(self, proof: ProofContext, name: str, units: Sequence[Neuron], bias: Fraction) -> None:
        self._proof, self._language, self._bias = proof, proof.language, bias
        self._meaning = proof.directions[name]
        require(isinstance(self._meaning, ExactCount | Truth | Slack),
                "a {} direction is not decided by a sum of counts", kind_of(self._meaning))
        self._groups = group_by_form(proof.budget, name, units)
        counted = self._sum_of(self._meaning)
        divisor = gcd(*counted.values())
        self._sum: SumOfCounts = {count: c // divisor for count, c in counted.items()}
        self.known: list[str] = []
        self.means: dict[str, Fraction] = {}
        self.slacks: dict[str, Place] = {}
        for source in dict.fromkeys(source for form in self._groups for source, _ in form):
            self._take(source, proof.directions[source])
        own = [self._meaning.formula] if isinstance(self._meaning, Truth | Slack) else []
        self._formulas = [*self.slacks.values(), *own]
        self._times = {place: self._factor(self._language.counts_of(place)) for place in self._formulas}
        self._on_count = [place for place in self._formulas if self._language.nodes[place].operator == "on"]

    def _take(self, source: str, meaning: Meaning) -> None:
        """Classify a direction that is read."""
        if self._proof.is_known(meaning):
            self.known.append(source)
        elif isinstance(meaning, Mean | Average):
            self.means[source] = self._factor(self._sum_of(meaning))
        elif isinstance(meaning, Slack):
            self._factor(self._sum_of(meaning))
            self.slacks[source] = meaning.formula
        else:
            refuse("{}, of kind {}, is read beside counts", quote(source), kind_of(meaning))

    def _sum_of(self, meaning: Meaning) -> SumOfCounts:
        """Return the sum of counts, without a constant, that a meaning is about."""
        if isinstance(meaning, Mean | ExactCount):
            return {meaning.count: 1}
        place = meaning.term if isinstance(meaning, Average) else (
            meaning.formula if isinstance(meaning, Truth | Slack) else -1)
        operator, operands, _ = self._language.nodes[place]
        if not (isinstance(meaning, Truth) and is_on_count(self._proof, meaning.formula)):
            require(operator == "T" and operands, "a {} direction is of no comparison of counts", kind_of(meaning))
        return self._language.counts_of(place)

    def _factor(self, other: SumOfCounts) -> Fraction:
        """Return x with other = x * (the sum of this output)."""
        factor = ratio(other, self._sum)
        require(factor is not None, "two sums of counts are not in proportion")
        return factor or ZERO

    def check(self) -> int:
        """Return the number of rows (n, i) at which the output is the target; equal rows are checked once."""
        for row in self.rows():
            known = dict(zip(self.known, row.numbers, strict=True))
            for run in self.runs(row):
                self._check_run(run, known, row)
        return sum(self._proof.claim.lengths)

    def rows(self, every_length: bool = False, more: ColumnOf | None = None) -> Sequence[CountedRow]:
        """Return rows that include all that differ in what this rule depends on; other outputs may share them.

        They may also differ in ``more``: a column for each known direction and each length. The key contains all that
        `_find_rows` depends on besides the claim, of which a proof has one: the sum, the known directions, whether a
        mean is read, and the lengths and columns that distinguish rows.
        """
        by_length = self._proof.mentions_length(self._on_count)
        key = (tuple(self._sum.items()), tuple(self.known), bool(self.means), by_length, every_length, more)
        if key not in self._proof.rows_by_value:
            rows = self._find_rows(by_length, every_length, more)
            self._proof.budget.hold(1024 * len(rows))
            self._proof.rows_by_value[key] = rows
        found: Sequence[CountedRow] = self._proof.rows_by_value[key]
        return found

    def _find_rows(self, by_length: bool, every_length: bool, more: ColumnOf | None) -> Sequence[CountedRow]:
        found: dict[tuple[object, ...], CountedRow] = {}
        for n, firsts in self._lengths(by_length, every_length):
            self._proof.budget.spend(n * (10 + (11 if more else 1) * len(self.known)))
            columns = [self._proof.known_numbers(source, n) for source in self.known]
            others = [more(source, n) for source in self.known] if more else []
            for i, first in enumerate(firsts, 1):
                numbers, rest = tuple(column[i - 1] for column in columns), tuple(column[i - 1] for column in others)
                row = CountedRow(n, (first, i), self._ends(n, i), self._positions(n, i), numbers, rest)
                key = (n if by_length else 0, *row[3:], row.ends if self.means else ())
                before = found.setdefault(key, row)
                found[key] = before._replace(ends=(min(before.ends[0], row.ends[0]), max(before.ends[1], row.ends[1])))
        return list(found.values())

    def _lengths(self, by_length: bool, every_length: bool) -> Iterator[tuple[int, Sequence[int]]]:
        """Return the lengths to check; a count to the right depends on where a word ends."""
        sees_end = any(self._language.nodes[count].operator == "#>" for count in self._sum)
        mask = "past" if sees_end or by_length or every_length else "future"
        return self._proof.lengths(self._proof.places_of(self.known), mask)

    def _ends(self, n: int, i: int) -> tuple[int, int]:
        """Return the least and the greatest value of the sum, if each count is any number up to its range."""
        ends = [c * self._proof.positions_counted(count, n, i) for count, c in self._sum.items()]
        return sum(min(end, 0) for end in ends), sum(max(end, 0) for end in ends)

    def _positions(self, n: int, i: int) -> int:
        """Return the number of positions that a mean or an average is over; 0 if none is read."""
        if not self.means:
            return 0
        found = {self._proof.positions_counted(count, n, i) for count in self._sum}
        require(len({self._language.nodes[count].operator for count in self._sum}) == 1,
                "an average is over counts of both sides")
        return found.pop()

    def runs(self, row: CountedRow) -> Iterator[ValueInterval]:
        """Yield all values of the sum, as maximal intervals that decide all formulas equally."""
        run: ValueInterval | None = None
        n, (least, greatest) = row.n, row.ends
        for first, following in pairwise([*self._starts(least, greatest), greatest + 1]):
            self._proof.budget.spend(5 + 3 * len(self._formulas))
            one = ValueInterval(first, following - 1, *self._expected(first, n),
                                tuple(self._holds(place, first, n) for place in self.slacks.values()))
            if run is not None and run[2:] == one[2:]:
                run = run._replace(last=one.last)
            else:
                if run is not None:
                    yield run
                run = one
        if run is not None:
            yield run

    def _starts(self, least: int, greatest: int) -> Sequence[int]:
        """Return values that include the first one of every run: a comparison changes at most where its T passes 0."""
        if isinstance(self._meaning, ExactCount) or self._on_count:
            self._proof.budget.spend(greatest - least)
            return range(least, greatest + 1)
        starts = {least}
        for place in self._formulas:
            constant = Fraction(self._language.nodes[place].data[1])
            zero = divide(self._proof.budget, -constant, self._times[place])
            starts |= {ceil(zero), floor(zero) + 1}
        return sorted(start for start in starts if least <= start <= greatest)

    def _holds(self, place: Place, value: int, n: int) -> bool:
        """Return whether a formula holds where the sum has this value."""
        times = self._times[place]
        number = value if times == ONE else multiply(self._proof.budget, times, Fraction(value))
        return self._language.holds_of_sum(place, n, number)

    def _expected(self, value: int, n: int) -> tuple[Fraction, bool]:
        """Return the expected output where the sum has this value, and whether it is only a lower bound."""
        if isinstance(self._meaning, Truth):
            return (ONE if self._holds(self._meaning.formula, value, n) else ZERO), False
        if isinstance(self._meaning, Slack):
            holds = self._holds(self._meaning.formula, value, n)
            return (ZERO if holds else ONE), not holds
        return Fraction(value), False

    def _check_run(self, run: ValueInterval, known: Mapping[str, Fraction], row: CountedRow) -> None:
        """Check the output at every value of a run."""
        got, budget = self._bias, self._proof.budget
        shut = dict(zip(self.slacks, run.shut, strict=True))
        for form, function in self._groups.items():
            low, high = self._form_range(form, run, known, shut, row.positions)
            one = function.value_on(low, high, run.or_more)
            require(one is not None, "the output changes while the counts sum to {} to {}, at n = {}, i = {}",
                    run.first, run.last, *row.first_at)
            got = add(budget, got, one or ZERO)
        fits = got == run.expected or (run.or_more and got > run.expected)
        require(fits, "the output is {}, expected {}, where the counts sum to {} to {}, at n = {}, i = {}", got,
                run.expected, run.first, run.last, *row.first_at)

    def _form_range(self, form: NeuronForm, run: ValueInterval, known: Mapping[str, Fraction], shut: Mapping[str, bool],
                    positions: int) -> Range:
        """Return the range of a form in a run: each direction separately; slack that is not 0 is unbounded above."""
        budget, parts = self._proof.budget, list[tuple[Fraction, Range]]()
        budget.spend(4 * len(form))
        for source, c in form:
            if source in known:
                parts.append((c, (known[source], known[source])))
            elif source in self.means:
                factor = divide(budget, multiply(budget, c, self.means[source]), Fraction(positions))
                parts.append((factor, (Fraction(run.first), Fraction(run.last))))
            else:
                parts.append((c, (ZERO, ZERO) if shut[source] else (ONE, None)))
        return add_ranges(budget, parts)


def check_by_value(proof: ProofContext, written: WrittenDirection) -> Covered:
    """Prove that the direction holds exactly what it means; return the number of rows (n, i)."""
    return Covered(OutputByValue(proof, written.name, written.units, written.bias).check())
