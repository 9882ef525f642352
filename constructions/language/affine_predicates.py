"""Predicates of a multiple: θ of a·k + b·n + c, as a predicate of k with a condition of its own.

Positions and counts are looked up one by one, so what is to be known of 2k + 1 has to be a predicate of k. Its name
says which one it is: ``PRIME_2_1(k) := PRIME(2*k+1)``.
"""

from __future__ import annotations

from dataclasses import dataclass

from constructions.language.arithmetic import NEGATE, Postfix
from constructions.language.expressions import parse_expression, substitute
from constructions.language.number_tests import NUMBER_TESTS
from constructions.language.predicates import PredicateDefinition, define
from constructions.language.syntax import Count, Formula, Predicate, PredicateOnCount

_VARIABLES = frozenset({"k", "n"})


@dataclass(frozen=True)
class NumericalPredicate:
    """SQUARE, POW2 or PRIME, whose ``definition`` is None, or a user's predicate."""

    name: str
    definition: PredicateDefinition | None = None

    def of_position(self) -> Formula:
        """It holds of the position."""
        return Predicate(self.name, (), self.definition)

    def of_count(self, count: Count) -> Formula:
        """It holds of the count."""
        return PredicateOnCount(self.name, (), count, self.definition)

    def of_multiple(self, factor: int, constant: int, lengths: int = 0) -> NumericalPredicate:
        """That it holds of factor · k + lengths · n + constant, as a predicate of k.

        >>> NumericalPredicate("PRIME").of_multiple(2, -1).definition.description
        'PRIME_2_m1(k) := PRIME(2*k-1)'

        Raises:
            InputError: if its condition is too long to be written.
        """
        if (factor, constant, lengths) == (1, 0, 0):
            return self
        numbers = (factor, constant, *([lengths] if lengths else []))
        name = "_".join([self.name, *(str(number).replace("-", "m") for number in numbers)])
        if self.definition is None:
            assert self.name in NUMBER_TESTS, f"no condition asks whether {self.name} holds of a number"
            condition = parse_expression(f"{self.name}(k)", _VARIABLES, boolean=True)
        else:
            assert self.definition.condition is not None, f"{self.name} is built in"
            condition = self.definition.condition
        return NumericalPredicate(name, define(name, substitute(condition, "k", _sum(factor, lengths, constant))))


def _sum(factor: int, lengths: int, constant: int) -> Postfix:
    """The program of factor · k + lengths · n + constant."""
    program: Postfix = ()
    for number, variable in ((factor, "k"), (lengths, "n"), (constant, "")):
        if number:
            summand: Postfix = ((abs(number),) if not variable else (variable,) if abs(number) == 1
                                else (abs(number), variable, "*"))
            negative = number < 0
            program = ((*program, *summand, "-" if negative else "+") if program
                       else (*summand, NEGATE) if negative else summand)
    return program or (0,)
