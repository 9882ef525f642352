"""Positions of a family: their number, and the tables of rotary ones from config.json.

transformers 4 reads ``rope_theta`` beside ``rope_scaling``; 5 reads ``rope_parameters``, or else both as 4 does, where
inner values take precedence over outer ones. A file with different meanings for the two is refused.

Tables that programs compute instead of storing consist of the binary32 numbers nearest to the true values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb, ctx

from constructions.errors import InputError
from constructions.importing.config_file import Settings
from constructions.importing.families import FamilyRow
from constructions.importing.graph.affine_forms import Array
from constructions.importing.parts import TensorReader
from constructions.importing.questions import Questions, table_rows
from constructions.network.float_formats import FORMATS, power_of_two
from constructions.trained.json_values import found
from constructions.trained.network import Tensor
from constructions.trained.numbers import all_numbers

_LAYER_KINDS = ("full_attention", "sliding_attention", "global", "local")


def position_tables(row: FamilyRow, weights: TensorReader, settings: Settings, questions: Questions, prefix: str,
                    head_width: int) -> tuple[int, tuple[Array, Array] | None]:
    """Return the number of positions, and the cosines and sines."""
    window = _window(settings, questions)
    if row.positions == "alibi":
        return 1, None
    if row.positions == "learned":
        questions.stated("positions", "learned", row.table)
        count = weights.matrix(f"{prefix}{row.table}").shape[0] - row.table_offset
        if count < 1:
            raise InputError(f"{weights.where}: no positions in {row.table}, expected some after the first "
                             f"{row.table_offset} rows")
        settings.agree("positions", count, f"{row.table} has rows for positions")
        return min(count, window or count), None
    if row.neighbours:
        base, scaling = questions.stated("rotary_base", Fraction(10000), row.kind), None
        width = settings.count("turned")
        questions.assume(f"rotary positions turn pairs of coordinates of queries and keys, to base {base}")
    else:
        base, part, scaling = _rotary_rule(settings, questions)
        width = head_width if part is None else int(part * head_width)
    if width is None or width % 2 or not 0 < width <= head_width:
        raise InputError(f"{settings.where}: {width} of {head_width} coordinates of a head are turned, expected an "
                         f"even number")
    limits = [limit for limit in (settings.count("positions"), window) if limit]
    rows = table_rows(questions, min(limits, default=None), width // 2)
    cosines, sines = rotary_tables(rows, width // 2, base, scaling)
    weights.put("computed.cosines", cosines)
    weights.put("computed.sines", sines)
    return rows, (all_numbers(cosines).reshape(cosines.shape), all_numbers(sines).reshape(sines.shape))


def _window(settings: Settings, questions: Questions) -> int | None:
    """Return the greatest distance of attention in some layer: words are not longer than that."""
    kinds = str([settings.get(name) for name in ("layer_kinds", "attention_types")])
    window, is_used = settings.count("window"), settings.get("has_window") is not False
    if others := set(re.findall(r"'(\w+)'", kinds)) - set(_LAYER_KINDS):
        raise InputError(f"{settings.shown('layer_kinds')}: {found(min(others))} is not supported, expected "
                         f"{', '.join(_LAYER_KINDS)}")
    is_local = "local" in kinds or "sliding" in kinds
    if "sliding" in kinds and (window is None or not is_used):
        raise InputError(f"{settings.shown('layer_kinds')}: sliding_attention, but there is no window")
    stated = settings.stated("layer_kinds") or settings.stated("attention_types")
    if window is None or not is_used or (stated and not is_local):
        return None
    questions.assume(f"attention sees {window} tokens back, so there are {window} positions at most")
    return window


def _rotary_rule(settings: Settings, questions: Questions) -> tuple[Fraction, Fraction | None, RotaryScaling | None]:
    """Return the base of the angles, the rotated part of a head (None: all of it), and the scaling."""
    inner = _inside(settings)
    base: Fraction = questions.either("rotary_base", _one(settings, inner, "base", "rope_theta"), settings.where)
    part = _one(settings, inner, "part", "partial_rotary_factor")
    if part is not None and part > 1:
        raise InputError(f"{settings.shown('part')}: {part}, expected at most 1")
    questions.assume(f"rotary positions turn pairs of coordinates of queries and keys, to base {base}")
    rule = base, part, _scaling(inner)
    if inner.where.endswith("rope_parameters") and inner.settings and settings.version != 5:
        scaling = _scaling(Settings(settings.get("rope_scaling") or {}, settings.where))
        outside = settings.number("base") or (Fraction(0) if "rope_theta" in inner.settings else base)
        if rule != (outside, settings.number("part"), scaling):
            raise InputError(f"{inner.where}: transformers 5 reads it and 4 does not, expected transformers_version "
                             f"beside it, or the same in rope_theta and rope_scaling")
    return rule


def _inside(settings: Settings) -> Settings:
    new, old = (settings.inside(name) for name in ("rope_parameters", "rope_scaling"))
    if new.settings and old.settings and new.settings != old.settings:
        raise InputError(f"{new.where}: {found(new.settings)}, but rope_scaling says {found(old.settings)}")
    if new.settings and settings.version == 4:
        raise InputError(f"{new.where}: transformers 4, which wrote the file, does not read it, expected rope_scaling")
    for name in {**old.settings} if new.settings else ():
        old.get(name)  # the same value, as compared above
    return new if new.settings else old


def _one(settings: Settings, inner: Settings, word: str, name: str) -> Fraction | None:
    """Return a number that may be nested or not, or its default."""
    if settings.keys and not settings.keys[word].names:
        inner.only(name, 1, Fraction(1))
        return None
    outer, stated = settings.number(word), inner.number(name)
    is_new = inner.where.endswith("rope_parameters") or settings.version == 5
    if stated is not None and stated != outer and not (is_new and settings.stated(word) is None):
        raise InputError(f"{inner.shown(name)}: {stated}, but outside it is {outer}, expected one of them")
    return outer if stated is None else stated


def _scaling(inner: Settings) -> RotaryScaling | None:
    kinds = [kind for kind in map(inner.get, ("rope_type", "type")) if kind is not None] or ["default"]
    if len(kinds) == 2 and kinds[0] != kinds[1]:
        raise InputError(f"{inner.where}, type: {found(kinds[1])}, but rope_type says {found(kinds[0])}")
    if kinds[0] not in ("default", "linear", "llama3"):
        raise InputError(f"{inner.where}: {found(kinds[0])} is not supported, expected default, linear or llama3")
    if kinds[0] == "default":
        return None
    factor = inner.number("factor")
    if factor is None:
        raise InputError(f"{inner.where}: no factor, expected one")
    if kinds[0] == "linear":
        return RotaryScaling(factor)
    low, high, length = (inner.number(name) for name in (
        "low_freq_factor", "high_freq_factor", "original_max_position_embeddings"))
    if low is None or high is None or length is None or low >= high:
        raise InputError(f"{inner.where}: expected low_freq_factor below high_freq_factor, and "
                         f"original_max_position_embeddings")
    return RotaryScaling(factor, low, high, length)


_FIRST_PRECISION = 80
_BINARY32 = FORMATS["binary32"]


def nearest_binary32(enclose: Callable[[], arb]) -> Fraction:
    """Return the binary32 number nearest to a real number; ``enclose`` encloses it at the context's precision.

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
    """Return a function of position · base^(-exponent), perhaps scaled."""
    def enclose() -> arb:
        frequency = _ball(base) ** -_ball(exponent)
        return function(position * (scaling.of_frequency(frequency) if scaling else frequency))
    return nearest_binary32(enclose)


@dataclass(frozen=True)
class RotaryScaling:
    """Angles divided by a factor; with ``low``, ``high`` and ``length`` only those of long waves, as in LLaMA 3.

    Wavelengths above length/low are divided, those below length/high are not, and those between are interpolated: with
    s = (length/wave - low) / (high - low), the frequency is multiplied by (1 - s)/factor + s.
    """

    factor: Fraction
    low: Fraction | None = None
    high: Fraction | None = None
    length: Fraction | None = None

    def of_frequency(self, frequency: arb) -> arb:
        """Return the scaled frequency."""
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
    """Return cosines and sines [positions, pairs] of the angles position · base^(-pair/pairs), perhaps scaled."""
    cosines, sines = (
        _tensor((positions, pairs), (_of_angle(function, position, base, Fraction(pair, pairs), scaling)
                                     for position in range(positions) for pair in range(pairs)))
        for function in (arb.cos, arb.sin))
    return cosines, sines


def sinusoidal_table(positions: int, width: int) -> Tensor:
    """Return [positions, width]: sines (even columns), cosines (odd), of position · 10000^(-even column/width)."""
    return _tensor((positions, width), (
        _of_angle(arb.cos if column % 2 else arb.sin, position, Fraction(10000), Fraction(column // 2 * 2, width))
        for position in range(positions) for column in range(width)))


def alibi_slopes(heads: int, geometric: bool = False) -> list[Fraction]:
    """Return the slopes of H heads: 2^(-8k/H), k = 1 … H, if H is a power of 2 or they are ``geometric``.

    Otherwise the slopes of the power P below H, and every other slope of 2P.
    """
    power = heads if geometric else 1 << (heads.bit_length() - 1)
    exponents = [Fraction(8 * k, power) for k in range(1, power + 1)]
    exponents += [Fraction(8 * k, 2 * power) for k in range(1, 2 * power, 2)]
    return [_of_angle(lambda power: power, 1, Fraction(2), exponent) for exponent in exponents[:heads]]


def scaled_by_root(tensor: Tensor, width: int) -> Tensor:
    """Return a matrix times sqrt(width), rounded to binary32."""
    return _tensor(tensor.shape, (nearest_binary32(lambda x=x: arb(x) * arb(width).sqrt())  # type: ignore[misc]
                                  for x in all_numbers(tensor).tolist()))
