"""An imported network computes what torch computes from the same state dict, to the accuracy of binary64."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from constructions.errors import InputError
from constructions.importing.importer import Imported, import_network
from constructions.importing.questions import Options
from constructions.trained.json_form import read_network
from proofs.trained.forward import FloatNetwork
from tests.importing import models_in_torch as models
from tests.trained.small_networks import write_network
from tests.with_torch import torch_or_skip

EPSILON = Fraction(1, 100000)
ENCODER = Options(kind="torch-encoder", attention="causal", activation="gelu", epsilon=EPSILON, heads=2,
                  norm_first=True, readout="each")
GPT2 = {"model_type": "gpt2", "n_head": 2, "n_layer": 2, "activation_function": "gelu_new", "layer_norm_epsilon": 1e-5}
LLAMA = {"model_type": "llama", "num_attention_heads": 4, "num_hidden_layers": 2, "num_key_value_heads": 2,
         "hidden_act": "silu",
         "rms_norm_eps": 1e-6, "max_position_embeddings": 12, "rope_theta": 10000.0}


def imported(torch: Any, folder: Path, state: Any, options: Options, config: Any = None) -> Imported:
    """Saved by torch, imported, written to a file and read again."""
    torch.save(state, folder / "model.pt")
    files = [folder / "model.pt"]
    if config:
        (folder / "config.json").write_text(json.dumps(config))
        files.append(folder / "config.json")
    result = import_network(files, options)
    write_network(result.network, folder / "network.json")
    assert read_network(folder / "network.json") == result.network
    return result


def check_logits(torch: Any, result: Imported, logits: models.Logits) -> None:
    tokens = np.random.default_rng(5).integers(0, models.VOCABULARY, (20, 7))
    with torch.no_grad():
        expected = logits(torch.from_numpy(tokens)).numpy()
    assert np.abs(FloatNetwork(result.network).logits(tokens, 0) - expected).max() < 1e-11


@pytest.mark.parametrize("prefix", ["transformer.", "", "_orig_mod.transformer."])
def test_gpt2(tmp_path: Path, prefix: str) -> None:
    torch = torch_or_skip()
    state, logits = models.gpt2(torch, prefix)
    check_logits(torch, imported(torch, tmp_path, state, Options(), GPT2), logits)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("wrapped", [True, False])
def test_nanogpt(tmp_path: Path, bias: bool, wrapped: bool) -> None:
    torch = torch_or_skip()
    state, logits = models.gpt2(torch, "_orig_mod.transformer.", linear=True, bias=bias)
    state["_orig_mod.lm_head.weight"] = state["_orig_mod.transformer.wte.weight"]
    saved = {"model": state, "optimizer": {"state": {0: {"exp_avg": torch.zeros(3)}}, "lr": 0.1}, "iter_num": 5,
             "best_val_loss": torch.tensor(0.5),
             "model_args": {"n_layer": 2, "n_head": 2, "bias": bias, "dropout": 0.0}} if wrapped else state
    options = Options(kind="nanogpt", attention="causal", activation="gelu", epsilon=EPSILON,
                      heads=None if wrapped else 2)
    result = imported(torch, tmp_path, saved, options)
    check_logits(torch, result, logits)
    beside = {name: "beside the state dict" for name in ("optimizer", "iter_num", "best_val_loss") if wrapped}
    assert result.report.not_weights == beside | {
        "lm_head.weight": "equal to transformer.wte.weight"}


@pytest.mark.parametrize(("rotary", "gated", "groups"), [
    ("", False, 2), ("halves", True, 2), ("neighbours", False, 1), ("neighbours", True, 2)])
def test_hooked_transformer(tmp_path: Path, rotary: str, gated: bool, groups: int) -> None:
    torch = torch_or_skip()
    state, logits = models.hooked(torch, rotary, gated, groups)
    options = Options(kind="hooked-transformer", attention="bidirectional", activation="silu", epsilon=EPSILON)
    result = imported(torch, tmp_path, state, options)
    check_logits(torch, result, logits)
    assert sorted(result.report.not_weights) == [
        f"blocks.{layer}.attn.{name}" for layer in (0, 1) for name in ("IGNORE", "mask")]


def test_llama(tmp_path: Path) -> None:
    torch = torch_or_skip()
    state, logits = models.llama(torch)
    check_logits(torch, imported(torch, tmp_path, state, Options(), LLAMA), logits)


@pytest.mark.parametrize("norm_first", [True, False])
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("table", ["learned", "buffer", "sinusoidal"])
def test_transformer_encoder(tmp_path: Path, norm_first: bool, causal: bool, table: str) -> None:
    torch = torch_or_skip()
    state, logits = models.encoder(torch, norm_first, causal, table)
    options = replace(ENCODER, attention="causal" if causal else "bidirectional",
                      norm_first=norm_first)
    if table == "sinusoidal":
        options = replace(options, positions="sinusoidal", rows=12)
    check_logits(torch, imported(torch, tmp_path, state, options), logits)


@pytest.mark.parametrize("wrapper", ["DataParallel", "compile", "both"])
def test_wrapped_modules_have_the_names_of_what_they_wrap(tmp_path: Path, wrapper: str) -> None:
    torch = torch_or_skip()
    state, logits = models.encoder(torch, True, True)
    model: Any = logits
    model = model.float()
    wrapped = torch.nn.DataParallel(model) if wrapper != "compile" else model
    saved = (torch.compile(wrapped) if wrapper != "DataParallel" else wrapped).state_dict()
    assert all(name not in saved for name in state)
    result = imported(torch, tmp_path, {name: one.clone() for name, one in saved.items()},
                      replace(ENCODER, output_layer=next(name for name in saved if name.endswith("fc.weight"))))
    assert "names of tensors are read without module and _orig_mod, of what wraps the network" in result.report.assumed
    assert "embedding.weight" in result.network.tensors
    check_logits(torch, result, model.double())


@pytest.mark.parametrize(("like", "norm_first", "more"), [
    ("torch", False, {"activation": "gelu"}), ("gpt2", True, {"activation": "gelu"})])
def test_presets_answer_what_no_option_does(tmp_path: Path, like: Any, norm_first: bool, more: dict[str, Any]) -> None:
    torch = torch_or_skip()
    state, logits = models.encoder(torch, norm_first, like == "gpt2")
    options = Options(kind="torch-encoder", heads=2, readout="each", like=like, **more)
    result = imported(torch, tmp_path, state, options)
    check_logits(torch, result, logits)
    assert f"--epsilon 0.00001, as --like {like} says" in result.report.assumed
    with pytest.raises(InputError, match="--like has no effect"):
        imported(torch, tmp_path, models.gpt2(torch)[0], Options(like="gpt2"), GPT2)
    with pytest.raises(InputError, match=r"; or --like torch or gpt2 or llama for its defaults$"):
        imported(torch, tmp_path, state, Options(kind="torch-encoder", heads=2))


def test_alibi(tmp_path: Path) -> None:
    torch = torch_or_skip()
    state, logits = models.encoder(torch, True, True, "alibi")
    options = replace(ENCODER, positions="alibi")
    result = imported(torch, tmp_path, state, options)
    check_logits(torch, result, logits)
    assert result.network.rows is None


def test_token_vectors_times_the_root_of_the_width(tmp_path: Path) -> None:
    torch = torch_or_skip()
    state, logits = models.encoder(torch, False, True, "learned", scaled=True)
    options = replace(ENCODER, norm_first=False, embedding_scale="sqrt(d)")
    check_logits(torch, imported(torch, tmp_path, state, options), logits)


@pytest.mark.parametrize("form", ["float64", "float16", "bfloat16"])
def test_other_formats_are_exact(tmp_path: Path, form: str) -> None:
    torch = torch_or_skip()
    state, logits = models.gpt2(torch)
    rounded = {name: tensor.to(getattr(torch, form)) for name, tensor in state.items()}
    result = imported(torch, tmp_path, rounded, Options(), GPT2)
    tensor = result.network.tensors["transformer.wte.weight"]
    assert tensor.data == rounded["transformer.wte.weight"].view(torch.uint8).numpy().tobytes()
    if form == "float64":
        check_logits(torch, result, logits)
