"""Models that torch exported to ONNX, and hostile ones."""

import io
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from constructions.errors import InputError
from constructions.importing.importer import import_network
from constructions.importing.names_file import read_names
from constructions.importing.onnx_file import load_model, stored_initializers
from constructions.importing.questions import Options
from proofs.trained.forward import FloatNetwork
from tests.importing import models_in_torch as models
from tests.with_torch import torch_or_skip


def exported(torch: Any, model: Any) -> bytes:
    file = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(model, (torch.zeros(1, 7, dtype=torch.long),), file, input_names=["tokens"], dynamo=False)
    return file.getvalue()


def test_operations_come_before_names(tmp_path: Path) -> None:
    """A graph whose parameters have names of torch's encoder is read by its operations: no question is left."""
    pytest.importorskip("onnx")
    torch = torch_or_skip()
    model: Any = models.encoder(torch, True, True)[1]
    with torch.no_grad():
        for parameter in model.parameters():  # layers start as copies, which the exporter would store once
            parameter.add_(torch.randn_like(parameter) / 8)
    data = exported(torch, model)
    assert b"encoder.layers.0.self_attn.in_proj_bias" in data
    (tmp_path / "m.onnx").write_bytes(data)
    imported = import_network([tmp_path / "m.onnx"])
    tokens = np.random.default_rng(5).integers(0, models.VOCABULARY, (20, 7))
    with torch.no_grad():
        expected = model(torch.from_numpy(tokens)).numpy()
    assert imported.report.kind == "graph of ONNX"
    assert np.abs(FloatNetwork(imported.network).logits(tokens, 0) - expected).max() < 1e-11
    with pytest.raises(InputError, match=r"^m.onnx: --heads has no effect"):
        import_network([tmp_path / "m.onnx"], Options(heads=2))
    (tmp_path / "names.toml").write_text('[tensors]\n"wte.weight" = "embedding.weight"\n')
    with pytest.raises(InputError, match=r"^m.onnx: a file with operations, expected it to be the only file"):
        import_network([tmp_path / "m.onnx"], Options(), read_names(tmp_path / "names.toml"))


def initializers(data: bytes) -> Any:
    return stored_initializers(load_model(data, "m.onnx").graph, "m.onnx")


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
    result: bytes = onnx.helper.make_model(
        graph, opset_imports=[onnx.helper.make_opsetid("", 23)]).SerializeToString()
    return result


@pytest.mark.parametrize(("changes", "printed"), [
    ({"data_location": 1}, "stored in another file"), ({"dims": [2**40, 2**40]}, "24 bytes, expected"),
    ({"dims": [-2, -3]}, "expected at most 8 sizes"), ({"raw_data": b""}, "0 bytes, expected 24"),
    ({"data_type": 11}, "24 bytes, expected 48")])
def test_tensors_are_what_they_state(changes: dict[str, Any], printed: str) -> None:
    with pytest.raises(InputError, match=printed):
        initializers(small_model(**changes))


def test_truncated_models_are_one_line() -> None:
    data = small_model()
    for end in range(len(data) - 1):
        try:
            initializers(data[:end])
        except InputError as error:
            assert "\n" not in str(error)


def test_a_graph_without_an_input_is_refused(tmp_path: Path) -> None:
    (tmp_path / "m.onnx").write_bytes(small_model())
    with pytest.raises(InputError, match=r"^m.onnx: inputs none, expected one, the tokens$"):
        import_network([tmp_path / "m.onnx"])
