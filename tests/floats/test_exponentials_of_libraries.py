"""The exponentials of the libraries that run networks: how far they err, and that exp(0) is exactly 1.

Float models assume an error of at most E = 4 units in the last place, and results below the least normal
number may be flushed to 0. Here that is tested: on every number of 16 bits, on a sample of those of 32 bits, and with
``-m exhaustive -s`` on all 2^32, where the figures are printed. They belong to a processor and a version;
docs/howto/exports.md has those of one machine.
"""

import random
from collections.abc import Iterator
from functools import cache
from typing import Any

import flint
import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper

from constructions.network.float_formats import FORMATS
from tests.floats.exponentials import TYPES, Errors, Exponential, all_arguments, worst_errors
from tests.with_torch import torch_or_skip

ALLOWED = 4
"""The E that is assumed where nothing is said."""
SAMPLE = 4099
"""Every so many bit patterns of binary32; a prime, so that all last bits and exponents are met."""
ALONE = -18.0
"""Of a softmax over an argument of at most this and 0, the first weight is the exponential itself: 1 + e^-18 is 1."""
BINARY32 = FORMATS["binary32"]


@cache
def onnx_session(operator: str, rank: int) -> Any:
    """One operator, by onnxruntime."""
    shape = [None] * rank
    graph = helper.make_graph(
        [helper.make_node(operator, ["x"], ["y"])], operator,
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    return onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])


def by_onnxruntime(x: Any) -> Any:
    return onnx_session("Exp", 1).run(None, {"x": x})[0]


def by_torch(x: Any) -> Any:
    torch = torch_or_skip()
    if x.dtype == np.float32:
        return torch.exp(torch.from_numpy(x)).numpy()
    narrow = torch.float16 if x.dtype == np.float16 else torch.bfloat16
    return torch.exp(torch.from_numpy(x.view(np.int16)).view(narrow)).view(torch.int16).numpy().view(x.dtype)


def softmax_by_onnxruntime(x: Any) -> Any:
    pairs = np.stack([x, np.zeros_like(x)], axis=-1)
    return onnx_session("Softmax", 2).run(None, {"x": pairs})[0][:, 0]


def softmax_by_torch(x: Any) -> Any:
    torch = torch_or_skip()
    return torch.softmax(torch.from_numpy(np.stack([x, np.zeros_like(x)], axis=-1)), dim=-1).numpy()[:, 0]


EXPONENTIALS: dict[str, Exponential] = {"numpy": np.exp, "onnxruntime": by_onnxruntime, "torch": by_torch}
SOFTMAXES: dict[str, Exponential] = {"onnxruntime": softmax_by_onnxruntime, "torch": softmax_by_torch}


def small_arguments(step: int) -> Iterator[Any]:
    """Arguments of at most ALONE."""
    for chunk in all_arguments(BINARY32, step):
        kept = chunk[chunk <= ALONE]
        if kept.size:
            yield kept


def report(library: str, what: str, errors: Errors) -> None:
    print(f"\n{library}, {what}: {errors}")


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("library", EXPONENTIALS)
def test_exp_of_0_is_exactly_1(library: str, name: str) -> None:
    """In every place of a vector, of every length: vectorized loops treat their ends in another way."""
    if library == "onnxruntime" and name != "binary32":
        pytest.skip("the exports compute it in binary32")
    for size in range(1, 70):
        for zero in (0.0, -0.0):
            assert set(EXPONENTIALS[library](np.full(size, zero, TYPES[name])).astype(np.float64)) == {1.0}


@pytest.mark.parametrize("library", SOFTMAXES)
def test_equal_scores_have_equal_weights_that_are_exactly_reciprocals(library: str) -> None:
    """Facts behind a mean: the powers are exactly 1, their sum is the count, and a weight is the rounded quotient."""
    for n in range(1, 200):
        for score in (0.0, 1.7, -1234.5):
            scores = np.full((1, n), score, np.float32)
            if library == "torch":
                weights = torch_or_skip().softmax(torch_or_skip().from_numpy(scores), dim=-1).numpy()
            else:
                weights = onnx_session("Softmax", 2).run(None, {"x": scores})[0]
            assert set(weights[0].tolist()) == {float(np.float32(1) / np.float32(n))}


@pytest.mark.parametrize("name", ["binary16", "bfloat16"])
@pytest.mark.parametrize("library", ["numpy", "torch"])
def test_every_argument_of_16_bits_is_within_one_unit(library: str, name: str) -> None:
    errors = worst_errors(EXPONENTIALS[library], FORMATS[name], all_arguments(FORMATS[name]))
    report(library, f"exp of every {name}", errors)
    assert errors.normal <= 1 and errors.subnormal <= 1


@pytest.mark.parametrize("library", EXPONENTIALS)
def test_a_sample_of_binary32_is_within_the_assumed_units(library: str) -> None:
    errors = worst_errors(EXPONENTIALS[library], BINARY32, all_arguments(BINARY32, SAMPLE))
    assert errors.normal <= ALLOWED and errors.subnormal <= ALLOWED


@pytest.mark.parametrize("library", SOFTMAXES)
def test_the_exponential_inside_softmax_is_within_the_assumed_units_on_a_sample(library: str) -> None:
    errors = worst_errors(SOFTMAXES[library], BINARY32, small_arguments(SAMPLE))
    assert errors.normal <= ALLOWED and errors.subnormal <= ALLOWED


@pytest.mark.exhaustive
@pytest.mark.parametrize("library", EXPONENTIALS)
def test_every_argument_of_binary32_is_within_the_assumed_units(library: str) -> None:
    errors = worst_errors(EXPONENTIALS[library], BINARY32, all_arguments(BINARY32))
    report(library, "exp of every binary32", errors)
    assert errors.normal <= ALLOWED and errors.subnormal <= ALLOWED


@pytest.mark.exhaustive
@pytest.mark.parametrize("library", SOFTMAXES)
def test_the_exponential_inside_softmax_is_within_the_assumed_units(library: str) -> None:
    """On every argument of at most ALONE, where a softmax shows it."""
    errors = worst_errors(SOFTMAXES[library], BINARY32, small_arguments(1))
    report(library, f"exp inside softmax of every binary32 of at most {ALONE}", errors)
    assert errors.normal <= ALLOWED and errors.subnormal <= ALLOWED


def test_the_reference_is_within_one_unit_of_its_own() -> None:
    """Against Arb, at arguments of binary32 whose exponentials are numbers of binary32."""
    chance = random.Random(1)
    arguments = np.array([chance.uniform(-104, 89) for _ in range(5000)]
                         + [chance.uniform(-1, 1) * 2.0 ** -chance.randrange(30) for _ in range(5000)], np.float32)
    found = np.exp(arguments.astype(np.float64))
    with flint_precision(200):
        for x, y in zip(arguments.tolist(), found.tolist(), strict=True):
            error = abs(flint.arb(y) - flint.arb(x).exp()) / flint.arb(float(np.spacing(y)))
            assert error < 1


def flint_precision(bits: int) -> Any:
    return flint.ctx.workprec(bits)


def test_an_exponential_that_errs_too_much_is_found() -> None:
    """Five units at one argument, a flushed result and a wrong special value: each shows in its figure."""

    def off_by_five(x: Any) -> Any:
        y = np.exp(x)
        return np.where(x == np.float32(-2.5), y * np.float32(1 + 5 * 2.0**-23), y)

    def flushing(x: Any) -> Any:
        y = np.exp(x)
        return np.where(y < np.float32(2.0**-126), np.float32(0), y)

    chunk = [np.array([-2.5, 0.0, 1.0, -90.0, np.nan, np.inf, -np.inf], np.float32)]
    assert worst_errors(np.exp, BINARY32, chunk).normal <= ALLOWED
    assert 4 < worst_errors(off_by_five, BINARY32, chunk).normal_at_most_0 < 11
    assert worst_errors(flushing, BINARY32, chunk).flushes and not worst_errors(np.exp, BINARY32, chunk).flushes
    assert worst_errors(lambda x: 2 * flushing(x) + np.float32(1e-40), BINARY32, chunk).subnormal > 1000
    assert worst_errors(lambda x: np.nan_to_num(np.exp(x)), BINARY32, chunk).normal == np.inf
