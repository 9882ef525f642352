"""The exponential of one execution: a number of the format, with an error bound in units in the last place.

The true value is enclosed between rationals (Arb), with increasing precision, until the result is certain. That
terminates: e^d for a rational d other than 0 is irrational, and so is 2^d unless d is an integer, when it is exact.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache

from flint import arb

from constructions.errors import InputError
from constructions.network.float_formats import Format, exponent_of, power_of_two
from proofs.enclosures.exponential import ball, exact_ends, working_precision
from proofs.enclosures.float_models.numbers import ONE, ZERO, Arithmetic, Number, exact_value, reduced

FIRST_BITS = 96
LEAST_ULP = Fraction(1, 2)
"""Half a unit: no function to the format is more accurate everywhere."""


@dataclass
class Exponential:
    """The function e^d or 2^d for d <= 0, in 0..1, with |computed - true| <= ``ulp`` units in the last place of it.

    A *shift* s in [-1, 1] selects the number nearest to the true value plus s * ulp units, among those that the model
    allows; s = 0 selects the nearest, s = 1 and s = -1 the greatest and the least allowed number.

    Raises:
        InputError: if ``ulp`` is below 1/2.
    """

    arithmetic: Arithmetic
    ulp: Fraction
    base: str
    _cached: dict[tuple[Number, Fraction], Number] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.ulp < LEAST_ULP:
            raise InputError(f"exp-ulp: {self.ulp}, expected 1/2 or more: no exponential of a format is that accurate")

    def of(self, d: Number, shift: Fraction) -> Number:
        """Return the exponential of d, shifted."""
        if not d[0]:
            return ONE
        key = reduced(d), shift
        if key not in self._cached:
            self._cached[key] = self._choose(exact_value(d), shift)
        return self._cached[key]

    def _choose(self, d: Fraction, shift: Fraction) -> Number:
        lost = self.arithmetic.format.least - self.arithmetic.format.precision - 64
        if d < lost:  # below 2^-64 units of the least number, whatever the base
            return self._within(Fraction(0), Fraction(0), shift, power_of_two(lost + 65)) or ZERO
        bits = FIRST_BITS
        while True:
            low, high = _enclose(d, self.base, bits)
            unit = self.arithmetic.format.unit(low)
            if unit == self.arithmetic.format.unit(high):
                found = self._within(low / unit, high / unit, shift, unit)
                if found is not None:
                    return found
            bits *= 2

    def _within(self, low: Fraction, high: Fraction, shift: Fraction, unit: Fraction) -> Number | None:
        """Return the choice for a true value between low and high units; None if it is not the same for both."""
        units = self._units(low, shift)
        if units != self._units(high, shift):
            return None
        exponent = exponent_of(unit)
        if units.bit_length() > self.arithmetic.format.precision:  # beyond a power of two numbers are two units apart
            units, exponent = units >> 1, exponent + 1
        return self.arithmetic.round((units, exponent))

    def _units(self, true: Fraction, shift: Fraction) -> int:
        """Return the nearest integer multiple of the unit to the true value plus shift * ulp, within ulp of it."""
        least, most = -((self.ulp - true).__floor__()), (true + self.ulp).__floor__()
        return max(0, min(max(round(true + shift * self.ulp), least), most))


def _enclose(d: Fraction, base: str, bits: int) -> tuple[Fraction, Fraction]:
    if base == "2" and d.denominator == 1:
        return power_of_two(int(d)), power_of_two(int(d))
    with working_precision(bits):
        power = ball(d) * arb(2).log() if base == "2" else ball(d)
        low, high = exact_ends(power.exp())
    return low, high


@cache
def log2_of_e(target: Format) -> Number:
    """Return log2(e), rounded to a format.

    >>> from constructions.network.float_formats import FORMATS
    >>> exact_value(log2_of_e(FORMATS["bfloat16"]))
    Fraction(185, 128)
    """
    bits = FIRST_BITS
    while True:
        with working_precision(bits):
            low, high = exact_ends(1 / arb(2).log())
        low, high = target.round(low), target.round(high)
        if low == high:
            return Arithmetic(target).number(low)
        bits *= 2
