"""Words on balls: most need no more; docs/floats.md, section 7, Balls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....kernel.verdicts import Rejected
from ...run_classes.reading import FloatClaim
from ..precision import LOWEST, Precision, Undecided
from ..reading.decision import LogitRow, WordsUnit
from ..reading.network import Network
from ..words import Judge, Runner, Stacks, tokens_at_places
from .ball_stack import RowsOnBalls, StackOnBalls


class BallsOfWords:
    """The words of a claim in the runs of a class, of a network with rounded weights that there is a rule for."""

    def __init__(self, judge: Judge, network: Network, run: FloatClaim) -> None:
        claim = judge.claim
        tokens = {*claim.before, *claim.tokens, *claim.after}
        length = len(claim.before) + claim.max_n + len(claim.after)

        def make(precision: Precision, part: Network, rows: Sequence[LogitRow]) -> StackOnBalls:
            return StackOnBalls(precision, judge.budget, part, tokens, rows, claim.margin, length, run)

        self._judge, self._stacks = judge, Stacks(network, judge.rows, make)
        self._runners: dict[WordsUnit, Runner] = {}
        try:
            self._stacks.beginning(LOWEST)
            self._helps = True
        except Undecided:
            self._helps = False

    def runner(self, offset: int, first: int, last: int) -> Runner:
        """What runs words of these lengths; in causal networks it keeps what it has found of shorter words."""
        unit = WordsUnit(offset, 1, self._judge.claim.max_n) if self._stacks.network.causal else WordsUnit(
            offset, first, last)
        if unit not in self._runners:
            self._runners = {unit: Runner(self._stacks, offset, tokens_at_places(self._judge, unit))}
        return self._runners[unit]

    def prove(self, runner: Runner, tokens: Sequence[int], needed: Mapping[int, Sequence[int]]) -> bool:
        """Whether balls are enough for all needed rows of a word."""
        if not self._helps:
            return False
        try:
            found, known = runner.logits(LOWEST, tokens, [*needed]), self._stacks.at(LOWEST).rows
            assert isinstance(known, RowsOnBalls)
            return all(known.are_above(found[place], rows) for place, rows in needed.items())
        except (Rejected, Undecided):
            return False
