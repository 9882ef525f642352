"""Heads of additive weightings: the laws of their letters as Booleans, and bumps as sums of real variables.

ReLUs are Z3's own conditionals; σ is enclosed by Arb, more finely than the exact method needs.
"""

from fractions import Fraction
from typing import Any

import z3

from constructions.language.positional import positional_truth
from constructions.language.printer import format_briefly
from constructions.language.syntax import Formula
from constructions.network.weightings import Response
from proofs.formula.additive.obligation import SelectingObligation, Situation
from proofs.formula.additive.responses import TentFunction
from proofs.formula.additive.worst_case import Bumpy
from proofs.formula.transcript import Record, ignore
from proofs.formula.z3.solver import SolverQuery, all_proved, any_of, one_of, rational, total
from proofs.formula.z3.unfolding import Unfolding

EXTRA_BITS = 64
"""σ is enclosed more finely than the exact method needs."""
BUMP_LEGEND = (
    "w_d: what the heads give together where the score is that of d",
    "t_d: w_d times the value there, which is from 0 to 1",
)


def proves_bumps(obligation: Bumpy, bound: Fraction, bits: int, record: Record = ignore) -> bool:
    """Whether Z3 shows that the letters keep their law, and that each bump is as near 1 and 0 as the bound says.

    The exact method decided it with so many ``bits``.

    Raises:
        Undecided: if Z3 gives up.
    """
    questions = [_ask_bump(bump, bound, bits + EXTRA_BITS) for bump in obligation.bumps]
    if isinstance(obligation, SelectingObligation):
        questions += [_ask_law(obligation, situation) for situation in obligation.situations]
    return all_proved(questions, record)


def _ask_bump(bump: TentFunction, bound: Fraction, bits: int) -> SolverQuery:
    """Whether some values make the sum err by more than the bound, or lie outside [0, 1]."""
    given, added = [], []
    peak: Any = None
    for k, d in enumerate(bump.distances):
        weight, part = z3.Real(f"w_{k}"), z3.Real(f"t_{k}")
        given += _weighs(bump, d, weight, bits)
        if d == bump.peak:
            peak = weight
            continue
        given += [z3.Or(z3.And(part >= 0, part <= weight), z3.And(weight <= part, part <= 0))]
        added.append(part)
    strayed = total(added) if added else z3.RealVal(0)
    wrong = [strayed < 0, strayed > rational(bound)]
    if peak is not None:
        wrong += [peak + strayed < rational(1 - bound), peak + strayed > 1]
    ends = f"{bump.distances[0]} to {bump.distances[-1]}"
    about = f"what is added errs by at most {bound}, and is in [0, 1], for d from {ends}"
    return SolverQuery(about, BUMP_LEGEND, tuple(given), z3.BoolVal(True), any_of(wrong))


def _weighs(bump: TentFunction, d: int, weight: Any, bits: int) -> list[Any]:
    """What is known of the weight at d."""
    if bump.response is Response.SIGMOID:
        ends = bump.weight(d, bits)
        return [rational(ends.lower) <= weight, weight <= rational(ends.upper)]
    distance, parts = z3.RealVal(d), []
    for factor, slope, offset in bump.parts:
        score = rational(slope) * distance + rational(offset)
        parts.append(rational(factor) * z3.If(score > 0, score, z3.RealVal(0)))
    return [weight == total(parts)]


def _ask_law(obligation: SelectingObligation, situation: Situation) -> SolverQuery:
    """Whether a letter, whatever was remembered, breaks the law of the peak."""
    target = obligation.target
    atoms = [z3.Bool(f"atom_{a}") for a in range(len(target.atoms))]
    memory: dict[Formula, Any] = {node: z3.Bool(f"memory_{k}") for k, node in enumerate(target.remembering)}
    unfold = Unfolding(target, atoms, memory,
                       lambda formula: z3.BoolVal(positional_truth(formula, situation.j, situation.n)))
    (node, before), = memory.items()
    after, truth = unfold.remembered(node), unfold.target_truth
    value = total([rational(situation.base), *(
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
    about = "every letter keeps the law of " + ("the neighbour" if obligation.peak else "the last that is counted")
    return SolverQuery(about, legend, (letters,), z3.BoolVal(True), z3.Not(law))
