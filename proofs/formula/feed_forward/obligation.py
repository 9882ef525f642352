"""Obligations of feed-forward outputs: the expected value for every assignment to the formulas that hidden units read.

An *input case* assigns truths to atoms (inputs.py), and a sign to every difference of counts that is compared; by value
(counting.py), it is a range of values of one sum of counts. It confines each direction to an interval (a *slack*
direction to 0 or to a half line), and requires one number, or at least that number. Equal cases of several (n, i) are
checked once, by ``proofs.formula.feed_forward.worst_case``.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import ClassVar

from constructions.errors import InputError
from constructions.language.brackets import PositionFunction
from constructions.language.positional import mentions_length, positional_truth, positional_truths, truth_from
from constructions.language.semantics import RELATIONS
from constructions.language.syntax import TRUE, Comparison, Count, Formula, Next, Previous, Term, difference
from constructions.network.assumption import local_directions
from constructions.network.lengths import Lengths
from constructions.network.meanings import ALLOWED_ERROR, Near, Position, Product, Slack, Truth
from constructions.network.transformer import Transformer
from proofs.enclosures.feed_forward import Units
from proofs.enclosures.intervals import Interval, point
from proofs.formula.common.kinds import ObligationKind
from proofs.formula.common.letters import Realizable
from proofs.formula.common.word_independent import KnownValues
from proofs.formula.failures import NotDerived
from proofs.formula.feed_forward.inputs import Choices, ReadDirections, check_slack, find_choices, sort_inputs, unfolded

ZERO, ONE = Fraction(0), Fraction(1)
NOTHING, NO_ERROR = Term((), 0), point(ZERO)
FALSE_BOX = Interval(ZERO, ALLOWED_ERROR)
TRUE_BOX = Interval(ONE - ALLOWED_ERROR, ONE)
FREE_BOX = Interval(ZERO, ONE)


@dataclass(frozen=True)
class InputCase:
    """A box of inputs, and the expected output on all of it, or a lower bound of it if ``or_more``.

    The directions of ``slack`` hold 0 or, if False, any number from 1 on. Means and averages in the box are over
    ``positions``. If counts are read, ``values`` has the least and the greatest value of the obligation's sum.
    """

    box: tuple[tuple[str, Interval], ...]
    expected: Fraction
    slack: tuple[tuple[str, bool], ...] = ()
    or_more: bool = False
    positions: int = 0
    values: tuple[int, int] | None = None


@dataclass(frozen=True)
class CountSum:
    """A direction that holds counts: the sum of the ``parts`` (counts and truths at the position) and an error.

    An *others* direction holds its count, minus the truth of the counted formula, to within its error.
    """

    parts: tuple[tuple[Count | Formula, int], ...]
    error: Interval = NO_ERROR


@dataclass(frozen=True)
class FeedForwardObligation:
    """The output ``bias + sum of write * ReLU(reads . h + unit bias)`` is as expected on the box of each case.

    The part of a form that reads ``counted`` directions must be a multiple of ``total``.
    """

    kind: ClassVar[ObligationKind] = ObligationKind.FEED_FORWARD
    place: ClassVar[int] = 0
    source: ClassVar[str] = ""
    layer: int
    direction: str
    units: Units
    bias: Fraction
    cases: tuple[InputCase, ...]
    lengths: Lengths
    counted: Mapping[str, CountSum] = field(default_factory=dict)
    total: Term = NOTHING
    numbers: frozenset[str] = frozenset()
    """The inputs that hold functions of the position, everywhere or where a formula holds."""

    def key(self) -> tuple[object, ...]:
        """Return a key that is equal for obligations equal up to the names of directions and counted formulas."""
        names = {name: k for k, name in enumerate(dict.fromkeys(n for reads, _, _ in self.units for n in reads))}
        parts = {part: k for k, part in enumerate(self.parts())}
        units = tuple((tuple(sorted((names[n], w) for n, w in reads.items())), bias, write)
                      for reads, bias, write in self.units)
        cases = frozenset(_case_key(case, names) for case in self.cases)
        counted = tuple((names[n], tuple((parts[part], number) for part, number in each.parts), each.error)
                        for n, each in self.counted.items())
        total = tuple((number, parts[count]) for number, count in self.total.coefficients)
        return self.lengths, units, self.bias, cases, counted, total

    @property
    def rows(self) -> int:
        """The number of (n, i) that are checked."""
        return self.lengths.cells

    def parts(self) -> list[Count | Formula]:
        """Return the counts and truths in counted directions and in the total, each once."""
        read = [part for each in self.counted.values() for part, _ in each.parts]
        return list(dict.fromkeys([*read, *(count for _, count in self.total.coefficients)]))


def _case_key(case: InputCase, names: Mapping[str, int]) -> tuple[object, ...]:
    """Return the case with numbers in place of names."""
    box = tuple(sorted((names[n], interval.lower, interval.upper) for n, interval in case.box))
    slack = tuple(sorted((names[n], holds) for n, holds in case.slack))
    return box, slack, case.expected, case.or_more, case.values


def oblige_feed_forward(transformer: Transformer, known: KnownValues, lengths: Lengths, layer: int, direction: str,
                        apart: bool = False) -> FeedForwardObligation:
    """Return the obligation of one direction written by the feed-forward block of ``layer``.

    With ``apart``, formulas that are read are decided by their leaves, which have the truths that some symbol allows.

    Source      docs/background/obligations.md, feed-forward output.

    Raises:
        NotDerived: if the direction has a meaning that units cannot make exact, or reads one without a rule, or there
            are too many free truths and signs.
    """
    part = transformer.layers[layer - 1].feedforward
    units = tuple((unit.reads, unit.bias, unit.writes[direction]) for unit in part.units_writing(direction))
    meaning = transformer.directions[direction]
    if not isinstance(meaning, Position | Truth | Product | Slack):
        raise NotDerived(f"a feed-forward layer makes exact values, and this direction is {meaning}")
    read = {name: transformer.directions[name] for reads, _, _ in units for name in reads}
    inputs = sort_inputs(transformer.directions, known, units)
    check_slack([meaning, *inputs.slack.values()])
    stated, meaning = meaning, unfolded(meaning, inputs)
    given = transformer.given if direction in local_directions(transformer) else TRUE
    choices = find_choices(meaning, inputs, given, apart)
    may_occur = Realizable(choices.atoms if apart else (), transformer.alphabet)
    derivation = _OutputDerivation(known, meaning, inputs, choices, may_occur, given)
    key = "cases", stated, *read.items(), given, apart, transformer.alphabet
    cases: list[list[InputCase]] = [known.once((*key, numbers), partial(list, derivation.cases(i, n)))
                                    for numbers, (i, n) in derivation.representatives(lengths).items()]
    return FeedForwardObligation(layer, direction, units, part.bias.get(direction, ZERO),
                                 tuple(dict.fromkeys(itertools.chain(*cases))), lengths, numbers=inputs.numbers())


@dataclass(frozen=True)
class _OutputDerivation:
    known: KnownValues
    meaning: Position | Truth | Product | Slack
    inputs: ReadDirections
    choices: Choices
    may_occur: Realizable
    given: Formula

    def representatives(self, lengths: Lengths) -> Mapping[tuple[object, ...], tuple[int, int]]:
        """Return one (i, n) for each set of rows with the same cases, by the data that these depend on.

        If none of these mentions n, the rows of the last length represent all.
        """
        found: dict[tuple[object, ...], tuple[int, int]] = {}
        for n in lengths if self._mentions_n() else [lengths.last]:
            for i, key in enumerate(self._keys(n), start=1):
                found.setdefault(key, (i, n))
        return found

    def _mentions_n(self) -> bool:
        """Return whether ``_keys`` may differ at one i for several n."""
        return (self.known.mentions_n(dict.fromkeys(self.inputs.known, ONE))
                or any(isinstance(formula, Next) or mentions_length(formula)
                       for formula in self.choices.placed)
                or any(value.mentions_n for value in self._values()))

    def _values(self) -> list[PositionFunction]:
        """Return the position functions of the output and of the inputs."""
        meanings = (self.meaning, *self.inputs.by_truth.values())
        return [meaning.value for meaning in meanings if isinstance(meaning, Position | Product)]

    def _keys(self, n: int) -> Iterator[tuple[object, ...]]:
        """Yield, for i = 1, ..., n, all data of (n, i) that the cases depend on."""
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

    def cases(self, i: int, n: int) -> Iterator[InputCase]:
        """Yield the case of every assignment of free truths and signs under which ``given`` holds."""
        placed = {formula: truth for formula in self.choices.placed
                  if (truth := find_truth_at(formula, i, n)) is not None}
        truths = [(placed[atom],) if atom in placed else (False, True) for atom in self.choices.atoms]
        for chosen in filter(self.may_occur.allows, itertools.product(*truths)):
            for signs in itertools.product((-1, 0, 1), repeat=len(self.choices.terms)):
                atoms = dict(zip(self.choices.atoms, chosen, strict=True))
                assignment = _Assignment(atoms | placed, dict(zip(self.choices.terms, signs, strict=True)))
                if assignment.truth(self.given):
                    yield self._case(assignment, i, n)

    def _case(self, assignment: _Assignment, i: int, n: int) -> InputCase:
        box = [(name, point(self.known.value(name, i, n))) for name in self.inputs.known]
        box += [(name, _allowed(meaning, assignment, i, n)) for name, meaning in self.inputs.by_truth.items()]
        holds = isinstance(self.meaning, Position) or assignment.truth(self.meaning.formula)
        is_slack = isinstance(self.meaning, Slack)
        return InputCase(tuple(box), self._stated_value(i, n) if holds is not is_slack else ZERO,
                         tuple((name, assignment.truth(slack.formula)) for name, slack in self.inputs.slack.items()),
                         or_more=is_slack and not holds)


def _defined_values(value: PositionFunction, positions: range, n: int) -> Sequence[Fraction]:
    """Return the values; 0 where undefined, which is allowed where the formula of a product does not hold."""
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
    """Return the truth at (n, i) of ``prev``, ``next`` or a positional formula, if (n, i) decides it."""
    match formula:
        case Previous():
            return False if i == 1 else None
        case Next():
            return False if i == n else None
    return positional_truth(formula, i, n)


def _find_truths_at(formula: Formula, n: int) -> Sequence[bool | None]:
    """Return ``find_truth_at`` for i = 1, ..., n."""
    if isinstance(formula, Previous | Next):
        return [find_truth_at(formula, i, n) for i in range(1, n + 1)]
    return positional_truths(formula, range(1, n + 1), n)


@dataclass(frozen=True)
class _Assignment:
    """The truths of the atoms and of formulas that the position decides, and the sign of each difference."""

    truths: Mapping[Formula, bool]
    signs: Mapping[Term, int]

    def truth(self, formula: Formula) -> bool:
        """Return the truth of a formula over the atoms."""
        return truth_from(formula, self._known)

    def _known(self, formula: Formula) -> bool | None:
        if isinstance(formula, Comparison) and formula not in self.truths:
            return RELATIONS[formula.relation](self.signs[difference(formula)], 0)
        return self.truths.get(formula)


def _allowed(meaning: Truth | Product | Near, assignment: _Assignment, i: int, n: int) -> Interval:
    """Return the interval of a direction of this meaning."""
    truth = assignment.truth(meaning.formula)
    match meaning:
        case Truth():
            return point(Fraction(truth))
        case Product(value):
            return point(value.evaluate(i=i, n=n) if truth else ZERO)
        case Near(_, when) if assignment.truth(when):
            return TRUE_BOX if truth else FALSE_BOX
    return FREE_BOX
