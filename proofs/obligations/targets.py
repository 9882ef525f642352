"""The automaton of a temporal formula: what it remembers from position to position while letters are read.

``since`` and ``until`` remember their own last value, ``prev`` and ``next`` the last value of their operand; before the
first letter everything remembered is false, which is exactly how these operators behave at the edge.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from constructions.language.positional import connective, positional_truth
from constructions.language.printer import format_formula
from constructions.language.syntax import (
    And,
    Comparison,
    Constant,
    Formula,
    Iff,
    Implies,
    Next,
    Not,
    Or,
    Predicate,
    Previous,
    Since,
    Symbol,
    Until,
    is_constant_comparison,
    operands,
)
from proofs.failures import NotDerived

MAX_ATOMS = 8
MAX_MEMORY = 6
Assignment = tuple[bool, ...]
"""The truth of each atom at one position."""


@dataclass(frozen=True)
class Target:
    """A formula decided by reading assignments to ``atoms``: from the left if ``past``, else from the right."""

    formula: Formula
    past: bool
    atoms: tuple[Formula, ...]
    remembering: tuple[Formula, ...]
    predicates: tuple[Predicate | Comparison, ...]

    def step(self, memory: int, assignment: Assignment, i: int, n: int) -> tuple[int, bool]:
        """The next memory and the truth of the formula at position i, memory being a bit set over ``remembering``."""
        reader = _Reader(self, memory, assignment, i, n)
        truth = reader.truth(self.formula, at_root=True)
        return sum(1 << k for k, node in enumerate(self.remembering) if reader.remembered(node)), truth

    def read_truth(self, formula: Formula, assignment: Assignment, i: int, n: int) -> bool:
        """The truth of a formula that the head reads, taken apart down to the atoms."""
        return _Reader(self, 0, assignment, i, n).truth(formula)


class _Reader:
    """Evaluation at one position, from the letter and the memory."""

    def __init__(self, target: Target, memory: int, assignment: Assignment, i: int, n: int):
        self.target = target
        self.memory = memory
        self.assignment = assignment
        self.i, self.n = i, n

    def truth(self, formula: Formula, at_root: bool = False) -> bool:
        if not at_root and formula in self.target.atoms:
            return self.assignment[self.target.atoms.index(formula)]
        match formula:
            case Predicate() | Comparison():
                return positional_truth(formula, self.i, self.n)
            case Since(left, right) | Until(left, right):
                return self.truth(left) and (self.truth(right) or self._last(formula))
            case Previous() | Next():
                return self._last(formula)
        value = connective(formula, tuple(self.truth(operand) for operand in operands(formula)))
        assert value is not None, formula
        return value

    def remembered(self, node: Formula) -> bool:
        match node:
            case Previous(operand) | Next(operand):
                return self.truth(operand)
        return self.truth(node, at_root=True)

    def _last(self, node: Formula) -> bool:
        return bool(self.memory >> self.target.remembering.index(node) & 1)


def build_target(formula: Formula, read: Iterable[Formula]) -> Target:
    """The automaton of ``formula`` over the atoms that suit a head reading the truths of ``read``.

    Raises:
        NotDerived: if past and future operators are mixed, none is there, counts occur, or there are too many atoms.
    """
    read = list(read)
    parts = _boolean_closure(read)
    atoms: dict[Formula, None] = {}
    remembering: dict[Formula, None] = {}
    predicates: dict[Predicate | Comparison, None] = {}
    entered: set[Formula] = set()

    def enter(node: Formula, root: bool, stop: Iterable[Formula]) -> None:
        constant = isinstance(node, Predicate | Constant) or is_constant_comparison(node)
        if not root and node in stop and not constant:
            atoms[node] = None
            return
        if node in entered:
            return
        entered.add(node)
        match node:
            case Predicate() | Comparison() if constant:
                predicates[node] = None
            case Constant():
                pass
            case Not() | And() | Or() | Implies() | Iff():
                for operand in operands(node):
                    enter(operand, False, stop)
            case Since() | Until() | Previous() | Next() if stop is parts:
                remembering[node] = None
                for operand in operands(node):
                    enter(operand, False, stop)
            case Symbol() | Since() | Until() | Previous() | Next():
                atoms[node] = None
            case _:
                raise NotDerived(f"{format_formula(node)} is not decided by an automaton of this version")

    enter(formula, True, parts)
    entered.clear()
    for part in read:
        enter(part, False, atoms)
    return Target(formula, _is_past(formula, remembering), _limited(atoms, MAX_ATOMS, "atoms"),
                  _limited(remembering, MAX_MEMORY, "temporal operators"), tuple(predicates))


def _boolean_closure(formulas: Iterable[Formula]) -> set[Formula]:
    pending, seen = list(formulas), set[Formula]()
    while pending:
        formula = pending.pop()
        if formula not in seen:
            seen.add(formula)
            if isinstance(formula, Not | And | Or | Implies | Iff):
                pending += operands(formula)
    return seen


def _is_past(formula: Formula, remembering: Iterable[Formula]) -> bool:
    sides = {isinstance(node, Since | Previous) for node in remembering}
    if len(sides) != 1:
        raise NotDerived(f"{format_formula(formula)}: a head's target has temporal operators of one direction, not "
                         + ("both" if sides else "none"))
    return sides.pop()


def _limited(found: dict[Formula, None], limit: int, what: str) -> tuple[Formula, ...]:
    if len(found) > limit:
        raise NotDerived(f"{len(found)} {what} in one head, at most {limit} are handled")
    return tuple(found)
