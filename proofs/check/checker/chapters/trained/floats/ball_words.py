"""Inputs in ball arithmetic, which is enough for most; docs/background/floats_rules.md, section 7, Balls."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from ....kernel.budget import Budget
from ....kernel.verdicts import Rejected
from ...float_models.reading import FloatClaim
from ..balls.adaptive_precision import Runner, Stacks
from ..balls.precision import LOWEST, Precision, Undecided
from ..reading.network import LogitRow, Network
from .ball_stack import RowsOnBalls, StackOnBalls


class BallsOfInputs:
    """Rows of inputs of at most ``length`` of these tokens, of a network with rounded weights that the rules cover."""

    def __init__(self, budget: Budget, network: Network, model: FloatClaim, rows: Sequence[LogitRow], margin: Fraction,
                 tokens: Iterable[int], length: int) -> None:
        def make(precision: Precision, part: Network, rows: Sequence[LogitRow]) -> StackOnBalls:
            return StackOnBalls(precision, budget, part, tokens, rows, margin, length, model)

        self.stacks = Stacks(network, rows, make)
        try:
            self.stacks.beginning(LOWEST)
            self._helps = True
        except Undecided:
            self._helps = False

    def runner(self, offset: int, possible_tokens: Sequence[Sequence[int]]) -> Runner:
        """Return a runner of inputs with these tokens at each place."""
        return Runner(self.stacks, offset, possible_tokens)

    def prove(self, runner: Runner, tokens: Sequence[int], needed: Mapping[int, Sequence[int]]) -> bool:
        """Return whether ball arithmetic proves all needed rows of an input; the runner keeps shared prefixes."""
        if not self._helps:
            return False
        try:
            found, known = runner.logits(LOWEST, tokens, [*needed]), self.stacks.at(LOWEST).rows
            assert isinstance(known, RowsOnBalls)
            return all(known.are_above(found[place], rows) for place, rows in needed.items())
        except (Rejected, Undecided):
            return False
