"""The tokens at all places of an input, and the row at one.

See docs/reference/tracks.md, section 3, and tracks_rules.md, section 6.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from ....kernel.verdicts import Rejected, expect, require
from ..reading.decision import Decision
from ..reading.network import LogitRow
from ..reading.tracks_claim import TracksClaim

if TYPE_CHECKING:
    from ..reading.counterexamples import WrongInput


def right_tokens(given: Decision[TracksClaim, WrongInput]) -> list[int]:
    """Return the tokens at all places of the input.

    Raises:
        Rejected: if the claim does not allow this input.
    """
    claim, form = given.claim, given.claim.forms[given.evidence.form]
    states = [claim.machine.start]
    for table, column in zip(form.columns, given.evidence.columns, strict=True):
        step = claim.machine.tables[table][states[-1]][column]
        if step is None:
            raise Rejected("the claim does not allow the input")
        states.append(step[0])
    require(claim.machine.end[states[-1]] is not None, "the claim does not allow the input to end so")
    return [claim.token(place, states, given.evidence.columns, form) for place in form.layout]


def row_and_prefix(given: Decision[TracksClaim, WrongInput]) -> tuple[LogitRow, list[int]]:
    """Return the right logit minus the other one, and the tokens before its place.

    Raises:
        Rejected: if the claim does not allow this input.
        Malformed: if there is no answer, or no other token.
    """
    claim, wrong, tokens = given.claim, given.evidence, right_tokens(given)
    form, place = claim.forms[wrong.form], wrong.place
    expect(form.first_answer <= place < len(form.layout), "place: expected that of an answer")
    expect(wrong.other in claim.among and wrong.other != tokens[place], "other: expected another token of among")
    return tuple(sorted([(tokens[place], Fraction(1)), (wrong.other, Fraction(-1))])), tokens[:place]
