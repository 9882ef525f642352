"""Questions as SMT-LIB 2.6 scripts for any solver, each with a script that must be satisfiable."""

from collections.abc import Iterator, Sequence
from typing import Any

import z3

from proofs.formula.z3.solver import SolverQuery, solver_of

_LOGICS = {
    frozenset[str](): "QF_UF",
    frozenset({"Int"}): "QF_LIA",
    frozenset({"Real"}): "QF_LRA",
    frozenset({"Int", "Real"}): "QF_LIRA",
}


def logic_of(question: SolverQuery) -> str:
    """Return the smallest of the standard logics that has all sorts of the question."""
    sorts = {str(sort) for sort in _sorts([*question.hypotheses, question.condition, question.denied])}
    return _LOGICS[frozenset(sorts - {"Bool"})]


def _sorts(terms: Sequence[Any]) -> Iterator[Any]:
    pending, seen = list(terms), set[int]()
    while pending:
        term = pending.pop()
        if term.get_id() not in seen:
            seen.add(term.get_id())
            pending += term.children()
            yield term.sort()


def script_of(question: SolverQuery, comment: Sequence[str]) -> str:
    """Return the script that is unsatisfiable if the bound holds: it denies the conclusion."""
    return _script(question, "unsat", comment, (question.condition,), (question.denied,))


def probe_of(question: SolverQuery, vacuous: bool, comment: Sequence[str]) -> str:
    """Return the script without the denial, which must be satisfiable: the proof is not by contradictory hypotheses.

    If the question is ``vacuous`` (no input satisfies the condition), the condition is left out.
    """
    return _script(question, "sat", comment, () if vacuous else (question.condition,))


def _script(question: SolverQuery, status: str, comment: Sequence[str], *parts: Sequence[Any]) -> str:
    terms = [term for term in (*question.hypotheses, *(term for part in parts for term in part))
             if not z3.is_true(term)]
    head = [
        *(f"; {line}" if line else ";" for line in comment),
        "(set-info :smt-lib-version 2.6)",
        f"(set-info :status {status})",
        f"(set-logic {logic_of(question)})",
    ]
    return "\n".join([*head, solver_of(*terms).sexpr().rstrip(), "(check-sat)", "(exit)", ""])
