"""Weights of softmax as integers over 2^40, relative to a common factor; exponentials.py has exp."""

from ....kernel.budget import Budget
from ..balls.exponentials import ABSOLUTE_ERROR, RELATIVE_ERROR, Exponentials
from .affine import FRACTION

PLACES = 60  # fractional bits of exp
WEIGHT_BITS = 40  # fractional bits of a weight
SHARE = FRACTION - RELATIVE_ERROR.bit_length()  # the relative error of exp is at most 2^-SHARE
NEAR = 1 << FRACTION - 20  # ends nearer to each other need one exp


class RelativeWeights:
    """Enclosures of 2^40 exp(x) by integers."""

    def __init__(self, budget: Budget) -> None:
        self._exp = Exponentials(FRACTION, PLACES, budget)

    def enclose(self, least: int, greatest: int) -> tuple[int, int]:
        """Enclose 2^40 exp(x / 2^44) for all x between these, both at most 0.

        Proof. A computed v is within 2^-42 t + 3 of the true t. So t >= (v - 3) / (1 + 2^-42) >= v - v/2^41 - 3, and t
        <= (v + 3) (1 + 2^-41) <= v + v/2^41 + 4. If the ends are δ apart, exp at the lesser one is at least (1 - δ)
        times that at the greater one. exp(x) is at most 1.
        """
        below, above = self._around(greatest)
        if greatest - least < NEAR:
            below += -above * (greatest - least) >> FRACTION
        else:
            below = self._around(least)[0]
        shift = PLACES - WEIGHT_BITS
        return max(below >> shift, 0), min((above >> shift) + 1, 1 << WEIGHT_BITS)

    def _around(self, x: int) -> tuple[int, int]:
        """Enclose 2^60 exp(x / 2^44)."""
        found = self._exp.at(-x)
        remainder = (found >> SHARE) + ABSOLUTE_ERROR + 2
        return found - remainder, found + remainder
