"""Decoders of Hugging Face, tiny and random, compute what torch computes from the same state dict."""

import json
from fractions import Fraction
from math import pi
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from constructions.errors import InputError
from constructions.importing.importer import import_network
from constructions.importing.questions import Options
from tests.importing import decoders_in_torch as decoders
from tests.importing.test_logits_are_those_of_torch import check_logits, imported
from tests.with_torch import torch_or_skip

KINDS: dict[str, Any] = {
    "neox side by side": lambda torch: decoders.neox(torch, True),
    "neox": lambda torch: decoders.neox(torch, False),
    "neo": decoders.neo, "gptj": decoders.gptj, "opt": decoders.opt, "bloom": decoders.bloom, "phi": decoders.phi,
    **{f"bert {head}": (lambda torch, head=head: decoders.bert(torch, head)) for head in ("masked", "first", "tokens")},
    "qwen3": lambda torch: decoders.llama_like(torch, "qwen3"),
    "gemma": lambda torch: decoders.llama_like(torch, "gemma"),
    "gemma2": lambda torch: decoders.llama_like(torch, "gemma2")}


@pytest.mark.parametrize("kind", KINDS)
def test_a_decoder(tmp_path: Path, kind: str) -> None:
    torch = torch_or_skip()
    state, logits, config = KINDS[kind](torch)
    check_logits(torch, imported(torch, tmp_path, state, Options(), config), logits)


@pytest.mark.parametrize("kind", ["qwen3", "plain"])
def test_names_of_llama_without_config_json_are_asked_about(tmp_path: Path, kind: str) -> None:
    torch = torch_or_skip()
    state, logits, _ = decoders.llama_like(torch, kind)
    with pytest.raises(InputError, match=r"expected --kind .*llama.*; --heads H.*; --epsilon .*; .*--rotary-base"):
        imported(torch, tmp_path, state, Options())
    options = Options(kind="qwen3" if kind == "qwen3" else "llama", heads=4, epsilon=Fraction(1, 10**6),
                      activation="silu", rotary_base=Fraction(30), rows=12)
    check_logits(torch, imported(torch, tmp_path, state, options), logits)


def test_a_window_bounds_the_positions(tmp_path: Path) -> None:
    torch = torch_or_skip()
    state, _, config = decoders.neo(torch)
    result = imported(torch, tmp_path, state, Options(), config)
    assert result.network.rows == 9
    assert "attention sees 9 tokens back, so there are 9 positions at most" in result.report.assumed


@pytest.mark.parametrize("kind", ["qwen3", "llama"])
@pytest.mark.parametrize("scaling", ["linear", "llama3"])
def test_scaled_rotary_positions(tmp_path: Path, kind: str, scaling: str) -> None:
    torch = torch_or_skip()
    plain = [30.0 ** -(r / 3) for r in range(3)]
    if scaling == "linear":
        told: dict[str, Any] = {"rope_type": "linear", "factor": 4.0}
        frequencies = [f / 4 for f in plain]
    else:
        told = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                "original_max_position_embeddings": 16}
        frequencies = []
        for f in plain:
            waves = 16 / (2 * pi / f)
            part = min(max((waves - 1) / 3, 0), 1)
            frequencies.append((1 - part) * f / 8 + part * f)
    state, logits, config = decoders.llama_like(torch, kind, torch.tensor(frequencies, dtype=torch.float64))
    config |= {"rope_scaling": told}
    check_logits(torch, imported(torch, tmp_path, state, Options(), config), logits)


@pytest.mark.parametrize(("kind", "changes", "printed"), [
    ("qwen3", {"rope_scaling": {"rope_type": "yarn", "factor": 2.0}},
     'config.json, rope_scaling: "yarn" is not supported, expected default, linear or llama3'),
    ("opt", {"do_layer_norm_before": False}, "config.json, do_layer_norm_before: false is not supported"),
    ("neox", {"model_type": "gemma3_text"}, "config.json, model_type|no network is recognised"),
    ("phi", {"num_attention_heads": 3}, "3 heads and 3 keys for queries of 8 numbers, expected divisors"),
    ("neox", {"rotary_pct": 0.25}, "1 of 4 coordinates of a head are turned, expected an even number"),
    ("bloom", {"num_attention_heads": 2, "n_layer": 3}, "2 layers, expected 3")])
def test_what_no_row_says_is_refused_by_its_name(tmp_path: Path, kind: str, changes: dict[str, Any],
                                                  printed: str) -> None:
    torch = torch_or_skip()
    state, _, config = KINDS[kind](torch)
    with pytest.raises(InputError, match=printed):
        imported(torch, tmp_path, state, Options(), config | changes)


def test_a_missing_tensor_and_one_too_many_are_named(tmp_path: Path) -> None:
    torch = torch_or_skip()
    state, _, config = decoders.phi(torch)
    (tmp_path / "config.json").write_text(json.dumps(config))
    arrays = {name: tensor.numpy() for name, tensor in state.items()}
    for change, printed in ((None, "m.npz: no tensor model.layers.1.mlp.fc2.weight, expected it beside the other "
                                   "tensors"),
                            (np.zeros(3), r"m.npz: tensor extra \(<f8 \[3\]\) is not understood")):
        changed = dict(arrays)
        if change is None:
            del changed["model.layers.1.mlp.fc2.weight"]
        else:
            changed["extra"] = change
        np.savez(tmp_path / "m.npz", **changed)
        with pytest.raises(InputError, match=printed):
            import_network([tmp_path / "m.npz", tmp_path / "config.json"])
