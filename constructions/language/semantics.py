"""Semantics of formulas, by plain recursion on the definitions: the reference for all other evaluations.

Source      [SHA] Definitions 10, 14 and 19; each clause below reads like its line there.
Differs     ``prev`` is false at the first position and ``next`` at the last, where the source looks beyond the word.
            A predicate may be applied to a count of 0: see predicates.py.
"""

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence

from constructions.errors import InputError
from constructions.language import syntax
from constructions.language.predicates import definition_of

RELATIONS: Mapping[str, Callable[[int, int], bool]] = {
    "<=": operator.le, "<": operator.lt, ">=": operator.ge, ">": operator.gt, "==": operator.eq, "!=": operator.ne,
}  # fmt: skip


Row = tuple[bool, ...]
"""A truth value for each position; entry 0 is position 1."""


def truth_values(formula: syntax.Formula, word: Sequence[str]) -> Row:
    """Return whether ``word`` satisfies ``formula`` at each position; entry 0 is position 1.

    >>> from constructions.language.parser import parse_formula
    >>> truth_values(parse_formula("ODD(#<[Q_1])"), "0110")
    (False, True, False, False)
    """
    return TruthTable(word).values(formula)


def satisfies(formula: syntax.Formula, word: Sequence[str], i: int) -> bool:
    """Return whether ``word, i`` satisfies ``formula``; positions count from 1."""
    values = truth_values(formula, word)
    if not 1 <= i <= len(word):
        raise InputError(f"position {i}: expected one of 1..{len(word)}")
    return values[i - 1]


class TruthTable:
    """A word, and the truth values of the formulas evaluated so far and of their subformulas."""

    def __init__(self, word: Sequence[str]) -> None:
        """Begin with an empty table.

        Raises:
            InputError: if the word is empty.
        """
        if not word:
            raise InputError("word: found nothing, expected at least one symbol (words are not empty)")
        self.word = word
        self.n = len(word)
        self.positions = range(1, self.n + 1)
        self.table: dict[syntax.Formula, Row] = {}

    def values(self, formula: syntax.Formula) -> Row:
        """Return whether the word satisfies ``formula`` at each position; entry 0 is position 1."""
        return syntax.fold(formula, self.table, lambda part: tuple(self._row(part)))

    def _row(self, formula: syntax.Formula) -> Iterable[bool]:
        """Return the truth at each position of a formula whose operands are in the table."""
        match formula:
            case syntax.Constant(value):
                return (value for _ in self.positions)
            case syntax.Symbol(symbol):
                return (letter == symbol for letter in self.word)
            case syntax.Not(operand):
                return (not truth for truth in self.table[operand])
            case syntax.And(left, right):
                return map(operator.and_, self.table[left], self.table[right])
            case syntax.Or(left, right):
                return map(operator.or_, self.table[left], self.table[right])
            case syntax.Implies(left, right):
                return map(operator.le, self.table[left], self.table[right])
            case syntax.Iff(left, right):
                return map(operator.eq, self.table[left], self.table[right])
        return self._temporal_row(formula)

    def _temporal_row(self, formula: syntax.Formula) -> Iterable[bool]:
        """Return the row of a temporal formula; indices count from 0: ``left[j : i + 1]`` is the truth from j to i."""
        places = range(self.n)
        match formula:
            case syntax.Previous(operand):
                return (False, *self.table[operand][:-1])
            case syntax.Next(operand):
                return (*self.table[operand][1:], False)
            case syntax.Since(one, other):
                left, right = self.table[one], self.table[other]
                return (any(right[j] and all(left[j : i + 1]) for j in places if j <= i) for i in places)
            case syntax.Until(one, other):
                left, right = self.table[one], self.table[other]
                return (any(right[j] and all(left[i : j + 1]) for j in places if j >= i) for i in places)
        return (self._satisfies_counting(formula, i) for i in self.positions)

    def _satisfies_counting(self, formula: syntax.Formula, i: int) -> bool:
        match formula:
            case syntax.Predicate():
                return definition_of(formula).holds(i, self.n, formula.parameters)
            case syntax.PredicateOnCount(count=count):
                return definition_of(formula).holds(self._count(count, i), self.n, formula.parameters)
            case syntax.PredicateOnSum(term=term):
                return definition_of(formula).holds(self._term(term, i), self.n, formula.parameters)
            case syntax.Comparison(relation, left, right):
                return RELATIONS[relation](self._term(left, i), self._term(right, i))
        raise TypeError(f"not a formula: {type(formula).__name__}")

    def _count(self, count: syntax.Count, i: int) -> int:
        counted = self.table[count.operand]
        return sum(counted[:i] if count.side == "left" else counted[i - 1 :])

    def _term(self, term: syntax.Term, i: int) -> int:
        return sum(number * self._count(count, i) for number, count in term.coefficients) + term.constant


def counted_length(count: syntax.Count, i: int, n: int) -> int:
    """Return the number of positions in the range of the count.

    >>> from constructions.language.syntax import TRUE
    >>> counted_length(syntax.Count("left", TRUE), 2, 5), counted_length(syntax.Count("right", TRUE), 2, 5)
    (2, 4)
    """
    return i if count.side == "left" else n + 1 - i
