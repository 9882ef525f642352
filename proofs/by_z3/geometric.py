"""Geometric and stick-breaking heads: an inductive invariant, confirmed step by step.

The invariant says for each position that is read, and each memory there, between which ends o is. Z3 shows that every
letter leads from o within these ends to o within the next ones, and that o is near the truth where a row asks for it.
What a letter does to o is linear in the share that it takes, so the two ends of the enclosed share are enough.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import z3

from constructions.language.positional import positional_truth
from proofs.by_z3.solver import Question, all_of, any_of, rational
from proofs.by_z3.unfolding import Unfolding
from proofs.enclosures.intervals import Interval
from proofs.exact.geometric import Ends, share, walk
from proofs.obligations.attention import AttentionObligation
from proofs.obligations.reading import RowGroup
from proofs.obligations.sweeps import Step
from proofs.transcript import Record, ignore

BITS = 576
"""So fine are the ends of the invariant: finer than the exact method at its last precision."""
LEGEND = ("o: what the head would add so far", "before, after: what the automaton remembers",
          "choice: which of the letters is read")
Hull = tuple[tuple[int, Fraction, Fraction], ...]
"""For each memory the ends of o."""


def proves_stick(obligation: AttentionObligation, bound: Fraction, record: Record = ignore) -> bool:
    """Whether Z3 shows that the error is at most ``bound`` at every row.

    Raises:
        Undecided: if Z3 gives up.
    """
    seen: set[object] = set()
    questions = [_ask_automaton(obligation)]
    for group in obligation.groups:
        if wrong := list(_wrong_steps(obligation, group, bound, seen)):
            about = (f"o stays between the ends of the invariant, and errs by at most {bound}, in the rows of n = "
                     f"{group.n} that share the query of i = {group.rows[0]}")
            questions.append(Question(about, LEGEND, (), z3.BoolVal(True), any_of(wrong)))
    for question in questions:
        if not question.is_proved():
            return False
        record(question)
    return True


def _wrong_steps(obligation: AttentionObligation, group: RowGroup, bound: Fraction,
                 seen: set[object]) -> Iterator[Any]:
    """How a step of the rows of a group could break the invariant or the bound; steps that were seen are left out."""
    sweep = obligation.reading.sweep(group)
    before: tuple[Step, Hull] | None = None
    for step, ends in walk(sweep, BITS):
        hull = _hull(ends)
        if before is not None and _is_new((before[0].number, before[1], hull), seen):
            yield from _leaves(*before, hull)
        if step.j in sweep.rows and _is_new((step.number, hull), seen):
            yield from _errs(step, hull, bound)
        before = step, hull


def _is_new(key: object, seen: set[object]) -> bool:
    if key in seen:
        return False
    seen.add(key)
    return True


def _hull(ends: Ends) -> Hull:
    return tuple((memory, least.held.lower, greatest.held.upper) for memory, (least, greatest) in sorted(ends.items()))


def _within(hull: Hull, memory: Any, o: Any) -> Any:
    return any_of([z3.And(memory == number, rational(low) <= o, o <= rational(high)) for number, low, high in hull])


def _leaves(step: Step, hull: Hull, following: Hull) -> Iterator[Any]:
    """A letter of the step leads from within the hull to somewhere outside of the following one."""
    o = z3.Real("o")
    for option in step.options:
        for number, low, high in hull:
            for taken in _ends(share(option.score, BITS)):
                led = (1 - rational(taken)) * o + rational(taken * option.value)
                after = z3.IntVal(option.effect[number] >> 1)
                yield z3.And(rational(low) <= o, o <= rational(high), z3.Not(_within(following, after, led)))


def _ends(x: Interval) -> set[Fraction]:
    return {x.lower, x.upper}


def _errs(step: Step, hull: Hull, bound: Fraction) -> Iterator[Any]:
    """At a row with this step o is within the hull, and farther from the truth than the bound."""
    o = z3.Real("o")
    for number, low, high in hull:
        for truth in {option.effect[number] % 2 for option in step.options}:
            wrong = o < rational(1 - bound) if truth else o > rational(bound)
            yield z3.And(rational(low) <= o, o <= rational(high), wrong)


def _ask_automaton(obligation: AttentionObligation) -> Question:
    """Whether the table of what letters do is another than the operators of the target say."""
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
        for letter, told in zip(obligation.letters, reading.letters.letters_at(j, n), strict=True):
            for before, effect in enumerate(told.effect):
                here = [atom == z3.BoolVal(each) for atom, each in zip(atoms, letter, strict=True)]
                here += [bit == z3.BoolVal(bool(before >> k & 1)) for k, bit in enumerate(memory.values())]
                stated = [unfold.target_truth == z3.BoolVal(bool(effect % 2)),
                          *(bit == z3.BoolVal(bool(effect >> (k + 1) & 1)) for k, bit in enumerate(after))]
                wrong.append(z3.And(*here, z3.Not(all_of(stated))))
    return Question("every letter does to memory and target what the operators say",
                    ("atom_a: the atoms of the target at a position", "memory_k: what each operator remembers"),
                    (), z3.BoolVal(True), any_of(wrong))
