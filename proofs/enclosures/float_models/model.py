"""A float model: the fixed and the free choices of its executions (docs/reference/floats.md, section 1)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from constructions.errors import InputError
from constructions.network.float_formats import Format, parse_format

FORMAT_FIELDS = ("storage", "inputs", "sums", "scores", "softmax", "weights")
FIELDS = (*FORMAT_FIELDS, "normalised", "exp_ulp", "exp_base", "block")
"""The fields in the order of a certificate; CUT_OFF follows them where sums are truncated, then ALSO if not empty."""
CUT_OFF = "sum_ulp"
ALSO = "also"
FURTHER: Mapping[str, str] = {
    "eights": "inputs of matrix products may be rounded to 8 bits; queries, keys and values to binary16",
    "gains": "RMS norms may be stored before their gain",
    "integers": "sums of whole numbers may be exact, and scaled afterwards",
    "merged": "variances may be merged from parts",
    "one pass": "variances may be made in one pass",
    "scales": "scores may be stored before their scale, or queries and keys be multiplied by its root"}
"""Further executions of a model, which its field ALSO names (docs/background/floats_rules.md, section 7)."""
OPTIONAL = (CUT_OFF, ALSO)
WITHIN = (("inputs", "storage"), ("storage", "sums"), ("scores", "sums"), ("scores", "softmax"), ("weights", "softmax"))
"""Pairs of formats: all numbers of the first are numbers of the second."""
LEAST_PRECISION = 3
"""The least precision of inputs, in bits: 1/4, 3/4 and 5/4 are then numbers of every format."""
MAX_NAME = 100
MAX_BLOCK = 1 << 20
_RATIONAL = re.compile(r"(0|[1-9][0-9]{0,17})(/[1-9][0-9]{0,17})?", re.ASCII)


class Normalised(StrEnum):
    """The order of the division by the sum of weights: before or after the weighted sum of values."""

    BEFORE = "before"
    AFTER = "after"
    EITHER = "either"


class ExpBase(StrEnum):
    """The base of exponentials: exp(x), or exp2 of x log2(e)."""

    E = "e"
    TWO = "2"
    EITHER = "either"


@dataclass(frozen=True)
class FloatModel:
    """The fixed choices of a float execution; whatever the fields leave open may be chosen anew for each number.

    The error of an exponential is at most ``exp_ulp`` units in the last place, and exp(0) is 1. Where weights are
    normalised after the sum, both partial sums may be rescaled, by one number, after each ``block`` of positions; 0 for
    none. Where sums of products are truncated and not rounded to nearest, ``sum_ulp`` is above 1: their error is at
    most sum_ulp u for each summand. ``also`` names further executions (FURTHER). ``assumed`` states the assumption of
    some fields, and its source.

    Raises:
        InputError: if a format does not contain the format of its inputs, or a number is out of its range.
    """

    name: str
    storage: Format
    inputs: Format
    sums: Format
    scores: Format
    softmax: Format
    weights: Format
    normalised: Normalised
    exp_ulp: Fraction
    exp_base: ExpBase
    block: int
    sum_ulp: Fraction = Fraction(1)
    also: tuple[str, ...] = ()
    assumed: Mapping[str, str] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        if not 0 < len(self.name) <= MAX_NAME:
            raise InputError(f"float model {self.name[:MAX_NAME]!r}: expected a name of 1 to {MAX_NAME} characters")
        for narrow, wide in WITHIN:
            if not is_within(getattr(self, narrow), getattr(self, wide)):
                raise InputError(f"float model {self.name}: {narrow} is {getattr(self, narrow)}, expected a format "
                                 f"whose numbers {wide}, {getattr(self, wide)}, has")
        if self.inputs.precision < LEAST_PRECISION:
            raise InputError(f"float model {self.name}: inputs: {self.inputs}, expected {LEAST_PRECISION} bits or more")
        if self.exp_ulp < 0 or 8 * self.exp_ulp * self.softmax.roundoff > 1:
            raise InputError(f"float model {self.name}: exp_ulp is {self.exp_ulp}, expected 1/2 (correctly rounded) to "
                             f"{1 / (8 * self.softmax.roundoff)} for {self.softmax}")
        if not 0 <= self.block <= MAX_BLOCK:
            raise InputError(f"float model {self.name}: block is {self.block}, expected 0 to {MAX_BLOCK}")

    def with_exp_ulp(self, exp_ulp: Fraction) -> FloatModel:
        """Return the model with another error bound of exponentials, under a name with that bound.

        Raises:
            InputError: if no exponential is so close.
        """
        _check_reached(self.name, exp_ulp)
        return replace(self, exp_ulp=exp_ulp, name=f"{self.name} exp {exp_ulp}", assumed={
            **self.assumed, "exp_ulp": "given by the user"})

    @property
    def exp_error(self) -> Fraction:
        """The bound of the relative error of an exponential that is a normal number."""
        return 2 * self.exp_ulp * self.softmax.roundoff

    @property
    def sums_in_words(self) -> str:
        """The format of sums of products, and whether they are truncated."""
        return f"{self.sums}, cut off within {self.sum_ulp} u" if self.sum_ulp > 1 else str(self.sums)

    def to_json(self) -> dict[str, Any]:
        """Return the fields as in a certificate."""
        fields = {key: getattr(self, key) for key in FIELDS}
        return {"name": self.name,
                **{key: value if isinstance(value, int) else str(value) for key, value in fields.items()},
                **({CUT_OFF: str(self.sum_ulp)} if self.sum_ulp > 1 else {}),
                **({ALSO: list(self.also)} if self.also else {})}


def is_within(narrow: Format, wide: Format) -> bool:
    """Return whether all numbers of one format are numbers of the other."""
    return narrow.precision <= wide.precision and wide.least <= narrow.least and narrow.greatest <= wide.greatest


def read_float_model(name: str, entry: Mapping[str, Any]) -> FloatModel:
    """Return the model of this name, from the fields of a TOML table or of a certificate.

    Raises:
        InputError: naming the first field that is missing, unknown or wrong.
    """
    where = f"float model {name[:MAX_NAME]}"
    if unknown := [key for key in entry if key not in (*FIELDS, *OPTIONAL, "assumed")]:
        raise InputError(f"{where}: field {unknown[0]!r}, expected {', '.join((*FIELDS, *OPTIONAL))} "
                         "or assumed")
    if missing := [key for key in FIELDS if key not in entry]:
        raise InputError(f"{where}: field {missing[0]!r} is missing")
    if not isinstance(entry["block"], int) or isinstance(entry["block"], bool):
        raise InputError(f"{where}: block is {entry['block']!r}, expected an integer")
    texts = {key: entry[key] for key in (*FIELDS, CUT_OFF) if key != "block" and key in entry}
    for key, text in texts.items():
        if not isinstance(text, str):
            raise InputError(f"{where}: {key} is {text!r}, expected text")
    formats = {key: _format(where, key, texts[key]) for key in FORMAT_FIELDS}
    if not _RATIONAL.fullmatch(texts["exp_ulp"]):
        raise InputError(f"{where}: exp_ulp is {texts['exp_ulp']!r}, expected a rational such as \"4\"")
    if not _RATIONAL.fullmatch(cut := texts.get(CUT_OFF, "1")) or (CUT_OFF in texts and Fraction(cut) <= 1):
        raise InputError(f"{where}: {CUT_OFF} is {cut!r}, expected a rational above 1 such as \"2\"")
    _check_reached(name, Fraction(texts["exp_ulp"]))
    normalised = Normalised(_one_of(where, "normalised", texts["normalised"], Normalised))
    exp_base = ExpBase(_one_of(where, "exp_base", texts["exp_base"], ExpBase))
    return FloatModel(name, **formats, normalised=normalised, exp_ulp=Fraction(texts["exp_ulp"]), exp_base=exp_base,
                      block=entry["block"], sum_ulp=Fraction(cut), also=_also(where, entry.get(ALSO, [])),
                      assumed=_assumed(where, entry.get("assumed", {})))


def _check_reached(name: str, exp_ulp: Fraction) -> None:
    """Reject a model without executions: exponentials, which are irrational, may err by half a unit."""
    if 2 * exp_ulp < 1:
        raise InputError(f"float model {name}: exp_ulp is {exp_ulp}, expected 1/2 (correctly rounded) or more")


def _format(where: str, key: str, text: str) -> Format:
    try:
        return parse_format(text)
    except InputError as error:
        raise InputError(f"{where}: {key}: {error}") from None


def _one_of(where: str, key: str, text: str, choices: type[StrEnum]) -> str:
    if text not in (allowed := [choice.value for choice in choices]):
        raise InputError(f"{where}: {key} is {text!r}, expected {', '.join(allowed)}")
    return text


def _also(where: str, names: object) -> tuple[str, ...]:
    if not isinstance(names, list) or not all(names.count(name) == 1 and name in [*FURTHER] for name in names):
        raise InputError(f"{where}: {ALSO} is {names!r}, expected a list of some of {', '.join(FURTHER)}, each once")
    return tuple(sorted(map(str, names)))


def _assumed(where: str, assumed: object) -> Mapping[str, str]:
    if not isinstance(assumed, dict) or not all(key in (*FIELDS, *OPTIONAL) and isinstance(text, str)
                                                for key, text in assumed.items()):
        raise InputError(f"{where}: assumed: expected a text for each of some fields")
    return assumed


def read_float_models(text: str, where: str) -> dict[str, FloatModel]:
    """Return all models of a TOML text, by name.

    Raises:
        InputError: if it is not TOML, or one of them is malformed.
    """
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{where}: not TOML: {error}") from None
    for name, entry in tables.items():
        if not isinstance(entry, dict):
            raise InputError(f"{where}: {name}: expected a table [{name}]")
    return {name: read_float_model(name, entry) for name, entry in tables.items()}


@cache
def presets() -> Mapping[str, FloatModel]:
    """Return the models with predefined names.

    >>> str(presets()["bfloat16/binary32"].sums)
    'binary32'
    """
    path = Path(__file__).with_name("presets.toml")
    return read_float_models(path.read_text(encoding="utf-8"), path.name)
