"""Networks with quantised weights are decided as any other: certified, refuted by a word, compared with the first."""

import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from certify.claims.trained.decide import decide
from certify.claims.trained.float_decision import decide_floats
from certify.claims.trained.float_search import WrongRuns
from certify.learning.equality import compare
from certify.learning.question import read_words
from constructions.importing.importer import import_network
from constructions.importing.names_file import read_names
from constructions.importing.questions import Options
from constructions.trained.claim import WordsClaim, input_tokens, judged
from constructions.trained.network import TrainedNetwork
from constructions.trained.numbers import all_numbers, numbers
from examples.trained.zoo import plans
from proofs.enclosures.float_models.model import presets
from proofs.trained.float_executions.casting import cast_network
from proofs.trained.float_executions.execution import executions
from proofs.trained.forward import FloatNetwork
from tests.importing.quantised_files import exact, matrices, quantised, weights_of, with_names

ROOT = Path(__file__).resolve().parent.parent.parent
WAYS = {"int8-channels": (8, None), "int4-groups": (4, 16), "fp8-channels": (0, None)}
GPT = Options(kind="nanogpt", attention="causal", heads=1, activation="gelu", epsilon=Fraction(1, 100000))


def of_zoo(folder: Path, name: str, way: str) -> tuple[TrainedNetwork, WordsClaim]:
    """A network of the zoo, all of whose matrices but those of tokens and positions are quantised, and its claim."""
    plan = plans()[name]
    data, names = with_names(weights_of(plan.folder), *WAYS[way])
    (folder / "m.safetensors").write_bytes(data)
    (folder / "names.toml").write_text(names, encoding="utf-8")
    network = import_network([folder / "m.safetensors"], GPT, read_names(folder / "names.toml")).network
    return network, replace(plan.claim(plan.network()), offsets=(0, 0))


@pytest.mark.parametrize("way", WAYS)
def test_what_is_certified_is_accepted_and_is_about_the_quantised_weights(tmp_path: Path, way: str) -> None:
    network, claim = of_zoo(tmp_path, "tomita_2", way)
    bits, group = WAYS[way]
    arrays = weights_of(plans()["tomita_2"].folder)
    for name in matrices(arrays):
        assert list(map(Fraction, all_numbers(network.tensors[name]).tolist())) == [
            number for row in exact(*quantised(arrays[name], bits, group), group) for number in row]
    decision = decide(network, replace(claim, lengths=(1, 6)))
    assert (decision.verdict, decision.certified_to) == ("certified", 6) and decision.certificate
    (tmp_path / "t.cert").write_text(decision.certificate, encoding="utf-8")
    checked = subprocess.run([sys.executable, "-I", "-S", str(ROOT / "proofs" / "check"), str(tmp_path / "t.cert")],
                             capture_output=True, text=True, check=True)
    assert "accepted" in checked.stdout


def test_a_word_that_quantising_breaks_is_found_and_replayed(tmp_path: Path) -> None:
    """tomita_7_deep on 1^21: 0.1448 over the reals, -0.1724 with int8 weights for each channel, in binary32, too."""
    network, claim = of_zoo(tmp_path, "tomita_7_deep", "int8-channels")
    wrong = decide(network, replace(claim, lengths=(21, 21))).wrong
    assert wrong is not None and "".join(wrong.word) == "1" * 21
    tokens, place = np.array([input_tokens(claim, wrong.word)]), dict(judged(claim, 21))[wrong.place]
    row = claim.cases[wrong.case].above[wrong.row]
    before, after = (sum(float(coefficient) * FloatNetwork(one).logits(tokens, 0)[0, place, token]
                         for token, coefficient in row) for one in (plans()["tomita_7_deep"].network(), network))
    assert (f"{before:.4f}", f"{after:.4f}") == ("0.1448", "-0.1724")
    assert wrong.value[0] - Fraction(1, 10**9) < Fraction(after) < wrong.value[1] + Fraction(1, 10**9)
    assert wrong.value[1] < 0
    run = presets()["binary32"]
    of_run = WrongRuns(network, replace(claim, lengths=(21, 21)), run, 1).replayed(
        wrong.word, 0, wrong.place, wrong.case, wrong.row, executions(run)[0])
    assert of_run is not None and f"{float(of_run.value[0]):.4f}" == "-0.1724"


@pytest.mark.parametrize("way", ["int4-groups", "fp8-channels"])
def test_float_executions_round_each_exact_weight_once(tmp_path: Path, way: str) -> None:
    """So a program that dequantises into binary32 has the weights of the class; all of its runs are certified."""
    network, claim = of_zoo(tmp_path, "tomita_2", way)
    codes, scale = quantised(weights_of(plans()["tomita_2"].folder)["lm_head.weight"], *WAYS[way])
    cast = cast_network(network, presets()["binary32"])
    assert cast.unembedding.weight.shape == (16, 4)
    expected = (codes.reshape(4, 1, 16).astype(np.float32) * scale[:, :, np.newaxis]).reshape(4, 16)
    assert np.array_equal(numbers(cast, cast.unembedding.weight), expected.T)
    assert not np.array_equal(numbers(network, network.unembedding.weight), expected.T)
    decision = decide_floats(network, replace(claim, lengths=(1, 3)), presets()["bfloat16/binary32"])
    assert decision.verdict == "certified" and decision.certificate


@pytest.mark.parametrize(("way", "longest"), [
    ("int8-channels", 4), *(pytest.param(way, 20, marks=pytest.mark.exhaustive) for way in WAYS)])
def test_a_quantised_network_answers_as_the_original(tmp_path: Path, way: str, longest: int) -> None:
    network, claim = of_zoo(tmp_path, "tomita_2", way)
    original = plans()["tomita_2"].network()
    found = compare(original, network, read_words(original, replace(claim, lengths=(1, longest)), None))
    assert (found.verdict, found.certified_to) == ("certified", longest)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["even", "first"])
def test_other_networks_of_the_zoo_answer_as_the_original(tmp_path: Path, name: str) -> None:
    network, claim = of_zoo(tmp_path, name, "int4-groups")
    original = plans()[name].network()
    found = compare(original, network, read_words(original, replace(claim, lengths=(1, 20)), None))
    assert (found.verdict, found.certified_to) == ("certified", 20)
