"""One table of the language with what can be asked of it; the interface of the rest of the checker."""

import re
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction

from ..budget import Budget
from ..numbers import Enclosure, ends_of
from ..verdicts import expect, require
from .evaluation import Values, holds_at_sum
from .parser import Parser, read_formula, sum_with_zero
from .printing import write_formula, write_short
from .table import COUNTS, Place, Table
from .truths import connect_one

NUMBER_VARIABLES = {"i": "i", "n": "n"}


class Language(Table):
    """The table of all formulas, counts and numbers of a file; the user's predicates by name."""

    def __init__(self, budget: Budget) -> None:
        super().__init__(budget)
        self.values = Values(self)
        self.predicates: dict[str, Place] = {}  # and the entries of the table of formulas
        self._entries = 0

    def define(self, text: str) -> str:
        """Learns a predicate ``NAME(k) := condition`` or ``NAME(k,n) := condition``; its name."""
        from .definitions import read_predicate

        name, place = read_predicate(self, self.predicates, text)
        self.predicates[name] = place
        self.names.setdefault(place, name)
        return name

    def enter(self, text: str) -> Place:
        """Return the next entry of the table of formulas, from now on ``$1``, ``$2``, ..."""
        self._entries += 1
        place = self.predicates[f"${self._entries}"] = self.formula(text)
        return place

    def formula(self, text: str) -> Place:
        """Return the place of a formula that is written."""
        return read_formula(self, self.predicates, text)

    def count(self, text: str) -> Place:
        """Return the place of a count."""
        place = Parser(self, self.predicates, {}).parse(text)
        expect(self.nodes[place].operator in COUNTS, "expected a count")
        return place

    def term(self, text: str) -> Place:
        """Return the place of the comparison with 0 of a sum of integer multiples of counts."""
        return sum_with_zero(self, Parser(self, self.predicates, {}).parse(text))

    def number(self, text: str) -> Place:
        """Return the place of an expression in i and n."""
        place = Parser(self, {}, NUMBER_VARIABLES).parse(text)
        expect(self.is_number(place) and self.leaves(place) <= {"i", "n", "~"}, "expected a number")
        return place

    def value(self, text: str) -> Place:
        """Return the place of a value: an expression in i and n, or ``[formula]`` or ``[formula](i-1)``, positional."""
        bracket = re.fullmatch(r"\[(.*)\](\(i-1\))?", text, re.DOTALL)
        if bracket is None:
            return self.number(text)
        inner = self.formula(bracket[1])
        expect(self.is_positional(inner), "a bracket speaks of more than the position")
        return self.make("shift", inner) if bracket[2] else inner

    def value_at(self, place: Place, n: int, i: int) -> Fraction:
        """The value of a number, or the truth (1 or 0) of a positional formula, at (n, i), as `Values` has it."""
        return self.values.value_at(place, n, i)

    def enclose_at(self, place: Place, n: int, i: int) -> Enclosure:
        """Return the same, enclosed: both ends are the value where it is known exactly."""
        return ends_of(self.values.enclose_at(place, n, i))

    def holds_at(self, place: Place, n: int, i: int) -> bool:
        """Whether a positional formula holds at (n, i)."""
        return self.values.value_at(place, n, i) == 1

    def holds_of_sum(self, place: Place, n: int, number: Fraction | int) -> bool:
        """Whether a comparison, or a predicate on a sum, holds in words of length n where its sum is this number."""
        node = self.nodes[place]
        return self.holds_at(node.operands[0], n, int(number)) if node.operator == "on" else holds_at_sum(node, number)

    def check_positive(self, place: Place, n: int) -> None:
        """A temperature is positive at every position of words of length n; without i in it all are the first."""
        for i in range(1, n + 1 if "i" in self.leaves(place) else 2):
            value, _ = self.enclose_at(place, n, i)
            require(value > 0, "it is {} at n = {}, i = {}", value, n, i)

    def settle(self, places: Collection[Place], n: int, i: int) -> dict[Place, bool]:
        """Return the truths at (n, i) of those formulas that are positional."""
        self.budget.spend(len(places) >> 1)
        return {place: self.holds_at(place, n, i) for place in places if self.is_positional(place)}

    def connect(self, order: Sequence[Place], given: Mapping[Place, bool]) -> dict[Place, bool]:
        """Return the given truths and those of connectives of them, operands first."""
        self.budget.spend(1 + len(order))
        truths = dict(given)
        for place in order:
            if place not in truths:
                truths[place] = connect_one(self, place, truths)
        return truths

    def write(self, place: Place) -> list[str]:
        """Return a formula in full, with brackets that make its structure plain; more lines if parts must be named."""
        return write_formula(self, place)

    def write_short(self, place: Place) -> str:
        """Return a formula down to some depth, for messages."""
        return write_short(self, place)

    def write_definition(self, name: str) -> str:
        """Return a predicate and its condition."""
        from .definitions import write_definition

        return write_definition(self, name, self.predicates[name])

    def symbols(self) -> set[str]:
        """All symbols that formulas mention."""
        return {str(node.data[0]) for node in self.nodes if node.operator == "Q"}
