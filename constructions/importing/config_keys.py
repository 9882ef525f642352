"""Keys of config.json: their meaning where it is the same in all families, and those that change no logits.

Defaults in ``families`` are those of the family's configuration class in transformers (GPT2Config, …), which are the
same in 4.57 and 5.24 for every key there; where these versions read a key in two ways, the file is refused
(``position_tables``).
"""

from collections.abc import Mapping
from typing import Any

from constructions.importing.config_file import Key

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


def keys_of(**keys: str | tuple[str, Any] | Key | None) -> Mapping[str, Key]:
    """The names of what our words stand for, with defaults; a size without one is what the tensors have."""
    made = dict(COMMON)
    for word, key in keys.items():
        names, default = key if isinstance(key, tuple) else (key, None)
        if names is not None:
            made[word] = names if isinstance(names, Key) else Key(tuple(names.split()), default)
    return made
