"""The ONNX file: standard operators, any batch and length of the claim, and the claim in its metadata."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto

from certify.claims.formula.sealed import read_sealed
from constructions.compiler import compile_formula
from constructions.language.parser import parse_formula
from constructions.regimes import ALL_REGIMES, Regime, Sharpening
from tests.exports.conftest import write_certificate
from tests.exports.running import assert_exact, onnx_run, onnx_session, random_words

FORMULA = "Q_1 since prev Q_0"
STANDARD = {"Add", "And", "Cast", "Concat", "Expand", "Gather", "GreaterOrEqual", "LessOrEqual", "MatMul", "Mul", "Or",
            "Range", "ReduceSum", "Relu", "Shape", "Softmax", "Sub", "Transpose", "Unsqueeze", "Where"}


@pytest.fixture
def exported(certify: Any, tmp_path: Path) -> Any:
    """``exported("bfloat16")`` is the model that the command writes."""

    def export(precision: str = "binary32", formula: str = FORMULA, regime: Regime = Regime()) -> Any:
        write_certificate(tmp_path / "x.cert", formula, "01", 4, regime)
        assert certify("export", "x.cert", "--to", "onnx", "-o", "x.onnx", "--precision", precision).code == 0
        return onnx.load(tmp_path / "x.onnx")

    return export


@pytest.mark.one_in(6)
@pytest.mark.parametrize("precision", ["binary32", "binary16", "bfloat16"])
@pytest.mark.parametrize("regime", ALL_REGIMES, ids=str)
def test_the_checker_of_onnx_accepts_it_and_all_operators_are_standard(
        exported: Any, precision: str, regime: Regime) -> None:
    model = exported(precision, regime=regime)
    onnx.checker.check_model(model, full_check=True)
    assert [(entry.domain, entry.version) for entry in model.opset_import] == [("", 18)]
    assert {node.op_type for node in model.graph.node} <= STANDARD
    assert all(node.domain == "" for node in model.graph.node)


def test_the_metadata_have_the_claim(exported: Any, tmp_path: Path) -> None:
    found = {entry.key: entry.value for entry in exported("binary16").metadata_props}
    sealed = read_sealed(str(tmp_path / "x.cert"))
    assert found["formula"] == FORMULA and found["precision"] == "binary16"
    assert found["certificate_sha256"] == sealed.digest
    assert json.loads(found["alphabet"]) == ["0", "1"] and json.loads(found["lengths"]) == [1, 4]
    assert json.loads(found["truths"]) == ["Q_1", "Q_0", "prev Q_0", FORMULA]
    assert found["output_direction"] == sealed.transformer.output and found["regime"] == "temperature"
    assert found["claim"].startswith("for every n <= 4, every word of length n")


@pytest.mark.parametrize(("precision", "stored"), [
    ("binary32", TensorProto.FLOAT), ("binary16", TensorProto.FLOAT16), ("bfloat16", TensorProto.BFLOAT16)])
def test_weights_are_stored_in_the_precision_and_tokens_are_integers(
        exported: Any, precision: str, stored: int) -> None:
    graph = exported(precision).graph
    types = {tensor.name: tensor.data_type for tensor in graph.initializer}
    assert {types[name] for name in types if name.rpartition(".")[2] in ("query", "value", "w1")} == {stored}
    (tokens,) = graph.input
    shape = [size.dim_param for size in tokens.type.tensor_type.shape.dim]
    assert (tokens.name, tokens.type.tensor_type.elem_type, shape) == ("tokens", TensorProto.INT64, ["batch", "n"])
    assert [output.name for output in graph.output] == ["truths", "output"]


def test_any_batch_and_any_length_of_the_claim_run() -> None:
    transformer = compile_formula(parse_formula(FORMULA), "01", Regime())
    run = onnx_run(transformer, 9)
    for n in range(1, 10):
        for batch in (1, 3):
            assert_exact(run, transformer, random_words("01", n, batch))


def test_the_output_is_the_truth_of_the_formula() -> None:
    session = onnx_session(compile_formula(parse_formula(FORMULA), "01", Regime()), 4)
    truths, output = session.run(None, {"tokens": np.array([[0, 1, 1, 0]])})
    assert output.tolist() == [[0, 1, 1, 0]] == truths[:, :, -1].tolist()


@pytest.mark.parametrize("formula", ["Q_1", FORMULA])
def test_a_word_longer_than_the_claim_and_a_token_beyond_the_alphabet_are_refused(formula: str) -> None:
    session = onnx_session(compile_formula(parse_formula(formula), "01", Regime()), 4)
    for tokens in ([[0, 1, 0, 1, 0]], [[0, 2]]):
        with pytest.raises(Exception, match="indices element out of data bounds"):
            session.run(None, {"tokens": np.array(tokens)})


def test_a_word_shorter_than_the_claim_gives_nan(certify: Any, tmp_path: Path) -> None:
    assert certify("formula", "O Q_1", "--alphabet", "01", "--min-n", "2", "--max-n", "3", "-o", "x.cert").code == 0
    assert certify("export", "x.cert", "--to", "onnx", "-o", "x.onnx").code == 0
    session = onnxruntime.InferenceSession(tmp_path / "x.onnx", providers=["CPUExecutionProvider"])
    assert np.isnan(session.run(["output"], {"tokens": np.array([[1]])})[0]).all()
    assert session.run(["output"], {"tokens": np.array([[0, 1]])})[0].tolist() == [[0, 1]]


def test_numbers_that_are_too_large_for_the_precision_are_no_export(certify: Any, tmp_path: Path) -> None:
    write_certificate(tmp_path / "x.cert", "ODD(#<[Q_1])", "01", 48, Regime(Sharpening.POSITION))
    result = certify("export", "x.cert", "--to", "onnx", "-o", "x.onnx", "--precision", "binary16")
    assert (result.code, result.err) == (
        3, "certify: unsupported: binary16 for these weights: a number is too large for binary16\n")
    assert not (tmp_path / "x.onnx").exists()


def test_without_onnx_the_command_says_what_is_missing(
        certify: Any, since: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("certify.exports.runnable.find_spec", lambda name: None)
    result = certify("export", since, "--to", "onnx", "-o", "x.onnx")
    assert (result.code, result.err) == (3, "certify: unsupported: this export needs the package onnx, which is not "
                                            "installed: pip install '.[onnx]' in a checkout of certify\n")
    assert not (tmp_path / "x.onnx").exists()
