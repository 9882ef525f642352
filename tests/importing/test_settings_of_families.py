"""Settings of each family: a key gives other logits, the same for a stated reason, or a refusal; defaults are known.

The defaults are those of the configuration classes of transformers 4.57.6 and 5.24.0.
"""

import copy
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from typing import Any

import numpy as np
import pytest

from constructions.errors import InputError
from constructions.importing.config_file import COMMON, ONLY, WITHOUT_EFFECT, Key, Settings
from constructions.importing.contents import Contents, Stored
from constructions.importing.families import ROWS
from constructions.importing.importer import recognise, recogniser_of
from constructions.importing.parts import TensorReader
from constructions.importing.questions import Options, Questions
from constructions.trained.network import TrainedNetwork
from proofs.trained.forward import FloatNetwork
from tests.importing import decoders_in_torch as in_torch
from tests.importing import models_in_torch as models
from tests.importing.test_logits_are_those_of_torch import GPT2, LLAMA
from tests.with_torch import torch_or_skip

KEYS = {row.model_type: row.keys for row in ROWS}
FAMILIES = tuple(name for name in KEYS if name != "nanogpt")
DEFAULTS: dict[str, dict[str, Any]] = {
    "gpt2": {"n_head": 12, "n_layer": 12, "activation_function": "gelu_new", "layer_norm_epsilon": 1e-5,
             "tie_word_embeddings": True, "scale_attn_weights": True, "scale_attn_by_inverse_layer_idx": False},
    "gpt_neox": {"num_attention_heads": 64, "num_hidden_layers": 44, "max_position_embeddings": 2048,
                 "hidden_act": "gelu", "layer_norm_eps": 1e-5, "tie_word_embeddings": False,
                 "use_parallel_residual": True, "attention_bias": True, "rotary_emb_base": 10000, "rotary_pct": 0.25},
    "gpt_neo": {"num_heads": 16, "num_layers": 24, "activation_function": "gelu_new", "layer_norm_epsilon": 1e-5,
                "tie_word_embeddings": True, "window_size": 256, "attention_types": [[["global", "local"], 12]]},
    "gptj": {"n_head": 16, "n_layer": 28, "n_positions": 2048, "activation_function": "gelu_new",
             "layer_norm_epsilon": 1e-5, "tie_word_embeddings": False, "rotary_dim": 64},
    "opt": {"num_attention_heads": 12, "num_hidden_layers": 12, "activation_function": "relu",
            "tie_word_embeddings": True, "enable_bias": True, "pad_token_id": 1},
    "bloom": {"n_head": 8, "n_layer": 2, "layer_norm_epsilon": 1e-5, "tie_word_embeddings": True},
    "phi": {"num_attention_heads": 32, "num_hidden_layers": 24, "max_position_embeddings": 2048,
            "hidden_act": "gelu_new", "layer_norm_eps": 1e-5, "tie_word_embeddings": False, "rope_theta": 10000,
            "partial_rotary_factor": 0.5},
    "gemma": {"num_attention_heads": 16, "num_hidden_layers": 28, "num_key_value_heads": 16,
              "max_position_embeddings": 8192, "hidden_act": "gelu_pytorch_tanh", "rms_norm_eps": 1e-6,
              "tie_word_embeddings": True, "rope_theta": 10000, "attention_bias": False, "pad_token_id": 0},
    "gemma2": {"num_attention_heads": 8, "num_hidden_layers": 26, "num_key_value_heads": 4,
               "max_position_embeddings": 8192, "hidden_activation": "gelu_pytorch_tanh", "rms_norm_eps": 1e-6,
               "tie_word_embeddings": True, "rope_theta": 10000, "attention_bias": False, "pad_token_id": 0,
               "query_pre_attn_scalar": 256, "sliding_window": 4096, "attn_logit_softcapping": 50,
               "final_logit_softcapping": 30},
    "llama": {"num_attention_heads": 32, "num_hidden_layers": 32, "max_position_embeddings": 2048, "hidden_act": "silu",
              "rms_norm_eps": 1e-6, "tie_word_embeddings": False, "rope_theta": 10000, "attention_bias": False,
              "mlp_bias": False},
    "mistral": {"num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 8,
                "max_position_embeddings": 131072, "hidden_act": "silu", "rms_norm_eps": 1e-6,
                "tie_word_embeddings": False, "rope_theta": 10000, "sliding_window": 4096},
    "qwen2": {"num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 32,
              "max_position_embeddings": 32768, "hidden_act": "silu", "rms_norm_eps": 1e-6,
              "tie_word_embeddings": False, "rope_theta": 10000, "sliding_window": 4096, "use_sliding_window": False},
    "bert": {"num_attention_heads": 12, "num_hidden_layers": 12, "hidden_act": "gelu", "layer_norm_eps": 1e-12,
             "tie_word_embeddings": True}}
DEFAULTS["qwen3"] = DEFAULTS["qwen2"] | {"attention_bias": False}
NO_LOGITS = {"architectures": "the head that there is", "id2label": "names of classes", "num_labels": "no classes here",
             "_num_labels": "no classes here", "pad_token_id": "of heads of classes", "dtype": "what tensors have",
             "torch_dtype": "what tensors have"}
ROWS_ALONE = ("max_position_embeddings", "n_positions", "sliding_window", "window_size")
"""Keys that bound the positions of the network, and change nothing of what it computes on these."""
WINDOWS = ("use_sliding_window", "layer_types", "attention_types", "attention_layers")
TOKENS = np.random.default_rng(5).integers(0, models.VOCABULARY, (2, 6))


@cache
def family(name: str) -> tuple[Contents, dict[str, Any]]:
    """Return the tensors of a tiny network, and settings that state every size."""
    torch = torch_or_skip()
    plain = {"gpt2": (models.gpt2, GPT2), "llama": (models.llama, LLAMA), "mistral": (models.llama, LLAMA),
             "qwen2": (models.llama, LLAMA)}
    if name in plain:
        make, settings = plain[name]
        state, _ = make(torch)
        if name == "qwen2":
            sizes = {"q": 16, "k": 8, "v": 8}
            state |= models.random_tensors(torch, {f"model.layers.{layer}.self_attn.{part}_proj.bias": (size,)
                                                   for layer in (0, 1) for part, size in sizes.items()}, 2)
    elif name in ("gemma", "gemma2", "qwen3"):
        state, _, settings = in_torch.llama_like(torch, name)
    else:
        others: dict[str, Any] = {
            "gpt_neox": partial(in_torch.neox, parallel=True), "gpt_neo": in_torch.neo, "gptj": in_torch.gptj,
            "opt": in_torch.opt, "bloom": in_torch.bloom, "phi": in_torch.phi,
            "bert": partial(in_torch.bert, head="masked")}
        state, _, settings = others[name](torch)
    stored = {key: Stored("float32", "binary32", tuple(value.shape), partial(content, value))
              for key, value in state.items()
              if value.is_floating_point() and (name, key) != ("gpt_neo", "lm_head.weight")}
    turned = {"gpt_neox": {"rotary_pct": 1.0}, "phi": {"partial_rotary_factor": 1.0}}.get(name, {})
    stated = settings | turned | {"model_type": name, KEYS[name]["layers"].names[0]: 2}
    for key in KEYS[name].values():  # under the first of its names
        for other in key.names[1:]:
            if other in stated:
                stated[key.names[0]] = stated.pop(other)
    return Contents(stored), {key: exact(value) for key, value in stated.items()}


def content(tensor: Any) -> bytes:
    data: bytes = tensor.numpy().tobytes()
    return data


def exact(value: Any) -> Any:
    """Floats as the decimal numbers that files have."""
    return Fraction(str(value)) if isinstance(value, float) else value


def read(name: str, changes: Mapping[str, Any], left_out: str = "") -> tuple[TrainedNetwork, Settings]:
    """Return the network with some settings changed, and what each setting was taken for."""
    contents, told = family(name)
    kept = {key: value for key, value in {**copy.deepcopy(told), **changes}.items() if key != left_out}
    settings = Settings(kept, "config.json", WITHOUT_EFFECT)
    weights, questions = TensorReader(contents, "m"), Questions(Options(), "m")
    found = recogniser_of(weights, settings, None)[0].build(weights, settings, questions)
    settings.finish()
    questions.finish()
    return TrainedNetwork(found.attention, found.tokens, found.positions, found.steps, found.unembedding,
                          weights.tensors, (), found.readout), settings


def logits(network: TrainedNetwork) -> Any:
    return FloatNetwork(network).logits(TOKENS[:, : min(6, network.rows or 6)], 0)


def other_values(name: str, key: Key, told: Mapping[str, Any]) -> list[Any]:
    """Return valid values except the stated one and the default."""
    now = told.get(name, key.default)
    match now:
        case bool():
            return [not now]
        case int() | Fraction():
            return [now + 1, now * 2]
        case str():
            return ["relu", "gelu", "quick_gelu"] if "act" in name else ["float16"]
    values: dict[str, list[Any]] = {
        "architectures": [["GPT2ForQuestionAnswering"], ["LlamaModel"]], "layer_types": [["sliding_attention"] * 2],
        "attention_layers": [["local"] * 2, ["other"]], "attention_types": [[[["global"], 2]]], "dtype": ["float16"],
        "torch_dtype": ["float64", "float16"]}
    return values.get(name, [3])


@pytest.mark.parametrize("name", FAMILIES)
def test_each_key_of_a_family_gives_other_logits_or_the_same_for_a_reason_or_a_refusal(name: str) -> None:
    _, told = family(name)
    network, _ = read(name, {})
    expected = logits(network)
    for key in KEYS[name].values():
        for one in (*key.names, *key.echoes):
            for value in other_values(one, key, told):
                if value == told.get(one):
                    continue
                try:
                    changed, settings = read(name, {one: value})
                except InputError as refused:
                    assert "\n" not in str(refused)
                    continue
                assert settings.meanings.get(one, "").startswith(("used", "without effect: ")), one
                if one in ROWS_ALONE:
                    assert changed.rows != network.rows or value > (network.rows or 0)
                elif one not in NO_LOGITS and one not in WINDOWS:
                    found = logits(changed)
                    assert found.shape != expected.shape or np.abs(found - expected).max() > 1e-6, (one, value)


@pytest.mark.parametrize("name", FAMILIES)
def test_keys_without_effect_change_nothing_and_say_why(name: str) -> None:
    without = {key: value for key, value in WITHOUT_EFFECT.items()
               if key not in ("transformers_version", "pad_token_id") and all(key not in one.names
                                                                              for one in KEYS[name].values())}
    row = next(row for row in ROWS if row.model_type == name)
    without = {key: value for key, value in without.items() if key not in row.only}
    network, settings = read(name, dict.fromkeys(without, 3))
    assert network == read(name, {})[0]
    assert {key: settings.meanings[key] for key in without} == {
        key: f"without effect: {reason}" for key, reason in without.items()}


@pytest.mark.parametrize("name", FAMILIES)
def test_keys_that_are_handled_at_one_value_alone_are_refused_at_others(name: str) -> None:
    row = next(row for row in ROWS if row.model_type == name)
    for key, handled in {**ONLY, **row.only}.items():
        for value in (True, False, None, 7, "x", {"a": 1}, [1]):
            if not any(type(value) is type(one) and value == one for one in handled):
                with pytest.raises(InputError, match=f"^config.json, {key}: "):
                    read(name, {key: value})


@pytest.mark.parametrize("name", FAMILIES)
def test_what_is_left_out_is_the_default_of_the_library(name: str) -> None:
    """The recorded default is that of the table, and stating it is the same as leaving it out."""
    known = {key.names[0]: key.default for word, key in KEYS[name].items()
             if key.default is not None and (word not in COMMON or key != COMMON[word])}
    recorded = {key: exact(value) for key, value in DEFAULTS[name].items()}
    assert known == recorded

    def outcome(changes: Mapping[str, Any], left_out: str = "") -> Any:
        try:
            return read(name, changes, left_out)[0]
        except InputError:
            return "refused"

    for key, value in recorded.items():
        if key not in ("num_hidden_layers", "n_layer", "num_layers", *ROWS_ALONE):  # sizes, and long tables
            assert outcome({}, key) == outcome({key: value}), key


@pytest.mark.parametrize("change", [{"scale_attn_weights": False}, {"scale_attn_by_inverse_layer_idx": True}])
def test_what_releases_read_in_two_ways_is_refused_unless_the_release_is_told(change: dict[str, Any]) -> None:
    """GPT-2's default attention ignored how scores are scaled from transformers 4.42 to 5.3."""
    plain = logits(read("gpt2", {})[0])
    for release in ("4.40.2", "4.42.0.dev0", "4.57.6", "5.3.0", "5.4.0.dev0", "5.4.0", "5.24.0", None):
        told = change | ({} if release is None else {"transformers_version": release})
        if release in ("4.40.2", "5.4.0", "5.24.0"):
            assert np.abs(logits(read("gpt2", told)[0]) - plain).max() > 1e-6
        else:
            with pytest.raises(InputError, match="is not supported, as transformers "):
                read("gpt2", told)


@pytest.mark.parametrize(("name", "changes", "printed"), [
    ("gpt2", {"model_type": "gpt_bigcode"}, 'model_type: "gpt_bigcode" is not supported, expected '),
    ("llama", {"model_type": "harmless"}, 'model_type: "harmless" is not supported, expected '),
    ("bert", {"model_type": "roberta"}, 'model_type: "roberta" is not supported, expected '),
    ("llama", {"is_causal": False}, "is_causal: false is not supported, expected true"),
    ("gpt2", {"is_causal": None}, "is_causal: null is not supported, expected true"),
    ("bert", {"is_causal": True}, "is_causal: true is not supported, expected it to be omitted"),
    ("gemma2", {"attn_logit_softcapping": -50}, "attn_logit_softcapping: -50, expected a number above 0"),
    ("gemma2", {"final_logit_softcapping": 30}, "final_logit_softcapping: 30 is not supported, expected null"),
    ("gemma", {"attn_logit_softcapping": 50}, "attn_logit_softcapping: an unknown setting"),
    ("gemma", {"use_bidirectional_attention": True}, "use_bidirectional_attention: true is not supported"),
    ("gemma", {"hidden_act": "gelu"}, 'hidden_act: "gelu" is not supported, expected "gelu_pytorch_tanh"'),
    ("qwen3", {"head_dim": 8}, "head_dim: 8, but heads of self_attn.q_proj have the width: 6"),
    ("llama", {"head_dim": 8}, "head_dim: 8, but heads of self_attn.q_proj have the width: 4"),
    ("gpt_neox", {"head_dim": 4}, "head_dim: an unknown setting"),
    ("gpt2", {"num_attention_heads": 4}, "num_attention_heads: 4, but n_head says 2"),
    ("gpt2", {"n_inner": 32}, "n_inner: 32, but transformer.h.0.mlp.c_fc has units: 16"),
    ("llama", {"attention_bias": True}, "m: no tensor model.layers.0.self_attn.q_proj.bias, expected it beside"),
    ("llama", {"tie_word_embeddings": True}, "tie_word_embeddings: true (or omitted, which is true), but"),
    ("gpt2", {"dtype": "float16"}, 'dtype: "float16", but transformer.wte.weight has elements binary32, which'),
    ("gpt2", {"architectures": ["GPT2Model"]}, 'architectures: "GPT2Model" is unknown, expected GPT2ForSeq'),
    ("mistral", {"architectures": ["LlamaForCausalLM"]}, 'architectures: "LlamaForCausalLM" is unknown'),
    ("mistral", {"layer_types": ["full_attention"] * 2}, "layer_types: an unknown setting"),
    ("qwen2", {"layer_types": ["chunked_attention"] * 2}, 'layer_types: "chunked_attention" is not supported'),
    ("gpt2", {"transformers_version": "6.0.0"}, 'transformers_version: "6.0.0", expected one below 6'),
    ("bert", {"position_embedding_type": "relative_key"}, 'position_embedding_type: "relative_key" is not supported'),
    ("gpt2", {"quantization_config": {}}, "quantization_config: {} is not supported, expected null")])
def test_what_changes_a_network_is_refused_by_name(name: str, changes: dict[str, Any], printed: str) -> None:
    with pytest.raises(InputError) as refused:
        read(name, changes)
    assert printed in str(refused.value)


def test_a_cap_that_is_left_out_is_the_default_of_gemma_2() -> None:
    with pytest.raises(InputError, match=r"final_logit_softcapping: 30 \(omitted: its default\) is not supported"):
        read("gemma2", {}, "final_logit_softcapping")
    assert {step.cap for step in read("gemma2", {}, "attn_logit_softcapping")[0].attention_steps} == {50}


def test_layers_that_are_left_out_are_as_many_as_the_library_would_make() -> None:
    for version in ({}, {"transformers_version": "4.57.6"}):
        with pytest.raises(InputError, match="num_hidden_layers: left out, which is 32, expected 2, as there are"):
            read("llama", version, "num_hidden_layers")
    assert len(read("bloom", {}, "n_layer")[0].attention_steps) == 2


# -- rotary positions --------------------------------------------------------------------------------------------------


def rotary(name: str, outer: dict[str, Any], inside: dict[str, Any] | None = None, key: str = "rope_parameters",
           version: str | None = None) -> TrainedNetwork:
    """Return a network of which these settings alone speak of rotary positions."""
    _, told = family(name)
    without = {one: value for one, value in told.items()
               if one not in ("rope_theta", "partial_rotary_factor", "rotary_pct", "rotary_emb_base")}
    changes = outer | ({key: inside} if inside is not None else {})
    changes |= {"transformers_version": version} if version else {}
    contents, _ = family(name)
    return recognise(replace(contents, settings=without | changes), Options(), "m", "config.json", ()).network


FACTOR = Fraction(1, 2)


def test_a_factor_inside_is_that_outside() -> None:
    """Phi as transformers 4 and 5 write it; the default of the factor is another."""
    told: dict[str, Any] = {"rope_theta": 500, "partial_rotary_factor": Fraction(1)}
    new, both = (partial(rotary, inside={"rope_type": "default", **told}, version=version)
                 for version in ("5.12.1", None))
    assert new("phi", {}) == rotary("phi", told, version="4.57.6") != rotary("phi", {"rope_theta": 500})
    assert both("phi", told) == rotary("phi", told)
    neox = {"rotary_emb_base": 500, "rotary_pct": Fraction(1)}
    assert rotary("gpt_neox", neox) == new("gpt_neox", {}) == both("gpt_neox", neox)


def test_rules_by_kind_of_layer_are_refused_by_name() -> None:
    inside = {"rope_type": "default", "rope_theta": 3}
    new = rotary("qwen3", {}, inside, version="5.0.0")
    assert new == rotary("qwen3", {"rope_theta": 3}) == rotary("qwen3", {"rope_theta": 3}, inside)
    assert new != rotary("qwen3", {})
    by_kind = {"full_attention": inside, "sliding_attention": {"rope_type": "default", "rope_theta": 10000}}
    with pytest.raises(InputError, match=r"^config.json, rope_parameters, full_attention: an unknown setting"):
        rotary("qwen3", {}, by_kind)


@pytest.mark.parametrize(("outer", "inside", "key", "version", "printed"), [
    ({"rope_theta": 5}, {"rope_theta": 6}, "rope_parameters", None, "rope_parameters, rope_theta: 6, but outside"),
    ({}, {"rope_theta": 6}, "rope_scaling", None, "rope_scaling, rope_theta: 6, but outside it is 10000"),
    ({}, {"rope_theta": 6}, "rope_scaling", "4.57.6", "rope_scaling, rope_theta: 6, but outside it is 10000"),
    ({}, {"rope_theta": 6}, "rope_parameters", "4.57.6", "rope_parameters: transformers 4, which wrote the file, does"),
    ({"rope_scaling": {"factor": 2}}, {"rope_theta": 6}, "rope_parameters", None, "but rope_scaling says"),
    ({}, {"rope_theta": 6}, "rope_parameters", None, "rope_parameters: transformers 5 reads it and 4 does not, "
     "expected transformers_version beside it, or the same in rope_theta and rope_scaling"),
    ({}, {"rope_type": "linear", "factor": 2}, "rope_parameters", None, "rope_parameters: transformers 5 reads it and"),
    ({}, {"rope_type": "yarn", "factor": 2}, "rope_parameters", None, '"yarn" is not supported, expected default,'),
    ({}, {"type": "linear", "rope_type": "default"}, "rope_scaling", None, 'type: "linear", but rope_type says'),
    ({}, {"factor": 2}, "rope_scaling", None, "rope_scaling, factor: an unknown setting"),
    ({}, {"partial_rotary_factor": FACTOR}, "rope_parameters", None, 'partial_rotary_factor: "1/2" is not supported'),
    ({"partial_rotary_factor": FACTOR}, None, "", None, "partial_rotary_factor: an unknown setting")])
def test_rules_of_which_versions_would_read_others_are_refused(
        outer: dict[str, Any], inside: dict[str, Any] | None, key: str, version: str | None, printed: str) -> None:
    with pytest.raises(InputError) as refused:
        rotary("llama", outer, inside, key, version)
    assert printed in str(refused.value)


def test_what_stands_inside_goes_first_in_version_5() -> None:
    assert rotary("llama", {}, {"rope_theta": 6}, "rope_scaling", "5.0.0") == rotary("llama", {"rope_theta": 6})


# -- heads -------------------------------------------------------------------------------------------------------------


def classifier(name: str, end: str, options: Options, bias: bool, **more: Any) -> TrainedNetwork:
    """Return the network of a class of transformers with a head of three classes."""
    contents, told = family(name)
    prefix = {"gpt2": "GPT2", "llama": "Llama", "gemma": "Gemma"}[name]
    head = "classifier" if name == "gpt2" and bias else "score"
    width = next(stored.shape[1] for key, stored in contents.tensors.items() if "wte" in key or "embed" in key)
    sizes = {f"{head}.weight": (3, width)} | ({f"{head}.bias": (3,)} if bias else {})
    made = {key: Stored("float32", "binary32", shape, partial(np.ones(shape, np.float32).tobytes))
            for key, shape in sizes.items()}
    tensors = {key: one for key, one in contents.tensors.items() if "lm_head" not in key} | made
    settings = told | {"architectures": [prefix + end]} | more
    return recognise(Contents(tensors, settings), options, "m", "config.json", ()).network


def test_the_class_says_of_which_token_logits_are() -> None:
    for name in ("gpt2", "llama"):
        last = classifier(name, "ForSequenceClassification", Options(), False)
        assert (last.readout, last.outputs) == ("last", 3)
        assert classifier(name, "ForTokenClassification", Options(), True).readout == "each"
    torch = torch_or_skip()
    for head, readout in (("masked", "each"), ("first", "first"), ("tokens", "each")):
        state, _, settings = in_torch.bert(torch, head)
        stored = {key: Stored("float32", "binary32", tuple(value.shape), value.numpy().tobytes)
                  for key, value in state.items()}
        told = {key: exact(value) for key, value in settings.items()}
        assert recognise(Contents(stored, told), Options(), "m", "config.json", ()).network.readout == readout


def test_a_padding_token_of_the_vocabulary_is_asked_about() -> None:
    padded = partial(classifier, "gpt2", "ForSequenceClassification", bias=False, pad_token_id=3)
    with pytest.raises(InputError, match="pad_token_id: 3, a token that is skipped at the end of a word; expected"):
        padded(Options())
    assert padded(Options(readout="last")).readout == "last"
    with pytest.raises(InputError, match="pad_token_id: 0, a token that is skipped"):
        classifier("gemma", "ForSequenceClassification", Options(), False)
    assert classifier("gpt2", "ForSequenceClassification", Options(), False, pad_token_id=5).readout == "last"
    with pytest.raises(InputError, match=r"id2label: 2 classes, but score\.weight has 3"):
        classifier("gpt2", "ForSequenceClassification", Options(), False, id2label={"0": "a", "1": "b"})
