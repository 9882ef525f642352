"""The float models that a user names: presets, and files of their own."""

import os
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from certify.common.files import read_text
from constructions.errors import InputError
from constructions.network.float_formats import format_name
from proofs.enclosures.float_models.model import FloatModel, presets, read_float_models

DEFAULT_MODELS = ("binary32", "tf32", "bfloat16/binary32", "binary16/binary32", "flash", "binary16", "bfloat16")
"""The default models: the formats, wide to narrow. The other presets are binary32 with other
assumptions."""
SUFFIX = ".toml"


def read_models(texts: Sequence[str], exp_ulp: Fraction | None = None) -> list[FloatModel]:
    """Return the float models that these texts name, each once: presets, or files (.toml) with all models in them.

    >>> [each.name for each in read_models(["bfloat16", "binary32"])]
    ['bfloat16', 'binary32']

    Raises:
        InputError: if there is no such preset or file, a file is malformed, or two models have one name.
    """
    found: dict[str, FloatModel] = {}
    for text in texts or DEFAULT_MODELS:
        for float_model in _read(text):
            if found.setdefault(float_model.name, float_model) != float_model:
                raise InputError(f"two float models are named {float_model.name}")
    return [each if exp_ulp is None else each.with_exp_ulp(exp_ulp) for each in found.values()]


def read_model(text: str, folder: Path = Path()) -> FloatModel:
    """Return the one float model that a text names, a preset or a file in the folder.

    Raises:
        InputError: as for ``read_models``, or if a file has several models.
    """
    text = os.path.normpath(folder / text) if text.endswith(SUFFIX) else text
    found = list(_read(text))
    if len(found) != 1:
        raise InputError(f"{text}: {len(found)} float models, expected one")
    return found[0]


def _read(text: str) -> list[FloatModel]:
    if text.endswith(SUFFIX):
        found = list(read_float_models(read_text(text), text).values())
        if not found:
            raise InputError(f"{text}: no float model, expected a table such as [mine]")
        for each in found:
            if presets().get(each.name, each) != each:
                raise InputError(f"{text}: {each.name} is a preset with other numbers, "
                                 f"expected another name")
        return found
    if (name := format_name(text)) not in presets():
        raise InputError(f"float model {text!r}: expected one of {', '.join(presets())}, or a file {SUFFIX}")
    return [presets()[name]]


def assumptions(float_model: FloatModel) -> list[tuple[str, str, str]]:
    """Return, for each field, its name, its value, and the assumption with its source."""
    fields = replace(float_model).to_json()
    return [(name, ", ".join(value) if isinstance(value, list) else str(value), float_model.assumed.get(name, ""))
            for name, value in fields.items() if name != "name"]
