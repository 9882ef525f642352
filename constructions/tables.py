"""Values of TOML tables, with a one-line error for each unexpected value."""

import difflib
import json
import re
import tomllib
from collections.abc import Collection, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from constructions.errors import InputError

MOST = 1 << 31
MAX_DIGITS = 100
_RATIONAL = re.compile(r"[0-9]+(/[0-9]+)?", re.ASCII)
Table = Mapping[str, Any]


def read_toml(content: str, where: str) -> dict[str, Any]:
    """Parse the tables of a TOML text; decimals are read exactly.

    Raises:
        InputError: if it is not TOML.
    """
    try:
        return tomllib.loads(content, parse_float=Decimal)
    except RecursionError:
        raise InputError(f"{where}: brackets nested too deeply") from None
    except (ValueError, ArithmeticError) as error:
        raise InputError(f"{where}: not TOML: {' '.join(str(error).split())}") from None


def check_keys(where: str, table: object, expected: Collection[str], needed: Collection[str] = ()) -> Table:
    """Return the table after a check of its keys.

    Raises:
        InputError: for a key that is not expected, with the nearest expected one, and for a missing key.
    """
    if not isinstance(table, dict):
        raise InputError(f"{where}: {shown(table)}, expected a table with the keys {', '.join(expected)}")
    for key in table:
        if key not in expected:
            near = difflib.get_close_matches(key, expected, 1)
            hint = f"did you mean {near[0]}?" if near else f"expected one of {', '.join(expected)}"
            raise InputError(f"{where}: unknown key {shown(key)}, {hint}")
    for key in needed:
        if key not in table:
            raise InputError(f"{where}: no key {key}, expected one")
    return table


def shown(value: object) -> str:
    """Return a value as TOML text, cut if it is long."""
    try:
        text = json.dumps(value, ensure_ascii=True, default=str)
    except ValueError:  # a number with thousands of digits
        return "a very large number"
    return text if len(text) <= 60 else text[:57] + "..."


def natural(where: str, value: object, below: int = MOST, what: str = "a whole number") -> int:
    """Return an integer >= 0.

    Raises:
        InputError: if the value is not an integer, or outside 0 ... below - 1.
    """
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < below:
        raise InputError(f"{where}: {shown(value)}, expected {what} from 0 to {below - 1}")
    return value


def naturals(where: str, value: object, below: int = MOST, what: str = "whole numbers") -> tuple[int, ...]:
    """Return a list of integers >= 0 as a tuple.

    Raises:
        InputError: if the value is not a list of integers from 0 to below - 1.
    """
    if not isinstance(value, list):
        raise InputError(f"{where}: {shown(value)}, expected a list of {what}")
    return tuple(natural(where, one, below, what) for one in value)


def text(where: str, value: object) -> str:
    """Return a string.

    Raises:
        InputError: if the value is not a string.
    """
    if not isinstance(value, str):
        raise InputError(f"{where}: {shown(value)}, expected a string")
    return value


def texts(where: str, value: object) -> list[str]:
    """Return a list of strings.

    Raises:
        InputError: if the value is not a list of strings.
    """
    if not isinstance(value, list):
        raise InputError(f"{where}: {shown(value)}, expected a list of strings")
    return [text(where, one) for one in value]


def boolean(where: str, value: object) -> bool:
    """Return a Boolean.

    Raises:
        InputError: if the value is not a Boolean.
    """
    if not isinstance(value, bool):
        raise InputError(f"{where}: {shown(value)}, expected true or false")
    return value


def one_of(where: str, value: object, choices: Collection[str]) -> str:
    """Return one of several strings.

    Raises:
        InputError: if the value is not one of ``choices``.
    """
    if not isinstance(value, str) or value not in choices:
        raise InputError(f"{where}: {shown(value)}, expected one of {', '.join(choices)}")
    return value


def exact(where: str, value: object) -> Fraction:
    """Return a rational >= 0 from an integer, a decimal (read exactly), or text such as "1/8".

    Raises:
        InputError: if the value is not such a number.
    """
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < MOST:
        return Fraction(value)
    if isinstance(value, Decimal) and value.is_finite() and value >= 0 and abs(value.adjusted()) <= MAX_DIGITS:
        return Fraction(value)
    if isinstance(value, str) and len(value) <= MAX_DIGITS and _RATIONAL.fullmatch(value):
        above, _, below = value.partition("/")
        if int(below or "1"):
            return Fraction(int(above), int(below or "1"))
    raise InputError(f"{where}: {shown(value)}, expected a number that is 0 or more, such as 0.25 or \"1/4\"")
