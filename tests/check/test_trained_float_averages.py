"""Averages on balls, where each score and each value has an error of its own: none moves an average further."""

from __future__ import annotations

from functools import reduce
from itertools import product
from typing import Any

import numpy as np
import pytest

from proofs.check.checker.chapters.trained.balls.heads import TokenProjections, VisibleBounds
from proofs.check.checker.chapters.trained.floats import proof
from proofs.check.checker.chapters.trained.floats.ball_heads import HeadOnBalls
from proofs.check.checker.chapters.trained.floats.ball_stack import AttentionOnBalls
from proofs.check.checker.chapters.trained.floats.balls import SHARE
from tests.check.test_trained_float_balls import FINE, given_of, network_of

PLACES = 6


class Head:
    """The head of a network with one, at 44 bits; and the matrix of what it writes."""

    def __init__(self, **fields: str) -> None:
        given = given_of(network_of("attention"), FINE | fields)
        prover = proof.ModelProver(given, given.floats[0])
        stack = prover._rows.balls.beginning(0)
        self.one, (attention, _) = stack.precision.one, stack.blocks[0]
        assert isinstance(attention, AttentionOnBalls)
        self.known: HeadOnBalls = attention._ball_heads[0]
        step: Any = prover.network.forms.network.steps[0]
        self.out = np.array(step.heads[0].out.rows, dtype=float) * 2.0**step.heads[0].out.power

    def numbers(self, x: Any) -> list[int]:
        return [int(y) for y in np.rint(np.asarray(x) * self.one)]

    def written(self, x: Any) -> float:
        """Return the norm of the output, over the norm of the matrix."""
        return float(np.linalg.norm(x @ self.out) / np.linalg.norm(self.out, 2))


def moved(head: Head, weights: Any, values: Any, errors: Any, scores: Any) -> float:
    """Return the greatest change of an average in one direction, under these errors of scores and values."""
    left, _, _ = np.linalg.svd(head.out)
    middle, found = weights @ values / weights.sum(), 0.0
    for direction in (*left.T, *-left.T):
        signs = np.sign((values - middle) @ head.out @ (direction @ head.out))
        for more in (-1, 1):
            drawn = weights * np.exp(more * signs * scores)
            pushed = values + more * np.outer(errors, direction)
            found = max(found, head.written(drawn @ pushed / drawn.sum() - middle))
    return found


@pytest.mark.parametrize("most", [0.002, 0.1, 0.9])
def test_no_weights_and_values_that_are_off_move_an_average_further_than_is_said(most: float) -> None:
    head, draw, used = Head(), np.random.default_rng(1), list[float]()
    for kind in range(40):
        weights = np.exp(draw.normal(size=PLACES) * 3)
        weights /= weights.max()
        values = draw.normal(size=(PLACES, head.known.width)) / 2
        scores = most * np.where(weights == weights.max(), draw.random(), draw.random(PLACES))
        errors = 0.3 * (kind % 3) * most * draw.random(PLACES)
        seen = [TokenProjections((), (), head.numbers(value), 0, VisibleBounds(value_error=int(error * head.one)))
                for value, error in zip(values, errors, strict=True)]
        whole = np.rint(weights * 2**head.known.weight_bits)
        off = head.numbers(scores)
        sums = sum(int(w) * head.known.weigh(one.value, one.reach.value_error, e)
                   for w, one, e in zip(whole, seen, off, strict=True))
        reach = reduce(VisibleBounds.extend, (one.reach for one in seen))
        found = head.known.average(sums, max(off), reach, PLACES, 44)
        apart = sum(int(w) * head.known.weigh(one.value, 2 * head.one) for w, one in zip(whole, seen, strict=True))
        plain = head.known.average(apart, max(off), reach, PLACES, 44)
        assert np.allclose(np.array(found.numbers) / head.one, weights @ values / weights.sum(), atol=1e-9)
        assert found.error <= plain.error
        used.append(moved(head, weights, values, errors, scores) * head.one / found.error)
    assert max(used) <= 1 and np.median(used) > 0.3 and max(used) > 0.7


def test_each_coordinate_of_an_average_is_off_in_a_direction_of_its_own() -> None:
    """Values with a small output: with other signs it is large, and each coordinate has its own roundings."""
    head = Head(weights="float(3,-126,127)")
    value = np.linalg.svd(head.out)[0][:, -1]
    nothing, relative = head.numbers(np.zeros(4)), head.known._relative / 2.0**SHARE
    off = head.known.project_read(nothing, nothing, head.numbers(value), 0, 0, head.one).reach.value_error / head.one
    turned = max(head.written(np.array(signs) * value) for signs in product((-1, 1), repeat=4))
    assert off >= relative * turned > 2 * relative * head.written(value)


def test_what_is_said_of_weights_and_values_is_what_the_page_says() -> None:
    """1.01 ρ (1 + 5/8 ρ²), and 1.01 of the average error, half the greatest times that, 8 T u / W of it; or nothing."""
    head = Head()
    one, slot, room, units = head.one, head.known._precision.slot, 1 << 20, 1 << 10
    total, most = room * one, 9 * one // 10
    sums = (room * one // 4 << 2 * slot) + (room * one // (16 * 8) << 3 * slot)
    moved, value = head.known.sharpened(1000 * one, most, sums, total, units)
    assert 0 <= moved - 1.01 * 100 * one * (1 + 5 / 8 / 16) / 4 <= one / 2**40 * 200
    assert 0 <= value - (1.01 * one / 4 + moved / 200 * 0.9 + 8 * most / 1024) <= one / 2**40
    assert head.known.sharpened(7, most, sums, total, units) == (7, min(
        most, 101 * (one // 4 + 1) // 100 + 7 * most // (200 * one) + 8 * most // 1024 + 2))
    assert head.known.sharpened(1000 * one, most, sums, total, units + 1) == (1000 * one, most)
    assert head.known.sharpened(1000 * one, one, sums, total, units)[1] == one
    far = room * one // 4 // 8 + room << 3 * slot
    assert head.known.sharpened(1000 * one, most, far, total, units)[0] == 1000 * one
