"""Decoders of Hugging Face that are one table: what their parts are called and in which order they come.

``ROWS`` has a row for each kind; what no row can say (a cap on scores, say) is refused by the name of the setting.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import isqrt
from typing import Any, Literal

import numpy as np

from constructions.errors import InputError
from constructions.importing.composing import Composer, in_heads
from constructions.importing.computed_tables import alibi_slopes, rotary_tables, scaled_by_root
from constructions.importing.config_file import Settings
from constructions.importing.graph.exact import Array
from constructions.importing.graph.values import Flat, HeadReads
from constructions.importing.parts import Found, ending, numbered
from constructions.importing.questions import Questions, activation_in, table_rows
from constructions.importing.rotary_scaling import rotary_scaling
from constructions.importing.weights import Weights
from constructions.trained.network import Activation, Attends
from constructions.trained.numbers import all_numbers

BUFFERS = {r"(.*\.)?rotary_emb\.inv_freq": "frequencies, which config.json states",
           r"(.*\.)?attn\.(attention\.)?(bias|masked_bias|embed_positions)": "the causal mask, or a table of angles",
           r"(.*\.)?attention\.(bias|masked_bias|rotary_emb\.inv_freq)": "the causal mask, or frequencies"}


@dataclass(frozen=True)
class Row:
    """One kind: names inside of a layer, and what its programs do that no file says.

    ``mark``: the name of a tensor that files of this kind have. ``packed``: queries, keys and values of a head follow
    one another in one matrix. ``parallel``: attention and units read the same sum (text: if this setting says so, which
    is its default). ``gain_plus_one``: norms multiply by 1 + their weight.
    """

    kind: str
    model_types: tuple[str, ...]
    mark: str
    tokens: str
    layers: str
    final: str
    first: str
    second: str | None
    query: str
    key: str
    value: str
    out: str
    up: str
    down: str
    gate: str | None = None
    packed: bool = False
    head_norms: tuple[str, str] | None = None
    after: tuple[str, str] | None = None
    embedding_norm: str | None = None
    norm: Literal["layer", "rms"] = "layer"
    gain_plus_one: bool = False
    scaled_tokens: bool = False
    positions: Literal["learned", "rotary", "alibi"] = "rotary"
    table: str = ""
    table_offset: int = 0
    part: tuple[str, Fraction] | None = None
    neighbours: bool = False
    unscaled: bool = False
    parallel: bool | str = False
    head: tuple[str, ...] = ("lm_head", "score")
    outside: str = ""
    tied: bool = False
    activation: tuple[str, ...] = ("hidden_act", "activation_function", "hidden_activation")
    epsilon: tuple[str, ...] = ("layer_norm_eps", "rms_norm_eps", "layer_norm_epsilon")
    always: Mapping[str, Any] = field(default_factory=dict)
    refused: Mapping[str, tuple[object, ...]] = field(default_factory=dict)


def _llama_names(**names: Any) -> dict[str, Any]:
    """The names of LLaMA and its relatives."""
    return {"tokens": "embed_tokens.weight", "layers": "layers.", "final": "norm", "first": "input_layernorm",
            "second": "post_attention_layernorm", "query": "self_attn.q_proj", "key": "self_attn.k_proj",
            "value": "self_attn.v_proj", "out": "self_attn.o_proj", "gate": "mlp.gate_proj", "up": "mlp.up_proj",
            "down": "mlp.down_proj", "norm": "rms", "outside": "model."} | names


_GEMMA_CAPS = {"attn_logit_softcapping": (), "final_logit_softcapping": (), "use_bidirectional_attention": (False,)}
ROWS = (
    Row("GPT-NeoX", ("gpt_neox",), "layers.0.attention.query_key_value.weight", "embed_in.weight", "layers.",
        "final_layer_norm", "input_layernorm", "post_attention_layernorm", "attention.query_key_value", "", "",
        "attention.dense", "mlp.dense_h_to_4h", "mlp.dense_4h_to_h", packed=True,
        part=("rotary_pct", Fraction(1, 4)), parallel="use_parallel_residual", head=("embed_out",),
        outside="gpt_neox."),
    Row("GPT-Neo", ("gpt_neo",), "h.0.attn.attention.q_proj.weight", "wte.weight", "h.", "ln_f", "ln_1", "ln_2",
        "attn.attention.q_proj", "attn.attention.k_proj", "attn.attention.v_proj", "attn.attention.out_proj",
        "mlp.c_fc", "mlp.c_proj", positions="learned", table="wpe.weight", unscaled=True, tied=True,
        outside="transformer."),
    Row("GPT-J", ("gptj",), "h.0.attn.q_proj.weight", "wte.weight", "h.", "ln_f", "ln_1", None, "attn.q_proj",
        "attn.k_proj", "attn.v_proj", "attn.out_proj", "mlp.fc_in", "mlp.fc_out", part=("rotary_dim", Fraction(64)),
        neighbours=True, parallel=True, outside="transformer."),
    Row("OPT", ("opt",), "layers.0.self_attn_layer_norm.weight", "embed_tokens.weight", "layers.", "final_layer_norm",
        "self_attn_layer_norm", "final_layer_norm", "self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj",
        "self_attn.out_proj", "fc1", "fc2", positions="learned", table="embed_positions.weight", table_offset=2,
        tied=True, outside="model.decoder.", always={"epsilon": Fraction(1, 100000)},
        refused={"do_layer_norm_before": (True,), "_remove_final_layer_norm": (False,),
                 "layer_norm_elementwise_affine": (True,)}),
    Row("BLOOM", ("bloom",), "h.0.self_attention.query_key_value.weight", "word_embeddings.weight", "h.", "ln_f",
        "input_layernorm", "post_attention_layernorm", "self_attention.query_key_value", "", "",
        "self_attention.dense", "mlp.dense_h_to_4h", "mlp.dense_4h_to_h", packed=True,
        embedding_norm="word_embeddings_layernorm", positions="alibi", tied=True, outside="transformer.",
        always={"activation": "gelu-tanh"}, refused={"apply_residual_connection_post_layernorm": (False,)}),
    Row("Phi", ("phi",), "layers.0.self_attn.dense.weight", "embed_tokens.weight", "layers.", "final_layernorm",
        "input_layernorm", None, "self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.dense",
        "mlp.fc1", "mlp.fc2", part=("partial_rotary_factor", Fraction(1, 2)), parallel=True, outside="model.",
        refused={"qk_layernorm": (False,)}),
    Row("Gemma", ("gemma",), "", **_llama_names(gain_plus_one=True, scaled_tokens=True, tied=True,
                                                   always={"activation": "gelu-tanh"}, refused=_GEMMA_CAPS)),
    Row("Gemma 2", ("gemma2",), "", **_llama_names(
        gain_plus_one=True, scaled_tokens=True, tied=True, second="pre_feedforward_layernorm",
        after=("post_attention_layernorm", "post_feedforward_layernorm"), refused=_GEMMA_CAPS)),
    Row("Qwen3", ("qwen3",), "layers.0.self_attn.q_norm.weight", **_llama_names(
        head_norms=("self_attn.q_norm", "self_attn.k_norm"))),
    Row("LLaMA-like", (), "layers.0.self_attn.q_proj.weight", **_llama_names()))


def row_of(weights: Weights, settings: Mapping[str, Any]) -> Row | None:
    """The row of these files: by the name of their kind, or without it by the tensor that marks them.

    LLaMA's own names with a config.json are read elsewhere.
    """
    kind = settings.get("model_type")
    if kind is not None:
        return next((row for row in ROWS if kind in row.model_types), None)
    marked = [row for row in ROWS if row.mark and ending(weights.stored, row.mark) is not None]
    return next((row for row in marked if row.model_types or not settings), None)


def build(row: Row, weights: Weights, settings: Settings, questions: Questions) -> Found:
    """The network.

    Raises:
        InputError: if a setting is not handled, a tensor is missing, or an answer.
    """
    settings.get("model_type")
    for name, harmless in row.refused.items():
        settings.refuse(name, *harmless)
    return _Decoder(row, weights, settings, questions).network()


class _Decoder:
    """The tensors, settings and questions of one file."""

    def __init__(self, row: Row, weights: Weights, settings: Settings, questions: Questions) -> None:
        self.row, self.weights, self.settings, self.questions = row, weights, settings, questions
        self.composer = Composer(weights)
        self.prefix = ending(weights.stored, row.tokens) or ""
        self.table = weights.matrix(f"{self.prefix}{row.tokens}")
        self.width = self.table.shape[1]
        by = settings.where
        self.heads: int = questions.either("heads", self.count("num_attention_heads", "n_head", "num_heads"), by)
        self.groups = self.count("num_key_value_heads") or (self.heads if settings.settings else self.told_groups())
        inner = self.rows_of(row.query) // (3 if row.packed else 1)
        if self.heads < 1 or inner % self.heads or self.heads % self.groups:
            raise InputError(f"{weights.where}: {self.heads} heads and {self.groups} keys for queries of {inner} "
                             f"numbers, expected divisors")
        self.head_width = inner // self.heads
        self.epsilon: Fraction = row.always.get("epsilon") or questions.either("epsilon", self.number(*row.epsilon), by)
        told: Activation | None = row.always.get("activation") or activation_in(settings, row.activation)
        self.activation: Activation = questions.either("activation", told, by)
        self.positions, self.rotary = self.position_tables()
        questions.expect_answers()

    def count(self, *names: str) -> int | None:
        """The first of these settings."""
        return next((value for name in names for value in [self.settings.count(name)] if value), None)

    def number(self, *names: str) -> Fraction | None:
        """The first of these settings."""
        return next((value for name in names for value in [self.settings.number(name)] if value), None)

    def rows_of(self, name: str) -> int:
        """How many numbers a layer makes."""
        shape = self.weights.shape(f"{self.prefix}{self.row.layers}0.{name}.weight")
        return shape[0] if shape else 0

    def told_groups(self) -> int:
        """How many keys there are, by the sizes of their matrix and that of queries."""
        query, key = (self.rows_of(name) for name in (self.row.query, self.row.key or self.row.query))
        return key * self.heads // query if query and key * self.heads % query == 0 and key else self.heads

    # -- positions -----------------------------------------------------------------------------------------------------

    def position_tables(self) -> tuple[int, tuple[Array, Array] | None]:
        """How many position numbers there are, and cosines and sines."""
        row, questions = self.row, self.questions
        window = self.window()
        if row.positions == "alibi":
            return 1, None
        if row.positions == "learned":
            count = self.weights.shape(f"{self.prefix}{row.table}")[0] - row.table_offset
            return min(count, window or count), None
        width = self.head_width
        if row.part:
            setting = self.settings.number(row.part[0]) or row.part[1]
            width = int(setting if row.part[0] == "rotary_dim" else setting * width)
        if width % 2 or not 0 < width <= self.head_width:
            raise InputError(f"{self.settings.where}: {width} of {self.head_width} coordinates of a head are turned, "
                             f"expected an even number")
        base, scaling = rotary_scaling(self.settings, questions)
        limits = [limit for limit in (self.settings.count("max_position_embeddings"), window) if limit]
        rows = table_rows(questions, min(limits, default=None), width // 2)
        tables = rotary_tables(rows, width // 2, base, scaling)
        return rows, tuple(all_numbers(one).reshape(one.shape) for one in tables)  # type: ignore[return-value]

    def window(self) -> int | None:
        """How far attention sees in some layer: words are no longer than that."""
        settings = self.settings
        kinds = str(settings.get("attention_layers", settings.get("attention_types", settings.get("layer_types", ""))))
        used = settings.get("use_sliding_window", True)
        window = settings.count("window_size") if "local" in kinds else settings.count("sliding_window")
        if not window or not used or (kinds and "local" not in kinds and "sliding" not in kinds):
            return None
        self.questions.assume(f"attention sees {window} tokens back, so there are {window} positions at most")
        return window

    # -- the parts -----------------------------------------------------------------------------------------------------

    def network(self) -> Found:
        """The whole network."""
        row, composer = self.row, self.composer
        x = composer.looked_up(self.tokens())
        if row.positions == "learned":
            table = composer.array(self.weights.matrix(f"{self.prefix}{row.table}", None, self.width))
            x = composer.moved(x, table[row.table_offset : row.table_offset + self.positions])
        if row.embedding_norm:
            x = self.norm(x, f"{self.prefix}{row.embedding_norm}")
        count = numbered(self.weights.stored, f"{self.prefix}{row.layers}", f".{row.out}.weight", self.weights.where,
                         self.count("num_hidden_layers", "n_layer", "num_layers"))
        for index in range(count):
            x = self.layer(x, f"{self.prefix}{row.layers}{index}.")
        attends: Attends = self.questions.told("attention", "causal", row.kind)
        logits = self.unembedded(self.norm(x, f"{self.prefix}{row.final}"))
        if composer.exactness.rounded:
            self.questions.assume("sums of weights are rounded to binary64")
        return composer.finish(logits, self.positions, attends, row.kind)

    def tokens(self) -> Array:
        """The token table, perhaps scaled."""
        if not self.row.scaled_tokens:
            return self.composer.array(self.table)
        name = self.table.tensor
        self.questions.assume(f"the token vectors are those of {name} times sqrt({self.width}), in binary32")
        root = isqrt(self.width)
        if root * root == self.width:
            return self.composer.exactness.scaled(self.composer.array(self.table), Fraction(root))
        scaled = scaled_by_root(self.weights.tensors[name], self.width)
        return all_numbers(scaled).reshape(scaled.shape)

    def norm(self, x: Flat, name: str) -> Flat:
        """A norm with its weights."""
        gain = self.composer.array(self.weights.vector(f"{name}.weight", x.size))
        bias = self.weights.vector_if(f"{name}.bias", x.size)
        if self.row.gain_plus_one:
            gain = self.composer.exactness.sum(gain, np.ones(x.size))
        return self.composer.norm(x, self.row.norm, self.epsilon, gain, self.composer.array(bias) if bias else None)

    def layer(self, x: Flat, name: str) -> Flat:
        """Attention and units, one after the other or side by side."""
        row, composer = self.row, self.composer
        first = self.norm(x, name + row.first)
        added = self.attention(first, name)
        if row.after:
            added = self.norm(added, name + row.after[0])
        parallel = self.settings.flag(row.parallel, True) if isinstance(row.parallel, str) else row.parallel
        read = x if parallel else composer.plus(x, added)
        inside = first if row.second is None else self.norm(read, name + row.second)
        units = self.units(inside, name)
        if row.after:
            units = self.norm(units, name + row.after[1])
        return composer.plus(x, added, units) if parallel else composer.plus(read, units)

    def units(self, x: Flat, name: str) -> Flat:
        """The units of a layer."""
        row, composer, weights = self.row, self.composer, self.weights
        up = weights.linear_with_bias(name + row.up, self.width)
        gate = composer.linear(x, weights.linear_with_bias(name + row.gate, self.width, up.weight.shape[1])
                               ) if row.gate else None
        values = composer.units(composer.linear(x, up), self.activation, gate)
        return composer.linear(values, weights.linear_with_bias(name + row.down, values.size, self.width))

    def attention(self, x: Flat, name: str) -> Flat:
        """The heads of a layer."""
        row, composer, weights = self.row, self.composer, self.weights
        inner, shared = self.heads * self.head_width, self.groups * self.head_width
        if row.packed:
            parts = [in_heads(one, 3) for one in in_heads(composer.linear(x, weights.linear_with_bias(
                name + row.query, self.width, 3 * inner)), self.heads)]
            queries, keys, values = ([one[k] for one in parts] for k in range(3))
        else:
            queries, keys, values = (
                in_heads(composer.linear(x, weights.linear_with_bias(name + part, self.width, size)), count)
                for part, size, count in ((row.query, inner, self.heads), (row.key, shared, self.groups),
                                          (row.value, shared, self.groups)))
        if row.head_norms:
            queries, keys = ([self.norm(one, name + norm) for one in all_of]
                             for all_of, norm in zip((queries, keys), row.head_norms, strict=True))
        queries, keys = ([self.in_order(one) for one in all_of] for all_of in (queries, keys))
        slopes = alibi_slopes(self.heads) if row.positions == "alibi" else [None] * self.heads
        groups = len(keys)
        heads = [HeadReads(query, keys[index * groups // self.heads], values[index * groups // self.heads], slope)
                 for index, (query, slope) in enumerate(zip(queries, slopes, strict=True))]
        averages = composer.attention(heads, self.scale(), self.rotary)
        return composer.linear(averages, weights.linear_with_bias(name + row.out, inner, self.width))

    def in_order(self, flat: Flat) -> Flat:
        """Coordinates of a head, so that those that are turned together are halves."""
        if not self.row.neighbours or self.rotary is None:
            return flat
        pairs = self.rotary[0].shape[1]
        turned = np.arange(2 * pairs)
        return flat.columns(np.concatenate([turned[::2], turned[1::2], np.arange(2 * pairs, flat.size)]))

    def scale(self) -> Fraction | int:
        """What scores are multiplied by."""
        if self.row.unscaled:
            self.questions.assume("scores are not divided by the root of the heads' width")
            return Fraction(1)
        told = self.settings.count("query_pre_attn_scalar")
        self.questions.assume("scores are divided by the square root of the heads' width" if told is None else
                              f"scores are divided by the square root of {told}")
        return told or self.head_width

    def unembedded(self, x: Flat) -> Flat:
        """The logits."""
        weights, composer = self.weights, self.composer
        outside = self.prefix.removesuffix(self.row.outside)
        tied = weights.linear(self.table.tensor, self.width)
        for name in (outside + one for one in self.row.head):
            if f"{name}.weight" in weights and not weights.same_as(f"{name}.weight", self.table.tensor):
                return composer.linear(x, weights.linear_with_bias(name, self.width))
        if not self.settings.flag("tie_word_embeddings", self.row.tied or not self.settings.settings):
            raise InputError(f"{weights.where}: no tensor {outside}{self.row.head[0]}.weight, and "
                             f"tie_word_embeddings of {self.settings.where} does not tie it to the token table")
        self.questions.assume("the unembedding is the token table (they are tied)")
        return x.times(composer.array(tied), composer.exactness)
