"""Families of Hugging Face, one row each: names of parts and settings, defaults, and facts that no file states."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

from constructions.importing.config_file import COMMON, Key, keys_of
from constructions.trained.network import Attends

BUFFERS = {r"(.*\.)?rotary_emb\.inv_freq": "frequencies, which config.json states",
           r"(.*\.)?attn\.(attention\.)?(bias|masked_bias|embed_positions)": "the causal mask, or a table of angles",
           r"(.*\.)?crossattention\.(bias|masked_bias)": "the causal mask",
           r"(.*\.)?attention\.(bias|masked_bias|rotary_emb\.inv_freq)": "the causal mask, or frequencies",
           r"(.*\.)?embeddings\.(position_ids|token_type_ids)": "the numbers of the positions, or of the parts",
           r"cls\.seq_relationship\.(weight|bias)": "a head that is not read",
           r"(.*\.)?pooler\.dense\.(weight|bias)": "a head that is not read"}
Biases = Mapping[str, bool | str]
"""Parts with biases: some, or as a setting states; without settings those with a tensor."""
@dataclass(frozen=True)
class FamilyRow:
    """One family: names of parts of a layer, and facts about its programs that no file states.

    ``model_type``: its name in config.json; ``classes``: the prefix of its class names. ``mark``: the name of a tensor
    in all its files; ``packed``: queries, keys and values are one matrix, head by head or kind by kind. ``columns``:
    matrices are [in, out]. ``parallel``: attention and hidden units read the same sum (a string: if this setting is
    true). ``gain_plus_one``: norms multiply by 1 + their weight. ``sums``: norms come after sums. ``outer``: the head
    of words; ``words``: endings of class names that have it; ``token_head``: the head of classes of each token.
    ``biases``: of ``attention``, ``out``, ``units``, ``norms``, ``words``, …; True by default. ``keys``: internal names
    of its settings, with the names in config.json and the defaults.
    """

    kind: str
    model_type: str
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
    keys: Mapping[str, Key] = field(default_factory=lambda: COMMON)
    always: Mapping[str, Any] = field(default_factory=dict)
    only: Mapping[str, tuple[object, ...]] = field(default_factory=dict)


def facts(row: FamilyRow) -> tuple[str, ...]:
    """Return the properties of a family that the steps of its network do not show."""
    side_by_side = "attention and feed-forward block of a layer read the same sum, side by side"
    stated = {
        "embedding_norm": "a norm of the sum of token vectors and positions",
        "sums": "norms come after the sums, and are what is added to",
        "head_norms": "a norm of queries and one of keys, of each head, before positions turn them",
        "after": "a norm of what attention adds, and one of what the feed-forward block adds",
        "parallel": side_by_side + (f" ({row.parallel} is true)" if isinstance(row.parallel, str) else ""),
        "gain_plus_one": "norms multiply by 1 + their weight",
        "table_offset": f"positions begin at row {row.table_offset} of the table in the file",
        "scaled_tokens": "token vectors are multiplied by the root of the width"}
    return tuple(text for name, text in stated.items() if getattr(row, name))


def _gpt_names(**names: Any) -> dict[str, Any]:
    return {"mark": "h.0.attn.c_attn.weight", "tokens": "wte.weight", "layers": "h.", "final": "ln_f", "first": "ln_1",
            "second": "ln_2", "query": "attn.c_attn", "key": "", "value": "", "out": "attn.c_proj", "up": "mlp.c_fc",
            "down": "mlp.c_proj", "packed": "kinds", "positions": "learned", "table": "wpe.weight",
            "outside": "transformer."} | names


def _llama_names(biases: Biases, **names: Any) -> dict[str, Any]:
    return {"mark": LLAMA_MARK, "tokens": "embed_tokens.weight", "layers": "layers.", "final": "norm",
            "first": "input_layernorm", "second": "post_attention_layernorm", "query": "self_attn.q_proj",
            "key": "self_attn.k_proj", "value": "self_attn.v_proj", "out": "self_attn.o_proj", "gate": "mlp.gate_proj",
            "up": "mlp.up_proj", "down": "mlp.down_proj", "norm": "rms", "outside": "model.", "token_head": "score",
            "biases": {"norms": False, "words": False, "units": False, **biases}} | names


def _gpt2(**keys: Any) -> Mapping[str, Key]:
    """Return GPT-2's keys, with the standard ones, which its configuration treats as aliases."""
    return keys_of(**{
        "heads": ("n_head num_attention_heads", 12), "layers": ("n_layer num_hidden_layers", 12),
        "width": "n_embd hidden_size", "units": "n_inner", "positions": "n_positions max_position_embeddings",
        "activation": ("activation_function", "gelu_new"), "epsilon": ("layer_norm_epsilon", _E5),
        "tied": ("tie_word_embeddings", True), **keys})


def _standard(heads: int, layers: int, most: int, **keys: Any) -> Mapping[str, Key]:
    return keys_of(**{
        "heads": ("num_attention_heads", heads), "layers": ("num_hidden_layers", layers), "width": "hidden_size",
        "units": "intermediate_size", "positions": ("max_position_embeddings", most),
        "activation": ("hidden_act", "silu"), "tied": ("tie_word_embeddings", False), **keys})


def _llama(heads: int, layers: int, most: int, **keys: Any) -> Mapping[str, Key]:
    return _standard(heads, layers, most, **{
        "epsilon": ("rms_norm_eps", _E6), "groups": "num_key_value_heads", "head_width": "head_dim",
        "base": ("rope_theta", 10000), **keys})


_E5, _E6, _E12 = (Fraction(1, 10**power) for power in (5, 6, 12))
LLAMA_MARK = "layers.0.self_attn.q_proj.weight"
_BIASED = {"attention": "attention_bias", "out": "attention_bias"}
_BARE = {"attention": False, "out": False}
_GEMMA = {"hidden_act": ("gelu_pytorch_tanh",), "use_bidirectional_attention": (False, None),
          "final_logit_softcapping": (None,)}
_WINDOW = {"window": ("sliding_window", 4096), "layer_kinds": "layer_types"}
_QWEN = _WINDOW | {"groups": ("num_key_value_heads", 32), "has_window": ("use_sliding_window", False)}
_BIAS = {"attention_bias": ("attention_bias", False)}
ROWS = (
    FamilyRow("GPT-NeoX", "gpt_neox", "GPTNeoX", "layers.0.attention.query_key_value.weight", "embed_in.weight",
              "layers.",
        "final_layer_norm", "input_layernorm", "post_attention_layernorm", "attention.query_key_value", "", "",
        "attention.dense", "mlp.dense_h_to_4h", "mlp.dense_4h_to_h", packed="heads", parallel="parallel",
        outer="embed_out", outside="gpt_neox.", biases=_BIASED | {"words": False},
        keys=_standard(64, 44, 2048, activation=("hidden_act", "gelu"), epsilon=("layer_norm_eps", _E5),
                   parallel=("use_parallel_residual", True), attention_bias=("attention_bias", True),
                   base=Key(("rotary_emb_base",), 10000, ("rope_theta",)), part=Key(("rotary_pct",), Fraction(1, 4),
                   ("partial_rotary_factor",)))),
    FamilyRow("GPT-Neo", "gpt_neo", "GPTNeo", "h.0.attn.attention.q_proj.weight", "wte.weight", "h.", "ln_f", "ln_1",
        "ln_2", "attn.attention.q_proj", "attn.attention.k_proj", "attn.attention.v_proj", "attn.attention.out_proj",
        "mlp.c_fc", "mlp.c_proj", positions="learned", table="wpe.weight", unscaled=True, outside="transformer.",
        biases={"attention": False, "words": False},
        keys=_gpt2(heads=("num_heads num_attention_heads", 16), layers=("num_layers num_hidden_layers", 24),
                   width="hidden_size", units="intermediate_size", positions="max_position_embeddings",
                   window=("window_size", 256), layer_kinds="attention_layers", attention_types=("attention_types",
                   [[["global", "local"], 12]]))),
    FamilyRow("GPT-J", "gptj", "GPTJ", "h.0.attn.q_proj.weight", "wte.weight", "h.", "ln_f", "ln_1", None,
              "attn.q_proj",
        "attn.k_proj", "attn.v_proj", "attn.out_proj", "mlp.fc_in", "mlp.fc_out", neighbours=True, parallel=True,
        outside="transformer.", biases=_BARE, only={"scale_attn_weights": (True,)},
        keys=_gpt2(heads=("n_head num_attention_heads", 16), layers=("n_layer num_hidden_layers", 28),
                   positions=("n_positions max_position_embeddings", 2048), turned=("rotary_dim", 64),
                   tied=("tie_word_embeddings", False))),
    FamilyRow("OPT", "opt", "OPT", "layers.0.self_attn_layer_norm.weight", "embed_tokens.weight", "layers.",
        "final_layer_norm", "self_attn_layer_norm", "final_layer_norm", "self_attn.q_proj", "self_attn.k_proj",
        "self_attn.v_proj", "self_attn.out_proj", "fc1", "fc2", positions="learned", table="embed_positions.weight",
        table_offset=2, outside="model.decoder.", always={"epsilon": Fraction(1, 100000)},
        biases={"attention": "bias", "out": "bias", "units": "bias", "words": False},
        only={"do_layer_norm_before": (True,), "_remove_final_layer_norm": (False,),
              "layer_norm_elementwise_affine": (True,)},
        keys=_standard(12, 12, 0, units="ffn_dim", inner_width="word_embed_proj_dim",
                   positions="max_position_embeddings", activation=("activation_function", "relu"),
                   tied=("tie_word_embeddings", True), bias=("enable_bias", True), pad=("pad_token_id", 1))),
    FamilyRow("BLOOM", "bloom", "Bloom", "h.0.self_attention.query_key_value.weight", "word_embeddings.weight", "h.",
        "ln_f", "input_layernorm", "post_attention_layernorm", "self_attention.query_key_value", "", "",
        "self_attention.dense", "mlp.dense_h_to_4h", "mlp.dense_4h_to_h", packed="heads",
        embedding_norm="word_embeddings_layernorm", positions="alibi", outside="transformer.", biases={"words": False},
        always={"activation": "gelu-tanh"}, only={"apply_residual_connection_post_layernorm": (False,)},
        keys=_gpt2(heads=("n_head num_attention_heads", 8), layers=("n_layer num_hidden_layers", 2),
                   width="n_embed hidden_size", activation=None)),
    FamilyRow("Phi", "phi", "Phi", "layers.0.self_attn.dense.weight", "embed_tokens.weight", "layers.",
              "final_layernorm",
        "input_layernorm", None, "self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.dense",
        "mlp.fc1", "mlp.fc2", parallel=True, outside="model.", token_head="score", only={"qk_layernorm": (False,)},
        keys=_llama(32, 24, 2048, activation=("hidden_act", "gelu_new"), epsilon=("layer_norm_eps", _E5),
                   part=("partial_rotary_factor", Fraction(1, 2)))),
    FamilyRow("Hugging Face GPT-2", "gpt2", "GPT2", **_gpt_names(
        columns=True, biases={"words": False}, words=("LMHeadModel",)),
        keys=_gpt2(scaled=("scale_attn_weights", True), by_layer=("scale_attn_by_inverse_layer_idx", False))),
    FamilyRow("nanoGPT", "nanogpt", "", **_gpt_names(
        biases={"attention": "bias", "out": "bias", "units": "bias", "norms": "bias", "words": False}),
        keys=keys_of(heads="n_head", layers="n_layer", width="n_embd", positions="block_size", bias="bias")),
    FamilyRow("BERT", "bert", "Bert", "encoder.layer.0.attention.self.query.weight",
              "embeddings.word_embeddings.weight",
        "encoder.layer.", "", "attention.output.LayerNorm", "output.LayerNorm", "attention.self.query",
        "attention.self.key", "attention.self.value", "attention.output.dense", "intermediate.dense", "output.dense",
        embedding_norm="embeddings.LayerNorm", positions="learned", table="embeddings.position_embeddings.weight",
        parts="embeddings.token_type_embeddings.weight", sums=True, attends="bidirectional", outside="bert.",
        outer="cls.predictions", words=("ForMaskedLM", "ForPreTraining", "LMHeadModel"),
        only={"position_embedding_type": ("absolute",), "is_decoder": (False,), "is_causal": ()},
        keys=_standard(12, 12, 0, positions="max_position_embeddings", activation=("hidden_act", "gelu"),
                   epsilon=("layer_norm_eps", _E12), tied=("tie_word_embeddings", True), parts="type_vocab_size")),
    FamilyRow("Gemma", "gemma", "Gemma", **_llama_names(
        _BIASED, gain_plus_one=True, scaled_tokens=True,
        only=_GEMMA | {"hidden_activation": (None, "gelu_pytorch_tanh")}),
        keys=_llama(16, 28, 8192, groups=("num_key_value_heads", 16), activation=("hidden_act", "gelu_pytorch_tanh"),
                   tied=("tie_word_embeddings", True), pad=("pad_token_id", 0), **_BIAS)),
    FamilyRow("Gemma 2", "gemma2", "Gemma2", **_llama_names(
        _BIASED, gain_plus_one=True, scaled_tokens=True, second="pre_feedforward_layernorm", only=_GEMMA,
        after=("post_attention_layernorm", "post_feedforward_layernorm")),
        keys=_llama(8, 26, 8192, groups=("num_key_value_heads", 4), tied=("tie_word_embeddings", True),
                   activation=("hidden_activation", "gelu_pytorch_tanh"), divisor=("query_pre_attn_scalar", 256),
                   cap=("attn_logit_softcapping", 50), pad=("pad_token_id", 0),
                   final_logit_softcapping=("final_logit_softcapping", 30), **_WINDOW, **_BIAS)),
    FamilyRow("Qwen3", "qwen3", "Qwen3", **_llama_names(
        _BIASED, mark="layers.0.self_attn.q_norm.weight", head_norms=("self_attn.q_norm", "self_attn.k_norm")),
        keys=_llama(32, 32, 32768, **_QWEN, **_BIAS)),
    FamilyRow("Qwen2", "qwen2", "Qwen2", **_llama_names({"attention": True, "out": False}),
        keys=_llama(32, 32, 32768, **_QWEN)),
    FamilyRow("Mistral", "mistral", "Mistral", **_llama_names(_BARE),
        keys=_llama(32, 32, 131072, groups=("num_key_value_heads", 8), window=("sliding_window", 4096))),
    FamilyRow("LLaMA", "llama", "Llama", **_llama_names(_BIASED | {"units": "mlp_bias"}),
        keys=_llama(32, 32, 2048, mlp_bias=("mlp_bias", False), **_BIAS)))
