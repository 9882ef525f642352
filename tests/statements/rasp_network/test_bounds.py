"""Bounds of integers hold wherever their parts do."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from constructions.rasp_network.integers import IntegerBounds, Line

NUMBERS = st.integers(-4, 4).map(Fraction)
LINES = st.builds(Line, NUMBERS, NUMBERS, NUMBERS)
PLACES = [(i, n) for n in range(1, 6) for i in range(1, n + 1)]


def at(line: Line, i: int, n: int) -> Fraction:
    return line.constant + line.before * (i - 1) + line.after * (n - i)


@given(LINES, LINES, NUMBERS)
def test_lines_add_and_are_bounded(left: Line, right: Line, factor: Fraction) -> None:
    for i, n in PLACES:
        assert at(left.plus(right, factor), i, n) == at(left, i, n) + factor * at(right, i, n)
        assert at(left.least(right), i, n) <= min(at(left, i, n), at(right, i, n))
        assert at(left.greatest(right), i, n) >= max(at(left, i, n), at(right, i, n))


@given(LINES, LINES)
def test_magnitude_and_signs(lower: Line, upper: Line) -> None:
    bounds = IntegerBounds(lower, upper)
    for i, n in PLACES:
        assert at(bounds.magnitude(), i, n) >= max(at(upper, i, n), -at(lower, i, n))
        assert len(bounds.signs()) == 2 or at(lower, i, n) >= 0


@given(LINES, LINES, st.booleans(), st.booleans())
def test_bounds_at_another_position_hold_here(lower: Line, upper: Line, before: bool, after: bool) -> None:
    moved = IntegerBounds(lower, upper).elsewhere(before, after)
    for i, n in PLACES:
        for j in range(1 if before else i, (n if after else i) + 1):
            assert at(moved.lower, i, n) <= at(lower, j, n)
            assert at(moved.upper, i, n) >= at(upper, j, n)


@given(LINES, LINES, NUMBERS)
def test_bounds_of_a_sum(line: Line, other: Line, factor: Fraction) -> None:
    exact = IntegerBounds(line, line).plus(IntegerBounds(other, other), factor)
    assert exact == IntegerBounds(line.plus(other, factor), line.plus(other, factor))
    wide = IntegerBounds(line, line).hull(IntegerBounds(other, other))
    for i, n in PLACES:
        assert at(wide.lower, i, n) <= min(at(line, i, n), at(other, i, n))
        assert at(wide.upper, i, n) >= max(at(line, i, n), at(other, i, n))
