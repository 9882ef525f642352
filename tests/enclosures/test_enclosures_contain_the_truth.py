"""exp, its rounding, and the softmax-weighted mean: every enclosure against mpmath at 400 bits and more."""

import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf

from proofs.enclosures.exponential import enclose_exp, round_up
from proofs.enclosures.intervals import Interval, enclose_form, point
from proofs.enclosures.softmax import enclose_mean, weights_in_common_units
from tests.network.second_forward import to_fraction
from tests.tiers import drawn

REFERENCE_BITS = 1200


def exp_reference(x: Fraction, bits: int = REFERENCE_BITS) -> Fraction:
    with mp.workprec(bits + 60 + max(0, x.numerator.bit_length() - x.denominator.bit_length())):
        return to_fraction(mp.exp(mpf(x.numerator) / x.denominator))


def check_exp(x: Fraction, bits: int, reference_bits: int = REFERENCE_BITS) -> None:
    ball = enclose_exp(x, bits)
    unit = Fraction(2) ** ball.exponent
    lower, upper, true = ball.lower * unit, ball.upper * unit, exp_reference(x, reference_bits)
    slack = true / 2**reference_bits  # the reference itself is rounded
    assert 0 < lower <= true + slack and true - slack <= upper, x
    assert upper - lower <= true / 2 ** (bits - 2)


@pytest.mark.parametrize("bits", [53, 96, 128, 256, 512])
def test_exp_close_to_ties(bits: int) -> None:
    """Points +-2^-k, where mpmath's own interval exp misses the truth at 53 bits (its issue 1181)."""
    for k in range(1, 701, 1 if bits == 53 else 7):
        for sign in (1, -1):
            check_exp(Fraction(sign, 2**k), bits)
            check_exp(Fraction(sign * (2**k - 1), 2 ** (2 * k)), bits)
    assert enclose_exp(Fraction(0), bits).lower == enclose_exp(Fraction(0), bits).upper == 1


@pytest.mark.parametrize("bits", [64, 128, 192])
def test_exp_at_random_rationals(bits: int) -> None:
    rng = random.Random(bits)
    for _ in range(300):
        denominator = rng.choice([1, 2, 3, 7, 64, rng.randint(1, 10**30)])
        check_exp(Fraction(rng.randint(-200 * denominator, 200 * denominator), denominator), bits, 400)


def test_exp_at_huge_arguments() -> None:
    for x in (-(10**4), -3 * 64**2, -(10**6), 10**5, -(10**8), Fraction(-(10**9), 7), Fraction(-(10**7) * 3 - 1, 3)):
        ball = enclose_exp(Fraction(x), 128)
        with mp.workprec(400):
            # compare logarithms: log of the ends brackets x
            low = mp.log(ball.lower) + ball.exponent * mp.log(2)
            high = mp.log(ball.upper) + ball.exponent * mp.log(2)
            value = mpf(Fraction(x).numerator) / Fraction(x).denominator
            assert low <= value <= high and high - low < mpf(2) ** -100


@drawn(100)
@given(st.fractions(min_value=-60, max_value=60, max_denominator=10**9), st.sampled_from([64, 128]))
def test_exp_at_any_small_rational(x: Fraction, bits: int) -> None:
    check_exp(x, bits, 400)


@drawn(150)
@given(st.integers(0, 10**60), st.integers(1, 10**90), st.integers(1, 15))
def test_rounding_up_is_up_and_close(numerator: int, denominator: int, digits: int) -> None:
    x = Fraction(numerator, denominator)
    rounded = round_up(x, digits)
    assert rounded >= x
    assert rounded <= x * (1 + Fraction(10, 10**digits))
    assert (rounded == 0) == (x == 0)


@drawn(100)
@given(st.fractions(min_value=0, max_value=1), st.fractions(min_value=0, max_value=1), st.integers(1, 15))
def test_rounding_up_is_monotone(x: Fraction, y: Fraction, digits: int) -> None:
    if x <= y:
        assert round_up(x, digits) <= round_up(y, digits) * (1 + Fraction(10, 10**digits))
        assert round_up(x, digits) >= x


def random_interval(rng: random.Random, size: int) -> Interval:
    ends = sorted(Fraction(rng.randint(-size * 12, size * 12), 12) for _ in range(2))
    return point(ends[0]) if rng.random() < 0.3 else Interval(ends[0], ends[1])


def inside(rng: random.Random, interval: Interval) -> Fraction:
    share = rng.choice([Fraction(0), Fraction(1), Fraction(rng.randint(0, 97), 97)])
    return interval.lower + share * (interval.upper - interval.lower)


@pytest.mark.parametrize("seed", range(8))
def test_softmax_mean_contains_every_mean_of_points_inside(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(25):
        count = rng.randint(1, 6)
        scores = [random_interval(rng, 4) for _ in range(count)]
        values = [random_interval(rng, 2) for _ in range(count)]
        enclosed = enclose_mean(scores, values, 128)
        for _ in range(12):
            s, v = [inside(rng, x) for x in scores], [inside(rng, x) for x in values]
            weights = [exp_reference(x, 400) for x in s]
            mean = sum(w * x for w, x in zip(weights, v, strict=True)) / sum(weights)
            assert enclosed.lower - Fraction(1, 2**300) <= mean <= enclosed.upper + Fraction(1, 2**300)
        # the ends are attained: weights of the greatest values up, the others down, for some threshold
        best = max(
            sum(
                exp_reference(x.upper if values[k].upper > values[t].upper else x.lower, 400) * values[k].upper
                for k, x in enumerate(scores)
            )
            / sum(
                exp_reference(x.upper if values[k].upper > values[t].upper else x.lower, 400)
                for k, x in enumerate(scores)
            )
            for t in range(count)
        )
        assert enclosed.upper - best <= Fraction(1, 2**110) and best <= enclosed.upper + Fraction(1, 2**110)


def test_equal_exact_scores_have_equal_exact_weights() -> None:
    for x in (Fraction(0), Fraction(10**9), Fraction(-7, 3)):
        weights = weights_in_common_units([point(x)] * 3, 128)
        assert weights == [(1, 1)] * 3
        assert enclose_mean([point(x)] * 3, [point(Fraction(k)) for k in (0, 1, 3)], 128) == point(Fraction(4, 3))


@drawn(75)
@given(
    st.lists(
        st.tuples(st.integers(-5, 5), st.integers(-5, 5), st.integers(-3, 3), st.integers(0, 4)), min_size=1, max_size=4
    )
)
def test_linear_forms_and_products_contain_the_truth(parts: list[tuple[int, int, int, int]]) -> None:
    row = {str(k): Fraction(w) for k, (_, _, w, _) in enumerate(parts)}
    box = {str(k): Interval(Fraction(min(a, b)), Fraction(max(a, b))) for k, (a, b, _, _) in enumerate(parts)}
    at = {
        str(k): box[str(k)].lower + Fraction(t, 4) * (box[str(k)].upper - box[str(k)].lower)
        for k, (_, _, _, t) in enumerate(parts)
    }
    form = enclose_form(row, box)
    assert form.lower <= sum(row[k] * at[k] for k in row) <= form.upper
    product = Interval(Fraction(1), Fraction(1))
    true = Fraction(1)
    for k in row:
        product, true = product * box[k], true * at[k]
    assert product.lower <= true <= product.upper
