"""Attention heads; docs/certificate.md, section 5: a head whose queries depend on the position alone.

The claim is for every word at once: the worst case over all letters is found for each row (n, i) at which the guard
holds. Rows with one scaled query are checked in one pass over the positions that they see, since the shorter ones see
a beginning of what the longer ones see; and a beginning that was checked with the same query is not checked again.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ..budget import ENTRY_BITS
from ..numbers import Numbers, size
from ..reading.records import Head, Near
from ..verdicts import require
from .automaton import Automaton, Letters
from .proof import Chains, Proof
from .shortest_path import Position, check_paths


@dataclass
class Sight:
    """What the rows of one length see, from the first position read on."""

    positions: list[Position] = field(default_factory=list)
    chains: list[int] = field(default_factory=lambda: [Chains.EMPTY])


class Attention:
    """One near direction that a head writes."""

    def __init__(self, proof: Proof, head: Head, name: str, meaning: Near) -> None:
        require(head.mask != "none", "expected a mask")
        require(proof.language.is_positional(meaning.when), "expected a `when` that speaks of the position only")
        self._proof, self._head, self._guard, self._errors = proof, head, meaning.when, proof.errors[name]
        self._automaton = Automaton(proof, meaning.formula, [*head.keys, head.values[name]], head.mask)
        self._numbers: dict[int, int] = {}

    def check(self) -> int:
        """The number of rows (n, i) at which the guard holds; the longest words come first, as they see the most.

        Raises:
            Rejected: if an error is not proved to be within its bound.
        """
        return sum(self._check_length(n) for n in reversed(self._proof.claim.lengths))

    def _check_length(self, n: int) -> int:
        covered, sight = 0, Sight()
        rows: dict[Numbers, dict[int, str]] = {}
        for length, i in enumerate(range(1, n + 1) if self._head.mask == "future" else range(n, 0, -1), 1):
            self._see(sight, n, i)
            if self._proof.language.holds_at(self._guard, n, i):
                covered += 1
                query = self._proof.scaled_query(self._head, n, i)
                if self._proof.proved.get((query, sight.chains[length], *self._errors)) is None:
                    rows.setdefault(query, {})[length] = f"n = {n}, i = {i}"
        held = sum(ENTRY_BITS + sum(map(size, position.known)) for position in sight.positions)
        with self._proof.budget.holding(held):
            for query, ends in rows.items():
                check_paths(self._proof, query, sight.positions[: max(ends)], ends, self._errors)
                for length in ends:
                    self._proof.proved.keep((query, sight.chains[length], *self._errors), True, sum(map(size, query)))
        return covered

    def _see(self, sight: Sight, n: int, i: int) -> None:
        """One more position. Rule 4: every value is in 0..1, so every weighted mean is."""
        letters = self._automaton.letters_at(n, i)
        known = self._proof.forms(self._automaton.known, n, i)
        self._proof.budget.spend(len(letters))
        for letter in letters:
            value = known[-1] + letter.adds[-1]
            require(0 <= value <= 1, "a value can be {}, expected 0 to 1", value)
        sight.positions.append(Position(known, letters))
        sight.chains.append(self._proof.chains.extend(sight.chains[-1], known, self._number(letters)))

    def _number(self, letters: Letters) -> int:
        """The number of these letters among those of all heads; found once, as comparing them takes long."""
        if id(letters) not in self._numbers:
            self._numbers[id(letters)] = self._proof.chains.number_of(letters)
        return self._numbers[id(letters)]


def check_attention(proof: Proof, head: Head, name: str, meaning: Near) -> int:
    """The number of rows (n, i) at which the guard holds and the errors are proved to be within their bounds.

    Raises:
        Rejected: if one is not proved to be.
    """
    return Attention(proof, head, name, meaning).check()
