"""Integers of the trained chapter: what is claimed of every function's error holds, against 300 bits."""

import random
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest
from mpmath import exp, mp, mpf, sqrt

from proofs.check.checker.chapters.trained.balls.activations import EXACT, SHAPES, Activation
from proofs.check.checker.chapters.trained.balls.exact import ExactLinear
from proofs.check.checker.chapters.trained.balls.exponentials import ABSOLUTE_ERROR, RELATIVE_ERROR, Exponentials
from proofs.check.checker.chapters.trained.balls.gelu import enclose_pi
from proofs.check.checker.chapters.trained.balls.heads import HeadOnNumbers, TokenProjections, VisibleBounds
from proofs.check.checker.chapters.trained.balls.linear import LinearOnNumbers, MapsBeside, multiply, spectral_norm
from proofs.check.checker.chapters.trained.balls.norms import Normaliser
from proofs.check.checker.chapters.trained.balls.precision import NORM_BITS, Precision, Undecided, ceil_norm
from proofs.check.checker.chapters.trained.reading.dyadics import Matrix, Vector
from proofs.check.checker.chapters.trained.reading.network import Norm
from proofs.check.checker.kernel.budget import Budget
from tests.check.trained_reference import ACTIVATIONS

LEVELS = [Precision(0), Precision(1), Precision(2)]


def numbers(rng: random.Random, count: int, bits: int) -> list[int]:
    return [rng.randrange(-(1 << bits), 1 << bits) for _ in range(count)]


def level(precision: Precision) -> str:
    return f"precision {precision.level}"


@pytest.mark.parametrize("precision", LEVELS, ids=level)
def test_entries_of_packed_vectors_are_floors_of_quotients(precision: Precision) -> None:
    rng = random.Random(1)
    most = 1 << precision.slot - 1
    for entries in ([0], [-1, 1], [most - 1, -most, 0, -1], [-most] * 3, numbers(rng, 9, precision.slot - 1)):
        for shift in (0, 1, precision.weight - 3, precision.weight, precision.weight + 1, precision.slot - 2):
            found = precision.quotients(len(entries), shift)(precision.pack(entries))
            assert list(found) == [entry >> shift for entry in entries]


@pytest.mark.parametrize("precision", LEVELS, ids=level)
def test_exponentials_are_within_the_stated_error(precision: Precision) -> None:
    bits = precision.exponent
    exponentials, rng = Exponentials(precision.fraction, bits, Budget()), random.Random(2)
    for size in (precision.fraction - 14, precision.fraction, precision.fraction + 5, precision.fraction + 9):
        for d in [0, 1, *(abs(x) for x in numbers(rng, 40, size))]:
            true = exp(-mpf(d) / precision.one)
            error = RELATIVE_ERROR * true / precision.one + ABSOLUTE_ERROR * mpf(2) ** -bits
            assert abs(mpf(exponentials.at(d)) / 2**bits - true) <= error
            assert exponentials.all_below(0, [-d, -d - 1], 5) == [exponentials.at(x) >> 5 for x in (d, d + 1)]


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("precision", LEVELS, ids=level)
def test_activations_are_within_the_stated_error(name: str, precision: Precision) -> None:
    activation, rng = Activation(name, precision, Budget()), random.Random(3)
    x = [0, -1, 1, precision.one, -precision.one]
    for bits in (precision.fraction - 20, precision.fraction, precision.fraction + 3, precision.fraction + 12):
        x += numbers(rng, 25, bits)
    for given, found in zip(x, activation.apply(x), strict=True):
        true = ACTIVATIONS[name](mpf(given) / precision.one) * precision.one
        assert abs(found - true) <= activation.error


@pytest.mark.parametrize("name", [name for name in SHAPES if name not in EXACT])
@pytest.mark.parametrize("allowed", [0, 1, 1 << 12])
def test_wider_cells_are_within_the_error_that_was_allowed_for_them(name: str, allowed: int) -> None:
    precision = Precision(0)
    activation, f = Activation(name, precision, Budget(), allowed), ACTIVATIONS[name]
    assert activation.error <= 2 + max(allowed, 1)
    x = [*numbers(random.Random(4), 60, precision.fraction + 1), *range(0, 1 << 20, (1 << 14) + 1)]
    for given, found in zip(x, activation.apply(x), strict=True):
        assert abs(found - f(mpf(given) / precision.one) * precision.one) <= activation.error


def test_cells_are_wider_only_where_the_error_allows_it() -> None:
    at_0, fine, coarse = (Activation("gelu", Precision(0), Budget(), allowed) for allowed in (1, 0, 1 << 12))
    assert at_0.error == fine.error == 3 < coarse.error == 24
    assert Activation("gelu", Precision(1), Budget(), 1).error == Activation("gelu", Precision(1), Budget(), 0).error
    x = range(0, 3 << 26, 200_003)
    assert max(abs(y - z) for y, z in zip(coarse.apply(x), fine.apply(x), strict=True)) > coarse.error / 2


@pytest.mark.parametrize("name", SHAPES)
def test_bounds_of_slopes_and_third_derivatives_hold_on_a_grid(name: str) -> None:
    shape, f = SHAPES[name], ACTIVATIONS[name]
    for k in range(-64, 64):
        x, h = mpf(2 * k + 1) / 16, mpf(2) ** -30
        slope = (f(x + h) - f(x - h)) / (2 * h)
        third = (f(x + 2 * h) - 2 * f(x + h) + 2 * f(x - h) - f(x - 2 * h)) / (2 * h**3)
        assert abs(slope) <= mpf(shape.slope.numerator) / shape.slope.denominator + mpf(2) ** -40
        assert abs(third) <= mpf(shape.third.numerator) / shape.third.denominator + mpf(2) ** -40


def test_pi_is_enclosed() -> None:
    lower, upper = enclose_pi(192)
    assert lower < mp.pi * 2**192 < upper < lower + 2**13


def test_the_spectral_norm_of_known_matrices_is_hardly_exceeded() -> None:
    bound = spectral_norm(Budget(), Matrix(((3, 0), (0, -4)), 2, 0))
    assert 4 << NORM_BITS <= bound < (4 << NORM_BITS) + (1 << NORM_BITS - 1)
    ones = Matrix(((1,) * 9,) * 4, 9, -3)  # 6/8, as the only singular value
    assert 6 << NORM_BITS - 3 <= spectral_norm(Budget(), ones) < 7 << NORM_BITS - 3
    assert spectral_norm(Budget(), Matrix(((0, 0),), 2, 5)) == 0


def test_no_vector_is_stretched_by_more_than_the_spectral_norm() -> None:
    rng = random.Random(4)
    for height, width in ((1, 5), (3, 3), (8, 2), (5, 12)):
        rows = tuple(tuple(numbers(rng, width, 24)) for _ in range(height))
        bound = Fraction(spectral_norm(Budget(), Matrix(rows, width, -20)), 1 << NORM_BITS)
        x = [1] * height
        for _ in range(12):  # the power method finds the vector that is stretched most
            y = [sum(a * row[j] for a, row in zip(x, rows, strict=True)) for j in range(width)]
            stretched = Fraction(sum(a * a for a in y), sum(a * a for a in x)) / 2**40
            assert stretched <= bound**2
            x = [sum(a * b for a, b in zip(y, row, strict=True)) >> 30 for row in rows]


def test_products_of_matrices_are_exact() -> None:
    assert multiply(Budget(), [[1, -2], [0, 3]], [[5, 0, -1], [7, -1, 2]]) == [[-9, 2, -5], [21, -3, 6]]


@pytest.mark.parametrize("precision", LEVELS, ids=level)
def test_a_product_is_within_its_error_whatever_the_input_is_off_by(precision: Precision) -> None:
    rng = random.Random(5)
    rows = tuple(tuple(numbers(rng, 7, 40)) for _ in range(5))
    given = ExactLinear(Matrix(rows, 7, -60 * precision.level or -38), Vector(tuple(numbers(rng, 7, 30)), -200))
    product = LinearOnNumbers(precision, Budget(), given, 8 * precision.one)
    for off in (0, 1 << 10, 1 << precision.fraction - 3):
        x = numbers(rng, 5, precision.fraction + 1)
        moved = [a + rng.randrange(-off, off + 1) for a in x]
        found = product.apply(moved)
        true = [sum(a * row[j] for a, row in zip(x, rows, strict=True)) * Fraction(2) ** given.weight.power
                + given.bias.entries[j] * Fraction(2) ** (given.bias.power + precision.fraction) for j in range(7)]
        e = ceil_norm([a - b for a, b in zip(x, moved, strict=True)])
        assert sum((a - b) ** 2 for a, b in zip(found, true, strict=True)) <= product.error(e) ** 2
        assert ceil_norm(found) <= product.bound


@pytest.mark.parametrize("precision", LEVELS, ids=level)
def test_the_largest_entries_fit_their_slots(precision: Precision) -> None:
    rng, reads, greatest = random.Random(8), 8 * precision.one, 0
    rows = tuple(tuple(numbers(rng, 3, 20)) for _ in range(4))
    given = ExactLinear(Matrix(rows, 3, -17), Vector((1 << 21, -(1 << 21), 1 << 21), -22))
    product = LinearOnNumbers(precision, Budget(), given, reads)
    for column in zip(*rows, strict=True):
        for sign in (1, -1):  # along a column an entry is as large as it can be
            x = [sign * w * reads // (ceil_norm(column) + 1) for w in column]
            found = product.apply(x)
            for k, entry in enumerate(found):
                true = Fraction(sum(a * row[k] for a, row in zip(x, rows, strict=True)), 1 << 17)
                assert abs(entry - true - Fraction(given.bias.entries[k], 1 << 22) * precision.one) <= product.rounding
                greatest = max(greatest, abs(entry))
    assert greatest <= product.largest <= greatest + precision.one // 32


@pytest.mark.parametrize("precision", LEVELS, ids=level)
def test_products_are_rounded_to_nearest(precision: Precision) -> None:
    given = ExactLinear(Matrix(((4095, 1, 2049, 2047),), 4, -12), Vector((0, 0, 0, 0), 0))
    assert list(LinearOnNumbers(precision, Budget(), given, precision.one).apply([1])) == [1, 0, 1, 0]


@pytest.mark.parametrize("precision", LEVELS, ids=level)
def test_numbers_that_are_0_may_be_left_out_of_a_product(precision: Precision) -> None:
    rng = random.Random(11)
    given = ExactLinear(Matrix(tuple(tuple(numbers(rng, 3, 20)) for _ in range(5)), 3, -17), Vector((7, -9, 0), 0))
    product = LinearOnNumbers(precision, Budget(), given, 8 * precision.one)
    for zeros in range(32):
        x = [0 if zeros >> k & 1 else y for k, y in enumerate(numbers(rng, 5, precision.fraction + 1))]
        assert list(product.apply_to_few(x)) == list(product.apply(x))


def test_scores_are_within_their_error_where_keys_lose_bits() -> None:
    precision, rng = Precision(0), random.Random(10)
    given = ExactLinear(Matrix(tuple(tuple(numbers(rng, 3, 20)) for _ in range(3)), 3, -17), Vector((0, 0, 0), 0))
    maps = [LinearOnNumbers(precision, Budget(), given, 64 * precision.one) for _ in range(3)]
    step: Any = SimpleNamespace(rotary=None)
    head: Any = SimpleNamespace(slope=None, attends=None)
    made = HeadOnNumbers(precision, step, head, maps, 4)
    assert made._drop > 4
    for _ in range(20):
        query, *keys = (numbers(rng, 3, precision.fraction + 7) for _ in range(4))
        packed = made.beside(keys)
        spread = [made.placed_key(key, k) for k, key in enumerate(keys)]
        assert packed == [sum(parts) for parts in zip(*spread, strict=True)]
        error = made.score_error(TokenProjections(query, (), (), 0, VisibleBounds()), VisibleBounds(), ())
        for score, key in zip(made.scores(query, packed, 3, range(3), 0), keys, strict=True):
            assert abs(score - Fraction(sum(q * k for q, k in zip(query, key, strict=True)), precision.one)) <= error


@pytest.mark.parametrize("precision", LEVELS, ids=level)
def test_maps_beside_each_other_make_what_each_makes_alone(precision: Precision) -> None:
    rng, made = random.Random(9), []
    for width in (3, 1, 4):
        weight = Matrix(tuple(tuple(numbers(rng, width, 20)) for _ in range(5)), width, -20)
        given = ExactLinear(weight, Vector(tuple(numbers(rng, width, 9)), -9))
        made.append(LinearOnNumbers(precision, Budget(), given, 9 * precision.one, room=64 * precision.one))
    x = numbers(rng, 5, precision.fraction + 1)
    assert list(MapsBeside(precision, Budget(), made).apply(x)) == [y for one in made for y in one.apply(x)]
    assert list(MapsBeside(precision, Budget(), []).apply([])) == []


@pytest.mark.parametrize("kind", ["layer", "rms"])
@pytest.mark.parametrize("precision", LEVELS, ids=level)
def test_norms_are_within_their_error(kind: str, precision: Precision) -> None:
    rng, width = random.Random(6), 6
    normaliser = Normaliser(Norm(kind, Fraction(1, 100000), None, None), width, precision)
    for size, off in ((precision.fraction + 3, 1 << 8), (precision.fraction - 8, 1 << 20),
                      (precision.fraction - 14, 4)):
        x = numbers(rng, width, size)
        moved = [a + rng.randrange(-off, off + 1) for a in x]
        e = ceil_norm([a - b for a, b in zip(x, moved, strict=True)])
        found, error = normaliser.apply(moved, e)
        mean = mpf(sum(x)) / width if kind == "layer" else mpf(0)
        c = [(a - mean) / precision.one for a in x]
        s = sqrt(mp.fsum(a * a for a in c) / width + mpf(1) / 100000)
        assert mp.fsum((a - b / s * precision.one) ** 2 for a, b in zip(found, c, strict=True)) <= error**2
        assert ceil_norm(found) <= normaliser.bound


@pytest.mark.parametrize("kind", ["layer", "rms"])
@pytest.mark.parametrize("precision", LEVELS, ids=level)
def test_norms_of_exact_vectors_are_within_their_rounding(kind: str, precision: Precision) -> None:
    """However far entries are apart."""
    rng = random.Random(12)
    for width in (2, 9):
        normaliser = Normaliser(Norm(kind, Fraction(1, 10**9), None, None), width, precision)
        for size in (-13, -8, -3, 0, 4, 9):
            x = numbers(rng, width, precision.fraction + size)
            found, error = normaliser.apply(x, 0)
            mean = mpf(sum(x)) / width if kind == "layer" else mpf(0)
            s = sqrt(mp.fsum((a - mean) ** 2 for a in x) / width + mpf(precision.one) ** 2 / 10**9)
            off = mp.fsum((a - (b - mean) / s * precision.one) ** 2 for a, b in zip(found, x, strict=True))
            assert off <= error**2 and error < 2**7
            assert ceil_norm(found) <= normaliser.bound


def test_an_error_above_the_deviation_is_undecided_and_never_negative() -> None:
    precision = Precision(1)
    bare = Normaliser(Norm("layer", Fraction(0), None, None), 4, precision)
    x = [precision.one, 0, 0, -precision.one]
    assert bare.apply(x, 1)[1] > 0
    for e in (precision.one * 2, precision.one * 10**6):
        with pytest.raises(Undecided):
            bare.apply(x, e)
    with pytest.raises(Undecided):
        bare.apply([5, 5, 5, 5], 0)
    safe = Normaliser(Norm("layer", Fraction(1, 100), None, None), 4, precision)
    for e in (10, 10**6):  # no two results are further apart than 2 √4
        assert 4 * precision.one <= safe.apply(x, precision.one * e)[1] < 4 * precision.one + 100
