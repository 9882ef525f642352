"""Attention heads; docs/certificate.md, section 5: a head whose queries depend on the position alone.

The claim is for every word at once: the worst case over all letters is found for each row (n, i) at which the guard
holds. Rows of one length with one scaled query are a *group*: the shorter ones see a beginning of what the longer ones
see, in the order of reading. A group is checked by the hull of its gaps (gaps.py), or else by a shortest path.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from ..budget import ENTRY_BITS
from ..numbers import ONE, ZERO, Numbers, add, divide, size
from ..reading.records import Head, Near
from ..verdicts import require
from .automaton import Automaton, Letters
from .composition import names_in
from .gaps import Gaps
from .proof import Proof
from .shortest_path import Position, check_paths


class Attention:
    """One near direction that a head writes."""

    def __init__(self, proof: Proof, head: Head, name: str, meaning: Near) -> None:
        require(head.mask != "none", "expected a mask")
        require(proof.language.is_positional(meaning.when), "expected a `when` that speaks of the position only")
        self._proof, self._head, self._guard, self._errors = proof, head, meaning.when, proof.errors[name]
        self._automaton = Automaton(proof, meaning.formula, [*head.keys, head.values[name]], head.mask)
        self._asking = [*proof.places_of(names_in(head.queries)), head.temperature]

    def check(self) -> int:
        """The number of rows (n, i) at which the guard holds; the longest words come first, as they see the most.

        Raises:
            Rejected: if an error is not proved to be within its bound.
        """
        covered = 0
        places = [*self._asking, self._guard, *self._automaton.positional,
                  *self._proof.places_of(names_in(self._automaton.known))]
        for n, firsts in self._proof.lengths(places, self._head.mask, descending=True):
            guards = self._proof.columns.truths(self._guard, n)
            covered += sum(n + 1 - first for first, holds in zip(firsts, guards, strict=True) if holds)
            self._check_length(n, guards)
        return covered

    def _check_length(self, n: int, guards: Sequence[bool]) -> None:
        positions = self._read(n)
        groups: dict[Numbers, list[int]] = {}
        for i, query in self._scaled_queries(n, guards):
            groups.setdefault(query, []).append(i if self._head.mask == "future" else n + 1 - i)
        held = sum(ENTRY_BITS + sum(map(size, position.known)) for position in positions)
        with self._proof.budget.holding(held):
            gaps = Gaps(self._proof, positions, self._errors)
            for query, lengths in groups.items():
                left = gaps.find_unproved(query, lengths)
                if left:
                    self._check_paths(n, query, positions[: max(left)], left)

    def _check_paths(self, n: int, query: Numbers, positions: Sequence[Position], lengths: Sequence[int]) -> None:
        """The same situation is not checked again, whichever head meets it."""
        situation = (query, tuple((known, id(letters)) for known, letters in positions), tuple(lengths), self._errors)
        if self._proof.proved.get(situation) is None:
            ends = {length: f"n = {n}, i = {length if self._head.mask == 'future' else n + 1 - length}"
                    for length in lengths}
            check_paths(self._proof, query, positions, ends, self._errors)
            self._proof.proved.keep(situation, True, ENTRY_BITS * len(positions))

    def _scaled_queries(self, n: int, guards: Sequence[bool]) -> Iterator[tuple[int, Numbers]]:
        """The query over the temperature, at each i where the guard holds, in the order of reading."""
        rows = range(1, n + 1) if self._head.mask == "future" else range(n, 0, -1)
        if not any("i" in self._proof.language.leaves(place) for place in self._asking):
            query = self._proof.scaled_query(self._head, n, 1)
            yield from ((i, query) for i in rows if guards[i - 1])
            return
        heats = self._proof.columns.numbers(self._head.temperature, n)
        queries = list(zip(*self._proof.known_forms(self._head.queries, n), strict=True))
        for i in rows:
            if guards[i - 1]:
                yield i, tuple(divide(self._proof.budget, x, heats[i - 1]) for x in queries[i - 1])

    def _read(self, n: int) -> list[Position]:
        """The positions in the order in which they are read. Rule 4: every value is in 0..1, so every mean is."""
        known = zip(*self._proof.known_forms(self._automaton.known, n), strict=True)
        truths = [self._proof.columns.truths(place, n) for place in self._automaton.positional]
        letters = [self._automaton.letters_where(held) for held in zip(*truths, strict=True)] if truths else [
            self._automaton.letters_where(())] * n
        positions = [Position(numbers, here) for numbers, here in zip(known, letters, strict=True)]
        self._proof.budget.spend(2 * n)
        for one in {(position.known[-1], id(position.letters)): position for position in positions}.values():
            check_range(self._proof, one.known[-1], one.letters)
        return positions if self._head.mask == "future" else positions[::-1]


def check_range(proof: Proof, known: Fraction, letters: Letters) -> None:
    """The values of a position are in 0..1.

    Raises:
        Rejected: if one is not.
    """
    proof.budget.spend(len(letters))
    for letter in letters:
        value = add(proof.budget, known, letter.adds[-1])
        require(ZERO <= value <= ONE, "a value can be {}, expected 0 to 1", value)


def check_attention(proof: Proof, head: Head, name: str, meaning: Near) -> int:
    """The number of rows (n, i) at which the guard holds and the errors are proved to be within their bounds.

    Raises:
        Rejected: if one is not proved to be.
    """
    return Attention(proof, head, name, meaning).check()
