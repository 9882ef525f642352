"""Bytes to the one JSON value that they spell; docs/certificate.md, section 3, One spelling.

A file that begins as one of a trained network, `LARGE`, may be larger than others, since it holds weights.

The file is exactly ``json.dumps(value, indent=1, ensure_ascii=True) + "\\n"``. Repeated keys, other spellings of
numbers and strings, and other spaces do not survive being written again, so there is one file for each value.
"""

from __future__ import annotations

import json
from typing import Any

from ..budget import LARGE_BYTES, LARGE_ITEMS, MAX_BYTES, MAX_ITEMS, Budget
from ..verdicts import Malformed, expect

Json = Any
"""What `json` makes: objects, lists, strings, integers, booleans, None (and floats, which no shape allows)."""

LARGE = tuple(b'{\n "format": "%s",' % name for name in (b"certify-decision", b"certify-wrong-word"))


def read_document(data: bytes, budget: Budget) -> Json:
    """The value whose one spelling the bytes are.

    Raises:
        Malformed: if they are not the one spelling of a value, or beyond a limit.
    """
    most, items = (LARGE_BYTES, LARGE_ITEMS) if data.startswith(LARGE) else (MAX_BYTES, MAX_ITEMS)
    expect(len(data) <= most, "limit: more than {} bytes", most)
    budget.spend(len(data) >> 4)
    try:
        text = data.decode("ascii")
        expect(max(map(text.count, '",[{')) <= items, "limit: more than {} items", items)
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
