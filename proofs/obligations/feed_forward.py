"""Feed-forward outputs: what each of them must be, for every truth of what its units read.

A *case* is an assignment of truth values to the formulas whose directions are read, and of a sign to every comparison
that is to be decided. It confines each direction to an interval and demands one number. Cases that agree for several
(n, i) are checked once; ``piecewise.py`` checks them exactly.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from constructions.language.positional import connective, positional_truth
from constructions.language.printer import format_formula
from constructions.language.semantics import RELATIONS
from constructions.language.syntax import (
    And,
    Comparison,
    Count,
    Formula,
    Iff,
    Implies,
    Next,
    Not,
    Or,
    Previous,
    Term,
    difference,
    is_positional,
    operands,
)
from constructions.network.lengths import Lengths
from constructions.network.meanings import Near, Others, Position, Product, Truth
from constructions.network.transformer import Transformer
from proofs.enclosures.feed_forward import Units
from proofs.enclosures.intervals import Interval, point
from proofs.failures import NotDerived
from proofs.obligations.known import KnownValues
from proofs.obligations.lookup import counted_length

MAX_CHOICES = 12
ZERO, ONE = Fraction(0), Fraction(1)
FALSE_BOX = Interval(ZERO, Fraction(1, 4))
TRUE_BOX = Interval(Fraction(3, 4), ONE)
FREE_BOX = Interval(ZERO, ONE)
Bounds = Mapping[str, Interval]
"""For each *others* direction, the proved range of what it holds less the number it is near."""


@dataclass(frozen=True)
class Case:
    """One confinement of the inputs, and the number that the output must be in all of it.

    ``here`` says for each *others* direction whether its count counts this position, ``ranges`` between which integers
    the difference of each comparison lies.
    """

    box: tuple[tuple[str, Interval], ...]
    expected: Fraction
    here: tuple[tuple[str, bool], ...] = ()
    ranges: tuple[tuple[Term, int, int], ...] = ()


@dataclass(frozen=True)
class Counted:
    """An *others* direction: it holds ``count``, less 1 where this position is counted, plus an error."""

    count: Count
    error: Interval


@dataclass(frozen=True)
class FeedForwardObligation:
    """The output ``bias + sum of write * ReLU(reads . h + unit bias)`` equals the expected number in every case."""

    layer: int
    direction: str
    units: Units
    bias: Fraction
    cases: tuple[Case, ...]
    rows: int
    counted: Mapping[str, Counted] = field(default_factory=dict)

    def key(self) -> tuple[object, ...]:
        """Equal up to the names of directions and what is counted."""
        names = {name: k for k, name in enumerate(dict.fromkeys(n for reads, _, _ in self.units for n in reads))}
        counts = {count: k for k, count in enumerate(dict.fromkeys(
            [part.count for part in self.counted.values()]
            + [count for case in self.cases for term, _, _ in case.ranges for _, count in term.coefficients]))}

        def term_key(term: Term) -> tuple[object, ...]:
            return tuple((number, counts[count], count.side) for number, count in term.coefficients), term.constant

        units = tuple((tuple(sorted((names[n], w) for n, w in reads.items())), bias, write)
                      for reads, bias, write in self.units)
        cases = frozenset((tuple(sorted((names[n], interval.lower, interval.upper) for n, interval in case.box)),
                           tuple((names[n], here) for n, here in case.here),
                           tuple((term_key(term), least, most) for term, least, most in case.ranges),
                           case.expected) for case in self.cases)
        counted = tuple((names[n], counts[part.count], part.error) for n, part in self.counted.items())
        return units, self.bias, cases, counted


def oblige_feed_forward(transformer: Transformer, known: KnownValues, lengths: Lengths, layer: int, direction: str,
                        bounds: Bounds) -> FeedForwardObligation:
    """The obligation of one direction written by the feed-forward part of ``layer``.

    Raises:
        NotDerived: if the target is not decided by what the units read, or is only approximate.
    """
    part = transformer.layers[layer - 1].feedforward
    units = tuple((unit.reads, unit.bias, unit.writes[direction]) for unit in part.units_writing(direction))
    derivation = _Derivation(transformer, known, units, direction, bounds)
    cases = dict.fromkeys(case for situation in derivation.situations(lengths) for case in derivation.cases(situation))
    return FeedForwardObligation(layer, direction, units, part.bias.get(direction, ZERO), tuple(cases),
                                 lengths.cells, derivation.counted)


@dataclass
class _Situation:
    """All (n, i) at which the cases are the same but for how far counts go; (i, n) is one of them."""

    i: int
    n: int
    ranges: dict[Term, tuple[int, int]]


class _Derivation:
    def __init__(self, transformer: Transformer, known: KnownValues, units: Units, direction: str, bounds: Bounds):
        self.known = known
        self.meaning = transformer.directions[direction]
        if not isinstance(self.meaning, Position | Truth | Product):
            raise NotDerived(f"a feed-forward layer makes exact values, and this direction is {self.meaning}")
        names = dict.fromkeys(name for reads, _, _ in units for name in reads)
        self.known_names = [name for name in names if name in known]
        self.read: dict[str, Truth | Product | Near] = {}
        self.counted: dict[str, Counted] = {}
        for name in names:
            match transformer.directions[name]:
                case _ if name in known:
                    pass
                case Truth() | Product() | Near() as meaning:
                    self.read[name] = meaning
                case Others(count) if name in bounds:
                    self.counted[name] = Counted(count, bounds[name])
                case meaning:
                    why = "whose bounds are not proved" if isinstance(meaning, Others) else "which units may not read"
                    raise NotDerived(f"a unit reads {name}, {meaning}, {why}")
        self.atoms = list(dict.fromkeys([*(meaning.formula for meaning in self.read.values()),
                                         *(part.count.operand for part in self.counted.values())]))
        self.target = None if isinstance(self.meaning, Position) else self.meaning.formula
        parts = _parts(self._evaluated(), self.atoms)
        self.terms = list(dict.fromkeys(difference(part) for part in parts
                                        if isinstance(part, Comparison) and not is_positional(part)))
        self.decidable = [part for part in dict.fromkeys((*self.atoms, *parts))
                          if isinstance(part, Previous | Next) or is_positional(part)]
        if (choices := len(self.atoms) + len(self.terms)) > MAX_CHOICES:
            raise NotDerived(f"{choices} truth values and signs are free, at most {MAX_CHOICES} are handled")

    def _evaluated(self) -> Iterator[Formula]:
        """The formulas that have to be evaluated besides the atoms."""
        if self.target is not None:
            yield self.target
        yield from (meaning.when for meaning in self.read.values() if isinstance(meaning, Near))

    def situations(self, lengths: Lengths) -> Iterable[_Situation]:
        """What has to be told apart; a difference has its widest range over the (n, i) of a situation.

        A form of the units must be constant on every one of the nested ranges, so on the widest.
        """
        found: dict[tuple[object, ...], _Situation] = {}
        for n, i in lengths.rows():
            situation = found.setdefault(self._key(i, n), _Situation(i, n, {}))
            for term in self.terms:
                least, most = range_of(term, i, n)
                before = situation.ranges.get(term, (least, most))
                situation.ranges[term] = min(before[0], least), max(before[1], most)
        return found.values()

    def _key(self, i: int, n: int) -> tuple[object, ...]:
        """Everything about (n, i) that the cases depend on, but for the ranges."""
        return (tuple(self.known.value(name, i, n) for name in self.known_names),
                tuple(self._edge(formula, i, n) for formula in self.decidable), self._stated_value(i, n))

    def _stated_value(self, i: int, n: int) -> Fraction:
        match self.meaning:
            case Position(value) | Product(value):
                return value.evaluate(i=i, n=n)
        return ONE

    def _edge(self, formula: Formula, i: int, n: int) -> bool | None:
        """The truth of a formula that (n, i) alone decides, else None."""
        if formula not in self.decidable:
            return None
        match formula:
            case Previous():
                return False if i == 1 else None
            case Next():
                return False if i == n else None
        return positional_truth(formula, i, n)

    def cases(self, situation: _Situation) -> Iterator[Case]:
        """Every assignment to the formulas read and to the signs, with what it allows and what it demands."""
        i, n = situation.i, situation.n
        choices = [(False, True) if (edge := self._edge(f, i, n)) is None else (edge,) for f in self.atoms]
        signs = [list(_signed(*situation.ranges[term])) for term in self.terms]
        for truths in itertools.product(*choices):
            for ranges in itertools.product(*signs):
                reading = _Reading(self._edge, dict(zip(self.atoms, truths, strict=True)),
                                   dict(zip(self.terms, map(_sign, ranges), strict=True)), i, n)
                box = [(name, point(self.known.value(name, i, n))) for name in self.known_names]
                box += [(name, reading.interval(meaning)) for name, meaning in self.read.items()]
                yield Case(tuple(box), self._expected(reading),
                           tuple((name, reading.truth(part.count.operand)) for name, part in self.counted.items()),
                           tuple((term, *ends) for term, ends in zip(self.terms, ranges, strict=True)))

    def _expected(self, reading: _Reading) -> Fraction:
        holds = self.target is None or reading.truth(self.target)
        return self._stated_value(reading.i, reading.n) if holds else ZERO


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


@dataclass(frozen=True)
class _Reading:
    """One assignment at one (n, i), and the formulas and directions that it decides."""

    edge: Callable[[Formula, int, int], bool | None]
    atoms: Mapping[Formula, bool]
    signs: Mapping[Term, int]
    i: int
    n: int

    def truth(self, formula: Formula) -> bool:
        """The truth of a formula; raises NotDerived if the assignment does not decide it."""
        if (edge := self.edge(formula, self.i, self.n)) is not None:
            return edge
        if formula in self.atoms:
            return self.atoms[formula]
        match formula:
            case Comparison(relation):
                return RELATIONS[relation](self.signs[difference(formula)], 0)
            case Not() | And() | Or() | Implies() | Iff():
                truth = connective(formula, tuple(map(self.truth, operands(formula))))
                assert truth is not None
                return truth
        raise NotDerived(f"{format_formula(formula)} is not decided by what the units read")

    def interval(self, meaning: Truth | Product | Near) -> Interval:
        """What a direction of this meaning may hold."""
        truth = self.truth(meaning.formula)
        match meaning:
            case Truth():
                return point(Fraction(truth))
            case Product(value):
                return point(value.evaluate(i=self.i, n=self.n) if truth else ZERO)
            case Near(_, when):
                try:
                    guarded = self.truth(when)
                except NotDerived:
                    return FREE_BOX
                return (TRUE_BOX if truth else FALSE_BOX) if guarded else FREE_BOX


def _parts(formulas: Iterable[Formula], atoms: Iterable[Formula]) -> list[Formula]:
    """The formulas met on the way down through connectives, entering no atom."""
    pending, seen = list(formulas), dict[Formula, None]()
    while pending:
        part = pending.pop()
        if part not in seen:
            seen[part] = None
            if part not in atoms and isinstance(part, Not | And | Or | Implies | Iff):
                pending += operands(part)
    return [part for part in seen if part not in atoms]
