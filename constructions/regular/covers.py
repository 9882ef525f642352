"""Small Boolean formulas of a letter and bits, from rows where they must hold or must not hold.

Rows        A row has a letter and for each variable 0, 1 or None; None means either value. A set of rows is the bits of
            one integer, so that an intersection is one operation.
Claim       A cover of some rows against others is a disjunction of terms, each a set of letters and literals. It is
            true on the first rows and false on the others. A cover exists unless two rows, one of each kind, agree in
            letter and in all variables that both have.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Value = int | None
Literal = tuple[int, int]
"""A variable and its value, 0 or 1."""


@dataclass(frozen=True)
class CoverTerm:
    """A term: the letter is one of these, and all literals hold."""

    letters: frozenset[int]
    literals: tuple[Literal, ...]


class RowSets:
    """Rows as sets: the rows of each letter and of each value of each variable."""

    def __init__(self, letters: Sequence[int], values: Sequence[Sequence[Value]], alphabet: int) -> None:
        """Index ``values[row][variable]``; all rows have the same number of variables."""
        self.everything = (1 << len(letters)) - 1
        self.alphabet = alphabet
        self._of_letter = [where(found == letter for found in letters) for letter in range(alphabet)]
        self._with = [(where(row[place] == 0 for row in values), where(row[place] == 1 for row in values))
                      for place in range(len(values[0]) if values else 0)]
        self._letters = letters
        self._values = values

    def cover(self, on: int, off: int, variables: Sequence[int]) -> list[CoverTerm] | None:
        """Return a cover of the rows ``on`` against the rows ``off`` by these variables; None if there is none."""
        terms: list[CoverTerm] = []
        left = on
        while left:
            term = self._term((left & -left).bit_length() - 1, left, off, variables)
            if term is None:
                return None
            terms.append(term)
            left &= ~self._certain(term)
        return self._needed(terms, on)

    def _term(self, row: int, wanted: int, off: int, variables: Sequence[int]) -> CoverTerm | None:
        """Return a term that is true of the row and false on ``off``; literals are chosen greedily by merit."""
        letter, chosen = self._letters[row], list[Literal]()
        literals = [(place, value) for place in variables if (value := self._values[row][place]) is not None]
        letters, narrow, forbidden = frozenset(range(self.alphabet)), frozenset([letter]), off
        while forbidden:
            best = max(literals, key=lambda one: self._merit(self._with[one[0]][one[1]], self._possible(one),
                                                             wanted, forbidden), default=None)
            merit = self._merit(self._with[best[0]][best[1]], self._possible(best), wanted, forbidden) if best else 0
            if letters != narrow and self._merit(self._of_letter[letter], self._of_letter[letter], wanted,
                                                 forbidden) >= merit:
                letters = narrow
                forbidden &= self._of_letter[letter]
            elif best is None or merit == 0:
                return None
            else:
                chosen.append(best)
                literals.remove(best)
                forbidden &= self._possible(best)
        return self._widened(letters, chosen, off)

    def _merit(self, certain: int, possible: int, wanted: int, forbidden: int) -> int:
        """Return the merit of a literal: excluded forbidden rows times kept wanted rows."""
        return (forbidden & ~possible).bit_count() * (wanted & certain).bit_count()

    def _widened(self, letters: frozenset[int], literals: list[Literal], off: int) -> CoverTerm:
        """Return the term without literals, and with added letters, as far as it excludes all of ``off``."""
        for literal in list(literals):
            others = [one for one in literals if one != literal]
            if not self._possible_of(letters, others) & off:
                literals = others
        among = self._possible_of(frozenset(range(self.alphabet)), literals) & off
        more = frozenset(one for one in range(self.alphabet) if not self._of_letter[one] & among)
        return CoverTerm(letters | more, tuple(sorted(literals)))

    def _needed(self, terms: list[CoverTerm], on: int) -> list[CoverTerm]:
        """Return the terms without those whose rows are covered by the others."""
        kept = list(terms)
        for term in terms:
            others = [one for one in kept if one is not term]
            covered = 0
            for one in others:
                covered |= self._certain(one)
            if not on & ~covered:
                kept = others
        return kept

    def _possible(self, literal: Literal) -> int:
        """Return the rows where the literal is true or may be true."""
        return self.everything & ~self._with[literal[0]][1 - literal[1]]

    def _possible_of(self, letters: frozenset[int], literals: Sequence[Literal]) -> int:
        found = self._at(letters)
        for literal in literals:
            found &= self._possible(literal)
        return found

    def _certain(self, term: CoverTerm) -> int:
        """Return the rows where the term is true for either value of None."""
        found = self._at(term.letters)
        for place, value in term.literals:
            found &= self._with[place][value]
        return found

    def _at(self, letters: frozenset[int]) -> int:
        found = 0
        for letter in letters:
            found |= self._of_letter[letter]
        return found


def where(truths: Iterable[bool]) -> int:
    """Return the set of indices whose truth value is true."""
    return sum(1 << place for place, truth in enumerate(truths) if truth)
