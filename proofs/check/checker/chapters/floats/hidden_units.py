"""Hidden units of a feed-forward part under a float model, and their joint output in one situation.

docs/background/floats_rules.md, section 4, rule 5. In a situation every input is enclosed: one number, or an interval.
A unit is then *shut* (exactly 0), *exact*, or a *copy* of one input; otherwise the proof fails.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from ...kernel.budget import Cache
from ...kernel.numbers import ONE, ZERO
from ...kernel.reading.records import Neuron
from ...kernel.verdicts import quote, require
from ..float_models.reading import FloatClaim
from .forms import Arithmetic, FloatValue, RealSum, exactly
from .rounding import fits, is_normal, is_number

KEPT_BITS = 4096  # memory of each input of an activation

LOW, MIDDLE, HIGH = Fraction(3, 4), ONE, Fraction(5, 4)


class Input(NamedTuple):
    """An enclosure of a direction (unbounded above, if high is None), ``is_near`` if it is near 1."""

    low: Fraction
    high: Fraction | None
    is_near: bool = False

    @property
    def is_point(self) -> bool:
        """Whether it is one number."""
        return self.low == self.high


class Active(NamedTuple):
    """An activation, slope x + start of the near direction x, or a copy; ``parts`` enclose it below 1 and from 1 on."""

    source: str | None
    slope: Fraction
    start: Fraction
    parts: tuple[FloatValue, ...]
    is_copy: bool = False


def halves(claim: FloatClaim) -> tuple[FloatValue, FloatValue]:
    """Return a number of 3/4..5/4 as an input: below 1 a multiple of 2^-p, from 1 on of 2^(1-p)."""
    p = claim.inputs.precision
    return FloatValue(LOW, MIDDLE, ZERO, -p), FloatValue(MIDDLE, HIGH, ZERO, 1 - p)


class Neurons:
    """The hidden units under a float model."""

    def __init__(self, arithmetic: Arithmetic) -> None:
        self._arithmetic, self._claim = arithmetic, arithmetic.claim
        self._halves = halves(arithmetic.claim)
        self._found = Cache[tuple[object, ...], tuple[Active | None]]()

    def check_weights(self, unit: Neuron) -> None:
        """Check that all weights are numbers of their formats."""
        for weight in (*unit.reads.values(), *unit.writes.values(), unit.bias):
            is_stored = is_number(self._claim.storage, weight) and is_number(self._claim.inputs, weight)
            require(is_stored, "the weight {} is not a number of the format", weight)

    def activate(self, unit: Neuron, inputs: Mapping[str, Input], copies: bool) -> Active | None:
        """Return the activation, which is exact, or a copy if ``copies``; None if the unit is shut."""
        read = {name: inputs[name] for name in unit.reads}
        key = (unit, copies, *read.values())
        known = self._found.get(key)
        if known is None:
            find = self._find_copy if copies else self._find_exact
            active = None if self._is_shut(unit, read) else find(unit, read)
            known = self._found.keep(key, (active,), KEPT_BITS * (1 + len(read)))
        return known[0]

    def _find_copy(self, unit: Neuron, read: Mapping[str, Input]) -> Active:
        """Return the only nonzero input, if the unit copies it."""
        others = [name for name, one in read.items() if not (one.is_point and one.low == 0)]
        is_copy = unit.bias == 0 and len(others) == 1 and self._is_copied(unit.reads[others[0]], read[others[0]])
        require(is_copy, "a unit that writes a product is neither shut nor a copy")
        return Active(others[0], ONE, ZERO, (), True)

    def _is_copied(self, weight: Fraction, one: Input) -> bool:
        """Return whether 1 times the input is unchanged, except by rounding to the format of inputs."""
        if weight != 1 or one.high is None or one.is_near or one.low < 0:
            return False
        forms = (self._claim.storage, self._claim.inputs, self._claim.sums)
        return all(is_normal(form, one.low) for form in forms)

    def _is_shut(self, unit: Neuron, read: Mapping[str, Input]) -> bool:
        """Return whether the computed form is at most 0 at the worst ends, so everywhere, by M."""
        terms = [(exactly(unit.bias), exactly(ONE))]
        for name, one in read.items():
            end = one.high if unit.reads[name] > 0 else one.low
            if end is None:
                return False
            terms.append((exactly(unit.reads[name]), self._arithmetic.input_number(end)))
        value = self._arithmetic.sum(terms)
        return value.high + value.error <= 0

    def _find_exact(self, unit: Neuron, read: Mapping[str, Input]) -> Active:
        """Return the form where all inputs are numbers, except one near direction at most."""
        free = [name for name, one in read.items() if not one.is_point]
        may_be = len(free) <= 1 and all(read[name].is_near for name in free)
        require(may_be, "a unit reads {}, whose values are not exact", ", ".join(map(quote, free[:4])))
        terms = [(exactly(unit.bias), exactly(ONE)),
                 *((exactly(unit.reads[name]), self._arithmetic.input_number(one.low))
                   for name, one in read.items() if one.is_point)]
        start = sum((c.low * x.low for c, x in terms), ZERO)
        if not free:
            return Active(None, ZERO, start, (self._exact(terms),))
        slope = unit.reads[free[0]]
        parts = tuple(self._exact([*terms, (exactly(slope), half)]) for half in self._halves)
        return Active(free[0], slope, start, parts)

    def _exact(self, terms: Sequence[tuple[FloatValue, FloatValue]]) -> FloatValue:
        """Return the sum, which must be exact and not negative."""
        real = self._arithmetic.real_sum(terms)
        require(self._fits(real), "a unit may be rounded")
        require(real.low >= 0, "a unit may be shut or not")
        return FloatValue(real.low, real.high, ZERO, real.grid)

    def is_exact_sum(self, terms: Sequence[tuple[FloatValue, FloatValue]]) -> bool:
        """Return whether a sum is exact in any order and association, each part of it stored or not."""
        return self._fits(self._arithmetic.real_sum(terms))

    def _fits(self, real: RealSum) -> bool:
        return fits(self._claim.sums, real.grid, real.reach) and fits(self._claim.storage, real.grid, real.reach)


FALSE, TRUE, OPEN = Input(ZERO, ZERO), Input(ONE, ONE), Input(ONE, None)  # OPEN: slack that is not 0


class UnitOutput(NamedTuple):
    """An output weight of a unit, and its activation."""

    weight: Fraction
    active: Active


class Writing:
    """One direction, and the units and the bias that write it."""

    def __init__(self, arithmetic: Arithmetic, units: Neurons, name: str, writing: Sequence[Neuron],
                 bias: Fraction) -> None:
        for unit in writing:
            units.check_weights(unit)
        require(is_number(arithmetic.claim.storage, bias), "the bias {} is not a number of the format", bias)
        self._units, self._name, self.writing, self.bias = units, name, writing, bias

    def activate(self, inputs: Mapping[str, Input], copies: bool = False) -> list[UnitOutput]:
        """Return the outputs of the units that are not shut."""
        active = ((unit, self._units.activate(unit, inputs, copies)) for unit in self.writing)
        return [UnitOutput(unit.writes[self._name], one) for unit, one in active if one is not None]

    def check_number(self, written: Sequence[UnitOutput], expected: Fraction) -> None:
        """Check that the output is exactly this number, for all values of near directions, and no sum is rounded."""
        slopes: dict[str | None, Fraction] = {}
        for weight, active in written:
            slopes[active.source] = slopes.get(active.source, ZERO) + weight * active.slope
        got = self.bias + sum((weight * active.start for weight, active in written), ZERO)
        require(got == expected and not any(slopes.values()), "the output may be another number than {}", expected)
        for chosen in choose_parts(written):
            terms = [(exactly(self.bias), exactly(ONE)), *((exactly(one.weight), part) for one, part in chosen)]
            require(self._units.is_exact_sum(terms), "the sum of activations may be rounded")

    def the_unit_of_slack(self) -> Neuron:
        """Return the only unit, which writes slack."""
        fits = len(self.writing) == 1 and self.bias == 0 and self.writing[0].writes[self._name] == 1
        require(fits, "slack is not written by one unit")
        return self.writing[0]


def choose_parts(written: Sequence[UnitOutput]) -> Iterator[list[tuple[UnitOutput, FloatValue]]]:
    """Yield, for each near direction, one half, below 1 or from 1 on, the same in all units."""
    sources = sorted({active.source for _, active in written if active.source is not None})
    for halves in product((0, 1), repeat=len(sources)):
        half = dict(zip(sources, halves, strict=True))
        yield [(one, one.active.parts[half[one.active.source] if one.active.source is not None else 0])
               for one in written]
