"""config.json: what Hugging Face writes beside the weights of a network."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from constructions.errors import InputError
from constructions.importing.contents import Contents
from constructions.network.json_form import read_json
from constructions.trained.json_values import found

_OURS = "certify-"
_DECIMAL = re.compile(r"[+-]?(\d{1,40}(\.\d{0,60})?|\.\d{1,60})([eE][+-]?\d{1,3})?", re.ASCII)
_HARMLESS = re.compile(
    r".*(drop|dropout|token_id|_range|dtype)|_.*|summary_.*|(id|label)2(id|label)|n_(embd|positions|ctx|inner|layer)|"
    r"architectures|model_type|use_cache|transformers_version|vocab_size|reorder_and_upcast_attn|hidden_size|block_size|"
    r"intermediate_size|num_(hidden_layers|labels)|max_position_embeddings|pretraining_tp|task_specific_params|bias|"
    r"output_(attentions|hidden_states)|return_dict|(attention|mlp)_bias|max_window_layers|problem_type")
"""Of training, of text, or sizes that the tensors have anyway."""


def decimal(text: str, where: str) -> Fraction:
    """A decimal number, exactly as it is written.

    >>> decimal("1e-05", "config.json")
    Fraction(1, 100000)

    Raises:
        InputError: if it is not one, or an unreasonably long one.
    """
    if not _DECIMAL.fullmatch(text):
        raise InputError(f"{where}: {found(text[:40])}, expected a decimal number such as 1e-5")
    return Fraction(text)


def positive_decimal(text: str, where: str) -> Fraction:
    """Likewise, above 0.

    Raises:
        InputError: if it is another text or number.
    """
    number = decimal(text, where)
    if number <= 0:
        raise InputError(f"{where}: found {text}, expected more than 0")
    return number


def read_config(data: bytes, where: str) -> Contents:
    """The settings in a file, without tensors; numbers with a point become rationals.

    Raises:
        InputError: if it is not a JSON object.
    """
    try:
        settings = read_json(data.decode("utf-8"), where, lambda text: decimal(text, where))
    except UnicodeDecodeError as error:
        raise InputError(f"{where}: byte {error.start + 1} is not UTF-8 text") from None
    if not isinstance(settings, dict) or not settings:
        raise InputError(f"{where}: {found(settings)}, expected an object with settings")
    if str(settings.get("format", "")).startswith(_OURS):
        form = found(settings["format"])
        raise InputError(f"{where}: a file in the format {form}, expected one that another library wrote")
    if "weight_map" in settings:
        raise InputError(f"{where}: an index of files, expected the files themselves and config.json")
    return Contents({}, settings)


class Settings:
    """Settings with their types checked; ``where`` is the file's name in complaints."""

    def __init__(self, settings: Mapping[str, Any], where: str) -> None:
        self.settings = settings
        self.where = where
        self._read: set[str] = set()

    def __contains__(self, name: str) -> bool:
        self._read.add(name)
        return self.settings.get(name) is not None

    def get(self, name: str, default: Any = None) -> Any:
        """The value, or the default where there is none or null."""
        self._read.add(name)
        value = self.settings.get(name)
        return default if value is None else value

    def unread(self) -> list[str]:
        """The settings that nobody asked for and that are not known to change nothing."""
        return [name for name in self.settings if name not in self._read and not _HARMLESS.fullmatch(str(name))]

    def count(self, name: str) -> int | None:
        """A whole number from 1, or None where there is none.

        Raises:
            InputError: if it is another value.
        """
        value = self.get(name)
        if value is not None and (type(value) is not int or not 1 <= value < 2**31):
            raise InputError(f"{self.where}, {name}: {found(value)}, expected a whole number, 1 or more")
        return value

    def number(self, name: str) -> Fraction | None:
        """A rational above 0, or None where there is none.

        Raises:
            InputError: if it is another value.
        """
        value = self.get(name)
        if value is not None and (not isinstance(value, int | Fraction) or isinstance(value, bool) or value <= 0):
            raise InputError(f"{self.where}, {name}: {found(value)}, expected a number above 0")
        return None if value is None else Fraction(value)

    def flag(self, name: str, default: bool) -> bool:
        """True or false.

        Raises:
            InputError: if it is another value.
        """
        value = self.get(name, default)
        if not isinstance(value, bool):
            raise InputError(f"{self.where}, {name}: {found(value)}, expected true or false")
        return value

    def refuse(self, name: str, *harmless: object) -> None:
        """Stop at a setting that changes the network in a way that is not handled.

        Raises:
            InputError: if it is there and not one of the harmless values.
        """
        value = self.get(name)
        if value is not None and value not in harmless:
            raise InputError(f"{self.where}, {name}: {found(value)} is not handled, expected "
                             f"{' or '.join(map(found, harmless)) or 'none'}")
