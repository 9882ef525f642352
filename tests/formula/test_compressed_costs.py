"""``attention.costs``: rounding goes down, and cutting out unused bits keeps the sign of every sum."""

import random
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from proofs.enclosures.exponential import Dyadic
from proofs.formula.attention.costs import _order, compressed, rounded_cost
from tests.tiers import drawn


def value(cost: tuple[int, int]) -> Fraction:
    return cost[0] * Fraction(2) ** cost[1]


@st.composite
def cost_tables(draw: st.DrawFn) -> tuple[list[list[tuple[int, int]]], int]:
    bits = draw(st.integers(2, 12))
    exponents = st.sampled_from(draw(st.lists(st.integers(-3000, 3000), min_size=1, max_size=4))).flatmap(
        lambda e: st.integers(e - 3, e + 3 + bits)
    )
    mantissas = st.integers(2 ** (bits - 1), 2**bits - 1).flatmap(lambda m: st.sampled_from([m, -m]))
    extreme = st.sampled_from([2 ** (bits - 1), 2**bits - 1, -(2 ** (bits - 1)), -(2**bits - 1), -(2**bits)])
    costs = st.one_of(st.just((0, 0)), st.tuples(mantissas | extreme, exponents))
    return draw(st.lists(st.lists(costs, min_size=1, max_size=4), min_size=1, max_size=9)), bits


@drawn(50)
@given(cost_tables(), st.randoms(use_true_random=False))
def test_sums_of_one_cost_per_position_keep_their_sign(
    table: tuple[list[list[tuple[int, int]]], int], rng: random.Random
) -> None:
    costs, bits = table
    small = compressed(costs, bits)
    for _ in range(30):
        chosen = [rng.randrange(len(options)) for options in costs]
        true = sum((value(options[c]) for options, c in zip(costs, chosen, strict=True)), Fraction(0))
        found = sum(options[c] for options, c in zip(small, chosen, strict=True))
        assert (found > 0) - (found < 0) == (true > 0) - (true < 0), (costs, chosen)


def test_sums_that_nearly_cancel_across_a_gap_keep_their_sign() -> None:
    for bits in (2, 8, 24):
        for count in (2, 3, 7, 64):
            for gap in range(bits - 2, bits + 14):
                top = 2 ** (bits - 1)
                low = [(-(2**bits - 1), -gap)] * (count - 1)
                costs = [[(top, 0)], *([cost] for cost in low)]
                true = value((top, 0)) + sum(map(value, low), Fraction(0))
                found = sum(row[0] for row in compressed(costs, bits))
                assert (found > 0) - (found < 0) == (true > 0) - (true < 0), (bits, count, gap)


def test_parts_above_a_gap_that_cancel_leave_the_sign_to_the_part_below() -> None:
    costs = [[(8, 5000)], [(-8, 5000)], [(9, 0), (-9, 0), (0, 0)], [(8, -4000), (-8, -4000)]]
    small = compressed(costs, 4)
    for k, sign in ((0, 1), (1, -1)):
        assert (sum([small[0][0], small[1][0], small[2][k]]) > 0) == (sign > 0)
        assert (sum([small[0][0], small[1][0], small[2][2], small[3][k]]) > 0) == (sign > 0)
    assert max(abs(x) for row in small for x in row).bit_length() < 64


@drawn(150)
@given(
    st.integers(-(10**9), 10**9),
    st.integers(1, 10**12),
    st.integers(0, 1000),
    st.integers(-500, 500),
    st.integers(1, 100),
)
def test_a_rounded_cost_is_below_every_product_it_stands_for(
    factor: int, lower: int, width: int, exponent: int, bits: int
) -> None:
    weight = Dyadic(lower, lower + width, exponent)
    cost = rounded_cost(factor, weight, bits)
    least = min(factor * x for x in (weight.lower, weight.upper)) * Fraction(2) ** exponent
    assert value(cost) <= least
    assert least - value(cost) <= abs(least) * Fraction(1, 2 ** (bits - 1))
    assert cost[0] == 0 or 2 ** (bits - 1) <= abs(cost[0]) <= 2**bits


@drawn(150)
@given(
    st.lists(st.tuples(st.integers(-60, 60), st.integers(1, 100), st.integers(-40, 40)), min_size=2, max_size=2),
    st.integers(1, 8),
)
def test_the_order_of_rounded_costs_is_that_of_their_values(parts: list[tuple[int, int, int]], bits: int) -> None:
    a, b = (rounded_cost(factor, Dyadic(low, low, e), bits) for factor, low, e in parts)
    assert value(min((a, b), key=_order)) == min(value(a), value(b))
