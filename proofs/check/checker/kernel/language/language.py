"""One table of the language with its parsers, values and printer; the interface for the rest of the checker."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from ..budget import Budget
from ..numbers import Enclosure, ends_of
from ..verdicts import expect, require
from .table import COUNTS, Place, Table
from .truths import connect_one, holds_at_sum

if TYPE_CHECKING:
    from .evaluation import Values

NUMBER_VARIABLES = {"i": "i", "n": "n"}


class Language(Table):
    """The table of all formulas, counts and numbers of a file; the user's predicates by name."""

    def __init__(self, budget: Budget) -> None:
        super().__init__(budget)
        self.predicates: dict[str, Place] = {}  # and the entries of the table of formulas
        self._entries = 0

    @cached_property
    def values(self) -> Values:
        """The values at (n, i) of numbers and of positional formulas."""
        from .evaluation import Values

        return Values(self)

    def define(self, text: str) -> str:
        """Define a predicate ``NAME(k) := condition`` or ``NAME(k,n) := condition``; return its name."""
        from .definitions import read_predicate

        name, place = read_predicate(self, self.predicates, text)
        self.predicates[name] = place
        self.names.setdefault(place, name)
        return name

    def enter(self, text: str) -> Place:
        """Define the next entry of the table of formulas, ``$1``, ``$2``, ...; return its place."""
        self._entries += 1
        place = self.predicates[f"${self._entries}"] = self.formula(text)
        return place

    def formula(self, text: str) -> Place:
        """Parse a formula."""
        from .parser import read_formula

        return read_formula(self, self.predicates, text)

    def count(self, text: str) -> Place:
        """Parse a count."""
        place = self._parse(text, self.predicates, {})
        expect(self.nodes[place].operator in COUNTS, "expected a count")
        return place

    def term(self, text: str) -> Place:
        """Parse a sum of integer multiples of counts; return the place of its comparison with 0."""
        from .parser import sum_with_zero

        return sum_with_zero(self, self._parse(text, self.predicates, {}))

    def number(self, text: str) -> Place:
        """Parse an expression in i and n."""
        place = self._parse(text, {}, NUMBER_VARIABLES)
        expect(self.is_number(place) and self.leaves(place) <= {"i", "n", "~"}, "expected a number")
        return place

    def _parse(self, text: str, predicates: Mapping[str, Place], variables: Mapping[str, str]) -> Place:
        from .parser import Parser  # not loaded for claims without formulas

        return Parser(self, predicates, variables).parse(text)

    def value(self, text: str) -> Place:
        """Parse a value: an expression in i and n, or ``[formula]`` or ``[formula](i-1)``, positional."""
        bracket = re.fullmatch(r"\[(.*)\](\(i-1\))?", text, re.DOTALL)
        if bracket is None:
            return self.number(text)
        inner = self.formula(bracket[1])
        expect(self.is_positional(inner), "a bracket speaks of more than the position")
        return self.make("shift", inner) if bracket[2] else inner

    def value_at(self, place: Place, n: int, i: int) -> Fraction:
        """Return the exact value at (n, i) of a number, or the truth (1 or 0) of a positional formula."""
        return self.values.value_at(place, n, i)

    def enclose_at(self, place: Place, n: int, i: int) -> Enclosure:
        """Enclose the value at (n, i); both ends are equal if it is exact."""
        return ends_of(self.values.enclose_at(place, n, i))

    def holds_at(self, place: Place, n: int, i: int) -> bool:
        """Return whether a positional formula holds at (n, i)."""
        return self.values.value_at(place, n, i) == 1

    def holds_of_sum(self, place: Place, n: int, number: Fraction | int) -> bool:
        """Return whether a comparison of counts, or a predicate on a sum, holds at length n if its sum is `number`."""
        node = self.nodes[place]
        return self.holds_at(node.operands[0], n, int(number)) if node.operator == "on" else holds_at_sum(node, number)

    def check_positive(self, place: Place, n: int) -> None:
        """Check that a temperature is positive at every position of words of length n (without i: at position 1)."""
        for i in range(1, n + 1 if "i" in self.leaves(place) else 2):
            value, _ = self.enclose_at(place, n, i)
            require(value > 0, "it is {} at n = {}, i = {}", value, n, i)

    def settle(self, places: Collection[Place], n: int, i: int) -> dict[Place, bool]:
        """Return the truths at (n, i) of the positional ones of these formulas."""
        self.budget.spend(len(places) >> 1)
        return {place: self.holds_at(place, n, i) for place in places if self.is_positional(place)}

    def connect(self, order: Sequence[Place], given: Mapping[Place, bool]) -> dict[Place, bool]:
        """Return the given truths and those of connectives of them; ``order`` has operands first."""
        self.budget.spend(1 + len(order))
        truths = dict(given)
        for place in order:
            if place not in truths:
                truths[place] = connect_one(self, place, truths)
        return truths

    def write(self, place: Place) -> list[str]:
        """Return a formula in full, with brackets that show its structure; more lines if repeated parts are named."""
        from .printing import write_formula

        return write_formula(self, place)

    def write_short(self, place: Place) -> str:
        """Return a formula down to some depth, for messages."""
        from .printing import write_short

        return write_short(self, place)

    def write_definition(self, name: str) -> str:
        """Return the definition of a user's predicate as text."""
        from .definitions import write_definition

        return write_definition(self, name, self.predicates[name])

    def symbols(self) -> set[str]:
        """Return all symbols that formulas mention."""
        return {str(node.data[0]) for node in self.nodes if node.operator == "Q"}
