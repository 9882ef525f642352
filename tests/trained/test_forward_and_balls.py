"""Three forward passes agree: torch's float64, ours in float64, and balls that contain the true real logits."""

from fractions import Fraction

import numpy as np
import pytest
from flint import arb

from constructions.trained.network import Activation, TrainedNetwork
from proofs.enclosures.exponential import exact_ends, working_precision
from proofs.trained.activations import erf
from proofs.trained.balls import ACTIVATIONS, BallNetwork, decide_row, enclose_attention, enclose_logits
from proofs.trained.forward import FloatNetwork
from tests.trained.random_networks import random_network
from tests.trained.torch_forward import TorchForward

WIDENING = Fraction(1, 10**9)
"""How far the run of a float64 program may be from the true logits of these networks; a property of that run."""


def input_of(seed: int, network: TrainedNetwork) -> tuple[np.ndarray, int]:
    draw = np.random.default_rng([seed, 1])
    length = int(draw.integers(1, 8))
    return draw.integers(0, network.vocabulary, length), int(draw.integers(0, 12 - length + 1))


def is_near(ball: arb, number: float, widening: Fraction) -> bool:
    lower, upper = exact_ends(ball)
    scale = max(Fraction(1), abs(Fraction(number)))
    return lower - widening * scale <= Fraction(number) <= upper + widening * scale


def check_seed(seed: int, images: bool = False) -> None:
    network = random_network(seed, images=images)
    tokens, offset = input_of(seed, network)
    everything = range(len(tokens))
    balls = enclose_logits(BallNetwork(network), tokens.tolist(), offset, everything, 128)
    ours = FloatNetwork(network).logits(tokens[None], offset)[0]
    theirs = TorchForward(network).logits(tokens[None], offset)[0]
    for place in everything:
        for output in range(network.outputs):
            assert is_near(balls[place, output], ours[place, output], WIDENING), (seed, place, output)
            assert is_near(balls[place, output], theirs[place, output], WIDENING), (seed, place, output)
            assert balls[place, output].rad() < arb(2) ** -60


@pytest.mark.one_in(8)
@pytest.mark.parametrize("seed", range(60))
def test_torch_and_our_float_pass_are_near_the_balls(seed: int) -> None:
    check_seed(seed)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("seed", range(40))
def test_passes_agree_where_norms_are_of_images_and_steps_are_linear(seed: int) -> None:
    check_seed(seed, images=True)


@pytest.mark.exhaustive
@pytest.mark.parametrize("hundred", range(10))
def test_torch_and_our_float_pass_are_near_the_balls_of_a_thousand_networks(hundred: int) -> None:
    for seed in range(1000 + 100 * hundred, 1100 + 100 * hundred):
        check_seed(seed)


@pytest.mark.parametrize("seed", range(10))
def test_balls_at_few_bits_contain_the_balls_at_many(seed: int) -> None:
    network = random_network(seed)
    tokens, offset = input_of(seed, network)
    wide, narrow = (enclose_logits(BallNetwork(network), tokens.tolist(), offset, [-1 % len(tokens)], bits)
                    for bits in (64, 512))
    assert all(wide[0, output].contains(narrow[0, output]) for output in range(network.outputs))


@pytest.mark.parametrize("seed", range(10))
def test_logits_of_chosen_tokens_are_those_of_all(seed: int) -> None:
    network = FloatNetwork(random_network(seed))
    tokens = np.random.default_rng(seed).integers(0, 5, (3, 6))
    chosen = network.logits(tokens, 2, [5, 0])
    assert np.allclose(chosen, network.logits(tokens, 2)[:, [5, 0]], rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(10))
def test_attention_weights_are_enclosed_and_those_of_hidden_tokens_are_zero(seed: int) -> None:
    network = random_network(seed)
    tokens, offset = input_of(seed, network)
    floats = FloatNetwork(network).attention(tokens, offset)
    balls = enclose_attention(BallNetwork(network), tokens.tolist(), offset, 128)
    for step, heads in zip(balls, floats, strict=True):
        for head, weights in zip(step, heads, strict=True):
            for i, row in enumerate(head):
                assert all(is_near(ball, weights[i, j], WIDENING) for j, ball in enumerate(row))
                assert network.attention != "causal" or all(ball == 0 for ball in row[i + 1 :])


def test_a_row_is_decided_with_as_many_bits_as_it_takes() -> None:
    network, tokens = random_network(3), [0, 1, 2]
    row = ((0, Fraction(1)), (1, Fraction(-1)))
    ends = decide_row(BallNetwork(network), tokens, 0, 2, row, Fraction(0)).ends
    assert ends is not None
    logits = enclose_logits(BallNetwork(network), tokens, 0, [2], 700)
    near = exact_ends(logits[0, 0] - logits[0, 1])[0]  # the value but for about 2^-53, as the subtraction has 53 bits
    below, above = near - Fraction(1, 2**30), near + Fraction(1, 2**30)
    decided = [decide_row(BallNetwork(network), tokens, 0, 2, row, margin) for margin in (below, above)]
    assert [one.above for one in decided] == [True, False]
    assert all(one.bits == 64 for one in decided)


def test_a_value_equal_to_the_margin_is_undecided_unless_it_is_exact() -> None:
    network = BallNetwork(random_network(3))
    same = decide_row(network, [0, 1], 0, 1, ((0, Fraction(1)), (0, Fraction(-1))), Fraction(0))
    assert (same.above, same.bits) == (None, 1024)
    nothing = decide_row(network, [0, 1], 0, 1, (), Fraction(0))
    assert (nothing.above, nothing.ends, nothing.bits) == (False, (0, 0), 64)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_activations_of_balls_are_finite_and_contain_their_values(name: Activation) -> None:
    apply = ACTIVATIONS[name]
    balls = [arb(middle, radius) for middle in (0, 0.5, -7, -200, 1e6, -1e40)
             for radius in (0, 2**-80, 2**-20, 0.5, 3, 100, 1e40)]
    with working_precision(128):
        for ball in balls:
            found = apply(ball)
            assert found.is_finite(), (ball, found)
            for inside in filter(ball.contains, (ball.lower(), ball.mid(), ball.upper())):  # ends are rounded outwards
                assert found.overlaps(apply(inside)), (ball, inside)
            if ball.contains(0):
                assert found.contains(apply(arb(0))), ball
        assert apply(arb(0, 2**-80)).rad() < 2**-79


def test_erf_is_off_by_at_most_one_unit_in_the_last_place_of_one() -> None:
    points = np.arange(-8 * 128, 8 * 128 + 1) / 128 + 1 / 300
    with working_precision(128):
        true = [exact_ends(arb(x).erf())[0] for x in points.tolist()]
    found = erf(points).tolist()
    assert all(abs(Fraction(x) - y) <= Fraction(1, 2**52) for x, y in zip(found, true, strict=True))
