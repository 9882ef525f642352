"""Errors that consecutive roundings add to balls, computed with rationals; and refusals, up to their edge.

Numbers are in units of 2^-26. A bound is at least the expected one, and exceeds it by the number of units rounded up.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import isqrt
from typing import Any

import pytest

from proofs.check.checker.chapters.float_models.reading import Format
from proofs.check.checker.chapters.trained.balls.exact import ExactLinear
from proofs.check.checker.chapters.trained.balls.linear import spectral_norm
from proofs.check.checker.chapters.trained.balls.precision import Precision, Undecided
from proofs.check.checker.chapters.trained.floats.balls import (
    Balls,
    InputOnBalls,
    ProductOnBalls,
    Rounded,
    SumOnBalls,
    share,
)
from proofs.check.checker.chapters.trained.reading.dyadics import Matrix, Vector
from proofs.check.checker.chapters.trained.reading.network import Norm
from proofs.check.checker.kernel.budget import Budget
from tests.check.test_trained_float_operations import STORED, operations

ONE, TINY = 1 << 26, Fraction(1, 1 << 30)


def balls(**fields: Any) -> Balls:
    return Balls(operations(**fields).model, Precision(0), Budget(10))


def root(x: Fraction | int) -> Fraction:
    """Return the square root, within 2^-100."""
    return Fraction(isqrt(int(x * (1 << 200))), 1 << 100)


def is_refused(make: Callable[[], object]) -> bool:
    try:
        make()
    except Undecided:
        return True
    return False


def test_a_rounded_vector_is_off_by_its_share_or_by_halves_of_last_places() -> None:
    one = Rounded(share(Fraction(1, 1 << 9)), 7, 1 << 40, 9)
    for size in (3, 1 << 9, (1 << 9) + 1, 12345678901):
        assert 0 < one.error(size) - 7 - Fraction(size, 1 << 9) <= 1
    assert not is_refused(lambda: one.error((1 << 40) - 1)) and is_refused(lambda: one.error(1 << 40))
    for x, e, halves in (([4000, -70, 0], 96, (8, 1 / 4, 1 / 8)), ([4000, -70, 0], 95, (4, 1 / 4, 1 / 8)),
                         ([1 << 30, 1 << 29], 0, (1 << 21, 1 << 20)), ([1 << 30, 0], 1 << 29, (1 << 21, 1 << 20)),
                         ([(1 << 31) - 1] * 4, 0, [1 << 21] * 4)):
        shared = Fraction(isqrt(sum(y * y for y in x) - 1) + 1 + e, 1 << 9)
        wanted = min(shared, root(sum((Fraction(half) ** 2 for half in halves), Fraction(0))))
        assert 0 < one.error_near(x, e) - 7 - wanted <= 1 + Fraction(1, 1 << 9)
    assert is_refused(lambda: one.error_near([1 << 39], 1 << 39))
    assert not is_refused(lambda: one.error_near([1 << 39], (1 << 39) - 1))


def test_shares_and_numbers_are_rounded_up() -> None:
    for x in (Fraction(1, 3), Fraction(1, 1 << 20), Fraction(7, 11), Fraction(5)):
        assert 0 <= share(x) - x * (1 << 64) < 1 and 0 <= balls().number(x) - x * ONE < 1
    assert balls().below(Format(8, -9, 5)) == 32 * ONE and balls().below(Format(8, -9, 5), 3) == 32 * ONE // 3


@pytest.mark.parametrize("other", [Format(12, -61, 60), Format(12, -60, 61), Format(13, -60, 60)])
def test_only_numbers_of_one_format_are_stored_as_they_are(other: Format) -> None:
    alike = dict.fromkeys(("storage", "inputs", "sums", "softmax"), Format(12, -60, 60))
    assert balls(**alike).stored(4) == balls(**alike).entering(4) == Rounded(0, 0, ONE << 60)
    for names in (("sums",), ("softmax",), ("sums", "softmax")):
        assert balls(**alike | dict.fromkeys(names, other)).stored(4) == Rounded(1 << 52, 2, ONE << 60, 12)
    assert balls(**alike | {"inputs": other}).entering(4).bits == other.precision


WEIGHT, BIAS = Matrix(((3, 0), (0, 4), (0, 0)), 2, -1), Vector((3, 4), 0)


def test_a_product_is_off_by_what_enters_and_by_its_sum() -> None:
    """|W|_F is 5/2; the root of 3 · 2 is taken to be 3, those of 3 and 2 to be 2."""
    for cut, exact in ((Fraction(1), True), (Fraction(1), False), (Fraction(2), False)):
        made = balls(sums=Format(20, -24, 60), sum_ulp=cut, inputs=Format(12, -60, 60) if exact else Format(9, -9, 60))
        product, u = ProductOnBalls(made, ExactLinear(WEIGHT, BIAS)), 4 * cut / (1 << 20)
        more = Fraction(1, 1 << 9) if cut > 1 else Fraction(0)
        e, size = 12345, 7 * ONE + 1
        entering = Fraction(0) if exact else Fraction(size, 1 << 9) + 2 * Fraction(ONE, 1 << 9)
        total = (size + entering + 2 * more * ONE) * (Fraction(5, 2) + 3 * more) + 5 * ONE
        wanted = (e + entering) * Fraction(spectral_norm(Budget(1), WEIGHT) + 1, 1 << 32)
        wanted += u / (1 - u) * total + 2 * 16 * Fraction(ONE, 1 << 24)
        assert 0 <= product.error(e, size) - wanted < 6
        assert product.error(e + (1 << 64), size) - product.error(e, size) >= spectral_norm(Budget(1), WEIGHT) << 32


def test_sums_and_inputs_too_large_for_their_format_are_refused() -> None:
    """A sum below 2^(E - 1), what enters below 2^E."""
    given = ExactLinear(WEIGHT, BIAS)
    product = ProductOnBalls(balls(sums=Format(24, -60, 5), inputs=STORED), given)
    below = 11 * ONE * 2 // 5
    assert not is_refused(lambda: product.error(0, below - 3)) and is_refused(lambda: product.error(0, below + 2))
    alone = ProductOnBalls(balls(sums=Format(24, -60, 5), inputs=STORED), ExactLinear(
        Matrix(((1,),), 1, 0), Vector((3,), 0)))
    assert not is_refused(lambda: alone.error(0, 13 * ONE - 3)) and is_refused(lambda: alone.error(0, 13 * ONE - 2))
    product = ProductOnBalls(balls(inputs=Format(9, -60, 3)), given)
    assert not is_refused(lambda: product.error(0, 8 * ONE - 1)) and is_refused(lambda: product.error(0, 8 * ONE))


def norm_of(width: int, epsilon: Fraction, kind: str = "layer", gain: Vector | None = None, bias: Vector | None = None,
            **fields: Any) -> InputOnBalls:
    return InputOnBalls(balls(**fields), Norm(kind, epsilon, gain, bias), width)


@pytest.mark.parametrize("kind", ["layer", "rms"])
def test_a_norm_on_balls_is_off_by_its_mean_its_factor_and_what_is_flushed(kind: str) -> None:
    """The root of 3 is taken to be 2."""
    softmax, epsilon, ulp = Format(16, -15, 60), Fraction(1, 10), Fraction(3)
    gain, bias = Vector((3, -6, 1), -1), Vector((2, 3, -6), -2)
    one = norm_of(3, epsilon, kind, gain, bias, softmax=softmax, exp_ulp=ulp)
    u, lost = Fraction(1, 1 << 16), Fraction(1, 1 << 15)
    gamma = {k: k * u / (1 - k * u) for k in (2, 4, 11)}
    x, e = [3 * ONE, -7 * ONE, 5], 777
    before = root(Fraction(sum(y * y for y in x))) + e
    widened = one.widened((x, e))
    wanted = e + ((3 * gamma[4] * before if kind == "layer" else 0) + 2 * 16 * lost * ONE)
    assert widened[0] == x and 0 <= widened[1] - wanted < 3
    factor = (1 + gamma[11]) * (1 + 2 * 24 * lost / epsilon) * (1 + 4 * ulp * u) - 1
    more = (2 * factor + 2 * lost + 2 * 16 * lost) * ONE
    assert 0 <= one.more - more < 4
    most = 3 * (2 * ONE + more) + Fraction(7, 4) * ONE
    stored = Fraction(1, 1 << 12)
    off = gamma[2] * most + 2 * 4 * lost * ONE
    off += stored * (most + off)
    assert 0 <= one.gain_error - off < 6 and 0 <= one.size - most - off < 20
    read = [ONE, 3 * ONE // 2, -ONE // 3]
    found, beside, size = one.read(read, e)
    made = [Fraction(g, 2) * y + Fraction(b, 4) * ONE for y, g, b in zip(read, gain.entries, bias.entries, strict=True)]
    assert found == e + one.more
    length = root(Fraction(sum(y * y for y in read)))
    whole = root(sum((y * y for y in made), Fraction(0))) + 3 * found + 4 * 2 + length / ONE
    off = gamma[2] * whole + 2 * 4 * lost * ONE
    off += root(sum(Fraction(1 << 2 * k) for k in (28, 27, 28))) / (1 << 13)
    assert 0 <= beside - off < 5 and -1 <= size - whole - beside < 1  # products and a bias are rounded down


NORMS_AT_THE_EDGE: dict[str, tuple[int, Fraction, dict[str, Any], Fraction | None]] = {
    "what is flushed, beside epsilon": (2, Fraction(160, 1 << 20), {"softmax": Format(16, -20, 60)}, -TINY),
    "a root": (2, Fraction(1), {"softmax": Format(16, -40, 60), "exp_ulp": Fraction(1 << 13)}, None),
    "an inverse of the width": (128, Fraction(20), {"softmax": Format(16, -8, 60)}, None),
    "squares in the format": (3, Fraction(10), {"softmax": Format(16, -40, 8)}, TINY),
    "an inverse of squares": (2, Fraction(127), {"softmax": Format(16, -10, 60)}, TINY),
    "the width in the format": (63, Fraction(9, 128), {"softmax": Format(16, -40, 6)}, None),
    "an inverse of epsilon": (2, Fraction(1, 16) + TINY, {"softmax": Format(16, -40, 6)}, -TINY)}


@pytest.mark.parametrize("edge", NORMS_AT_THE_EDGE)
def test_norms_on_balls_are_refused_beyond_their_edge(edge: str) -> None:
    width, epsilon, fields, more = NORMS_AT_THE_EDGE[edge]
    assert norm_of(width, epsilon, **fields).more > 0
    if more is not None:
        assert is_refused(partial(norm_of, width, epsilon + more, **fields))
    elif edge == "a root":
        assert is_refused(partial(norm_of, width, epsilon, **fields | {"exp_ulp": (1 << 13) + TINY}))
    else:
        assert is_refused(partial(norm_of, width + 1, epsilon, **fields))


@pytest.mark.parametrize(("width", "epsilon", "softmax", "below"), [
    (2, Fraction(15), Format(16, -10, 60), Fraction(15)),  # the root of 2 · 2^10 / 8 - 30 - 1
    (2, Fraction(15) + TINY, Format(16, -10, 60), Fraction(14)),
    (121, Fraction(32001, 1000000), Format(16, -40, 7), Fraction(128, 44))])  # sums of 121 numbers
def test_streams_too_large_for_their_norm_are_refused(width: int, epsilon: Fraction, softmax: Format, below: Fraction
                                                      ) -> None:
    one, most = norm_of(width, epsilon, softmax=softmax), int(below * ONE)
    x = [0] * (width - 1)
    assert one.widened(([*x, most - 2], 1)) and is_refused(lambda: one.widened(([*x, most - 1], 1)))
    assert one.widened(([*x, 1], most - 2)) and is_refused(lambda: one.widened(([*x, 1], most - 1)))


def test_numbers_with_gain_and_bias_must_be_half_of_the_greatest_and_those_that_are_stored_numbers() -> None:
    """|N| is at most 2 and a little, so with the gain at most 16, or with the bias."""
    for gain, bias, greatest, known in ((7, 1, 5, True), (8, 0, 5, False), (1, 13, 5, True), (1, 14, 5, False)):
        make = partial(norm_of, 4, Fraction(1, 4), gain=Vector((gain, 1, 0, 0), 0), bias=Vector((bias, 0, 0, 0), 0))
        assert is_refused(partial(make, softmax=Format(24, -40, greatest))) != known
    for greatest in (5, 4):
        make = partial(norm_of, 4, Fraction(1, 4), gain=Vector((9, 0, 0, 0), 0), softmax=Format(24, -40, 9))
        assert is_refused(partial(make, storage=Format(12, -30, greatest))) == (greatest == 4)


def test_what_has_no_norm_is_read_as_it_is() -> None:
    one = InputOnBalls(balls(), None, 3)
    assert one.widened(([3, -4, 0], 7)) == ([3, -4, 0], 7) and one.read([3, -4, 0], 7) == (7, 0, 12)
    assert (one.more, one.gain_error, one.size) == (0, 0, 0)


def test_a_sum_on_balls_is_off_by_three_roundings() -> None:
    """The output, the sum, and the stored sum; only the sum is rounded if all formats are the same."""
    x, written, e, off = [3 * ONE, -ONE, ONE // 2], [ONE, 5 * ONE, 0], 1000, 500
    for alike in (False, True):
        sums = Format(12, -20, 60)
        fields: dict[str, Any] = dict.fromkeys(("storage", "sums", "softmax"), sums) if alike else {
            "sums": sums, "storage": Format(9, -20, 60)}
        found, error = SumOnBalls(balls(**fields), 3).add((x, off), written, e)
        assert found == [4 * ONE, 4 * ONE, ONE // 2]
        lost = 2 * Fraction(ONE, 1 << 20)
        of_written, of_sum = (Fraction(0), Fraction(0)) if alike else (
            root(sum(Fraction(1 << 2 * k) for k in (27, 29, 10))) / (1 << 10) + lost,
            root(sum(Fraction(1 << 2 * k) for k in (29, 29, 26))) / (1 << 10) + lost)
        before = e + off + of_written
        summed = (root(Fraction(sum(y * y for y in found))) + before) / (1 << 12) + lost
        assert 0 <= error - before - summed - of_sum < 6
