"""Find a word on which a head errs: atoms are constrained by the semantics of formulas on the word."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import z3

from constructions.language import syntax
from constructions.language.predicates import definition_of
from constructions.language.semantics import RELATIONS
from proofs.formula.attention.costs import FINE_BITS, compressed, room_of, rounded_cost
from proofs.formula.attention.worst_case import WeighedSweep
from proofs.formula.common.letters import realizable, spread
from proofs.formula.common.targets import Target
from proofs.formula.z3.solver import Resources, choose, connective_term


def find_word(target: Target, alphabet: Sequence[str], weighed: WeighedSweep, i: int, truth: bool,
              bound: Fraction, resources: Resources | None = None) -> tuple[str, ...] | None:
    """Find a word of length n on which the head certainly errs by more than ``bound`` at row i; None if none exists.

    Z3 is limited to ``resources``.

    Raises:
        Undecided: if Z3 gives up.
    """
    n = weighed.sweep.n
    resources = resources or Resources()
    solver = resources.new_solver()
    word = _Word(solver, alphabet, n)
    solver.add(word.truth(target.formula, i) == truth)
    rooms = room_of(weighed.sweep.steps, truth, bound)
    gains, choices, letters = [], [], realizable(target.atoms, alphabet)
    for step, room, weights in zip(weighed.sweep.steps, rooms, weighed.weights, strict=True):
        gains.append([rounded_cost(-each, weight, FINE_BITS) for each, weight in zip(room, weights, strict=True)])
        choices.append((step.choices, [word.truth(atom, step.j) for atom in target.atoms]))
        if step.j == i:
            break
    solver.add(z3.Sum([choose(atoms, spread(letters, [options[choice] for choice in assigned]))
                       for options, (assigned, atoms) in zip(compressed(gains, FINE_BITS), choices, strict=True)]) > 0)
    return None if resources.is_unsat(solver) else word.read(solver.model())


class _Word:
    """A word of length n with the truth of formulas at its positions, as Z3 Booleans."""

    def __init__(self, solver: Any, alphabet: Sequence[str], n: int):
        self.solver, self.alphabet, self.n = solver, alphabet, n
        self.letters = [[z3.Bool(f"letter_{j}_{k}") for k in range(len(alphabet))] for j in range(n)]
        for row in self.letters:
            solver.add(z3.PbEq([(letter, 1) for letter in row], 1))
        self._truths: dict[syntax.Formula, list[Any]] = {}

    def truth(self, formula: syntax.Formula, i: int) -> Any:
        for part in syntax.subformulas(formula):
            if part not in self._truths:
                self._truths[part] = self._define(part)
        return self._truths[formula][i - 1]

    def _define(self, formula: syntax.Formula) -> list[Any]:
        number = len(self._truths)
        parts = [self._truths[part] for part in syntax.operands(formula)]
        row = [z3.Bool(f"truth_{number}_{i}") for i in range(1, self.n + 1)]
        edge = z3.BoolVal(False)
        before, after = [edge, *row[:-1]], [*row[1:], edge]
        for i in range(self.n):
            match formula:
                case syntax.Symbol(symbol):
                    value: Any = self.letters[i][self.alphabet.index(symbol)] if symbol in self.alphabet else edge
                case syntax.Previous():
                    value = parts[0][i - 1] if i > 0 else edge
                case syntax.Next():
                    value = parts[0][i + 1] if i + 1 < self.n else edge
                case syntax.Since():
                    value = z3.And(parts[0][i], z3.Or(parts[1][i], before[i]))
                case syntax.Until():
                    value = z3.And(parts[0][i], z3.Or(parts[1][i], after[i]))
                case syntax.PredicateOnCount(count=count):
                    number_here = self._number(count, i)
                    value = z3.Or(*(number_here == k for k in range(self.n + 1)
                                    if definition_of(formula).holds(k, self.n, formula.parameters)))
                case syntax.PredicateOnSum(parameters=parameters, term=term):
                    total = z3.Sum([c * self._number(count, i) for c, count in term.coefficients]) + term.constant
                    reach = self.n * sum(abs(c) for c, _ in term.coefficients) + abs(term.constant)
                    value = z3.Or(*(total == k for k in range(-reach, reach + 1)
                                    if definition_of(formula).holds(k, self.n, parameters)))
                case syntax.Comparison(relation) if syntax.difference(formula).coefficients:
                    term = syntax.difference(formula)
                    total = z3.Sum([c * self._number(count, i) for c, count in term.coefficients]) + term.constant
                    value = RELATIONS[relation](total, 0)
                case _:
                    value = connective_term(formula, [part[i] for part in parts], i + 1, self.n)
            self.solver.add(row[i] == value)
        return row

    def _number(self, count: syntax.Count, i: int) -> Any:
        """Return the count at position i + 1."""
        row = self._truths[count.operand]
        return z3.Sum([z3.If(truth, 1, 0) for truth in (row[: i + 1] if count.side == "left" else row[i:])])

    def read(self, model: Any) -> tuple[str, ...]:
        return tuple(next(symbol for symbol, letter in zip(self.alphabet, row, strict=True)
                          if z3.is_true(model.eval(letter, model_completion=True))) for row in self.letters)
