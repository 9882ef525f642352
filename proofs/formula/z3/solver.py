"""A new solver per question, numerals of any size, and formulas as Z3 terms."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import z3
from flint import fmpz

from constructions.deadline import check_deadline
from constructions.language.positional import positional_truth
from constructions.language.syntax import And, Comparison, Constant, Formula, Iff, Implies, Not, Or, Predicate
from proofs.formula.failures import Undecided

TIMEOUT_MS = 60_000
NO_TIMEOUT = 2**32 - 1
"""Z3's value for no timeout."""
QUICK_STEPS = 5_000_000
"""Steps of Z3 (its rlimit), about a second, after which the solver with preprocessing is tried."""


def new_solver() -> Any:
    """Return a new solver, so that questions share no state."""
    check_deadline()
    solver = z3.Solver()
    solver.set("timeout", TIMEOUT_MS)
    solver.set("ctrl_c", False)  # else Z3 swallows Ctrl-C, and may answer unknown for it
    return solver


def is_unsat(solver: Any) -> bool:
    """Return whether the assertions are contradictory.

    Raises:
        Undecided: if Z3 gives up.
    """
    answer = solver.check()
    if answer == z3.unknown:
        raise Undecided(f"Z3: {solver.reason_unknown()}")
    return bool(answer == z3.unsat)


@dataclass
class Resources:
    """The limit of a question in steps of Z3 (its rlimit) instead of time, and the steps ``used``."""

    limit: int | None = None
    used: int = 0

    def new_solver(self) -> Any:
        """Return a solver that stops at the limit of steps, if there is one, and else at the timeout."""
        solver = new_solver()
        if self.limit is not None:
            solver.set("rlimit", self.limit)
            solver.set("timeout", NO_TIMEOUT)
        return solver

    def is_unsat(self, solver: Any) -> bool:
        """Return whether the assertions are contradictory.

        Raises:
            Undecided: if Z3 gives up.
        """
        before = _steps(solver)
        try:
            return is_unsat(solver)
        finally:
            self.used += _steps(solver) - before


def _steps(solver: Any) -> int:
    """Return the steps of all solvers so far."""
    return int(solver.statistics().get_key_value("rlimit count"))


@dataclass(frozen=True)
class SolverQuery:
    """Terms that are contradictory if a bound holds: ``hypotheses``, ``condition``, and the negated conclusion.

    The hypotheses define the inputs; the condition, which may be True, restricts them to those of the conclusion.
    ``about`` describes the conclusion in words, and ``legend`` the variables.
    """

    about: str
    legend: tuple[str, ...]
    hypotheses: tuple[Any, ...]
    condition: Any
    denied: Any

    def is_proved(self) -> bool:
        """Return whether the conclusion holds for all inputs that satisfy the condition.

        Raises:
            Undecided: if Z3 gives up.
        """
        return are_contradictory(*self.hypotheses, self.condition, self.denied)

    def is_vacuous(self) -> bool:
        """Return whether no input satisfies the condition.

        Raises:
            Undecided: if Z3 gives up.
        """
        return are_contradictory(*self.hypotheses, self.condition)


def all_proved(questions: Iterable[SolverQuery], record: Callable[[SolverQuery], None]) -> bool:
    """Return whether all questions are proved; ``record`` gets the proved ones, up to the first that is not.

    Raises:
        Undecided: if Z3 gives up.
    """
    for question in questions:
        if not question.is_proved():
            return False
        record(question)
    return True


def are_contradictory(*terms: Any) -> bool:
    """Return whether the terms are contradictory, by Z3's core; if that gives up, with preprocessing.

    Preprocessing for integers takes a hundred times as long as the core on sums of bounded costs.

    Raises:
        Undecided: if Z3 gives up in both ways.
    """
    check_deadline()
    quick = z3.SimpleSolver()
    quick.set("rlimit", QUICK_STEPS)
    quick.set("ctrl_c", False)
    quick.add(*terms)
    answer = quick.check()
    return bool(answer == z3.unsat) if answer != z3.unknown else is_unsat(solver_of(*terms))


def solver_of(*terms: Any) -> Any:
    """Return a new solver with these assertions."""
    solver = new_solver()
    solver.add(*terms)
    return solver


def integer(x: int) -> Any:
    """Return the numeral, of any length: Python does not print integers of more than 4,300 digits."""
    return z3.IntVal(str(fmpz(x)))


def rational(x: Fraction) -> Any:
    """Return the numeral of a rational."""
    return z3.RealVal(f"{fmpz(x.numerator)}/{fmpz(x.denominator)}")


def total(terms: Sequence[Any]) -> Any:
    """Return the sum; for one term Z3 would print a unary sum, which other solvers reject."""
    return terms[0] if len(terms) == 1 else z3.Sum(list(terms))


def all_of(terms: Sequence[Any]) -> Any:
    """Return the conjunction."""
    return terms[0] if len(terms) == 1 else z3.And(*terms)


def any_of(terms: Sequence[Any]) -> Any:
    """Return the disjunction."""
    return terms[0] if len(terms) == 1 else z3.Or(*terms)


def one_of(letters: Sequence[Sequence[bool]], atoms: Sequence[Any]) -> Any:
    """Return the condition that the atoms have the truths of one of the letters."""
    return any_of([all_of([atom == z3.BoolVal(truth) for atom, truth in zip(atoms, letter, strict=True)])
                   for letter in letters])


def choose(atoms: Sequence[Any], values: Sequence[int]) -> Any:
    """Return the value that belongs to the assignment of the atoms, as nested conditionals."""
    if len(set(values)) == 1:
        return integer(values[0])
    half = len(values) // 2
    return z3.If(atoms[0], choose(atoms[1:], values[half:]), choose(atoms[1:], values[:half]))


def connective_term(formula: Formula, parts: list[Any], i: int, n: int) -> Any:
    """Return the term of a connective, constant, predicate or comparison without counts, from those of its operands."""
    match formula:
        case Constant(value):
            return z3.BoolVal(value)
        case Predicate() | Comparison():
            return z3.BoolVal(positional_truth(formula, i, n))
        case Not():
            return z3.Not(parts[0])
        case And():
            return z3.And(*parts)
        case Or():
            return z3.Or(*parts)
        case Implies():
            return z3.Implies(*parts)
        case Iff():
            return parts[0] == parts[1]
    raise AssertionError(f"no encoding for {formula!r}")
