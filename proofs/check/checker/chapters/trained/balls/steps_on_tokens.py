"""Steps on tokens, in ball arithmetic: what they have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ....kernel.budget import Budget
from ..reading.network import Norm, width_after
from .exact import linear
from .linear import LinearOnNumbers
from .precision import Precision, Stream

if TYPE_CHECKING:
    from .norms import Normaliser


class StepInput:
    """The input of a step: the stream, or a norm without gain and bias, of the stream or of an affine image of it.

    Attributes:
        width, bound: the input's width, and a bound of its 2-norm.
        cost: work of the image.
    """

    def __init__(self, norm: Norm | None, width: int, precision: Precision, budget: Budget, reads: int) -> None:
        self.width = width_after(norm, width)
        self._of = LinearOnNumbers(precision, budget, linear(norm.of), reads) if norm and norm.of else None
        self._norm: Normaliser | None = None
        if norm:
            from .norms import Normaliser

            self._norm = Normaliser(norm, self.width, precision)
        self.bound = self._norm.bound if self._norm else reads
        self.cost = self.width * width // 8 if self._of else 0

    def apply(self, stream: Stream) -> Stream:
        """Return the input of the step for a stream."""
        if self._of:
            x, e = stream
            stream = self._of.apply(x), self._of.error(e)
        return self._norm.apply(*stream) if self._norm else stream


class StepOnTokens:
    """A step on each token.

    Attributes:
        width, bound: the width of the stream after the step, and a bound of its 2-norm.
        cost: work of the step.
    """

    width: int
    bound: int
    cost: int

    def apply(self, stream: Stream) -> Stream:
        """Return the stream after the step."""
        return self.apply_all([stream])[0]

    def apply_all(self, streams: Sequence[Stream]) -> list[Stream]:
        """Return the streams of all tokens after the step."""
        return list(map(self.apply, streams))
