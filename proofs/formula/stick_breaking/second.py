"""Geometric and stick-breaking heads: an inductive invariant, confirmed step by step.

The invariant has bounds of o for each position that is read, and each memory there. Z3 proves that every letter leads
from an o within these bounds to an o within the next ones, and that o is near the truth at every row. The effect of a
letter on o is linear in its share, so the two ends of the enclosed share suffice.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import z3

from constructions.language.positional import positional_truth
from proofs.formula.attention.obligation import AttentionObligation
from proofs.formula.common.reading import RowGroup
from proofs.formula.common.sweeps import Step
from proofs.formula.stick_breaking.worst_case import Ends, OutputRanges, Reached
from proofs.formula.transcript import Record, ignore
from proofs.formula.z3.solver import SolverQuery, all_of, all_proved, any_of, integer, rational
from proofs.formula.z3.unfolding import Unfolding

EXTRA_BITS = 32
"""Additional bits of the invariant, so that Z3 decides whatever the exact worst case decides."""
LEGEND = ("o: the output of the head if the next position were that of the row; times a power of two",)


def proves_stick(obligation: AttentionObligation, bound: Fraction, bits: int, record: Record = ignore) -> bool:
    """Return whether Z3 proves that the error is at most ``bound`` at every row; the exact method needed ``bits``.

    Raises:
        Undecided: if Z3 gives up.
    """
    steps = _Steps(bits + EXTRA_BITS, bound)
    questions = [_ask_automaton(obligation)]
    for group in obligation.groups:
        if wrong := list(steps.wrong(obligation, group)):
            about = (f"o stays between the ends of the invariant, and errs by at most {bound}, in the rows of n = "
                     f"{group.n} that share the query of i = {group.rows[0]}")
            questions.append(SolverQuery(about, LEGEND, (), z3.BoolVal(True), any_of(wrong)))
    return all_proved(questions, record)


class _Steps:
    """Conditions under which steps break the invariant or the bound; equal steps occur once."""

    def __init__(self, bits: int, bound: Fraction):
        """Start with an invariant of this many bits."""
        self._ranges, self._bound = OutputRanges(bits), bound
        self._seen: set[object] = set()

    def wrong(self, obligation: AttentionObligation, group: RowGroup) -> Iterator[Any]:
        """Yield the conditions under which a step of the rows of a group breaks the invariant or the bound."""
        sweep = obligation.reading.sweep(group)
        before: tuple[Step, Ends] | None = None
        for step, ends in self._ranges.over(sweep):
            if before is not None and self._is_new((before[0].number, before[1], ends)):
                yield from self._leaves(*before, ends)
            if step.j in sweep.rows and self._is_new((step.number, ends)):
                yield from self._errs(step, ends)
            before = step, ends

    def _is_new(self, key: object) -> bool:
        if key in self._seen:
            return False
        self._seen.add(key)
        return True

    def _leaves(self, step: Step, ends: Ends, following: Ends) -> Iterator[Any]:
        """Yield the conditions under which a letter of the step leads from within the ends to outside the next ones.

        o, the ends and the share are in units of 2**-bits.
        """
        o, unit = z3.Real("o"), self._ranges.unit
        for option in step.options:
            for memory, held in ends.by_memory.items():
                least, most = _hull(following.by_memory[option.effect[memory] >> 1])
                for taken in set(self._ranges.share(option.score)):
                    led = integer(unit - taken) * o + rational(taken * unit * option.value)
                    yield z3.And(_between(held, o), z3.Or(led < integer(least * unit), led > integer(most * unit)))

    def _errs(self, step: Step, ends: Ends) -> Iterator[Any]:
        """Yield the conditions under which o, at a row with this step, errs by more than the bound."""
        o, unit = z3.Real("o"), self._ranges.unit
        for memory, held in ends.by_memory.items():
            for truth in {option.effect[memory] % 2 for option in step.options}:
                limit = rational((1 - self._bound if truth else self._bound) * unit)
                yield z3.And(_between(held, o), o < limit if truth else o > limit)


def _hull(held: tuple[Reached, Reached]) -> tuple[int, int]:
    least, greatest = held
    return least.held[0], greatest.held[1]


def _between(held: tuple[Reached, Reached], o: Any) -> Any:
    least, most = _hull(held)
    return z3.And(integer(least) <= o, o <= integer(most))


def _ask_automaton(obligation: AttentionObligation) -> SolverQuery:
    """Ask whether the table of effects of letters differs from the semantics of the target's operators."""
    target, reading = obligation.target, obligation.reading
    atoms = [z3.Bool(f"atom_{a}") for a in range(len(target.atoms))]
    memory = {node: z3.Bool(f"memory_{k}") for k, node in enumerate(target.remembering)}
    wrong, seen = [], set()
    for n, j in reading.lengths.rows() if target.predicates else [(reading.lengths.first, 1)]:
        if (context := reading.letters.context(j, n)) in seen:
            continue
        seen.add(context)
        unfold = Unfolding(target, atoms, memory,
                           lambda formula, j=j, n=n: z3.BoolVal(positional_truth(formula, j, n)))  # type: ignore[misc]
        after = [unfold.remembered(node) for node in target.remembering]
        for letter, listed in zip(obligation.letters, reading.letters.letters_at(j, n), strict=True):
            for before, effect in enumerate(listed.effect):
                here = [atom == z3.BoolVal(each) for atom, each in zip(atoms, letter, strict=True)]
                here += [bit == z3.BoolVal(bool(before >> k & 1)) for k, bit in enumerate(memory.values())]
                stated = [unfold.target_truth == z3.BoolVal(bool(effect % 2)),
                          *(bit == z3.BoolVal(bool(effect >> (k + 1) & 1)) for k, bit in enumerate(after))]
                wrong.append(z3.And(*here, z3.Not(all_of(stated))))
    return SolverQuery("every letter acts on memory and target as the operators define",
                       ("atom_a: the atoms of the target at a position", "memory_k: the memory of each operator"),
                       (), z3.BoolVal(True), any_of(wrong))
