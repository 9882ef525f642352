"""Feed-forward outputs that the value of one sum of counts decides: comparisons, predicates on a count, a count itself.

Only that value is free: there is an input case for each range of integers on which all formulas have one truth. There
a mean or an average is in an interval, and slack is 0 or at least 1. Counts and numbers of others in a form must sum to
a multiple of the sum, to within the sum of their errors: truths at the position must cancel.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor, gcd

from constructions.language.positional import truth_from
from constructions.language.predicates import definition_of
from constructions.language.printer import format_briefly, format_term
from constructions.language.semantics import RELATIONS, counted_length
from constructions.language.syntax import (
    Comparison,
    Count,
    Formula,
    PredicateOnCount,
    Term,
    boolean_closure,
    difference,
    operands_of_connective,
)
from constructions.network.lengths import Lengths
from constructions.network.meanings import Average, Mean, Meaning, Others, Slack, Total, Truth
from constructions.network.transformer import Transformer, Unit
from proofs.enclosures.intervals import Interval, point
from proofs.formula.common.word_independent import KnownValues
from proofs.formula.common.written_direction import Bounds
from proofs.formula.failures import NotDerived
from proofs.formula.feed_forward.obligation import NOTHING, CountSum, FeedForwardObligation, InputCase

ZERO, ONE = Fraction(0), Fraction(1)


def is_by_value(transformer: Transformer, known: KnownValues, layer: int, direction: str) -> bool:
    """Return whether the output is a count, units read one (or a mean), or slack for a predicate on a count."""
    meaning = transformer.directions[direction]
    units = transformer.layers[layer - 1].feedforward.units_writing(direction)
    read = [transformer.directions[name] for unit in units for name in unit.reads if name not in known]
    on_count = isinstance(meaning, Truth) and isinstance(meaning.formula, PredicateOnCount)
    return (isinstance(meaning, Total) or any(isinstance(each, Mean | Average | Others | Total) for each in read)
            or (on_count and any(isinstance(each, Slack) for each in read)))


def oblige_by_value(transformer: Transformer, known: KnownValues, lengths: Lengths, layer: int,
                    direction: str, bounds: Bounds) -> FeedForwardObligation:
    """Return the obligation of one direction written by the feed-forward block of ``layer``.

    Source      docs/background/obligations.md, feed-forward output by value.

    Raises:
        NotDerived: if the output, or a direction that is read, is of another kind, or of another sum of counts.
    """
    part = transformer.layers[layer - 1].feedforward
    written = list(part.units_writing(direction))
    derivation = _derive(transformer.directions, known, transformer.directions[direction], written, bounds)
    units = tuple((unit.reads, unit.bias, unit.writes[direction]) for unit in written)
    return FeedForwardObligation(layer, direction, units, part.bias.get(direction, ZERO),
                                 tuple(dict.fromkeys(derivation.cases(lengths))), lengths, derivation.counted,
                                 derivation.total if derivation.counted else NOTHING)


@dataclass(frozen=True)
class _ValueRange:
    """Consecutive values ``first``..``last`` of the sum with one expected output, and with the same slack 0."""

    first: int
    last: int
    expected: Fraction
    slack: tuple[bool, ...]


@dataclass(frozen=True)
class _SumRow:
    """The least and the greatest value of the sum at (n, i), the denominator of means, and the known numbers.

    ``n`` is the last length, unless a predicate depends on n.
    """

    ends: tuple[int, int]
    positions: int
    numbers: tuple[Fraction, ...]
    n: int


@dataclass(frozen=True)
class _SumDerivation:
    """The output, and the directions that are read, in terms of ``total``, a sum of counts with coprime coefficients.

    ``means`` has the factor of each mean or average.
    """

    total: Term
    meaning: Total | Truth | Slack
    known: KnownValues
    read: tuple[str, ...]
    means: Mapping[str, Fraction]
    slack: Mapping[str, Formula]
    counted: Mapping[str, CountSum]

    def cases(self, lengths: Lengths) -> Iterator[InputCase]:
        """Yield the cases of every row; equal rows have equal cases."""
        for row in self._rows(lengths):
            yield from self._cases_of_row(row)

    def _rows(self, lengths: Lengths) -> list[_SumRow]:
        """Return all different rows, computed once for all outputs that share them."""
        by_length = any(definition_of(each).depends_on_n for each in self._spoken_of()
                        if isinstance(each, PredicateOnCount))
        key = "rows by value", lengths, self.total, self.read, bool(self.means), by_length
        return self.known.once(key, lambda: self._together(self._all_rows(lengths, by_length)))

    def _together(self, rows: Iterable[_SumRow]) -> list[_SumRow]:
        """Return each row once; if no mean is read, rows that differ in the range of the sum only are joined."""
        if self.means:
            return list(dict.fromkeys(rows))
        found: dict[tuple[object, ...], _SumRow] = {}
        for row in rows:
            before = found.setdefault((row.numbers, row.n), row)
            ends = min(before.ends[0], row.ends[0]), max(before.ends[1], row.ends[1])
            found[row.numbers, row.n] = replace(before, ends=ends)
        return list(found.values())

    def _all_rows(self, lengths: Lengths, by_length: bool) -> Iterator[_SumRow]:
        for n in self._lengths(lengths, by_length):
            columns = [self.known.column(name, n) for name in self.read]
            for i, numbers in enumerate(zip(*columns, strict=True) if columns else [()] * n, start=1):
                positions = counted_length(self.total.coefficients[0][1], i, n) if self.means else 0
                yield _SumRow(range_of(self.total, i, n), positions, numbers, n if by_length else lengths.last)

    def _lengths(self, lengths: Lengths, by_length: bool) -> list[int]:
        sees_end = any(count.side == "right" for _, count in self.total.coefficients)
        if by_length or sees_end or self.known.mentions_n(dict.fromkeys(self.read, ONE)):
            return list(lengths)
        return [lengths.last]

    def _cases_of_row(self, row: _SumRow) -> Iterator[InputCase]:
        box = [(name, point(number)) for name, number in zip(self.read, row.numbers, strict=True)]
        for run in self._runs(*row.ends, row.n):
            values = Interval(Fraction(run.first), Fraction(run.last))
            held = [(name, values.scaled(factor / row.positions)) for name, factor in self.means.items()]
            yield InputCase((*box, *held), run.expected, slack=tuple(zip(self.slack, run.slack, strict=True)),
                            or_more=isinstance(self.meaning, Slack) and run.expected == ONE, positions=row.positions,
                            values=(run.first, run.last) if self.counted else None)

    def _runs(self, least: int, most: int, n: int) -> list[_ValueRange]:
        runs: list[_ValueRange] = []
        for first, following in pairwise([*self._starts(least, most), most + 1]):
            run = _ValueRange(first, following - 1, self._expected(first, n),
                              tuple(self._holds(formula, first, n) for formula in self.slack.values()))
            if runs and (runs[-1].expected, runs[-1].slack) == (run.expected, run.slack):
                run = _ValueRange(runs.pop().first, run.last, run.expected, run.slack)
            runs.append(run)
        return runs

    def _starts(self, least: int, most: int) -> list[int]:
        """Return the values at which ranges may begin: where a comparison changes, or all if there are predicates."""
        spoken_of = [part for each in self._spoken_of() for part in boolean_closure([each])]
        compared = [each for each in spoken_of if isinstance(each, Comparison)]
        if isinstance(self.meaning, Total) or any(isinstance(each, PredicateOnCount) for each in spoken_of):
            return list(range(least, most + 1))
        starts = {least}
        for comparison in compared:
            zero = -difference(comparison).constant / proportion(self.total, difference(comparison))
            starts |= {ceil(zero), floor(zero) + 1}
        return sorted(start for start in starts if least <= start <= most)

    def _spoken_of(self) -> list[Formula]:
        return [*self.slack.values(), *([] if isinstance(self.meaning, Total) else [self.meaning.formula])]

    def _expected(self, value: int, n: int) -> Fraction:
        match self.meaning:
            case Total():
                return Fraction(value)
            case Truth(formula):
                return Fraction(self._holds(formula, value, n))
            case Slack(formula):
                return Fraction(not self._holds(formula, value, n))

    def _holds(self, formula: Formula, value: int, n: int) -> bool:
        """Return the truth of a formula where the sum has this value."""
        return truth_from(formula, lambda part: self._decided(part, value, n))

    def _decided(self, formula: Formula, value: int, n: int) -> bool | None:
        """Return the truth of a comparison or a predicate; None of a connective.

        Raises:
            NotDerived: if it is of another sum, or is decided otherwise.
        """
        match formula:
            case Comparison(relation):
                term = difference(formula)
                compared = proportion(self.total, term) * value + term.constant
                return RELATIONS[relation]((compared > 0) - (compared < 0), 0)
            case PredicateOnCount(parameters=parameters, count=count):
                number = proportion(self.total, Term(((1, count),), 0)) * value
                return definition_of(formula).holds(int(number), n, parameters)
        if not operands_of_connective(formula):
            raise NotDerived(f"{format_briefly(formula)} is neither a comparison of counts nor a predicate")
        return None


def _derive(directions: Mapping[str, Meaning], known: KnownValues, meaning: Meaning, units: list[Unit],
            bounds: Bounds) -> _SumDerivation:
    """Express the output, and all directions that are read, in terms of one sum of counts.

    Raises:
        NotDerived: if that is impossible.
    """
    if not isinstance(meaning, Total | Truth | Slack):
        raise NotDerived(f"units read counts by their values for a count, a truth or slack, and this is {meaning}")
    own = _coefficients_of(meaning)
    divisor = gcd(*(number for number, _ in own))
    total = Term(tuple((number // divisor, count) for number, count in own), 0)
    means: dict[str, Fraction] = {}
    slack: dict[str, Formula] = {}
    names = dict.fromkeys(name for unit in units for name in unit.reads)
    counted = _find_counted({name: directions[name] for name in names}, bounds)
    for name in names:
        match directions[name]:
            case _ if name in counted or name in known:
                pass
            case Mean() | Average() as average:
                means[name] = proportion(total, Term(_coefficients_of(average), 0))
            case Slack(formula) as read:
                proportion(total, Term(_coefficients_of(read), 0))
                slack[name] = formula
            case other:
                raise NotDerived(f"a unit reads {name}, {other}, beside counts by their values")
    return _SumDerivation(total, meaning, known, tuple(name for name in names if name in known and name not in counted),
                          means, slack, counted)


def _find_counted(read: Mapping[str, Meaning], bounds: Bounds) -> dict[str, CountSum]:
    """Find the counts and numbers of others that are read, and the truths of the formulas counted by the latter.

    Raises:
        NotDerived: if the error bound of a number of others is not proved.
    """
    operands = {meaning.count.operand for meaning in read.values() if isinstance(meaning, Others)}
    found: dict[str, CountSum] = {}
    for name, meaning in read.items():
        match meaning:
            case Total(count):
                found[name] = CountSum(((count, 1),))
            case Truth(formula) if formula in operands:
                found[name] = CountSum(((formula, 1),))
            case Others(count) if name in bounds:
                found[name] = CountSum(((count, 1), (count.operand, -1)), bounds[name])
            case Others():
                raise NotDerived(f"a unit reads {name}, {meaning}, whose bounds are not proved")
    return found


def _coefficients_of(meaning: Meaning) -> tuple[tuple[int, Count], ...]:
    """Return the sum of counts, without a constant, that a direction of this meaning is about."""
    match meaning:
        case Mean(count) | Total(count):
            return ((1, count),)
        case Average(term):
            return term.coefficients
        case Truth(formula) | Slack(formula):
            parts = boolean_closure([formula]) if isinstance(meaning, Truth) else [formula]
            for part in parts:
                if isinstance(part, PredicateOnCount) and isinstance(meaning, Truth):
                    return ((1, part.count),)
                if isinstance(part, Comparison) and difference(part).coefficients:
                    return difference(part).coefficients
            raise NotDerived(f"{format_briefly(formula)} is neither a comparison of counts nor a predicate")
    raise AssertionError(f"not about counts: {meaning}")


def range_of(term: Term, i: int, n: int) -> tuple[int, int]:
    """Return the least and the greatest value of a sum of multiples of counts at (n, i)."""
    ends = [(number, number * counted_length(count, i, n)) for number, count in term.coefficients]
    return (term.constant + sum(end for number, end in ends if number < 0),
            term.constant + sum(end for number, end in ends if number > 0))


def proportion(total: Term, term: Term) -> Fraction:
    """Return the factor x with term = x * total, up to constants.

    Raises:
        NotDerived: if no such x exists.
    """
    numbers = {count: number for number, count in total.coefficients}
    factors = {Fraction(number, numbers[count]) if count in numbers else None for number, count in term.coefficients}
    factor = factors.pop() if len(factors) == 1 and len(term.coefficients) == len(numbers) else None
    if factor is None:
        raise NotDerived(f"{format_term(term)} is not a multiple of {format_term(total)}")
    return factor
