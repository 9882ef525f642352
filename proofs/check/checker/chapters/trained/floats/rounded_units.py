"""Units that round, in every execution: docs/background/floats_rules.md, section 7, Roundings."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from operator import add

from ....kernel.verdicts import Rejected, require
from ...float_models.roundoff import gamma, tiny
from ..balls.precision import Undecided
from ..balls.roundings import Grid, Rounder
from ..reading.network import Rounding, UnitsStep
from ..zonotopes.activations import Curve, activate
from ..zonotopes.affine import FRACTION, UNIT, AffineForm, promoted, spread, widened, within_range
from ..zonotopes.step_maps import PRECISION, UnitMaps, make_maps
from .operations import Operations
from .rounding import all_times, expect_finite, times, up

RoundedForm = tuple[AffineForm, list[int]]
"""A form, and the errors of an execution relative to it, before it is stored."""


def make_rounded_maps(operations: Operations, step: UnitsStep, rounding: Rounding) -> UnitMaps:
    """Prepare the maps of a block that rounds."""
    maps = make_maps(operations.budget, replace(step, activation="identity"))
    assert isinstance(maps, UnitMaps)
    return maps._replace(curve=Curve("rounding", RounderOfRuns(rounding, operations)))


class RounderOfRuns(Rounder):
    """A rounding in every execution; its scale, if given, is a number of `softmax`."""

    def __init__(self, rounding: Rounding, operations: Operations) -> None:
        super().__init__(rounding, PRECISION, operations.budget, 0, 1)
        self._operations, self._form = operations, operations.model.softmax
        self._relative, self._lost = gamma(6, operations.u), tiny(self._form)

    def units(self, maps: UnitMaps, streams: Sequence[AffineForm]) -> list[AffineForm]:
        """Return the streams of tokens after a block that rounds; all tokens, if the range is that of all."""
        operations, streams = self._operations, list(map(promoted, streams))
        inward = [operations.product(maps.inward, operations.reading(operations.normed(maps.norm, x)))
                  for x in streams]
        return [operations.sum(x, operations.linear(maps.outward, operations.stored(*units)))
                for x, units in zip(streams, self.of_forms(inward), strict=True)]

    def of_forms(self, given: Sequence[AffineForm]) -> list[RoundedForm]:
        """Return the rounded forms of tokens: of all, if the range is that of all."""
        if self._rounding.scale is not None:
            return [self._by_scale(self._rounding.scale, x) for x in given]
        groups = [given] if self.of_input else [[x] for x in given]
        try:
            return [one for group in groups for one in self._by_range(group)]
        except Undecided:
            raise Rejected("a range of numbers to round may be 0") from None

    def _moved(self, sizes: Sequence[int], zero: int, scale: Fraction) -> list[int]:
        """Return how far numbers are, as if x itself had been, from what is rounded; ``zero`` is scale · |zero|."""
        lost = up(self._lost * (2 + 2 * scale))
        expect_finite(self._form, [times(2 / scale, size + zero) + UNIT for size in sizes])
        return [more + lost for more in all_times(self._relative, [size + zero for size in sizes])]

    def _stored(self, x: AffineForm) -> RoundedForm:
        expect_finite(self._form, [2 * size for size in x.sizes])
        lost = up(2 * self._lost)
        return x, [more + lost for more in all_times(self._relative, x.sizes)]

    def _by_scale(self, scale: Fraction, x: AffineForm) -> RoundedForm:
        moved = self._moved(x.sizes, up(scale * abs(self._rounding.zero)), scale)
        return self._stored(activate(self._budget, Curve("rounding", self), widened(x, moved)))

    def _by_range(self, group: Sequence[AffineForm]) -> list[RoundedForm]:
        """Return the forms of tokens that share a range, as intervals."""
        self._budget.spend(8 * sum(len(x.rows) for x in group))
        known = [spread(self._budget, x) for x in group]
        (low, high), whole, zeros = self.grid_of([([x], e + 1) for one in known for x, e in zip(*one, strict=True)],
                                                 self._relative)
        more = times(self._relative, high) + up(2 * self._lost)
        require(low > more, "a range of numbers to round may be 0")
        scale = Fraction(low - more, whole * UNIT)
        grid = Grid((low - more, high + more), whole, zeros)
        expect_finite(self._form, [4 * high, up(1 / scale), whole << FRACTION])
        require(2 * self._lost <= scale, "a range of numbers to round may be too small for its format")
        found = []
        for x, (centres, reaches) in zip(group, known, strict=True):
            sizes = list(map(add, map(abs, centres), reaches))
            moved = self._moved(sizes, high + more, Fraction(high + more, whole * UNIT))
            ends = [self.ends(grid, y - e, y + e) for y, e in zip(centres, map(add, reaches, moved), strict=True)]
            rows, radii = [(a + b) // (2 * whole) for a, b in ends], [(b - a) // (2 * whole) + 2 for a, b in ends]
            found.append(self._stored(widened(within_range(rows, x.slots, [0] * len(rows), [*map(abs, rows)]), radii)))
        return found
