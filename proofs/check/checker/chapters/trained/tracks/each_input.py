"""Proof of a form by enumeration of its inputs, for any network.

See docs/background/tracks_rules.md, section 5, *Input by input*.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from ....kernel.budget import ENTRY_BITS
from ....kernel.verdicts import Rejected, expect, require
from ..balls.adaptive_precision import Runner, Stacks
from ..balls.stack import Stack
from ..reading.decision import Decision
from ..reading.network import LogitRow
from ..reading.tracks_claim import TracksClaim
from .columns import ColumnMove, FormColumns, RemainingMoves, find_remaining
from .describing import write_input

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..floats.inputs import InputsUnderModel

ColumnIndices = tuple[int, ...]
"""Each column's combination of letters, by its index among all combinations."""

MakesProver: TypeAlias = "Callable[[Sequence[LogitRow], Sequence[Sequence[int]]], Runner | InputsUnderModel]"
"""Make a prover of these rows, for inputs with these tokens at each place."""


def make_runner(given: Decision[TracksClaim, object], rows: Sequence[LogitRow],
                possible_tokens: Sequence[Sequence[int]]) -> Runner:
    """Return a prover of these rows of exact outputs, for inputs with these tokens at each place."""
    tokens = {token for those in possible_tokens for token in those}
    return Runner(Stacks(given.network, rows, lambda precision, part, asked: Stack(
        precision, given.budget, part, tokens, asked, given.claim.margin, len(possible_tokens))), given.claim.offset,
        possible_tokens)


def prove_each(given: Decision[TracksClaim, object], number: int, stated: int, make: MakesProver) -> int:
    """Prove every answer of every input of a form; return the number of inputs, which must be the stated one.

    Raises:
        Rejected: if an answer is not proved.
    """
    claim, form, budget = given.claim, given.claim.forms[number], given.budget
    columns = FormColumns(budget, claim, form)
    kept = find_remaining(columns, None, 0, {})
    possible_tokens = [columns.tokens_at(place, kept) for place in form.layout]
    answers = sorted({token for tokens in possible_tokens[form.first_answer:] for token in tokens})
    each = len(claim.among) - 1
    budget.hold(2 * ENTRY_BITS * len(answers) * each)
    rows = [row for answer in answers for row in claim.rows(answer)]
    rows_of = {answer: range(each * k, each * (k + 1)) for k, answer in enumerate(answers)}
    prover, inputs = make(rows, possible_tokens[:-1]), 0
    for letters, states in inputs_of(columns, kept):
        inputs += 1
        tokens = [claim.token(place, states, letters, form) for place in form.layout]
        for place in range(form.first_answer, len(tokens)):
            budget.spend(1 + len(tokens))
            try:
                prover.prove(tokens[:place], {place - 1: rows_of[tokens[place]]})
            except Rejected as refusal:
                raise Rejected(f"input {write_input(claim, letters)}, place {place}: {refusal}") from None
    require(inputs, "no input is allowed")
    expect(inputs == stated, "inputs: {}, expected {}", stated, inputs)
    return inputs


def inputs_of(columns: FormColumns, kept: RemainingMoves) -> Iterator[tuple[ColumnIndices, ColumnIndices]]:
    """Yield all allowed inputs, in a prefix tree's order; with the states before, between and after the columns."""
    columns.budget.hold(ENTRY_BITS * sum(map(len, kept.moves)))
    moves: list[dict[int, list[ColumnMove]]] = [{} for _ in kept.moves]
    for found, column in zip(moves, kept.moves, strict=True):
        for one in column:
            found.setdefault(one.source, []).append(one)
    path: list[ColumnMove] = []
    start = columns.claim.machine.start
    waiting = [iter(moves[0].get(start, ()))]
    while waiting:
        columns.budget.spend(1)
        move = next(waiting[-1], None)
        if move is None:
            waiting.pop()
            del path[-1:]
            continue
        path.append(move)
        if len(path) < len(moves):
            waiting.append(iter(moves[len(path)].get(move.target, ())))
            continue
        if move.target in columns.ends:
            yield tuple(one.letters for one in path), (start, *(one.target for one in path))
        path.pop()
