"""Proof that a claim about tracks is false: docs/background/tracks_rules.md, section 6.

One row at one answer is at most the margin, after the right answers before it. Tokens: docs/reference/tracks.md,
section 3.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from ....kernel.verdicts import Rejected, expect, require
from ..reading.counterexamples import WrongInput
from ..reading.decision import Decision
from ..reading.network import LogitRow
from ..reading.tracks_claim import TracksClaim


def prove_wrong_input(given: Decision[TracksClaim, WrongInput]) -> Mapping[str, int]:
    """Check that at the place, of an allowed input, another logit is not below the right one by more than the margin.

    Raises:
        Rejected: if not, or if it is not decided.
    """
    from ..balls.precision import HIGHEST, Precision, Undecided
    from ..balls.prefix_tree import make_traversal
    from ..balls.stack import Stack

    claim, (row, prefix) = given.claim, row_and_prefix(given)
    judged = [given.evidence.place - 1]
    for level in range(1, HIGHEST + 1):
        try:
            stack = Stack(Precision(level), given.budget, given.network, {*prefix}, [row], claim.margin, len(prefix))
            traversal = make_traversal(stack, stack, claim.offset, [[token] for token in prefix])
            ((value, error),) = stack.rows.values(traversal.logits(prefix, judged)[judged[0]], [0])
        except Undecided:
            continue
        if value + error <= stack.rows.least[0]:
            return {"input": 1}
        require(value - error <= stack.rows.least[0], "the row is above the margin")
    return prove_exactly(given, row, prefix)


def prove_exactly(given: Decision[TracksClaim, WrongInput], row: LogitRow, prefix: Sequence[int]) -> Mapping[str, int]:
    """Check the same row in exact numbers.

    Raises:
        Rejected: if not, if it is not decided, or if there is no rule for the network.
    """
    from ..reading.tracks import MOST_PRECISION
    from .exact import ExactNetwork

    network = ExactNetwork(given.budget, given.network, given.claim.offset, MOST_PRECISION)
    ((right, _),) = [one for one in row if one[1] > 0]
    box = network.averages(prefix, MOST_PRECISION)
    ((least, greatest),) = network.judged(network.point((len(prefix) - 1, prefix[-1])), box, MOST_PRECISION, right,
                                          [given.evidence.other])
    require(least <= given.claim.margin, "the row is above the margin")
    require(greatest <= given.claim.margin, "whether the row is above the margin is not decided in exact numbers")
    return {"input": 1}


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
