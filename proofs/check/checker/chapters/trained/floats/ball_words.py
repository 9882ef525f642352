"""Words on balls: most need no more; docs/floats.md, section 7, Balls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....kernel.reading.floats import FloatClaim
from ....kernel.verdicts import Rejected
from ..precision import LOWEST, Precision, Undecided
from ..reading.decision import LogitRow, WordsUnit
from ..reading.network import Network
from ..words import Judge, Runner, Stacks, tokens_at_places
from .ball_stack import StackOnBalls


class BallsOfWords:
    """The words of a unit in the runs of a class, of a network with rounded weights that there is a rule for."""

    def __init__(self, judge: Judge, network: Network, run: FloatClaim, unit: WordsUnit) -> None:
        claim = judge.claim
        tokens = {*claim.before, *claim.tokens, *claim.after}
        length = len(claim.before) + claim.max_n + len(claim.after)

        def make(precision: Precision, part: Network, rows: Sequence[LogitRow]) -> StackOnBalls:
            return StackOnBalls(precision, judge.budget, part, tokens, rows, claim.margin, length, run)

        self._stacks = Stacks(network, judge.rows, make)
        self._runner = Runner(self._stacks, unit.offset, tokens_at_places(judge, unit))
        try:
            self._stacks.beginning(LOWEST)
            self._helps = True
        except Undecided:
            self._helps = False

    def prove(self, tokens: Sequence[int], needed: Mapping[int, Sequence[int]]) -> bool:
        """Whether balls are enough for all needed rows of a word."""
        if not self._helps:
            return False
        try:
            found = self._runner.logits(LOWEST, tokens, [*needed])
            known = self._stacks.at(LOWEST).rows
            return all(value - error > known.least[row] for place, rows in needed.items()
                       for row, (value, error) in zip(rows, known.values(found[place], rows), strict=True))
        except (Rejected, Undecided):
            return False
