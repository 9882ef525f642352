"""Attention heads; docs/background/obligations.md: a head whose queries depend on the position only.

The claim is for every word at once: the worst case over all letters is found for each row (n, i) at which the guard
holds. Rows of one length with one scaled query are a *group*: the shorter ones see a prefix of what the longer ones
see, in the order of reading. A group is checked by the hull of its gaps (gaps.py), or else, for softmax only, by a
shortest path; geometric and stick-breaking attention is evaluated letter by letter (weightings/geometric.py).
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, cast

from ....kernel.budget import ENTRY_BITS
from ....kernel.language import Place
from ....kernel.numbers import ONE, ZERO, Numbers, add, divide, inner_product, size, text_key
from ....kernel.reading.records import RECURRENT, ApproximateTruth, Head
from ....kernel.verdicts import require
from ..composition import names_in
from ..families import OTHER_GAPS, PATHS, RECURRENT_WEIGHTS, Covered, WrittenDirection, attempt, load
from ..proof import Errors, ProofContext
from .automaton import Letters, ReadPosition, TargetAutomaton, read_letters
from .gaps import Gaps, find_extremes, known_integers

POINTER_BITS = 64


class AttendedTruth:
    """One near direction that a head writes."""

    def __init__(self, proof: ProofContext, head: Head, name: str, meaning: ApproximateTruth, errors: Errors,
                 apart: bool = False) -> None:
        require(head.mask != "none", "expected a mask")
        require(proof.language.is_positional(meaning.when), "expected a `when` that depends on the position only")
        self._proof, self._head, self._guard, self._errors = proof, head, meaning.when, errors
        self.automaton = TargetAutomaton(proof, meaning.formula, [*head.keys, head.values[name]], head.mask,
                                         apart=apart)
        self._query_places = [*proof.places_of(names_in(head.queries)), head.temperature]
        self._forms = tuple(tuple(form.items()) for form in (*head.queries, *self.automaton.known))
        self._passes = None
        if head.weighting in RECURRENT:
            self._passes = load(*RECURRENT_WEIGHTS)(proof)

    @property
    def places(self) -> list[Place]:
        """All places that scores, values, letters and the guard depend on, apart from the word."""
        return [*self._query_places, self._guard, *self.automaton.positional,
                *self._proof.places_of(names_in(self.automaton.known))]

    def check(self) -> int:
        """Return the number of rows (n, i) at which the guard holds; their errors are proved to be within their bounds.

        The longest words come first, as they see the most.
        """
        covered = 0
        for n, firsts in self._proof.lengths(self.places, self._head.mask, descending=True):
            guards = self._proof.columns.truths(self._guard, n)
            covered += sum(n + 1 - first for first, holds in zip(firsts, guards, strict=True) if holds)
            self._check_length(n, guards)
        return covered

    def _check_length(self, n: int, guards: Sequence[bool]) -> None:
        letters, kinds = self.read_letters(n)
        key = self._proof_key(n, guards, letters, kinds)
        if self._proof.proved.get(key) is None:
            self._prove_length(n, guards, letters, kinds)
            self._proof.proved.keep(key, True, POINTER_BITS * (2 * n + len(letters) + len(self._forms)))

    def _proof_key(self, n: int, guards: Sequence[bool], letters: Sequence[tuple[Fraction, Letters]],
                   kinds: Sequence[int]) -> tuple[object, ...]:
        """Return everything that the proof of one length depends on; heads of different formulas can share it.

        Linear forms are over known directions, whose numbers are those of the file.
        """
        temperature = self._head.temperature
        how = (self._head.weighting, self._head.mask, temperature)
        return (n, *how, self._forms, self._errors, tuple(guards), tuple(letters), tuple(kinds))

    def _prove_length(self, n: int, guards: Sequence[bool], letters: Sequence[tuple[Fraction, Letters]],
                      kinds: Sequence[int]) -> None:
        gaps = None if self._passes else self._find_gaps(n, letters, kinds)
        positions: list[ReadPosition] = []
        for query, lengths in self.group(n, guards):
            left = gaps.find_unproved(query, lengths) if gaps else lengths
            if left:
                require(self._passes or self._head.weighting == "softmax", "the gaps of scores do not prove the errors "
                        "at {}", self._name_row(n, min(left)))
                positions = positions or self.read_positions(n, letters, kinds)
                self._check_group(n, query, positions[: max(left)], left)

    def _name_row(self, n: int, length: int) -> str:
        """Return the name of the row that reads this many positions."""
        return f"n = {n}, i = {length if self._head.mask == 'future' else n + 1 - length}"

    def group(self, n: int, guards: Sequence[bool]) -> Sequence[tuple[Numbers, Sequence[int]]]:
        """Group the rows where the guard holds by scaled query; a row is the number of positions that it reads."""
        rows = [length for length, holds in enumerate(self._in_order(guards), 1) if holds]
        self._proof.budget.spend(1 + (n >> 3))
        if not rows or not any("i" in self._proof.language.leaves(place) for place in self._query_places):
            return [(self._scale_query(n), rows)] if rows else []
        temperatures = self._in_order(self._proof.columns.numbers(self._head.temperature, n))
        queries = [self._in_order(form) for form in self._proof.known_forms(self._head.queries, n)]
        groups: dict[object, tuple[Numbers, list[int]]] = {}
        for length in rows:
            scaled = tuple(divide(self._proof.budget, form[length - 1], temperatures[length - 1]) for form in queries)
            groups.setdefault(text_key(self._proof.budget, scaled), (scaled, []))[1].append(length)
        return [*groups.values()]

    def _scale_query(self, n: int) -> Numbers:
        """Return the query over the temperature, both equal in all rows; it reads known directions (`attends`)."""
        proof, language = self._proof, self._proof.language
        temperature = language.value_at(self._head.temperature, n, 1)

        def first_value(name: str) -> Fraction:
            """Return the value of a known direction at the first row."""
            number, *formulas = proof.places_of([name])
            return language.value_at(number, n, 1) if all(language.holds_at(one, n, 1) for one in formulas) else ZERO

        forms = [inner_product(proof.budget, form.values(), map(first_value, form)) for form in self._head.queries]
        return tuple(divide(proof.budget, x, temperature) for x in forms)

    def _in_order(self, column: Sequence[Any]) -> Sequence[Any]:
        """Return a column in the order of reading."""
        return column if self._head.mask == "future" else column[::-1]

    def read_letters(self, n: int) -> tuple[list[tuple[Fraction, Letters]], Sequence[int]]:
        """Return the different (value, letters) of positions, and the index of each position, in the order of reading.

        Rule 4: every value is in 0..1, so every mean is.
        """
        found, kinds = read_letters(self._proof, self.automaton, n)
        for value, letters in found:
            check_range(self._proof, value, letters)
        return found, self._in_order(kinds)

    def _find_gaps(self, n: int, letters: Sequence[tuple[Fraction, Letters]], kinds: Sequence[int]) -> Gaps | None:
        """Return the check by gaps, if the rule applies to the letters and the keys have a common denominator."""
        extremes = find_extremes(letters)
        known = known_integers(self._proof, self.automaton.known[:-1], n) if extremes else None
        if extremes is None or known is None:
            return None
        unit, columns = known
        ordered = [self._in_order(column) for column in columns]
        make: type[Gaps] = Gaps if self._head.weighting == "softmax" else load(*OTHER_GAPS)
        return make(self._proof, extremes, kinds, unit, ordered, self._errors, self._head.weighting)

    def read_positions(self, n: int, letters: Sequence[tuple[Fraction, Letters]],
                       kinds: Sequence[int]) -> list[ReadPosition]:
        """Return the known keys, the known value and the letters of each position, in the order of reading."""
        known = [self._in_order(form) for form in self._proof.known_forms(self.automaton.known, n)]
        rows = zip(zip(*known, strict=True), kinds, strict=True)
        return [ReadPosition(numbers, letters[kind][1]) for numbers, kind in rows]

    def _check_group(self, n: int, query: Numbers, positions: Sequence[ReadPosition], lengths: Sequence[int]) -> None:
        """Check a group letter by letter (recurrent weightings), else by a path; proved cases are not checked again."""
        ends = {length: self._name_row(n, length) for length in lengths}
        if self._passes:
            self._passes.check(query, positions, ends, self._errors)
            return
        bits = sum(ENTRY_BITS + sum(map(size, position.known)) for position in positions)
        key = (query, tuple(positions), tuple(lengths), self._errors)
        if self._proof.proved.get(key) is None:
            with self._proof.budget.holding(bits):
                load(*PATHS)(self._proof, query, positions, ends, self._errors)
            self._proof.proved.keep(key, True, bits)


def check_range(proof: ProofContext, known: Fraction, letters: Letters) -> None:
    """Check that the values of a position are in 0..1."""
    proof.budget.spend(len(letters))
    for letter in letters:
        value = add(proof.budget, known, letter.adds[-1])
        require(ZERO <= value <= ONE, "a value can be {}, expected 0 to 1", value)


def check_attention(proof: ProofContext, written: WrittenDirection) -> Covered:
    """Prove the errors at every row (n, i) at which the guard may hold; return the number of these rows.

    A guard G of the word: where it holds the formula f is false iff G -> f is, and true iff G & f is. So each error is
    the error of another target without a guard, whose other truth may err by 1.
    """
    meaning = cast(ApproximateTruth, written.meaning)
    if proof.language.is_positional(meaning.when):
        rows = check_target(proof, written, meaning, proof.errors[written.name])
        return Covered(rows, guarded=rows)
    make, (false, true) = proof.language.make, proof.errors[written.name]
    for operator, errors in (("->", (false, ONE)), ("&", (ONE, true))):
        target = ApproximateTruth(make(operator, meaning.when, meaning.formula), make("true"))
        rows = check_target(proof, written, target, errors)
    return Covered(rows, guarded=rows)


def check_target(proof: ProofContext, written: WrittenDirection, meaning: ApproximateTruth, errors: Errors) -> int:
    """Return the number of rows (n, i) at which a positional guard holds, after proving the errors there."""
    (head,) = written.heads
    whole = AttendedTruth(proof, head, written.name, meaning, errors)
    return attempt(whole.check, lambda: AttendedTruth(proof, head, written.name, meaning, errors, apart=True).check(),
                   whole.automaton.has_wholes)
