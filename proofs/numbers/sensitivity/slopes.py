"""Greatest slopes of the feed-forward part: units that read one form are one function of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from constructions.network.transformer import FeedForward, Unit
from proofs.enclosures.intervals import Interval, enclose_form
from proofs.enclosures.rationals import ZERO, row_to_flint, to_flint

Form = dict[str, Any]
"""A linear form whose first weight, by the order of names, is 1."""


@dataclass(frozen=True)
class Ramp:
    """Units that read multiples of one form: its absolute weights, and the greatest slope in each direction."""

    reads: Form
    slopes: Mapping[str, Any]


@dataclass(frozen=True)
class _Knee:
    """A unit as a function of the form y: ``weight * ReLU(factor * y + bias)``."""

    factor: Any
    bias: Any
    writes: Form

    def slope(self, name: str, y: Any) -> Any:
        return self.writes[name] * self.factor if self.factor * y + self.bias > 0 else ZERO


def ramps_of(feedforward: FeedForward, box: Mapping[str, Interval]) -> list[Ramp]:
    """Group the units by the forms that they read, with their slopes over the box."""
    knees: dict[tuple[tuple[str, Any], ...], list[_Knee]] = {}
    for unit in feedforward.units:
        if form_and_factor := _normalised(unit):
            form, factor = form_and_factor
            knee = _Knee(factor, to_flint(unit.bias), row_to_flint(unit.writes))
            knees.setdefault(tuple(form.items()), []).append(knee)
    found = []
    for key, units in knees.items():
        form = dict(key)
        slopes = _slopes(units, enclose_form(form, box, ZERO))
        if slopes:
            found.append(Ramp({name: abs(weight) for name, weight in form.items()}, slopes))
    return found


def _normalised(unit: Unit) -> tuple[Form, Any] | None:
    reads = {name: weight for name, weight in sorted(row_to_flint(unit.reads).items()) if weight}
    if not reads:
        return None
    factor = next(iter(reads.values()))
    return {name: weight / factor for name, weight in reads.items()}, factor


def _slopes(knees: Sequence[_Knee], y: Interval) -> Form:
    """Return the greatest absolute slope in each direction while the form is in the interval; those that are not 0."""
    if y.is_point:
        return {}
    inside = sorted(place for knee in knees if y.lower < (place := -knee.bias / knee.factor) < y.upper)
    ends = [y.lower, *inside, y.upper]
    middles = [(a + b) / 2 for a, b in pairwise(ends)]
    found = {}
    for name in dict.fromkeys(name for knee in knees for name in knee.writes):
        writing = [knee for knee in knees if name in knee.writes]
        greatest = max(abs(sum((knee.slope(name, middle) for knee in writing), ZERO)) for middle in middles)
        if greatest:
            found[name] = greatest
    return found
