"""Feed-forward blocks: units that read multiples of one linear form are a piecewise linear function of it.

docs/background/softened_rules.md, section 3, Feed-forward part, has the claim and its proof.
"""

from collections.abc import Iterable
from fractions import Fraction

from ...kernel.numbers import ZERO, add, divide, multiply
from .forms import UnitGroup
from .integers import scaled
from .memoisation import Addition, LengthTables, as_key
from .stages import StageErrors, error_of_form


class GroupAtLength:
    """A group of units at one length; its output is cached by the number that it reads."""

    def __init__(self, memory: LengthTables, group: UnitGroup, stage: StageErrors, scale: int, new_scale: int) -> None:
        self.written = group.written
        self._memory, self._budget, self._group, self._stage = memory, memory.budget, group, stage
        self._unit, self._new_scale = scale * group.forms.denominator, new_scale
        self._radius = error_of_form(self._budget, group.row, stage.before)
        self._breaks = [divide(self._budget, -unit.bias, slope) for slope, unit in group.units if slope]
        self._known: dict[str, Addition] = {}

    def addition(self, vector: dict[str, int], bits: int) -> Addition:
        """Return the addition of the group for the integers of a vector, of at most ``bits`` bits."""
        numbers = self._group.forms.read(self._budget, vector, bits)
        key = as_key(numbers)
        if key not in self._known:
            self._memory.keep(1, 8 * len(key))
            self._known[key] = self._add(Fraction(numbers[0], self._unit))
        return self._known[key]

    def _add(self, y: Fraction) -> Addition:
        exact = self._outputs(y)
        others = [self._outputs(point) for point in self._points_around(y)]
        errors = [(t, max((abs(add(self._budget, other[t], -x)) for other in others), default=ZERO))
                  for t, x in exact.items()]
        values = tuple([scaled(self._budget, x, self._new_scale) for x in exact.values()])
        return self._memory.unify_addition(values, self._stage.settle(errors))

    def _points_around(self, y: Fraction) -> Iterable[Fraction]:
        """Return the points where f may be farthest from f(y), within the error bound of y."""
        if not self._radius:
            return []
        lower, upper = add(self._budget, y, -self._radius), add(self._budget, y, self._radius)
        self._budget.spend(len(self._breaks))
        return {lower, upper, *(x for x in self._breaks if lower < x < upper)}

    def _outputs(self, y: Fraction) -> dict[str, Fraction]:
        """Return f_t(y) for each direction t that is written."""
        sums = dict.fromkeys(self.written, ZERO)
        for slope, unit in self._group.units:
            self._budget.spend(2)
            active = add(self._budget, multiply(self._budget, slope, y), unit.bias)
            if active > 0:
                for t, c in unit.writes.items():
                    sums[t] = add(self._budget, sums[t], multiply(self._budget, active, c))
        return sums
