"""Interpreter of C-RASP programs, plainly by their definitions: to_formula.py is tested against it.

Source      docs/reference/crasp.md, "Meaning". Numbers are exact.
Limits      10,000,000 evaluations of an expression at a position; numbers of at most 1,000 digits.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate

from constructions.crasp import syntax
from constructions.crasp.predicates import UNARY, distance_of
from constructions.errors import InputError
from constructions.language.alphabets import check_word
from constructions.language.semantics import RELATIONS, truth_values
from constructions.language.terms import MAX_DIGITS

MAX_STEPS = 10_000_000

Value = bool | int
Row = tuple[Value, ...]
"""A value per position; entry 0 is the first position."""

_TOO_LARGE = 10**MAX_DIGITS
_OPERATIONS: Mapping[str, Callable[[int, int], int]] = {
    "&&": lambda left, right: bool(left and right), "||": lambda left, right: bool(left or right), **RELATIONS,
    "+": operator.add, "-": operator.sub, "*": operator.mul, "min": min, "max": max,
}  # fmt: skip


def run_counting_program(program: syntax.CountingProgram, word: Sequence[str]) -> dict[str, Row]:
    """Return the row of every definition, in their order.

    >>> from constructions.crasp.parser import parse_counting_program
    >>> run_counting_program(parse_counting_program('A = # "a"'), "aba"[:1])
    {'A': (1,)}

    Raises:
        InputError: if the word is empty or has a symbol outside the alphabet, or if a limit is exceeded.
    """
    check_word(word, program.alphabet)
    run = _ProgramRun(word)
    for definition in program.definitions:
        run.rows[definition.name] = run.row(definition.body)
    return run.rows


class _ProgramRun:
    """One word, and the rows computed so far."""

    def __init__(self, word: Sequence[str]) -> None:
        self.word = word
        self.rows: dict[str, Row] = {}
        self._steps = 0

    def row(self, expression: syntax.RaspExpression) -> Row:
        """Return the values of the expression along the word."""
        self._steps += len(self.word)
        if self._steps > MAX_STEPS:
            raise InputError(f"more than {MAX_STEPS} evaluations on this word, expected a shorter word or program")
        row = self._row(expression)
        if any(abs(value) >= _TOO_LARGE for value in row):
            raise InputError(f"a number of more than {MAX_DIGITS} digits, expected smaller ones")
        return row

    def _row(self, expression: syntax.RaspExpression) -> Row:
        match expression:
            case syntax.TruthValue(value) | syntax.Integer(value):
                return (value,) * len(self.word)
            case syntax.SymbolTest(symbol):
                return tuple(letter == symbol for letter in self.word)
            case syntax.Name(name):
                return self.rows[name] if name in self.rows else truth_values(UNARY[name], self.word)
            case syntax.Not(operand):
                return tuple(not value for value in self.row(operand))
            case syntax.Negative(operand):
                return tuple(-value for value in self.row(operand))
            case syntax.CountTerm(guard, operand):
                return _counted(guard, self.row(operand))
            case syntax.Conditional(condition, chosen, otherwise):
                rows = zip(self.row(condition), self.row(chosen), self.row(otherwise), strict=True)
                return tuple(there if holds else elsewhere for holds, there, elsewhere in rows)
            case syntax.Connective(operation, left, right) | syntax.ComparisonTerm(operation, left, right):
                return self._joined(operation, left, right)
            case syntax.SumTerm(operation, left, right) | syntax.Extreme(operation, left, right):
                return self._joined(operation, left, right)
            case syntax.ProductTerm(left, right):
                return self._joined("*", left, right)
        raise TypeError(f"not an expression: {type(expression).__name__}")

    def _joined(self, operation: str, left: syntax.RaspExpression, right: syntax.RaspExpression) -> Row:
        return tuple(map(_OPERATIONS[operation], self.row(left), self.row(right)))


def _counted(guard: str | None, row: Row) -> Row:
    if guard is None:
        return tuple(accumulate(map(int, row)))
    distance = distance_of(guard)
    assert distance is not None, "types.py admits no other guard"
    return tuple(int(i >= distance and row[i - distance]) for i in range(len(row)))
