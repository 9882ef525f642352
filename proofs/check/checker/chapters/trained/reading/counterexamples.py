"""Parsing of counterexamples.

See docs/background/trained_rules.md, section 7; docs/background/tracks_rules.md, section 6; and
docs/background/lengths.md, section 5.

A word or an input by which a claim is false, perhaps in one execution: docs/background/floats_rules.md, section 7,
Wrong executions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ....kernel.budget import MAX_N
from ....kernel.reading.document import Json
from ....kernel.reading.shapes import Fields, integer_within, list_of, read_text
from ....kernel.verdicts import expect
from .decision import Decision
from .network import MAX_OFFSET, Count
from .words_claim import TrainedClaim

if TYPE_CHECKING:
    from ...float_models.choices import ExecutionChoices
    from .tracks_claim import TracksClaim

LONGEST_WORD = 1 << 20  # letters of a long wrong word


@dataclass(frozen=True)
class WrongWord:
    """A word (letter indices), offset, place, case and row by which a claim is false; and an execution's choices."""

    word: tuple[int, ...]
    offset: int
    place: int
    case: int
    row: int
    choices: ExecutionChoices | None


@dataclass(frozen=True)
class LongWord:
    """A word, run-length encoded, a case and a row by which a claim is false at the word's last letter."""

    runs: tuple[tuple[int, int], ...]
    case: int
    row: int


@dataclass(frozen=True)
class WrongInput:
    """An input, the place of an answer and another token by which a claim is false; and an execution's choices."""

    form: int
    columns: tuple[int, ...]
    place: int
    other: int
    choices: ExecutionChoices | None


def read_wrong_word(value: Json, about: Decision[TrainedClaim, None]) -> WrongWord:
    """Parse the word and where it is wrong."""
    claim, fields = about.claim, Fields(value, "word", "offset", "place", "case", "row", *keys_of_execution(about))
    letters = {symbol: letter for letter, symbol in enumerate(claim.alphabet)}
    symbols = fields.read("word", list_of(read_text))
    expect(letters.keys() >= {*symbols}, "word: a symbol is not in the alphabet")
    offset = fields.read("offset", integer_within(range(MAX_OFFSET + 1)))
    place = fields.read("place", integer_within(range(MAX_N + 1)))
    return WrongWord(tuple(letters[symbol] for symbol in symbols), offset, place, *read_row(fields, claim),
                     read_execution(fields))


def keys_of_execution(about: Decision[object, None]) -> list[str]:
    """Return the key of the execution in which a claim about executions is false."""
    return ["run"] if about.floats else []


def read_execution(fields: Fields) -> ExecutionChoices | None:
    """Parse the choices of the execution, if there is one."""
    if "run" not in fields:
        return None
    from ...float_models.choices import read_choices

    return fields.read("run", read_choices)


def read_row(fields: Fields, claim: TrainedClaim) -> tuple[int, int]:
    """Parse a case that has rows, and one of them."""
    case = fields.read("case", integer_within(range(len(claim.cases))) if claim.cases else Count)
    expect(claim.cases and claim.cases[case].above, "case: there is no row")
    return case, fields.read("row", integer_within(range(len(claim.cases[case].above))))


def read_long_word(value: Json, about: Decision[TrainedClaim, None]) -> LongWord:
    """Parse the word, run-length encoded: letters and how often each is repeated."""
    claim, fields = about.claim, Fields(value, "word", "case", "row")
    word = fields.read("word", list_of(list_of(integer_within(range(LONGEST_WORD + 1)))))
    expect(all(len(run) == 2 and run[0] < len(claim.alphabet) and run[1] > 0 for run in word),
           "word: expected runs, each a letter and how often it comes")
    expect(0 < sum(run[1] for run in word) <= LONGEST_WORD, "limit: words of 1 to {} letters", LONGEST_WORD)
    return LongWord(tuple((run[0], run[1]) for run in word), *read_row(fields, claim))


def read_wrong_input(value: Json, about: Decision[TracksClaim, None]) -> WrongInput:
    """Parse the input and where it is wrong."""
    claim, fields = about.claim, Fields(value, "form", "input", "place", "other", *keys_of_execution(about))
    form = fields.read("form", integer_within(range(len(claim.forms))))
    letters = fields.read("input", list_of(list_of(Count)))
    expect(len(letters) == len(claim.forms[form].columns), "input: expected as many columns as the form has")
    known = {column: index for index, column in enumerate(claim.columns)}
    expect(all(column in known for column in letters), "input: expected a letter of each track")
    return WrongInput(form, tuple(known[column] for column in letters), fields.read("place", Count),
                      fields.read("other", Count), read_execution(fields))
