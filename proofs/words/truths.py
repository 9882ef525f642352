"""The cases of a claim that hold, for many words of one length at once: formulas part by part, as columns of truths.

``cases_at`` (tracking.py) computes the same for one word and one place; this also supports future formulas.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from constructions.language import syntax
from constructions.language.predicates import definition_of
from constructions.language.semantics import RELATIONS
from constructions.trained.claim import WordsClaim

Truths = NDArray[np.bool_]
Letters = NDArray[np.integer]

LARGEST = 2**62


class CasesOfWords:
    """The cases of one claim, evaluated on words."""

    def __init__(self, claim: WordsClaim) -> None:
        self.claim = claim
        automaton = claim.automaton
        self.steps = None if automaton is None else np.array(automaton.steps, dtype=np.intp)
        self.parts = dict.fromkeys(syntax.postorder_of_all(claim.formulas, syntax.operands))

    def hold(self, words: Letters) -> Truths:
        """Return [B, n + 1, cases]: whether each case holds at each place 0 … n of words [B, n] of letter indices."""
        count, n = words.shape
        truths = self._truths(words) if n else {}
        states = self._states(words)
        holds = np.ones((count, n + 1, len(self.claim.cases)), dtype=np.bool_)
        for index, case in enumerate(self.claim.cases):
            if case.when.formula is not None:
                holds[:, 0, index] = False
                holds[:, 1:, index] = truths[case.when.formula] if n else False
            if case.when.states is not None:
                holds[:, :, index] &= np.isin(states, case.when.states)
        return holds

    def _states(self, words: Letters) -> Letters:
        """Return the automaton's states at each place [B, n + 1]; 0 without an automaton."""
        states = np.zeros((words.shape[0], words.shape[1] + 1), dtype=np.intp)
        if self.claim.automaton is not None and self.steps is not None:
            states[:, 0] = self.claim.automaton.start
            for place in range(words.shape[1]):
                states[:, place + 1] = self.steps[states[:, place], words[:, place]]
        return states

    def _truths(self, words: Letters) -> Mapping[syntax.Formula, Truths]:
        """Return the truths [B, n] of all parts of the formulas."""
        columns = TruthsOfWords(self.claim.letter_index, words)
        for part in self.parts:
            columns.truths[part] = columns.truth(part)
        return columns.truths


class TruthsOfWords:
    """Words [B, n] of indices of letters, and the truths of the parts so far."""

    def __init__(self, letters: Mapping[str, int], words: Letters) -> None:
        self.letters, self.words, self.n = letters, words, words.shape[1]
        self.truths: dict[syntax.Formula, Truths] = {}

    def of(self, formula: syntax.Formula) -> Truths:
        """Return the truths [B, n] of a formula."""
        for part in syntax.postorder(formula, syntax.operands):
            if part not in self.truths:
                self.truths[part] = self.truth(part)
        return self.truths[formula]

    def truth(self, part: syntax.Formula) -> Truths:
        """Return the truth [B, n] of a part whose operands have their truths."""
        parts = [self.truths[operand] for operand in syntax.operands(part)]
        match part:
            case syntax.Constant(value):
                return np.full(self.words.shape, value)
            case syntax.Symbol(symbol):
                return np.asarray(self.words == self.letters.get(symbol, -1))
            case syntax.Not():
                return ~parts[0]
            case syntax.And():
                return parts[0] & parts[1]
            case syntax.Or():
                return parts[0] | parts[1]
            case syntax.Implies():
                return ~parts[0] | parts[1]
            case syntax.Iff():
                return np.asarray(parts[0] == parts[1])
        return self._temporal(part, parts)

    def _temporal(self, part: syntax.Formula, parts: list[Truths]) -> Truths:
        never = np.zeros((len(self.words), 1), dtype=np.bool_)
        match part:
            case syntax.Previous():
                return np.concatenate([never, parts[0][:, :-1]], 1)
            case syntax.Next():
                return np.concatenate([parts[0][:, 1:], never], 1)
            case syntax.Since():
                return _since(*parts)
            case syntax.Until():
                return _since(parts[0][:, ::-1], parts[1][:, ::-1])[:, ::-1]
        return self._counting(part)

    def _counting(self, part: syntax.Formula) -> Truths:
        match part:
            case syntax.Predicate(parameters=parameters):
                holds = definition_of(part).holds
                return np.tile([holds(i, self.n, parameters) for i in range(1, self.n + 1)], (len(self.words), 1))
            case syntax.PredicateOnCount(parameters=parameters, count=count):
                holds = definition_of(part).holds
                values, where = np.unique(self.count(count), return_inverse=True)
                return np.array([holds(value, self.n, parameters) for value in values.tolist()])[where]
            case syntax.PredicateOnSum(parameters=parameters, term=term):
                holds = definition_of(part).holds
                values, where = np.unique(self._sum(term), return_inverse=True)
                return np.array([holds(value, self.n, parameters) for value in values.tolist()])[where]
            case syntax.Comparison(relation):
                relate: Any = RELATIONS[relation]  # the operators take arrays, too
                return np.asarray(relate(self._sum(syntax.difference(part)), 0), dtype=np.bool_)
        raise TypeError(f"not a formula: {type(part).__name__}")

    def count(self, count: syntax.Count) -> Letters:
        """Return the values [B, n] of a count whose operand has its truths."""
        truths = self.truths[count.operand]
        if count.side == "left":
            return np.asarray(np.cumsum(truths, 1))
        return np.asarray(np.cumsum(truths[:, ::-1], 1)[:, ::-1])

    def _sum(self, term: syntax.Term) -> Letters:
        """Return the value of the term; Python integers where 64 bits might overflow."""
        reach = abs(term.constant) + self.n * sum(abs(number) for number, _ in term.coefficients)
        value: NDArray[Any] = np.full(self.words.shape, term.constant, dtype=np.int64 if reach < LARGEST else object)
        for number, count in term.coefficients:
            value = value + number * self.count(count).astype(value.dtype)
        return value


def _since(left: Truths, right: Truths) -> Truths:
    """Return ``left since right``, position by position."""
    truths = np.empty_like(left)
    before: Truths = np.zeros(len(left), dtype=np.bool_)
    for place in range(left.shape[1]):
        before = left[:, place] & (right[:, place] | before)
        truths[:, place] = before
    return truths
