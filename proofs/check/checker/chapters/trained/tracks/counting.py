"""The number of right inputs, at least and at most: docs/background/counting.md, which has the proof.

Each part is a claim about the inputs of a *sub-machine*: a deterministic machine that allows some of the claim's inputs
and writes what the claim's machine writes; a wrong part writes other tokens at one answer. Its claim is proved by the
rules for claims about tracks. Parts are disjoint: an input is right, or first wrong at one place, with one token.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from ....kernel.budget import Budget
from ....kernel.verdicts import Malformed, expect, within
from ..evidence import load
from ..reading.count_claim import CountClaim
from ..reading.count_parts import CountedPart, CountedParts
from ..reading.decision import Decision
from ..reading.tracks import LayoutProofs
from ..reading.tracks_claim import Layout, LayoutPlace, Step, TracksClaim, Transducer
from ..weighing import require_proved, unit_weights, weigh_paths


class CountedInputs(NamedTuple):
    """The weights of all inputs of a layout, of right ones, and of wrong ones by place and token of the first error."""

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
    weights: dict[tuple[int, int | None, int | None], Fraction] = {}
    for number, part in enumerate(given.evidence.parts):
        with within(f"part {number + 1}"):
            check_is_part(given.budget, given.claim, part)
            found.update(proves(Decision(given.network, claim_of_part(given.claim, part), given.floats,
                                         LayoutProofs((part.unit,)), given.budget)))
            at = None if part.place is None else given.claim.forms[part.form].layout[part.place]
            columns = range(len(part.machine.tables))
            for token, weight in weights_by_token(given.budget, part.machine, columns, counts, part.form, at).items():
                expect((part.form, part.place, token) not in weights, "parts: two are about one form, place and token")
                weights[part.form, part.place, token] = weight
    coverage.update(found, parts=len(given.evidence.parts))
    coverage.inputs = tuple(
        CountedInputs(sum(weights_by_token(given.budget, given.claim.machine, form.columns, counts, number).values(),
                          Fraction(0)),
                      weights.get((number, None, None), Fraction(0)),
                      {(place, token): weight for (of_form, place, token), weight in weights.items()
                       if of_form == number and place is not None and token is not None})
        for number, form in enumerate(given.claim.forms))
    for number, ((least, most), one) in enumerate(zip(counts.right, coverage.inputs, strict=True), 1):
        with within(f"form {number}"):
            require_proved(least, most, one.right, one.total, sum(one.wrong.values(), Fraction(0)))
    return coverage


def claim_of_part(claim: TracksClaim, part: CountedPart) -> TracksClaim:
    """Return the claim about the inputs of a part.

    Right: each answer's logit is above all others by more than the margin. Wrong: so are the answers before the
    place, by more than 0, and at the place the logit of the wrong token that the part's machine writes.
    """
    layout, columns = claim.forms[part.form].layout, tuple(range(len(part.machine.tables)))
    if part.place is None:
        return replace(claim, machine=part.machine, forms=(Layout(columns, layout),))
    return replace(claim, machine=part.machine, forms=(Layout(columns, layout[:part.place + 1]),), margin=Fraction(0))


def check_is_part(budget: Budget, claim: TracksClaim, part: CountedPart) -> None:
    """Check that a machine is a sub-machine of the claim's, except that a wrong part writes wrong tokens at its place.

    Raises:
        Malformed: if it is not.
    """
    form, machine = claim.forms[part.form], claim.machine
    at = None if part.place is None else form.layout[part.place]
    expect(at is None or at not in form.layout[:part.place], "place: its answer is read at an earlier place, too")
    pairs = {(part.machine.start, machine.start)}
    for column, (table, steps) in enumerate(zip(part.machine.tables, form.columns, strict=True)):
        budget.spend(len(pairs) * len(claim.columns))
        index = at.index if at is not None and at.column == column else None
        reached = set()
        for state, other in pairs:
            for step, of_claim in zip(table[state], machine.tables[steps][other], strict=True):
                if step is not None:
                    check_writes(step[1:], of_claim and of_claim[1:], index)
                    assert of_claim is not None
                    reached.add((step[0], of_claim[0]))
        pairs = reached
    index, ends = at.index if at is not None and at.column is None else None, 0
    for state, other in pairs:
        end = part.machine.end[state]
        if end is not None:
            check_writes(end, machine.end[other], index)
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


def weights_by_token(budget: Budget, machine: Transducer, columns: Sequence[int], counts: CountClaim, form: int,
                     at: LayoutPlace | None = None) -> dict[int | None, Fraction]:
    """Return the weight of the inputs of a machine with the tables ``columns``, by the token that it writes ``at``."""
    def step(column: int, state: tuple[int, int | None], letters: int) -> tuple[int, int | None] | None:
        found = machine.tables[columns[column]][state[0]][letters]
        if found is None:
            return None
        return found[0], found[1 + at.index] if at is not None and at.column == column else state[1]

    letters, sums = len(machine.tables[0][0]), dict[int | None, Fraction]()
    weights = unit_weights(len(columns), letters) if counts.weights is None else counts.weights[form]
    start: tuple[int, int | None] = machine.start, None
    *_, (reached, unit) = weigh_paths(budget, start, step, weights)
    for (state, written), found in reached.items():
        end = machine.end[state]
        if end is not None:
            token = end[at.index] if at is not None and at.column is None else written
            sums[token] = sums.get(token, Fraction(0)) + Fraction(found, unit)
    return sums
