"""Letters: the assignments to a target's atoms that may occur at a position, and the effect of each."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from constructions.language.positional import positional_truth, symbolic_truth
from constructions.language.syntax import Formula, is_symbolic
from constructions.network.lengths import Lengths
from constructions.network.transformer import Coefficients
from proofs.formula.common.targets import Assignment, Target

ZERO = Fraction(0)


@dataclass(frozen=True)
class LetterEffect:
    """The contribution of a letter to each key and to the value, and its effect on the target's automaton.

    ``effect[memory]`` is 2 * next memory + truth of the target.
    """

    keys: tuple[Fraction, ...]
    value: Fraction
    effect: tuple[int, ...]


class LetterTable:
    """The letters of a head by position; they depend on the predicates that hold there."""

    def __init__(self, target: Target, alphabet: Sequence[str], read: Mapping[str, Formula],
                 keys: Sequence[Coefficients], value: Coefficients):
        """Build the table; ``read`` has the formulas whose truths the keys and the value read, by direction."""
        self.target = target
        self.assignments = realizable(target.atoms, alphabet)
        self._read, self._keys, self._value = read, keys, value
        self._letters: dict[tuple[bool, ...], tuple[LetterEffect, ...]] = {}

    def context(self, j: int, n: int) -> tuple[bool, ...]:
        """Return the truths of the target's predicates at position j, which decide its letters."""
        return tuple([positional_truth(predicate, j, n) for predicate in self.target.predicates])

    def table(self, lengths: Lengths) -> tuple[object, ...]:
        """Return the letters of every context that occurs."""
        if not self.target.predicates:
            return self.letters_at(1, lengths.first)
        found = {self.context(j, n): self.letters_at(j, n) for n, j in lengths.rows()}
        return tuple(sorted(found.items(), key=lambda item: item[0]))

    def letters_at(self, j: int, n: int) -> tuple[LetterEffect, ...]:
        """Return the effects of all letters at position j, in the order of ``assignments``."""
        context = self.context(j, n)
        if context not in self._letters:
            self._letters[context] = tuple(self._letter(assignment, j, n) for assignment in self.assignments)
        return self._letters[context]

    def _letter(self, assignment: Assignment, j: int, n: int) -> LetterEffect:
        truths = {name: Fraction(self.target.read_truth(formula, assignment, j, n))
                  for name, formula in self._read.items()}
        steps = [self.target.step(before, assignment, j, n) for before in range(1 << len(self.target.remembering))]
        return LetterEffect(tuple(_truth_part(row, truths) for row in self._keys), _truth_part(self._value, truths),
                            tuple(2 * memory + truth for memory, truth in steps))


def assignments(atoms: int) -> list[Assignment]:
    """Return all truth assignments to this number of atoms, in one fixed order."""
    return list(itertools.product((False, True), repeat=atoms))


def spread(letters: Sequence[Assignment], values: Sequence[int]) -> list[int]:
    """Return the value of each assignment, in their order: the value of its letter, or 0."""
    by_letter = dict(zip(letters, values, strict=True))
    return [by_letter.get(assignment, 0) for assignment in assignments(len(letters[0]))]


def realizable(atoms: Sequence[Formula], alphabet: Sequence[str]) -> tuple[Assignment, ...]:
    """Return the assignments in which the atoms over symbols have the truths that some symbol gives them.

    >>> from constructions.language.syntax import Symbol
    >>> realizable([Symbol("a"), Symbol("b")], "ab")
    ((False, True), (True, False))
    """
    return tuple(filter(Realizable(atoms, alphabet).allows, assignments(len(atoms))))


class Realizable:
    """The assignments in which the atoms over symbols have the truths that some symbol gives them."""

    def __init__(self, atoms: Sequence[Formula], alphabet: Sequence[str]):
        self._symbolic = [place for place, atom in enumerate(atoms) if is_symbolic(atom)]
        self._given = {tuple(symbolic_truth(atoms[place], symbol) for place in self._symbolic) for symbol in alphabet}

    def allows(self, assignment: Assignment) -> bool:
        """Return whether some symbol gives these truths; True if no atom is over symbols."""
        return tuple(assignment[place] for place in self._symbolic) in self._given


def _truth_part(row: Coefficients, truths: Mapping[str, Fraction]) -> Fraction:
    return sum((weight * truths[name] for name, weight in row.items() if name in truths), ZERO)
