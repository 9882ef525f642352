"""Tables that programs compute instead of storing: the binary32 numbers nearest to the true values."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb, ctx

from constructions.network.float_formats import FORMATS, power_of_two
from constructions.trained.network import Tensor
from constructions.trained.numbers import all_numbers

_FIRST_PRECISION = 80
_BINARY32 = FORMATS["binary32"]


def nearest_binary32(enclose: Callable[[], arb]) -> Fraction:
    """The binary32 number nearest to a real number, which ``enclose`` encloses at the precision of the context.

    >>> nearest_binary32(lambda: arb(1) / 3)
    Fraction(11184811, 33554432)
    """
    precision = _FIRST_PRECISION
    while True:
        with ctx.workprec(precision):
            ball = enclose()
            ends = (map(int, end.man_exp()) for end in (ball.lower(), ball.upper()))
            least, most = (_BINARY32.round(mantissa * power_of_two(exponent)) for mantissa, exponent in ends)
        if least == most:
            return least
        precision *= 2


def _tensor(shape: tuple[int, ...], numbers: Iterable[Fraction]) -> Tensor:
    return Tensor("binary32", shape, np.array(list(numbers), np.float64).astype("<f4").tobytes())


def _of_angle(function: Callable[[arb], arb], position: int, base: Fraction, exponent: Fraction,
              scaling: RotaryScaling | None = None) -> Fraction:
    """A function of position · base^(-exponent), perhaps scaled."""
    def enclose() -> arb:
        frequency = _ball(base) ** -_ball(exponent)
        return function(position * (scaling.of_frequency(frequency) if scaling else frequency))
    return nearest_binary32(enclose)


@dataclass(frozen=True)
class RotaryScaling:
    """Angles divided by a factor; with ``low``, ``high`` and ``length`` only those of long waves, as LLaMA 3 does.

    A wave that is longer than length/low is divided, one that is shorter than length/high is not, and one between them
    is divided in part: with s = (length/wave - low) / (high - low), it is (1 - s)/factor + s of what it was.
    """

    factor: Fraction
    low: Fraction | None = None
    high: Fraction | None = None
    length: Fraction | None = None

    def of_frequency(self, frequency: arb) -> arb:
        """The frequency that is used in place of this one."""
        divided = frequency / _ball(self.factor)
        if self.low is None or self.high is None or self.length is None:
            return divided
        waves = _ball(self.length) * frequency / (2 * arb.pi())  # length/wave
        if waves < _ball(self.low):
            return divided
        if waves > _ball(self.high):
            return frequency
        part = (waves - _ball(self.low)) / _ball(self.high - self.low)
        return (1 - part) * divided + part * frequency


def _ball(number: Fraction) -> arb:
    return arb(number.numerator) / number.denominator


def rotary_tables(positions: int, pairs: int, base: Fraction,
                  scaling: RotaryScaling | None = None) -> tuple[Tensor, Tensor]:
    """Cosines and sines [positions, pairs] of the angles position · base^(-pair/pairs), perhaps scaled."""
    cosines, sines = (
        _tensor((positions, pairs), (_of_angle(function, position, base, Fraction(pair, pairs), scaling)
                                     for position in range(positions) for pair in range(pairs)))
        for function in (arb.cos, arb.sin))
    return cosines, sines


def sinusoidal_table(positions: int, width: int) -> Tensor:
    """[positions, width]: sines in even columns, cosines in odd ones, of position · 10000^(-even column/width)."""
    return _tensor((positions, width), (
        _of_angle(arb.cos if column % 2 else arb.sin, position, Fraction(10000), Fraction(column // 2 * 2, width))
        for position in range(positions) for column in range(width)))


def alibi_slopes(heads: int, geometric: bool = False) -> list[Fraction]:
    """The slopes of H heads: 2^(-8k/H) for k = 1 … H if H is a power of 2 or they are ``geometric``; else those of the
    power P below it, and every other one of those of 2P.
    """
    power = heads if geometric else 1 << (heads.bit_length() - 1)
    exponents = [Fraction(8 * k, power) for k in range(1, power + 1)]
    exponents += [Fraction(8 * k, 2 * power) for k in range(1, 2 * power, 2)]
    return [_power_of_one_half(exponent) for exponent in exponents[:heads]]


def _power_of_one_half(exponent: Fraction) -> Fraction:
    if exponent.denominator == 1:
        return power_of_two(-exponent.numerator)
    return nearest_binary32(lambda: arb(2) ** -_ball(exponent))


def scaled_by_root(tensor: Tensor, width: int) -> Tensor:
    """A matrix times sqrt(width)."""
    return _tensor(tensor.shape, (nearest_binary32(lambda x=x: arb(x) * arb(width).sqrt())  # type: ignore[misc]
                                  for x in all_numbers(tensor).tolist()))
