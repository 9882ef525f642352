"""Numbers of tokens that are rounded become steps that compute what ONNX Runtime and torch compute, or are refused."""

import warnings
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from constructions.errors import InputError
from constructions.importing.importer import Imported, import_network
from constructions.importing.names_file import read_names
from constructions.importing.questions import Options
from constructions.trained.json_form import network_to_json, read_network
from constructions.trained.network import Rounding, UnitsStep
from examples.trained.zoo import plans
from proofs.check.checker.chapters.trained.floats.inputs import NetworkUnderModel
from proofs.check.checker.chapters.trained.floats.key_value_cache import CachedExecutions
from proofs.check.checker.chapters.trained.zonotopes.affine import UNIT, spread
from proofs.check.checker.kernel.budget import Budget
from proofs.trained.forward import FloatNetwork
from tests.check.trained_corpus import BINARY32, float_executions
from tests.check.trained_networks import make_claim, parsed
from tests.importing.quantised_files import weights_of
from tests.importing.small_graphs import Node, imported
from tests.importing.test_quantised_weights import graph, saved, scales
from tests.trained.small_networks import write_network
from tests.with_torch import torch_or_skip

RANDOM = np.random.default_rng(2)
WORDS = np.array(list(product(range(4), repeat=3)))
Q = RANDOM.integers(0, 256, (8, 6)).astype(np.uint8)
BY_RANGE: list[Node] = [("DynamicQuantizeLinear", ["h"], "a s z", {}),
                        ("MatMulInteger", ["a", "q", "z", "qz"], "p", {}), ("Cast", ["p"], "f", {"to": 1})]
ALL: dict[str, Any] = {"q": Q, "qs": np.float32(0.013), "qz": np.array(131, np.uint8), "s": np.float32(0.071),
                       "z": np.array(120, np.uint8), "i": np.array(-3, np.int8), "of_y": np.float32(0.31),
                       "many": scales(8), "t8": RANDOM.integers(0, 256, (4, 8)).astype(np.uint8), "c": scales(6),
                       "t": RANDOM.normal(size=(4, 8)).astype(np.float32),
                       "last": np.array(2), "some": np.array([0, 1]), "first": np.array(0), "zero": np.float32(0)}
READ: dict[str, list[Node]] = {
    "static": [("QuantizeLinear", ["h", "s", "z"], "a", {}), ("DequantizeLinear", ["a", "s", "z"], "b", {}),
               ("DequantizeLinear", ["q", "qs", "qz"], "w", {}), ("MatMul", ["b", "w"], "y", {})],
    "static-int8": [("QuantizeLinear", ["h", "s", "i"], "a", {}), ("DequantizeLinear", ["a", "s", "i"], "y", {})],
    "static-without-zero": [("QuantizeLinear", ["h", "s"], "a", {}), ("DequantizeLinear", ["a", "s"], "y", {})],
    "static-moved": [("QuantizeLinear", ["h", "s", "z"], "a", {}), ("Transpose", ["a"], "v", {"perm": [0, 2, 1]}),
                     ("Transpose", ["v"], "u", {"perm": [0, 2, 1]}), ("DequantizeLinear", ["u", "s", "z"], "y", {})],
    "static-integers": [("QuantizeLinear", ["h", "s", "z"], "a", {}), ("MatMulInteger", ["a", "q", "z", "qz"], "p", {}),
                        ("Cast", ["p"], "f", {"to": 1}), ("Mul", ["f", "s"], "g", {}), ("Mul", ["g", "qs"], "y", {})],
    "linear": [("QuantizeLinear", ["h", "s", "z"], "a", {}),
               ("QLinearMatMul", ["a", "s", "z", "q", "qs", "qz", "of_y", "z"], "b", {}),
               ("DequantizeLinear", ["b", "of_y", "z"], "y", {})],
    "range": [*BY_RANGE, ("Mul", ["s_", "qs"], "m", {}), ("Mul", ["f", "m"], "y", {})],
    "range-of-scales-of-columns": [*BY_RANGE, ("Mul", ["f", "c"], "m", {}), ("Mul", ["s_", "m"], "y", {})],
    "range-of-one-token": [("Gather", ["h", "last"], "one", {"axis": 1}), *[
        (op, ["one" if name == "h" else name for name in given], out, how) for op, given, out, how in BY_RANGE],
        ("Mul", ["s_", "qs"], "m", {}), ("Mul", ["f", "m"], "y", {})],
    "range-of-relu": [("Relu", ["h"], "r", {}), ("DynamicQuantizeLinear", ["r"], "a s z", {}),
                      ("DequantizeLinear", ["a", "s_", "z_"], "y", {})],
    "rows": [("Gather", ["t8", "x"], "a", {}), ("DequantizeLinear", ["a", "qs", "qz"], "b", {}),
             ("QuantizeLinear", ["b", "s", "z"], "d", {}), ("DequantizeLinear", ["d", "s", "z"], "y", {})],
}


def of_nodes(nodes: list[Node]) -> bytes:
    """Return a graph; outputs ``s z`` of a range are called ``s_`` and ``z_``, as ``s`` and ``z`` are constants."""
    ranged = any(op == "DynamicQuantizeLinear" for op, *_ in nodes)
    made: list[Node] = [(op, ["z_" if name == "z" and ranged and op == "MatMulInteger" else name for name in given],
                         "a s_ z_" if out == "a s z" else out, how) for op, given, out, how in nodes]
    used = {"t", *(name for _, given, _, _ in made for name in given)}
    return graph(made, {name: array for name, array in ALL.items() if name in used}, {})


def ran(data: bytes, inputs: Any) -> Any:
    """Run by ONNX Runtime as the file says, one input after another, without fusion."""
    runtime = pytest.importorskip("onnxruntime")
    options = runtime.SessionOptions()
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = runtime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    return np.concatenate([session.run(None, {name: tokens[np.newaxis]})[0] for tokens in inputs])


@pytest.mark.parametrize("name", READ)
def test_what_is_rounded_is_what_onnx_runtime_computes(tmp_path: Path, name: str) -> None:
    """On all inputs: steps are so much larger than roundings of binary32 that one number rounded otherwise is seen.

    The table has no ties; near these ONNX Runtime, whose scales are binary32 numbers, may round the other way.
    """
    data = of_nodes(READ[name])
    result = imported(tmp_path, data)
    write_network(result.network, tmp_path / "network.json")
    assert read_network(tmp_path / "network.json") == result.network
    found, expected = FloatNetwork(result.network).logits(WORDS, 0), ran(data, WORDS)
    found = found[:, -1:] if "one" in name else found
    assert np.abs(found - expected.reshape(found.shape)).max() < 1e-5
    assert any("rounded to whole numbers, over the real numbers" in note for note in result.report.assumed)
    kinds = {step.activation.range for step in result.network.steps
             if isinstance(step, UnitsStep) and isinstance(step.activation, Rounding)}
    assert kinds == {"token" if "one" in name else "input" if "range" in name else None}


@pytest.mark.parametrize("name", [name for name in READ if name != "rows"])
def test_what_onnx_runtime_computes_is_within_the_forms_of_binary32(tmp_path: Path, name: str) -> None:
    """On eight inputs; forms are narrow where all numbers are known to be on one side of a tie."""
    data, inputs, narrow, read = of_nodes(READ[name]), WORDS[::8], 0, "last" if "one" in name else "each"
    network = network_to_json(imported(tmp_path, data).network)
    given = parsed(float_executions(network, make_claim(read=read), BINARY32), Budget())
    stack = NetworkUnderModel(given.budget, given.network, given.floats[0]).forms
    for tokens, expected in zip(inputs, ran(data, inputs), strict=True):
        found = CachedExecutions(stack, 0).attended(tokens.tolist(), [2] if read == "last" else [0, 1, 2])
        for (_, stream), seen in zip(found, expected.reshape(-1, stack.network.outputs), strict=True):
            known = spread(stack.budget, stack.finish(stream))
            centres, reaches = (np.array(one) / UNIT for one in known)
            assert (np.abs(seen - centres) <= reaches).all()
            narrow += max(known.reaches) < max(map(abs, known.centres)) >> 14
    assert 2 * narrow > len(inputs)


REFUSED: dict[str, tuple[list[Node], str]] = {
    "several-scales": ([("QuantizeLinear", ["h", "many"], "y", {"axis": 2})], "rounded by several scales"),
    "scale-of-0": ([("QuantizeLinear", ["h", "zero"], "y", {})], "a scale of 0.0, expected a finite number above 0"),
    "scale-of-tokens": ([("QuantizeLinear", ["h", "h"], "y", {})], "rounded by several scales"),
    "scores": ([("Transpose", ["h"], "k", {"perm": [0, 2, 1]}), ("MatMul", ["h", "k"], "e", {}),
                ("QuantizeLinear", ["e", "s"], "y", {})], "scores rounded to integers, expected numbers"),
    "another-scale": ([("QuantizeLinear", ["h", "s"], "a", {}), ("DequantizeLinear", ["a", "qs"], "y", {})],
                      "with another scale or zero point than those of their rounding"),
    "another-zero": ([("QuantizeLinear", ["h", "s"], "a", {}), ("DequantizeLinear", ["a", "s", "z"], "y", {})],
                     "with another scale or zero point than those of their rounding"),
    "zero-of-a-scale": ([("DynamicQuantizeLinear", ["h"], "a s z", {}), ("DequantizeLinear", ["a", "s_"], "y", {})],
                        "with another scale or zero point than those of their rounding"),
    "some-tokens": ([("Gather", ["h", "some"], "b", {"axis": 1}), ("DynamicQuantizeLinear", ["b"], "y s z", {})],
                    "a range of some of the tokens"),
    "integers-of-another-zero": ([("QuantizeLinear", ["h", "s", "z"], "a", {}),
                                  ("MatMulInteger", ["a", "q"], "y", {})], "integers that are not rounded numbers"),
    "integers-of-no-rounding": ([("MatMulInteger", ["h", "q"], "y", {})], "integers that are not rounded numbers"),
    "another-range": ([("Neg", ["h"], "n", {}), ("DynamicQuantizeLinear", ["n"], "b r v", {}), *BY_RANGE,
                       ("Mul", ["f", "r"], "y", {})],
                      "times something else than constants or their own scale"),
    "a-scale-twice": ([*BY_RANGE, ("Mul", ["s_", "s_"], "y", {})], "times something else"),
    "numbers-as-they-are": ([("QuantizeLinear", ["h", "s"], "a", {}), ("Cast", ["a"], "y", {"to": 1})],
                            "a cast to numbers of another kind"),
    "a-sum-of-their-own": ([("QuantizeLinear", ["h", "s", "z"], "a", {}),
                            ("QLinearAdd", ["a", "s", "z", "a", "s", "z", "s", "z"], "y", {})],
                           "(quantised activations), for which there is no rule"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_read_is_one_line_with_its_node(tmp_path: Path, name: str) -> None:
    nodes, printed = REFUSED[name]
    with pytest.raises(InputError) as refused:
        imported(tmp_path, of_nodes(nodes))
    line = str(refused.value)
    assert line.startswith(f"m.onnx: node n_{nodes[-1][2].split()[0]} ({nodes[-1][0]}): ") and printed in line
    assert "\n" not in line


# -- torch -------------------------------------------------------------------------------------------------------------


def dynamic(torch: Any, model: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.ao.quantization.quantize_dynamic(model, {torch.nn.Linear}, dtype=torch.qint8)


def gpt(torch: Any, name: str) -> Any:
    """Return a network of the zoo in torch, all of whose Linears are quantised."""
    from examples.trained.networks import GPT, NetworkSizes

    plan = plans()[name]
    arrays = weights_of(plan.folder)
    model = GPT(NetworkSizes(len(arrays["transformer.wte.weight"]), plan.rows, plan.layers, plan.heads))
    model.load_state_dict({key: torch.from_numpy(array.copy()) for key, array in arrays.items()})
    return dynamic(torch, model.eval())


def from_torch(folder: Path, torch: Any, model: Any) -> Imported:
    (folder / "m.pt").write_bytes(saved(torch, model.state_dict()))
    return import_network([folder / "m.pt"], Options(kind="nanogpt", attention="causal", heads=1, activation="gelu",
                                                     epsilon=Fraction(1, 100000)))


def test_a_network_of_quantize_dynamic_computes_what_torch_computes(tmp_path: Path) -> None:
    """On all words of 1 to 4 letters."""
    torch = torch_or_skip()
    model = gpt(torch, "tomita_2")
    result = from_torch(tmp_path, torch, model)
    floats = FloatNetwork(result.network)
    for n in range(2, 6):
        tokens = np.array([(2, *word) for word in product((0, 1), repeat=n - 1)])
        with torch.no_grad():
            expected = np.concatenate([model(torch.from_numpy(one[np.newaxis]), torch.arange(n)[None]).numpy()
                                       for one in tokens])
        assert np.abs(floats.logits(tokens, 0) - expected).max() < 1e-5
    rounded = [step.activation for step in result.network.steps if isinstance(step, UnitsStep)
               and isinstance(step.activation, Rounding)]
    assert rounded == [Rounding(0, 127, range="input")] * 5
    assert any("rounded to 7 bits of the range of all tokens" in note for note in result.report.assumed)


def test_linears_that_torch_quantised_otherwise_are_refused(tmp_path: Path) -> None:
    torch = torch_or_skip()
    state = dynamic(torch, torch.nn.Sequential(torch.nn.Linear(4, 3))).state_dict()
    changes = {"scale": torch.tensor(0.5), "zero_point": torch.tensor(3), "_packed_params.dtype": torch.float16}
    for end, value in changes.items():
        (tmp_path / "m.pt").write_bytes(saved(torch, {**state, f"0.{end}": value}))
        with pytest.raises(InputError, match=r"^m.pt: entry 0._packed_params._packed_params is of torch.ao.nn.quantized"
                                             r", expected a Linear of quantize_dynamic with weights of qint8"):
            import_network([tmp_path / "m.pt"])


def test_a_quantised_linear_is_never_read_as_one_that_is_not(tmp_path: Path) -> None:
    """Under other names, or in a kind of network whose tensors are computed with, its rounding would be left out."""
    torch = torch_or_skip()
    (tmp_path / "m.pt").write_bytes(saved(torch, gpt(torch, "tomita_2").state_dict()))
    (tmp_path / "names.toml").write_text('[tensors]\n"a" = "transformer.wte.weight"\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"^m.pt: Linears of quantize_dynamic under other names are unsupported"):
        import_network([tmp_path / "m.pt"], Options(), read_names(tmp_path / "names.toml"))
