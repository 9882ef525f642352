"""Feed-forward outputs: inputs, counts and truths as real variables, ReLUs as conditionals."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import z3

from constructions.language.printer import format_briefly, format_count
from constructions.language.syntax import Count, Formula
from proofs.enclosures.intervals import Interval
from proofs.formula.feed_forward.obligation import CountSum, FeedForwardObligation, InputCase
from proofs.formula.transcript import Record, ignore
from proofs.formula.z3.solver import SolverQuery, all_of, all_proved, any_of, rational, total

ZERO = Fraction(0)


@dataclass(frozen=True)
class CaseFamily:
    """Cases that differ in the numbers of some inputs, each of which is in its interval.

    The output must be ``expected``, or the value of the direction ``expected_input`` if given; or at least that if
    ``or_more``.
    """

    box: tuple[tuple[str, Interval], ...]
    expected: Fraction
    expected_input: str | None
    slack: tuple[tuple[str, bool], ...]
    or_more: bool
    values: tuple[int, int] | None


def proves_feed_forward(obligation: FeedForwardObligation, record: Record = ignore) -> bool:
    """Return whether Z3 proves that the output is the expected number in every case, for all of its inputs.

    Families come first: they contain all cases, and more, and are often far fewer. If they are not proved, the cases
    are tried. ``record`` gets the question that is proved.

    Raises:
        Undecided: if Z3 gives up.
    """
    cases = [CaseFamily(case.box, case.expected, None, case.slack, case.or_more, case.values)
             for case in obligation.cases]
    families = find_families(obligation)
    return any(all_proved([_ask(obligation, tried)], record)
               for tried in ([families, cases] if len(families) < len(cases) else [cases]))


def find_families(obligation: FeedForwardObligation) -> list[CaseFamily]:
    """Find families that cover every case: cases of a family are equal except for nonzero functions of the position."""
    by_shape: dict[tuple[object, ...], list[InputCase]] = {}
    for case in obligation.cases:
        shape = tuple((name, None if _is_free(obligation, name, box) else box) for name, box in case.box)
        by_shape.setdefault((shape, case.slack, case.or_more, case.values), []).append(case)
    families: list[CaseFamily] = []
    for cases in by_shape.values():
        families += _families_of(obligation, cases)
    return families


def _is_free(obligation: FeedForwardObligation, name: str, box: Interval) -> bool:
    return name in obligation.numbers and box.lower != 0


def _families_of(obligation: FeedForwardObligation, cases: list[InputCase]) -> Iterator[CaseFamily]:
    """Yield one family if all cases expect the value of one of their inputs, else one for each expected number."""
    first = cases[0]
    for name, box in first.box:
        if _is_free(obligation, name, box) and all(dict(case.box)[name].lower == case.expected for case in cases):
            yield _hull(cases, name)
            return
    by_number: dict[Fraction, list[InputCase]] = {}
    for case in cases:
        by_number.setdefault(case.expected, []).append(case)
    for some in by_number.values():
        yield _hull(some, None)


def _hull(cases: list[InputCase], expected_input: str | None) -> CaseFamily:
    first = cases[0]
    columns = zip(*([box for _, box in case.box] for case in cases), strict=True)
    hulls = [Interval(min(box.lower for box in boxes), max(box.upper for box in boxes)) for boxes in columns]
    box = tuple((name, hull) for (name, _), hull in zip(first.box, hulls, strict=True))
    return CaseFamily(box, first.expected, expected_input, first.slack, first.or_more, first.values)


def _ask(obligation: FeedForwardObligation, families: Sequence[CaseFamily]) -> SolverQuery:
    """Ask whether the output differs from the expected number in some family of cases."""
    names = list(dict.fromkeys(name for reads, _, _ in obligation.units for name in reads))
    inputs = {name: z3.Real(f"x_{k}") for k, name in enumerate(names)}
    output: Any = rational(obligation.bias)
    for reads, bias, write in obligation.units:
        activation = total([rational(bias), *(rational(weight) * inputs[name] for name, weight in reads.items())])
        output = output + rational(write) * z3.If(activation > 0, activation, z3.RealVal(0))
    value = z3.Real("output")
    parts = {part: z3.Real(f"part_{k}") for k, part in enumerate(obligation.parts())}
    given = [condition for k, (name, counted) in enumerate(obligation.counted.items())
             for condition in _hold_counts(inputs[name], counted, parts, z3.Real(f"error_{k}"))]
    counts = total([rational(ZERO), *(number * parts[count] for number, count in obligation.total.coefficients)])
    chosen = [z3.Bool(f"case_{k}") for k in range(len(families))]
    given += [z3.Implies(here, all_of(confined)) for here, family in zip(chosen, families, strict=True)
              if (confined := _confine(family, inputs, counts))]
    expected = [rational(family.expected) if family.expected_input is None else inputs[family.expected_input]
                for family in families]
    missed = [value < number if family.or_more else value != number
              for family, number in zip(families, expected, strict=True)]
    return SolverQuery(f"the output is exact in all of {len(obligation.cases)} cases of its inputs",
                       _legend(names, list(obligation.counted), list(parts)), (*given, value == output),
                       any_of(chosen), any_of([z3.And(here, miss) for here, miss in zip(chosen, missed, strict=True)]))


def _legend(names: list[str], counted: list[str], parts: list[Count | Formula]) -> tuple[str, ...]:
    """Return the meanings of the variables in the question."""
    shown = [format_count(part) if isinstance(part, Count) else f"the truth of {format_briefly(part)}"
             for part in parts]
    return (
        *(f"x_{k}: {name}" for k, name in enumerate(names)),
        *(f"part_{k}: {part} at position i of a word of length n" for k, part in enumerate(shown)),
        *(f"error_{k}: the value of {name} minus the exact number" for k, name in enumerate(counted)),
        "case_k: the inputs are as in case k, or in one of a family of cases",
        "output: the bias and the outputs of the units",
    )


def _hold_counts(held: Any, counted: CountSum, parts: Mapping[Count | Formula, Any], error: Any) -> list[Any]:
    """Return the conditions that a direction is the sum of its counts and truths, to within its error."""
    return [rational(counted.error.lower) <= error, error <= rational(counted.error.upper),
            held == total([error, *(number * parts[part] for part, number in counted.parts)])]


def _confine(case: CaseFamily, inputs: dict[str, Any], counts: Any) -> list[Any]:
    """Return the conditions of the case on the inputs, and on the sum of counts."""
    conditions = []
    for name, box in case.box:
        conditions += [rational(box.lower) <= inputs[name], inputs[name] <= rational(box.upper)]
    conditions += [inputs[name] == 0 if holds else inputs[name] >= 1 for name, holds in case.slack]
    conditions += [case.values[0] <= counts, counts <= case.values[1]] if case.values else []
    return conditions
