"""Activations in fixed point, within a stated error.

See docs/reference/trained.md, section 1, and trained_rules.md, section 6.

At precisions 0 and 1 each cell of a table has a parabola, made on demand. At precision 2, and for the values at cells'
ends, the function is evaluated.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ....kernel.budget import Budget
from .exponentials import LazyTable
from .precision import Precision

VALUE_ERROR = 3  # error of an evaluated value, in units in the last place
FINER = 6  # additional fractional bits of the table's values at precision 0
CELL_BITS = 1600  # memory of a cell and its values

@dataclass(frozen=True)
class ActivationShape:
    """M >= |f'''|, a bound of |f'|, log2 of the cells per unit, and whether |f| is bounded by 1 or by |x|."""

    third: Fraction
    slope: Fraction
    step_bits: int
    bounded: bool


SHAPES = {"gelu": ActivationShape(Fraction(13, 10), Fraction(5, 4), 10, False),
          "gelu-tanh": ActivationShape(Fraction(12), Fraction(3, 2), 12, False),
          "silu": ActivationShape(Fraction(28, 25), Fraction(13, 10), 12, False),
          "sigmoid": ActivationShape(Fraction(1, 4), Fraction(1, 4), 11, True),
          "tanh": ActivationShape(Fraction(4), Fraction(1), 12, True),
          "relu": ActivationShape(Fraction(0), Fraction(1), 1, False),
          "identity": ActivationShape(Fraction(0), Fraction(1), 1, False)}
EXACT = {"relu", "identity"}


def evaluated(name: str, bits: int, budget: Budget) -> Callable[[int], int]:
    """Return the evaluation of an activation over 2^bits; imports its module on demand."""
    if name == "gelu":
        from .gelu import Normal

        return Normal(bits, budget).find
    from .sigmoids import Sigmoids

    return Sigmoids(name, bits, budget).find


ParabolaPiece = tuple[int, int, int]
"""(f << shift, first, second): coefficients of 1, t and t², t in [0, 1] over the cell of width 2^shift."""


class Activation:
    """An activation, entry by entry; ``apply`` errs by at most ``error`` units in the last place in each.

    Cells are as wide as ``allowed``, the error allowed to parabolas, permits.
    """

    def __init__(self, name: str, precision: Precision, budget: Budget, allowed: int = 1) -> None:
        self._budget, self._precision = budget, precision
        self._shape, self._name = SHAPES[name], name
        self._far = asymptote_start(precision.fraction) << precision.fraction
        self._function: Callable[[int], int] = int
        self._finer = 0 if precision.level or name in EXACT else FINER
        if name not in EXACT:
            self._function = evaluated(name, precision.fraction + self._finer, budget)
        rest = self._shape.third * Fraction(642, 10000) * precision.one / 8**self._shape.step_bits
        self._step_bits = self._shape.step_bits
        while self._step_bits > FINER and 8 * rest <= allowed:
            self._step_bits, rest = self._step_bits - 1, 8 * rest
        self._shift = precision.fraction - self._step_bits
        self._values: dict[int, int] = {}
        self._cells = LazyTable(self._make_cell, self._far >> self._shift)
        by_table = precision.level <= 1
        self.apply = (self._apply_relu if name == "relu" else list if name == "identity" else
                      self._apply_cells if by_table else self._apply_each)
        self.error = 0 if name in EXACT else VALUE_ERROR if not by_table else (
            min(1, self._finer) - (-(2 * VALUE_ERROR + 4) >> self._finer) + -(-rest // 1))

    def propagated_error(self, e: int) -> int:
        """Return the error of the results due to an error e (2-norm) of the arguments, roundings excluded."""
        return e * self._shape.slope.numerator // self._shape.slope.denominator + 1

    def bound(self, reads: int, side: int) -> int:
        """Bound the 2-norm of the result; ``reads`` bounds the argument's, ``side`` is √(hidden units)."""
        return (side * self._precision.one if self._shape.bounded else reads) + side * (self.error + 1)

    def _apply_relu(self, x: Sequence[int]) -> list[int]:
        return [y if y > 0 else 0 for y in x]

    def _apply_each(self, x: Sequence[int]) -> list[int]:
        return [self._value(y) for y in x]

    def _apply_cells(self, x: Sequence[int]) -> list[int]:
        """Evaluate f0 + t (d1 + (t - 1)/2 d2), d1, d2 the differences, as f0 + t ((d1 - d2/2) + t d2/2)."""
        cells, bits, mask, places = self._cells, self._shift, (1 << self._shift) - 1, self._shift + self._finer
        return [f + (first + (second * t >> bits)) * t >> places
                for y in x for f, first, second in [cells[y >> bits]] for t in [y & mask]]

    def _make_cell(self, place: int) -> ParabolaPiece:
        f, g, h = (self._value_at(place + k) for k in range(3))
        second = (h - g) - (g - f) >> 1
        return f << self._shift, g - f - second, second

    def _value_at(self, place: int) -> int:
        value = self._values.get(place)
        if value is None:
            value = self._value(place << self._shift + self._finer)
            if abs(place << self._shift) < self._far:
                self._budget.hold(CELL_BITS)
                self._values[place] = value
        return value

    def _value(self, x: int) -> int:
        """Return the function within VALUE_ERROR; beyond ``far`` the asymptote, within one unit in the last place."""
        if abs(x) < self._far << self._finer:
            return self._function(x)
        one = self._precision.one << self._finer
        positive = {"sigmoid": one, "tanh": one}.get(self._name, x)
        negative = -one if self._name == "tanh" else 0
        return positive if x > 0 else negative


def asymptote_start(fraction: int) -> int:
    """Return y0 such that for |x| >= y0 each function is within 2^-F of its asymptote.

    Proof. With y = |x| >= F + 16 >= 42, F of values: 1 - s(y) <= exp(-y), y exp(-y) <= 2^(-1.44y) y <= 2^-y; tanh is s
    at 2y; y (1 - Φ(y)) <= φ(y) < exp(-y); |u| >= 1.59 |x|.
    """
    return fraction + 16 + FINER
