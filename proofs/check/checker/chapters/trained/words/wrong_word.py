"""Proof that a claim is false: a row at a judged place of a word is at most the margin.

See docs/background/trained_rules.md, section 7.
"""

from collections.abc import Mapping

from ....kernel.verdicts import Rejected, require
from ..reading.counterexamples import WrongWord
from ..reading.decision import Decision
from ..reading.words_claim import TrainedClaim
from .judge import Judge
from .obligations import greatest_length


def prove_wrong_word(given: Decision[TrainedClaim, WrongWord]) -> Mapping[str, int]:
    """Check that the word is in the claim, judged at the place, and its row is at most the margin.

    Raises:
        Rejected: if not, or if it is not decided.
    """
    from ..balls.adaptive_precision import Runner
    from ..balls.precision import HIGHEST, LOWEST, Undecided

    judge, wrong, tokens = Judge(given.network, given.claim), given.evidence, tokens_of(given)
    place, row = find_place(judge, given), judge.rows_of_case[wrong.case][wrong.row]
    runner = Runner(judge.stacks, wrong.offset, [[token] for token in tokens])
    for level in range(LOWEST, HIGHEST + 1):
        try:
            found, rows = runner.logits(level, tokens, [place])[place], judge.stacks.at(level).rows
        except Undecided:
            continue
        ((value, error),) = rows.values(found, [row])
        if value + error <= rows.least[row]:
            return {"word": 1}
        require(value - error <= rows.least[row], "the row is above the margin")
    raise Rejected("whether the row is above the margin is not decided at the highest precision")


def find_place(judge: Judge, given: Decision[TrainedClaim, WrongWord]) -> int:
    """Return the place of the input that is judged.

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


def tokens_of(given: Decision[TrainedClaim, WrongWord]) -> tuple[int, ...]:
    """Return the whole input."""
    claim = given.claim
    return (*claim.before, *(claim.tokens[letter] for letter in given.evidence.word), *claim.after)
