"""config.json, written by Hugging Face beside the weights of a network: its settings, and keys of all families.

Keys of a family, with their defaults, are in its row (``families``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from constructions.errors import InputError
from constructions.importing.contents import Contents
from constructions.network.json_form import read_json
from constructions.text import printable
from constructions.trained.json_values import found

_OURS = "certify-"
_KEPT = {"float64": ("binary64", "binary32", "binary16", "bfloat16"),
         "float32": ("binary32", "binary16", "bfloat16"),
         "float16": ("binary16",), "bfloat16": ("bfloat16",)}
"""For each type of torch, the formats whose numbers it represents exactly."""
_DECIMAL = re.compile(r"[+-]?(\d{1,40}(\.\d{0,60})?|\.\d{1,60})([eE][+-]?\d{1,3})?", re.ASCII)


def decimal(text: str, where: str) -> Fraction:
    """Parse a decimal number exactly.

    >>> decimal("1e-05", "config.json")
    Fraction(1, 100000)
    """
    if not _DECIMAL.fullmatch(text):
        raise InputError(f"{where}: {found(text[:40])}, expected a decimal number such as 1e-5")
    return Fraction(text)


def positive_decimal(text: str, where: str) -> Fraction:
    """Parse a decimal number above 0 exactly.

    Raises:
        InputError: for any other text or number.
    """
    number = decimal(text, where)
    if number <= 0:
        raise InputError(f"{where}: found {text}, expected more than 0")
    return number


def read_config(data: bytes, where: str) -> Contents:
    """Read the settings in a file, without tensors; numbers with a point become rationals.

    Raises:
        InputError: if it is not a JSON object.
    """
    try:
        settings = read_json(data.decode("utf-8"), where, lambda text: decimal(text, where))
    except UnicodeDecodeError as error:
        raise InputError(f"{where}: byte {error.start + 1} is not UTF-8 text") from None
    if not isinstance(settings, dict) or not settings:
        raise InputError(f"{where}: {found(settings)}, expected an object of settings")
    if str(settings.get("format", "")).startswith(_OURS):
        form = found(settings["format"])
        raise InputError(f"{where}: a file in the format {form}, expected one that another library wrote")
    if "weight_map" in settings:
        raise InputError(f"{where}: an index of files, expected the files themselves and config.json")
    return Contents({}, settings)


@dataclass(frozen=True)
class Key:
    """A setting of a family: its names in config.json, and its default if it is omitted.

    ``echoes``: names under which files repeat the value; they are never read.
    """

    names: tuple[str, ...]
    default: Any = None
    echoes: tuple[str, ...] = ()


class Settings:
    """Settings with checked types; ``finish`` rejects keys without a meaning.

    ``where`` is the file's name in messages, ``keys`` are the keys of a family, ``has_defaults`` says that a library
    wrote the file, whose defaults apply to omitted keys. ``meanings`` has the use of each key.
    """

    def __init__(self, settings: Mapping[str, Any], where: str,
                 without_effect: Mapping[str, str] | None = None) -> None:
        self.settings = settings
        self.where = where
        self.keys: Mapping[str, Key] = {}
        self.has_defaults = False
        self.without_effect = without_effect or {}
        self.meanings: dict[str, str] = {}
        self._inside: list[Settings] = []

    def _key(self, name: str) -> Key:
        return self.keys.get(name, Key((name,)))

    def shown(self, name: str) -> str:
        """Return the file and the key, for messages."""
        names = self._key(name).names or (name,)
        return f"{self.where}, {next((one for one in names if one in self.settings), names[0])}"

    def stated(self, name: str) -> Any:
        """Return the value stated in the file, or None."""
        stated = [one for one in self._key(name).names if one in self.settings]
        for one in stated:
            if self.settings[one] != self.settings[stated[0]]:
                raise InputError(f"{self.where}, {one}: {found(self.settings[one])}, but {stated[0]} says "
                                 f"{found(self.settings[stated[0]])}")
            self.meanings[one] = "used"
        return self.settings[stated[0]] if stated else None

    def get(self, name: str) -> Any:
        """Return the value, or the library's default if it is omitted."""
        key = self._key(name)
        value = self.stated(name)
        if self.has_defaults and not any(one in self.settings for one in key.names):
            value = key.default
        for one in key.echoes:
            if one in self.settings:
                if self.settings[one] != value:
                    raise InputError(f"{self.where}, {one}: {found(self.settings[one])}, expected {found(value)} "
                                     f"({key.names[0]}), as versions of the library read one or the other")
                self.meanings[one] = "used"
        return value

    def inside(self, name: str) -> Settings:
        """Return the settings of a nested object, all of which must have a meaning, too."""
        value = self.get(name)
        if not isinstance(value, dict | None):
            raise InputError(f"{self.shown(name)}: {found(value)}, expected an object")
        self._inside.append(Settings(value or {}, self.shown(name), self.without_effect))
        return self._inside[-1]

    def finish(self) -> None:
        """Assign a meaning to the unused keys, or reject them."""
        for name in self.settings:
            if name not in self.meanings and name in self.without_effect:
                self.meanings[name] = f"without effect: {self.without_effect[name]}"
        left = [str(name) for name in self.settings if name not in self.meanings]
        if left:
            raise InputError(f"{self.where}, {printable(left[0])[:60]}: an unknown setting"
                             + (f" (and {len(left) - 1} more)" if len(left) > 1 else "") + ", expected none")
        for one in self._inside:
            one.finish()

    @property
    def release(self) -> tuple[int, int] | None:
        """The release of the library that wrote the file; a development build counts as the release before it."""
        text = self.get("transformers_version")
        if text is None:
            return None
        stated = re.fullmatch(r"([0-9]{1,3})\.([0-9]{1,3})[0-9.a-z+-]{0,40}", text) if isinstance(text, str) else None
        if stated is None:
            raise InputError(f"{self.where}, transformers_version: {found(text)}, expected a version such as 5.0.0")
        if int(stated[1]) > 5:
            raise InputError(f"{self.where}, transformers_version: {found(text)}, expected one below 6")
        return int(stated[1]), int(stated[2]) - ("dev" in text)

    @property
    def version(self) -> int | None:
        """The major version of the library that wrote the file; versions below 4 read settings as 4 does."""
        release = self.release
        return None if release is None else max(4, release[0])

    def agree(self, name: str, actual: object, what: str) -> None:
        """Check a stated size against the tensors."""
        value = self.stated(name)
        if value is not None and (isinstance(value, bool) or value != actual):
            raise InputError(f"{self.shown(name)}: {found(value)}, but {what}: {actual}")

    def keeps(self, stored: str | None, tensor: str, program: str) -> None:
        """Check that a program that computes in the file's stated type represents the elements of a tensor exactly."""
        stated = self.get("dtype")
        kept = _KEPT.get(str(stated).removeprefix("torch."))
        if stated in (None, "auto") or stored is None or stored in (kept or ()) or (self.version == 4 and kept):
            return
        raise InputError(f"{self.shown('dtype')}: {found(stated)}, but {tensor} has elements {stored}, which {program} "
                         f"would round")

    def count(self, name: str) -> int | None:
        """Return an integer >= 1, or None if not stated."""
        value = self.get(name)
        if value is not None and (type(value) is not int or not 1 <= value < 2**31):
            raise InputError(f"{self.shown(name)}: {found(value)}, expected a whole number, 1 or more")
        return value

    def number(self, name: str) -> Fraction | None:
        """Return a rational above 0, or None if not stated."""
        value = self.get(name)
        if value is not None and (not isinstance(value, int | Fraction) or isinstance(value, bool) or value <= 0):
            raise InputError(f"{self.shown(name)}: {found(value)}, expected a number above 0")
        return None if value is None else Fraction(value)

    def flag(self, name: str) -> bool | None:
        """Return a Boolean; None if a file without defaults omits it."""
        value = self.get(name)
        is_left_out = value is None and not any(one in self.settings for one in self._key(name).names)
        if not isinstance(value, bool) and not is_left_out:
            raise InputError(f"{self.shown(name)}: {found(value)}, expected true or false")
        return None if is_left_out else bool(value)

    def only(self, name: str, *handled: object, reason: str = "") -> None:
        """Reject a setting with a value outside ``handled``, as it changes the network."""
        names = self._key(name).names
        is_told = any(one in self.settings for one in names)
        value = self.get(name)
        if (is_told or value is not None) and not any(type(value) is type(one) and value == one for one in handled):
            default = "" if is_told else " (omitted: its default)"
            raise InputError(f"{self.shown(name)}: {found(value)}{default} is not supported{reason}, expected "
                             f"{' or '.join(map(found, handled)) or 'it to be omitted'}")


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
"""Keys that do not affect logits of any family here, each with the reason."""

ONLY: Mapping[str, tuple[object, ...]] = {
    "add_cross_attention": (False, None), "cross_attention_hidden_size": (None,), "is_causal": (True,),
    "is_encoder_decoder": (False,), "is_llama_config": (True,), "per_layer_config": (None, {}),
    "pruned_heads": (None, {}), "quantization_config": (None,), "rope_interleaved": (False,), "rotary": (True,),
    "tie_encoder_decoder": (False, None), "torchscript": (False, None), "use_mrope": (False, None)}
"""Keys for which only these values leave the network as it is read."""
IGNORED: Mapping[str, tuple[tuple[int, int], tuple[int, int], Mapping[str, tuple[object, ...]]]] = {
    "gpt2": ((4, 41), (5, 4), {"scale_attn_weights": (True,), "scale_attn_by_inverse_layer_idx": (False,)})}
"""Keys that releases from the first and below the second ignore in their default attention, unlike the eager one.

Both agree at these values (huggingface/transformers, pull request 44397; builds before 4.42 count, too).
"""
_WORDS = ("heads groups head_width layers width inner_width units positions activation epsilon tied window has_window "
          "layer_kinds attention_types by_layer scaled divisor turned base part parts")
COMMON = {word: Key(()) for word in _WORDS.split()} | {
    "architectures": Key(("architectures",)), "dtype": Key(("dtype", "torch_dtype")),
    "labels": Key(("id2label",)), "label_count": Key(("num_labels", "_num_labels")),
    "vocabulary": Key(("vocab_size",)), "pad": Key(("pad_token_id",))}
"""The internal names of settings; a family without a key for one does not have this setting."""


def keys_of(**keys: str | tuple[str, Any] | Key | None) -> Mapping[str, Key]:
    """Map internal names to keys with defaults; a size without a key is taken from the tensors."""
    made = dict(COMMON)
    for word, key in keys.items():
        names, default = key if isinstance(key, tuple) else (key, None)
        if names is not None:
            made[word] = names if isinstance(names, Key) else Key(tuple(names.split()), default)
    return made
