"""A certificate under proof, and the values that its directions hold according to their meanings.

From the first layer upwards, each writer of a direction is proved right from the *meanings* of the directions it reads,
never from the values of a run. This module provides those values; the caller supplies whatever depends on the word.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from fractions import Fraction
from typing import Any

from ...kernel.language import Language, Place
from ...kernel.language.columns import Columns
from ...kernel.language.truths import Symbols
from ...kernel.numbers import CacheOfNumbers, combine_columns
from ...kernel.reading.records import (
    FeedForward,
    LinearForm,
    Meaning,
    Neuron,
    PositionalNumber,
    Product,
    Truth,
    kind_of,
)
from ...kernel.verdicts import Rejected, quote
from ...kernel.weights import Weigher
from .composition import find_local
from .records import Certificate

Errors = tuple[Fraction, Fraction]
"""Stated errors where the truth is false, and where it is true (of counts: above, and below)."""


class ProofContext:
    """A certificate with everything that the chapters query about it."""

    def __init__(self, certificate: Certificate) -> None:
        self.claim, self.transformer = certificate.claim, certificate.transformer
        self.language, self.budget = certificate.language, certificate.language.budget
        self.directions = certificate.transformer.directions
        self.bounds, self.counts, self.words = certificate.bounds, certificate.counts, certificate.words
        self.errors: dict[str, Errors] = {b.direction: (b.error_if_false, b.error_if_true) for b in self.bounds}
        self.local = set[str]() if self.claim.given is None else find_local(self.transformer)
        self.weigher = Weigher(self.budget)
        self.symbols = Symbols(self.language, self.claim.alphabet)
        self._units: dict[FeedForward, dict[str, list[Neuron]]] = {}
        self.forget()

    def with_values(self, language: Language, weigher: Weigher) -> ProofContext:
        """Return a copy of the proof with other values of numbers and other weights."""
        other = copy(self)
        other.language, other.weigher = language, weigher
        other.forget()
        return other

    def forget(self) -> None:
        """Reset all caches that depend on the values of numbers."""
        self.letters: dict[object, Any] = {}  # of automata: one object for equal letters (attention/automaton.py)
        self.rows_by_value: dict[object, Any] = {}  # of sums/by_value.py; the key contains all that they depend on
        self.columns = Columns(self.language, self.language.values, self.claim.lengths)
        self.proved = CacheOfNumbers[bool](self.budget)  # proved cases, for any caller

    def lengths(self, places: Iterable[Place], mask: str = "future",
                descending: bool = False) -> Iterator[tuple[int, Sequence[int]]]:
        """Yield the lengths n to check, where a row depends on i, these places and the visible positions only.

        With each, a number for each i: the rows (first, i), ..., (n, i), where ``first`` is the number, are one row.
        Proof. Let no place mention n, and no positions after i be visible. Then the row (m, i) is the row (max_n, i)
        for every m of the claim that is at least i: max_n is the one length. Else, as for "past", first = n everywhere.
        """
        least, greatest = self.claim.min_n, self.claim.max_n
        if mask == "future" and not self.mentions_length(places):
            yield greatest, tuple(max(least, i) for i in range(1, greatest + 1))
        else:
            yield from ((n, (n,) * n) for n in self.claim.lengths[:: -1 if descending else 1])

    def mentions_length(self, places: Iterable[Place]) -> bool:
        """Return whether one of these places mentions n."""
        return any("n" in self.language.leaves(place) for place in places)

    def places_of(self, names: Iterable[str]) -> list[Place]:
        """Return the numbers and formulas that define the values of these exact directions."""
        found: list[Place] = []
        for name in names:
            match self.directions[name]:
                case PositionalNumber(place) | Truth(place):
                    found.append(place)
                case Product(value, formula):
                    found += [value, formula]
        return found

    def is_known(self, meaning: Meaning) -> bool:
        """Return whether the value of a direction with this meaning does not depend on the word."""
        return isinstance(meaning, PositionalNumber) or (
            isinstance(meaning, Truth | Product) and self.language.is_positional(meaning.formula))

    def known_numbers(self, name: str, n: int) -> Sequence[Fraction]:
        """Return the values of a known direction at (n, 1), ..., (n, n)."""
        if not self.is_known(self.directions[name]):
            raise self.not_known(name)
        place, *formulas = self.places_of([name])  # of a product, its formula is the second
        return self.columns.numbers(place, n, *(self.columns.truths(one, n) for one in formulas))

    def known_forms(self, rows: Sequence[LinearForm], n: int) -> list[Sequence[Fraction]]:
        """Return the values of each linear form of known directions at (n, 1), ..., (n, n)."""
        found = []
        for row in rows:
            self.budget.spend(1 + len(row))
            found.append(combine_columns(self.budget, row, {name: self.known_numbers(name, n) for name in row}, n))
        return found

    def not_known(self, name: str) -> Rejected:
        """Return the refusal for a direction whose value is not known."""
        meaning = self.directions[name]
        if isinstance(meaning, Truth | Product):
            return Rejected(f"{self.language.write_short(meaning.formula)} is not determined by the directions read")
        return Rejected(f"exact directions are read, not {quote(name)}, of kind {kind_of(meaning)}")

    def units_writing(self, part: FeedForward, name: str) -> Sequence[Neuron]:
        """Return the hidden units of a feed-forward block that write a direction; all units are sorted once."""
        if part not in self._units:
            self.budget.spend(len(part.units))
            writing: dict[str, list[Neuron]] = {}
            for unit in part.units:
                for written in unit.writes:
                    writing.setdefault(written, []).append(unit)
            self._units[part] = writing
        return self._units[part].get(name, ())

    def positions_counted(self, count: Place, n: int, i: int) -> int:
        """Return the number of positions in the range of a count at (n, i)."""
        return i if self.language.nodes[count].operator == "#<" else n + 1 - i
