"""Rotary positions by config.json: their base, and how angles are scaled for long inputs."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from constructions.errors import InputError
from constructions.importing.computed_tables import RotaryScaling
from constructions.importing.config_file import Settings
from constructions.importing.questions import Questions
from constructions.trained.json_values import found

BASE = Fraction(10000)
_KINDS = ("default", "linear", "llama3")


def rotary_scaling(settings: Settings, questions: Questions) -> tuple[Fraction, RotaryScaling | None]:
    """The base of the angles, and how they are scaled.

    Raises:
        InputError: if they are scaled in a way that is not handled, or the base is not told.
    """
    nested: Mapping[str, Any] = {}
    for name in ("rope_scaling", "rope_parameters"):
        value = settings.get(name, {})
        if not isinstance(value, dict):
            raise InputError(f"{settings.where}, {name}: {found(value)}, expected an object")
        nested = {**nested, **value}
    inner = Settings(nested, settings.where)
    told = inner.number("rope_theta") or settings.number("rope_theta") or settings.number("rotary_emb_base")
    base: Fraction = questions.either("rotary_base", told or (BASE if settings.settings else None), settings.where)
    questions.assume(f"rotary positions turn pairs of coordinates of queries and keys, to base {base}")
    return base, _scaling(inner, settings.where)


def _scaling(inner: Settings, where: str) -> RotaryScaling | None:
    kind = inner.get("rope_type", inner.get("type", "default"))
    if kind not in _KINDS:
        raise InputError(f"{where}, rope_scaling: {found(kind)} is not handled, expected default, linear or llama3")
    if kind == "default":
        return None
    factor = inner.number("factor")
    if factor is None:
        raise InputError(f"{where}, rope_scaling: no factor, expected one")
    if kind == "linear":
        return RotaryScaling(factor)
    low, high, length = (inner.number(name) for name in (
        "low_freq_factor", "high_freq_factor", "original_max_position_embeddings"))
    if low is None or high is None or length is None or low >= high:
        raise InputError(f"{where}, rope_scaling: expected low_freq_factor below high_freq_factor, and "
                         f"original_max_position_embeddings")
    return RotaryScaling(factor, low, high, length)
