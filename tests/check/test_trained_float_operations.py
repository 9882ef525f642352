"""Errors of operations on affine forms are those of the page, computed with rationals; and refusals."""

from fractions import Fraction
from math import sqrt
from typing import Any

import pytest

from proofs.check.checker.chapters.float_models.reading import FloatClaim, Format
from proofs.check.checker.chapters.trained.balls.exact import ExactLinear
from proofs.check.checker.chapters.trained.balls.precision import Precision
from proofs.check.checker.chapters.trained.floats import proof
from proofs.check.checker.chapters.trained.floats.balls import Balls, ProductOnBalls
from proofs.check.checker.chapters.trained.floats.operations import Operations, rounded_to
from proofs.check.checker.chapters.trained.reading.dyadics import Matrix, Vector
from proofs.check.checker.chapters.trained.zonotopes.affine import UNIT, AffineForm, make_linear, spread
from proofs.check.checker.chapters.trained.zonotopes.norms import normalise
from proofs.check.checker.chapters.trained.zonotopes.packed_integers import pack
from proofs.check.checker.chapters.trained.zonotopes.step_maps import NormMaps
from proofs.check.checker.kernel.budget import Budget
from proofs.check.checker.kernel.verdicts import Rejected
from tests.check.test_trained_float_balls import FINE, given_of, network_of

STORED, ENTERING = Format(12, -60, 60), Format(9, -60, 60)
SUMS, SOFTMAX = Format(20, -60, 60), Format(16, -40, 60)
EPSILON = Fraction(1, 100)


def operations(**fields: Any) -> Operations:
    given: dict[str, Any] = {"storage": STORED, "inputs": ENTERING, "sums": SUMS, "scores": STORED, "softmax": SOFTMAX,
                             "weights": STORED} | {
        "name": "class", "normalised": "either", "exp_ulp": Fraction(3), "exp_base": "e", "block": 0,
        "sum_ulp": Fraction(1), "max_n": 9}
    return Operations(Budget(10), FloatClaim(**given | fields))


def form_of(centres: list[float], generators: list[float]) -> AffineForm:
    numbers = [[int(x * UNIT), int(g * UNIT)] for x, g in zip(centres, generators, strict=True)]
    return AffineForm([pack(one) for one in numbers], 2, [0] * len(numbers), [abs(x) + abs(g) for x, g in numbers])


def reaches(x: AffineForm) -> list[Fraction]:
    return [Fraction(reach, UNIT) for reach in spread(Budget(1), x).reaches]


def norm_error(one: Operations, maps: NormMaps, x: AffineForm, exact: AffineForm) -> tuple[list[int], int]:
    """Bound the error of the norm of a form, which is ``exact`` over the reals."""
    return one.norm_error(maps, x.sizes, exact.sizes, one._least_deviation(maps, x))


@pytest.mark.parametrize("same", ["", "storage", "sums", "softmax", "wider"])
def test_what_is_stored_is_rounded_unless_all_formats_are_one(same: str) -> None:
    x, alike = form_of([3.0, -9.0], [0.0, 0.5]), dict.fromkeys(("storage", "sums", "softmax"), STORED)
    fields = {"": {}, "storage": {"sums": STORED}, "sums": {"softmax": STORED}, "softmax": alike,
              "wider": {"sums": SOFTMAX}}[same]
    halves = [Fraction(1, 1 << 11), Fraction(1, 1 << 9)] if same != "softmax" else [0, 0]
    assert reaches(operations(**fields).stored(x, [UNIT // 2, 2 * UNIT])) == [
        Fraction(1, 2) + halves[0], Fraction(5, 2) + halves[1]]
    narrow = operations(**dict.fromkeys(("storage", "sums", "softmax"), Format(12, -60, 3)))
    assert narrow.stored(form_of([7.5], [0.25]), [0])
    with pytest.raises(Rejected):
        narrow.stored(form_of([7.5], [0.25]), [UNIT // 4])


def test_what_enters_a_product_is_rounded_unless_it_has_few_bits_already() -> None:
    x, eighth = form_of([3.0, -9.0], [0.125, 0.5]), Fraction(1, 8)
    assert reaches(operations().entering(x)) == [eighth + Fraction(1, 1 << 8), Fraction(1, 2) + Fraction(1, 1 << 6)]
    assert reaches(operations(inputs=STORED).entering(x)) == [eighth, Fraction(1, 2)]
    flushed = operations(inputs=Format(12, -4, 60)).entering(x)
    assert reaches(flushed) == [eighth + Fraction(1, 16), Fraction(9, 16)]
    with pytest.raises(Rejected):
        operations(inputs=Format(9, -60, 3)).entering(x)


def test_sums_of_products_are_off_by_gamma_of_their_terms_and_what_is_flushed() -> None:
    maps = make_linear([[2 * UNIT, -3 * UNIT], [0, UNIT // 2]], [UNIT, -5 * UNIT])
    for cut, least in ((Fraction(1), -60), (Fraction(1), -10), (Fraction(2), -20)):
        one = operations(sums=Format(20, least, 8), sum_ulp=cut, inputs=Format(9, -7, 60))
        u, more = cut / (1 << 20), Fraction(cut > 1, 128)
        found = one.product_errors(maps, [4 * UNIT, 6 * UNIT])
        absolute = [Fraction(2), Fraction(3)], [Fraction(0), Fraction(1, 2)]
        for off, weights, bias in zip(found, absolute, (1, 5), strict=True):
            total = sum((w + more) * (x + more) for w, x in zip(weights, (4, 6), strict=True)) + bias
            wanted = 3 * u / (1 - 3 * u) * total + 12 * Fraction(2) ** least
            assert 0 <= off - UNIT * wanted < 3
    one = operations(sums=Format(20, -60, 5))
    assert one.product_errors(make_linear([[UNIT]], [UNIT]), [14 * UNIT])
    with pytest.raises(Rejected):
        one.product_errors(make_linear([[UNIT]], [UNIT]), [15 * UNIT])


@pytest.mark.parametrize("kind", ["layer", "rms"])
def test_a_norm_is_off_by_its_mean_its_differences_and_what_is_relative(kind: str) -> None:
    """Each in the words of the page; s is at least that of the form."""
    one, maps = operations(), NormMaps(kind, EPSILON, None, None, None)
    x = form_of([3.0, -1.0, 2.0, 0.5], [0.125, 0.25, 0.0, 0.125])
    exact = normalise(Budget(1), kind, EPSILON, x)
    found, shift = norm_error(one, maps, x, exact)
    d, u, tiny = 4, 2.0**-16, 2.0**-40
    sizes, low = [size / UNIT for size in x.sizes], one._least_deviation(maps, x) / UNIT
    mean, lost, root = sum(sizes) / d, 4 * (d + 1) * tiny, 2
    gamma = {k: k * u / (1 - k * u) for k in (4, d + 1, d + 8)}
    delta = gamma[d + 1] * mean + lost if kind == "layer" else 0.0
    psi = [gamma[4] * (size + mean) + lost if kind == "layer" else 0.0 for size in sizes]
    length = sqrt(sum((one + delta)**2 for one in psi))
    room = low - length / root
    flushed, function = 4 * (d + 3) * tiny / float(EPSILON), 2 * 3 * u
    factor = (1 + gamma[d + 8]) * (1 + 2 * flushed) * (1 + 2 * function) - 1
    moved_all = delta / room
    assert 0 <= shift / UNIT - moved_all < 1e-12 and (shift > 0) == (kind == "layer")
    for off, size, one_psi in zip(found, [size / UNIT for size in exact.sizes], psi, strict=True):
        moved = (one_psi + (size + length / room) * sqrt(sum(y * y for y in psi)) / root) / room
        moved += size * moved_all**2
        assert 0 <= off / UNIT - (moved + factor * (size + moved_all + moved) + lost) < 1e-12
    c = [3.0 - 1.125, -1.0 - 1.125, 2.0 - 1.125, 0.5 - 1.125] if kind == "layer" else [3.0, -1.0, 2.0, 0.5]
    assert 0.7 < low / sqrt(sum(y * y for y in c) / d + float(EPSILON)) < 1


@pytest.mark.parametrize(("fields", "numbers", "epsilon", "known"), [
    ({"softmax": Format(16, -40, 8)}, [3.5, -3.5], EPSILON, True),  # 8 times the squares
    ({"softmax": Format(16, -40, 8)}, [4.2, -4.2], EPSILON, False),
    ({"softmax": Format(16, -20, 60)}, [200.0, -200.0], Fraction(1), True),  # the inverse of the variance
    ({"softmax": Format(16, -20, 60)}, [500.0, -500.0], Fraction(1), False),
    ({"softmax": Format(24, -40, 16)}, [0.0, 0.0], EPSILON / 100, True),  # the inverse of the least one
    ({"softmax": Format(24, -40, 14)}, [0.0, 0.0], EPSILON / 100, False),
    ({"softmax": Format(16, -15, 60)}, [1.0, -1.0], EPSILON, True),  # what is flushed beside ε
    ({"softmax": Format(16, -13, 60)}, [1.0, -1.0], EPSILON, False),
    ({"exp_ulp": Fraction(2**13)}, [1.0, -1.0], EPSILON, True),
    ({"exp_ulp": Fraction(2**14)}, [1.0, -1.0], EPSILON, False),
    ({"softmax": Format(20, -40, 60)}, [100.0, 100.0], EPSILON, True),  # what is rounded may be more than the deviation
    ({"softmax": Format(10, -40, 60)}, [100.0, 100.0], EPSILON, False)])
def test_norms_of_which_too_little_is_known_are_refused(fields: dict[str, Any], numbers: list[float],
                                                        epsilon: Fraction, known: bool) -> None:
    x, maps, one = form_of(numbers, [0.0, 0.0]), NormMaps("layer", epsilon, None, None, None), operations(**fields)
    if known:
        assert norm_error(one, maps, x, x)
    else:
        with pytest.raises(Rejected):
            norm_error(one, maps, x, x)


def test_what_is_looked_up_may_be_flushed() -> None:
    given = given_of(network_of("product"), FINE)
    network = proof.ModelProver(given, given.floats[0]).network.forms.network
    found = operations(storage=Format(20, -10, 60)).embed(network, 0, 1)
    for row, reach, size in zip(found.rows, reaches(found), found.sizes, strict=True):
        assert reach == Fraction(1, 1 << 10) + Fraction(1, UNIT) and size >= abs(row) + reach * UNIT


def test_what_is_flushed_in_products_on_balls_is_four_times_the_least_number_for_each_term() -> None:
    """Beside γ of three terms, the bias among them, times |W|_F s + |b|."""
    run = operations(sums=Format(20, -10, 60), inputs=STORED).model
    product = ProductOnBalls(Balls(run, Precision(0), Budget(1)), ExactLinear(
        Matrix(((2, -3), (0, 6)), 2, 0), Vector((3, 4), 0)))
    u, one, size = 3 * 2.0**-20 / (1 - 3 * 2.0**-20), 1 << 26, 5 << 26
    wanted = u * (7 * size + 5 * one) + 2 * 12 * 2.0**-10 * one  # the root of 2 is rounded up
    assert 0 <= product.error(0, size) - wanted < 8


def test_activations_are_off_by_what_the_page_says() -> None:
    """gelu by (5 + 2 exp_ulp) u of its argument, tanh by 2 exp_ulp u, and by what is flushed."""
    one, u, lost = operations(), Fraction(1, 1 << 16), 4 * Fraction(1, 1 << 40)
    (of_gelu,), (of_tanh,) = (one.function_error(name, [5 * UNIT // 2]) for name in ("gelu", "tanh"))
    assert 0 <= of_gelu - UNIT * ((5 + 6) * u * Fraction(5, 2) + lost * Fraction(7, 2)) < 4
    assert 0 <= of_tanh - UNIT * (6 * u + lost) < 2
    for name in ("gelu", "tanh"):
        with pytest.raises(Rejected):
            operations(softmax=Format(16, -40, 4)).function_error(name, [8 * UNIT])


def test_numbers_are_rounded_to_a_format_unless_all_others_are_the_same() -> None:
    form = Format(12, -60, 4)
    wide, narrow, sizes, made = Format(13, -60, 4), Format(11, -60, 4), [3 * UNIT, 7 * UNIT], [UNIT // 4, UNIT]
    total = [13 * UNIT // 4, 8 * UNIT]
    halves = [4 * UNIT >> 13, 16 * UNIT >> 13]  # below 4, and from 8 on
    assert rounded_to(form, [form, form], sizes, made) == (made, total)
    for others in ([wide], [narrow], [form, wide], [narrow, form], [wide, form]):
        assert rounded_to(form, others, sizes, made) == tuple(
            [x + half for x, half in zip(numbers, halves, strict=True)] for numbers in (made, total))
    for others in ([form], [wide]):
        with pytest.raises(Rejected):
            rounded_to(form, others, [12 * UNIT], [4 * UNIT])
    one = operations(storage=form, inputs=form, sums=form, softmax=form)
    assert one.entered(sizes, made) == (made, total)
    for name in ("sums", "softmax"):
        one = operations(**dict.fromkeys(("storage", "inputs", "sums", "softmax"), form) | {name: wide})
        assert one.entered(sizes, made) == rounded_to(form, [wide], sizes, made)
    assert operations(storage=STORED, inputs=form).entered([3 * UNIT], [0]) == (
        [4 * UNIT >> 12], [3 * UNIT + (4 * UNIT >> 12)])


def test_a_norm_must_be_in_its_format_before_a_small_gain() -> None:
    one, maps = operations(softmax=Format(16, -40, 4)), NormMaps("rms", EPSILON, [UNIT >> 10], None, None)
    one.gained(maps, [15 * UNIT], [0])
    with pytest.raises(Rejected):
        one.gained(maps, [15 * UNIT], [UNIT])
