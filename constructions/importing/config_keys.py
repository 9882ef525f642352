"""Keys of config.json: what each means for a family, its default in the library, and those that change no logits.

Defaults are those of the family's configuration class in transformers (GPT2Config, …), which are the same in 4.57 and
5.24 for every key here; where these versions read a key in two ways, the file is refused (``rotary_scaling``).
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from constructions.importing.config_file import Key

_E5, _E6, _E12 = (Fraction(1, 10**power) for power in (5, 6, 12))

_REASONS = {
    "dropout is for training": "activation_dropout attention_dropout attention_probs_dropout_prob "
        "attn_pdrop classifier_dropout dropout embd_pdrop embed_dropout hidden_dropout hidden_dropout_prob layerdrop "
        "resid_dropout resid_pdrop",
    "of training": "finetuning_task gradient_checkpointing init_std initializer_range problem_type tf_legacy_loss",
    "numbers of tokens, with which nothing is computed": "bos_token_id decoder_start_token_id eos_token_id "
        "pad_token_id sep_token_id unk_token_id",
    "of text that is generated or read": "bad_words_ids begin_suppress_tokens diversity_penalty do_sample "
        "early_stopping encoder_no_repeat_ngram_size exponential_decay_length_penalty forced_bos_token_id "
        "forced_eos_token_id length_penalty max_length min_length no_repeat_ngram_size num_beam_groups "
        "num_beams num_return_sequences output_scores "
        "prefix remove_invalid_values repetition_penalty return_dict_in_generate suppress_tokens "
        "task_specific_params temperature tokenizer_class top_k top_p typical_p",
    "of the form of what is returned": "output_attentions output_hidden_states output_past return_dict",
    "of speed or memory, with the same sums": "_attn_implementation _attn_implementation_autoset "
        "attention_softmax_in_fp32 attn_implementation bias_dropout_fusion cache_implementation "
        "chunk_size_feed_forward masked_softmax_fusion pretraining_tp reorder_and_upcast_attn "
        "slow_but_exact use_bfloat16 use_cache",
    "of the file": "_commit_hash _name_or_path name_or_path transformers.js_config transformers_version",
    "of a head that is not read": "directionality pooler_fc_size pooler_num_attention_heads pooler_num_fc_layers "
        "pooler_size_per_head pooler_type predict_special_tokens summary_activation summary_first_dropout "
        "summary_proj_to_labels summary_type summary_use_proj",
    "names of classes": "label2id",
    "read by no program of the library": "max_sequence_length n_ctx offset_alibi seq_length skip_bias_add "
        "skip_bias_add_qkv",
    "windows hide nothing of words as long as the network takes": "max_window_layers",
    "decoders are causal, whatever it says": "is_decoder",
}
WITHOUT_EFFECT: Mapping[str, str] = {key: reason for reason, keys in _REASONS.items() for key in keys.split()}
"""Keys that change no logits of any family here, each with the reason."""

ONLY: Mapping[str, tuple[object, ...]] = {
    "add_cross_attention": (False, None), "cross_attention_hidden_size": (None,), "is_causal": (True,),
    "is_encoder_decoder": (False,), "is_llama_config": (True,), "per_layer_config": (None, {}),
    "pruned_heads": (None, {}), "quantization_config": (None,), "rope_interleaved": (False,), "rotary": (True,),
    "tie_encoder_decoder": (False, None), "torchscript": (False, None), "use_mrope": (False, None)}
"""Keys with which a network is the one that is read at these values alone."""
IGNORED: Mapping[str, tuple[tuple[int, int], tuple[int, int], Mapping[str, tuple[object, ...]]]] = {
    "gpt2": ((4, 41), (5, 4), {"scale_attn_weights": (True,), "scale_attn_by_inverse_layer_idx": (False,)})}
"""Keys that releases from the first and below the second ignore in their default attention, unlike the eager one, with
the values at which both are the same (huggingface/transformers, pull request 44397; builds before 4.42 count, too)."""
_WORDS = ("heads groups head_width layers width inner_width units positions activation epsilon tied window has_window "
          "layer_kinds attention_types by_layer scaled divisor turned base part parts")
COMMON = {word: Key(()) for word in _WORDS.split()} | {
    "architectures": Key(("architectures",)), "dtype": Key(("dtype", "torch_dtype")),
    "labels": Key(("id2label",)), "label_count": Key(("num_labels", "_num_labels")),
    "vocabulary": Key(("vocab_size",)), "pad": Key(("pad_token_id",))}
"""The words that the program asks for; a family without a key for one has nothing to say there."""


def _keys(**keys: str | tuple[str, Any] | Key | None) -> Mapping[str, Key]:
    """The names of what our words stand for, with defaults; a size without one is what the tensors have."""
    made = dict(COMMON)
    for word, key in keys.items():
        names, default = key if isinstance(key, tuple) else (key, None)
        if names is not None:
            made[word] = names if isinstance(names, Key) else Key(tuple(names.split()), default)
    return made


def _gpt2(**keys: Any) -> Mapping[str, Key]:
    """GPT-2's words, with the standard ones, which its configuration takes for the same."""
    return _keys(**{
        "heads": ("n_head num_attention_heads", 12), "layers": ("n_layer num_hidden_layers", 12),
        "width": "n_embd hidden_size", "units": "n_inner", "positions": "n_positions max_position_embeddings",
        "activation": ("activation_function", "gelu_new"), "epsilon": ("layer_norm_epsilon", _E5),
        "tied": ("tie_word_embeddings", True), **keys})


def _standard(heads: int, layers: int, most: int, **keys: Any) -> Mapping[str, Key]:
    """The words of most configurations."""
    return _keys(**{
        "heads": ("num_attention_heads", heads), "layers": ("num_hidden_layers", layers), "width": "hidden_size",
        "units": "intermediate_size", "positions": ("max_position_embeddings", most),
        "activation": ("hidden_act", "silu"), "tied": ("tie_word_embeddings", False), **keys})


def _llama(heads: int, layers: int, most: int, **keys: Any) -> Mapping[str, Key]:
    """LLaMA's words."""
    return _standard(heads, layers, most, **{
        "epsilon": ("rms_norm_eps", _E6), "groups": "num_key_value_heads", "head_width": "head_dim",
        "base": ("rope_theta", 10000), **keys})


_WINDOW = {"window": ("sliding_window", 4096), "layer_kinds": "layer_types"}
_QWEN = _WINDOW | {"groups": ("num_key_value_heads", 32), "has_window": ("use_sliding_window", False)}
_BIASED = {"attention_bias": ("attention_bias", False)}
KEYS: Mapping[str, Mapping[str, Key]] = {
    "gpt2": _gpt2(scaled=("scale_attn_weights", True), by_layer=("scale_attn_by_inverse_layer_idx", False)),
    "nanogpt": _keys(heads="n_head", layers="n_layer", width="n_embd", positions="block_size", bias="bias"),
    "gpt_neox": _standard(64, 44, 2048, activation=("hidden_act", "gelu"), epsilon=("layer_norm_eps", _E5),
                          parallel=("use_parallel_residual", True), attention_bias=("attention_bias", True),
                          base=Key(("rotary_emb_base",), 10000, ("rope_theta",)),
                          part=Key(("rotary_pct",), Fraction(1, 4), ("partial_rotary_factor",))),
    "gpt_neo": _gpt2(heads=("num_heads num_attention_heads", 16), layers=("num_layers num_hidden_layers", 24),
                     width="hidden_size", units="intermediate_size", positions="max_position_embeddings",
                     window=("window_size", 256), layer_kinds="attention_layers",
                     attention_types=("attention_types", [[["global", "local"], 12]])),
    "gptj": _gpt2(heads=("n_head num_attention_heads", 16), layers=("n_layer num_hidden_layers", 28),
                  positions=("n_positions max_position_embeddings", 2048), turned=("rotary_dim", 64),
                  tied=("tie_word_embeddings", False)),
    "opt": _standard(12, 12, 0, units="ffn_dim", inner_width="word_embed_proj_dim", positions="max_position_embeddings",
                     activation=("activation_function", "relu"), tied=("tie_word_embeddings", True),
                     bias=("enable_bias", True), pad=("pad_token_id", 1)),
    "bloom": _gpt2(heads=("n_head num_attention_heads", 8), layers=("n_layer num_hidden_layers", 2),
                   width="n_embed hidden_size", activation=None),
    "phi": _llama(32, 24, 2048, activation=("hidden_act", "gelu_new"), epsilon=("layer_norm_eps", _E5),
                  part=("partial_rotary_factor", Fraction(1, 2))),
    "gemma": _llama(16, 28, 8192, groups=("num_key_value_heads", 16), activation=("hidden_act", "gelu_pytorch_tanh"),
                    tied=("tie_word_embeddings", True), pad=("pad_token_id", 0), **_BIASED),
    "gemma2": _llama(8, 26, 8192, groups=("num_key_value_heads", 4), tied=("tie_word_embeddings", True),
                     activation=("hidden_activation", "gelu_pytorch_tanh"), divisor=("query_pre_attn_scalar", 256),
                     cap=("attn_logit_softcapping", 50), pad=("pad_token_id", 0),
                     final_logit_softcapping=("final_logit_softcapping", 30), **_WINDOW, **_BIASED),
    "qwen3": _llama(32, 32, 32768, **_QWEN, **_BIASED),
    "qwen2": _llama(32, 32, 32768, **_QWEN),
    "llama": _llama(32, 32, 2048, mlp_bias=("mlp_bias", False), **_BIASED),
    "mistral": _llama(32, 32, 131072, groups=("num_key_value_heads", 8), window=("sliding_window", 4096)),
    "bert": _standard(12, 12, 0, positions="max_position_embeddings", activation=("hidden_act", "gelu"),
                      epsilon=("layer_norm_eps", _E12), tied=("tie_word_embeddings", True), parts="type_vocab_size"),
}
"""For each family our words for what it reads, with its names and defaults."""
