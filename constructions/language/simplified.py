"""Constructors of formulas that fold constants: equivalent to the plain ones at every position of every word.

Claim       Each function returns a formula with the truth of the node it is named for. It is smaller if an operand is
            true or false, or if the two operands are equal or one is the negation of the other.
"""

from collections.abc import Iterable
from functools import reduce

from constructions.language.syntax import FALSE, TRUE, And, Formula, Iff, Implies, Next, Not, Or, Previous, Since, Until


def negation(operand: Formula) -> Formula:
    """Return ``!operand``.

    >>> from constructions.language.syntax import Symbol
    >>> negation(negation(Symbol("a"))), negation(TRUE)
    (parse_formula('Q_a'), parse_formula('false'))
    """
    if operand in (TRUE, FALSE):
        return FALSE if operand is TRUE else TRUE
    return operand.operand if isinstance(operand, Not) else Not(operand)


def conjunction(left: Formula, right: Formula) -> Formula:
    """Return ``left & right``."""
    if left is right or right is TRUE:
        return left
    if left is TRUE:
        return right
    return FALSE if FALSE in (left, right) or left is negation(right) else And(left, right)


def disjunction(left: Formula, right: Formula) -> Formula:
    """Return ``left | right``."""
    if left is right or right is FALSE:
        return left
    if left is FALSE:
        return right
    return TRUE if TRUE in (left, right) or left is negation(right) else Or(left, right)


def implication(left: Formula, right: Formula) -> Formula:
    """Return ``left -> right``."""
    if left is right or left is FALSE or right is TRUE:
        return TRUE
    if right is FALSE or right is negation(left):
        return negation(left)
    if left is TRUE:
        return right
    return Or(left.operand, right) if isinstance(left, Not) else Implies(left, right)


def equivalence(left: Formula, right: Formula) -> Formula:
    """Return ``left <-> right``."""
    if left is right:
        return TRUE
    if left is negation(right):
        return FALSE
    for one, other in ((left, right), (right, left)):
        if one in (TRUE, FALSE):
            return other if one is TRUE else negation(other)
    return Iff(left, right)


def conjunction_of(formulas: Iterable[Formula]) -> Formula:
    """Return the conjunction of all formulas."""
    everything: Formula = TRUE
    return reduce(conjunction, formulas, everything)


def disjunction_of(formulas: Iterable[Formula]) -> Formula:
    """Return the disjunction of all formulas."""
    nothing: Formula = FALSE
    return reduce(disjunction, formulas, nothing)


def previous(operand: Formula) -> Formula:
    """Return ``prev operand``."""
    return FALSE if operand is FALSE else Previous(operand)


def following(operand: Formula) -> Formula:
    """Return ``next operand``."""
    return FALSE if operand is FALSE else Next(operand)


def since(left: Formula, right: Formula) -> Formula:
    """Return ``left since right``; if right is true, this position is the witness."""
    return left if right is TRUE else FALSE if FALSE in (left, right) else Since(left, right)


def until(left: Formula, right: Formula) -> Formula:
    """Return ``left until right``; if right is true, this position is the witness."""
    return left if right is TRUE else FALSE if FALSE in (left, right) else Until(left, right)


def selection(branches: Iterable[tuple[Formula, Formula]]) -> Formula:
    """Return the result of the branch whose condition holds; exactly one condition holds.

    >>> from constructions.language.syntax import Symbol
    >>> a, b, c = map(Symbol, "abc")
    >>> selection([(a, FALSE), (b, c), (Not(Or(a, b)), FALSE)])
    parse_formula('Q_b & Q_c')
    """
    conditions: dict[Formula, Formula] = {}
    for condition, result in branches:
        conditions[result] = disjunction(conditions.get(result, FALSE), condition)
    if len(conditions) == 1:
        return next(iter(conditions))
    if TRUE in conditions and FALSE not in conditions:
        return conjunction_of(implication(condition, result) for result, condition in conditions.items())
    return disjunction_of(conjunction(condition, result) for result, condition in conditions.items())
