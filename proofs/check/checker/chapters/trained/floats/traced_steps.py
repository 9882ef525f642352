"""What steps read and write of one token in all runs of a class, and units; docs/floats.md, section 7, Backwards."""

from collections.abc import Sequence
from operator import add, mul
from typing import NamedTuple

from ....kernel.numbers import INTEGER_BITS
from ..balls.activations import Activation
from ..balls.precision import Undecided
from ..forms.affine import FRACTION, Linear
from ..forms.packed import READABLE, pack_short, rescale, unpack
from ..forms.passing import NormMaps, UnitMaps
from .backwards import PRECISION, SHORT, BackMap, Backwards, GradientRows, make_back_map, plus
from .gradients import CURVES, TURN
from .operations import Operations, rounded_to
from .rounding import roundings
from .traces import NormBack, Outputs, Trace, TracedNorm, TracedVector, reaches

BITS = PRECISION.fraction  # behind the point of what activations are of, and of slopes
CUT = FRACTION - BITS


class Unread(NamedTuple):
    """The stream as it enters products, where there is no norm."""

    errors: list[int]

    def back(self, on: Backwards, given: GradientRows) -> GradientRows:
        """The rows of the stream."""
        return on.meet(given, self.errors)


class TracedReader:
    """What a step reads of the stream."""

    def __init__(self, operations: Operations, norm: NormMaps | None) -> None:
        self._operations = operations
        self._norm = TracedNorm(operations, norm) if norm else None

    def read(self, stream: Trace, outputs: Outputs) -> tuple[TracedVector, NormBack | Unread, list[int]]:
        """The norm, or the stream, as it enters products; and how far outputs of it may be off."""
        operations, run, x = self._operations, self._operations.run, stream.numbers
        if self._norm:
            return self._norm.read(stream, outputs, operations.entered)
        sizes = list(map(add, map(abs, x), stream.deviations))
        errors, _ = rounded_to(run.inputs, (run.storage,), sizes, [0] * len(x))
        step = Unread(errors)
        before = reaches(operations.budget, stream, outputs.rows.rows, outputs.slots)
        return TracedVector(x, list(map(add, stream.deviations, errors)), errors), step, list(map(
            add, before, outputs.reaches(operations.budget, step, max(errors))))


class TracedProduct:
    """A matrix product with a bias."""

    def __init__(self, operations: Operations, maps: Linear) -> None:
        entries = sum(map(len, maps.columns))
        operations.budget.spend(1 + entries)
        operations.budget.hold(3 * INTEGER_BITS * entries)
        self._operations, self._bias, self.back = operations, maps.bias, make_back_map(maps.columns)
        self._rows, self._absolute = ([pack_short(row) for row in zip(*columns, strict=True)]
                                      for columns in (maps.columns, maps.absolute))
        self._greatest = max(map(sum, maps.absolute))

    def find(self, x: TracedVector) -> tuple[list[int], list[int]]:
        """The numbers, and how far off they may be before they are stored from what the matrix makes of deviations.

        Raises:
            Undecided: if numbers are too large.
        """
        operations, sizes = self._operations, list(map(add, map(abs, x.numbers), x.deviations))
        operations.budget.spend(1 + (len(self._bias) * len(sizes) >> 3))
        off, counted = -(-sum(sizes) >> FRACTION) + (sum(x.deviations) >> SHORT) + 4, operations.counted(sizes)
        errors = operations.sum_errors([one + 1 for one in self._times(self._absolute, counted)], self._bias, counted)
        return (list(map(add, self._times(self._rows, x.numbers), self._bias)), [error + off for error in errors])

    def spread(self, deviations: Sequence[int]) -> list[int]:
        """How far outputs may be off at most, if inputs are."""
        return [one + 1 for one in self._times(self._absolute, deviations)]

    def _times(self, rows: Sequence[int], numbers: Sequence[int]) -> Sequence[int]:
        """The rows times numbers, off by at most a half."""
        if max(map(abs, numbers)) * self._greatest >= READABLE << FRACTION:
            raise Undecided
        slots = len(self._bias)
        return unpack(rescale(sum(map(mul, rows, numbers)), slots, FRACTION), slots)


def outputs_of(back: BackMap, slots: int) -> Outputs:
    """The outputs of a matrix: for each input its weights, a slot each."""
    return Outputs(slots, GradientRows([PRECISION.pack(row) for row in back.rows], back.greatest + 1))


class TracedWriting:
    """What a step writes to the stream: a product, stored, and the sum with the stream, stored."""

    def __init__(self, operations: Operations, maps: Linear) -> None:
        self._operations, self._product = operations, TracedProduct(operations, maps)
        self.back = self._product.back

    def add(self, stream: Trace, x: TracedVector) -> TracedVector:
        """The new stream, and how far each of its coordinates is rounded off."""
        operations, run = self._operations, self._operations.run
        written, made = self._product.find(x)
        apart = self._product.spread(x.deviations)
        made, _ = operations.kept(list(map(add, map(abs, written), apart)), made)
        numbers = list(map(add, stream.numbers, written))
        deviations = list(map(add, stream.deviations, apart))
        totals = [abs(one) + more + off for one, more, off in zip(numbers, deviations, made, strict=True)]
        summed = roundings(run.sums, totals)
        kept, _ = operations.kept(totals, summed)
        errors = list(map(add, made, kept))
        return TracedVector(numbers, list(map(add, deviations, errors)), errors)


class UnitsBack(NamedTuple):
    """A step of units, backwards; sums of deviations of what is read, and of units before and behind activations."""

    read: NormBack | Unread
    inward: BackMap
    outward: BackMap
    slopes: list[int]
    units: list[int]
    written: list[int]
    of_read: int
    of_units: int

    def back(self, on: Backwards, given: GradientRows) -> GradientRows:
        """The rows of the stream before the step."""
        given = on.meet(given, self.written)
        rows = on.through(self.outward, given)
        rows = on.meet(rows, self.units)
        on.lose(self.of_units)
        rows = on.through(self.inward, on.scaled(rows, self.slopes, BITS))
        on.lose(self.of_read)
        rows = self.read.back(on, rows)
        return plus(given, rows)


class TracedUnits:
    """A step of units, `gelu` or `relu`.

    Raises:
        Undecided: if it is another.
    """

    def __init__(self, operations: Operations, maps: UnitMaps, activation: Activation) -> None:
        if maps.curve.name not in ("gelu", "relu") or maps.gate is not None:
            raise Undecided
        self._operations, self._relu, self._activation = operations, maps.curve.name == "relu", activation
        self._reader, self._inward = TracedReader(operations, maps.norm), TracedProduct(operations, maps.inward)
        self._written = TracedWriting(operations, maps.outward)
        self._outputs = outputs_of(self._inward.back, len(maps.inward.columns))

    def pass_on(self, stream: Trace) -> Trace:
        """The stream after the step."""
        operations = self._operations
        read, norm, apart = self._reader.read(stream, self._outputs)
        inner, made = self._inward.find(read)
        made, sizes = operations.kept(list(map(add, map(abs, inner), apart)), made)
        far = list(map(add, apart, made))
        units, slopes, rest = self._lines(inner, far)
        slopes_up = [(abs(slope) * more >> BITS) + 1 for slope, more in zip(slopes, far, strict=True)]
        hidden = list(map(add, map(abs, units), slopes_up))
        if self._relu:
            errors, _ = rounded_to(operations.run.inputs, (operations.run.storage,), hidden, rest)
        else:
            errors, _ = operations.entered(hidden, list(map(add, rest, operations.function_error("gelu", sizes))))
        known = TracedVector(units, list(map(add, slopes_up, errors)), errors)
        found = self._written.add(stream, known)
        merged = [error + (abs(slope) * more >> BITS) + 1
                  for error, slope, more in zip(errors, slopes, made, strict=True)]
        step = UnitsBack(norm, self._inward.back, self._written.back, slopes, merged, found.errors,
                         sum(read.deviations), sum(far) + sum(known.deviations))
        return stream.then(step, found, max(*merged, *read.errors))

    def _lines(self, inner: Sequence[int], far: Sequence[int]) -> tuple[list[int], list[int], list[int]]:
        """Of each unit its number, the slope over 2^BITS, and how far a run may be off from that line.

        Proof: docs/floats.md, section 7, Backwards, Units.
        """
        if self._relu:
            return bent_lines(inner, far)
        activation, numbers = self._activation, [x >> CUT for x in inner]
        found, slopes, rest = [], activation.slopes(numbers), []
        value_error, slope_error, last = activation.error << CUT, activation.slope_error, len(CURVES) - 1
        for x, number, value, slope, more in zip(inner, numbers, activation.apply(numbers), slopes, far, strict=True):
            beside = x - (number << CUT)
            reach = more + beside
            least, most = abs(x) - reach >> FRACTION - 2, (abs(x) + reach >> FRACTION - 2) + 1
            half = (CURVES[min(last, max(0, least))] * reach * reach // 2000 >> FRACTION) + 1
            sign = 1 if most < TURN else -1 if least >= TURN else 0
            found.append((value << CUT) + (slope * beside >> BITS) + sign * (half >> 1))
            rest.append((half if not sign else (half >> 1) + 1) + value_error + (slope_error * reach >> BITS) + 3)
        return found, slopes, rest


def bent_lines(inner: Sequence[int], far: Sequence[int]) -> tuple[list[int], list[int], list[int]]:
    """The same of `relu`."""
    numbers, slopes, rest = [], [], []
    for x, more in zip(inner, far, strict=True):
        if abs(x) >= more:
            numbers.append(max(x, 0))
            slopes.append(1 << BITS if x > 0 else 0)
            rest.append(0)
            continue
        low, high = x - more, x + more
        slope = (high << BITS) // (high - low)
        most = max(-slope * low >> BITS, high - (slope * high >> BITS)) + 1
        numbers.append((slope * x >> BITS) + (most >> 1))
        slopes.append(slope)
        rest.append((most >> 1) + 3)
    return numbers, slopes, rest
