"""Feed-forward outputs: exactly the stated value for every truth assignment and every number its inputs may hold.

At (n, i) the inputs are known numbers, exact truths, or approximate ones anywhere in [0, 1/4] or [3/4, 1]. A ReLU whose
input keeps its sign over this box is linear there; if all do, the output is linear and must be constant. Cases that
agree for several (n, i) are checked once.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from constructions.language.printer import format_formula
from constructions.language.syntax import And, Formula, Iff, Implies, Next, Not, Or, Previous, is_positional, operands
from constructions.network.meanings import Near, Position, Truth
from constructions.network.transformer import Row, Transformer, Unit
from proofs.enclosures.intervals import Interval, enclose_form, point
from proofs.failures import NotDerived
from proofs.known import KnownValues, connective, positional_truth

MAX_ATOMS = 12
ZERO, ONE = Fraction(0), Fraction(1)
FALSE_BOX = Interval(ZERO, Fraction(1, 4))
TRUE_BOX = Interval(Fraction(3, 4), ONE)
FREE_BOX = Interval(ZERO, ONE)


@dataclass(frozen=True)
class Case:
    """One box of inputs and the number that the output must be on all of it."""

    box: tuple[tuple[str, Interval], ...]
    expected: Fraction


@dataclass(frozen=True)
class FeedForwardObligation:
    """The output ``bias + sum of write * ReLU(reads . h + unit bias)`` equals the expected number in every case."""

    layer: int
    direction: str
    units: tuple[tuple[Row, Fraction, Fraction], ...]
    bias: Fraction
    cases: tuple[Case, ...]
    rows: int

    def key(self) -> tuple[object, ...]:
        """Equal up to the names of directions."""
        names = {name: k for k, name in enumerate(dict.fromkeys(n for reads, _, _ in self.units for n in reads))}
        units = tuple((tuple(sorted((names[n], w) for n, w in reads.items())), bias, write)
                      for reads, bias, write in self.units)
        cases = frozenset((tuple(sorted((names[n], interval.lower, interval.upper) for n, interval in case.box)),
                           case.expected) for case in self.cases)
        return units, self.bias, cases


def oblige_feed_forward(transformer: Transformer, known: KnownValues, max_n: int, layer: int,
                        direction: str) -> FeedForwardObligation:
    """The obligation of one direction written by the feed-forward part of ``layer``.

    Raises:
        NotDerived: if the target is not decided by what the units read, or is only approximate.
    """
    part = transformer.layers[layer - 1].feedforward
    units = tuple((unit.reads, unit.bias, unit.writes[direction]) for unit in part.units_writing(direction))
    derivation = _Derivation(transformer, known, part.units_writing(direction), direction)
    cases: dict[Case, None] = {}
    seen: set[tuple[object, ...]] = set()
    for n in range(1, max_n + 1):
        for i in range(1, n + 1):
            situation = derivation.situation(i, n)
            if situation not in seen:
                seen.add(situation)
                cases.update(dict.fromkeys(derivation.cases(i, n)))
    return FeedForwardObligation(layer, direction, units, part.bias.get(direction, ZERO), tuple(cases),
                                 max_n * (max_n + 1) // 2)


class _Derivation:
    def __init__(self, transformer: Transformer, known: KnownValues, units: tuple[Unit, ...], direction: str):
        self.known = known
        self.meaning = transformer.directions[direction]
        names = dict.fromkeys(name for unit in units for name in unit.reads)
        self.known_names = [name for name in names if name in known]
        self.read = {name: meaning for name in names
                     if isinstance(meaning := transformer.directions[name], Truth | Near) and name not in known}
        self.opaque = list(dict.fromkeys(meaning.formula for meaning in self.read.values()))
        self.target_parts = _parts(self.meaning.formula, self.opaque) if isinstance(self.meaning, Truth) else []
        self.decidable = [part for part in dict.fromkeys((*self.opaque, *self.target_parts))
                          if isinstance(part, Previous | Next) or is_positional(part)]
        if isinstance(self.meaning, Near):
            raise NotDerived("a feed-forward layer makes exact values, and this direction is stated to be near one")
        if len(self.opaque) > MAX_ATOMS:
            raise NotDerived(f"{len(self.opaque)} truth values are read, at most {MAX_ATOMS} are handled")

    def situation(self, i: int, n: int) -> tuple[object, ...]:
        """Everything about (n, i) that the cases depend on."""
        return (
            tuple(self.known.value(name, i, n) for name in self.known_names),
            tuple(positional_truth(m.when, i, n) for m in self.read.values() if isinstance(m, Near)),
            tuple(self._edge(formula, i, n) for formula in self.decidable),
            self.meaning.value.evaluate(i=i, n=n) if isinstance(self.meaning, Position) else None,
        )

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

    def cases(self, i: int, n: int) -> Iterator[Case]:
        """Every assignment to the formulas read, with the box it allows and the value it demands."""
        choices = [(False, True) if (edge := self._edge(f, i, n)) is None else (edge,) for f in self.opaque]
        for truths in itertools.product(*choices):
            assignment = dict(zip(self.opaque, truths, strict=True))
            box = {name: point(self.known.value(name, i, n)) for name in self.known_names}
            for name, meaning in self.read.items():
                box[name] = _box(meaning, assignment[meaning.formula], i, n)
            yield Case(tuple(box.items()), self._expected(assignment, i, n))

    def _expected(self, assignment: Mapping[Formula, bool], i: int, n: int) -> Fraction:
        match self.meaning:
            case Position(value):
                return value.evaluate(i=i, n=n)
            case Truth(formula):
                return Fraction(self._truth(formula, assignment, i, n))
        raise AssertionError(self.meaning)

    def _truth(self, formula: Formula, assignment: Mapping[Formula, bool], i: int, n: int) -> bool:
        if (edge := self._edge(formula, i, n)) is not None:
            return edge
        if formula in assignment:
            return assignment[formula]
        truth = None
        if isinstance(formula, Not | And | Or | Implies | Iff):
            truth = connective(formula, tuple(self._truth(part, assignment, i, n) for part in operands(formula)))
        if truth is None:
            raise NotDerived(f"{format_formula(formula)} is not decided by what the units read")
        return truth


def _parts(formula: Formula, opaque: list[Formula]) -> list[Formula]:
    """The formulas met on the way down through connectives, entering nothing opaque."""
    pending, seen = [formula], dict[Formula, None]()
    while pending:
        part = pending.pop()
        if part not in seen:
            seen[part] = None
            if part not in opaque and isinstance(part, Not | And | Or | Implies | Iff):
                pending += operands(part)
    return list(seen)


def _box(meaning: Truth | Near, truth: bool, i: int, n: int) -> Interval:
    match meaning:
        case Truth():
            return point(Fraction(truth))
        case Near(_, when):
            return (TRUE_BOX if truth else FALSE_BOX) if positional_truth(when, i, n) else FREE_BOX


# -- discharge ---------------------------------------------------------------------------------------------------------


def check_cases(obligation: FeedForwardObligation) -> None:
    """Prove every case exactly.

    Raises:
        NotDerived: if some case is false or not decided (a unit changes sign over a box in several directions).
    """
    for case in obligation.cases:
        value = enclose_output(obligation.units, obligation.bias, dict(case.box))
        if value != point(case.expected):
            held = ", ".join(f"{name} in [{x.lower}, {x.upper}]" for name, x in case.box)
            raise NotDerived(f"the output lies in [{value.lower}, {value.upper}], expected {case.expected}, for {held}")


def enclose_output(units: tuple[tuple[Row, Fraction, Fraction], ...], bias: Fraction,
                   box: Mapping[str, Interval]) -> Interval:
    """An enclosure of the output over a box, exact where every unit keeps its sign or depends on one free input.

    Units of constant sign are summed as one linear form first, so that opposite slopes cancel.
    """
    constant, slopes, loose = bias, dict[str, Fraction](), point(ZERO)
    for reads, offset, write in units:
        activation = enclose_form(reads, box) + point(offset)
        if activation.upper <= 0:
            continue
        if activation.lower >= 0:
            constant += write * offset
            for name, weight in reads.items():
                slopes[name] = slopes.get(name, ZERO) + write * weight
            continue
        free = [name for name in reads if name in box and not box[name].is_point]
        if len(free) == 1:
            return _split(units, bias, box, free[0], reads, offset)
        loose += Interval(ZERO, activation.upper).scaled(write)
    return enclose_form(slopes, box) + point(constant) + loose


def _split(units: tuple[tuple[Row, Fraction, Fraction], ...], bias: Fraction, box: Mapping[str, Interval], name: str,
           reads: Row, offset: Fraction) -> Interval:
    """The hull of the output over the two halves at the point where the unit's input is 0."""
    rest = enclose_form({k: w for k, w in reads.items() if k != name}, box).lower + offset
    knee = -rest / reads[name]
    halves = [enclose_output(units, bias, {**box, name: part})
              for part in (Interval(box[name].lower, knee), Interval(knee, box[name].upper))]
    return Interval(min(half.lower for half in halves), max(half.upper for half in halves))
