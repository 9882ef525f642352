"""Gradients of many outputs in one integer: what errors make of each output, worked out slot by slot with rationals."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from operator import mul
from random import Random

import pytest

from proofs.check.checker.chapters.trained.balls.precision import Undecided
from proofs.check.checker.chapters.trained.floats.backwards import (
    ERROR_BITS,
    GRADIENT,
    MOST,
    SHORT,
    SLOT,
    BackMap,
    Backwards,
    GradientRows,
    make_back_map,
    plus,
    short,
    transposed_map,
)
from proofs.check.checker.chapters.trained.forms.affine import WEIGHT
from proofs.check.checker.kernel.budget import Budget

ONE = 1 << GRADIENT
Slots = list[list[int]]
"""Of each coordinate what it adds to each output, over 2^GRADIENT."""


def packed(slots: Sequence[int]) -> int:
    return sum(x << SLOT * k for k, x in enumerate(slots))


def unpacked(row: int, count: int) -> list[int]:
    found = []
    for _ in range(count):
        found.append((row + (1 << SLOT - 1)) % (1 << SLOT) - (1 << SLOT - 1))
        row = row - found[-1] >> SLOT
    assert row == 0
    return found


def rows_of(slots: Slots) -> GradientRows:
    """The rows, and what slots are at most."""
    return GradientRows([packed(row) for row in slots], max(abs(x) for row in slots for x in row))


def slots_of(given: GradientRows, count: int) -> Slots:
    """The slots of rows, all of them at most what is said of them."""
    found = [unpacked(row, count) for row in given.rows]
    assert all(abs(x) <= given.most for row in found for x in row)
    return found


def backwards(slots: int, greatest: int) -> Backwards:
    return Backwards(Budget(10), slots, greatest)


def drawn(draw: Random, height: int, width: int, size: int) -> Slots:
    return [[draw.randrange(-size, size) for _ in range(width)] for _ in range(height)]


@pytest.mark.parametrize("count", [1, 2, 7])
@pytest.mark.parametrize("greatest", [1 << 10, (1 << ERROR_BITS) - 1, 1 << ERROR_BITS, 1 << 40])
def test_what_errors_make_of_outputs_is_the_sum_of_gradients_times_errors(count: int, greatest: int) -> None:
    """Of errors so many bits count, the rest as one unit more; what is lost adds up, and all is rounded up."""
    draw, shift = Random(count), max(0, greatest.bit_length() - ERROR_BITS)
    for _ in range(20):
        on, exact, known = backwards(count, greatest), [0] * count, [0] * count
        for _ in range(3):
            slots = drawn(draw, 4, count, 3 * ONE)
            slots[0] = [0, *slots[0][1:]]
            errors = [0, *[draw.randrange(greatest + 1) for _ in range(3)]]
            met = on.meet(rows_of(slots)._replace(most=MOST - 1), errors)
            assert slots_of(met, count) == slots and met.most <= 2 * max(abs(x) for row in slots for x in row)
            for k in range(count):
                exact[k] += sum(abs(row[k]) * error for row, error in zip(slots, errors, strict=True))
                known[k] += sum(abs(row[k]) * ((error >> shift) + 1) for row, error in zip(slots, errors, strict=True))
        on.lose(12345)
        on.lose(54321 << GRADIENT)
        found = on.reaches()
        assert found == [(one << shift) + 12345 + (54322 << GRADIENT) >> GRADIENT for one in known]
        for reach, one in zip(found, exact, strict=True):
            assert reach >= Fraction(one + 12345, ONE) + 54321
            assert reach <= Fraction(one, ONE) + 54323 + 4 * 9 * (1 << shift)


@pytest.mark.parametrize("slots", [[[-1]], [[1]], [[0]], [[-5, 3], [7, -2]], [[0, -1, 0], [0, 0, -1]]])
def test_signs_do_not_reach_into_the_next_slot(slots: Slots) -> None:
    count, on = len(slots[0]), backwards(len(slots[0]), 1)
    assert slots_of(on.meet(rows_of(slots), [ONE - 1] * len(slots)), count) == slots
    assert on.reaches() == [sum(abs(row[k]) for row in slots) + 1 for k in range(count)]


def test_what_does_not_fit_a_slot_is_undecided() -> None:
    def is_refused(what: str, most: int) -> bool:
        on, given = backwards(2, 1), GradientRows([1, 1 << SLOT], most)
        try:
            if what == "meet":
                on.meet(given, [0, 0])
            elif what == "scaled":
                on.scaled(given, [-3, 2], SHORT)
            elif what == "through":
                on.through(BackMap([[1, -2]], 3), given)
            else:
                on.floors([1], most, SHORT)
        except Undecided:
            return True
        return False

    for what, factor in (("meet", 1), ("scaled", 3), ("through", 3), ("floors", 1)):
        edge = -(-MOST // factor)
        assert not is_refused(what, edge - 1) and is_refused(what, edge)
    for last, known in (((1 << 20) - 2, True), ((1 << 20) - 1, False)):
        on = backwards(1, 1)
        on.meet(GradientRows([(1 << 40) - 1], MOST - 1), [(1 << 22) - 2])  # counts as 2^40 (2^22 - 1)
        if known:
            on.meet(GradientRows([(1 << 20) - 1], MOST - 1), [last])
            assert on.reaches() == [(((1 << 40) - 1) * ((1 << 22) - 1) + ((1 << 20) - 1) * (last + 1) >> GRADIENT) + 1]
        else:
            with pytest.raises(Undecided):
                on.meet(GradientRows([(1 << 20) - 1], MOST - 1), [last])


@pytest.mark.parametrize("count", [1, 3, 40])
@pytest.mark.parametrize("bits", [SHORT, 26])
def test_rows_go_through_matrices_and_factors_and_each_slot_is_rounded_down(count: int, bits: int) -> None:
    draw = Random(count)
    for _ in range(6):
        slots = drawn(draw, 4, count, 9 * ONE)
        slots[2], slots[3] = [-1] * count, [draw.randrange(-9, 9) << bits for _ in range(count)]
        given, weights = rows_of(slots), drawn(draw, 6, 4, 2 * ONE)  # six inputs, four outputs of the matrix
        weights[4:] = [0, 0, 1, 0], [0, 0, 0, ONE]
        back = transposed_map(list(zip(*weights, strict=True)))
        assert [[*row] for row in back.rows] == weights
        assert back.greatest == max(sum(map(abs, row)) for row in weights)
        on = backwards(count, 1)
        found = on.through(back, given)
        assert found.most == (given.most * back.greatest >> SHORT) + 1
        assert slots_of(found, count) == [[sum(map(mul, row, column)) >> SHORT for column in zip(*slots, strict=True)]
                                          for row in weights]
        factors = [-ONE // 3, 0, 1, 5 * ONE]
        scaled = on.scaled(given, factors, bits)
        assert scaled.most == (given.most * 5 * ONE >> bits) + 1
        assert slots_of(scaled, count) == [[x * factor >> bits for x in row]
                                           for row, factor in zip(slots, factors, strict=True)]
        floors = on.floors(given.rows, given.most, bits)
        assert floors.most == (given.most >> bits) + 1
        assert slots_of(floors, count) == [[x >> bits for x in row] for row in slots]
        both = plus(given, floors)
        assert slots_of(both, count) == [[x + (x >> bits) for x in row] for row in slots]
        assert both.most == given.most + floors.most
        assert on.reaches() == [1] * count  # nothing was met or lost


def test_weights_are_rounded_to_the_nearest_short_ones() -> None:
    half = 1 << WEIGHT - SHORT - 1
    for weight in (0, 1, half - 1, half, half + 1, 5 * half - 1, -half - 1, -half, 1 << 60, -(1 << 60) + 12345):
        assert abs((short(weight) << WEIGHT - SHORT) - weight) <= half
    assert short(half - 1) == 0 and short(half + 1) == short(2 * half) == 1 and short(-half - 1) == -1
    back = make_back_map([[1 << WEIGHT, half - 1], [-3 << WEIGHT, 5 << WEIGHT]])  # two outputs of two inputs
    assert [[*row] for row in back.rows] == [[1 << SHORT, -3 << SHORT], [0, 5 << SHORT]]
    assert back.greatest == 5 << SHORT


@pytest.mark.parametrize("count", [1, 5])
def test_errors_on_a_way_through_matrices_add_up_to_a_little_more_than_they_are(count: int) -> None:
    """Three products y = W x + e, of any matrices; the exact sum is that of rationals."""
    draw = Random(count)
    for _ in range(10):
        maps = [[[draw.randrange(-2 << WEIGHT, 2 << WEIGHT) for _ in range(4)] for _ in range(4)] for _ in range(3)]
        errors = [[draw.randrange(1 << 30) for _ in range(4)] for _ in range(4)]
        outputs = drawn(draw, 4, count, 3 * ONE)
        deviations = [errors[0]]
        for weights, more in zip(maps, errors[1:], strict=True):
            deviations.append([sum(abs(w) * x for w, x in zip(column, deviations[-1], strict=True)) // (1 << WEIGHT)
                               + own + 1 for column, own in zip(weights, more, strict=True)])
        on = backwards(count, max(map(max, errors)))
        given = rows_of(outputs)
        exact, gradients = [Fraction(0)] * count, [[Fraction(x, ONE) for x in row] for row in outputs]
        for k in (3, 2, 1, 0):
            given = on.meet(given, errors[k])
            exact = [one + sum(abs(row[j]) * e for row, e in zip(gradients, errors[k], strict=True))
                     for j, one in enumerate(exact)]
            if k:
                given = on.through(make_back_map(maps[k - 1]), given)
                size = max(abs(x) for row in gradients for x in row) * 4 + 1  # weights are off by half a unit
                on.lose(int(size) * sum(deviations[k - 1]))
                gradients = [[sum((Fraction(column[i], 1 << WEIGHT) * row[j] for column, row in zip(
                    maps[k - 1], gradients, strict=True)), Fraction(0)) for j in range(count)] for i in range(4)]
        for found, one in zip(on.reaches(), exact, strict=True):
            assert one <= found <= one * Fraction(1001, 1000) + 1000
