"""Predicates of an affine argument: θ(a·k + b·n + c) as a predicate of k with a condition of its own.

Positions and counts are looked up one by one, so a predicate of 2k + 1 has to be written as a predicate of k. Its name
shows the argument: ``PRIME_2_1(k) := PRIME(2*k+1)``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from constructions.language.arithmetic import NEGATE, Postfix
from constructions.language.expressions import Expression, parse_expression, substitute
from constructions.language.functions import NUMBER_TESTS
from constructions.language.predicate_definition import PredicateDefinition
from constructions.language.predicates import define
from constructions.language.syntax import Count, Formula, Predicate, PredicateOnCount, PredicateOnSum, Term

_VARIABLES = frozenset({"k", "n"})


@dataclass(frozen=True)
class NumericalPredicate:
    """The condition θ(factor · k + lengths · n + constant).

    θ is SQUARE, POW2 or PRIME, whose ``definition`` is None, or a user's predicate.
    """

    name: str
    definition: PredicateDefinition | None = None
    factor: int = 1
    constant: int = 0
    lengths: int = 0

    def of_multiple(self, factor: int, constant: int, lengths: int = 0) -> NumericalPredicate:
        """Return the predicate with factor · k + lengths · n + constant in place of k.

        >>> NumericalPredicate("PRIME").of_multiple(2, 1).of_multiple(3, -1).of_position()
        parse_formula('PRIME_6_m1')
        """
        return replace(self, factor=self.factor * factor, constant=self.constant + self.factor * constant,
                       lengths=self.lengths + self.factor * lengths)

    def of_position(self) -> Formula:
        """Return the predicate applied to the position."""
        name, definition = self._of_k()
        return Predicate(name, (), definition)

    def of_count(self, count: Count) -> Formula:
        """Return the predicate applied to the count."""
        name, definition = self._of_k()
        return PredicateOnCount(name, (), count, definition)

    def of_sum(self, term: Term) -> Formula:
        """Return the predicate applied to a sum of counts."""
        name, definition = self._of_k()
        return PredicateOnSum(name, (), term, definition)

    def _of_k(self) -> tuple[str, PredicateDefinition | None]:
        """Return the predicate of k.

        Raises:
            InputError: if its condition is too long.
        """
        if (self.factor, self.constant, self.lengths) == (1, 0, 0):
            return self.name, self.definition
        numbers = (self.factor, self.constant, *([self.lengths] if self.lengths else []))
        name = "_".join([self.name, *(str(number).replace("-", "m") for number in numbers)])
        condition = substitute(self._condition(), "k", _sum(self.factor, self.lengths, self.constant))
        return name, define(name, condition)

    def _condition(self) -> Expression:
        if self.definition is None:
            assert self.name in NUMBER_TESTS, f"no condition tests {self.name} of a number"
            return parse_expression(f"{self.name}(k)", _VARIABLES, boolean=True)
        assert self.definition.condition is not None, f"{self.name} is built in"
        return self.definition.condition


def _integer(number: int) -> Postfix:
    return (number,) if number >= 0 else (-number, NEGATE)


def _sum(factor: int, lengths: int, constant: int) -> Postfix:
    """Return the postfix program of factor · k + lengths · n + constant."""
    program: Postfix = ()
    for number, variable in ((factor, "k"), (lengths, "n"), (constant, "")):
        if number:
            shown = abs(number) if program else number
            summand = _integer(shown) if not variable else (variable,) if shown == 1 else (
                (variable, NEGATE) if shown == -1 else (*_integer(shown), variable, "*"))
            program = (*program, *summand, "-" if number < 0 else "+") if program else summand
    return program or (0,)
