"""Attention: one integer variable per position for its cost w * (bound - err), scaled and rounded down to a few bits.

Z3 proves that the sum is not negative on any input with the given truth of the target. Rows (n, i) whose inputs have
equal meanings are proved together by the lower hull of their costs, and in smaller groups where that is too weak.
"""

from collections.abc import Callable, Collection, Sequence
from fractions import Fraction
from typing import Any

import z3

from constructions.language.positional import positional_truth
from constructions.language.printer import format_briefly
from constructions.language.syntax import Comparison, Formula, Predicate
from proofs.formula.attention.costs import FINE_BITS, ROUGH_BITS, Costs, SweepRow, rows_of
from proofs.formula.attention.obligation import AttentionObligation
from proofs.formula.attention.second_by_windows import find_groups_left
from proofs.formula.attention.windows import AllWindows
from proofs.formula.common.letters import spread
from proofs.formula.common.reading import RowGroup
from proofs.formula.common.targets import Target
from proofs.formula.transcript import Record, ignore
from proofs.formula.z3.solver import SolverQuery, choose, integer, one_of, total
from proofs.formula.z3.unfolding import Unfolding


def proves_attention(obligation: AttentionObligation, bound: Fraction, record: Record = ignore,
                     windows: AllWindows | None = None, truths: Collection[bool] = (False, True),
                     bits: int = FINE_BITS, close: bool = False) -> bool:
    """Return whether Z3 proves that the error is at most ``bound`` at every row where the target has one of ``truths``.

    Rows whose windows are strong enough are proved by these; all others, under softmax only, letter by letter. Costs
    have few bits, or ``bits`` where few do not suffice or the error is ``close`` to the bound.

    False means that Z3 found an input for a single row; then, under softmax, the bound is false up to rounding.
    ``record`` gets the questions that are proved: if the result is True, they are the proof.

    Raises:
        Undecided: if Z3 gives up.
    """
    found = find_groups_left(obligation, bound, windows or AllWindows(obligation), record)
    left = {truth: found[truth] for truth in truths}
    if not obligation.head.weighting.is_softmax:  # the error is not a sum over letters
        return not any(left.values())
    return all(_proves_groups(obligation, groups, truth, bound, record, bits, close)
               for truth, groups in left.items() if groups)


def _proves_groups(obligation: AttentionObligation, groups: Sequence[RowGroup], truth: bool, bound: Fraction,
                   record: Record, bits: int, close: bool) -> bool:
    """Return whether Z3 proves the rows of these groups, each problem once."""
    rows: dict[tuple[int, ...], SweepRow] = {}
    for group in groups:
        for row in rows_of(obligation.reading.sweep(group)):
            rows.setdefault(tuple(step.number for step in row.steps), row)
    ordered = sorted(rows.values(), key=lambda row: (len(row.steps), row.n))
    return _proves_rows(obligation, ordered, truth, bound, Costs(ordered, bits), record, close)


def _proves_rows(obligation: AttentionObligation, rows: list[SweepRow], truth: bool, bound: Fraction, costs: Costs,
                 record: Record, close: bool) -> bool:
    """Return whether Z3 proves the rows, in groups by their hulls; where a hull is too weak, groups are halved."""
    largest = len(rows)
    start = 0
    while start < len(rows):
        group = _group(rows, start, largest)
        few = costs.bits if close else ROUGH_BITS
        question = _ask(obligation, group, truth, costs.hull(group, truth, bound, few), bound)
        proved = question.is_proved()
        if not proved and len(group) > 1:
            largest = len(group) // 2
            continue
        if not proved and not close:
            question = _ask(obligation, group, truth, costs.hull(group, truth, bound, costs.bits), bound)
            proved = question.is_proved()
        if not proved:
            return False
        record(question)
        start += len(group)
    return True


def proves_row(obligation: AttentionObligation, row: SweepRow, truth: bool, costs: list[list[int]]) -> bool:
    """Return whether Z3 proves the bound for a row, from the exact costs by position (nearest first) and option."""
    return _ask(obligation, [row], truth, costs, obligation.allowed_error).is_proved()


def _group(rows: list[SweepRow], start: int, largest: int) -> list[SweepRow]:
    """Return at most ``largest`` compatible rows from ``start`` on, each less than twice as long as the first."""
    end = start + 1
    while (end < len(rows) and end - start < largest and len(rows[end].steps) < 2 * len(rows[start].steps)
           and _compatible(rows[end - 1], rows[end])):
        end += 1
    return rows[start:end]


def _compatible(shorter: SweepRow, longer: SweepRow) -> bool:
    return longer.shape[:len(shorter.steps)] == shorter.shape


def _ask(obligation: AttentionObligation, rows: list[SweepRow], truth: bool, hull: list[list[int]],
         bound: Fraction) -> SolverQuery:
    """Ask whether some row has a sum of costs < 0 on some input; ``hull`` has the costs by position and option."""
    target, letters, longest = obligation.target, obligation.letters, rows[-1]
    given: list[Any] = []
    present = [z3.Bool(f"present_{k}") for k in range(len(hull))]
    shortest = min(len(row.steps) for row in rows)
    given += [present[k] for k in range(shortest)]
    given += [z3.Implies(present[k], present[k - 1]) for k in range(1, len(hull))]
    atoms = [[z3.Bool(f"atom_{k}_{a}") for a in range(len(target.atoms))] for k in range(len(hull))]
    costs = [z3.Int(f"cost_{k}") for k in range(len(hull))]
    for k, step in enumerate(longest.steps):
        by_assignment = spread(letters, [hull[k][choice] for choice in step.choices])
        if len(letters) < len(by_assignment):
            given.append(one_of(letters, atoms[k]))
        given += [costs[k] >= integer(min(0, *by_assignment)), costs[k] <= integer(max(0, *by_assignment))]
        given.append(costs[k] == z3.If(present[k], choose(atoms[k], by_assignment), z3.IntVal(0)))
    return SolverQuery(_describe(rows, truth, bound), _legend(target), tuple(given),
                       _target_truth(target, longest, atoms, present) == truth, total(costs) < 0)


def _describe(rows: list[SweepRow], truth: bool, bound: Fraction) -> str:
    """Return in words what a proof of the question shows."""
    first, last = rows[0], rows[-1]
    which = f"the row n = {first.n}, i = {first.i}" if len(rows) == 1 else (
        f"{len(rows)} rows from n = {first.n}, i = {first.i} to n = {last.n}, i = {last.i}")
    return f"the error is at most {bound} in {which}, on every input on which the target is {str(truth).lower()}"


def _legend(target: Target) -> tuple[str, ...]:
    """Return the meanings of the variables in the questions about this target."""
    side = "left" if target.past else "right"
    return (
        f"present_k: the position at distance k to the {side} of the row's own is visible",
        *(f"atom_k_{a}: {format_briefly(atom)} there" for a, atom in enumerate(target.atoms)),
        "cost_k: its weight times (bound - error of its value), rounded down, least of the rows; rescaled such that",
        "        the sign of the sum is unchanged. A negative sum is an error above the bound.",
    )


def _target_truth(target: Target, row: SweepRow, atoms: list[list[Any]], present: list[Any]) -> Any:
    """Return the truth of the target at the row, by unfolding its operators from the far end to the row."""
    memory: dict[Formula, Any] = {node: z3.BoolVal(False) for node in target.remembering}
    truth: Any = z3.BoolVal(False)
    for k in reversed(range(len(row.steps))):
        unfold = Unfolding(target, atoms[k], memory, _placed_at(row.steps[k].j, row.n))
        truth = unfold.target_truth
        memory = {node: z3.And(present[k], unfold.remembered(node)) for node in target.remembering}
    return truth


def _placed_at(j: int, n: int) -> Callable[[Predicate | Comparison], Any]:
    """Return a function that evaluates predicates at one position."""
    return lambda formula: z3.BoolVal(positional_truth(formula, j, n))
