"""Feed-forward outputs: real inputs, counts as integers at any position of any word, ReLUs as conditionals."""

from __future__ import annotations

from typing import Any

import z3

from constructions.language.syntax import Count
from constructions.network.lengths import Lengths
from proofs.by_z3.solver import is_unsat, new_solver, rational
from proofs.feed_forward import Case, FeedForwardObligation


def proves_feed_forward(obligation: FeedForwardObligation, lengths: Lengths) -> bool:
    """Whether Z3 shows that the output is the expected number in every case, for all inputs that it allows.

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
    counts = _declare_counts(solver, obligation, lengths)
    errors = {name: z3.Real(f"error_{k}") for k, name in enumerate(obligation.counted)}
    for name, part in obligation.counted.items():
        solver.add(rational(part.error.lower) <= errors[name], errors[name] <= rational(part.error.upper))
    numbers = {name: z3.ToReal(counts[part.count]) + errors[name] for name, part in obligation.counted.items()}
    solver.add(value == output)
    solver.add(z3.Or(*(
        z3.And(value != rational(case.expected), *_confine(case, inputs, numbers, counts))
        for case in obligation.cases)))
    return is_unsat(solver)


def _declare_counts(solver: Any, obligation: FeedForwardObligation, lengths: Lengths) -> dict[Count, Any]:
    """The counts as integers at position i of a word of length n, both free."""
    i, n = z3.Int("i"), z3.Int("n")
    solver.add(i >= 1, i <= n, n >= lengths.first, n <= lengths.last)
    mentioned = [part.count for part in obligation.counted.values()] + [
        count for case in obligation.cases for term, _, _ in case.ranges for _, count in term.coefficients]
    counts = {count: z3.Int(f"count_{k}") for k, count in enumerate(dict.fromkeys(mentioned))}
    for count, number in counts.items():
        solver.add(number >= 0, number <= (i if count.side == "left" else n + 1 - i))
    return counts


def _confine(case: Case, inputs: dict[str, Any], numbers: dict[str, Any], counts: dict[Count, Any]) -> list[Any]:
    """What the case says of the inputs."""
    conditions = []
    for name, box in case.box:
        conditions += [rational(box.lower) <= inputs[name], inputs[name] <= rational(box.upper)]
    conditions += [inputs[name] == numbers[name] - int(here) for name, here in case.here]
    for term, least, most in case.ranges:
        total = z3.Sum([number * counts[count] for number, count in term.coefficients]) + term.constant
        conditions += [total >= least, total <= most]
    return conditions
