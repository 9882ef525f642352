"""Operations on forms: what a norm and units add, worked out with rationals; and what is refused, at its edge."""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from math import ceil
from typing import Any

import pytest

from proofs.check.checker.chapters.float_models.reading import Format
from proofs.check.checker.chapters.trained.balls.precision import ceil_norm
from proofs.check.checker.chapters.trained.floats.exact_sums import rounded_form
from proofs.check.checker.chapters.trained.floats.operations import Operations
from proofs.check.checker.chapters.trained.reading.dyadics import Matrix, Vector
from proofs.check.checker.chapters.trained.reading.network import Affine, UnitsStep
from proofs.check.checker.chapters.trained.zonotopes.activations import activate
from proofs.check.checker.chapters.trained.zonotopes.affine import (
    UNIT,
    AffineForm,
    apply,
    make_linear,
    promoted,
    spread,
)
from proofs.check.checker.chapters.trained.zonotopes.norms import normalise
from proofs.check.checker.chapters.trained.zonotopes.step_maps import NormMaps, UnitMaps, make_maps
from proofs.check.checker.kernel.budget import Budget
from proofs.check.checker.kernel.verdicts import Rejected
from tests.check.test_trained_float_operations import EPSILON, form_of, norm_error, operations, reaches

COARSE = Format(7, -40, 60)


@pytest.mark.parametrize("other", [Format(12, -61, 60), Format(12, -60, 61), Format(13, -60, 60)])
@pytest.mark.parametrize("names", [("sums",), ("softmax",), ("sums", "softmax")])
def test_only_numbers_of_one_format_are_stored_as_they_are(names: tuple[str, ...], other: Format) -> None:
    alike = dict.fromkeys(("storage", "sums", "softmax"), Format(12, -60, 60))
    x, quarter = form_of([3.0], [0.25]), Fraction(1, 4)
    assert reaches(operations(**alike).stored(x, [0])) == [quarter]
    assert reaches(operations(**alike | dict.fromkeys(names, other)).stored(x, [0])) == [quarter + Fraction(1, 1 << 11)]


def test_a_number_whose_ends_are_rounded_to_one_number_is_that_one() -> None:
    """Numbers of 7 bits from 64 on are whole, below it halves; 65.5 and 66.5 are ties, to even."""
    for centre, reach, number in ((65.75, 0.25, 66), (65.5, 0.25, None), (66.25, 0.25, 66), (66.75, 0.25, None),
                                  (63.875, 0.0625, 64), (-65.75, 0.125, -66), (65.75, 0.5, None), (0.0, 0.0, 0)):
        form = rounded_form(form_of([centre], [reach]), COARSE)
        half = Fraction(1 if abs(centre) + reach >= 64 else Fraction(1, 2), 2)
        assert reaches(form) == [Fraction(reach) + half if number is None else 0]
        assert form.radii == [half * UNIT if number is None else 0]
        assert number is None or form.rows == [number * UNIT]
    for least, off in ((-3, Fraction(0)), (-2, Fraction(1, 4))):  # below 2^e it may be flushed
        assert reaches(rounded_form(form_of([0.126], [0.0]), Format(7, least, 60))) == [off]


def test_a_sum_of_two_numbers_is_rounded_in_sums_and_stored() -> None:
    x, y = form_of([3.0, -9.0], [0.25, 0.5]), form_of([0.5, 1.0], [0.5, -0.25])
    found = operations().sum(x, y)
    assert reaches(found) == [Fraction(3, 4) + Fraction(1, 1 << 18) + Fraction(1, 1 << 10),
                              Fraction(1, 4) + Fraction(1, 1 << 17) + Fraction(1, 1 << 9)]
    assert not any(found.radii) and found.slots == 4


class Recording(Operations):
    """Operations that keep what made numbers are off before they are stored."""

    def stored(self, x: AffineForm, made: Sequence[int]) -> AffineForm:
        self.made = list(made)
        return super().stored(x, made)


@pytest.mark.parametrize("kind", ["layer", "rms"])
@pytest.mark.parametrize("scaled", [(True, True), (True, False), (False, True), (False, False)])
def test_a_norm_with_gain_and_bias_is_off_by_what_the_page_says(kind: str, scaled: tuple[bool, bool]) -> None:
    """The mean of a run is one number for all coordinates, so where gains are alike it cancels in a difference."""
    gain = [3 * UNIT // 2, -3 * UNIT, 3 * UNIT // 2, UNIT // 4] if scaled[0] else None
    bias = [UNIT, -2 * UNIT, 0, 5 * UNIT] if scaled[1] else None
    one, maps = Recording(Budget(10), operations(softmax=COARSE, storage=COARSE).model), NormMaps(
        kind, EPSILON, gain, bias, None)
    x = form_of([3.0, -1.0, 2.0, 0.5], [0.125, 0.25, 0.0, 0.125])
    exact = one.tight(normalise(Budget(1), kind, EPSILON, x))
    made, shift = norm_error(one, maps, x, exact)
    found = one.normed(maps, x)
    assert (shift > 0) == (kind == "layer")
    gamma = 2 * one.u / (1 - 2 * one.u)
    for k, (reach, off) in enumerate(zip(spread(Budget(1), found).reaches, made, strict=True)):
        times, more = Fraction(gain[k] if gain else UNIT, UNIT), bias[k] if bias else 0
        factor = abs(times) + Fraction(1, UNIT)  # gains are off by a unit
        error = off * factor + gamma * ((exact.sizes[k] + shift + off) * factor + abs(more)) + (4 * UNIT >> 40)
        assert 0 <= one.made[k] - error < 5
        centre = spread(Budget(1), exact).centres[k] * times + more
        wide = (spread(Budget(1), exact).reaches[k] + shift) * abs(times) + error
        half = Fraction(1 << int(abs(centre) + wide).bit_length() - 1, 1 << 7)
        assert 0 <= reach - wide - half < 24
    apart = apply(Budget(1), make_linear([[UNIT, 0, -UNIT, 0]], [0]), promoted(found))
    together = spread(Budget(1), apart).reaches[0]
    kept = apply(Budget(1), make_linear([[UNIT, 0, -UNIT, 0]], [0]), promoted(one.stored(exact, [0] * 4)))
    if kind == "layer" and not scaled[0]:
        assert together < spread(Budget(1), kept).reaches[0] + made[0] * 4 + made[2] * 4 + shift


def test_products_are_off_by_no_unit_less_than_the_page_says() -> None:
    """In a format of 4 bits γ of three roundings is 3/13; weights and biases are off by a unit."""
    one, draw = operations(sums=Format(4, -40, 60)), 12345
    for _ in range(60):
        numbers = []
        for _ in range(4):
            draw = draw * 6364136223846793005 % (1 << 64)
            numbers.append(draw >> 20)
        (found,) = one.product_errors(make_linear([numbers[:2]], [numbers[0] // 3]), numbers[2:])
        total = sum((w + 1) * x for w, x in zip(numbers[:2], numbers[2:], strict=True)) / Fraction(UNIT)
        assert 0 <= found - Fraction(3, 13) * (total + numbers[0] // 3 + 1) - (12 * UNIT >> 40) < 3


@pytest.mark.parametrize(("bits", "unit", "near"), [(14, UNIT, 32), (5, 1 << 30, 32), (14, UNIT, 27)])
def test_what_a_norm_is_off_is_rounded_up_by_whole_units(bits: int, unit: int, near: int) -> None:
    """Four numbers that differ by a few units, and whose mean has an error of nearly the distance of s from 0."""
    one = operations(softmax=Format(bits, -60, 60))
    gamma = {k: Fraction(k, (1 << bits) - k) for k in (4, 5, 12)}
    for more in range(40):
        sizes = [unit, unit, unit, unit + more]
        x, average = AffineForm(sizes, 2, [0] * 4, sizes), Fraction(sum(sizes), 4)
        mean = ceil(gamma[5] * (average // 1 + 1)) + 1  # a unit stands for what is flushed
        off = [ceil(gamma[4] * (size + average // 1 + 1)) + 1 for size in sizes]
        length, apart = ceil_norm([y + mean for y in off]), ceil_norm(off)
        epsilon = Fraction((length // 2 + (1 << near)) ** 2, UNIT**2)
        maps = NormMaps("layer", epsilon, None, None, None)
        low = one._least_deviation(maps, x)
        assert abs(low - length // 2 - (1 << near)) <= 1
        made, shift = norm_error(one, maps, x, x)
        room = low + (-length // 2)
        assert 0 <= shift - Fraction(mean * UNIT, room) <= 1
        flushed = 4 * 7 * Fraction(1, 1 << 60) / epsilon
        factor = (1 + gamma[12]) * (1 + 2 * flushed) * (1 + 4 * 3 * one.u) - 1
        for error, size, psi in zip(made, sizes, off, strict=True):
            moved = Fraction(psi * UNIT + (size + Fraction(length * UNIT, room)) * -(-apart // 2)) / room
            moved += Fraction(size * shift**2, UNIT**2)
            rest = Fraction(apart, room) + Fraction(shift, UNIT)
            assert 0 <= error - moved - factor * (size + shift + moved) - 1 < (1 + factor) * (8 + 2 * rest)


NORMS_AT_THE_EDGE: dict[str, tuple[int, Fraction, Fraction, dict[str, Any], tuple[int, Fraction, Fraction]]] = {
    "a sum in the format": (255, Fraction(1, 4), Fraction(1, 50), {"softmax": Format(16, -40, 8)},
                            (255, Fraction(65, 255), Fraction(1, 50))),
    "squares in the format": (2, Fraction(7, 2), Fraction(1, 16), {"softmax": Format(16, -40, 8)},
                              (2, Fraction(4), Fraction(1, 16))),
    "epsilon with the squares": (4, Fraction(0), Fraction(7), {"softmax": Format(16, -40, 8)},
                                 (4, Fraction(0), Fraction(8))),
    "the width in the format": (127, Fraction(0), Fraction(1, 16), {"softmax": Format(16, -40, 7)},
                                (128, Fraction(0), Fraction(1, 16))),
    "an inverse of the width": (128, Fraction(0), Fraction(20), {"softmax": Format(16, -8, 60)},
                                (129, Fraction(0), Fraction(20))),
    "what is flushed, beside epsilon": (2, Fraction(1), Fraction(161, 1 << 20), {"softmax": Format(16, -20, 60)},
                                        (2, Fraction(1), Fraction(159, 1 << 20)))}


@pytest.mark.parametrize("edge", NORMS_AT_THE_EDGE)
def test_norms_are_refused_beyond_their_edge(edge: str) -> None:
    width, size, epsilon, fields, beyond = NORMS_AT_THE_EDGE[edge]
    one = operations(**fields)

    def error(width: int, size: Fraction, epsilon: Fraction) -> object:
        x = form_of([float(size)] * width, [0.0] * width)
        return norm_error(one, NormMaps("layer", epsilon, None, None, None), x, x)

    assert error(width, size, epsilon)
    with pytest.raises(Rejected):
        error(*beyond)


def test_a_root_may_be_off_by_a_quarter() -> None:
    x = form_of([1.0, -1.0], [0.0, 0.0])
    maps = NormMaps("layer", EPSILON, None, None, None)
    assert norm_error(operations(exp_ulp=Fraction(1 << 13)), maps, x, x)
    with pytest.raises(Rejected):
        norm_error(operations(exp_ulp=Fraction(1 << 13) + Fraction(1, 1 << 20)), maps, x, x)


@pytest.mark.parametrize(("gain", "bias", "known"), [(89, 0, True), (91, -40, False), (80, 5, True), (80, 10, False)])
def test_numbers_with_a_gain_must_be_in_the_format_before_their_bias_and_after_it(gain: int, bias: int, known: bool
                                                                                 ) -> None:
    """The norm is nearly the root of 1/2."""
    maps = NormMaps("layer", Fraction(1), [gain * UNIT] * 2, [bias * UNIT, -bias * UNIT], None)
    make = partial(operations(softmax=Format(16, -40, 6), storage=Format(12, -40, 6)).normed, maps,
                   form_of([1.0, -1.0], [0.0, 0.0]))
    if known:
        assert make()
    else:
        with pytest.raises(Rejected):
            make()


@pytest.mark.parametrize("name", ["relu", "gelu", "tanh"])
def test_units_are_off_by_their_function_which_is_then_stored_unless_it_is_exact(name: str) -> None:
    one = operations(exp_ulp=Fraction(1 << 11))
    step = UnitsStep(None, Affine(Matrix(((2, -1), (1, 3)), 2, -1), Vector((1, 2), -1)), None, name,
                     Affine(Matrix(((1, 2), (-2, 1)), 2, -1), Vector((0, 1), -1)))
    maps = make_maps(Budget(10), step)
    assert isinstance(maps, UnitMaps)
    x = form_of([1.5, 0.75], [0.125, 0.25])
    inner = one.linear(maps.inward, x)
    plain = operations(exp_ulp=Fraction(0))
    for quick in (False, True):
        units = activate(Budget(10), maps.curve, inner, quick)
        if name != "relu":
            units = one.stored(units, one.function_error(name, inner.sizes))
        found = one.units(maps, x, quick)
        assert reaches(found) == reaches(one.sum(x, one.linear(maps.outward, units)))
        assert (reaches(found) == reaches(plain.units(maps, x, quick))) == (name == "relu")


def test_twice_what_a_function_is_of_must_be_in_its_format() -> None:
    for size, known in ((15, True), (16, False)):
        make = partial(operations(softmax=Format(16, -40, 5)).function_error, "gelu", [size * UNIT])
        if known:
            assert make()
        else:
            with pytest.raises(Rejected):
                make()
