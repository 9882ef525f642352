"""A bias is summed with its matrix product, and only then are both rounded to 16 bits.

See docs/reference/floats.md, section 1.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import onnxruntime
import pytest

from certify.exports.onnx_graph import onnx_model
from constructions.network.lengths import Lengths
from constructions.running.numpy_network import NumpyNetwork
from constructions.running.weights import PRECISIONS, WeightArrays
from tests.with_torch import torch_or_skip

FIRST_BEYOND = {"bfloat16": 256, "binary16": 2048}
"""2^p: it is a number of the format, and the next integer is none and is rounded to it."""


def counting(precision: str) -> WeightArrays:
    """Units u = ReLU(2^p x + y - 1) and v = ReLU(y), and z = u + v - 1, where x and y are 1.

    So u and z are 2^p. If a product is rounded before its bias is added, u or z is 2^p - 1.
    """
    dtype, top = PRECISIONS[precision], FIRST_BEYOND[precision]
    numbers: dict[str, Any] = {
        "token_embedding": [[1, 1, 0]], "by_i": [[0, 1]], "by_n": np.zeros((1, 0)), "by_n_and_i": np.zeros((1, 1, 0)),
        "layers.0.query": np.zeros((0, 3, 1)), "layers.0.key": np.zeros((0, 3, 1)),
        "layers.0.value": np.zeros((0, 3, 3)),
        "layers.0.w1": [[top, 0], [1, 1], [0, 0]], "layers.0.b1": [-1, 0],
        "layers.0.w2": [[0, 0, 1], [0, 0, 1]], "layers.0.b2": [0, 0, -1],
    }  # fmt: skip
    arrays = {name: np.array(array).astype(dtype) for name, array in numbers.items()}
    arrays |= {"embedded": np.zeros(3, np.int64), "layers.0.scale": np.zeros(0, np.int64),
               "layers.0.sees_before": np.zeros(0, np.bool_), "layers.0.sees_after": np.zeros(0, np.bool_)}
    return WeightArrays(precision, Lengths(1, 1), ("a",), ("x", "y", "z"), 2, {"z": 2}, arrays)


def in_numpy(weights: WeightArrays) -> Any:
    return NumpyNetwork(weights, "binary32").run(["a"])


def in_onnxruntime(weights: WeightArrays) -> Any:
    model = onnx_model(weights, {}).SerializeToString()
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    return session.run(["output"], {"tokens": np.array([[0]])})[0]


def in_torch(weights: WeightArrays) -> Any:
    torch_or_skip()
    from constructions.running.to_torch import module_of

    return module_of(weights).run(["a"])


@pytest.mark.parametrize("precision", FIRST_BEYOND)
@pytest.mark.parametrize("run", [in_numpy, in_onnxruntime, in_torch])
def test_a_bias_is_added_before_the_sum_is_rounded(run: Callable[[WeightArrays], Any], precision: str) -> None:
    assert run(counting(precision)).item() == FIRST_BEYOND[precision]
