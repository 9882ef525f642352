"""Runs in binary32, by torch and by numpy, are as near to the real logits as the bound says."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from constructions.trained.network import Affine, Tensor, TrainedNetwork, View
from proofs.enclosures.exponential import exact_ends
from proofs.trained.balls import BallNetwork, enclose_logits
from proofs.trained.binary32 import float_error_of_row, run_logits
from tests.trained.random_networks import random_network
from tests.trained.torch_forward import TorchForward


def check_seed(seed: int) -> bool:
    """Whether there is a bound; it holds for each logit of the last token."""
    network = random_network(seed)
    draw = np.random.default_rng([seed, 2])
    tokens, offset = draw.integers(0, network.vocabulary, int(draw.integers(1, 8))), int(draw.integers(0, 5))
    last = len(tokens) - 1
    run = TorchForward(network, "float32").logits(tokens[None], offset)[0, last]
    balls = BallNetwork(network)
    bounds = run_logits(balls, tokens.tolist(), offset, [last]).error[0]
    true = enclose_logits(balls, tokens.tolist(), offset, [last], 128)
    assert run.dtype == np.float32
    for output in range(network.outputs):
        if bounds[output].is_finite():
            lower, upper = exact_ends(true[0, output])
            number, bound = Fraction(float(run[output])), exact_ends(bounds[output])[1]
            assert lower - bound <= number <= upper + bound, (seed, output)
    return all(bound.is_finite() for bound in bounds)


@pytest.mark.parametrize("ten", range(5))
def test_runs_of_torch_stay_within_their_bounds(ten: int) -> None:
    assert sum(check_seed(seed) for seed in range(10 * ten, 10 * ten + 10)) >= 5


@pytest.mark.exhaustive
def test_runs_of_torch_on_a_thousand_networks_stay_within_their_bounds() -> None:
    assert sum(check_seed(seed) for seed in range(1000, 2000)) >= 500


def one_layer(numbers: list[float]) -> TrainedNetwork:
    """The logit of token t is the t-th number times itself."""
    tensor = Tensor("binary64", (len(numbers), 1), np.array(numbers, dtype="<f8").tobytes())
    weight = Tensor("binary64", (1, 1), np.array([1 / 3], dtype="<f8").tobytes())
    return TrainedNetwork("causal", View("t", 0, (len(numbers), 1), (1, 1)), None, (),
                          Affine(View("w", 0, (1, 1), (1, 1))), {"t": tensor, "w": weight})  # fmt: skip


def test_the_bound_of_a_row_adds_up_those_of_its_logits() -> None:
    network = BallNetwork(one_layer([1.0, 0.1]))
    single = float_error_of_row(network, [1], 0, 0, ((0, Fraction(1)),))
    twice = float_error_of_row(network, [1], 0, 0, ((0, Fraction(-2)),))
    assert single is not None
    assert twice is not None
    assert 0 < single < Fraction(1, 2**24)
    assert abs(twice - 2 * single) < Fraction(1, 2**50)


def test_there_is_no_bound_where_a_run_might_overflow() -> None:
    assert float_error_of_row(BallNetwork(one_layer([2.0**50])), [0], 0, 0, ((0, Fraction(1)),)) is None
