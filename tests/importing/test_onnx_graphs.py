"""Graphs of ONNX become networks that compute what torch computes; what cannot be read is named with its node."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from constructions.errors import InputError
from constructions.importing.importer import Imported, import_network
from constructions.importing.questions import Options
from constructions.trained.json_form import read_network
from constructions.trained.network import AttentionStep, NormStep, UnitsStep
from proofs.trained.forward import FloatNetwork
from tests.importing import graphs_in_torch as graphs
from tests.importing import models_in_torch as models
from tests.importing.small_graphs import Node, imported, written
from tests.trained.small_networks import write_network
from tests.with_torch import torch_or_skip

ANY_LENGTH = ("decoder", "spelledout", "bare", "gated", "neighbours", "normsofheads", "sidebyside", "normsafter",
              "normsaround", "lowrank", "bilinear", "bytanh", "alibi", "groups")
ONE_LENGTH = ("split", "equations", "classifier", "atlast", "pooled")
LENGTH = 6


def read(torch: Any, folder: Path, model: Any, dynamic: bool, opset: int = 17) -> Imported:
    """Exported, imported, written to a file and read again."""
    pytest.importorskip("onnx")
    (folder / "m.onnx").write_bytes(graphs.exported(torch, model, LENGTH, dynamic, opset))
    result = import_network([folder / "m.onnx"], Options(rows=graphs.ROWS if dynamic else None))
    write_network(result.network, folder / "network.json")
    assert read_network(folder / "network.json") == result.network
    return result


def check(torch: Any, result: Imported, model: Any, near: float) -> None:
    tokens = np.random.default_rng(5).integers(0, graphs.VOCABULARY, (20, LENGTH))
    with torch.no_grad():
        expected = model.double()(torch.from_numpy(tokens)).numpy()
    found = FloatNetwork(result.network).logits(tokens, 0)
    assert np.abs((found[:, -1] if expected.ndim == 2 else found) - expected).max() < near


@pytest.mark.one_in(6)
@pytest.mark.parametrize("kind", ANY_LENGTH)
def test_a_graph_for_words_of_any_length(tmp_path: Path, kind: str) -> None:
    """Torch writes a scale as the square of a rounded root, so its double differs by that rounding."""
    torch = torch_or_skip()
    model = graphs.make(torch, kind)
    result = read(torch, tmp_path, model, dynamic=True)
    assert result.network.attention == "causal"
    check(torch, result, model, 1e-7 if kind in ("bytanh", "normsaround", "normsofheads", "gated") else 1e-11)


@pytest.mark.parametrize("kind", ONE_LENGTH)
def test_a_graph_for_words_of_one_length(tmp_path: Path, kind: str) -> None:
    torch = torch_or_skip()
    model = graphs.make(torch, kind)
    result = read(torch, tmp_path, model, dynamic=False)
    assert result.network.attention == ("causal" if kind in ("split", "equations") else "bidirectional")
    check(torch, result, model, 1e-6)


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("norm_first", [True, False])
def test_an_encoder_by_its_graph(tmp_path: Path, norm_first: bool, causal: bool) -> None:
    torch = torch_or_skip()
    built: tuple[Any, Any] = models.encoder(torch, norm_first, causal)
    result = read(torch, tmp_path, built[1].float(), dynamic=False)
    assert result.network.attention == ("causal" if causal else "bidirectional")
    check(torch, result, built[1], 1e-7)


def test_the_usual_network_has_the_usual_steps(tmp_path: Path) -> None:
    """Nothing is wider than it was, and its tensors are those of the file."""
    torch = torch_or_skip()
    network = read(torch, tmp_path, graphs.make(torch, "decoder"), dynamic=True).network
    assert [type(step) for step in network.steps] == [AttentionStep, UnitsStep] * 2 + [NormStep]
    assert network.width == graphs.WIDTH
    assert all(step.norm is not None and step.norm.of is None for step in network.steps)
    assert "embedding.weight" in network.tensors


def test_norms_after_the_sums_become_the_stream(tmp_path: Path) -> None:
    torch = torch_or_skip()
    network = read(torch, tmp_path, graphs.make(torch, "normsafter"), dynamic=True).network
    assert [type(step) for step in network.steps] == [AttentionStep, NormStep, UnitsStep, NormStep] * 2 + [NormStep]


def test_an_argmax_at_the_end_is_left_out(tmp_path: Path) -> None:
    torch = torch_or_skip()
    model = graphs.make(torch, "chosen")
    result = read(torch, tmp_path, model, dynamic=True)
    assert "the graph ends in an argmax; the logits are those before it" in result.report.assumed
    tokens = np.random.default_rng(5).integers(0, graphs.VOCABULARY, (20, LENGTH))
    expected = model.double()(torch.from_numpy(tokens)).numpy()
    assert (FloatNetwork(result.network).logits(tokens, 0).argmax(-1) == expected).all()


def test_an_operation_of_its_own_for_gelu(tmp_path: Path) -> None:
    torch = torch_or_skip()
    model = graphs.make(torch, "decoder")
    check(torch, read(torch, tmp_path, model, dynamic=True, opset=20), model, 1e-11)


def test_the_number_of_positions_is_asked_for(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    torch = torch_or_skip()
    (tmp_path / "m.onnx").write_bytes(graphs.exported(torch, graphs.make(torch, "decoder"), LENGTH, True))
    with pytest.raises(InputError, match=r"^m.onnx: the graph reads inputs of any length, expected --rows N"):
        import_network([tmp_path / "m.onnx"])
    with pytest.raises(InputError, match=r"^m.onnx: node /Add \(Add\): its inputs do not fit \("):
        import_network([tmp_path / "m.onnx"], Options(rows=13))


# -- graphs that are written here --------------------------------------------------------------------------------------


TABLE = np.arange(8, dtype=np.float32).reshape(4, 2)
LOOKED_UP: Node = ("Gather", ["t", "x"], "h", {})


def test_a_graph_without_attention_is_a_table(tmp_path: Path) -> None:
    nodes = [LOOKED_UP, ("Mul", ["h", "two"], "y", {})]
    network = imported(tmp_path, written(nodes, {"t": TABLE, "two": np.array([2], np.float32)})).network
    assert FloatNetwork(network).logits(np.array([[3, 0, 1]]), 0).tolist() == [[[12, 14], [0, 2], [4, 6]]]


def test_a_norm_that_is_one_operation(tmp_path: Path) -> None:
    nodes = [LOOKED_UP, ("RMSNormalization", ["h", "g"], "y", {"epsilon": 0.5})]
    result = imported(tmp_path, written(nodes, {"t": TABLE, "g": np.array([1, 2], np.float32)}))
    found = FloatNetwork(result.network).logits(np.array([[1, 1, 1]]), 0)[0, 0]
    assert np.allclose(found, np.array([2, 6]) / (6.5 + 0.5) ** 0.5, rtol=0, atol=1e-15)


@pytest.mark.parametrize(("nodes", "printed"), [
    ([LOOKED_UP, ("Sin", ["h"], "y", {})], r"node n_y \(Sin\): an operation that is not supported"),
    ([LOOKED_UP, ("Exp", ["h"], "y", {})], r"node n_y \(Exp\): an operation that is not supported"),
    ([LOOKED_UP, ("Softmax", ["h"], "y", {"axis": 1})], r"node n_y \(Softmax\): a softmax of something other than "),
    ([LOOKED_UP, ("ReduceMax", ["h"], "y", {})], r"node n_y \(ReduceMax\): an operation that is not supported"),
    ([LOOKED_UP, ("Add", ["h", "x"], "y", {})], r"node n_y \(Add\): a sum of numbers of tokens and tokens$"),
    ([LOOKED_UP, ("Mul", ["h", "nothing"], "y", {})], r"node n_y \(Mul\): no value nothing before it$"),
    ([LOOKED_UP, ("Erf", ["h"], "y", {})], r"output y: a function of one number that is not an activation \("),
    ([LOOKED_UP, ("Gather", ["h", "i"], "e", {"axis": 1}), ("Add", ["h", "e"], "y", {})],
     r"node n_y \(Add\): a sum of numbers of different tokens, expected the same tokens$"),
    ([("ConstantOfShape", ["big"], "c", {}), LOOKED_UP, ("Add", ["h", "c"], "y", {})],
     r"node n_c \(ConstantOfShape\): an array of more than 16777216 elements$"),
    ([LOOKED_UP, ("Cast", ["h"], "c", {"to": 7}), ("Cast", ["c"], "y", {"to": 1})],
     r"node n_c \(Cast\): a cast to numbers of another kind$"),
    ([LOOKED_UP, ("Dropout", ["h", "", "yes"], "y", {})], r"node n_y \(Dropout\): a dropout in training"),
    ([LOOKED_UP, ("Gather", ["h", "zero"], "e", {"axis": 2}), ("Max", ["e", "zeros"], "y", {})],
     r"node n_y \(Max\): a maximum with a larger array$"),
    ([("Add", ["column", "line"], "c", {}), LOOKED_UP, ("Add", ["h", "c"], "y", {})],
     r"node n_c \(Add\): an array of more than 16777216 elements$"),
    ([("MatMul", ["column", "line"], "c", {}), LOOKED_UP, ("Add", ["h", "c"], "y", {})],
     r"node n_c \(MatMul\): an array of more than 16777216 elements$"),
    ([("Range", ["least", "none", "one"], "c", {}), LOOKED_UP, ("Add", ["h", "c"], "y", {})],
     r"node n_c \(Range\): an array of more than 16777216 elements$"),
    ([LOOKED_UP, ("Sqrt", ["h"], "y", {})], r"node n_y \(Sqrt\): a root of something other than a mean of squares$"),
    ([("Add", ["t", "t"], "y", {})], r"output y, expected logits of tokens$")])
def test_the_first_node_that_is_not_understood_is_named(tmp_path: Path, nodes: list[Any], printed: str) -> None:
    arrays = {"t": TABLE, "big": np.array([2**20, 2**20]), "i": np.array([1, 2, 0]), "yes": np.array(True),
              "column": np.zeros((2**13, 1)), "line": np.zeros((1, 2**13)),
              "least": np.array(-(2**40)), "none": np.array(0), "one": np.array(1),
              "zero": np.array([0]), "zeros": np.zeros(2, np.float32)}
    with pytest.raises(InputError, match="^m.onnx: " + printed) as error:
        imported(tmp_path, written(nodes, arrays))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(("length", "kind", "printed"), [
    (3, 1, r"input x of shape \[1, 3\], expected tokens as integers"),
    (10**9, 7, r"inputs of 1000000000 tokens, expected 1 to 512$")])
def test_an_input_that_is_no_word_is_refused(tmp_path: Path, length: int, kind: int, printed: str) -> None:
    with pytest.raises(InputError, match=printed):
        imported(tmp_path, written([LOOKED_UP, ("Neg", ["h"], "y", {})], {"t": TABLE}, length, kind))


def test_a_graph_that_is_another_one_for_other_lengths_is_refused(tmp_path: Path) -> None:
    """The number of tokens is a factor of what is looked up, or of scores."""
    torch = torch_or_skip()
    with pytest.raises(InputError, match="on inputs of 11 tokens the graph is another network than on those of 12"):
        read(torch, tmp_path, graphs.make(torch, "bylength"), dynamic=True)
    nodes = [LOOKED_UP, ("Shape", ["x"], "s", {"start": 1}), ("Cast", ["s"], "c", {"to": 1}),
             ("Mul", ["h", "c"], "y", {})]
    (tmp_path / "m.onnx").write_bytes(written(nodes, {"t": TABLE}, "length"))
    with pytest.raises(InputError, match="on inputs of 4 tokens the graph is another network than on those of 5"):
        import_network([tmp_path / "m.onnx"], Options(rows=5))


BY_LENGTH: dict[str, list[Node]] = {
    "h / min(T, 4)": [("Min", ["T", "four"], "d", {}), ("Div", ["h", "d"], "y", {})],
    "h where T is 3 or more": [("GreaterOrEqual", ["T", "three"], "b", {}), ("Cast", ["b"], "d", {"to": 1}),
                               ("Mul", ["h", "d"], "y", {})],
    "h + max(4 - T, 0)": [("Sub", ["four", "T"], "e", {}), ("Max", ["e", "zero"], "d", {}),
                          ("Add", ["h", "d"], "y", {})],
    "h at T = 1 alone doubled": [("Max", ["T", "two"], "m", {}), ("Sub", ["m", "T"], "e", {}),
                                 ("Add", ["e", "one"], "d", {}), ("Mul", ["h", "d"], "y", {})]}


@pytest.mark.parametrize("kind", BY_LENGTH)
def test_a_graph_that_is_another_one_for_short_inputs_alone_is_refused(tmp_path: Path, kind: str) -> None:
    """Lengths below 5 are other functions, or one of them, while those from 5 on are alike."""
    numbers = {name: np.array(number, np.float32) for name, number in (
        ("zero", 0), ("one", 1), ("two", 2), ("three", 3), ("four", 4))}
    nodes = [LOOKED_UP, ("Shape", ["x"], "s", {"start": 1}), ("Cast", ["s"], "T", {"to": 1}), *BY_LENGTH[kind]]
    (tmp_path / "m.onnx").write_bytes(written(nodes, {"t": TABLE, **numbers}, "length"))
    with pytest.raises(InputError, match=r"m.onnx: .*on inputs of [1-3] tokens"):
        import_network([tmp_path / "m.onnx"], Options(rows=12))
