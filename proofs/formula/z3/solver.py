"""A fresh solver per question, numerals of any size, and formulas as Z3 terms."""

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
"""Z3's own word for it."""
QUICK_STEPS = 5_000_000
"""Steps of Z3 (its rlimit) after which a question is put to its solver with preprocessing: about a second."""


def new_solver() -> Any:
    """Return a solver of its own for each question: no state is carried over."""
    check_deadline()
    solver = z3.Solver()
    solver.set("timeout", TIMEOUT_MS)
    solver.set("ctrl_c", False)  # else Z3 swallows Ctrl-C, and may answer unknown for it
    return solver


def is_unsat(solver: Any) -> bool:
    """Whether the assertions contradict each other.

    Raises:
        Undecided: if Z3 gives up.
    """
    answer = solver.check()
    if answer == z3.unknown:
        raise Undecided(f"Z3: {solver.reason_unknown()}")
    return bool(answer == z3.unsat)


@dataclass
class Resources:
    """What a question may take, counted in steps of Z3 (its rlimit) and not in time, and what it ``used``."""

    limit: int | None = None
    used: int = 0

    def new_solver(self) -> Any:
        """Return a solver that gives up at the limit, and then at no time."""
        solver = new_solver()
        if self.limit is not None:
            solver.set("rlimit", self.limit)
            solver.set("timeout", NO_TIMEOUT)
        return solver

    def is_unsat(self, solver: Any) -> bool:
        """Whether the assertions contradict each other.

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
    """Terms that contradict each other if a bound holds: ``hypotheses`` and ``condition``, and the conclusion denied.

    The hypotheses say what inputs there are, the condition (True if there is none) which of them the conclusion is
    about. ``about`` says in words what is proved, and ``legend`` what the variables stand for.
    """

    about: str
    legend: tuple[str, ...]
    hypotheses: tuple[Any, ...]
    condition: Any
    denied: Any

    def is_proved(self) -> bool:
        """Whether no input that meets the condition denies the conclusion.

        Raises:
            Undecided: if Z3 gives up.
        """
        return are_contradictory(*self.hypotheses, self.condition, self.denied)

    def is_vacuous(self) -> bool:
        """Whether no input meets the condition at all.

        Raises:
            Undecided: if Z3 gives up.
        """
        return are_contradictory(*self.hypotheses, self.condition)


def all_proved(questions: Iterable[SolverQuery], record: Callable[[SolverQuery], None]) -> bool:
    """Whether all are proved; ``record`` gets those that are, up to the first that is not.

    Raises:
        Undecided: if Z3 gives up.
    """
    for question in questions:
        if not question.is_proved():
            return False
        record(question)
    return True


def are_contradictory(*terms: Any) -> bool:
    """Whether the terms contradict each other, by Z3's core alone; where that gives up, with its preprocessing.

    Preprocessing for integers takes a hundred times as long as the core on sums of bounded costs.

    Raises:
        Undecided: if Z3 gives up on either way.
    """
    check_deadline()
    quick = z3.SimpleSolver()
    quick.set("rlimit", QUICK_STEPS)
    quick.set("ctrl_c", False)
    quick.add(*terms)
    answer = quick.check()
    return bool(answer == z3.unsat) if answer != z3.unknown else is_unsat(solver_of(*terms))


def solver_of(*terms: Any) -> Any:
    """Return a fresh solver with these assertions."""
    solver = new_solver()
    solver.add(*terms)
    return solver


def integer(x: int) -> Any:
    """Return the numeral, whatever its length: Python refuses to print integers of more than 4,300 digits."""
    return z3.IntVal(str(fmpz(x)))


def rational(x: Fraction) -> Any:
    """Return the numeral of a rational."""
    return z3.RealVal(f"{fmpz(x.numerator)}/{fmpz(x.denominator)}")


def total(terms: Sequence[Any]) -> Any:
    """Return the sum; other solvers refuse a sum, a conjunction or a disjunction of one term, which Z3 would write."""
    return terms[0] if len(terms) == 1 else z3.Sum(list(terms))


def all_of(terms: Sequence[Any]) -> Any:
    """Return the conjunction."""
    return terms[0] if len(terms) == 1 else z3.And(*terms)


def any_of(terms: Sequence[Any]) -> Any:
    """Return the disjunction."""
    return terms[0] if len(terms) == 1 else z3.Or(*terms)


def one_of(letters: Sequence[Sequence[bool]], atoms: Sequence[Any]) -> Any:
    """That the atoms have the truths of one of the letters."""
    return any_of([all_of([atom == z3.BoolVal(truth) for atom, truth in zip(atoms, letter, strict=True)])
                   for letter in letters])


def choose(atoms: Sequence[Any], values: Sequence[int]) -> Any:
    """Return the value that belongs to the assignment of the atoms, as nested conditionals."""
    if len(set(values)) == 1:
        return integer(values[0])
    half = len(values) // 2
    return z3.If(atoms[0], choose(atoms[1:], values[half:]), choose(atoms[1:], values[:half]))


def connective_term(formula: Formula, parts: list[Any], i: int, n: int) -> Any:
    """A connective, constant, predicate or comparison without counts at (n, i), over the terms of its operands."""
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
