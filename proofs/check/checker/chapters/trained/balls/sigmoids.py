"""Activations that are built from s(v) = 1/(1 + exp(-v)): sigmoid, tanh, silu and gelu-tanh, in fixed point."""

from ....kernel.budget import Budget
from .exponentials import Exponentials

GUARD = 24  # additional fractional bits during the evaluation
CONSTANT, CONSTANT_BITS = 0x19884533D43651, 53  # 0x1.9884533d43651p-1, the binary64 number nearest to sqrt(2/π)
CUBE = 44715  # of 10^6
CUBE_BITS = 32  # additional fractional bits of the cube's factor
VALUE_STEPS = 4


class Sigmoids:
    """These functions of numbers over 2^F, with errors below 2 units of 2^-F where |x| < 2^8.

    Proof. Let f = F + GUARD, units 2^-f. exp(-|v|) errs by less than 7 units (4 relative, 3 absolute). 1/(1 + w) and
    w/(1 + w) have slopes of at most 1, and one rounding: s errs by less than 8 units, tanh by less than 17. The
    argument of gelu-tanh: the cube's factor is short by less than 2^-32 of a unit, times |x|³ < 2^24; with one rounding
    less than 2 units, times 2c < 1.6 and rounded less than 5, of which s makes at most a quarter. So s errs by less
    than 10 units there, and times |x| < 2^8 by less than 2^12 units; as 2^-GUARD of 2^12 is small, one rounding
    remains.
    """

    def __init__(self, name: str, fraction: int, budget: Budget) -> None:
        self._fraction, self._budget = fraction, budget
        self._bits = fraction + GUARD
        self._exponentials = Exponentials(self._bits, self._bits + 8, budget)
        self._cube = (CUBE << self._bits + CUBE_BITS) // 10**6
        self.find = {"sigmoid": self._sigmoid, "tanh": self._tanh, "silu": self._silu, "gelu-tanh": self._gelu}[name]

    def _s(self, v: int) -> int:
        """Return 1/(1 + exp(-v)) over 2^f, for v over 2^f."""
        self._budget.spend(VALUE_STEPS)
        w, one = self._exponentials.at(abs(v)), 1 << self._exponentials.bits
        return ((one if v >= 0 else w) << self._bits) // (one + w)

    def _sigmoid(self, x: int) -> int:
        return self._s(x << GUARD) >> GUARD

    def _tanh(self, x: int) -> int:
        return (2 * self._s(x << GUARD + 1) >> GUARD) - (1 << self._fraction)

    def _silu(self, x: int) -> int:
        return x * self._s(x << GUARD) >> self._bits

    def _gelu(self, x: int) -> int:
        cubed = x * x * x * self._cube >> 3 * self._fraction + CUBE_BITS
        argument = ((x << GUARD) + cubed) * CONSTANT >> CONSTANT_BITS - 1
        return x * self._s(argument) >> self._bits
