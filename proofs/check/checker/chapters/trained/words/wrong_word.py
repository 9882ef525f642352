"""A word by which a claim is false: docs/trained.md, section 7. One row at one judged place is at most the margin."""

from collections.abc import Mapping

from ....kernel.verdicts import Rejected, require
from ..balls.precision import HIGHEST, LOWEST, Undecided
from ..reading.counterexamples import WrongWord
from ..reading.decision import Decision
from ..reading.words_claim import TrainedClaim
from .obligations import greatest_length
from .running import Judge, Runner


def prove_wrong_word(given: Decision[TrainedClaim, WrongWord]) -> Mapping[str, int]:
    """The word is in the claim, judged at the place, and its row is at most the margin.

    Raises:
        Rejected: if not, or if it is not decided.
    """
    judge = Judge(given.network, given.claim, given.language)
    expect_at_most_margin(judge, given, find_place(judge, given))
    return {"word": 1}


def find_place(judge: Judge, given: Decision[TrainedClaim, WrongWord]) -> int:
    """The place of the input that is judged.

    Raises:
        Rejected: if word and offset are not in the claim, nothing is judged at the place, or the case does not hold.
    """
    claim, network, wrong, n = given.claim, given.network, given.evidence, len(given.evidence.word)
    require(claim.min_n <= n <= claim.max_n, "a word of length {} is not in the claim", n)
    in_claim = claim.offsets[0] <= wrong.offset <= claim.offsets[1]
    require(in_claim, "offset {} is not in the claim", wrong.offset)
    require(n <= greatest_length(network, claim, wrong.offset),
            "a word of length {} has not enough rows of the tables at offset {}", n, wrong.offset)
    places = dict(judge.judged(n))
    require(wrong.place in places, "no logits are judged at place {}", wrong.place)
    cases = judge.truth.cases(wrong.word, [wrong.place])
    require(wrong.case in cases[wrong.place], "case {} does not hold at place {}", wrong.case, wrong.place)
    return places[wrong.place]


def expect_at_most_margin(judge: Judge, given: Decision[TrainedClaim, WrongWord], place: int) -> None:
    """The row of the case is at most the margin at a place of the input.

    Raises:
        Rejected: if it is above, or not decided at the highest precision.
    """
    tokens = tokens_of(given)
    row = judge.rows_of_case[given.evidence.case][given.evidence.row]
    runner = Runner(judge.stacks, given.evidence.offset, [[token] for token in tokens])
    for level in range(LOWEST, HIGHEST + 1):
        try:
            found, rows = runner.logits(level, tokens, [place])[place], judge.stacks.at(level).rows
        except Undecided:
            continue
        ((value, error),) = rows.values(found, [row])
        if value + error <= rows.least[row]:
            return
        require(value - error <= rows.least[row], "the row is above the margin")
    raise Rejected("whether the row is above the margin is not decided at the highest precision")


def tokens_of(given: Decision[TrainedClaim, WrongWord]) -> tuple[int, ...]:
    """The whole input."""
    claim = given.claim
    return (*claim.before, *(claim.tokens[letter] for letter in given.evidence.word), *claim.after)
