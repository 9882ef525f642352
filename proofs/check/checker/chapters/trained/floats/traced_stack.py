"""A network on the tokens of an input in all runs of a class, each a trace; docs/floats.md, section 7, Backwards."""

from collections.abc import Sequence
from typing import NamedTuple

from ....kernel.budget import Budget
from ....kernel.numbers import INTEGER_BITS
from ..balls.activations import Activation
from ..balls.precision import Undecided
from ..forms.passing import NormMaps, UnitMaps
from .backwards import GRADIENT, MOST, PRECISION, SLOT
from .ball_stack import Nearby
from .stack import FloatStack, Seen
from .traced_attention import AskedTrace, TracedAttention
from .traced_steps import TracedUnits
from .traces import Trace, TracedNorm, TraceStart, reaches

KEPT, LONGEST = 64, 256  # about so many numbers of a token are kept for each coordinate, and four for each position


class TracedStage(NamedTuple):
    """An attention step, and the steps behind it up to the next one."""

    attention: TracedAttention
    after: list[TracedUnits | TracedNorm]


class TracedStack:
    """All steps of a network whose weights are those of a class.

    Raises:
        Undecided: if there is a step that is not traced.
    """

    def __init__(self, stack: FloatStack, activations: Sequence[Activation]) -> None:
        self.budget, self.network, self._operations = stack.budget, stack.network, stack.operations
        self._activations = iter(activations)
        self._first = [self._alone(step) for step in stack.first]
        self.stages = [TracedStage(TracedAttention(stack.operations, stack.softmax, one.attention), []) for one in
                       stack.stages]
        for stage, of_forms in zip(self.stages, stack.stages, strict=True):
            stage.after.extend([self._alone(step) for step in of_forms.after] if stage is not self.stages[-1] else [])
        length = LONGEST if self.network.positions is None else len(self.network.positions.rows)
        self.bits_of_a_token = (KEPT + 4 * length) * self.network.width * INTEGER_BITS

    def _alone(self, step: NormMaps | UnitMaps) -> TracedUnits | TracedNorm:
        if isinstance(step, UnitMaps):
            return TracedUnits(self._operations, step, next(self._activations))
        return TracedNorm(self._operations, step)

    def embed(self, token: int, position: int) -> Trace:
        """The stream before the first attention step."""
        found = self._operations.embed(self.network, token, position)
        stream = Trace(found.rows, found.radii, (TraceStart(found.radii),), max(found.radii))
        return between(self._first, stream)

    def ask(self, stage: TracedStage, stream: Trace) -> tuple[AskedTrace, Seen]:
        """A token at an attention step, and what others see of it."""
        return stage.attention.ask(stream)

    def answer(self, stage: TracedStage, asked: AskedTrace, seen: Sequence[Seen]) -> Trace:
        """The stream of a token after an attention step, and the steps up to the next one."""
        return between(stage.after, self.attend(stage, asked, seen))

    def attend(self, stage: TracedStage, asked: AskedTrace, seen: Sequence[Seen]) -> Trace:
        """The stream of a token after an attention step."""
        return stage.attention.attend(asked, seen)


def nearby(budget: Budget, stream: Trace) -> Nearby:
    """A stream, how far it may be off, and how far along a gradient."""
    d, finer = len(stream.numbers), PRECISION.fraction - GRADIENT

    def along(gradients: Sequence[Sequence[int]]) -> list[int]:
        if max(max(map(abs, one)) for one in gradients) >= MOST:
            raise Undecided
        rows = [PRECISION.pack([one >> finer for one in row]) for row in zip(*gradients, strict=True)]
        return reaches(budget, stream, rows, len(gradients))

    return Nearby(stream.numbers, reaches(budget, stream, [1 << GRADIENT + SLOT * k for k in range(d)], d), along)


def between(steps: Sequence[TracedUnits | TracedNorm], stream: Trace) -> Trace:
    """The stream after steps that look at one token alone."""
    for step in steps:
        stream = step.pass_on(stream)
    return stream
