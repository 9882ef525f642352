"""Steps that round, in ball arithmetic."""

from collections.abc import Sequence
from operator import add as plus

from ....kernel.budget import Budget
from ....kernel.verdicts import require
from ..reading.network import Rounding, UnitsStep
from .exact import after_norm, linear
from .linear import LinearOnNumbers
from .precision import Precision, Stream
from .roundings import Rounder
from .steps_on_tokens import StepInput, StepOnTokens


class RoundingOnNumbers(StepOnTokens):
    """A step that rounds; a range of all tokens needs their streams together."""

    def __init__(self, precision: Precision, budget: Budget, step: UnitsStep, rounding: Rounding, width: int,
                 reads: int) -> None:
        self._reading, self.width = StepInput(step.norm, width, precision, budget, reads), width
        units = step.inward.weight.width
        self._in = LinearOnNumbers(precision, budget, after_norm(step.norm, linear(step.inward)), self._reading.bound)
        self._rounder = Rounder(rounding, precision, budget, self._in.bound, units)
        self._out = LinearOnNumbers(precision, budget, linear(step.outward), self._rounder.bound)
        self.bound = reads + self._out.bound
        self.cost = units * width // 8 + 2 * units + self._reading.cost

    def apply(self, stream: Stream) -> Stream:
        """Return the stream after the step."""
        require(not self._rounder.of_input, "a token alone has no range of all tokens")
        return super().apply(stream)

    def apply_all(self, streams: Sequence[Stream]) -> list[Stream]:
        """Return the streams of all tokens after the step."""
        read = [self._reading.apply(stream) for stream in streams]
        rounded = self._rounder.apply([(self._in.apply(x), self._in.error(e)) for x, e in read])
        return [(list(map(plus, x, self._out.apply(y))), e + self._out.error(e_rounded))
                for (x, e), (y, e_rounded) in zip(streams, rounded, strict=True)]
