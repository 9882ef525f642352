"""Results to JSON and back, exactly: a dataclass is an object with a key for each field.

What is shown under other keys than its fields has a function ``..._to_json`` beside the function that prints it.

A fraction is a string such as "1/3"; from a thousand digits on it is written in hexadecimal, which takes linear time.
Input is not trusted: every mistake is one line that says where it is and what was expected.
"""

import dataclasses
import json
import math
import re
from fractions import Fraction
from functools import cache
from types import UnionType
from typing import Any, Literal, TypeVar, cast, get_args, get_origin, get_type_hints

from constructions.errors import InputError
from constructions.language.enclosures import IRRATIONAL
from constructions.language.expressions import Constant, Expression, parse_constant
from constructions.network.json_form import read_json
from proofs.enclosures.intervals import Interval

DECIMAL_BITS = 3300
"""Integers with more bits (about a thousand digits) are written in hexadecimal."""
MAX_DIGITS = 65_536
_DECIMAL = re.compile(r"-?[0-9]{1,1000}(/[0-9]{1,1000})?", re.ASCII)
_HEXADECIMAL = re.compile(rf"-?0x[0-9a-f]{{1,{MAX_DIGITS}}}(/0x[0-9a-f]{{1,{MAX_DIGITS}}})?", re.ASCII)
T = TypeVar("T")
_hints = cache(get_type_hints)


# -- fractions ---------------------------------------------------------------------------------------------------------


def format_exact(x: Constant) -> str:
    """Return the fraction in full, or an irrational constant in its notation.

    >>> format_exact(Fraction(-1, 3)), format_exact(Fraction(2)), len(format_exact(Fraction(2**4000)))
    ('-1/3', '2', 1003)
    """
    if isinstance(x, Expression):
        return str(x)
    parts = (x.numerator,) if x.denominator == 1 else (x.numerator, x.denominator)
    long = max(abs(part) for part in parts).bit_length() > DECIMAL_BITS
    return "/".join(hex(part) if long else str(part) for part in parts)


def parse_exact(data: Any, where: str) -> Fraction:
    """Parse an exact number in the form of ``format_exact``.

    >>> parse_exact("-1/3", "a number")
    Fraction(-1, 3)

    Raises:
        InputError: if it is not in that form.
    """
    for pattern, base in ((_DECIMAL, 10), (_HEXADECIMAL, 16)):
        if isinstance(data, str) and pattern.fullmatch(data):
            numerator, _, denominator = data.partition("/")
            if bottom := int(denominator or "1", base):
                return Fraction(int(numerator, base), bottom)
    raise _refused(data, where, 'a fraction such as "1/3"')


# -- writing -----------------------------------------------------------------------------------------------------------


def to_json(value: Any) -> Any:
    """Return the JSON-compatible form of a result: of a dataclass, an object with a key for each field."""
    if isinstance(value, Fraction | Expression):
        return format_exact(value)
    if isinstance(value, tuple | list):
        return [to_json(part) for part in value]
    if dataclasses.is_dataclass(value):
        return {field.name: to_json(getattr(value, field.name)) for field in dataclasses.fields(value)}
    return value


# -- reading -----------------------------------------------------------------------------------------------------------


def read_result(kind: type[T], text: str, where: str) -> T:
    """Parse the result of this kind from a JSON text.

    Raises:
        InputError: if the text is anything else.
    """
    return from_json(kind, read_json(text, where, parse_float=float), where)


def from_json(kind: type[T], data: Any, where: str) -> T:
    """Return the result of this kind whose JSON form is ``data``.

    >>> from_json(Interval, {"lower": "1/3", "upper": "1/2"}, "bound")
    Interval(lower=Fraction(1, 3), upper=Fraction(1, 2))

    Raises:
        InputError: if ``data`` is not the JSON form of this kind.
    """
    return cast(T, _read(kind, data, where))


def _read(kind: Any, data: Any, where: str) -> Any:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is UnionType:  # something, or None
        if data is not None and Expression in arguments:
            return _read_constant(data, where)
        return None if data is None else _read(arguments[0], data, where)
    if origin is tuple:
        return _read_sequence(arguments, data, where)
    if origin is Literal:
        return _read_choice(arguments, data, where)
    if dataclasses.is_dataclass(kind):
        return _read_fields(kind, data, where)
    return _SCALARS[kind](data, where)


def _read_constant(data: Any, where: str) -> Constant:
    """Return a fraction, or an expression with ln or sqrt."""
    if not isinstance(data, str) or not any(f"{name}(" in data for name in IRRATIONAL):
        return parse_exact(data, where)
    try:
        return parse_constant(data)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


def _read_sequence(kinds: tuple[Any, ...], data: Any, where: str) -> tuple[Any, ...]:
    """Return a tuple of any length, if the last of its kinds is ``...``, or of as many parts as it has kinds."""
    if not isinstance(data, list):
        raise _refused(data, where, "a list")
    if kinds[-1] is not Ellipsis and len(data) != len(kinds):
        raise InputError(f"{where}: a list of {len(data)}, expected {len(kinds)}")
    return tuple(_read(kinds[0], part, f"{where}[{place}]") for place, part in enumerate(data, start=1))


def _read_choice(choices: tuple[str, ...], data: Any, where: str) -> str:
    if not isinstance(data, str) or data not in choices:
        raise _refused(data, where, f"one of {', '.join(choices)}")
    return data


def _read_fields(kind: Any, data: Any, where: str) -> Any:
    kinds = _hints(kind)
    if not isinstance(data, dict):
        raise _refused(data, where, f"an object with the keys {', '.join(kinds)}")
    for name in kinds:
        if name not in data:
            raise InputError(f'{where}: no key "{name}", expected the keys {", ".join(kinds)}')
    for name in data:
        if name not in kinds:
            raise _refused(name, where, f"no keys but {', '.join(kinds)}")
    result = kind(**{name: _read(part, data[name], f"{where}.{name}") for name, part in kinds.items()})
    if isinstance(result, Interval) and result.lower > result.upper:
        raise InputError(f"{where}: the lower end exceeds the upper one, expected lower <= upper")
    return result


def _read_text(data: Any, where: str) -> str:
    if not isinstance(data, str):
        raise _refused(data, where, "a string")
    if any(0xD800 <= ord(character) < 0xE000 for character in data):
        raise InputError(f"{where}: a lone surrogate, expected Unicode text")
    return data


def _read_truth(data: Any, where: str) -> bool:
    if not isinstance(data, bool):
        raise _refused(data, where, "true or false")
    return data


def _read_integer(data: Any, where: str) -> int:
    if not isinstance(data, int) or isinstance(data, bool):
        raise _refused(data, where, "an integer")
    return data


def _read_float(data: Any, where: str) -> float:
    if isinstance(data, int | float) and not isinstance(data, bool) and abs(data) < 2**53 and math.isfinite(data):
        return float(data)
    raise _refused(data, where, "a number below 2^53")


_SCALARS = {str: _read_text, bool: _read_truth, int: _read_integer, float: _read_float, Fraction: parse_exact}


def _refused(data: Any, where: str, expected: str) -> InputError:
    shown = json.dumps(data, default=str) if not isinstance(data, list | dict) else f"a {type(data).__name__}"
    return InputError(f"{where}: found {shown if len(shown) <= 60 else shown[:57] + '...'}, expected {expected}")
