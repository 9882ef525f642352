"""State dicts of TransformerLens 4: the names of TransformerBridge for its own programs, and for those of others."""

import json
import re
import warnings
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from constructions.importing.importer import import_network
from constructions.importing.questions import Options
from constructions.trained.network import AttentionStep, Rounding, Scale, UnitsStep
from tests.importing import models_in_torch as models
from tests.importing.test_decoders import KINDS
from tests.importing.test_logits_are_those_of_torch import EPSILON, GPT2, LLAMA, check_logits, imported
from tests.importing.test_names_never_decide import read, refusal
from tests.with_torch import torch_or_skip

CFG: dict[str, Any] = {
    "d_model": 8, "d_head": 4, "n_layers": 2, "n_ctx": 12, "n_heads": 2, "d_mlp": 6, "d_vocab": 5, "device": "cpu",
    "use_attn_result": False, "use_split_qkv_input": False, "default_prepend_bos": True,
    "positional_embedding_type": "standard", "n_key_value_heads": None, "attn_only": False, "gated_mlp": False,
    "uses_rms_norm": False, "eps": 1e-05, "layer_norm_folding": False, "act_fn": "silu", "normalization_type": "LN",
    "num_experts": None, "experts_per_token": None, "final_rms": False, "dtype": "torch.float32",
    "architecture": "TransformerLensNative", "tokenizer_prepends_bos": True, "tokenizer_appends_eos": False,
    "default_padding_side": None, "split_attention_weights": False, "model_name": "native", "use_attn_scale": True,
    "attn_scale": -1.0, "use_hook_mlp_in": False, "use_attn_in": False, "use_qk_norm": False, "use_local_attn": False,
    "original_architecture": None, "from_checkpoint": False, "checkpoint_index": None, "checkpoint_label_type": None,
    "checkpoint_value": None, "tokenizer_name": None, "window_size": None, "attn_types": None, "init_mode": "gpt2",
    "n_devices": 1, "attention_dir": "bidirectional", "seed": 0, "initializer_range": 0.282842712474619,
    "init_weights": True, "scale_attn_by_inverse_layer_idx": False, "d_vocab_out": 3, "parallel_attn_mlp": False,
    "rotary_dim": None, "n_params": None, "use_hook_tokens": False, "post_embedding_ln": False, "rotary_base": 10000,
    "trust_remote_code": False, "rotary_adjacent_pairs": False, "qk_norm_after_rope": False,
    "rotary_interleaved_cos_sin": False, "load_in_4bit": False, "per_layer_head_dim": None,
    "per_layer_num_key_value_heads": None, "relative_attention_max_distance": None,
    "relative_attention_num_buckets": None, "decoder_start_token_id": None, "scale_embedding": None,
    "tie_word_embeddings": False, "use_normalization_before_and_after": False, "attn_scores_soft_cap": -1.0,
    "output_logits_soft_cap": -1.0, "use_NTK_by_parts_rope": False, "NTK_by_parts_low_freq_factor": 1.0,
    "NTK_by_parts_high_freq_factor": 4.0, "NTK_by_parts_factor": 8.0, "rmsnorm_uses_offset": False,
    "attn_implementation": None, "is_audio_model": False, "is_visual_model": False, "is_stateful": False,
    "is_multimodal": False, "vision_hidden_size": None, "vision_num_layers": None, "vision_num_heads": None,
    "mm_tokens_per_image": None}
"""The entries of ``cfg.to_dict()`` of TransformerLens 4.3.0 for ``boot_native``."""


def native(state: models.State) -> models.State:
    """A network of ``models.hooked`` as ``boot_native`` has it: matrices are [out, in], and tables are not in files."""
    found = {}
    for name, tensor in state.items():
        stem, end = re.sub(r"\._(?=[Wb]_)", ".", name).rsplit(".", 1)
        kind, _, part = end.partition("_")
        if kind in ("W", "w", "b"):
            inside = "" if part in ("E", "U", "pos", "") else f".{part.lower()}"
            found[f"{stem}{inside}.{'bias' if kind == 'b' else 'weight'}"] = (
                tensor.flatten() if kind == "b" else tensor.permute(0, 2, 1).flatten(0, 1) if part in ("Q", "K", "V")
                else tensor.flatten(0, 1).T if part == "O" else tensor if part in ("E", "pos", "") else tensor.T)
    return {name: tensor.contiguous() for name, tensor in found.items()}


@pytest.mark.parametrize("names", ["TransformerBridge", "HookedTransformer"])
def test_scores_have_the_cap_of_the_settings(tmp_path: Path, names: str) -> None:
    torch = torch_or_skip()
    state, logits = models.hooked(torch, cap=0.75)
    config = CFG | {"attn_scores_soft_cap": 0.75}
    options = Options()
    if names == "HookedTransformer":
        del config["architecture"]
        options = Options(kind="hooked-transformer")
    saved = state if names == "HookedTransformer" else native(state)
    result = imported(torch, tmp_path, saved, options, config)
    check_logits(torch, result, logits)
    assert {step.cap for step in result.network.attention_steps} == {Fraction(3, 4)}
    assert "attn_scores_soft_cap: " in refusal(tmp_path, saved, options, config | {"attn_scores_soft_cap": -2.0})


def test_scores_keep_their_cap_where_torch_quantised_a_linear(tmp_path: Path) -> None:
    torch = torch_or_skip()
    saved = native(models.hooked(torch, cap=0.75)[0])
    name = "blocks.0.attn.q"
    linear = torch.nn.Linear(8, 8)
    linear.load_state_dict({end: saved.pop(f"{name}.{end}") for end in ("weight", "bias")})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = torch.ao.quantization.quantize_dynamic(torch.nn.Sequential(linear), {torch.nn.Linear},
                                                      dtype=torch.qint8)
    saved |= {f"{name}{key.removeprefix('0')}": value for key, value in made.state_dict().items()}
    config = CFG | {"attn_scores_soft_cap": 0.75, "dtype": "torch.float64"}
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    torch.save(saved, tmp_path / "model.pt")
    network = import_network([tmp_path / "model.pt", tmp_path / "config.json"], Options()).network
    assert any(isinstance(step, UnitsStep) and isinstance(step.activation, Rounding) for step in network.steps)
    assert {step.cap for step in network.attention_steps} == {Fraction(3, 4)}


@pytest.mark.parametrize(("rotary", "gated", "groups"), [
    ("", False, 2), ("neighbours", False, 1), ("neighbours", True, 2), ("", True, 1)])
def test_a_network_of_boot_native(tmp_path: Path, rotary: str, gated: bool, groups: int) -> None:
    torch = torch_or_skip()
    state, logits = models.hooked(torch, rotary, gated, groups)
    config = CFG | {"gated_mlp": gated, "n_key_value_heads": groups,
                    "positional_embedding_type": "rotary" if rotary else "standard"}
    result = imported(torch, tmp_path, native(state), Options(), config)
    check_logits(torch, result, logits)
    assert not rotary or ("rotary positions turn pairs of neighbours among the first 4 of 4 coordinates of queries and "
                          "keys, to base 10000") in result.report.assumed
    asked = {"rotary_base": Fraction(10000), "rows": 12} if rotary else {}
    options: Any = Options(kind="boot-native", attention="bidirectional", activation="silu", epsilon=EPSILON, heads=2)
    bare = imported(torch, tmp_path, native(state), replace(options, **asked))
    assert replace(bare.network, sources=()) == replace(result.network, sources=())


def test_what_no_file_of_boot_native_says_is_asked_for(tmp_path: Path) -> None:
    state = native(models.hooked(torch_or_skip(), "neighbours")[0])
    printed = refusal(tmp_path, state, Options())
    assert all(f"--{option}" in printed for option in (
        "kind boot-native", "attention", "heads", "epsilon", "activation", "rotary-base")), printed
    assert "expected --heads" in refusal(tmp_path, state, Options(), {k: v for k, v in CFG.items() if k not in (
        "n_heads", "positional_embedding_type")})


@pytest.mark.parametrize(("changes", "scale"), [
    ({}, Scale(root=4)), ({"attn_scale": 3.0}, Scale(times=Fraction(1, 3))), ({"use_attn_scale": False}, Scale(root=4)),
    ({"use_attn_scale": False, "attn_scale": 3.0}, Scale(root=4)), ({"d_vocab_out": -1}, Scale(root=4)),
    ({"rotary_base": 7, "rotary_dim": 2}, Scale(root=4))])
def test_settings_of_boot_native_mean_what_its_program_makes_of_them(
        tmp_path: Path, changes: dict[str, Any], scale: Scale) -> None:
    state = native(models.hooked(torch_or_skip())[0])
    network = read(tmp_path, state, Options(), CFG | changes).network
    assert {step.scale for step in network.steps if isinstance(step, AttentionStep)} == {scale}


@pytest.mark.parametrize(("changes", "printed"), [
    ({"architecture": "LlamaForCausalLM"}, 'architecture: "LlamaForCausalLM" is not supported, as settings of Transf'),
    ({"architecture": None}, "expected --kind boot-native, if it names"),
    ({"final_rms": True}, "final_rms: true is not supported"), ({"act_fn": "solu"}, 'act_fn: "solu" is not supported'),
    ({"rmsnorm_uses_offset": True}, "rmsnorm_uses_offset: true"), ({"rope_scaling": {"type": "linear"}}, "rope_scal"),
    ({"n_heads": 3}, "3 heads for 8 queries and 8 keys, expected a div"), ({"n_heads": 4}, "d_head: 4, but tensors"),
    ({"positional_embedding_type": "rotary"}, "config.json says positions rotary, but pos_embed.weight says learned"),
    ({"qk_norm_after_rope": True}, "qk_norm_after_rope: true"), ({"per_layer_head_dim": [4, 4]}, "per_layer_head_dim"),
    ({"new_habit": 1}, "new_habit: an unknown setting")])
def test_settings_of_boot_native_that_are_not_read_are_refused(
        tmp_path: Path, changes: dict[str, Any], printed: str) -> None:
    state = native(models.hooked(torch_or_skip())[0])
    assert re.search(printed, refusal(tmp_path, state, Options(), CFG | changes))


# -- programs of Hugging Face ------------------------------------------------------------------------------------------

_GPT = {"embed": "transformer.wte", "pos_embed": "transformer.wpe", "ln_final": "transformer.ln_f",
        "unembed": "lm_head", "blocks.": "transformer.h.", "ln1": "ln_1", "ln2": "ln_2"}
_LLAMA = {"embed": "model.embed_tokens", "ln_final": "model.norm", "unembed": "lm_head", "blocks.": "model.layers.",
          "ln1": "input_layernorm", "ln2": "post_attention_layernorm", "attn.o": "self_attn.o_proj",
          "mlp.in": "mlp.up_proj", "mlp.out": "mlp.down_proj", "mlp.gate": "mlp.gate_proj",
          "attn.q_norm": "self_attn.q_norm", "attn.k_norm": "self_attn.k_norm",
          **{f"attn.{part}": f"self_attn.{part}_proj" for part in "qkv"}}
_NEOX = {"embed": "gpt_neox.embed_in", "ln_final": "gpt_neox.final_layer_norm", "unembed": "embed_out",
         "blocks.": "gpt_neox.layers.", "ln1": "input_layernorm", "ln2": "post_attention_layernorm",
         "attn.qkv": "attention.query_key_value", "attn.o": "attention.dense", "mlp.in": "mlp.dense_h_to_4h",
         "mlp.out": "mlp.dense_4h_to_h"}
_BERT = "bert.embeddings."
BRIDGES: dict[str, dict[str, str]] = {
    "gpt2": _GPT | {"attn.qkv": "attn.c_attn", "attn.o": "attn.c_proj", "mlp.in": "mlp.c_fc", "mlp.out": "mlp.c_proj"},
    "llama": _LLAMA, "qwen3": _LLAMA, "gemma": _LLAMA, "neox": _NEOX, "neox side by side": _NEOX,
    "gemma2": _LLAMA | {"ln1_post": "post_attention_layernorm", "ln2": "pre_feedforward_layernorm",
                        "ln2_post": "post_feedforward_layernorm"},
    "neo": _GPT | {"attn.o": "attn.attention.out_proj", "mlp.in": "mlp.c_fc", "mlp.out": "mlp.c_proj",
                   **{f"attn.{part}": f"attn.attention.{part}_proj" for part in "qkv"}},
    "gptj": _GPT | {"attn.o": "attn.out_proj", "mlp.in": "mlp.fc_in", "mlp.out": "mlp.fc_out",
                    **{f"attn.{part}": f"attn.{part}_proj" for part in "qkv"}},
    "opt": {"embed": "model.decoder.embed_tokens", "pos_embed": "model.decoder.embed_positions", "unembed": "lm_head",
            "ln_final": "model.decoder.final_layer_norm", "blocks.": "model.decoder.layers.", "mlp.in": "fc1",
            "ln1": "self_attn_layer_norm", "ln2": "final_layer_norm", "attn.o": "self_attn.out_proj", "mlp.out": "fc2",
            **{f"attn.{part}": f"self_attn.{part}_proj" for part in "qkv"}},
    "bloom": {"embed": "transformer.word_embeddings", "embed_ln": "transformer.word_embeddings_layernorm",
              "ln_final": "transformer.ln_f", "unembed": "lm_head", "blocks.": "transformer.h.",
              "ln1": "input_layernorm", "ln2": "post_attention_layernorm", "attn.qkv": "self_attention.query_key_value",
              "attn.o": "self_attention.dense", "mlp.in": "mlp.dense_h_to_4h", "mlp.out": "mlp.dense_4h_to_h"},
    "phi": _LLAMA | {"ln_final": "model.final_layernorm", "attn.o": "self_attn.dense", "mlp.in": "mlp.fc1",
                     "mlp.out": "mlp.fc2"},
    "bert masked": {
        "embed": f"{_BERT}word_embeddings", "pos_embed": f"{_BERT}position_embeddings",
        "blocks.": "bert.encoder.layer.", "token_type_embed": f"{_BERT}token_type_embeddings",
        "embed_ln": f"{_BERT}LayerNorm", "ln1": "attention.output.LayerNorm", "ln2": "output.LayerNorm",
        "attn.o": "attention.output.dense",
        "mlp.in": "intermediate.dense", "mlp.out": "output.dense", "mlm_head": "cls.predictions.transform.dense",
        "ln_final": "cls.predictions.transform.LayerNorm", "unembed": "cls.predictions.decoder",
        "cls.predictions": "cls.predictions",
        **{f"attn.{part}": f"attention.self.{name}" for part, name in (("q", "query"), ("k", "key"), ("v", "value"))}}}
"""For each family of TransformerLens 4.3.0 its names, and those of Hugging Face; ``attn.qkv`` it splits in three."""


def bridged(torch: Any, state: models.State, kind: str) -> models.State:
    """Return a state dict of Hugging Face as ``state_dict()`` of its TransformerBridge."""
    names = BRIDGES[kind]
    found: models.State = {}
    theirs = {one: ours for ours, one in names.items()}
    for name, tensor in state.items():
        stem, end = name.rsplit(".", 1)
        before, number = "", re.match(re.escape(names["blocks."]) + r"(\d+)\.", stem)
        if number:
            before, stem = f"blocks.{number[1]}.", stem[number.end():]
        ours = theirs.get(stem)
        if ours == "attn.qkv":
            flat = tensor.T if kind == "gpt2" and tensor.ndim == 2 else tensor
            parts = flat.chunk(3) if kind == "gpt2" else flat.unflatten(0, (2, 3, -1)).transpose(0, 1).flatten(1, 2)
            found |= {f"{before}attn.{one}.{end}": part for one, part in zip("qkv", parts, strict=True)}
        elif ours and (before or names.get(ours) == stem):
            found[f"{before}{ours}.{end}"] = tensor
    found.setdefault("unembed.weight", found["embed.weight"])
    found.setdefault("unembed.bias", found.get("cls.predictions.bias", torch.zeros(len(found["embed.weight"]))))
    return found


@pytest.mark.parametrize("kind", BRIDGES)
def test_names_of_the_bridge_are_those_of_the_family_in_config_json(tmp_path: Path, kind: str) -> None:
    torch = torch_or_skip()
    state, logits, config = (
        KINDS[kind](torch) if kind in KINDS else (*models.gpt2(torch), GPT2) if kind == "gpt2" else
        (*models.llama(torch), LLAMA))
    if kind == "bloom":
        state = {f"transformer.{name}": tensor for name, tensor in state.items()}
    result = imported(torch, tmp_path, bridged(torch, state, kind), Options(), config)
    check_logits(torch, result, logits)
    assert replace(result.network, sources=()) == replace(
        imported(torch, tmp_path, state, Options(), config).network, sources=())


def test_what_is_no_state_dict_of_the_model_as_it_was_is_refused(tmp_path: Path) -> None:
    torch = torch_or_skip()
    state = bridged(torch, models.gpt2(torch)[0], "gpt2")
    assert "architecture" in refusal(tmp_path, state, Options(), CFG | {"architecture": "GPT2LMHeadModel"})
    assert refusal(tmp_path, state, Options(), GPT2 | {"scale_attn_weights": False}) == (
        "config.json, scale_attn_weights: false is not supported, as TransformerBridge ignores it and transformers "
        "does not, expected true")
    processed = state | {"unembed.bias": torch.ones(5)}
    assert refusal(tmp_path, processed, Options(), GPT2) == (
        "m.pt: tensor unembed.bias is not 0, expected the weights as Hugging Face GPT-2 has them, not processed "
        "(enable_compatibility_mode)")
    inside = {name.replace(".", "._original_component."): one for name, one in state.items()}
    assert "expected the state_dict() of the TransformerBridge itself, not of the wrapped module; " in refusal(
        tmp_path, inside, Options())
    twice = state | {"transformer.wte.weight": torch.ones(5, 8)}
    assert "transformer.wte.weight: the files also have a tensor of this name" in refusal(
        tmp_path, twice, Options(), GPT2)
    shapeless = state | {"blocks.0.attn.q.weight": torch.tensor(1.0)}
    assert "tensor" in refusal(tmp_path, shapeless, Options(), GPT2)
