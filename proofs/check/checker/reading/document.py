"""Bytes to the one JSON value that they spell; docs/certificate.md, section 3, One spelling.

The file is exactly ``json.dumps(value, indent=1, ensure_ascii=True) + "\\n"``. Repeated keys, other spellings of
numbers and strings, and other spaces do not survive being written again, so there is one file for each value.
"""

from __future__ import annotations

import json
from typing import Any

from ..budget import MAX_BYTES, MAX_ITEMS, Budget
from ..verdicts import Malformed, expect

Json = Any
"""What `json` makes: objects, lists, strings, integers, booleans, None (and floats, which no shape allows)."""


def read_document(data: bytes, budget: Budget) -> Json:
    """The value whose one spelling the bytes are.

    Raises:
        Malformed: if they are not the one spelling of a value, or beyond a limit.
    """
    expect(len(data) <= MAX_BYTES, "limit: more than {} bytes", MAX_BYTES)
    budget.spend(len(data) >> 4)
    try:
        text = data.decode("ascii")
        expect(max(map(text.count, '",[{')) <= MAX_ITEMS, "limit: more than {} items", MAX_ITEMS)
        document = json.loads(text)
        expect_one_spelling(text, document)
    except RecursionError:
        raise Malformed("limit: nested too deep") from None
    except ValueError as error:
        raise Malformed(describe(error)) from None
    return document


def expect_one_spelling(text: str, document: Json) -> None:
    """The text is what would be written for the value. It is compared piece by piece, never held twice.

    Raises:
        Malformed: if it is not.
    """
    place = 0
    for piece in json.JSONEncoder(indent=1, ensure_ascii=True).iterencode(document):
        if not text.startswith(piece, place):
            break
        place += len(piece)
    line = text.count("\n", 0, place) + 1
    expect(text[place:] == "\n",
           "line {}: not the one spelling (json.dumps, indent 1, ASCII, final newline, no key twice)", line)


def describe(error: ValueError) -> str:
    """What is wrong, without anything of the file."""
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON: {error.msg}: line {error.lineno}, column {error.colno}"
    if isinstance(error, UnicodeDecodeError):
        return f"not ASCII: byte {error.start + 1}"
    return "limit: an integer of too many digits"
