"""Caps of scores, in fixed point."""

from collections.abc import Sequence
from fractions import Fraction

from ....kernel.budget import Budget
from ....kernel.numbers import size
from .activations import Activation
from .precision import Precision


class ScoreCap:
    """A cap c of scores, s ↦ c tanh(s / c), which adds at most ``error`` to the error of s.

    Proof. The function of s is monotone with slope at most 1. s / c is rounded by less than 1, and tanh errs by at most
    the error of values. So c times tanh errs by less than c (1 + error), and it is rounded once more.
    """

    def __init__(self, cap: Fraction, precision: Precision, budget: Budget) -> None:
        self._cap, self.tanh, self._budget = cap, Activation("tanh", precision, budget), budget
        self.error = -(-cap * (1 + self.tanh.error) // 1) + 1

    def apply(self, scores: Sequence[int]) -> list[int]:
        """Return the capped scores."""
        over, under = self._cap.numerator, self._cap.denominator
        self._budget.spend(len(scores) * (8 + size(self._cap)) >> 6)
        return [y * over // under for y in self.tanh.apply([s * under // over for s in scores])]
