"""A certificate under proof, and what its directions hold by what they mean.

Going up the layers, each writer of a direction is proved right from the *meanings* of what it reads, never from the
values in a run. So what a direction holds is asked here, and what depends on the word is given by the one who asks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from ..budget import Cache
from ..language import Place
from ..numbers import ONE, ZERO, Numbers, combine, divide, size
from ..reading.records import (
    Certificate,
    FeedForward,
    Head,
    Mean,
    Meaning,
    Position,
    Product,
    Truth,
    Unit,
    Weights,
    kind_of,
)
from ..verdicts import Rejected, quote
from .weights import Weigher

Held = Mapping[Place, int]
"""Truths of formulas and numbers of counts, in a situation that is being considered."""

Errors = tuple[Fraction, Fraction]
"""Stated errors where the truth is false, and where it is true (of counts: above, and below)."""

NOTHING: Held = {}


class Proof:
    """A certificate with what all chapters ask about it."""

    def __init__(self, certificate: Certificate) -> None:
        self.claim, self.transformer = certificate.claim, certificate.transformer
        self.language, self.budget = certificate.language, certificate.language.budget
        self.directions = certificate.transformer.directions
        self.bounds, self.counts = certificate.bounds, certificate.counts
        self.errors: dict[str, Errors] = {b.direction: (b.error_if_false, b.error_if_true) for b in self.bounds}
        self.weigher = Weigher(self.budget)
        self.chains = Chains()
        self._units: dict[int, dict[str, list[Unit]]] = {}  # by the identity of the part, which lives as long
        self.proved = Cache[tuple[object, ...], bool]()  # situations that need not be proved again, whoever meets them

    def rows(self) -> Iterator[tuple[int, int]]:
        """Every (n, i) of the claim."""
        for n in self.claim.lengths:
            self.budget.spend(2 * n)
            yield from ((n, i) for i in range(1, n + 1))

    def is_known(self, meaning: Meaning) -> bool:
        """Whether what it says does not depend on the word."""
        return isinstance(meaning, Position) or (
            isinstance(meaning, Truth | Product) and self.language.is_positional(meaning.formula))

    def number(self, name: str, n: int, i: int, held: Held = NOTHING) -> Fraction:
        """What an exact direction holds at (n, i), in a situation.

        Raises:
            Rejected: if its meaning does not say.
        """
        meaning = self.directions[name]
        match meaning:
            case Position(value):
                return self.language.value_at(value, n, i)
            case Truth(formula):
                return ONE if self._holds(formula, n, i, held) else ZERO
            case Product(value, formula):
                return self.language.value_at(value, n, i) if self._holds(formula, n, i, held) else ZERO
            case Mean(count) if count in held:
                return Fraction(held[count], self.positions_counted(count, n, i))
        raise Rejected(f"exact directions are read, not {quote(name)}, of kind {kind_of(meaning)}")

    def _holds(self, formula: Place, n: int, i: int, held: Held) -> bool:
        if formula in held:
            return bool(held[formula])
        if not self.language.is_positional(formula):
            raise Rejected(f"{self.language.write_short(formula)} is not decided by what is read")
        return self.language.holds_at(formula, n, i)

    def forms(self, rows: Iterable[Weights], n: int, i: int, held: Held = NOTHING) -> Numbers:
        """Linear forms of exact directions at (n, i), in a situation.

        Raises:
            Rejected: if a direction is not exact there.
        """
        found = []
        for row in rows:
            self.budget.spend(1 + 2 * len(row))
            found.append(combine(self.budget, row, {name: self.number(name, n, i, held) for name in row}))
        return tuple(found)

    def scaled_query(self, head: Head, n: int, i: int, held: Held = NOTHING) -> Numbers:
        """The query of a row over its temperature: its products with keys are the arguments of exp."""
        heat = self.language.value_at(head.temperature, n, i)
        return tuple(divide(self.budget, x, heat) for x in self.forms(head.queries, n, i, held))

    def units_writing(self, part: FeedForward, name: str) -> Sequence[Unit]:
        """The units of a feed-forward part that write a direction; all units are sorted once."""
        if id(part) not in self._units:
            self.budget.spend(len(part.units))
            writing: dict[str, list[Unit]] = {}
            for unit in part.units:
                for written in unit.writes:
                    writing.setdefault(written, []).append(unit)
            self._units[id(part)] = writing
        return self._units[id(part)].get(name, ())

    def positions_counted(self, count: Place, n: int, i: int) -> int:
        """How many positions a count looks at."""
        return i if self.language.nodes[count].operator == "#<" else n + 1 - i


class Chains:
    """Numbers for sequences: equal ones have equal numbers, as long as they are remembered.

    A sequence is known by the number of all but its last item, and that item; an item that is large by a number, too.
    """

    EMPTY = 0

    def __init__(self) -> None:
        self._chains = Cache[tuple[int, Numbers, int], int]()
        self._items: dict[object, int] = {}
        self._last = self.EMPTY

    def number_of(self, item: object) -> int:
        """The number of a large item."""
        return self._items.setdefault(item, len(self._items))

    def extend(self, chain: int, known: Numbers, item: int) -> int:
        """The number of the sequence with one more item."""
        key = (chain, known, item)
        found = self._chains.get(key)
        if found is None:
            self._last += 1
            found = self._chains.keep(key, self._last, sum(map(size, known)))
        return found


def visible(mask: str, n: int, i: int) -> tuple[int, int]:
    """The first and the last position that row i sees."""
    return (i if mask == "past" else 1), (i if mask == "future" else n)
