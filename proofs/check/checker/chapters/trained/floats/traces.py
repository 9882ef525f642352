"""One token in all runs of a class: its numbers, and each place where runs may be off from them.

docs/floats.md, section 7, Backwards. A vector of a run is numbers (units of 2^-44) and a deviation; each step makes of
a deviation a matrix times it, and an error, which is bounded coordinate by coordinate. What that makes of an output is
found backwards, of many outputs at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isqrt
from operator import add, mul
from typing import NamedTuple, Protocol

from ....kernel.budget import Budget
from ..balls.precision import Undecided, ceil_norm
from ..forms.affine import FRACTION, UNIT
from ..forms.passing import NormMaps
from .backwards import GRADIENT, MOST, SHORT, SLOT, Backwards, GradientRows, short
from .operations import Operations

LEAST_DEVIATION = 1 << 36  # s is at least so many units


class TracedVector(NamedTuple):
    """A vector: numbers, how far each may be off from them in a run, and by what of that the last step made it off."""

    numbers: list[int]
    deviations: list[int]
    errors: list[int]


class Back(Protocol):
    """A step of the stream, backwards."""

    def back(self, on: Backwards, given: GradientRows) -> GradientRows:
        """The rows before the step."""


class Trace(NamedTuple):
    """A stream: numbers, how far each may be off, the steps that made it, and the greatest error on the way."""

    numbers: list[int]
    deviations: list[int]
    steps: tuple[Back, ...]
    greatest: int

    def go_back(self, on: Backwards, given: GradientRows) -> list[int]:
        """How far outputs may be off, by their rows at the stream."""
        for step in reversed(self.steps):
            given = step.back(on, given)
        return on.reaches()

    def then(self, step: Back, known: TracedVector, greatest: int) -> Trace:
        """The stream after a step."""
        return Trace(known.numbers, known.deviations, (*self.steps, step), max(self.greatest, greatest, *known.errors))


class Outputs(NamedTuple):
    """Outputs of what a step reads: so many, and their rows."""

    slots: int
    rows: GradientRows

    def reaches(self, budget: Budget, step: Back, greatest: int) -> list[int]:
        """How far they may be off for what the step makes off."""
        if not self.slots:
            return []
        on = Backwards(budget, self.slots, greatest)
        step.back(on, self.rows)
        return on.reaches()


NO_OUTPUTS = Outputs(0, GradientRows((), 0))
RoundedTo = Callable[[Sequence[int], Sequence[int]], tuple[list[int], list[int]]]
"""How far off numbers of these sizes, off by so much, are when they are rounded, and how great they are."""


class TraceStart(NamedTuple):
    """What is looked up: off by this in each coordinate."""

    errors: list[int]

    def back(self, on: Backwards, given: GradientRows) -> GradientRows:
        """Nothing was before."""
        return on.meet(given, self.errors)


class NormBack(NamedTuple):
    """A norm, read: gain, and ρ, π and ν, of ρ v - π Σ v - ν (ν · v), over 2^SHORT; and what is off.

    ``errors`` are those of what is read; before the gain, ``shift`` is what all coordinates have alike, ``bow`` what
    they have in the ratio of ν. ``normed`` and ``before`` are sums of deviations, of the norm and of the stream.
    """

    gain: list[int] | None
    rho: int
    pi: int
    nu: list[int]
    errors: list[int]
    shift: int
    bow: int
    normed: int
    before: int

    def back(self, on: Backwards, given: GradientRows) -> GradientRows:
        """The rows of the stream that is normed."""
        given = on.meet(given, self.errors)
        if self.gain is not None:
            given = on.scaled(given, self.gain, SHORT)
            on.lose(self.normed)
        total = sum(given.rows)
        if self.shift:
            on.meet(GradientRows([total], given.most * len(self.nu)), [self.shift])
        sizes = sum(map(abs, self.nu))
        (along,), most = on.floors([sum(map(mul, self.nu, given.rows))], given.most * sizes, SHORT)
        on.meet(GradientRows([along], most), [self.bow])
        on.lose((max(map(abs, self.nu)) >> SHORT) * self.before + 2 * self.before + self.bow)
        mean = self.pi * total
        most = given.most * (self.rho + self.pi * len(self.nu)) + most * max(map(abs, self.nu))
        return on.floors([self.rho * row - nu * along - mean for row, nu in zip(given.rows, self.nu, strict=True)],
                         most, SHORT)


class TracedNorm:
    """A norm of the stream, ready."""

    def __init__(self, operations: Operations, maps: NormMaps) -> None:
        self._operations, self._maps = operations, maps
        self._epsilon = (maps.epsilon.numerator << 2 * FRACTION) // maps.epsilon.denominator
        self._gain = None if maps.gain is None else [short(one) for one in maps.gain]

    def pass_on(self, stream: Trace) -> Trace:
        """The stream, normed."""
        known, step, _ = self.read(stream, NO_OUTPUTS, self._operations.kept)
        return stream.then(step, known, 0)

    def read(self, stream: Trace, outputs: Outputs, rounded: RoundedTo) -> tuple[TracedVector, NormBack, list[int]]:
        """The norm, with gain and bias, rounded so; and how far outputs of it may be off.

        Proof: docs/floats.md, section 7, Backwards, Norms.

        Raises:
            Undecided: if the stream may be off by more than a quarter of its deviation.
        """
        operations, maps, x = self._operations, self._maps, stream.numbers
        d, layer, total = len(x), maps.kind == "layer", sum(x)
        y = [d * a - total for a in x] if layer else [d * a for a in x]
        s = isqrt(sum(map(mul, y, y)) // d**3 + self._epsilon)
        if s < LEAST_DEVIATION:
            raise Undecided
        n = [(a << FRACTION) // (d * s) for a in y]
        inexact = [2 * abs(one) // s + 2 for one in n]
        rho = (1 << FRACTION + SHORT) // s
        nu = [short((one << FRACTION) // isqrt(d * s << FRACTION)) for one in n]
        step = NormBack(self._gain, rho, rho // d if layer else 0, nu, [0] * d, 0, 0, 0, 0)
        found = self._apart(stream, [(one << GRADIENT) // (d * s) for one in n], step, outputs)
        apart, beta, far_off = found[:d], found[d], found[d + 1:]
        root = isqrt(d << 2 * GRADIENT)
        w = (ceil_norm(apart) << FRACTION + GRADIENT) // (root * s) + 1
        if 4 * w > UNIT:
            raise Undecided
        beta = min(beta, w)
        rise, fall = beta * beta // (UNIT - beta) + 1, w * w // (2 * (UNIT - beta)) + 1
        bent, moved = (rise + fall >> 1) + 1, max((beta << FRACTION) // (UNIT - beta) + 1, beta + fall)
        before = sum(stream.deviations)
        mismatch = (before * (16 + (8 * max(map(abs, nu)) >> SHORT)) >> SHORT) + 1
        side = isqrt(d * s << FRACTION) + 1
        bow = (bent * side >> FRACTION) + 1
        rest = [(((far << FRACTION) // s + 1) * moved >> FRACTION) + off + mismatch + (bow >> SHORT) + 3
                for off, far in zip(inexact, apart, strict=True)]
        deviations = [(far << FRACTION) // s + (abs(one) * (beta + bent) >> FRACTION) + 2 * more + 2
                      for one, far, more in zip(n, apart, rest, strict=True)]
        n = [one + (one * (rise - fall) >> FRACTION + 1) for one in n]
        sizes = list(map(add, map(abs, n), deviations))
        made, shift = operations.norm_error(maps, list(map(add, map(abs, x), stream.deviations)), sizes,
                                            s - (s * w >> FRACTION) - 2)
        made = list(map(add, made, rest))
        operations.gained(maps, [size + shift for size in sizes], made)
        gain, deviations = maps.gain or [UNIT] * d, [one + shift for one in deviations]
        numbers = [(g * one >> FRACTION) + b for g, one, b in zip(gain, n, maps.bias or [0] * d, strict=True)]
        made = [error + (more >> SHORT) + (abs(one) >> FRACTION) + 4
                for error, more, one in zip(made, deviations, n, strict=True)]
        scaled = [(abs(g) * more >> FRACTION) + 1 for g, more in zip(gain, deviations, strict=True)]
        errors, _ = rounded([abs(one) + more for one, more in zip(numbers, scaled, strict=True)], made)
        step = step._replace(errors=errors, shift=shift, bow=bow, normed=sum(deviations), before=before)
        return TracedVector(numbers, list(map(add, scaled, errors)), errors), step, list(map(
            add, far_off, outputs.reaches(operations.budget, step, max(errors))))

    def _apart(self, stream: Trace, along: Sequence[int], step: NormBack, outputs: Outputs) -> list[int]:
        """How far each coordinate, less the mean of all for `layer`, may be off; the stream along this vector; and
        outputs, for what was before the norm."""
        d, budget = len(along), self._operations.budget
        rows = [1 << GRADIENT + SLOT * k for k in range(d)]
        mean = (1 << GRADIENT) // d * (sum(rows) >> GRADIENT) if self._maps.kind == "layer" else 0
        before = (step.back(Backwards(budget, outputs.slots, 0), outputs.rows) if outputs.slots
                  else GradientRows([0] * d, 0))
        return reaches(budget, stream, [row - mean + (one << SLOT * d) + (more << SLOT * (d + 1))
                                        for row, one, more in zip(rows, along, before.rows, strict=True)],
                       d + 1 + outputs.slots)


def reaches(budget: Budget, stream: Trace, rows: Sequence[int], slots: int) -> list[int]:
    """How far so many outputs may be off, whose rows at the stream are within two units."""
    found = stream.go_back(Backwards(budget, slots, stream.greatest), GradientRows(rows, MOST - 1))
    return [one + (sum(stream.deviations) >> GRADIENT - 1) + 1 for one in found]
