"""The costs of a row in the questions to Z3: integers, rounded down, the least over several rows at once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm

from proofs.enclosures.exponential import Dyadic, enclose_exp
from proofs.enclosures.softmax import places_without_gaps
from proofs.formula.attention.worst_case import option_error
from proofs.formula.common.sweeps import Step, Sweep

ROUGH_BITS, FINE_BITS = 24, 640
Cost = tuple[int, int]
"""mantissa * 2**exponent"""


@dataclass(frozen=True)
class SweepRow:
    """One row (n, i): the steps from the row's own position outward, nearest first."""

    n: int
    i: int
    steps: tuple[Step, ...]

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """The shapes of the steps, without scores; rows that are proved together agree in them."""
        return tuple(step.shape for step in self.steps)


def rows_of(sweep: Sweep) -> Iterator[SweepRow]:
    """Yield the rows of a sweep, each with the positions it reads."""
    for place, step in enumerate(sweep.steps):
        if step.j in sweep.rows:
            yield SweepRow(sweep.n, step.j, sweep.steps[place::-1])


class Costs:
    """The costs w * (bound - err) of rows, rounded down; in each row the largest weight is 1."""

    def __init__(self, rows: Sequence[SweepRow], bits: int = FINE_BITS):
        """Express scores as integers over one denominator, so that equal differences are found quickly."""
        steps = {step.number: step for row in rows for step in row.steps}
        self._denominator = lcm(*(option.score.denominator for step in steps.values() for option in step.options))
        self._numerators = {number: [int(option.score * self._denominator) for option in step.options]
                            for number, step in steps.items()}
        self._weights: dict[int, Dyadic] = {}
        self.bits = bits

    def hull(self, rows: Sequence[SweepRow], truth: bool, bound: Fraction, bits: int) -> list[list[int]]:
        """Return the least cost over the rows, by position (nearest first) and option, compressed to small integers."""
        factors = room_of(rows[-1].steps, truth, bound)
        least: list[list[Cost]] = []
        for row in reversed(rows):
            for place, weights in enumerate(self._row_weights(row)):
                pairs = zip(factors[place], weights, strict=True)
                costs = [rounded_cost(factor, weight, bits) for factor, weight in pairs]
                if place == len(least):
                    least.append(costs)
                else:
                    least[place] = [min(pair, key=_order) for pair in zip(least[place], costs, strict=True)]
        return compressed(least, bits)

    def _row_weights(self, row: SweepRow) -> Iterator[list[Dyadic]]:
        numerators = [self._numerators[step.number] for step in row.steps]
        top = max(map(max, numerators))
        for options in numerators:
            yield [self._weight(numerator - top) for numerator in options]

    def _weight(self, difference: int) -> Dyadic:
        if difference not in self._weights:
            self._weights[difference] = enclose_exp(Fraction(difference, self._denominator), self.bits)
        return self._weights[difference]


def room_of(steps: Sequence[Step], truth: bool, bound: Fraction) -> list[list[int]]:
    """Return bound - err of each option of each step, as integers over one denominator."""
    scale = lcm(bound.denominator, *(option.value.denominator for step in steps for option in step.options))
    return [[int((bound - option_error(option.value, truth)) * scale) for option in step.options] for step in steps]


def rounded_cost(factor: int, weight: Dyadic, bits: int) -> Cost:
    """Return factor * weight, rounded down to a mantissa of exactly ``bits`` bits (or 0)."""
    mantissa = factor * (weight.lower if factor >= 0 else weight.upper)
    excess = abs(mantissa).bit_length() - bits
    if mantissa == 0:
        return 0, 0
    return (mantissa >> excess if excess >= 0 else mantissa << -excess), weight.exponent + excess


def _order(cost: Cost) -> tuple[int, int, int]:
    """Return a key that sorts costs, with mantissas of equal length, by value."""
    mantissa, exponent = cost
    sign = (mantissa > 0) - (mantissa < 0)
    return sign, sign * exponent, mantissa


def compressed(costs: list[list[Cost]], bits: int) -> list[list[int]]:
    """Return integers whose sums, one summand per position, have the same signs as the sums of the costs.

    Each cost has its own bits, and above them room for the carries of a sum of all of them.
    """
    width = bits + 1 + len(costs).bit_length() + 1
    places = places_without_gaps((exponent for options in costs for mantissa, exponent in options if mantissa), width)
    return [[mantissa << places[exponent] if mantissa else 0 for mantissa, exponent in options] for options in costs]
