"""Rotary positions by config.json: their base, the part of a head that is turned, and the scaling for long inputs.

transformers 4 reads ``rope_theta`` beside ``rope_scaling``; 5 reads ``rope_parameters``, or else both as 4 does, and
what stands inside goes before what stands outside. A file that these would read in two ways is refused.
"""

from dataclasses import dataclass
from fractions import Fraction

from constructions.errors import InputError
from constructions.importing.computed_tables import RotaryScaling
from constructions.importing.config_file import Settings
from constructions.importing.questions import Questions
from constructions.trained.json_values import found


@dataclass(frozen=True)
class RotaryRule:
    """The base, the scaling, and which part of a head is turned (None: all of it)."""

    base: Fraction
    part: Fraction | None
    scaling: RotaryScaling | None


def rotary_rule(settings: Settings, questions: Questions) -> RotaryRule:
    """The rule of the angles.

    Raises:
        InputError: if it is not handled, is stated in two ways, or the base is not told.
    """
    inner = _inside(settings)
    base: Fraction = questions.either("rotary_base", _one(settings, inner, "base", "rope_theta"), settings.where)
    part = _one(settings, inner, "part", "partial_rotary_factor")
    if part is not None and part > 1:
        raise InputError(f"{settings.shown('part')}: {part}, expected at most 1")
    questions.assume(f"rotary positions turn pairs of coordinates of queries and keys, to base {base}")
    rule = RotaryRule(base, part, _scaling(inner))
    _check_versions(settings, inner, rule)
    return rule


def _check_versions(settings: Settings, inner: Settings, rule: RotaryRule) -> None:
    """Compare the rule with that of transformers 4, which does not read ``rope_parameters``.

    Raises:
        InputError: if they differ, and the file does not state which version is meant.
    """
    if not inner.where.endswith("rope_parameters") or not inner.settings or settings.version == 5:
        return
    scaling = _scaling(Settings(settings.get("rope_scaling") or {}, settings.where))
    base = settings.number("base") or (Fraction(0) if "rope_theta" in inner.settings else rule.base)
    if rule != RotaryRule(base, settings.number("part"), scaling):
        raise InputError(f"{inner.where}: transformers 5 reads it and 4 does not, expected transformers_version beside "
                         f"it, or the same in rope_theta and rope_scaling")


def _inside(settings: Settings) -> Settings:
    """The object with the rule.

    Raises:
        InputError: if there are two, or the version that wrote the file reads another.
    """
    new, old = (settings.inside(name) for name in ("rope_parameters", "rope_scaling"))
    if new.settings and old.settings and new.settings != old.settings:
        raise InputError(f"{new.where}: {found(new.settings)}, but rope_scaling says {found(old.settings)}")
    if new.settings and settings.version == 4:
        raise InputError(f"{new.where}: transformers 4, which wrote the file, does not read it, expected rope_scaling")
    for name in {**old.settings} if new.settings else ():
        old.get(name)  # the same, as was compared
    return new if new.settings else old


def _one(settings: Settings, inner: Settings, word: str, name: str) -> Fraction | None:
    """A number that may stand inside or outside, or its default.

    Raises:
        InputError: if versions would take two different numbers.
    """
    if settings.keys and not settings.keys[word].names:
        inner.only(name, 1, Fraction(1))
        return None
    outer, told = settings.number(word), inner.number(name)
    is_new = inner.where.endswith("rope_parameters") or settings.version == 5
    if told is not None and told != outer and not (is_new and settings.told(word) is None):
        raise InputError(f"{inner.shown(name)}: {told}, but outside it is {outer}, expected one of them")
    return outer if told is None else told


def _scaling(inner: Settings) -> RotaryScaling | None:
    kinds = [kind for kind in map(inner.get, ("rope_type", "type")) if kind is not None] or ["default"]
    if len(kinds) == 2 and kinds[0] != kinds[1]:
        raise InputError(f"{inner.where}, type: {found(kinds[1])}, but rope_type says {found(kinds[0])}")
    if kinds[0] not in ("default", "linear", "llama3"):
        raise InputError(f"{inner.where}: {found(kinds[0])} is not handled, expected default, linear or llama3")
    if kinds[0] == "default":
        return None
    factor = inner.number("factor")
    if factor is None:
        raise InputError(f"{inner.where}: no factor, expected one")
    if kinds[0] == "linear":
        return RotaryScaling(factor)
    low, high, length = (inner.number(name) for name in (
        "low_freq_factor", "high_freq_factor", "original_max_position_embeddings"))
    if low is None or high is None or length is None or low >= high:
        raise InputError(f"{inner.where}: expected low_freq_factor below high_freq_factor, and "
                         f"original_max_position_embeddings")
    return RotaryScaling(factor, low, high, length)
