"""The truth of a target at one position, from the atoms there and the memory, by the semantics of its operators."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import z3

from constructions.language import syntax
from proofs.formula.common.targets import Target
from proofs.formula.z3.solver import connective_term


class Unfolding:
    """One position: the terms of the atoms, of the memory and of the predicates that hold there."""

    def __init__(self, target: Target, atoms: Sequence[Any], memory: Mapping[syntax.Formula, Any],
                 placed: Callable[[syntax.Predicate | syntax.Comparison], Any]):
        """Store the terms: ``memory`` has the remembered truth of each operator, ``placed`` evaluates predicates."""
        self._target, self._atoms, self._memory, self._placed = target, atoms, memory, placed

    def truth(self, formula: syntax.Formula, at_root: bool = False) -> Any:
        """Return the truth of a subformula of the target; with ``at_root``, it is not treated as an atom."""
        if not at_root and formula in self._target.atoms:
            return self._atoms[self._target.atoms.index(formula)]
        match formula:
            case syntax.Predicate() | syntax.Comparison():
                return self._placed(formula)
            case syntax.Since(left, right) | syntax.Until(left, right):
                return z3.And(self.truth(left), z3.Or(self.truth(right), self._memory[formula]))
            case syntax.Previous() | syntax.Next():
                return self._memory[formula]
        return connective_term(formula, [self.truth(part) for part in syntax.operands_of_connective(formula)], 0, 0)

    def remembered(self, node: syntax.Formula) -> Any:
        """Return the truth that an operator remembers after this position."""
        match node:
            case syntax.Previous(operand) | syntax.Next(operand):
                return self.truth(operand)
        return self.truth(node, at_root=True)

    @property
    def target_truth(self) -> Any:
        """The truth of the target."""
        return self.truth(self._target.formula, at_root=True)
