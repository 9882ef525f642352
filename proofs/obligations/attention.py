"""What one attention head must satisfy, derived from its weights and the meanings it reads and writes.

The head's Boolean inputs are left free (idea "Composition" of DESIGN: every word gives some assignment). What remains
of the network is a list of *sweeps*: sequences of positions, each offering a few options (scaled score, value, effect
on the target's automaton), and the rows (n, i) to be checked along the way.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from constructions.language.positional import positional_truth
from constructions.language.printer import format_formula
from constructions.language.syntax import Formula, is_positional, is_symbolic
from constructions.network.lengths import Lengths
from constructions.network.meanings import ALLOWED_ERROR, Near, Truth
from constructions.network.transformer import Coefficients, Head, Mask, Transformer, Weighting
from proofs.failures import NotDerived
from proofs.obligations.composition import symbolic_truth
from proofs.obligations.kinds import Kind
from proofs.obligations.known import KnownValues
from proofs.obligations.targets import Assignment, Target, build_target

ZERO = Fraction(0)
MOST_OFFERS = 200_000
"""What so many different positions offer is remembered."""


@dataclass(frozen=True)
class Letter:
    """What an assignment to the atoms adds to the keys and to the value, and its effect on the target's automaton.

    ``effect[memory]`` is 2 * next memory + truth of the target.
    """

    keys: tuple[Fraction, ...]
    value: Fraction
    effect: tuple[int, ...]


@dataclass(frozen=True)
class Option:
    """One letter as the worst case sees it: scaled score, value and effect; several letters may give the same."""

    score: Fraction
    value: Fraction
    effect: tuple[int, ...]


@dataclass(frozen=True)
class Step:
    """Position ``j`` of a sweep: its options, and which of them each letter gives, in the order of ``letters``.

    Of one ``KnownSteps``, steps have the same ``number`` iff they have the same options, and the same ``shape`` iff
    they agree in everything but the scores.
    """

    j: int
    options: tuple[Option, ...]
    choices: tuple[int, ...]
    number: int
    shape: int


@dataclass(frozen=True)
class Sweep:
    """Positions in reading order, and the rows i at which the target must be approximated, each after its own step."""

    n: int
    steps: tuple[Step, ...]
    rows: frozenset[int]

    def key(self) -> tuple[object, ...]:
        """Equal for sweeps that are the same problem, whatever n and the formulas are called."""
        checked = tuple(place for place, step in enumerate(self.steps) if step.j in self.rows)
        return (tuple(step.number for step in self.steps), checked)


@dataclass(frozen=True)
class AttentionObligation:
    """Every weighted mean of the head's values is near the truth of the target, at all rows of all sweeps.

    ``allowed_error`` says how near; ``letters`` are the assignments to the target's atoms that may occur at a position.
    """

    kind: ClassVar[Kind] = Kind.ATTENTION
    layer: int
    place: int
    head: Head
    direction: str
    meaning: Near
    target: Target
    letters: tuple[Assignment, ...]
    sweeps: tuple[Sweep, ...]
    allowed_error: Fraction

    def key(self) -> tuple[object, ...]:
        """Equal up to n and the names of formulas."""
        return self.allowed_error, *dict.fromkeys(sweep.key() for sweep in self.sweeps)

    def distinct_sweeps(self) -> list[Sweep]:
        """The sweeps, each problem once: where nothing depends on n, a row is the same problem for every n."""
        return list({sweep.key(): sweep for sweep in reversed(self.sweeps)}.values())[::-1]

    @property
    def aim(self) -> str:
        """What the head approximates, in words."""
        return format_formula(self.meaning.formula)

    @property
    def source(self) -> str:
        """The statement that the head names."""
        return self.head.source

    @property
    def rows(self) -> int:
        """The number of (n, i) that are checked."""
        return sum(len(sweep.rows) for sweep in self.sweeps)


def oblige_attention(transformer: Transformer, known: KnownValues, lengths: Lengths, layer: int, place: int, head: Head,
                     direction: str, allowed_error: Fraction = ALLOWED_ERROR,
                     steps: KnownSteps | None = None) -> AttentionObligation:
    """The obligation of one written direction that means ``near χ when G``, and errs by no more than is allowed.

    Its key is compared with those of obligations that were given the same ``steps``.

    Raises:
        NotDerived: if the rules of docs/certificate.md, section 5, do not cover the head.
    """
    meaning = transformer.directions[direction]
    assert isinstance(meaning, Near)
    derivation = _Derivation(transformer, known, lengths, head, head.values[direction], meaning, steps or KnownSteps())
    return AttentionObligation(layer, place, head, direction, meaning, derivation.target, derivation.letters,
                               tuple(derivation.sweeps()), allowed_error)


class _Derivation:
    def __init__(self, transformer: Transformer, known: KnownValues, lengths: Lengths, head: Head, value: Coefficients,
                 meaning: Near, steps: KnownSteps):
        self.known = known
        self.steps = steps
        self.lengths = lengths
        self.head = head
        self.value = value
        self.when = meaning.when
        if head.weighting is not Weighting.SOFTMAX:
            raise NotDerived(f"weighting {head.weighting.value}: only softmax is certified")
        for row in head.queries:
            for name in row:
                if name not in known:
                    raise NotDerived(f"a query reads {name}, which depends on the word")
        if not is_positional(self.when):
            raise NotDerived(f"{format_formula(self.when)} depends on the word, and the head does not look up a count")
        self.read = self._truths_read(transformer)
        self.target = build_target(meaning.formula, self.read.values())
        if (head.mask is not Mask.FUTURE) if self.target.past else (head.mask is not Mask.PAST):
            raise NotDerived(f"mask {head.mask.value}: {format_formula(meaning.formula)} needs mask "
                             + ("future" if self.target.past else "past"))
        self._positions: dict[tuple[int, int], tuple[tuple[Fraction, ...], Fraction, tuple[Letter, ...]]] = {}
        self.letters = realizable(self.target.atoms, transformer.alphabet)
        self._letters: dict[tuple[bool, ...], tuple[Letter, ...]] = {}

    def _truths_read(self, transformer: Transformer) -> dict[str, Formula]:
        read = {}
        for name in dict.fromkeys(name for row in (*self.head.keys, self.value) for name in row):
            match transformer.directions[name]:
                case _ if name in self.known:
                    pass
                case Truth(formula):
                    read[name] = formula
                case meaning:
                    raise NotDerived(f"a key or value reads {name}, {meaning}: only exact directions may be read")
        return read

    def sweeps(self) -> Iterator[Sweep]:
        """The sweeps of all n; rows that share the scaled query share a sweep."""
        for n in self.lengths:
            for j in range(1, n + 1):
                self._check_range(j, n)
            rows_by_query: dict[tuple[Fraction, ...], list[int]] = {}
            for i in range(1, n + 1):
                query = self._scaled_query(i, n)
                if positional_truth(self.when, i, n):
                    rows_by_query.setdefault(query, []).append(i)
            for query, rows in rows_by_query.items():
                yield Sweep(n, tuple(self._step(query, j, n) for j in self._reading_order(rows, n)), frozenset(rows))

    def _reading_order(self, rows: list[int], n: int) -> range:
        return range(1, max(rows) + 1) if self.target.past else range(n, min(rows) - 1, -1)

    def _scaled_query(self, i: int, n: int) -> tuple[Fraction, ...]:
        temperature = self.head.temperature.evaluate(i=i, n=n)
        return tuple(self.known.form(row, i, n) / temperature for row in self.head.queries)

    def _check_range(self, j: int, n: int) -> None:
        """Every value is in [0, 1], also where only rows outside the guard see it: then so is every weighted mean."""
        _, base_value, letters = self._position(j, n)
        for letter in letters:
            if not 0 <= base_value + letter.value <= 1:
                raise NotDerived(f"a value is {base_value + letter.value} at position {j} of n = {n}, "
                                 "expected a number of [0, 1]")

    def _step(self, query: tuple[Fraction, ...], j: int, n: int) -> Step:
        return Step(j, *self.steps.offer(query, *self._position(j, n)))

    def _position(self, j: int, n: int) -> tuple[tuple[Fraction, ...], Fraction, tuple[Letter, ...]]:
        """What position j offers whatever the query: known parts of keys and value, and the letters."""
        if (j, n) not in self._positions:
            self._positions[j, n] = (
                tuple(self.known.form(row, j, n) for row in self.head.keys), self.known.form(self.value, j, n),
                self._letters_at(j, n))
        return self._positions[j, n]

    def _letters_at(self, j: int, n: int) -> tuple[Letter, ...]:
        """What every letter does at position j."""
        target = self.target
        context = tuple(positional_truth(predicate, j, n) for predicate in target.predicates)
        if context not in self._letters:
            self._letters[context] = tuple(self._letter(a, j, n) for a in self.letters)
        return self._letters[context]

    def _letter(self, assignment: Assignment, j: int, n: int) -> Letter:
        truths = {name: Fraction(self.target.read_truth(formula, assignment, j, n))
                  for name, formula in self.read.items()}
        steps = [self.target.step(before, assignment, j, n) for before in range(1 << len(self.target.remembering))]
        return Letter(tuple(_truth_part(row, truths) for row in self.head.keys), _truth_part(self.value, truths),
                      tuple(2 * memory + truth for memory, truth in steps))


Offer = tuple[tuple[Option, ...], tuple[int, ...], int, int]
"""All of a step but its position."""


class KnownSteps:
    """What positions offer, worked out once and numbered: equal options have equal numbers.

    Numbers of different objects of this class mean nothing to each other: obligations whose keys are compared share
    one.
    """

    def __init__(self) -> None:
        """Nothing is known yet."""
        self._numbers: dict[object, int] = {}
        self._offers: dict[object, Offer] = {}

    def offer(self, query: tuple[Fraction, ...], base: tuple[Fraction, ...], base_value: Fraction,
              letters: tuple[Letter, ...]) -> Offer:
        """What a position offers to a query; equal heads share the work."""
        key = (query, base, base_value, letters)
        if key not in self._offers:
            if len(self._offers) == MOST_OFFERS:
                self._offers.clear()  # its numbers stay, so that nothing but time is lost
            self._offers[key] = self._build(query, base, base_value, letters)
        return self._offers[key]

    def _build(self, query: tuple[Fraction, ...], base: tuple[Fraction, ...], base_value: Fraction,
               letters: tuple[Letter, ...]) -> Offer:
        options: dict[Option, int] = {}
        choices = []
        for letter in letters:
            score = sum((q * (known + truth) for q, known, truth in zip(query, base, letter.keys, strict=True)), ZERO)
            option = Option(score, base_value + letter.value, letter.effect)
            choices.append(options.setdefault(option, len(options)))
        listed = tuple(options)
        shape = (tuple(choices), tuple((option.value, option.effect) for option in listed))
        return listed, tuple(choices), self._number(listed), self._number(shape)

    def _number(self, what: object) -> int:
        """The same number for equal things, different ones for different things."""
        return self._numbers.setdefault(what, len(self._numbers))


def assignments(atoms: int) -> list[Assignment]:
    """All truth assignments to so many atoms, in one fixed order."""
    return list(itertools.product((False, True), repeat=atoms))


def spread(letters: Sequence[Assignment], values: Sequence[int]) -> list[int]:
    """The value of each of all assignments, in their order: that of the letter, and 0 where there is none."""
    by_letter = dict(zip(letters, values, strict=True))
    return [by_letter.get(assignment, 0) for assignment in assignments(len(letters[0]))]


def realizable(atoms: Sequence[Formula], alphabet: Sequence[str]) -> tuple[Assignment, ...]:
    """The assignments in which the atoms over symbols alone have the truths that one symbol gives them.

    >>> from constructions.language.syntax import Symbol
    >>> realizable([Symbol("a"), Symbol("b")], "ab")
    ((False, True), (True, False))
    """
    symbolic = [place for place, atom in enumerate(atoms) if is_symbolic(atom)]
    given = {tuple(symbolic_truth(atoms[place], symbol) for place in symbolic) for symbol in alphabet}
    return tuple(a for a in assignments(len(atoms)) if tuple(a[place] for place in symbolic) in given)


def _truth_part(row: Coefficients, truths: dict[str, Fraction]) -> Fraction:
    return sum((weight * truths[name] for name, weight in row.items() if name in truths), ZERO)
