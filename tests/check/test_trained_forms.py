"""Affine forms of the checker: whatever symbols are, the true value is where the form says."""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from random import Random

import numpy as np
import pytest

from proofs.check import Rejected
from proofs.check.checker.chapters.trained.balls.activations import Activation
from proofs.check.checker.chapters.trained.balls.precision import Precision
from proofs.check.checker.chapters.trained.zonotopes.activations import Curve, activate, find_line
from proofs.check.checker.chapters.trained.zonotopes.affine import (
    UNIT,
    AffineForm,
    apply,
    make_linear,
    multiply,
    plus,
    promoted,
    scale_each,
    shortened,
)
from proofs.check.checker.chapters.trained.zonotopes.directions import average, make_basis
from proofs.check.checker.chapters.trained.zonotopes.norms import normalise
from proofs.check.checker.chapters.trained.zonotopes.packed_integers import (
    maximum,
    ones,
    pack,
    pack_short,
    rescale,
    unpack,
)
from proofs.check.checker.chapters.trained.zonotopes.weights import RelativeWeights
from proofs.check.checker.kernel.budget import Budget

from .trained_classes import acted

ONE = 2.0**44
ROOM = 1e-11  # of a run in binary64


def make_form(random: Random, width: int, symbols: int, reach: float, radius: float = 0.0,
              size: float = 2.0) -> AffineForm:
    """Return a random form with this number of symbols."""
    centres = [round(random.uniform(-size, size) * ONE) for _ in range(width)]
    generators = [[round(random.uniform(-reach, reach) * ONE) for _ in range(symbols)] for _ in range(width)]
    radii = [round(random.uniform(0, radius) * ONE) for _ in range(width)]
    sizes = [abs(c) + sum(map(abs, g)) + r for c, g, r in zip(centres, generators, radii, strict=True)]
    return AffineForm([pack([c, *g]) for c, g in zip(centres, generators, strict=True)], 1 + symbols, radii, sizes)


def choose(random: Random, number: int) -> np.ndarray:
    """Symbols, often at their ends."""
    return np.array([random.choice([-1.0, 1.0, random.uniform(-1, 1)]) for _ in range(number)])


def value_of(form: AffineForm, symbols: np.ndarray, own: np.ndarray) -> np.ndarray:
    """Return a vector of the form."""
    slots = np.array([unpack(row, form.slots) for row in form.rows], dtype=float) / ONE
    return np.asarray(slots[:, 0] + slots[:, 1:] @ symbols + np.array(form.radii, dtype=float) / ONE * own)


def misses(form: AffineForm, symbols: np.ndarray, value: np.ndarray) -> float:
    """Return the distance of a vector from the form, for these values of its first symbols."""
    slots = np.array([unpack(row, form.slots) for row in form.rows], dtype=float) / ONE
    known = slots[:, 0] + slots[:, 1:1 + len(symbols)] @ symbols
    room = np.abs(slots[:, 1 + len(symbols):]).sum(1) + np.array(form.radii, dtype=float) / ONE
    assert all(size >= abs(centre) + reach for size, centre, reach in zip(
        np.array(form.sizes, dtype=float) / ONE + ROOM, slots[:, 0],
        np.abs(slots[:, 1:]).sum(1) + np.array(form.radii, dtype=float) / ONE, strict=True))
    return float((np.abs(value - known) - room).max())


def holds(function: Callable[[AffineForm], AffineForm], reference: Callable[[np.ndarray], np.ndarray], seed: int,
          width: int,
          reach: float, symbols: int = 5, size: float = 2.0) -> None:
    """Check that a function maps random vectors of a form into the form that it returns."""
    random = Random(seed)
    x = make_form(random, width, symbols, reach, reach / 3, size)
    for form in (x, x._replace(fresh=True)):
        made = promoted(function(form))
        for _ in range(50):
            epsilon, own = choose(random, symbols), choose(random, width)
            assert misses(made, epsilon, reference(value_of(x, epsilon, own))) < ROOM


def normed(kind: str, epsilon: float) -> Callable[[np.ndarray], np.ndarray]:
    def norm(x: np.ndarray) -> np.ndarray:
        c = x - x.mean() if kind == "layer" else x
        return np.asarray(c / np.sqrt((c * c).mean() + epsilon))
    return norm


@pytest.mark.parametrize("kind", ["layer", "rms"])
@pytest.mark.parametrize("reach", [1e-9, 1e-3, 0.05, 0.4])
@pytest.mark.parametrize("seed", range(4))
def test_a_norm_of_a_form_contains_the_norms(kind: str, reach: float, seed: int) -> None:
    epsilon = Fraction(1, 10 ** (5 * (seed % 2) + 1))
    holds(lambda x: normalise(Budget(), kind, epsilon, x), normed(kind, float(epsilon)), seed, 2 + seed, reach)


@pytest.mark.parametrize("size", [1e-6, 1e-3, 300.0])
def test_a_norm_of_small_and_of_large_vectors_contains_the_norms(size: float) -> None:
    epsilon = Fraction(1, 10**5)
    holds(lambda x: normalise(Budget(), "layer", epsilon, x), normed("layer", 1e-5), 7, 6, size / 20, size=size)


@pytest.mark.parametrize("kind", ["layer", "rms"])
def test_coordinates_of_a_norm_of_a_wide_form_are_within_the_root_of_their_number(kind: str) -> None:
    """And one of them is shown to be above 0, where the vector's is."""
    made = normalise(Budget(), kind, Fraction(1, 10**9), make_form(Random(2), 9, 5, 3.0))
    assert max(made.sizes) <= 3 * ONE + 2
    far = AffineForm([pack([5 << 44, 4 << 44]), pack([0, 0, 9 << 44]), pack([0, 0, 0, 9 << 44])], 4, [0] * 3,
                     [9 << 44] * 3)
    centre, radius = (normalise(Budget(), "rms", Fraction(1, 10), far).rows[0],
                      normalise(Budget(), "rms", Fraction(1, 10), far).radii[0])
    assert abs((centre - radius) / ONE - math.sqrt(3 / (1 + 81 + 81 + 0.3))) < 1e-9
    assert abs((centre + radius) / ONE - math.sqrt(3 * 81 / (81 + 0.3))) < 1e-9


def test_a_norm_whose_variance_may_vanish_is_refused_unless_epsilon_keeps_it_from_0() -> None:
    x = AffineForm([pack([0, 1 << 40]), pack([0, -(1 << 40)])], 2, [0, 0], [1 << 40, 1 << 40])
    with pytest.raises(Rejected, match="variance"):
        normalise(Budget(), "layer", Fraction(0), x)
    for kind, epsilon in (("layer", 1e-14), ("rms", 1e-14), ("layer", 1e-6)):
        holds(lambda x, kind=kind, epsilon=epsilon: normalise(Budget(), kind, Fraction(epsilon), x),  # type: ignore[misc]
              normed(kind, epsilon), 5, 4, 3.0)
    holds(lambda x: normalise(Budget(), "layer", Fraction(1, 10**6), x), normed("layer", 1e-6), 3, 4, 3.0, size=0.1)
    holds(lambda x: normalise(Budget(), "rms", Fraction(1, 10**6), x), normed("rms", 1e-6), 3, 4, 3.0, size=0.1)


@cache
def curve_of(name: str) -> Curve:
    """Return the activation, whose tables are made once."""
    return Curve(name, Activation(name, Precision(1), Budget(20)))


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", ["relu", "gelu", "gelu-tanh", "silu", "sigmoid", "tanh"])
@pytest.mark.parametrize("reach", [1e-10, 1e-7, 1e-4, 0.01, 0.3, 3.0])
def test_an_activation_of_a_form_contains_the_values(name: str, reach: float) -> None:
    budget, curve = Budget(20), curve_of(name)
    for size in (1.0, 8.0, 100.0):
        holds(lambda x: activate(budget, curve, x), lambda x: acted(name, x), 11, 4, reach, size=size)


@pytest.mark.parametrize("reach", [0.0, 1e-6, 0.2])
def test_linear_maps_and_products_contain_the_values(reach: float) -> None:
    random = Random(5)
    weights = [[round(random.uniform(-2, 2) * ONE) for _ in range(4)] for _ in range(3)]
    bias = [round(random.uniform(-2, 2) * ONE) for _ in range(3)]
    exact = np.array(weights) / ONE
    holds(lambda x: apply(Budget(), make_linear(weights, bias), x), lambda x: exact @ x + np.array(bias) / ONE, 1, 4,
          reach)
    gain = weights[0]
    holds(lambda x: scale_each(Budget(), gain, weights[1], x), lambda x: exact[0] * x + exact[1], 2, 4, reach)
    square = make_linear([[round(ONE) * (i == j) + weights[0][j] for j in range(4)] for i in range(4)], [0] * 4)
    mixed = np.eye(4) + exact[0]
    holds(lambda x: multiply(Budget(), apply(Budget(), square, promoted(x)), promoted(x)),
          lambda x: (mixed @ x) * x, 3, 4, reach)
    holds(lambda x: plus(promoted(x), apply(Budget(), square, promoted(x))), lambda x: x + mixed @ x, 4, 4, reach)


@pytest.mark.parametrize("turned", [0.0, 0.01, 0.7])
def test_an_average_is_in_the_form_of_its_ranges_whatever_the_directions_are(turned: float) -> None:
    """Directions need not be orthogonal, nor of length 1; what they miss is a radius."""
    random = Random(3)
    for width in (1, 2, 5):
        q = np.linalg.qr(np.array([[random.gauss(0, 1) for _ in range(width)] for _ in range(width)]))[0]
        q = q + turned * np.array([[random.uniform(-1, 1) for _ in range(width)] for _ in range(width)])
        data = np.round(q * 2**30).clip(-(2**31), 2**31 - 1).astype("<i4")
        turn = make_basis(Budget(), data.tobytes(), width)
        for _ in range(30):
            z = np.array([random.uniform(-3, 3) for _ in range(width)])
            y = data / 2**30 @ z
            room = np.array([random.uniform(1e-9, 1) for _ in range(width)])
            least, greatest = ([math.floor(x * ONE) + k for x in y + sign * room]
                               for sign, k in ((-1, 0), (1, 1)))
            sizes = [math.ceil(abs(x) * ONE) for x in z]
            made = average(Budget(), turn, least, greatest, sizes)
            middle = np.array([a + b >> 1 for a, b in zip(least, greatest, strict=True)]) / ONE
            half = np.array([b - (a + b >> 1) for a, b in zip(least, greatest, strict=True)]) / ONE
            assert misses(made, (y - middle) / half, z) < ROOM


def test_forms_that_do_not_fit_are_refused() -> None:
    large = AffineForm([1 << 61, 1 << 61], 1, [0, 0], [1 << 61, 1 << 61])
    with pytest.raises(Rejected, match="reaches beyond"):
        plus(large, large)
    with pytest.raises(Rejected, match="reaches beyond"):
        apply(Budget(), make_linear([[1 << 44, 1 << 44]], [0]), large)
    with pytest.raises(Rejected, match="reaches beyond"):
        multiply(Budget(), large, large)
    with pytest.raises(Rejected, match=r"too long|reaches beyond"):
        normalise(Budget(), "rms", Fraction(1), AffineForm([(1 << 62) - 1] * 40, 1, [0] * 40, [(1 << 62) - 1] * 40))


def test_packed_integers_are_their_slots() -> None:
    random = Random(1)
    for slots in (1, 2, 7):
        for _ in range(200):
            a, b = ([random.choice([0, 1, -1, 1 << 60, random.getrandbits(60)]) * random.choice([1, -1])
                     for _ in range(slots)] for _ in range(2))
            shift = random.choice([0, 1, 17, 44, 60])
            assert unpack(pack(a), slots) == tuple(a)
            assert pack_short(a) == pack(a)
            assert unpack(3 * pack(a) - pack(b), slots) == tuple(3 * x - y for x, y in zip(a, b, strict=True))
            wide = [x << 60 for x in a]
            assert unpack(rescale(pack(wide), slots, shift + 60), slots) == tuple(
                x + (1 << shift >> 1) >> shift for x in a)
            bias, tops = ones(slots) << 126, ones(slots) << 127
            found = maximum(pack(wide) + bias, pack(b) + bias, tops)
            assert found - bias == pack([max(x, y) for x, y in zip(wide, b, strict=True)])


def test_weights_enclose_exp() -> None:
    random, weights = Random(2), RelativeWeights(Budget())
    arguments: Sequence[float] = [0.0, 1e-9, 1e-5, 0.5, 1.0, 20.0, 27.0, 45.0, 700.0, 1e5,
                                  *(random.uniform(0, 30) for _ in range(300))]
    for x in arguments:
        for width in (0.0, 1e-9, 1e-3, 2.0):
            least, greatest = -round((x + width) * ONE), -round(x * ONE)
            low, high = weights.enclose(least, greatest)
            smallest, largest = (math.exp(end / ONE) * 2**40 for end in (least, greatest))
            assert low <= smallest * (1 + 1e-14) and largest <= high * (1 + 1e-14)
            assert 0 <= low <= high <= 1 << 40
            assert low >= smallest * (1 - 1e-9) - 2 and high <= largest + 2


def test_short_weights_make_the_same_forms() -> None:
    draw, budget = Random(5), Budget(20)
    for bits, cut in ((12, 30), (29, 3), (2, 44), (31, 10), (40, 0)):
        columns = [[draw.randrange(-2**bits, 2**bits) << cut for _ in range(5)] for _ in range(4)]
        plain = make_linear(columns, [draw.randrange(2**40) for _ in range(4)])
        short = shortened(budget, plain)
        rows = [sum(draw.randrange(-2**45, 2**45) << 128 * k for k in range(6)) for _ in range(5)]
        x = AffineForm(rows, 6, [draw.randrange(2**30) for _ in rows], [6 << 45] * 5, draw.random() < 1 / 2)
        assert apply(budget, plain, x) == apply(budget, short, x)
        assert bool(short.short) == (bits <= 30)


@pytest.mark.parametrize("name", ["gelu", "tanh", "silu"])
def test_quick_lines_are_as_near_as_they_say(name: str) -> None:
    draw, curve = Random(6), curve_of(name)
    assert isinstance(curve.values, Activation)
    for k in range(60):
        width = UNIT >> draw.randrange(7)
        least = -width // 2 - draw.randrange(UNIT >> 6) if k % 2 else draw.randrange(-3 * UNIT, 2 * UNIT)
        line = find_line(Budget(20), curve, least, least + width, fast=True)
        for x in (least + width * j // 200 for j in range(201)):
            (y,) = curve.values.apply([x])
            assert abs(y - (line.slope * x >> 44) - line.height) <= line.remainder
        plain = find_line(Budget(20), curve, least, least + width)
        assert line.remainder <= plain.remainder + width * width // UNIT // 400 + (UNIT >> 10)
