"""Logits of torch and ONNX Runtime lie in the enclosure of their preset, on every answer of small networks."""

import json
import warnings
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from constructions.importing.importer import import_network
from constructions.importing.questions import Options
from constructions.trained.json_form import network_from_json
from constructions.trained.network import Rounding, TrainedNetwork, UnitsStep
from examples.trained.zoo import plans
from proofs.check.checker.kernel.verdicts import Refusal
from proofs.enclosures.float_models.model import presets
from tests.check.trained_networks import KINDS, make_network
from tests.importing.test_quantised_activations import from_torch, gpt
from tests.trained.enclosed_logits import EnclosedLogits
from tests.trained.in_runtimes import KERNELS, Logits, in_onnxruntime, in_torch
from tests.trained.test_libraries_answer_as_certified import in_torch as plain
from tests.with_torch import torch_or_skip

ADDERS = sorted(path.stem for path in (Path(__file__).parents[2] / "examples" / "adders").glob("*.json"))
TORCH = ("torch-cpu", "torch-cpu/bfloat16", "torch-cpu/binary16")


def runtimes(network: TrainedNetwork, preset: str) -> dict[str, Logits]:
    """Return the programs of a preset."""
    if preset == "onnxruntime":
        return {f"optimised {how}": in_onnxruntime(network, how) for how in (False, True)}
    return {kernel: in_torch(network, preset, kernel) for kernel in KERNELS}


def shares(network: TrainedNetwork, preset: str, inputs: Sequence[Sequence[int]]) -> Iterator[tuple[str, float]]:
    """Yield for each program and input how far its logits are from the centres, in radii."""
    enclosed, programs = EnclosedLogits(network, presets()[preset]), runtimes(network, preset)
    for tokens in inputs:
        try:
            known = enclosed.of(tokens)
        except Refusal:  # nothing is said
            continue
        for name, logits in programs.items():
            yield name, known.share(logits(tokens))


def expect_within(network: TrainedNetwork, preset: str, inputs: Sequence[Sequence[int]], coarse: bool = False) -> None:
    """Expect all logits of all programs in their enclosures; of ``coarse`` formats nothing may be known."""
    found = list(shares(network, preset, inputs))
    assert max((share for _, share in found), default=0.0) <= 1
    assert found or coarse
    assert coarse or len(found) == len(inputs) * (2 if preset == "onnxruntime" else 3)


def words_of(network: TrainedNetwork, longest: int) -> list[tuple[int, ...]]:
    """Return all inputs of two tokens up to a length, after one that begins words if there are more tokens."""
    first = range(2, 3) if network.vocabulary > 2 else range(1)
    return [(begin, *word) for begin in first for n in range(1, longest + 1) for word in product((0, 1), repeat=n)]


@pytest.mark.parametrize("preset", [*TORCH, "onnxruntime"])
@pytest.mark.parametrize("kind", KINDS)
def test_programs_compute_what_is_enclosed_for_random_networks_of_every_kind(kind: str, preset: str) -> None:
    """`gpt2` and `rotary` have the steps of GPT-2 and of LLaMA."""
    network = network_from_json(make_network(kind, len(preset)), "it")
    expect_within(network, preset, words_of(network, 4)[::5], coarse="/" in preset)


@pytest.mark.exhaustive
@pytest.mark.parametrize("preset", [*TORCH, "onnxruntime"])
@pytest.mark.parametrize("name", plans())
def test_programs_compute_what_is_enclosed_on_every_word_of_the_zoo(name: str, preset: str) -> None:
    network = plans()[name].network()
    longest = min(5, (network.rows or 6) - 1)
    expect_within(network, preset, words_of(network, longest), coarse="/" in preset)


@pytest.mark.exhaustive
@pytest.mark.parametrize("preset", [*TORCH, "onnxruntime"])
@pytest.mark.parametrize("name", ADDERS)
def test_programs_compute_what_is_enclosed_for_adders(name: str, preset: str) -> None:
    path = Path(__file__).parents[2] / "examples" / "adders" / f"{name}.json"
    network, draw = network_from_json(json.loads(path.read_text(encoding="utf-8")), name), Random(name)
    inputs = [[draw.randrange(network.vocabulary) for _ in range(draw.randrange(1, min(network.rows or 8, 12) + 1))]
              for _ in range(60)]
    expect_within(network, preset, inputs, coarse=True)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["tomita_2", "first"])
def test_programs_compute_what_is_enclosed_of_eight_bits(name: str, tmp_path: Path) -> None:
    """Quantised dynamically by torch, and by ONNX Runtime's tool: all words of 1 to 3 letters."""
    torch, quantisation = torch_or_skip(), pytest.importorskip("onnxruntime.quantization")
    runtime, words = pytest.importorskip("onnxruntime"), words_of(plans()[name].network(), 3)
    model = gpt(torch, name)
    known = EnclosedLogits(from_torch(tmp_path, torch, model).network, presets()["torch-cpu/int8"])

    class Numbered(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self, model: Any) -> None:
            super().__init__()
            self.model = model

        def forward(self, tokens: Any) -> Any:
            return self.model(tokens, torch.arange(tokens.shape[1])[None])

    for word in words:
        with torch.no_grad():
            assert known.of(word).share(Numbered(model)(torch.tensor([word]))[0].double().numpy()) <= 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(Numbered(plain(torch, plans()[name], "float32")), (torch.tensor([[2, 0, 1]]),), str(
            tmp_path / "m.onnx"), dynamo=False, input_names=["tokens"], dynamic_axes={"tokens": {1: "T"}})
        quantisation.quantize_dynamic(str(tmp_path / "m.onnx"), str(tmp_path / "q.onnx"))
    network = import_network([tmp_path / "q.onnx"], Options(rows=8)).network
    assert sum(isinstance(step, UnitsStep) and isinstance(step.activation, Rounding) for step in network.steps) >= 5
    known = EnclosedLogits(network, presets()["onnxruntime/int8"])
    session = runtime.InferenceSession(str(tmp_path / "q.onnx"), providers=["CPUExecutionProvider"])
    for word in words:
        assert known.of(word).share(session.run(None, {"tokens": np.array([word])})[0][0]) <= 1


def test_an_enclosure_of_another_network_is_left() -> None:
    """The test can fail: a bit of one weight is seen."""
    network = network_from_json(make_network("gpt2", 1), "it")
    known = EnclosedLogits(network, presets()["torch-cpu"]).of((0, 1, 1))
    logits = in_torch(network, "torch-cpu", "eager")((0, 1, 1))
    assert known.share(logits) <= 1 < known.share(logits + np.float64(1e-4))
