"""The command `certify import`: what it prints and writes, and its exit status."""

from __future__ import annotations

import json
import pickle  # noqa: TID251  # writes what the command must refuse
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from constructions.trained.json_form import read_network

SHAPES = {"embed.W_E": (3, 4), "blocks.0.attn.W_Q": (2, 4, 2), "blocks.0.attn.W_K": (2, 4, 2), "unembed.W_U": (4, 2),
          "blocks.0.attn.W_V": (2, 4, 2), "blocks.0.attn.W_O": (2, 2, 4), "blocks.0.attn.IGNORE": (),
          "blocks.0.mlp.W_in": (4, 5), "blocks.0.mlp.W_out": (5, 4), "blocks.0.ln1.w": (4,), "blocks.0.ln2.w": (4,),
          "ln_final.w": (4,)}
ANSWERS = ("--kind", "hooked-transformer", "--attention", "causal", "--activation", "relu", "--epsilon", "1e-5",
           "--positions", "alibi")


@pytest.fixture
def model(tmp_path: Path) -> str:
    tensors: dict[str, Any] = {name: np.full(shape, 0.5, np.float32) for name, shape in SHAPES.items()}
    tensors["blocks.0.attn.IGNORE"] = np.float32(-np.inf)
    np.savez(tmp_path / "m.npz", **tensors)
    return "m.npz"


def test_the_network_is_written_and_the_report_names_what_is_no_weight(certify: Any, model: str) -> None:
    result = certify("import", model, *ANSWERS, "-o", "m.json")
    assert (result.code, result.out) == (0, "")
    assert result.err.splitlines()[-2:] == [
        "  not a weight: blocks.0.attn.IGNORE: what is written over masked scores",
        "TransformerLens HookedTransformer, 136 numbers, in m.json"]
    network = read_network("m.json")
    assert [str(head.slope) for head in network.attention_steps[0].heads] == ["1/16", "1/256"]


def test_standard_output_may_take_the_network(certify: Any, model: str) -> None:
    result = certify("import", model, *ANSWERS, "-o", "-", "--show")
    assert result.code == 0
    assert result.json["format"] == "certify-trained"
    assert "├─ rms norm ─ [head 2] [head 2] ─┐" in result.err


def test_the_architecture_is_printed_as_json(certify: Any, model: str) -> None:
    shown = certify("import", model, *ANSWERS, "--json").json
    assert shown["kind"] == "TransformerLens HookedTransformer"
    assert shown["steps"][1] == {"what": "units", "sizes": "5", "functions": "rms norm, epsilon 1/100000, gain; relu"}
    assert (shown["rows"], shown["numbers"]) == (None, 136)


@pytest.mark.parametrize(("arguments", "said"), [
    ((), "m.npz: the file does not say everything; expected --kind hooked-transformer, if the program that it stands "
         "for is yours, which names do not show; --attention causal or bidirectional, which the weights do "
         "not show; "
         "--positions learned, sinusoidal, alibi or none, since no table of positions was recognised; --epsilon of the "
         "norms, which the weights do not show (the default of PyTorch is 1e-5); --activation relu, gelu (by erf), "
         "gelu-tanh, silu, sigmoid or tanh, which the weights do not show; or --like torch or gpt2 or llama for its "
         "defaults"),
    ((*ANSWERS, "--norm", "layer"), "m.npz: --norm layer, but blocks.0.ln1.w says rms"),
    ((*ANSWERS, "--heads", "3"), "m.npz: --heads 3, but blocks.0.attn.W_Q says 2"),
    ((*ANSWERS, "--norm-last"), "m.npz: --norm-last changes nothing here, as nothing in the network depends on it; "
                                "leave it out"),
    (("--epsilon", "1e-9999"), '--epsilon: "1e-9999", expected a decimal number such as 1e-5'),
    (("--epsilon", "-1"), "--epsilon: found -1, expected more than 0"),
    (("none.pt",), "none.pt: No such file or directory"),
    (("--given", "mask"), "--given mask: expected NAME=NUMBER or NAME=places, each name once"),
    (("--given", "mask=1", "--given", "mask=0"), "--given mask=0: expected NAME=NUMBER or NAME=places, each name once"),
    ((*ANSWERS, "--given", "mask=1"), "m.npz: --given changes nothing here, as nothing in the network depends on it; "
                                      "leave it out"),
])
def test_bad_input_is_one_line_and_exit_status_2(
        certify: Any, model: str, arguments: tuple[str, ...], said: str) -> None:
    result = certify("import", model, *arguments)
    *program, line = result.err.splitlines()
    assert (result.code, result.out, line) == (2, "", f"certify: {said}")
    assert bool(program) == (not arguments)


def test_a_pickle_that_would_run_code_is_named_and_not_run(certify: Any, tmp_path: Path) -> None:
    (tmp_path / "m.pt").write_bytes(pickle.dumps(print, 2))
    assert certify("import", "m.pt", "-o", "m.json").code == 2
    assert not (tmp_path / "m.json").exists()


def test_a_folder_stands_for_the_files_in_it(certify: Any, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    result = certify("import", "folder")
    assert (result.code, result.err) == (
        2, "certify: folder: a folder without model.safetensors, pytorch_model.bin, model.pt, expected files\n")
    (tmp_path / "folder" / "config.json").write_text(json.dumps({"a": 1}))
    (tmp_path / "folder" / "model.safetensors").write_bytes(b"\2\0\0\0\0\0\0\0{}")
    assert "no network is recognised in 0 tensors" in certify("import", "folder").err


def test_a_certificate_is_no_trained_network_and_what_it_is_is_said(certify: Any) -> None:
    certify("build", "Q_1", "-o", "m.json")
    imported = certify("import", "m.json", "-o", "t.json")
    assert (imported.code, imported.out) == (2, "")
    assert imported.err == ("certify: m.json: found a model file, expected weights of a trained network (.safetensors, "
                            ".pt, .onnx); certify model m.json\n")
    decided = certify("decide", "m.json")
    assert (decided.code, decided.out) == (2, "")
    assert decided.err.startswith("certify: m.json: found a model file, expected a trained network (certify import")
