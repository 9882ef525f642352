"""Feed-forward outputs: real inputs, counts as integers at any position of any word, ReLUs as conditionals."""

from __future__ import annotations

from typing import Any

import z3

from constructions.language.printer import format_count
from constructions.language.syntax import Count
from proofs.by_z3.solver import Question, all_of, any_of, rational, total
from proofs.obligations.feed_forward import FeedForwardObligation, InputCase
from proofs.transcript import Record, ignore


def proves_feed_forward(obligation: FeedForwardObligation, record: Record = ignore) -> bool:
    """Whether Z3 shows that the output is the expected number in every case, for all inputs that it allows.

    If it is, ``record`` gets the question that Z3 answered.

    Raises:
        Undecided: if Z3 gives up.
    """
    question = _ask(obligation)
    if proved := question.is_proved():
        record(question)
    return proved


def _ask(obligation: FeedForwardObligation) -> Question:
    """Whether the output is another number than the expected one in some case."""
    names = list(dict.fromkeys(name for reads, _, _ in obligation.units for name in reads))
    inputs = {name: z3.Real(f"x_{k}") for k, name in enumerate(names)}
    output: Any = rational(obligation.bias)
    for reads, bias, write in obligation.units:
        activation = total([rational(bias), *(rational(weight) * inputs[name] for name, weight in reads.items())])
        output = output + rational(write) * z3.If(activation > 0, activation, z3.RealVal(0))
    value = z3.Real("output")
    counts, given = _declare_counts(obligation)
    errors = {name: z3.Real(f"error_{k}") for k, name in enumerate(obligation.counted)}
    for name, part in obligation.counted.items():
        given += [rational(part.error.lower) <= errors[name], errors[name] <= rational(part.error.upper)]
    numbers = {name: z3.ToReal(counts[part.count]) + errors[name] for name, part in obligation.counted.items()}
    met = [z3.Bool(f"case_{k}") for k in range(len(obligation.cases))]
    given += [z3.Implies(here, all_of(confined)) for here, case in zip(met, obligation.cases, strict=True)
              if (confined := _confine(case, inputs, numbers, counts))]
    return Question(f"the output is exact in all of {len(met)} cases of its inputs",
                    _legend(names, list(obligation.counted), list(counts)), (*given, value == output),
                    any_of(met), any_of([z3.And(here, value != rational(case.expected))
                                        for here, case in zip(met, obligation.cases, strict=True)]))


def _legend(names: list[str], counted: list[str], counts: list[Count]) -> tuple[str, ...]:
    """What the names in the question stand for."""
    return (
        *(f"x_{k}: {name}" for k, name in enumerate(names)),
        *(f"count_{k}: {format_count(count)} at position i of a word of length n" for k, count in enumerate(counts)),
        *(f"error_{k}: what {name} holds, less the number it is near" for k, name in enumerate(counted)),
        "case_k: the inputs are as in case k",
        "output: the bias and what the units write",
    )


def _declare_counts(obligation: FeedForwardObligation) -> tuple[dict[Count, Any], list[Any]]:
    """The counts as integers at position i of a word of length n, both free, and what is known of them."""
    i, n = z3.Int("i"), z3.Int("n")
    lengths = obligation.lengths
    counts = {count: z3.Int(f"count_{k}") for k, count in enumerate(obligation.counts())}
    given = [i >= 1, i <= n, n >= lengths.first, n <= lengths.last] if counts else []
    for count, number in counts.items():
        given += [number >= 0, number <= (i if count.side == "left" else n + 1 - i)]
    return counts, given


def _confine(case: InputCase, inputs: dict[str, Any], numbers: dict[str, Any], counts: dict[Count, Any]) -> list[Any]:
    """What the case says of the inputs."""
    conditions = []
    for name, box in case.box:
        conditions += [rational(box.lower) <= inputs[name], inputs[name] <= rational(box.upper)]
    conditions += [inputs[name] == numbers[name] - int(here) for name, here in case.here]
    for term, least, most in case.ranges:
        number = total([factor * counts[count] for factor, count in term.coefficients]) + term.constant
        conditions += [number >= least, number <= most]
    return conditions
