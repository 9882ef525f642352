"""Directions whose value at (n, i) does not depend on the word, and formulas over positions alone."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from constructions.language.predicates import BUILTIN
from constructions.language.syntax import And, Constant, Formula, Iff, Implies, Not, Or, Predicate
from constructions.network.meanings import Meaning, Position, Truth, is_known
from proofs.failures import NotDerived


def predicate_holds(predicate: Predicate, i: int, n: int) -> bool:
    """A built-in predicate at position i of a word of length n.

    Raises:
        NotDerived: if the predicate is not built in.
    """
    if predicate.name not in BUILTIN:
        raise NotDerived(f"predicate {predicate.name} is not built in")
    return BUILTIN[predicate.name].holds(i, n, predicate.parameters)


def connective(formula: Formula, truths: tuple[bool, ...]) -> bool | None:
    """The truth of a Boolean connective from the truths of its operands; None if the formula is none."""
    match formula, truths:
        case Constant(value), ():
            return value
        case Not(), (a,):
            return not a
        case And(), (a, b):
            return a and b
        case Or(), (a, b):
            return a or b
        case Implies(), (a, b):
            return b or not a
        case Iff(), (a, b):
            return a == b
    return None


def positional_truth(formula: Formula, i: int, n: int) -> bool:
    """The truth at (n, i) of a formula built from predicates on the position, constants and connectives."""
    match formula:
        case Predicate():
            return predicate_holds(formula, i, n)
        case Not(operand):
            operand_truths: tuple[bool, ...] = (positional_truth(operand, i, n),)
        case And(left, right) | Or(left, right) | Implies(left, right) | Iff(left, right):
            operand_truths = (positional_truth(left, i, n), positional_truth(right, i, n))
        case _:
            operand_truths = ()
    truth = connective(formula, operand_truths)
    assert truth is not None, f"not positional: {formula!r}"
    return truth


class KnownValues:
    """The exact value of every known direction at (n, i), computed once."""

    def __init__(self, directions: Mapping[str, Meaning]):
        """The known directions among ``directions``; the others are not looked up here."""
        self._meanings = {name: meaning for name, meaning in directions.items() if is_known(meaning)}
        self._values: dict[tuple[str, int, int], Fraction] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._meanings

    def value(self, name: str, i: int, n: int) -> Fraction:
        """What the direction's meaning says it holds at position i of a word of length n."""
        key = (name, i, n)
        if key not in self._values:
            self._values[key] = self._evaluate(self._meanings[name], i, n)
        return self._values[key]

    def _evaluate(self, meaning: Meaning, i: int, n: int) -> Fraction:
        match meaning:
            case Position(value):
                return value.evaluate(i=i, n=n)
            case Truth(formula):
                return Fraction(positional_truth(formula, i, n))
        raise AssertionError(f"not known: {meaning}")
