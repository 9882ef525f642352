"""Computed tables hold the binary32 numbers nearest to the true values, by another library to 60 digits."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest

from constructions.importing.position_tables import alibi_slopes, rotary_tables, scaled_by_root, sinusoidal_table
from constructions.network.float_formats import FORMATS
from constructions.trained.network import Tensor
from constructions.trained.numbers import all_numbers


def nearest(x: mpmath.mpf) -> Fraction:
    """Round with 60 digits; no number of these tables is near a tie."""
    return FORMATS["binary32"].round(Fraction(str(x)))


@pytest.fixture(autouse=True)
def sixty_digits() -> object:
    with mpmath.workdps(60):
        yield


def exact(tensor: Tensor) -> list[Fraction]:
    return [Fraction(x) for x in all_numbers(tensor).tolist()]


def test_rotary_tables() -> None:
    cosines, sines = rotary_tables(40, 3, Fraction(10000))
    angles = [p * mpmath.mpf(10000) ** (-mpmath.mpf(r) / 3) for p in range(40) for r in range(3)]
    assert exact(cosines) == [nearest(mpmath.cos(angle)) for angle in angles]
    assert exact(sines) == [nearest(mpmath.sin(angle)) for angle in angles]


@pytest.mark.parametrize("width", [6, 5])
def test_sinusoidal_tables(width: int) -> None:
    angles = [p * mpmath.mpf(10000) ** (-mpmath.mpf(c // 2 * 2) / width) for p in range(30) for c in range(width)]
    assert exact(sinusoidal_table(30, width)) == [
        nearest((mpmath.cos if place % width % 2 else mpmath.sin)(angle)) for place, angle in enumerate(angles)]


def test_slopes_of_alibi() -> None:
    assert alibi_slopes(1) == [Fraction(1, 256)]
    assert alibi_slopes(8) == [Fraction(1, 2**k) for k in range(1, 9)]
    assert alibi_slopes(6) == [Fraction(1, 4), Fraction(1, 16), Fraction(1, 64), Fraction(1, 256), Fraction(1, 2),
                               Fraction(1, 8)]
    assert alibi_slopes(16)[0] == nearest(1 / mpmath.sqrt(2))


def test_numbers_times_a_root() -> None:
    numbers = np.array([[1.0, -0.1, 0.0], [3.5, 1e-30, 7.0]], np.float32)
    tensor = Tensor("binary32", (2, 3), numbers.tobytes())
    assert exact(scaled_by_root(tensor, 8)) == [
        nearest(mpmath.sqrt(8) * mpmath.mpf(float(x))) for x in numbers.flatten()]
    assert exact(scaled_by_root(tensor, 16)) == [4 * x for x in exact(tensor)]
