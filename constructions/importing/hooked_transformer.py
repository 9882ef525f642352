"""TransformerLens: state dicts of HookedTransformer, with a matrix for each head."""

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from constructions.errors import InputError
from constructions.importing.config_file import Settings
from constructions.importing.contents import Contents
from constructions.importing.names_file import TensorNames, renamed
from constructions.importing.parts import RecognisedNetwork, TensorReader, columns, ending, numbered
from constructions.importing.position_tables import alibi_slopes
from constructions.importing.questions import ACTIVATIONS, NormKind, Questions, score_scale
from constructions.trained import network as trained
from constructions.trained.json_values import found
from constructions.trained.numbers import all_numbers, view_of_tensor

BUFFERS = {
    r"(.*\.)?blocks\.\d+\.attn\.mask": "a buffer that every such file has, whether the attention is causal or not",
    r"(.*\.)?blocks\.\d+\.attn\.IGNORE": "what is written over masked scores",
}

_ANSWERS: Mapping[str, tuple[str, Mapping[Any, Any]]] = {
    "attention_dir": ("attention", {"causal": "causal", "bidirectional": "bidirectional"}),
    "act_fn": ("activation", {**ACTIVATIONS, None: None}),
    "normalization_type": ("norm", {"LN": "layer", "LNPre": "layer", "RMS": "rms", "RMSPre": "rms", None: "none"}),
    "positional_embedding_type": ("positions", {"standard": "learned", "rotary": "rotary", "alibi": "alibi"})}
"""Settings of HookedTransformerConfig, the options that they answer, and the answers."""
_EXPECTED: Mapping[str, tuple[object, ...]] = {
    **dict.fromkeys(("parallel_attn_mlp", "use_local_attn", "scale_attn_by_inverse_layer_idx",
                     "load_in_4bit", "post_embedding_ln", "use_qk_norm", "use_normalization_before_and_after",
                     "tie_word_embeddings", "use_attention_sinks", "use_dynamic_ntk_rope", "use_logn_attn",
                     "qk_norm_after_rope", "rotary_interleaved_cos_sin", "rmsnorm_uses_offset", "is_audio_model",
                     "is_visual_model", "is_stateful", "is_multimodal"), (False,)),
    **dict.fromkeys(("clip_qkv", "quantization_method", "per_layer_head_dim", "per_layer_num_key_value_heads",
                     "rope_scaling"), (None,)), "scale_embedding": (None, False),
    "output_logits_soft_cap": (-1, Fraction(-1)), "num_experts": (None,),
    "rotary_base_local": (None,)}
"""Settings that change the network, with the supported values."""
_WITHOUT_EFFECT = re.compile(
    r"use_(attn_result|split_qkv_input|attn_in|hook_\w+|NTK_by_parts_rope|yarn_rope)|NTK_\w+|yarn_\w+|"
    r"default_padding_side|split_attention_weights|attn_implementation|vision_\w+|mm_tokens_per_image|"
    r"rotary_(base|scaling_factor)|uses_rms_norm|layer_norm_folding|norm_topk_prob|train_seq_length|"
    r"window_size|attn_types|ungroup_grouped_query_attention|from_checkpoint|checkpoint_\w+|model_name|seed|device|"
    r"original_architecture|tokenizer_\w+|default_prepend_bos|init\w+|n_devices|n_params|trust_remote_code|"
    r"experts_per_token|relative_attention_\w+|decoder_start_token_id", re.ASCII)
"""Settings of training, of text, of unused windows, and of tables contained in the file."""


def recognises(weights: TensorReader) -> bool:
    """Return whether there are TransformerLens's names."""
    prefix = ending(weights.stored, "embed.W_E")
    return prefix is not None and f"{prefix}unembed.W_U" in weights


def in_todays_layout(contents: Contents) -> Contents:
    """Convert tensors from before the library existed, as of networks of modular addition: matrices are [out, in].

    They are recognised by W_O: one matrix instead of one for each head.
    """
    tensors, prefix = contents.tensors, ending(contents.tensors, "embed.W_E")
    first = f"{prefix}blocks.0.attn."
    if prefix is None or any(len(tensors[name].shape) != size if name in tensors else True for name, size in (
            (f"{prefix}embed.W_E", 2), (f"{first}W_O", 2), (f"{first}W_Q", 3))):
        return contents
    heads, width, _ = tensors[f"{first}W_Q"].shape
    rules: dict[str, dict[str, list[int]]] = {"embed.W_E": {"axes": [1, 0]}}
    for layer in range(numbered(tensors, f"{prefix}blocks.", ".attn.W_Q", "the file")):
        block = f"blocks.{layer}."
        rules |= {f"{block}attn.W_{kind}": {"axes": [0, 2, 1]} for kind in "QKV"}
        out = tensors.get(f"{prefix}{block}attn.W_O")
        rules[f"{block}attn.W_O"] = {"axes": [1, 0], "shape": [heads, width, out.shape[0] if out else 1]}
        rules |= {f"{block}mlp.W_{kind}": {"axes": [1, 0]} for kind in ("in", "out")}
    made = {prefix + name: {"from": prefix + name, **rule} for name, rule in rules.items() if prefix + name in tensors}
    return renamed(contents, TensorNames("the layout of networks of modular addition", made, (), {}))


class FileReading:
    """The tensors, settings and questions of one file; ``embed``, ``places``, ``gain``, … are endings of its names.

    ``transposed``: its matrices are [out, in]; ``unscaled``: scores are not divided without ``use_attn_scale``.
    """

    kind, transposed, unscaled = "TransformerLens HookedTransformer", False, True
    embed, places, query, gain, bias = "embed.W_E", "pos_embed.W_pos", ".attn.W_Q", "w", "b"

    def __init__(self, weights: TensorReader, settings: Settings, questions: Questions) -> None:
        self.weights, self.settings, self.questions = weights, settings, questions
        self.prefix = ending(weights.stored, self.embed) or ""
        self.tokens = weights.matrix(f"{self.prefix}{self.embed}")
        self.width = self.tokens.shape[1]
        for name, values in _EXPECTED.items():
            settings.only(name, *values)
        settings.only("final_rms", False, *[True] * str(settings.get("normalization_type")).startswith("RMS"))
        for name in filter(_WITHOUT_EFFECT.fullmatch, settings.settings):
            settings.get(name)
        self.adjacent, self.most = settings.flag("rotary_adjacent_pairs"), settings.count("n_ctx")
        self.turned = settings.count("rotary_dim") or settings.count("d_head")
        cap = "attn_scores_soft_cap"
        self.cap = None if settings.get(cap) == -1 else settings.number(cap)
        self.stated: dict[str, Any] = {"epsilon": settings.number("eps")}  # options answered by settings
        for name, (option, answers) in _ANSWERS.items():
            if name in settings.settings:
                settings.only(name, *answers)
                self.stated[option] = answers[settings.get(name)]

    def answer(self, option: str) -> Any:
        """Return the answer of the settings, or else of the user."""
        return self.questions.either(option, self.stated.get(option), self.settings.where)

    def check_sizes(self, steps: Sequence[trained.Step], outputs: int) -> None:
        """Check the sizes in the settings against the tensors."""
        blocks = [step for step in steps if isinstance(step, trained.AttentionStep)]
        ffn = [step for step in steps if isinstance(step, trained.UnitsStep)]
        table, settings = f"{self.prefix}{self.places}", self.settings
        sizes = {"n_layers": len(blocks), "d_model": self.width, "d_vocab": self.tokens.shape[0],
                 "d_vocab_out": outputs, "d_mlp": ffn[0].inward.weight.shape[1] if ffn else settings.stated("d_mlp"),
                 "n_ctx": self.weights.shape(table)[0] if table in self.weights else settings.stated("n_ctx")}
        for block in blocks[:1]:
            sizes |= {"n_heads": len(block.heads), "d_head": block.heads[0].query.weight.shape[1],
                      "n_key_value_heads": len({head.key.weight for head in block.heads})}
        for name, size in sizes.items():
            if (name, settings.stated(name)) != ("d_vocab_out", -1):  # the default means d_vocab
                settings.agree(name, size, "tensors say")
        for name, flag in (("attn_only", not ffn), ("gated_mlp", bool(ffn and ffn[0].gate))):
            if settings.flag(name) not in (None, flag):
                raise InputError(f"{settings.where}, {name}: {found(not flag)}, but the tensors imply {found(flag)}")

    def network(self) -> RecognisedNetwork:
        """Return the whole network."""
        weights = self.weights
        attention = self.answer("attention")
        readout: trained.Readout = self.questions.stated("readout", "each", "TransformerLens")
        count = numbered(weights.stored, f"{self.prefix}blocks.", self.query, weights.where)
        positions = self.positions()
        steps = [step for index in range(count) for step in self.block(f"{self.prefix}blocks.{index}")]
        if final := self.norm(f"{self.prefix}ln_final"):
            steps.append(trained.NormStep(final))
        unembedding = self.linear(f"{self.prefix}unembed", "U", self.width)
        self.check_sizes(steps, unembedding.weight.shape[1])
        for name in filter(self.weights.stored.__contains__, self.weights.tensors):
            self.settings.keeps(self.weights.stored[name].format, name, "TransformerLens")
        return RecognisedNetwork(self.kind, attention, self.tokens, positions, tuple(steps), unembedding, readout)

    def linear(self, name: str, part: str, inward: int | None = None, outward: int | None = None) -> trained.Affine:
        """Return a linear map with its biases, if there are any."""
        matrix, bias = self.names(name, part)
        weight = (self.weights.linear if self.transposed else self.weights.matrix)(matrix, inward, outward)
        return trained.Affine(weight, self.weights.vector_if(bias, weight.shape[1]))

    def names(self, name: str, part: str) -> tuple[str, str]:
        """Return the names of the matrix and of the biases of a linear map."""
        return f"{name}.W_{part}", f"{name}.b_{part}"

    def positions(self) -> trained.View | None:
        """Return the position table, if there is one."""
        table = f"{self.prefix}{self.places}"
        if table in self.weights and not self.is_alibi:
            self.expect("positions", "learned", table)
            return self.weights.matrix(table, None, self.width)
        if table in self.weights:
            self.weights.aside[table] = "a table that TransformerLens does not read beside ALiBi"
        if f"{self.prefix}blocks.0.attn.rotary_sin" in self.weights:
            self.expect("positions", "rotary", "blocks.0.attn.rotary_sin")
        else:
            choice = self.answer("positions")
            if choice == "alibi" and self.answer("attention") != "causal":
                raise InputError(f"{self.weights.where}: --positions alibi and bidirectional attention, "
                                 f"expected causal")
            if choice not in ("alibi", "none"):
                raise InputError(f"{self.weights.where}: --positions {choice}, expected alibi or none here, as "
                                 f"TransformerLens keeps other tables in the file")
        return None

    @property
    def is_alibi(self) -> bool:
        """True if the user or the settings state ALiBi slopes."""
        return "alibi" in (self.questions.options.positions, self.stated.get("positions"))

    def expect(self, option: str, value: str, by: str) -> None:
        """Check a property of a tensor against the settings and the user."""
        text = self.stated.get(option)
        if value != "rotary" or text is not None:
            self.questions.stated(option, value, by)
        if text not in (None, value):
            raise InputError(f"{self.weights.where}: {self.settings.where} says {option} {text}, but {by} says {value}")

    def norm(self, name: str) -> trained.Norm | None:
        """Return a norm with weights w and perhaps b; without weights the settings or the user give its kind."""
        gain, bias = (self.weights.vector_if(f"{name}.{end}", self.width) for end in (self.gain, self.bias))
        kind: NormKind = "layer" if bias else "rms"
        if gain is None:
            kind = self.answer("norm")
        else:
            self.expect("norm", kind, f"{name}.{self.gain}")
        return None if kind == "none" else trained.Norm(kind, self.answer("epsilon"), gain, bias)

    def scale(self, width: int) -> trained.Scale:
        """Return the factor of scores: TransformerLens divides by ``attn_scale``, by nothing, or by the default."""
        divisor = self.settings.number("attn_scale") if self.settings.get("attn_scale") != -1 else None
        if self.settings.flag("use_attn_scale") is False:
            return trained.Scale(times=Fraction(1)) if self.unscaled else score_scale(self.questions, width)
        if divisor is None or abs(divisor**2 / width - 1) < Fraction(1, 2**40):
            return score_scale(self.questions, width)
        return trained.Scale(times=1 / divisor)

    def block(self, name: str) -> list[trained.Step]:
        """Return the steps of attention, and of hidden units if there are any."""
        attention = f"{name}.attn"
        heads, bias = self.heads(attention)
        scale = self.scale(heads[0].query.weight.shape[1])
        steps: list[trained.Step] = [
            trained.AttentionStep(self.norm(f"{name}.ln1"), heads, bias, scale, self.rotary(attention), self.cap)]
        if any(one.startswith(f"{name}.mlp.") for one in self.weights.stored):
            if f"{name}.ln1.{self.gain}" in self.weights and f"{name}.ln2.{self.gain}" not in self.weights:
                raise InputError(f"{self.weights.where}: no tensor {name}.ln2.{self.gain}: attention and units in "
                                 f"parallel are not supported, expected one after the other")
            steps.append(self.units(name))
        return steps

    def heads(self, name: str) -> tuple[tuple[trained.TrainedHead, ...], trained.View | None]:
        """Return all heads of a block, and the bias of their sum."""
        queries = self.affines(f"{name}.W_Q", f"{name}.b_Q")
        grouped = "_" if f"{name}._W_K" in self.weights else ""
        keys, values = (self.affines(f"{name}.{grouped}W_{kind}", f"{name}.{grouped}b_{kind}") for kind in "KV")
        outs = self.weights.planes(f"{name}.W_O", len(queries), None, self.width)
        self.questions.stated("heads", len(queries), f"{name}.W_Q")
        return self.grouped(name, queries, keys, values, outs), self.weights.vector_if(f"{name}.b_O", self.width)

    def grouped(self, name: str, queries: Sequence[trained.Affine], keys: Sequence[trained.Affine],
                values: Sequence[trained.Affine], outs: Sequence[trained.View]) -> tuple[trained.TrainedHead, ...]:
        """Return the heads of these maps; groups of heads may share keys and values."""
        if len(queries) % len(keys) or len(keys) != len(values):
            raise InputError(f"{self.weights.where}: {len(queries)} queries, {len(keys)} keys and {len(values)} values "
                             f"in {name}, expected a divisor")
        slopes = alibi_slopes(len(queries), geometric=True) if self.is_alibi else [None] * len(queries)
        return tuple(trained.TrainedHead(query, keys[index * len(keys) // len(queries)],
                                         values[index * len(keys) // len(queries)], out, slope)
                     for index, (query, out, slope) in enumerate(zip(queries, outs, slopes, strict=True)))

    def affines(self, weight: str, bias: str) -> list[trained.Affine]:
        """Return the maps of all heads: weight [heads, width, head width], bias [heads, head width]."""
        planes = self.weights.planes(weight, None, self.width, None)
        if bias not in self.weights:
            return [trained.Affine(plane) for plane in planes]
        width = planes[0].shape[1]
        self.weights.take(bias, len(planes), width)
        return [trained.Affine(plane, trained.View(bias, index * width, (width,), (1,)))
                for index, plane in enumerate(planes)]

    def rotary(self, name: str) -> trained.Rotary | None:
        """Return the tables of the file, whose columns are doubled: as halves, or adjacent."""
        if f"{name}.rotary_sin" not in self.weights:
            return None
        sines = self.weights.matrix(f"{name}.rotary_sin")
        cosines = self.weights.matrix(f"{name}.rotary_cos", *sines.shape)
        settings, pairs = self.settings, sines.shape[1] // 2
        if settings.settings and self.turned != sines.shape[1]:
            raise InputError(f"{settings.where}, rotary_dim: {self.turned} (or omitted, which is d_head), but "
                             f"{name}.rotary_sin has columns: {sines.shape[1]}")
        if self.most is not None and self.most < sines.shape[0]:
            raise InputError(f"{settings.where}, n_ctx: {self.most}, but {name}.rotary_sin has rows: {sines.shape[0]}")
        stated = bool(self.adjacent) if settings.settings else None
        numbers = view_of_tensor(self.weights.tensors[sines.tensor], sines)
        if stated is not True and np.array_equal(numbers[:, :pairs], numbers[:, pairs:2 * pairs]):
            return trained.Rotary(columns(cosines, 0, pairs), columns(sines, 0, pairs), "halves")
        if stated is not False and np.array_equal(numbers[:, :2 * pairs:2], numbers[:, 1:2 * pairs:2]):
            return trained.Rotary(columns(cosines, 0, pairs, 2), columns(sines, 0, pairs, 2), "neighbours")
        if stated is not None:
            raise InputError(f"{settings.where}, rotary_adjacent_pairs: {found(stated)} (or omitted, which is false), "
                             f"but {name}.rotary_sin has columns for the other")
        raise InputError(f"{self.weights.where}: tensor {name}.rotary_sin pairs neither halves nor neighbours")

    def units(self, name: str) -> trained.UnitsStep:
        """Return the hidden units of a block, gated if there is a matrix of gates."""
        mlp = f"{name}.mlp"
        inward = self.linear(mlp, "in", self.width)
        gate = self.gate(mlp, inward) if self.names(mlp, "gate")[0] in self.weights else None
        outward = self.linear(mlp, "out", inward.weight.shape[1], self.width)
        activation = self.answer("activation")
        return trained.UnitsStep(self.norm(f"{name}.ln2"), inward, gate, activation, outward)

    def gate(self, mlp: str, inward: trained.Affine) -> trained.Affine:
        """Return the gates of hidden units, whose own biases must be 0."""
        if inward.bias and all_numbers(self.weights.tensors[inward.bias.tensor]).any():
            raise InputError(f"{self.weights.where}: tensor {mlp}.b_in is not 0 beside W_gate, where "
                             f"TransformerLens adds it after the gate, which is not supported")
        return trained.Affine(self.weights.matrix(f"{mlp}.W_gate", self.width, inward.weight.shape[1]))
