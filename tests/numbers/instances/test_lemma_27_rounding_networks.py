"""The least number of pieces against linear programs, one for each way to put the breaks into the segments."""

from fractions import Fraction
from itertools import combinations_with_replacement

import pytest
import z3
from hypothesis import given
from hypothesis import strategies as st

from proofs.numbers.instances.lemma_27_rounding_networks import MODES, least_step, one_relu, pieces_needed, rounded
from proofs.numbers.instances.pieces import fewest_pieces
from tests.numbers.instances.helpers import examined, quick, verdicts


def interpolates(values: list[int], breaks: tuple[int, ...]) -> bool:
    """Return whether a continuous function with one break in each named segment (ends included) has these values.

    It is y0 + slope x + Σ d_m max(x - t_m, 0); with d_m and d_m t_m as unknowns this is linear.
    """
    solver, slope = z3.Solver(), z3.Real("slope")
    bends = [(z3.Real(f"d{m}"), z3.Real(f"dt{m}"), segment) for m, segment in enumerate(breaks)]
    for d, dt, segment in bends:
        low, high = segment * d, (segment + 1) * d
        solver.add(z3.Or(z3.And(low <= dt, dt <= high), z3.And(high <= dt, dt <= low)))
    for x, value in enumerate(values):
        solver.add(values[0] + slope * x + sum(x * d - dt for d, dt, segment in bends if segment < x) == value)
    return bool(solver.check() == z3.sat)


def fewest_by_search(values: list[int]) -> int:
    segments = range(len(values) - 1)
    return next(count + 1 for count in range(2 * len(values))
                if any(interpolates(values, breaks) for breaks in combinations_with_replacement(segments, count)))


@quick
@given(st.lists(st.integers(0, 2), min_size=2, max_size=5))
def test_the_shortest_path_finds_the_least_number_of_pieces(values: list[int]) -> None:
    assert fewest_pieces([(Fraction(x), Fraction(y)) for x, y in enumerate(values)]) == fewest_by_search(values)


def test_numbers_of_pieces_are_exact() -> None:
    assert [[pieces_needed(2**p, width, mode) for p in (1, 2, 3, 4)] for mode in MODES for width in (2, 4)] == [
        [3, 7, 15, 31], [3, 7, 15, 31], [2, 6, 14, 30], [3, 7, 15, 31], [3, 5, 9, 17], [3, 7, 15, 31]]


def test_the_statement_holds_for_numbers_of_one_range() -> None:
    assert all(verdicts("lemma-27", n) == {True} and len(examined("lemma-27", n)) == 6 for n in (1, 2, 3, 4, 16, 32))


def test_rounding_is_to_a_nearest_number_and_ties_are_broken_as_named() -> None:
    for mode in MODES[1:]:
        for x in range(32):
            assert abs(4 * rounded(x, 4, 8, mode) - x) == min(abs(4 * y - x) for y in range(8))
    assert [rounded(x, 2, 4, MODES[1]) for x in range(8)] == [0, 1, 1, 2, 2, 3, 3, 3]
    assert [rounded(x, 2, 4, MODES[0]) for x in range(8)] == [0, 0, 1, 1, 2, 2, 3, 3]


def test_the_printed_step_fails_first_from_3_bits_to_2() -> None:
    assert verdicts("lemma-27-proof-step", 1) == {True} and verdicts("lemma-27-proof-step", 2) == {False}
    assert (least_step(1), least_step(2), least_step(10)) == (2, 1, 1)


@pytest.mark.parametrize("bits", range(1, 7))
def test_the_pattern_of_the_step_repeats(bits: int) -> None:
    """The result of ``least_step`` for the first numbers is that for all."""
    first = {rounded(x, 2, 2**bits, MODES[2]): x for x in reversed(range(2 ** (bits + 1)))}
    assert least_step(bits) == min(first[y + 1] - first[y] for y in range(2**bits - 1))


@pytest.mark.parametrize("bits", range(1, 8))
def test_one_unit_rounds_integers_to_the_nearest(bits: int) -> None:
    for x in range(2 ** (bits + 1)):
        assert abs(one_relu(x, bits) - x) == min(abs(y - x) for y in range(2**bits))


def test_with_integers_the_statement_fails_first_for_2_bits() -> None:
    assert verdicts("lemma-27-integers", 1) == {True} and verdicts("lemma-27-integers", 2) == {False}
    first, = examined("lemma-27-integers", 2)
    assert (first.value.lower, first.bound.upper, first.side) == (2, 4, "at least")
