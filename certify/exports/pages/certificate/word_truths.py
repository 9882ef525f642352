"""The truth of formulas on many words of one length at once.

The same definitions as ``constructions.language.semantics``, column by column; a test compares the two.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from constructions.language import syntax
from constructions.language.predicates import definition_of
from constructions.language.semantics import RELATIONS

Array = npt.NDArray[Any]


class WordTruths:
    """Some words of one length, and the truths that were asked for, by word and position."""

    def __init__(self, words: Sequence[Sequence[str]]):
        """Nothing is asked yet."""
        self.words = np.array([list(word) for word in words], dtype=object)
        self.n = self.words.shape[1]
        self._table: dict[syntax.Formula, Array] = {}

    def of(self, formula: syntax.Formula) -> Array:
        """The truth of a formula at every position of every word."""
        for part in syntax.subformulas(formula):
            if part not in self._table:
                self._table[part] = self._find(part)
        return self._table[formula]

    def count(self, count: syntax.Count) -> Array:
        """The number that a count is at every position of every word."""
        counted: npt.NDArray[np.int64] = self.of(count.operand).astype(np.int64)
        if count.side == "left":
            return np.asarray(np.cumsum(counted, axis=1))
        backwards: Array = np.cumsum(counted[:, ::-1], axis=1)
        return backwards[:, ::-1]

    def _find(self, formula: syntax.Formula) -> Array:
        table = self._table
        match formula:
            case syntax.Constant(value):
                return np.full(self.words.shape, value)
            case syntax.Symbol(symbol):
                return np.asarray(self.words == symbol, dtype=bool)
            case syntax.Not(operand):
                return np.logical_not(table[operand])
            case syntax.And(left, right):
                return table[left] & table[right]
            case syntax.Or(left, right):
                return table[left] | table[right]
            case syntax.Implies(left, right):
                return np.logical_not(table[left]) | table[right]
            case syntax.Iff(left, right):
                return np.equal(table[left], table[right])
        return self._find_temporal(formula)

    def _find_temporal(self, formula: syntax.Formula) -> Array:
        table, edge = self._table, np.zeros((len(self.words), 1), dtype=bool)
        match formula:
            case syntax.Previous(operand):
                return np.hstack([edge, table[operand][:, :-1]])
            case syntax.Next(operand):
                return np.hstack([table[operand][:, 1:], edge])
            case syntax.Since(left, right):
                return _carried(table[left], table[right])
            case syntax.Until(left, right):
                return _carried(table[left][:, ::-1], table[right][:, ::-1])[:, ::-1]
        return self._find_counting(formula)

    def _find_counting(self, formula: syntax.Formula) -> Array:
        match formula:
            case syntax.Predicate(_, parameters):
                rule = definition_of(formula).holds
                row = [rule(i, self.n, parameters) for i in range(1, self.n + 1)]
                return np.tile(np.array(row, dtype=bool), (len(self.words), 1))
            case syntax.PredicateOnCount(_, parameters, count):
                rule = definition_of(formula).holds
                numbers: Array = np.array([rule(k, self.n, parameters) for k in range(self.n + 1)], dtype=bool)
                return np.asarray(numbers[self.count(count)])
            case syntax.PredicateOnSum(_, parameters, term):
                rule, sums = definition_of(formula).holds, self._term(term)
                found = {k: rule(int(k), self.n, parameters) for k in set(sums.flat)}
                return np.array([[found[k] for k in row] for row in sums], dtype=bool)
            case syntax.Comparison(relation, left, right):
                return np.asarray(RELATIONS[relation](self._term(left), self._term(right)), dtype=bool)
        raise TypeError(f"not a formula: {type(formula).__name__}")

    def _term(self, term: syntax.Term) -> Any:
        total = np.full(self.words.shape, term.constant, dtype=object)
        for number, count in term.coefficients:
            total = total + number * self.count(count)
        return total


def _carried(left: Array, right: Array) -> Array:
    """`since`, from the first position on."""
    found = np.zeros_like(left)
    held = np.zeros(len(left), dtype=bool)
    for place in range(left.shape[1]):
        held = left[:, place] & (right[:, place] | held)
        found[:, place] = held
    return found
