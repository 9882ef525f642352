"""What the units of one output direction write together, in one situation; docs/floats.md, section 4, rule 5."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import NamedTuple

from ...kernel.numbers import ONE, ZERO
from ...kernel.reading.records import Neuron
from ...kernel.verdicts import require
from .forms import Arithmetic, FloatValue, exactly
from .rounding import is_number
from .units import Active, Input, Neurons

FALSE, TRUE, OPEN = Input(ZERO, ZERO), Input(ONE, ONE), Input(ONE, None)  # OPEN: slack that is not 0


class Written(NamedTuple):
    """What a unit writes, and its activation."""

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

    def activate(self, inputs: Mapping[str, Input], copies: bool = False) -> list[Written]:
        """What units write that are not shut."""
        active = ((unit, self._units.activate(unit, inputs, copies)) for unit in self.writing)
        return [Written(unit.writes[self._name], one) for unit, one in active if one is not None]

    def check_number(self, written: Sequence[Written], wanted: Fraction) -> None:
        """The output is exactly this number, whatever near directions hold, and no sum is rounded."""
        slopes: dict[str | None, Fraction] = {}
        for weight, active in written:
            slopes[active.source] = slopes.get(active.source, ZERO) + weight * active.slope
        got = self.bias + sum((weight * active.start for weight, active in written), ZERO)
        require(got == wanted and not any(slopes.values()), "the output may be another number than {}", wanted)
        for chosen in choose_parts(written):
            terms = [(exactly(self.bias), exactly(ONE)), *((exactly(one.weight), part) for one, part in chosen)]
            require(self._units.is_exact_sum(terms), "the sum of activations may be rounded")

    def the_unit_of_slack(self) -> Neuron:
        """The one unit that writes it."""
        fits = len(self.writing) == 1 and self.bias == 0 and self.writing[0].writes[self._name] == 1
        require(fits, "slack is not written by one unit")
        return self.writing[0]


def choose_parts(written: Sequence[Written]) -> Iterator[list[tuple[Written, FloatValue]]]:
    """For each near direction that is read one half, below 1 or from 1 on, the same in all units that read it."""
    sources = sorted({active.source for _, active in written if active.source is not None})
    for halves in product((0, 1), repeat=len(sources)):
        half = dict(zip(sources, halves, strict=True))
        yield [(one, one.active.parts[half[one.active.source] if one.active.source is not None else 0])
               for one in written]
