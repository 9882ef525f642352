"""The claim of an accepted certificate about tracks, or a wrong input, in words; written from what was parsed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ....kernel.budget import Budget
from ....kernel.kind import entry
from ....kernel.verdicts import quote_all, show
from ..describing import (
    EXACT,
    FALSE,
    IN_RUNS,
    counted,
    describe_network,
    folded,
    words_of_choices,
    write_tokens,
)
from ..reading.decision import Decision
from ..reading.tracks_claim import Layout, LayoutPlace, Step, TracksClaim
from .columns import FormColumns, on_paths

if TYPE_CHECKING:
    from ..reading.counterexamples import WrongInput


def describe_wrong_input(given: Decision[TracksClaim, WrongInput], coverage: object, lines: list[str]) -> list[str]:
    """Return the claim that is false, and the wrong input."""
    from .wrong_input import right_tokens

    del coverage
    claim, wrong, tokens = given.claim, given.evidence, right_tokens(given)
    return [
        FALSE, *lines,
        *entry("wrong input", [write_input(claim, wrong.columns), f"tokens {write_tokens(tokens[:wrong.place])}"]),
        *entry("where", [f"logit {tokens[wrong.place]} (right) - logit {wrong.other} at the last of them is at most "
                         f"{show(claim.margin)}"]),
        *words_of_choices(wrong.choices)]


def describe_claim(given: Decision[TracksClaim, object]) -> list[str]:
    """Describe network and claim completely."""
    claim = given.claim
    return [
        *describe_network(given.network),
        *(line for track in claim.tracks for line in entry("track", [
            f"{quote_all([track.name])}: {quote_all(track.letters)}", f"as tokens {write_tokens(track.tokens)}"])),
        *entry("machine", list(words_of_machine(claim))),
        *(line for number, form in enumerate(claim.forms, 1)
          for line in entry(f"form {number}", list(words_of_form(claim, form)))),
        *entry("claim", list(words_of_claim(claim, IN_RUNS if given.floats else EXACT, given.counts is not None)))]


def words_of_claim(claim: TracksClaim, numbers: str, is_counted: bool = False) -> Iterator[str]:
    """Yield what holds of every input, and where; if right inputs are counted, of a right one."""
    if is_counted:
        yield "the number of right inputs, below. An input that the machine allows is right if, at offset "
        yield f"{claim.offset} and each of its answers:"
    else:
        yield (f"for every input of every form that the machine allows, at offset {claim.offset}, and each of its "
               "answers:")
    yield "the logits at the token before it, after the right answers before that one, have the answer's above"
    yield f"those of all other tokens of {write_tokens(claim.among)}, by more than {show(claim.margin)}"
    yield f"({numbers}); so what is generated greedily is right"


def words_of_machine(claim: TracksClaim) -> Iterator[str]:
    """Yield all steps of the machine: letters, the next state, and the tokens written."""
    machine = claim.machine
    yield f"starts in state {machine.start}; a step: letters > next state, and the tokens that are written"
    for number, table in enumerate(machine.tables, 1):
        for state, steps in enumerate(table):
            yield from folded(f"table {number}, state {state}:", [words_of_step(claim, column, step)
                                                                 for column, step in enumerate(steps)])
    yield from folded("at the end:", [f"state {state} writes {write_tokens(end)}" if end is not None else
                                      f"state {state} is not allowed" for state, end in enumerate(machine.end)])


def words_of_step(claim: TracksClaim, column: int, step: Step | None) -> str:
    """Return the letters, and the step that they make."""
    letters = " ".join(ascii(track.letters[letter]) for track, letter in
                       zip(claim.tracks, claim.columns[column], strict=True))
    return f"{letters} > " + ("not allowed" if step is None else " ".join(map(str, step)))


def words_of_form(claim: TracksClaim, form: Layout) -> Iterator[str]:
    """Yield the columns, the layout, and two inputs with their answers."""
    tables = {table + 1 for table in form.columns}
    yield (f"{counted(len(form.columns), 'column')}, read by table "
           + (str(min(tables)) if len(tables) == 1 else " ".join(str(table + 1) for table in form.columns)))
    yield from folded("input:", [words_of_place(claim, place) for place in form.layout[:form.first_answer]])
    yield from folded("answers:", [words_of_place(claim, place) for place in form.layout[form.first_answer:]])
    for columns in examples(claim, form):
        states = [claim.machine.start]
        for table, column in zip(form.columns, columns, strict=True):
            states.append((claim.machine.tables[table][states[-1]][column] or ())[0])
        tokens = [claim.token(place, states, columns, form) for place in form.layout]
        yield f"as in {write_input(claim, columns)}:"
        yield f"    {write_tokens(tokens[:form.first_answer])}, answered {write_tokens(tokens[form.first_answer:])}"


def words_of_place(claim: TracksClaim, place: LayoutPlace) -> str:
    """Name the token at a place."""
    if place.kind == "token":
        return f"token {place.index}"
    if place.column is None:
        return f"end {place.index + 1}"
    name = ascii(claim.tracks[place.index].name) if place.kind == "track" else f"answer {place.index + 1}"
    return f"{name} of column {place.column + 1}"


def write_input(claim: TracksClaim, columns: Sequence[int]) -> str:
    """Return the letters of each track, first column first."""
    letters = [claim.columns[column] for column in columns]
    return "; ".join(f"{track.name!a}: " + " ".join(ascii(track.letters[column[index]]) for column in letters)
                     for index, track in enumerate(claim.tracks))


def examples(claim: TracksClaim, form: Layout) -> Iterator[list[int]]:
    """Yield two allowed inputs, whose letters change from column to column."""
    made = FormColumns(Budget(), claim, form)
    kept = on_paths(made.moves, claim.machine.start, made.ends).moves
    for first, by in ((0, 37), (-1, -23)):
        state, found = claim.machine.start, []
        for number, column in enumerate(kept):
            moves = [move for move in column if move.source == state]
            move = moves[(first + by * number) % len(moves)]
            found.append(move.letters)
            state = move.target
        yield found
