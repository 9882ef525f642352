"""LLaMA-like networks of Hugging Face: RMS norms, rotary positions, gated units, keys and values shared by heads."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from constructions.errors import InputError
from constructions.importing.computed_tables import rotary_tables
from constructions.importing.config_file import Settings
from constructions.importing.gpt2_blocks import untied_or_tied
from constructions.importing.parts import Found, ending, numbered, split_heads
from constructions.importing.questions import Questions, activation_in, score_scale, table_rows
from constructions.importing.rotary_scaling import rotary_scaling
from constructions.importing.weights import Weights
from constructions.trained import network as trained

BUFFERS = {r"(.*\.)?rotary_emb\.inv_freq": "frequencies, which config.json states"}


def recognises(weights: Weights) -> bool:
    """Whether the first layer has LLaMA's names."""
    prefix = ending(weights.stored, "embed_tokens.weight")
    return prefix is not None and f"{prefix}layers.0.self_attn.q_proj.weight" in weights


@dataclass(frozen=True)
class _Sizes:
    width: int
    heads: int
    groups: int
    head_width: int
    epsilon: Fraction
    activation: trained.Activation


def build(weights: Weights, settings: Settings, questions: Questions) -> Found:
    """The network.

    Raises:
        InputError: if there is no config.json, a setting is not handled, or a tensor is missing.
    """
    _refuse_variants(settings, weights.where)
    prefix = ending(weights.stored, "embed_tokens.weight") or ""
    tokens = weights.matrix(f"{prefix}embed_tokens.weight")
    sizes = _sizes(settings, questions, tokens.shape[1])
    weights.linear(f"{prefix}layers.0.self_attn.q_proj.weight", sizes.width, sizes.heads * sizes.head_width)
    rotary = _rotary(weights, settings, questions, sizes.head_width)
    scale = score_scale(questions, sizes.head_width)
    count = numbered(weights.stored, f"{prefix}layers.", ".self_attn.q_proj.weight", weights.where,
                     settings.count("num_hidden_layers"))
    steps = [step for index in range(count)
             for step in _layer(weights, f"{prefix}layers.{index}", sizes, scale, rotary)]
    final = trained.NormStep(_norm(weights, f"{prefix}norm", sizes))
    outer = prefix.removesuffix("model.")
    unembedding = untied_or_tied(weights, questions, (f"{outer}lm_head", f"{outer}score"),
                                 f"{prefix}embed_tokens.weight", settings.flag("tie_word_embeddings", False) or None)
    attention: trained.Attends = questions.told("attention", "causal", "LLaMA")
    return Found("LLaMA-like", attention, tokens, None, (*steps, final), unembedding)


def _refuse_variants(settings: Settings, where: str) -> None:
    if not settings.settings:
        raise InputError(f"{where}: tensors have LLaMA's names, and there is no config.json, expected it, too")
    settings.refuse("model_type", "llama", "mistral", "qwen2")


def _sizes(settings: Settings, questions: Questions, width: int) -> _Sizes:
    by = settings.where
    heads = questions.either("heads", settings.count("num_attention_heads"), by)
    groups = settings.count("num_key_value_heads") or heads
    if heads % groups:
        raise InputError(f"{by}: {heads} heads and {groups} keys, expected a divisor")
    return _Sizes(width, heads, groups, settings.count("head_dim") or width // heads,
                  questions.either("epsilon", settings.number("rms_norm_eps"), by),
                  questions.either("activation", activation_in(settings, ["hidden_act"]), by))


def _rotary(weights: Weights, settings: Settings, questions: Questions, head_width: int) -> trained.Rotary:
    base, scaling = rotary_scaling(settings, questions)
    if head_width % 2:
        raise InputError(f"{settings.where}: heads of width {head_width}, expected an even width (rotary)")
    limits = [limit for limit in (settings.count("max_position_embeddings"), _window(settings, questions)) if limit]
    positions = table_rows(questions, min(limits, default=None), head_width // 2)
    cosines, sines = rotary_tables(positions, head_width // 2, base, scaling)
    return trained.Rotary(weights.put("computed.cosines", cosines), weights.put("computed.sines", sines), "halves")


def _window(settings: Settings, questions: Questions) -> int | None:
    """How many tokens attention sees back: words are no longer than that."""
    window = settings.count("sliding_window")
    if window is None or not (settings.get("model_type") == "mistral" or settings.get("use_sliding_window")):
        return None
    questions.assume(f"attention sees {window} tokens back, so there are {window} positions at most")
    return window


def _norm(weights: Weights, name: str, sizes: _Sizes) -> trained.Norm:
    return trained.Norm("rms", sizes.epsilon, weights.vector(f"{name}.weight", sizes.width))


def _layer(weights: Weights, name: str, sizes: _Sizes, scale: trained.Scale,
           rotary: trained.Rotary) -> tuple[trained.Step, trained.Step]:
    width, inner, shared = sizes.width, sizes.heads * sizes.head_width, sizes.groups * sizes.head_width
    attention = f"{name}.self_attn"
    out = weights.linear_with_bias(f"{attention}.o_proj", inner, width)
    heads = split_heads(weights.linear_with_bias(f"{attention}.q_proj", width, inner),
                        weights.linear_with_bias(f"{attention}.k_proj", width, shared),
                        weights.linear_with_bias(f"{attention}.v_proj", width, shared),
                        out.weight, sizes.heads, sizes.groups)
    gate = weights.linear_with_bias(f"{name}.mlp.gate_proj", width)
    units = gate.weight.shape[1]
    return (trained.AttentionStep(_norm(weights, f"{name}.input_layernorm", sizes), heads, out.bias, scale, rotary),
            trained.UnitsStep(_norm(weights, f"{name}.post_attention_layernorm", sizes),
                              weights.linear_with_bias(f"{name}.mlp.up_proj", width, units), gate, sizes.activation,
                              weights.linear_with_bias(f"{name}.mlp.down_proj", units, width)))
