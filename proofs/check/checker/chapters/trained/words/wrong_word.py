"""Proof that a claim is false.

See docs/background/trained_rules.md, section 7. A row at a judged place of a word is at most the margin.
"""

from collections.abc import Mapping

from ....kernel.verdicts import Rejected, require
from ..balls.adaptive_precision import Runner
from ..balls.precision import HIGHEST, LOWEST, Undecided
from ..reading.counterexamples import WrongWord
from ..reading.decision import Decision
from ..reading.words_claim import TrainedClaim
from .judge import Judge
from .places import find_place, tokens_of
from .running import stacks_of


def prove_wrong_word(given: Decision[TrainedClaim, WrongWord]) -> Mapping[str, int]:
    """Check that the word is in the claim, judged at the place, and its row is at most the margin.

    Raises:
        Rejected: if not, or if it is not decided.
    """
    judge = Judge(given.network, given.claim)
    expect_at_most_margin(judge, given, find_place(judge, given))
    return {"word": 1}


def expect_at_most_margin(judge: Judge, given: Decision[TrainedClaim, WrongWord], place: int) -> None:
    """Check that the row of the case is at most the margin at a place of the input.

    Raises:
        Rejected: if it is above, or not decided at the highest precision.
    """
    tokens = tokens_of(given)
    row = judge.rows_of_case[given.evidence.case][given.evidence.row]
    stacks = stacks_of(judge)
    runner = Runner(stacks, given.evidence.offset, [[token] for token in tokens])
    for level in range(LOWEST, HIGHEST + 1):
        try:
            found, rows = runner.logits(level, tokens, [place])[place], stacks.at(level).rows
        except Undecided:
            continue
        ((value, error),) = rows.values(found, [row])
        if value + error <= rows.least[row]:
            return
        require(value - error <= rows.least[row], "the row is above the margin")
    raise Rejected("whether the row is above the margin is not decided at the highest precision")
