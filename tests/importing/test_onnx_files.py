"""Models that torch exported to ONNX, and hostile ones."""

from __future__ import annotations

import io
import warnings
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from constructions.errors import InputError
from constructions.importing.importer import import_network, read_contents
from constructions.importing.questions import Options
from proofs.trained.forward import FloatNetwork
from tests.importing import models_in_torch as models
from tests.with_torch import torch_or_skip

OPTIONS = Options(attention="causal", activation="gelu", epsilon=Fraction(1, 100000), heads=2, norm_first=True)


def exported(torch: Any, model: Any) -> bytes:
    file = io.BytesIO()
    tokens = torch.zeros(2, 7, dtype=torch.long)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(model, (tokens,), file, input_names=["tokens"], dynamo=False,
                          dynamic_axes={"tokens": {0: "batch", 1: "length"}})
    return file.getvalue()


def test_an_exported_encoder_is_imported(tmp_path: Path) -> None:
    """Its Linears are stored transposed and without their names."""
    pytest.importorskip("onnx")
    torch = torch_or_skip()
    built: tuple[Any, Any] = models.encoder(torch, True, True)
    state, model = built
    with torch.no_grad():
        for parameter in model.parameters():  # layers start as copies, which the exporter would store once
            parameter.add_(torch.randn_like(parameter) / 8)
    (tmp_path / "m.onnx").write_bytes(exported(torch, model))
    network = import_network([tmp_path / "m.onnx"], OPTIONS).network
    tokens = np.random.default_rng(5).integers(0, models.VOCABULARY, (20, 7))
    with torch.no_grad():
        expected = model(torch.from_numpy(tokens)).numpy()
    assert network.tensors.keys() == state.keys()
    assert np.abs(FloatNetwork(network).logits(tokens, 0) - expected).max() < 1e-11


def small_model(**changes: Any) -> bytes:
    onnx = pytest.importorskip("onnx")
    data = np.arange(6, dtype=np.float32).reshape(2, 3)
    tensor = onnx.numpy_helper.from_array(data, "onnx::MatMul_1")
    for name, value in changes.items():
        if name == "dims":
            del tensor.dims[:]
            tensor.dims.extend(value)
        else:
            setattr(tensor, name, value)
    node = onnx.helper.make_node("MatMul", ["x", tensor.name], ["y"], name="/encoder/fc/MatMul")
    graph = onnx.helper.make_graph([node], "g", [], [], [tensor])
    result: bytes = onnx.helper.make_model(graph).SerializeToString()
    return result


def test_a_transposed_weight_gets_its_name_and_shape_back() -> None:
    ((name, stored),) = read_contents(small_model(), "m.onnx").tensors.items()
    assert (name, stored.shape) == ("encoder.fc.weight", (3, 2))
    assert np.frombuffer(stored.read(), np.float32).tolist() == [0, 3, 1, 4, 2, 5]


@pytest.mark.parametrize(("changes", "said"), [
    ({"data_location": 1}, "kept in another file"), ({"dims": [2**40, 2**40]}, "24 bytes, expected"),
    ({"dims": [-2, -3]}, "expected at most 8 sizes"), ({"raw_data": b""}, "0 bytes, expected 24"),
    ({"data_type": 11}, "24 bytes, expected 48")])
def test_tensors_are_what_they_state(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        read_contents(small_model(**changes), "m.onnx")


def test_truncated_models_are_one_line() -> None:
    data = small_model()
    for end in range(len(data) - 1):
        try:
            read_contents(data[:end], "m.onnx")
        except InputError as error:
            assert "\n" not in str(error)


def test_a_graph_without_an_input_is_refused(tmp_path: Path) -> None:
    (tmp_path / "m.onnx").write_bytes(small_model())
    with pytest.raises(InputError, match=r"^m.onnx: inputs none, expected one, the tokens$"):
        import_network([tmp_path / "m.onnx"], replace(OPTIONS))


def test_the_scope_of_a_node_may_leave_out_a_container_of_modules() -> None:
    """Inside ``transformer = ModuleDict(...)`` scopes begin after it; parameters keep the whole name."""
    onnx = pytest.importorskip("onnx")
    zeros = np.zeros((2, 2), np.float32)
    tensors = [onnx.numpy_helper.from_array(zeros, name) for name in (
        "transformer.h.0.ln_1.weight", "onnx::MatMul_7", "onnx::MatMul_8")]
    nodes = [onnx.helper.make_node("MatMul", ["x", name], ["y"], name=node) for name, node in (
        ("onnx::MatMul_7", "/h.0/attn/c_attn/MatMul"), ("onnx::MatMul_8", "/lm_head/MatMul"))]
    model = onnx.helper.make_model(onnx.helper.make_graph(nodes, "g", [], [], tensors))
    assert list(read_contents(model.SerializeToString(), "m.onnx").tensors) == [
        "transformer.h.0.ln_1.weight", "transformer.h.0.attn.c_attn.weight", "lm_head.weight"]
