"""nanoGPT (and minGPT): GPT-2's names, but torch Linears, whose matrices are [out, in]; checkpoints tell the sizes."""

from __future__ import annotations

from constructions.importing.config_file import Settings
from constructions.importing.gpt2_blocks import Blocks, untied_or_tied
from constructions.importing.parts import Found, ending
from constructions.importing.questions import Questions, head_count, score_scale
from constructions.importing.weights import Weights


def recognises(weights: Weights) -> bool:
    """Whether there are GPT-2's names, and the matrix of queries, keys and values is [3 width, width]."""
    prefix = ending(weights.stored, "wte.weight")
    first = f"{prefix}h.0.attn.c_attn.weight"
    if prefix is None or first not in weights:
        return False
    shape = weights.shape(first)
    return len(shape) == 2 and shape[0] == 3 * shape[1]


def build(weights: Weights, settings: Settings, questions: Questions) -> Found:
    """The network.

    Raises:
        InputError: if a tensor is missing, or an answer.
    """
    prefix = ending(weights.stored, "wte.weight") or ""
    width = weights.shape(f"{prefix}wte.weight")[-1]
    heads = head_count(questions, settings.count("n_head"), width, "the checkpoint")
    scale = score_scale(questions, width // heads)
    blocks = Blocks(
        weights, prefix, weights.linear, heads, lambda _: scale,
        questions.ask("activation"), questions.ask("epsilon"))
    masked = f"{prefix}h.0.attn.bias" in weights
    outer = prefix.removesuffix("transformer.")
    unembedding = untied_or_tied(weights, questions, (f"{outer}lm_head",), f"{prefix}wte.weight", None)
    questions.told("positions", "learned", "wpe.weight")
    return Found("nanoGPT", questions.either("attention", "causal" if masked else None, "the mask attn.bias"),
                 blocks.tokens, weights.matrix(f"{prefix}wpe.weight", None, width), blocks.steps(), unembedding)
