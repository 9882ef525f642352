"""Heads of additive weightings: the laws of letters over Booleans, response functions as sums of real variables.

ReLUs are Z3 conditionals; σ is enclosed by Arb, more finely than the exact method needs.
"""

from fractions import Fraction
from typing import Any

import z3

from constructions.language.positional import positional_truth
from constructions.language.printer import format_briefly
from constructions.language.syntax import Formula
from constructions.network.weightings import Response
from proofs.formula.additive.obligation import PositionLetters, SelectingObligation
from proofs.formula.additive.responses import ResponseFunction
from proofs.formula.additive.worst_case import ResponseObligation
from proofs.formula.transcript import Record, ignore
from proofs.formula.z3.solver import SolverQuery, all_proved, any_of, one_of, rational, total
from proofs.formula.z3.unfolding import Unfolding

EXTRA_BITS = 64
"""The additional precision of enclosures of σ."""
RESPONSE_LEGEND = (
    "w_d: the joint weight of the heads at the distance d",
    "t_d: w_d times the value there, which is in [0, 1]",
)


def proves_responses(obligation: ResponseObligation, bound: Fraction, bits: int, record: Record = ignore) -> bool:
    """Return whether Z3 proves that letters obey their law, and response functions are within the bound of 1 and 0.

    The exact method decided this with a precision of ``bits``.

    Raises:
        Undecided: if Z3 gives up.
    """
    questions = [_ask_response(function, bound, bits + EXTRA_BITS) for function in obligation.functions]
    if isinstance(obligation, SelectingObligation):
        questions += [_ask_law(obligation, context) for context in obligation.contexts]
    return all_proved(questions, record)


def _ask_response(function: ResponseFunction, bound: Fraction, bits: int) -> SolverQuery:
    """Ask whether for some values the sum errs by more than the bound, or is outside [0, 1]."""
    given, added = [], []
    peak: Any = None
    for k, d in enumerate(function.distances):
        weight, part = z3.Real(f"w_{k}"), z3.Real(f"t_{k}")
        given += _weighs(function, d, weight, bits)
        if d == function.peak:
            peak = weight
            continue
        given += [z3.Or(z3.And(part >= 0, part <= weight), z3.And(weight <= part, part <= 0))]
        added.append(part)
    rest = total(added) if added else z3.RealVal(0)
    wrong = [rest < 0, rest > rational(bound)]
    if peak is not None:
        wrong += [peak + rest < rational(1 - bound), peak + rest > 1]
    ends = f"{function.distances[0]} to {function.distances[-1]}"
    about = f"the output errs by at most {bound}, and is in [0, 1], for d from {ends}"
    return SolverQuery(about, RESPONSE_LEGEND, tuple(given), z3.BoolVal(True), any_of(wrong))


def _weighs(function: ResponseFunction, d: int, weight: Any, bits: int) -> list[Any]:
    """Return the constraints on the weight at d."""
    if function.response is Response.SIGMOID:
        ends = function.weight(d, bits)
        return [rational(ends.lower) <= weight, weight <= rational(ends.upper)]
    distance, parts = z3.RealVal(d), []
    for factor, slope, offset in function.parts:
        score = rational(slope) * distance + rational(offset)
        parts.append(rational(factor) * z3.If(score > 0, score, z3.RealVal(0)))
    return [weight == total(parts)]


def _ask_law(obligation: SelectingObligation, context: PositionLetters) -> SolverQuery:
    """Ask whether a letter breaks the law of the peak from some memory."""
    target = obligation.target
    atoms = [z3.Bool(f"atom_{a}") for a in range(len(target.atoms))]
    memory: dict[Formula, Any] = {node: z3.Bool(f"memory_{k}") for k, node in enumerate(target.remembering)}
    unfold = Unfolding(target, atoms, memory,
                       lambda formula: z3.BoolVal(positional_truth(formula, context.j, context.n)))
    (node, before), = memory.items()
    after, truth = unfold.remembered(node), unfold.target_truth
    value = total([rational(context.base), *(
        rational(obligation.value[name]) * z3.If(unfold.truth(formula), z3.RealVal(1), z3.RealVal(0))
        for name, formula in obligation.read)])
    is_one, is_zero = value == 1, value == 0
    if obligation.peak:
        law = z3.And(z3.Or(is_one, is_zero), after == is_one, truth == before)
    else:
        law = z3.If(unfold.truth(obligation.count.operand),
                    z3.And(z3.Or(is_one, is_zero), after == is_one, truth == is_one),
                    z3.And(is_zero, after == before, truth == before))
    letters = one_of(obligation.letters, atoms) if atoms else z3.BoolVal(True)
    legend = (*(f"atom_{a}: {format_briefly(atom)}" for a, atom in enumerate(target.atoms)),
              "memory_0: what the operator remembers of the position before")
    about = "every letter obeys the law of " + ("the neighbour" if obligation.peak else "the last counted position")
    return SolverQuery(about, legend, (letters,), z3.BoolVal(True), z3.Not(law))
