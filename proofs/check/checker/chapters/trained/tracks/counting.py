"""The number of right inputs, at least and at most: docs/background/counting.md, which has the proof.

Each part is a claim about the inputs of a *sub-machine*: a deterministic machine that allows some of the claim's inputs
and writes what the claim's machine writes; a wrong part writes other tokens at one answer. Its claim, about some places
only, is proved by the rules for claims about tracks. Inputs are right that are in right parts about all places. Wrong
ones are counted at the first place of a wrong part that has them: at each place before, they are in right parts, or in
no wrong part.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from ....kernel.budget import Budget
from ....kernel.verdicts import Malformed, expect, require, within
from ..evidence import load
from ..reading.count_claim import CountClaim
from ..reading.count_parts import CountedPart, CountedParts
from ..reading.decision import Decision
from ..reading.tracks import LayoutProofs
from ..reading.tracks_claim import Layout, LayoutPlace, Step, TracksClaim, Transducer
from ..weighing import require_proved, unit_weights, weigh_paths

if TYPE_CHECKING:
    from .verdicts import ClassesOfMoves

States = tuple[tuple[int, ...], int | None]
"""A state of each machine, and the token that the first one has written."""


class CountedInputs(NamedTuple):
    """The weights of all inputs of a layout, of right ones, and of wrong ones by place and token of a proved error."""

    total: Fraction
    right: Fraction
    wrong: Mapping[tuple[int, int], Fraction]


class CountedCoverage(dict[str, int]):
    """The coverage of the proofs of parts, and the weights by layout."""

    inputs: tuple[CountedInputs, ...]


def prove_counts(given: Decision[TracksClaim, CountedParts]) -> CountedCoverage:
    """Prove every part, over the reals or in all executions, and the claimed numbers from the weights of the parts.

    Raises:
        Rejected: if a part is not proved, or the numbers do not follow.
    """
    proves = load("floats.tracks.prove_track_runs" if given.floats else "tracks.proof.prove_tracks")
    found, coverage, counts = Counter[str](), CountedCoverage(), given.counts
    assert counts is not None
    known: list[ClassesOfMoves] = []
    for number, stated in enumerate(given.evidence.verdicts):
        with within(f"verdicts {number + 1}"):
            about = about_part(given, stated)
            found.update(proves(about))
            known.append(load("tracks.verdicts.ClassesOfMoves")(about))
    for number, part in enumerate(given.evidence.parts):
        with within(f"part {number + 1}"):
            check_is_part(given.budget, given.claim, part, known[part.unit] if isinstance(part.unit, int) else None)
            if not isinstance(part.unit, int):
                found.update(proves(about_part(given, part)))
    coverage.update(found, parts=len(given.evidence.parts))
    coverage.inputs = tuple(weigh_form(given, counts, number) for number in range(len(given.claim.forms)))
    for number, ((least, most), one) in enumerate(zip(counts.right, coverage.inputs, strict=True), 1):
        with within(f"form {number}"):
            require_proved(least, most, one.right, one.total, sum(one.wrong.values(), Fraction(0)))
    return coverage


def about_part(given: Decision[TracksClaim, CountedParts], part: CountedPart) -> Decision[TracksClaim, LayoutProofs]:
    """Return the claim of a part, or about all inputs at a place, with its evidence."""
    assert not isinstance(part.unit, int)
    return Decision(given.network, claim_of_part(given.claim, part), given.floats, LayoutProofs((part.unit,)),
                    given.budget)


def weigh_form(given: Decision[TracksClaim, CountedParts], counts: CountClaim, number: int) -> CountedInputs:
    """Return the weights that proved parts give; inputs of several wrong parts count at the first one."""
    form, machine, wrong = given.claim.forms[number], given.claim.machine, dict[tuple[int, int], Fraction]()
    parts = [part for part in given.evidence.parts if part.form == number]

    def weigh(some: Sequence[Transducer], end: int, at: LayoutPlace | None = None) -> dict[int | None, Fraction]:
        right = [part for part in parts if not part.is_wrong and part.first < end]
        known = {place for part in right for place in range(part.first, part.last + 1)}
        if not some and not known >= {*range(form.first_answer, end)}:
            return {}
        avoided = [part.machine for part in parts if part.is_wrong and part.last < end and part.last not in known]
        return weights_by_token(given.budget, [*some, *(part.machine for part in right)], counts, number, at, avoided)

    for part in parts:
        if part.is_wrong:
            for token, weight in weigh([part.machine], part.first, form.layout[part.last]).items():
                assert token is not None
                expect((part.last, token) not in wrong, "parts: two are about one form, place and token")
                wrong[part.last, token] = weight
    total, right = weights_by_token(given.budget, [machine.unrolled(form)], counts, number), weigh([], len(form.layout))
    return CountedInputs(total.get(None, Fraction(0)), right.get(None, Fraction(0)), wrong)


def claim_of_part(claim: TracksClaim, part: CountedPart) -> TracksClaim:
    """Return the claim about the inputs of a part, from its first to its last place.

    Right: the logits of answers there are above all others by more than the margin. Wrong: they are by more than 0,
    and so is at the last place that of the wrong token that the part's machine writes.
    """
    form = Layout(tuple(range(len(part.machine.tables))), claim.forms[part.form].layout[:part.last + 1], part.first)
    return replace(claim, machine=part.machine, forms=(form,), margin=Fraction(0) if part.is_wrong else claim.margin)


def check_is_part(budget: Budget, claim: TracksClaim, part: CountedPart, classes: ClassesOfMoves | None = None) -> None:
    """Check that a machine is a sub-machine of the claim's, except that a wrong part writes wrong tokens at its place.

    With ``classes`` about its place: each input is in a class whose verdict is the token that the machine writes there.
    A pair of states has the classes with another verdict, or none, that have some input that leads there.

    Raises:
        Malformed: if it is not a sub-machine.
        Rejected: if an input may be in a class with another verdict.
    """
    form, machine = claim.forms[part.form], claim.machine
    place = form.layout[part.last]
    at = place if part.is_wrong else None
    expect(at is None or at not in form.layout[:part.last], "last: its answer is read at an earlier place, too")
    pairs = {(part.machine.start, machine.start): classes.every if classes else 0}
    for column, (table, steps) in enumerate(zip(part.machine.tables, form.columns, strict=True)):
        budget.spend(len(pairs) * len(claim.columns) * (classes.words if classes else 1))
        index = at.index if at is not None and at.column == column else None
        reached: dict[tuple[int, int], int] = {}
        for (state, other), met in pairs.items():
            for letters, (step, of_claim) in enumerate(zip(table[state], machine.tables[steps][other], strict=True)):
                if step is not None:
                    check_writes(step[1:], of_claim and of_claim[1:], index)
                    assert of_claim is not None
                    left = met and classes.having(met, column, other * len(claim.columns) + letters) if classes else 0
                    if classes and place.column == column:
                        left &= ~classes.verdicts.get(step[1 + place.index], 0)
                    key = step[0], of_claim[0]
                    reached[key] = reached.get(key, 0) | left
        pairs = reached
    index, ends = at.index if at is not None and at.column is None else None, 0
    for (state, other), met in pairs.items():
        end = part.machine.end[state]
        if end is not None:
            check_writes(end, machine.end[other], index)
            agreeing = classes.verdicts.get(end[place.index], 0) if classes and place.column is None else 0
            require(not (classes and classes.having(met, len(form.columns), other) & ~agreeing),
                    "it allows an input of a class with another verdict, or none")
            ends += 1
    expect(ends, "machine: it allows no input")


def check_writes(written: Step, of_claim: Step | None, index: int | None) -> None:
    """Check that a step writes the claim's tokens, except at ``index``: there another one.

    Raises:
        Malformed: if not.
    """
    if of_claim is None:
        raise Malformed("machine: it allows an input that the claim does not allow")
    for number, (answer, right) in enumerate(zip(written, of_claim, strict=True)):
        expect((answer == right) is (number != index), "machine: expected the claim's answers, except at the error")


def weights_by_token(budget: Budget, machines: Sequence[Transducer], counts: CountClaim, form: int,
                     at: LayoutPlace | None = None, avoided: Sequence[Transducer] = ()) -> dict[int | None, Fraction]:
    """Return the weight of the inputs that all machines allow, but none to avoid, by the token that the first writes.

    A machine to avoid that does not allow an input is in state -1.
    """
    every = [*machines, *avoided]

    def step(column: int, state: States, letters: int) -> States | None:
        found = list[Step]()
        for number, (machine, one) in enumerate(zip(every, state[0], strict=True)):
            made = machine.tables[column][one][letters] if one >= 0 else None
            if made is None and number < len(machines):
                return None
            found.append(made or (-1,))
        written = found[0][1 + at.index] if at is not None and at.column == column else state[1]
        return tuple(one[0] for one in found), written

    tables, sums = machines[0].tables, dict[int | None, Fraction]()
    weights = unit_weights(len(tables), len(tables[0][0])) if counts.weights is None else counts.weights[form]
    start: States = tuple(machine.start for machine in every), None
    *_, (reached, unit) = weigh_paths(budget, start, step, weights, len(every))
    for (states, written), found in reached.items():
        ends = [machine.end[state] if state >= 0 else None for machine, state in zip(every, states, strict=True)]
        if [end is None for end in ends] == [number >= len(machines) for number in range(len(every))]:
            token = (ends[0] or ())[at.index] if at is not None and at.column is None else written
            sums[token] = sums.get(token, Fraction(0)) + Fraction(found, unit)
    return sums
