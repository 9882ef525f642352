"""GPT-2 as Hugging Face saves it: matrices are [in, out], and config.json tells the rest."""

from __future__ import annotations

from constructions.importing.config_file import Settings
from constructions.importing.gpt2_blocks import Blocks, untied_or_tied
from constructions.importing.parts import Found, ending
from constructions.importing.questions import Questions, activation_in, head_count, score_scale
from constructions.importing.weights import Weights
from constructions.trained.network import Scale


def recognises(weights: Weights) -> bool:
    """Whether there are GPT-2's names, and the matrix of queries, keys and values is [width, 3 width]."""
    prefix = ending(weights.stored, "wte.weight")
    first = f"{prefix}h.0.attn.c_attn.weight"
    if prefix is None or first not in weights:
        return False
    shape = weights.shape(first)
    return len(shape) == 2 and shape[1] == 3 * shape[0]


def build(weights: Weights, settings: Settings, questions: Questions) -> Found:
    """The network.

    Raises:
        InputError: if a setting is not handled, a tensor is missing, or an answer.
    """
    settings.refuse("model_type", "gpt2")
    settings.refuse("add_cross_attention", False)
    prefix = ending(weights.stored, "wte.weight") or ""
    width = weights.shape(f"{prefix}wte.weight")[-1]
    by = settings.where
    heads = head_count(questions, settings.count("n_head"), width, by)
    blocks = Blocks(
        weights, prefix, weights.matrix, heads, lambda index: _scale(settings, questions, width // heads, index),
        questions.either("activation", activation_in(settings, ["activation_function"]), by),
        questions.either("epsilon", settings.number("layer_norm_epsilon"), by))
    outer = prefix.removesuffix("transformer.")
    tied = settings.flag("tie_word_embeddings", True) if settings.settings else None
    layers = tuple(outer + name for name in ("lm_head", "score", "classifier"))
    unembedding = untied_or_tied(weights, questions, layers, f"{prefix}wte.weight", tied)
    questions.told("positions", "learned", "wpe.weight")
    return Found("Hugging Face GPT-2", questions.told("attention", "causal", "GPT-2"), blocks.tokens,
                 weights.matrix(f"{prefix}wpe.weight", None, width), blocks.steps(), unembedding)


def _scale(settings: Settings, questions: Questions, head_width: int, layer: int) -> Scale:
    """One over the root of the heads' width, over the layer's number, or neither."""
    by_layer = layer + 1 if settings.flag("scale_attn_by_inverse_layer_idx", False) else 1
    if not settings.flag("scale_attn_weights", True):
        return Scale(root=by_layer**2)
    score_scale(questions, head_width)
    return Scale(root=head_width * by_layer**2)
