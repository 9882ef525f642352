"""A network survives its file; a file that is not exactly one is refused in one line that says where."""

import base64
import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from constructions.errors import InputError
from constructions.trained.json_form import network_from_json, network_to_json, read_network
from constructions.trained.network import Tensor, View
from constructions.trained.numbers import numbers, view_of_tensor
from tests.trained.small_networks import small_network, tensor, write_network


def test_a_written_network_is_read_as_it_was(tmp_path: Path) -> None:
    write_network(small_network(), tmp_path / "m.json")
    assert read_network(tmp_path / "m.json") == small_network()


def test_views_read_by_their_strides() -> None:
    network = small_network()
    assert (numbers(network, network.unembedding.weight) == numbers(network, network.tokens).T).all()
    assert numbers(network, View("wide", 4, (2, 2), (3, 1))).tolist() == [[0.5, 0.625], [0.875, 1.0]]


@pytest.mark.parametrize(("form", "data"), [
    ("binary64", np.array([0.1, -3.0], "<f8").tobytes()), ("binary16", np.array([0.1, -3.0], "<f2").tobytes()),
    ("binary32", np.array([0.1, -3.0], "<f4").tobytes()), ("bfloat16", bytes.fromhex("cd3d40c0"))])
def test_elements_of_every_format_are_exact(form: str, data: bytes) -> None:
    exact = {"binary64": 0.1, "binary16": 0.0999755859375, "binary32": 13421773 / 2**27, "bfloat16": 0.10009765625}
    assert view_of_tensor(Tensor(form, (2,), data), View("", 0, (2,), (1,))).tolist() == [exact[form], -3.0]


def changed(path: str, value: Any) -> Callable[[Any], None]:
    """Put a value at a place such as ``steps.0.norm``."""
    def change(data: Any) -> None:
        *parents, last = path.split(".")
        for key in parents:
            data = data[int(key)] if isinstance(data, list) else data[key]
        data[int(last) if isinstance(data, list) else last] = value
    return change


def with_tensor(data: Any, replaced: Tensor) -> None:
    data["tensors"]["square"] = network_to_json(small_network())["tensors"]["square"] | {
        "format": replaced.format, "shape": list(replaced.shape), "sha256": replaced.sha256,
        "data": base64.b64encode(replaced.data).decode()}


@pytest.mark.parametrize(("change", "complaint"), [
    (changed("version", 2), "m, version: 2, expected 1"),
    (changed("version", True), "m, version: true, expected 1"),
    (changed("attention", "all"), 'm, attention: "all", expected "causal" or "bidirectional"'),
    (changed("tokens.start", 1), "is not inside tensor tokens of 12 elements"),
    (changed("tokens.start", -1), "m, tokens.start: -1, expected a whole number, 0 or more"),
    (changed("tokens.shape", [3, 2**40]), "m, tokens.shape[1]: 1099511627776, expected a whole number"),
    (changed("tokens.shape", [2**30, 4]), "is not inside tensor tokens"),
    (changed("tokens", {"tensor": "tokens", "start": 0, "shape": [2**30, 4], "strides": [0, 1]}), "is not inside"),
    (changed("tokens.tensor", "none"), "a view of tensor none, expected a tensor of the network"),
    (changed("steps.0.heads", []), "m, step 0: no heads, expected at least one"),
    (changed("steps.0.heads.0.slope", "1/0"), "expected a denominator that is not 0"),
    (changed("steps.0.heads.0.slope", "9" * 1001), 'm, steps[0].heads[0].slope: 999'),
    (changed("steps.0.norm.epsilon", "0"), "m, step 0: epsilon 0 of a norm, expected more than 0"),
    (changed("steps.0.scale", {"root": 0}), "m, steps[0].scale.root: 0, expected at least 1"),
    (changed("steps.0.bias.shape", [3]), "the bias of the heads (tensor square) has shape [3], expected [4]"),
    (changed("steps.1.out.weight.shape", [2, 4]), "the weight of the units' output (tensor wide) has shape [2, 4]"),
    (changed("steps.1.activation", "mish"), 'm, steps[1].activation: "mish", expected "relu"'),
    (changed("steps.1.more", 1), 'm, steps[1]: unknown key "more"'),
    (changed("sources.0.file", "a/b"), 'm, sources[0].file: "a/b", expected a name without folders'),
    (changed("tensors.tables.sha256", "0" * 64), "its bytes have another digest, expected 000000000000..."),
    (changed("tensors.tables.data", "é"), "expected base64"),
    (changed("tensors.tables.data", "AAAA"), "m, tensors, tables: 3 bytes, expected 40 for its shape [10]"),
    (changed("tensors.tables.shape", [2**30, 2**30]), "40 bytes, expected 4611686018427387904"),
    (changed("tensors.spare", network_to_json(small_network())["tensors"]["wide"]), "m: tensor spare is not used"),
    (lambda data: with_tensor(data, Tensor("binary16", (4, 2), b"\0\x7c" * 8)), "an element is infinite"),
    (lambda data: with_tensor(data, tensor(4, 1)), "is not inside tensor square of 4 elements"),
])
def test_what_does_not_fit_is_one_line(change: Callable[[Any], None], complaint: str) -> None:
    data = copy.deepcopy(network_to_json(small_network()))
    change(data)
    with pytest.raises(InputError) as refused:
        network_from_json(data, "m")
    assert complaint in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_network_that_is_too_large_is_refused_before_it_is_decoded() -> None:
    data = network_to_json(small_network())
    data["tensors"]["square"]["data"] = "A" * 53_400_000
    with pytest.raises(InputError, match="expected at most 40000000 in all"):
        network_from_json(data, "m")


@pytest.mark.parametrize("value", [None, [], 1, "x", {}])
def test_any_part_may_be_any_value_without_a_traceback(value: Any) -> None:
    """Every place of the file in turn holds something else."""
    original = network_to_json(small_network())

    def places(data: Any, path: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
        return [path, *(place for key, child in inner for place in places(child, (*path, key)))]

    for path in places(original, ())[1:]:
        data = json.loads(json.dumps(original))
        holder = data
        for key in path[:-1]:
            holder = holder[key]
        holder[path[-1]] = value
        try:
            network_from_json(data, "m")
        except InputError as error:
            assert "\n" not in str(error)
