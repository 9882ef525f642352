"""Feed-forward outputs: what each of them must be, for every truth of what its units read.

An *input case* is an assignment of truth values to the formulas whose directions are read and to those that nothing
read decides, and of a sign to every difference of counts that is compared. It confines each direction to an interval
(a *slack* direction to 0 or to a half line) and demands one number, or at least that number. Cases that agree for
several (n, i) are checked once, by ``proofs.formula.feed_forward.worst_case``.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

from constructions.errors import InputError
from constructions.language.brackets import PositionFunction
from constructions.language.positional import mentions_length, positional_truth, positional_truths, truth_from
from constructions.language.semantics import RELATIONS, counted_length
from constructions.language.syntax import Comparison, Count, Formula, Next, Previous, Term, difference
from constructions.network.lengths import Lengths
from constructions.network.meanings import ALLOWED_ERROR, Near, Position, Product, Slack, Truth
from constructions.network.transformer import Transformer
from proofs.enclosures.feed_forward import Units
from proofs.enclosures.intervals import Interval, point
from proofs.formula.common.kinds import Kind
from proofs.formula.common.known import KnownValues
from proofs.formula.common.letters import Realizable
from proofs.formula.failures import NotDerived
from proofs.formula.feed_forward.inputs import (
    Bounds,
    Choices,
    Counted,
    Inputs,
    check_slack,
    find_choices,
    sort_inputs,
    unfolded,
)

ZERO, ONE = Fraction(0), Fraction(1)
FALSE_BOX = Interval(ZERO, ALLOWED_ERROR)
TRUE_BOX = Interval(ONE - ALLOWED_ERROR, ONE)
FREE_BOX = Interval(ZERO, ONE)


@dataclass(frozen=True)
class InputCase:
    """One confinement of the inputs, and the number that the output must be in all of it.

    ``here`` says for each *others* direction whether its count counts this position, ``ranges`` between which integers
    the difference of each comparison lies. The directions of ``slack`` hold 0 or, where it says False, any number from
    1 on. ``or_more`` says that any greater number will do as output, too. A mean or an average in the box is over
    ``looked_at`` positions.
    """

    box: tuple[tuple[str, Interval], ...]
    expected: Fraction
    here: tuple[tuple[str, bool], ...] = ()
    ranges: tuple[tuple[Term, int, int], ...] = ()
    slack: tuple[tuple[str, bool], ...] = ()
    or_more: bool = False
    looked_at: int = 0


@dataclass(frozen=True)
class FeedForwardObligation:
    """The output ``bias + sum of write * ReLU(reads . h + unit bias)`` is as each case expects in all of it.

    Counts are those at a position of a word of one of the ``lengths``.
    """

    kind: ClassVar[Kind] = Kind.FEED_FORWARD
    place: ClassVar[int] = 0
    source: ClassVar[str] = ""
    layer: int
    direction: str
    units: Units
    bias: Fraction
    cases: tuple[InputCase, ...]
    lengths: Lengths
    counted: Mapping[str, Counted] = field(default_factory=dict)
    numbers: frozenset[str] = frozenset()
    """The inputs that hold numbers of the position, everywhere or where a formula holds."""

    def key(self) -> tuple[object, ...]:
        """Equal up to the names of directions and what is counted."""
        names = {name: k for k, name in enumerate(dict.fromkeys(n for reads, _, _ in self.units for n in reads))}
        counts = {count: k for k, count in enumerate(self.counts())}
        units = tuple((tuple(sorted((names[n], w) for n, w in reads.items())), bias, write)
                      for reads, bias, write in self.units)
        cases = frozenset(_case_key(case, names, counts) for case in self.cases)
        counted = tuple((names[n], counts[part.count], part.error, part.whole) for n, part in self.counted.items())
        return self.lengths, units, self.bias, cases, counted

    @property
    def rows(self) -> int:
        """The number of (n, i) that are checked."""
        return self.lengths.cells

    def counts(self) -> list[Count]:
        """The counts that units read and those that the compared terms mention, each once."""
        read = [part.count for part in self.counted.values()]
        compared = [count for case in self.cases for term, _, _ in case.ranges for _, count in term.coefficients]
        return list(dict.fromkeys(read + compared))


def _case_key(case: InputCase, names: Mapping[str, int], counts: Mapping[Count, int]) -> tuple[object, ...]:
    """The case with numbers in place of names and counts."""
    box = tuple(sorted((names[n], interval.lower, interval.upper) for n, interval in case.box))
    here = tuple((names[n], counted) for n, counted in case.here)
    ranges = tuple((tuple((number, counts[count], count.side) for number, count in term.coefficients), term.constant,
                    least, most) for term, least, most in case.ranges)
    slack = tuple(sorted((names[n], holds) for n, holds in case.slack))
    return box, here, ranges, slack, case.expected, case.or_more


def oblige_feed_forward(transformer: Transformer, known: KnownValues, lengths: Lengths, layer: int, direction: str,
                        bounds: Bounds, apart: bool = False) -> FeedForwardObligation:
    """The obligation of one direction written by the feed-forward part of ``layer``.

    Taken ``apart``, formulas that are read are free only as far as their parts are, and these as symbols let them be.

    Source      docs/certificate.md, section 5, feed-forward output.

    Raises:
        NotDerived: if the direction or what the units read is only approximate, or too much is free.
    """
    part = transformer.layers[layer - 1].feedforward
    units = tuple((unit.reads, unit.bias, unit.writes[direction]) for unit in part.units_writing(direction))
    meaning = transformer.directions[direction]
    if not isinstance(meaning, Position | Truth | Product | Slack):
        raise NotDerived(f"a feed-forward layer makes exact values, and this direction is {meaning}")
    inputs = sort_inputs(transformer.directions, known, units, bounds)
    check_slack([meaning, *inputs.slack.values()])
    meaning = unfolded(meaning, inputs)
    choices = find_choices(meaning, inputs, apart)
    may_occur = Realizable(choices.atoms if apart else (), transformer.alphabet)
    derivation = _Derivation(known, meaning, inputs, choices, may_occur)
    cases = dict.fromkeys(case for situation in derivation.situations(lengths) for case in derivation.cases(situation))
    return FeedForwardObligation(layer, direction, units, part.bias.get(direction, ZERO), tuple(cases),
                                 lengths, inputs.counted, inputs.numbers())


@dataclass
class _Situation:
    """All (n, i) at which the cases are the same but for how far counts go; (i, n) is one of them."""

    i: int
    n: int
    ranges: dict[Term, tuple[int, int]]


@dataclass(frozen=True)
class _Derivation:
    known: KnownValues
    meaning: Position | Truth | Product | Slack
    inputs: Inputs
    choices: Choices
    may_occur: Realizable

    def situations(self, lengths: Lengths) -> Iterable[_Situation]:
        """What has to be told apart; a difference has its widest range over the (n, i) of a situation.

        A form of the units must be constant on every one of the nested ranges, so on the widest. Where nothing that
        tells situations apart mentions n, the situation of i at one length is that at every other, and the ranges are
        widest at the last: the more positions a count looks at, the wider.
        """
        found: dict[tuple[object, ...], _Situation] = {}
        if not self._mentions_n():
            for i, key in enumerate(self._keys(lengths.last), start=1):
                situation = found.setdefault(key, _Situation(i, max(i, lengths.first), {}))
                self._widen(situation, i, lengths.last)
            return found.values()
        for n in lengths:
            for i, key in enumerate(self._keys(n), start=1):
                self._widen(found.setdefault(key, _Situation(i, n, {})), i, n)
        return found.values()

    def _widen(self, situation: _Situation, i: int, n: int) -> None:
        """Let the situation have the ranges of (n, i), too."""
        for term in self.choices.terms:
            least, most = range_of(term, i, n)
            before = situation.ranges.get(term, (least, most))
            situation.ranges[term] = min(before[0], least), max(before[1], most)

    def _mentions_n(self) -> bool:
        """Whether ``_keys`` may differ at one i for several n."""
        return (self.known.mentions_n(dict.fromkeys(self.inputs.known, ONE))
                or any(isinstance(formula, Next) or mentions_length(formula)
                       for formula in self.choices.placed)
                or any(value.mentions_n for value in self._values()))

    def _values(self) -> list[PositionFunction]:
        """The position functions that the output and the inputs are where a formula holds."""
        meanings = (self.meaning, *self.inputs.by_truth.values())
        return [meaning.value for meaning in meanings if isinstance(meaning, Position | Product)]

    def _keys(self, n: int) -> Iterator[tuple[object, ...]]:
        """For i = 1, ..., n everything about (n, i) that the cases depend on, but for the ranges."""
        positions = range(1, n + 1)
        columns: list[Sequence[Fraction]] = [self.known.column(name, n) for name in self.inputs.known]
        columns += [_defined_values(value, positions, n) for value in self._values()]
        numbers = [[x.numerator for x in column] for column in columns]
        numbers += [[x.denominator for x in column] for column in columns]  # integers have quicker hashes
        truths = [_find_truths_at(formula, n) for formula in self.choices.placed]
        return zip(*numbers, *truths, strict=True) if numbers or truths else itertools.repeat((), n)

    def _stated_value(self, i: int, n: int) -> Fraction:
        match self.meaning:
            case Position(value) | Product(value):
                return value.evaluate(i=i, n=n)
        return ONE

    def cases(self, situation: _Situation) -> Iterator[InputCase]:
        """Every assignment to what is free, with what it allows and what it demands."""
        i, n = situation.i, situation.n
        placed = {formula: truth for formula in self.choices.placed
                  if (truth := find_truth_at(formula, i, n)) is not None}
        truths = [(placed[atom],) if atom in placed else (False, True) for atom in self.choices.atoms]
        signs = [list(_signed(*situation.ranges[term])) for term in self.choices.terms]
        for chosen in filter(self.may_occur.allows, itertools.product(*truths)):
            for ranges in itertools.product(*signs):
                atoms = dict(zip(self.choices.atoms, chosen, strict=True))
                yield self._case(_Assignment(atoms | placed, dict(zip(self.choices.terms, ranges, strict=True))), i, n)

    def _case(self, assignment: _Assignment, i: int, n: int) -> InputCase:
        box = [(name, point(self.known.value(name, i, n))) for name in self.inputs.known]
        box += [(name, _allowed(meaning, assignment, i, n)) for name, meaning in self.inputs.by_truth.items()]
        holds = isinstance(self.meaning, Position) or assignment.truth(self.meaning.formula)
        is_slack = isinstance(self.meaning, Slack)
        return InputCase(tuple(box), self._stated_value(i, n) if holds is not is_slack else ZERO,
                         tuple((name, not part.whole and assignment.truth(part.count.operand))
                               for name, part in self.inputs.counted.items()),
                         tuple((term, *ends) for term, ends in assignment.ranges.items()),
                         tuple((name, assignment.truth(slack.formula)) for name, slack in self.inputs.slack.items()),
                         or_more=is_slack and not holds)


def _defined_values(value: PositionFunction, positions: range, n: int) -> Sequence[Fraction]:
    """The values; 0 where there is none, as there may be where the formula beside it does not hold."""
    try:
        return value.column(positions, n)
    except InputError:
        return [_value_or_zero(value, i, n) for i in positions]


def _value_or_zero(value: PositionFunction, i: int, n: int) -> Fraction:
    try:
        return value.evaluate(i=i, n=n)
    except InputError:
        return ZERO


def find_truth_at(formula: Formula, i: int, n: int) -> bool | None:
    """The truth at (n, i) of ``prev``, ``next`` or a positional formula, if (n, i) decides it."""
    match formula:
        case Previous():
            return False if i == 1 else None
        case Next():
            return False if i == n else None
    return positional_truth(formula, i, n)


def _find_truths_at(formula: Formula, n: int) -> Sequence[bool | None]:
    """The same at i = 1, ..., n."""
    if isinstance(formula, Previous | Next):
        return [find_truth_at(formula, i, n) for i in range(1, n + 1)]
    return positional_truths(formula, range(1, n + 1), n)


@dataclass(frozen=True)
class _Assignment:
    """The truths of the atoms and of what the position decides, and between which integers each difference lies."""

    truths: Mapping[Formula, bool]
    ranges: Mapping[Term, tuple[int, int]]

    def truth(self, formula: Formula) -> bool:
        """The truth of a formula over the atoms."""
        return truth_from(formula, self._known)

    def _known(self, formula: Formula) -> bool | None:
        if isinstance(formula, Comparison) and formula not in self.truths:
            return RELATIONS[formula.relation](_sign(self.ranges[difference(formula)]), 0)
        return self.truths.get(formula)


def _allowed(meaning: Truth | Product | Near, assignment: _Assignment, i: int, n: int) -> Interval:
    """What a direction of this meaning may hold."""
    truth = assignment.truth(meaning.formula)
    match meaning:
        case Truth():
            return point(Fraction(truth))
        case Product(value):
            return point(value.evaluate(i=i, n=n) if truth else ZERO)
        case Near(_, when) if assignment.truth(when):
            return TRUE_BOX if truth else FALSE_BOX
    return FREE_BOX


def _signed(least: int, most: int) -> Iterator[tuple[int, int]]:
    """The negative part of a range of integers, 0, and the positive part, as far as they exist.

    >>> list(_signed(-3, 1)), list(_signed(0, 0))
    ([(-3, -1), (0, 0), (1, 1)], [(0, 0)])
    """
    if least < 0:
        yield least, min(most, -1)
    if least <= 0 <= most:
        yield 0, 0
    if most > 0:
        yield max(least, 1), most


def _sign(ends: tuple[int, int]) -> int:
    return (ends[0] > 0) - (ends[1] < 0)


def range_of(term: Term, i: int, n: int) -> tuple[int, int]:
    """The least and the greatest number that a sum of multiples of counts may be at (n, i)."""
    ends = [(number, number * counted_length(count, i, n)) for number, count in term.coefficients]
    return (term.constant + sum(end for number, end in ends if number < 0),
            term.constant + sum(end for number, end in ends if number > 0))
