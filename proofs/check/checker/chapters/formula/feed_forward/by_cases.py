"""Feed-forward outputs by cases; docs/background/obligations.md, Feed-forward output.

A case is one assignment: truths of the *atoms*, which are free, and a sign for each T that is compared with 0. For a
local direction (composition.py), only the cases count in which `given` holds. In a case each hidden unit reads a linear
form in an interval (or, with slack, a half line). Units that read multiples of one form share it, since they move
together; the sum of their outputs must be constant there.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from ....kernel.language import Place
from ....kernel.language.truths import COMPARE, connect_one, temporal_truth
from ....kernel.numbers import ONE, QUARTER, ZERO, CacheOfNumbers, add
from ....kernel.reading.records import (
    ApproximateCount,
    ApproximateTruth,
    ExactCount,
    Meaning,
    Neuron,
    PositionalNumber,
    Product,
    Slack,
    Truth,
    kind_of,
)
from ....kernel.verdicts import quote, refuse, require
from ..families import COUNTS_THAT_UNITS_READ, Covered, WrittenDirection, attempt, load
from ..proof import ProofContext
from .piecewise import NeuronForm, Range, add_ranges, group_by_form

MAX_ATOMS = 12  # and signs: 4096 assignments, or a few more, of each row that differs from the previous ones

READABLE = (PositionalNumber, Truth, Product, ApproximateTruth, ApproximateCount, ExactCount, Slack)
"""The meanings that may be read here, all of whose values are enumerated."""

RationalInterval = tuple[Fraction, Fraction]
Truths = Mapping[Place, bool]


class Assignment(NamedTuple):
    """One assignment at one row: truths, the sign of each T, and the number of a direction where its formula holds."""

    truths: Truths
    signs: Mapping[Place, int]
    levels: Mapping[str, Fraction]


class OutputRow(NamedTuple):
    """The known truths and numbers of a row (n, i), and the expected output where the formula holds."""

    n: int
    i: int
    fixed: Truths
    levels: Mapping[str, Fraction]
    target: Fraction
    more: tuple[Hashable, ...]


class Output:
    """One direction that a feed-forward block writes, by these hidden units and this bias.

    With ``apart``, a second attempt, no connective is an atom, unless it is built from symbols; and of the assignments
    to atoms over symbols only those count that some symbol gives.
    """

    def __init__(self, proof: ProofContext, name: str, units: Sequence[Neuron], bias: Fraction,
                 apart: bool = False) -> None:
        self._proof, self._language, self._name, self._bias, self._apart = proof, proof.language, name, bias, apart
        self._meaning = proof.directions[name]
        require(isinstance(self._meaning, PositionalNumber | Truth | Product | Slack),
                "a {} direction is written by a head", kind_of(self._meaning))
        self._groups = group_by_form(proof.budget, name, units)
        self.reads = {source: proof.directions[source] for form in self._groups for source, _ in form}
        for source, meaning in self.reads.items():
            require(isinstance(meaning, READABLE), "{}, of kind {}, is read", quote(source), kind_of(meaning))
        here = {self._language.counted(one.count) for one in self.reads.values() if isinstance(one, ApproximateCount)}
        self.numbers = {source for source, one in self.reads.items() if isinstance(one, ApproximateCount | ExactCount)
                        or (isinstance(one, Truth) and one.formula in here)}  # the coefficients of these truths cancel
        self._given = [proof.claim.given] if proof.claim.given is not None and name in proof.local else []
        slacks = [meaning.formula for meaning in (self._meaning, *self.reads.values()) if isinstance(meaning, Slack)]
        require(all(map(self._is_comparison, slacks)), "slack is not of a comparison of counts")
        self._find_atoms(slacks)
        self._of_symbols = [place for place in self._atoms if apart and self._language.is_of_symbols(place)]
        self._allowed = proof.symbols.allowed(self._of_symbols) if apart else {()}

    def _find_atoms(self, slacks: Sequence[Place]) -> None:
        """Find the atoms: formulas that are read, and those in the target that these rules do not evaluate."""
        read = {place for source, meaning in self.reads.items() if source not in self.numbers
                and not isinstance(meaning, Slack) for place in self._spoken_of(meaning)}
        free = self._find_free(read)
        self._steps = {operand: place for place in read for operand in self._language.nodes[place].operands
                       if operand not in read and self._is_step(place, operand)}

        def is_entered(place: Place) -> bool:
            opens = self._language.is_connective(place) or place in self._steps
            is_whole = place in free or (self._apart and self._language.is_of_symbols(place))
            return opens and not is_whole and not self._language.is_positional(place)

        spoken = [*self._spoken_of(self._meaning), *slacks, *self._given]
        own = self._language.below(spoken, lambda place: not is_entered(place))
        leaves = {place for place in own if not is_entered(place)} | free
        leaves = {place for place in leaves if not self._language.is_positional(place)}
        compared = sorted(place for place in leaves - free if self._is_comparison(place))
        self._atoms = sorted(leaves - {*compared})
        firsts, self._signs = dict[object, Place](), dict[Place, Place]()
        for place in compared:  # under the T of a comparison T R 0
            _, counts, (_, *numbers) = self._language.nodes[place]
            self._signs[place] = firsts.setdefault((counts, *numbers), place)
        count = len(self._atoms) + len(firsts)
        require(count <= MAX_ATOMS, "{} atoms, expected at most {}", count, MAX_ATOMS)
        guards = {meaning.when for meaning in self.reads.values() if isinstance(meaning, ApproximateTruth)}
        below = {guard: self._language.below([guard], lambda place: not is_entered(place)) for guard in guards}
        decided = [guard for guard, parts in below.items() if all(map(self._is_decided, parts))]
        self._order = sorted(self._language.below([*own, *read, *decided], lambda place: not is_entered(place)))

    def _find_free(self, read: Collection[Place]) -> set[Place]:
        """Return the free formulas of what is read; with ``apart`` its leaves, below which signs decide comparisons."""
        language = self._language
        if not self._apart:
            return {place for place in read if not self._follows(place, read)}

        def is_leaf(place: Place) -> bool:
            decided = language.is_positional(place) or language.is_of_symbols(place)
            return decided or not language.is_connective(place)

        return {place for place in filter(is_leaf, language.below(read, is_leaf)) if not language.is_positional(place)
                and (place in read or not self._is_comparison(place))}

    def _is_step(self, place: Place, operand: Place) -> bool:
        """Return whether this is `prev` of a `since`, or `next` of an `until`."""
        operators = self._language.nodes[place].operator, self._language.nodes[operand].operator
        return operators in (("prev", "since"), ("next", "until"))

    def _is_comparison(self, place: Place) -> bool:
        """Return whether a formula compares counts."""
        return self._language.nodes[place].operator == "T" and not self._language.is_positional(place)

    def _follows(self, place: Place, read: Collection[Place]) -> bool:
        """Return whether a formula is a connective of formulas that are read and positional ones, which decide it."""
        language = self._language

        def is_settled(part: Place) -> bool:
            return part in read or language.is_positional(part)

        below = language.walk(language.parts(place), lambda part: is_settled(part) or not language.is_connective(part))
        return language.is_connective(place) and all(is_settled(part) or language.is_connective(part) for part in below)

    def _spoken_of(self, meaning: Meaning) -> list[Place]:
        """Return the formula of a meaning, if it has one."""
        return [meaning.formula] if isinstance(meaning, Truth | Product | ApproximateTruth | Slack) else []

    def _is_decided(self, place: Place) -> bool:
        free = self._language.is_connective(place) or self._language.is_positional(place)
        return free or place in self._atoms or place in self._signs

    def check(self) -> int:
        """Return the number of rows (n, i) at which the output is the target; equal rows are checked once."""
        for row in self.rows(self.lengths()):
            self._check_row(row)
        return sum(self._proof.claim.lengths)

    def rows(self, lengths: Iterable[tuple[int, Sequence[int]]],
             more: Callable[[int], Sequence[Sequence[Hashable]]] = lambda n: ()) -> Iterator[OutputRow]:
        """Yield the rows that differ in known values, or in ``more``: columns with an entry for each i."""
        seen = CacheOfNumbers[bool](self._proof.budget)
        for n, firsts in lengths:
            settled = self._settle(n)
            levels = {source: self._levels(meaning, n, settled) for source, meaning in self.reads.items()}
            targets, columns = self._levels(self._meaning, n, settled), more(n)
            self._proof.budget.spend(n * (1 + len(settled) + len(levels) + len(columns)))
            for i, case in enumerate(zip(*settled.values(), *levels.values(), targets, *columns, strict=True), 1):
                if seen.get(case) is None:
                    truths = ((place, column[i - 1]) for place, column in settled.items())
                    fixed = {place: truth for place, truth in truths if truth is not None}
                    numbers = {source: column[i - 1] for source, column in levels.items()}
                    yield OutputRow(firsts[i - 1], i, fixed, numbers, targets[i - 1], case[len(case) - len(columns) :])
                    seen.keep(case, True, 1024 * len(case))

    def lengths(self) -> Iterator[tuple[int, Sequence[int]]]:
        """Return the lengths to check; `next` depends on where a word ends."""
        if any(self._language.nodes[place].operator == "next" for place in self._order):
            return self._proof.lengths([], "past")
        positional = filter(self._language.is_positional, self._order)
        return self._proof.lengths([*positional, *self._proof.places_of([self._name, *self.reads])])

    def _settle(self, n: int) -> dict[Place, Sequence[bool | None]]:
        """Return the truths that positions decide: positional formulas; `prev` is False at 1, `next` at n."""
        free = [None] * (n - 1)
        edges: dict[str, Sequence[bool | None]] = {"prev": [False, *free], "next": [*free, False]}
        settled: dict[Place, Sequence[bool | None]] = {}
        for place in self._order:
            if self._language.is_positional(place):
                settled[place] = self._proof.columns.truths(place, n)
            elif self._language.nodes[place].operator in edges:
                settled[place] = edges[self._language.nodes[place].operator]
        return settled

    def _levels(self, meaning: Meaning, n: int, settled: Mapping[Place, Sequence[bool | None]]) -> Sequence[Fraction]:
        """Return the number of a meaning where its formula holds; it need not exist where that cannot hold."""
        if isinstance(meaning, PositionalNumber):
            return self._proof.columns.numbers(meaning.value, n)
        if not isinstance(meaning, Product):
            return [ONE] * n
        truths = settled.get(meaning.formula, (None,) * n)
        return self._proof.columns.numbers(meaning.value, n, [truth is not False for truth in truths])

    def _check_row(self, row: OutputRow) -> None:
        is_slack = isinstance(self._meaning, Slack)
        for assignment in self.assignments(row):
            holds = self.holds(assignment)
            or_more = is_slack and not holds
            got = self._find_output(assignment, or_more)
            wanted = row.target if holds is not is_slack else ZERO
            fits = got is None or got == wanted or (or_more and got > wanted)
            expected = "at least " if or_more else ""
            require(fits, "the output is {}, expected {}{}, at n = {}, i = {}", got, expected, wanted, row.n, row.i)

    def holds(self, assignment: Assignment) -> bool:
        """Return whether the formula of the meaning holds."""
        return all(assignment.truths[place] for place in self._spoken_of(self._meaning))

    def assignments(self, row: OutputRow) -> Iterator[Assignment]:
        """Yield every assignment of truths to the atoms, and of a sign to each T by its first comparison."""
        free = [place for place in self._atoms if place not in row.fixed]
        firsts = sorted({*self._signs.values()})
        for bits in product((False, True), repeat=len(free)):
            atoms = {**row.fixed, **dict(zip(free, bits, strict=True))}
            if tuple(atoms[place] for place in self._of_symbols) not in self._allowed:
                continue
            for chosen in product((-1, 0, 1), repeat=len(firsts)):
                signs = dict(zip(firsts, chosen, strict=True))
                compared = {place: COMPARE[str(self._language.nodes[place].data[0])](signs[first], 0)
                            for place, first in self._signs.items()}
                truths = self._connect({**atoms, **compared})
                if all(truths[place] for place in self._given):
                    yield Assignment(truths, signs, row.levels)

    def _connect(self, given: Truths) -> Truths:
        """Return the given truths, those of connectives, and of temporal formulas that follow from their last step."""
        if not self._steps:
            return self._language.connect(self._order, given)
        truths = dict(given)
        self._proof.budget.spend(2 * len(self._order))
        for place in self._order:
            if place in self._steps and place not in truths:
                truths[place] = temporal_truth(self._language.nodes[place], truths, truths[self._steps[place]])
            elif place not in truths:
                truths[place] = connect_one(self._language, place, truths)
        return truths

    def _find_output(self, assignment: Assignment, least: bool) -> Fraction | None:
        """Return the one output in an assignment, or a lower bound if ``least``; None for an impossible one."""
        result, budget = self._bias, self._proof.budget
        for form, function in self._groups.items():
            counts = self.count_interval(form, assignment)
            if counts is None:
                return None
            budget.spend(4 * len(form))
            low, high = add_ranges(budget, ((c, self._range(source, assignment)) for source, c in form), counts)
            got = function.value_on(low, high, least)
            if got is None:
                shown = " + ".join(f"{c} {quote(source)}" for source, c in form[:8])
                refuse("the output changes while {} goes from {} to {}", shown, low, high)
            result = add(budget, result, got)
        return result

    def _range(self, source: str, assignment: Assignment) -> Range:
        """Return the range of a direction in an assignment; of a count, the range of its error."""
        meaning = self.reads[source]
        if source in self.numbers:
            above, below = self._proof.errors[source] if isinstance(meaning, ApproximateCount) else (ZERO, ZERO)
            return -below, above
        if isinstance(meaning, ApproximateTruth):
            if not assignment.truths.get(meaning.when, False):
                return ZERO, ONE
            return (ONE - QUARTER, ONE) if assignment.truths[meaning.formula] else (ZERO, QUARTER)
        holds = all(assignment.truths[place] for place in self._spoken_of(meaning))
        if isinstance(meaning, Slack):
            return (ZERO, ZERO) if holds else (ONE, None)
        number = assignment.levels[source] if holds else ZERO
        return number, number

    def count_interval(self, form: NeuronForm, assignment: Assignment) -> RationalInterval | None:
        """Return the interval of the counts in a form (sums/counts.py); None if the assignment is impossible."""
        counted = [(source, c) for source, c in form if source in self.numbers]
        if not counted:
            return ZERO, ZERO
        found: RationalInterval | None = load(*COUNTS_THAT_UNITS_READ)(self._proof, counted, assignment.signs)
        return found


def check_by_cases(proof: ProofContext, written: WrittenDirection) -> Covered:
    """Prove that the direction holds exactly what it means; return the number of rows (n, i)."""
    what = proof, written.name, written.units, written.bias
    return Covered(attempt(lambda: Output(*what).check(), lambda: Output(*what, apart=True).check()))
