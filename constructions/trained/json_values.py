"""Values inside a parsed JSON file, read strictly: every error is one line with its place and what was expected.

A `JsonCodec` reads and writes one kind of value.
"""

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, TypeVar

from constructions.errors import InputError

MAX_DIGITS = 1000
"""The most digits of one integer, numerator or denominator."""
MAX_SIZE = 2**31
"""Upper limit, exclusive, of every size, stride and index."""
_RATIONAL = re.compile(rf"-?[0-9]{{1,{MAX_DIGITS}}}(/[0-9]{{1,{MAX_DIGITS}}})?", re.ASCII)
V = TypeVar("V")


def found(value: object) -> str:
    """Return the JSON text of a value for messages, shortened."""
    text = value if isinstance(value, str) and len(value) > 100 else json.dumps(value, default=str)
    return text if len(text) <= 60 else text[:57] + "..."


def fields(data: Any, where: str, names: Sequence[str]) -> list[Any]:
    """Return the values of an object with exactly these keys.

    Raises:
        InputError: if it is not an object, or has other keys.
    """
    if not isinstance(data, dict):
        raise InputError(f"{where}: {found(data)}, expected an object with the keys {', '.join(names)}")
    for name in names:
        if name not in data:
            raise InputError(f"{where}: no key {name}, expected the keys {', '.join(names)}")
    for name in data:
        if name not in names:
            raise InputError(f"{where}: unknown key {found(name)}, expected only {', '.join(names)}")
    return [data[name] for name in names]


def items(data: Any, where: str, read: Callable[[Any, str], V]) -> tuple[V, ...]:
    """Read every element of a list in turn.

    Raises:
        InputError: if it is not a list, or an element is refused.
    """
    if not isinstance(data, list):
        raise InputError(f"{where}: {found(data)}, expected a list")
    return tuple(read(item, f"{where}[{place}]") for place, item in enumerate(data))


def size(data: Any, where: str) -> int:
    """Return an integer from 0 to MAX_SIZE - 1.

    Raises:
        InputError: for any other value.
    """
    if type(data) is not int or not 0 <= data < MAX_SIZE:
        raise InputError(f"{where}: {found(data)}, expected a whole number, 0 or more and below 2^31")
    return data


def whole(data: Any, where: str) -> int:
    """Return an integer of absolute value at most 2^31.

    Raises:
        InputError: for any other value.
    """
    if type(data) is not int or abs(data) > MAX_SIZE:
        raise InputError(f"{where}: {found(data)}, expected a whole number of at most 2^31")
    return data


def positive(data: Any, where: str) -> int:
    """Return an integer from 1 to MAX_SIZE - 1.

    Raises:
        InputError: for any other value.
    """
    if size(data, where) == 0:
        raise InputError(f"{where}: 0, expected at least 1")
    return int(data)


def rational(data: Any, where: str) -> Fraction:
    """Return a rational: an integer, or text such as "1/3".

    Raises:
        InputError: for any other value, or too many digits.
    """
    text = str(data) if type(data) is int else data
    if not isinstance(text, str) or not _RATIONAL.fullmatch(text):
        raise InputError(f"{where}: {found(data)}, expected a rational such as \"1/3\" of at most {MAX_DIGITS} digits")
    numerator, _, denominator = text.partition("/")
    if denominator and int(denominator) == 0:
        raise InputError(f"{where}: {found(data)}, expected a denominator that is not 0")
    return Fraction(int(numerator), int(denominator or 1))


def text(data: Any, where: str) -> str:
    """Return text that is not empty and that UTF-8 can encode.

    Raises:
        InputError: for any other value.
    """
    if not isinstance(data, str) or not data or any("\ud800" <= c <= "\udfff" for c in data):
        raise InputError(f"{where}: {found(data)}, expected text that is not empty")
    return data


def one_of(data: Any, where: str, choices: Sequence[V]) -> V:
    """Return one of these values.

    Raises:
        InputError: for any other value.
    """
    for choice in choices:
        if data == choice and type(data) is type(choice):
            return choice
    raise InputError(f"{where}: {found(data)}, expected {' or '.join(map(found, choices))}")


def optional(data: Any, where: str, read: Callable[[Any, str], V]) -> V | None:
    """Return None for null, else the result of ``read``."""
    return None if data is None else read(data, where)


# -- codecs --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class JsonCodec(Generic[V]):
    """Reader and writer of a value; reading at a place may raise InputError; the default writer is the identity."""

    read: Callable[[Any, str], V]
    write: Callable[[V], Any] = lambda value: value

    def or_null(self) -> "JsonCodec[V | None]":
        """Return the codec that also maps None to null."""
        return JsonCodec(lambda data, where: optional(data, where, self.read),
                         lambda value: None if value is None else self.write(value))

    def list(self) -> "JsonCodec[tuple[V, ...]]":
        """Return the codec of lists of the values."""
        return JsonCodec(lambda data, where: items(data, where, self.read),
                         lambda value: [self.write(one) for one in value])


SIZE, TEXT, RATIONAL = JsonCodec(size), JsonCodec(text), JsonCodec(rational, str)
POSITIVE, WHOLE = JsonCodec(positive), JsonCodec(whole)


def choice(choices: Sequence[V]) -> JsonCodec[V]:
    """Return the codec of one of these values."""
    return JsonCodec(lambda data, where: one_of(data, where, choices))


def record(make: Callable[..., V], *, tag: Mapping[str, str] | None = None, keys: Mapping[str, str] | None = None,
           rare: Collection[str] = (), **parts: JsonCodec[Any]) -> JsonCodec[V]:
    """Return the codec of an object with a key for each attribute: of its name or as in ``keys``, after a ``tag``.

    The ``rare`` attributes are omitted if they are None.
    """
    tag, keys = tag or {}, keys or {}
    names = {keys.get(name, name): name for name in parts}

    def read(data: Any, where: str) -> V:
        held = [key for key, name in names.items() if name not in rare or (isinstance(data, dict) and key in data)]
        values = fields(data, where, [*tag, *held])[len(tag):]
        return make(**{names[key]: parts[names[key]].read(value, f"{where}.{key}")
                       for key, value in zip(held, values, strict=True)})

    def write(value: V) -> dict[str, Any]:
        return {**tag, **{key: parts[name].write(getattr(value, name)) for key, name in names.items()
                          if name not in rare or getattr(value, name) is not None}}

    return JsonCodec(read, write)
