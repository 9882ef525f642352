from fractions import Fraction

import pytest

from proofs.numbers.instances.section_4_optimality import (
    DIGIT_WEIGHT,
    base,
    digits,
    first_position_error,
    previous_error,
)
from tests.numbers.instances.helpers import examined, verdicts

NAMES = ["section-4-first-position", "section-4-previous-by-digits", "theorem-12-constant", "theorem-20-constant"]


@pytest.mark.parametrize("name", NAMES)
def test_it_holds(name: str) -> None:
    assert all(verdicts(name, n) == {True} for n in (1, 2, 3, 16, 17, 32))


def test_the_factor_for_the_first_position_is_critical() -> None:
    """A little less than 3(n - 1) in place of e^β, and the error is above 1/4; fewer visible positions need less."""
    for n in (2, 3, 10, 64):
        enough = Fraction(3 * (n - 1))
        assert first_position_error(n, enough) == Fraction(1, 4) < first_position_error(n, enough * Fraction(999, 1000))
        assert all(first_position_error(i, enough) < Fraction(1, 4) for i in range(1, n))


def test_digits_tell_all_positions_apart() -> None:
    for n in (1, 2, 16, 17, 81, 82, 256):
        assert len({digits(j, base(n)) for j in range(n)}) == n
    assert [base(n) for n in (1, 2, 16, 17, 81, 82, 256)] == [1, 2, 2, 3, 3, 4, 4]


@pytest.mark.parametrize("n", [2, 5, 16, 20])
def test_the_error_is_that_of_bounded_embeddings_and_a_factor_of_base_squared(n: int) -> None:
    """Scores as products of embeddings in [0, 1], times B²: the exponents of 1/27 are integers up to a common one."""
    b = base(n)
    embedded = [[Fraction(digit, b) for digit in digits(j, b)] for j in range(n)]
    assert all(0 <= entry <= 1 for row in embedded for entry in row)
    for i in range(2, n + 1):
        asked = embedded[i - 2]
        scores = [b * b * sum(2 * q * a - a * a for q, a in zip(asked, row, strict=True)) for row in embedded]
        weights = [DIGIT_WEIGHT ** int(max(scores) - score) for score in scores]
        assert scores[i - 2] == max(scores)
        assert previous_error(n, i) == 1 - 1 / sum(weights) < Fraction(1, 4)


def test_the_bound_for_all_lengths_is_below_one_third() -> None:
    x = DIGIT_WEIGHT
    assert (1 + 2 * x + 2 * x**4 / (1 - x)) ** 4 < Fraction(4, 3)


def test_the_factor_grows_like_the_square_root() -> None:
    """At n = 10^4 it is 33 times smaller than 3n: 100 · ln 27 = 330."""
    assert base(10**4) ** 2 == 100


def test_the_instance_with_the_largest_error_is_reported() -> None:
    instance, = examined("section-4-previous-by-digits", 5)
    assert instance.value.lower == max(previous_error(5, i) for i in range(2, 6))
