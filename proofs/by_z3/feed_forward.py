"""Feed-forward outputs: real variables in their boxes, ReLUs as conditionals."""

from __future__ import annotations

from typing import Any

import z3

from proofs.by_z3.solver import is_unsat, new_solver, rational
from proofs.feed_forward import FeedForwardObligation


def proves_feed_forward(obligation: FeedForwardObligation) -> bool:
    """Whether Z3 shows that the output is the expected number in every case, for all real inputs of the box.

    Raises:
        Undecided: if Z3 gives up.
    """
    solver = new_solver()
    names = list(dict.fromkeys(name for reads, _, _ in obligation.units for name in reads))
    inputs = {name: z3.Real(f"x_{k}") for k, name in enumerate(names)}
    output: Any = rational(obligation.bias)
    for reads, bias, write in obligation.units:
        activation = z3.Sum([rational(weight) * inputs[name] for name, weight in reads.items()]) + rational(bias)
        output = output + rational(write) * z3.If(activation > 0, activation, z3.RealVal(0))
    value = z3.Real("output")
    solver.add(value == output)
    solver.add(z3.Or(*(
        z3.And(value != rational(case.expected),
               *(rational(box.lower) <= inputs[name] for name, box in case.box),
               *(inputs[name] <= rational(box.upper) for name, box in case.box))
        for case in obligation.cases)))
    return is_unsat(solver)
