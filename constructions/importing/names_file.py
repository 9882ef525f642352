"""Files of names (TOML): tensors that exist under other names, in another order or in pieces.

docs/howto/importing.md, "Other names". Elements are only moved: the results contain exactly the numbers of the files,
or the values of quantised numbers in them.
"""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from constructions.errors import InputError
from constructions.importing.contents import MAX_DIMENSIONS, Contents, Stored
from constructions.importing.quantised import codes_of, numbers, plain, unpacked, whole_numbers
from constructions.tables import read_toml
from constructions.text import printable, read_file, utf8_of
from constructions.trained.json_values import found
from constructions.trained.network import ELEMENT_BYTES
from constructions.trained.validation import MAX_TENSOR_BYTES

_KEYS = ("from", "rows", "axes", "shape", "join", "axis", "zeros", "scale", "zero", "block", "bits")
_HOLE = "{i}"
_MAX_HOLES = 1000
_MAX_BYTES = 1_000_000


@dataclass(frozen=True)
class TensorNames:
    """The contents of a file of names; ``where`` is the file's name in messages."""

    where: str
    tensors: Mapping[str, Any]
    ignored: tuple[str, ...]
    settings: Mapping[str, Any]


def read_names(path: str | Path) -> TensorNames:
    """Read a file of names.

    Raises:
        InputError: if it cannot be read, or has keys other than tensors, ignore and settings.
    """
    where = printable(Path(path).name)
    data = read_toml(utf8_of(read_file(path, _MAX_BYTES, where), where), where)
    for key in data:
        if key not in ("tensors", "ignore", "settings"):
            raise InputError(f"{where}: unknown key {found(key)}, expected tensors, ignore or settings")
    tensors, settings, ignored = data.get("tensors", {}), data.get("settings", {}), data.get("ignore", [])
    for key, value in (("tensors", tensors), ("settings", settings)):
        if not isinstance(value, dict):
            raise InputError(f"{where}, {key}: {found(value)}, expected a table")
    if not isinstance(ignored, list) or not all(isinstance(one, str) for one in ignored):
        raise InputError(f"{where}, ignore: {found(ignored)}, expected a list of names")
    exact = {key: Fraction(value) if isinstance(value, Decimal) and value.is_finite() else value
             for key, value in settings.items()}
    return TensorNames(where, tensors, tuple(ignored), exact)


def renamed(contents: Contents, names: TensorNames) -> Contents:
    """Return the contents with the tensors made by the file of names, without those used for them."""
    making = _Making(contents.tensors, names.where)
    made = {name: making.tensor(name, rule) for name, rule in _without_holes(names, contents.tensors)}
    left = {name: stored for name, stored in contents.tensors.items() if name not in making.used}
    others = dict(contents.others)
    for pattern in names.ignored:
        matched = re.compile(r"\d{1,6}".join(map(re.escape, pattern.split(_HOLE))), re.ASCII)  # any number
        shown = [name for name in left if matched.fullmatch(name)]
        if not shown:
            raise InputError(f"{names.where}, ignore: no tensor {pattern} is left, expected one")
        for name in shown:
            others[name] = f"ignored, as {names.where} says"
            del left[name]
    for name in made.keys() & left.keys():
        raise InputError(f"{names.where}, {name}: the files also have a tensor of this name, expected it in ignore")
    settings = dict(contents.settings)
    for key, value in names.settings.items():
        if settings.get(key, value) != value:
            raise InputError(f"{names.where}, settings: {key} = {found(value)}, but a file says {found(settings[key])}")
        settings[key] = value
    return Contents(left | made, settings, others)


def _without_holes(names: TensorNames, stored: Mapping[str, Stored]) -> Iterable[tuple[str, Any]]:
    """Yield the rules; those with holes once for each number 0, 1, … whose tensors exist."""
    for name, rule in names.tensors.items():
        if _HOLE not in name:
            yield name, rule
            continue
        sources = _sources(rule, f"{names.where}, {name}")
        if not any(_HOLE in source for source in sources):
            raise InputError(f"{names.where}, {name}: {_HOLE} in the name only, expected it also in the name's sources")
        count = 0
        while count < _MAX_HOLES and all(_filled(source, count) in stored for source in sources):
            yield _filled(name, count), _filled(rule, count)
            count += 1
        if not count:
            raise InputError(f"{names.where}, {name}: no tensor {_filled(sources[0], 0)}, expected it in the files")


def _filled(rule: Any, number: int) -> Any:
    """Return the rule with a number in place of each hole."""
    if isinstance(rule, str):
        return rule.replace(_HOLE, str(number))
    if isinstance(rule, list):
        return [_filled(one, number) for one in rule]
    return {key: _filled(value, number) for key, value in rule.items()} if isinstance(rule, dict) else rule


def _sources(rule: Any, where: str) -> list[str]:
    """Return the names of tensors of the files in a rule."""
    if isinstance(rule, str):
        return [rule]
    if isinstance(rule, dict) and isinstance(rule.get("from"), str):
        return [rule["from"], *(rule[key] for key in ("scale", "zero") if isinstance(rule.get(key), str))]
    if isinstance(rule, dict) and isinstance(rule.get("join"), list):
        return [source for one in rule["join"] for source in _sources(one, where)]
    if isinstance(rule, dict) and "zeros" in rule:
        return []
    raise InputError(f"{where}: {found(rule)}, expected a name, or a table with from, join or zeros")


class _Making:
    """Maker of tensors by rules; keeps track of the used tensors of the files."""

    def __init__(self, stored: Mapping[str, Stored], where: str) -> None:
        self.stored = stored
        self.where = where
        self.used: set[str] = set()

    def tensor(self, name: str, rule: Any) -> Stored:
        where = f"{self.where}, {name}"
        _sources(rule, where)
        if isinstance(rule, str):
            return self.source(rule, where)
        for key in rule:
            if key not in _KEYS:
                raise InputError(f"{where}: unknown key {found(key)}, expected only {', '.join(_KEYS)}")
        if len({"from", "join", "zeros"} & rule.keys()) != 1:
            raise InputError(f"{where}: expected exactly one of from, join and zeros")
        if {"scale", "zero", "block", "bits"} & rule.keys() and not {"from", "scale"} <= rule.keys():
            raise InputError(f"{where}: scale, zero, block or bits, expected them together with from and scale")
        if "zeros" in rule:
            shape = _sizes(rule["zeros"], f"{where}, zeros")
            stored = Stored("binary32", "binary32", shape, lambda: bytes(4 * math.prod(shape)))
        elif "join" in rule:
            parts = [self.tensor(name, part) for part in rule["join"]]
            stored = _joined(parts, _axis(rule.get("axis", 0), f"{where}, axis"), where)
        elif "scale" in rule:
            stored = self.quantised(rule, where)
        else:
            stored = self.source(rule["from"], where)
        return _arranged(stored, rule, where)

    def source(self, name: str, where: str) -> Stored:
        stored = self.taken(name, where)
        stored.numbers_in(f"{where}: tensor {name} has elements")
        return stored

    def quantised(self, rule: Mapping[str, Any], where: str) -> Stored:
        """Return numbers times their scales; whole ones less a zero point, and perhaps packed in bytes."""
        (kind, codes), unit = codes_of(self.taken(rule["from"], where), where)
        scale, zero = numbers(self.taken(rule["scale"], where), f"{where}, scale"), rule.get("zero")
        block = _sizes([rule["block"]], f"{where}, block")[0] if "block" in rule else 0
        if "bits" in rule:
            bits = _sizes([rule["bits"]], f"{where}, bits")[0]
            if kind != "uint8" or unit != 1 or bits not in (2, 4) or not codes.ndim:
                raise InputError(f"{where}: bits {bits} of elements {kind}, expected 2 or 4 bits of bytes (uint8)")
            kind, codes = f"uint{bits}", unpacked(codes, 8, bits, codes.ndim - 1)
        if zero is not None and unit != 1:
            raise InputError(f"{where}: zero points of numbers of floating point, expected none")
        if type(zero) is int:
            zero = np.full(scale.shape, zero)
        elif zero is not None:
            zero = whole_numbers(self.taken(zero, where), f"{where}, zero")[1]
        return plain((kind, codes), scale * unit, zero, where, _axis(rule.get("axis", 0), f"{where}, axis"), block)

    def taken(self, name: Any, where: str) -> Stored:
        """Return a tensor of the files, of any element type."""
        if not isinstance(name, str) or name not in self.stored:
            raise InputError(f"{where}: no tensor {name} in the files, expected one")
        self.used.add(name)
        return self.stored[name]


def _arranged(stored: Stored, rule: Mapping[str, Any], where: str) -> Stored:
    """Return the tensor after selecting rows, permuting axes and reshaping, in this order."""
    if "rows" in rule:
        first, last = _sizes(rule["rows"], f"{where}, rows", least=0, count=2)
        if not stored.shape or not first < last <= stored.shape[0]:
            raise InputError(f"{where}: rows {first} to {last} of a tensor of shape {list(stored.shape)}, expected "
                             f"[first, end] with first below end, at most its first size")
        stored = _changed(stored, (last - first, *stored.shape[1:]), lambda array: array[first:last])
    if "axes" in rule:
        axes = _sizes(rule["axes"], f"{where}, axes", least=0)
        if sorted(axes) != list(range(len(stored.shape))):
            raise InputError(f"{where}: axes {list(axes)} of a tensor of shape {list(stored.shape)}, expected each of "
                             f"{', '.join(map(str, range(len(stored.shape))))} once")
        stored = _changed(stored, tuple(stored.shape[axis] for axis in axes), lambda array: array.transpose(axes))
    if "shape" in rule:
        shape = _sizes(rule["shape"], f"{where}, shape")
        if math.prod(shape) != math.prod(stored.shape):
            raise InputError(f"{where}: shape {list(shape)} for a tensor of shape {list(stored.shape)}, expected as "
                             f"many elements")
        stored = _changed(stored, shape, lambda array: array.reshape(shape))
    return stored


def _joined(parts: Sequence[Stored], axis: int, where: str) -> Stored:
    """Concatenate tensors along an axis."""
    if not parts:
        raise InputError(f"{where}: join without names, expected at least one")
    first = parts[0]
    for part in parts:
        fits = len(part.shape) == len(first.shape) > axis and part.format == first.format
        if not fits or any(a != b for k, (a, b) in enumerate(zip(part.shape, first.shape, strict=True)) if k != axis):
            raise InputError(f"{where}: {part} beside {first} along axis {axis}, expected the same format and, except "
                             f"along that axis, the same shape")
    shape = list(first.shape)
    shape[axis] = sum(part.shape[axis] for part in parts)
    return Stored(first.kind, first.format, tuple(shape), lambda: np.concatenate(
        [_words(part) for part in parts], axis).tobytes())


def _words(stored: Stored) -> Any:
    """Return the elements as integers of their bits, so that moving them does not round."""
    return np.frombuffer(stored.read(), f"<u{ELEMENT_BYTES[str(stored.format)]}").reshape(stored.shape)


def _changed(stored: Stored, shape: tuple[int, ...], move: Callable[[Any], Any]) -> Stored:
    return Stored(stored.kind, stored.format, shape, lambda: np.ascontiguousarray(move(_words(stored))).tobytes())


def _axis(value: Any, where: str) -> int:
    return _sizes([value], where, least=0)[0]


def _sizes(value: Any, where: str, least: int = 1, count: int | None = None) -> tuple[int, ...]:
    """Return a list of integers whose product is within the limit of a tensor."""
    fits = isinstance(value, list) and 0 < len(value) <= MAX_DIMENSIONS and all(
        type(size) is int and least <= size <= MAX_TENSOR_BYTES for size in value)
    if not fits or (count is not None and len(value) != count) or (least and math.prod(value) > MAX_TENSOR_BYTES):
        raise InputError(f"{where}: {found(value)}, expected a list of {count or ''} whole numbers from {least} on"
                         .replace("  ", " "))
    return tuple(value)
