"""Families of Hugging Face, one row each: the names of their parts, and what their programs do that no file says."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

from constructions.trained.network import Attends

BUFFERS = {r"(.*\.)?rotary_emb\.inv_freq": "frequencies, which config.json states",
           r"(.*\.)?attn\.(attention\.)?(bias|masked_bias|embed_positions)": "the causal mask, or a table of angles",
           r"(.*\.)?crossattention\.(bias|masked_bias)": "the causal mask",
           r"(.*\.)?attention\.(bias|masked_bias|rotary_emb\.inv_freq)": "the causal mask, or frequencies",
           r"(.*\.)?embeddings\.(position_ids|token_type_ids)": "the numbers of the positions, or of the parts",
           r"cls\.seq_relationship\.(weight|bias)": "a head that is not read",
           r"(.*\.)?pooler\.dense\.(weight|bias)": "a head that is not read"}
Biases = Mapping[str, bool | str]
"""Linear maps with biases: some, or as a setting says; without settings those that have a tensor."""
@dataclass(frozen=True)
class Row:
    """One family: names inside of a layer, and what its programs do that no file says.

    ``model_types``: its name in config.json; ``classes``: the beginning of the names of its classes. ``mark``: the name
    of a tensor that its files have, ``packed``: queries, keys and values are one matrix, head by head or kind by kind.
    ``columns``: matrices are [in, out]. ``parallel``: attention and units read the same sum (text: if this setting says
    so). ``gain_plus_one``: norms multiply by 1 + their weight. ``sums``: norms come after sums. ``outer``: the head of
    words, ``words``: ends of names of classes that have it; ``token_head``: the head of classes of each token.
    ``biases``: of ``attention``, ``out``, ``units``, ``norms``, ``words``, …; True where nothing is said.
    """

    kind: str
    model_types: tuple[str, ...]
    classes: str
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
    packed: Literal["heads", "kinds"] | None = None
    columns: bool = False
    head_norms: tuple[str, str] | None = None
    after: tuple[str, str] | None = None
    embedding_norm: str | None = None
    norm: Literal["layer", "rms"] = "layer"
    gain_plus_one: bool = False
    scaled_tokens: bool = False
    positions: Literal["learned", "rotary", "alibi"] = "rotary"
    table: str = ""
    table_offset: int = 0
    parts: str = ""
    neighbours: bool = False
    unscaled: bool = False
    parallel: bool | str = False
    sums: bool = False
    attends: Attends = "causal"
    outer: str = "lm_head"
    words: tuple[str, ...] = ("ForCausalLM",)
    token_head: str = "classifier"
    outside: str = ""
    biases: Biases = field(default_factory=dict)
    always: Mapping[str, Any] = field(default_factory=dict)
    only: Mapping[str, tuple[object, ...]] = field(default_factory=dict)


def facts(row: Row) -> tuple[str, ...]:
    """The habits of a family that the steps of its network do not show in plain words."""
    side_by_side = "attention and feed-forward block of a layer read the same sum, side by side"
    told = {
        "embedding_norm": "a norm of the sum of token vectors and positions",
        "sums": "norms come after the sums, and are what is added to",
        "head_norms": "a norm of queries and one of keys, of each head, before positions turn them",
        "after": "a norm of what attention adds, and one of what the feed-forward block adds",
        "parallel": side_by_side + (f" ({row.parallel} is true)" if isinstance(row.parallel, str) else ""),
        "gain_plus_one": "norms multiply by 1 + their weight",
        "table_offset": f"positions begin at row {row.table_offset} of the table in the file",
        "scaled_tokens": "token vectors are multiplied by the root of the width"}
    return tuple(text for name, text in told.items() if getattr(row, name))


def _gpt_names(**names: Any) -> dict[str, Any]:
    """The names of GPT-2."""
    return {"mark": "h.0.attn.c_attn.weight", "tokens": "wte.weight", "layers": "h.", "final": "ln_f", "first": "ln_1",
            "second": "ln_2", "query": "attn.c_attn", "key": "", "value": "", "out": "attn.c_proj", "up": "mlp.c_fc",
            "down": "mlp.c_proj", "packed": "kinds", "positions": "learned", "table": "wpe.weight",
            "outside": "transformer."} | names


def _llama_names(biases: Biases, **names: Any) -> dict[str, Any]:
    """The names of LLaMA and its relatives."""
    return {"mark": LLAMA_MARK, "tokens": "embed_tokens.weight", "layers": "layers.", "final": "norm",
            "first": "input_layernorm", "second": "post_attention_layernorm", "query": "self_attn.q_proj",
            "key": "self_attn.k_proj", "value": "self_attn.v_proj", "out": "self_attn.o_proj", "gate": "mlp.gate_proj",
            "up": "mlp.up_proj", "down": "mlp.down_proj", "norm": "rms", "outside": "model.", "token_head": "score",
            "biases": {"norms": False, "words": False, "units": False, **biases}} | names


LLAMA_MARK = "layers.0.self_attn.q_proj.weight"
_BIASED = {"attention": "attention_bias", "out": "attention_bias"}
_BARE = {"attention": False, "out": False}
_GEMMA = {"hidden_act": ("gelu_pytorch_tanh",), "use_bidirectional_attention": (False, None),
          "final_logit_softcapping": (None,)}
ROWS = (
    Row("GPT-NeoX", ("gpt_neox",), "GPTNeoX", "layers.0.attention.query_key_value.weight", "embed_in.weight", "layers.",
        "final_layer_norm", "input_layernorm", "post_attention_layernorm", "attention.query_key_value", "", "",
        "attention.dense", "mlp.dense_h_to_4h", "mlp.dense_4h_to_h", packed="heads", parallel="parallel",
        outer="embed_out", outside="gpt_neox.", biases=_BIASED | {"words": False}),
    Row("GPT-Neo", ("gpt_neo",), "GPTNeo", "h.0.attn.attention.q_proj.weight", "wte.weight", "h.", "ln_f", "ln_1",
        "ln_2", "attn.attention.q_proj", "attn.attention.k_proj", "attn.attention.v_proj", "attn.attention.out_proj",
        "mlp.c_fc", "mlp.c_proj", positions="learned", table="wpe.weight", unscaled=True, outside="transformer.",
        biases={"attention": False, "words": False}),
    Row("GPT-J", ("gptj",), "GPTJ", "h.0.attn.q_proj.weight", "wte.weight", "h.", "ln_f", "ln_1", None, "attn.q_proj",
        "attn.k_proj", "attn.v_proj", "attn.out_proj", "mlp.fc_in", "mlp.fc_out", neighbours=True, parallel=True,
        outside="transformer.", biases=_BARE, only={"scale_attn_weights": (True,)}),
    Row("OPT", ("opt",), "OPT", "layers.0.self_attn_layer_norm.weight", "embed_tokens.weight", "layers.",
        "final_layer_norm", "self_attn_layer_norm", "final_layer_norm", "self_attn.q_proj", "self_attn.k_proj",
        "self_attn.v_proj", "self_attn.out_proj", "fc1", "fc2", positions="learned", table="embed_positions.weight",
        table_offset=2, outside="model.decoder.", always={"epsilon": Fraction(1, 100000)},
        biases={"attention": "bias", "out": "bias", "units": "bias", "words": False},
        only={"do_layer_norm_before": (True,), "_remove_final_layer_norm": (False,),
              "layer_norm_elementwise_affine": (True,)}),
    Row("BLOOM", ("bloom",), "Bloom", "h.0.self_attention.query_key_value.weight", "word_embeddings.weight", "h.",
        "ln_f", "input_layernorm", "post_attention_layernorm", "self_attention.query_key_value", "", "",
        "self_attention.dense", "mlp.dense_h_to_4h", "mlp.dense_4h_to_h", packed="heads",
        embedding_norm="word_embeddings_layernorm", positions="alibi", outside="transformer.", biases={"words": False},
        always={"activation": "gelu-tanh"}, only={"apply_residual_connection_post_layernorm": (False,)}),
    Row("Phi", ("phi",), "Phi", "layers.0.self_attn.dense.weight", "embed_tokens.weight", "layers.", "final_layernorm",
        "input_layernorm", None, "self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.dense",
        "mlp.fc1", "mlp.fc2", parallel=True, outside="model.", token_head="score", only={"qk_layernorm": (False,)}),
    Row("Hugging Face GPT-2", ("gpt2",), "GPT2", **_gpt_names(
        columns=True, biases={"words": False}, words=("LMHeadModel",))),
    Row("nanoGPT", ("nanogpt",), "", **_gpt_names(
        biases={"attention": "bias", "out": "bias", "units": "bias", "norms": "bias", "words": False})),
    Row("BERT", ("bert",), "Bert", "encoder.layer.0.attention.self.query.weight", "embeddings.word_embeddings.weight",
        "encoder.layer.", "", "attention.output.LayerNorm", "output.LayerNorm", "attention.self.query",
        "attention.self.key", "attention.self.value", "attention.output.dense", "intermediate.dense", "output.dense",
        embedding_norm="embeddings.LayerNorm", positions="learned", table="embeddings.position_embeddings.weight",
        parts="embeddings.token_type_embeddings.weight", sums=True, attends="bidirectional", outside="bert.",
        outer="cls.predictions", words=("ForMaskedLM", "ForPreTraining", "LMHeadModel"),
        only={"position_embedding_type": ("absolute",), "is_decoder": (False,), "is_causal": ()}),
    Row("Gemma", ("gemma",), "Gemma", **_llama_names(
        _BIASED, gain_plus_one=True, scaled_tokens=True,
        only=_GEMMA | {"hidden_activation": (None, "gelu_pytorch_tanh")})),
    Row("Gemma 2", ("gemma2",), "Gemma2", **_llama_names(
        _BIASED, gain_plus_one=True, scaled_tokens=True, second="pre_feedforward_layernorm", only=_GEMMA,
        after=("post_attention_layernorm", "post_feedforward_layernorm"))),
    Row("Qwen3", ("qwen3",), "Qwen3", **_llama_names(
        _BIASED, mark="layers.0.self_attn.q_norm.weight", head_norms=("self_attn.q_norm", "self_attn.k_norm"))),
    Row("Qwen2", ("qwen2",), "Qwen2", **_llama_names({"attention": True, "out": False})),
    Row("Mistral", ("mistral",), "Mistral", **_llama_names(_BARE)),
    Row("LLaMA", ("llama",), "Llama", **_llama_names(_BIASED | {"units": "mlp_bias"})))
