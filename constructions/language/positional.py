"""The truth of formulas that depend on the position and the length only.

The position may be 0, where counts can be but no position is: ``brackets.py`` needs it.
"""

from __future__ import annotations

from constructions.language.predicates import AppliedPredicate, definition_of
from constructions.language.semantics import RELATIONS
from constructions.language.syntax import (
    And,
    Comparison,
    Constant,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Predicate,
    difference,
    operands,
    subformulas,
)


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
    """The truth at (n, i) of a formula for which ``is_positional`` holds.

    >>> from constructions.language.parser import parse_formula
    >>> [positional_truth(parse_formula("ODD -> FIRST | 2 < 1"), i, 4) for i in range(1, 5)]
    [True, True, False, True]

    Raises:
        InputError: if the condition of a user's predicate has no value there.
    """
    match formula:
        case Predicate():
            return definition_of(formula).holds(i, n, formula.parameters)
        case Comparison(relation):
            term = difference(formula)
            assert not term.coefficients, f"not positional: {formula!r}"
            return RELATIONS[relation](term.constant, 0)
    truth = connective(formula, tuple(positional_truth(operand, i, n) for operand in operands(formula)))
    assert truth is not None, f"not positional: {formula!r}"
    return truth


def positional_truths(formula: Formula, positions: range, n: int) -> list[bool]:
    """The truths at these positions of a formula for which ``is_positional`` holds.

    >>> from constructions.language.parser import parse_formula
    >>> positional_truths(parse_formula("ODD -> FIRST | 2 < 1"), range(1, 5), 4)
    [True, True, False, True]

    Raises:
        InputError: as ``positional_truth`` at the first position without a truth.
    """
    if isinstance(formula, Predicate):
        holds, parameters = definition_of(formula).holds, formula.parameters
        return [holds(i, n, parameters) for i in positions]
    if isinstance(formula, Comparison):
        return [positional_truth(formula, 1, n)] * len(positions)
    columns = [positional_truths(operand, positions, n) for operand in operands(formula)]
    found = [connective(formula, truths) for truths in zip(*columns, strict=True)] if columns else (
        [connective(formula, ())] * len(positions))
    assert None not in found, f"not positional: {formula!r}"
    return [bool(truth) for truth in found]


def find_subformula_with_length(formula: Formula) -> AppliedPredicate | None:
    """The first predicate in ``formula``, innermost first, whose truth depends on n, or None.

    >>> from constructions.language.parser import parse_formula
    >>> find_subformula_with_length(parse_formula("ODD | #<[LAST] == 1"))
    parse_formula('LAST')
    """
    return next((part for part in subformulas(formula)
                 if isinstance(part, AppliedPredicate) and definition_of(part).depends_on_n), None)
