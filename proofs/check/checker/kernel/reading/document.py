r"""Bytes to the unique JSON value that they spell; docs/reference/certificate.md, section 3, One spelling.

A file of a `large` format, recognised by its first bytes, may be larger than others, since it contains weights.

The file is exactly ``json.dumps(value, indent=1, ensure_ascii=True) + "\\n"``. Repeated keys, other spellings of
numbers and strings, and other spaces do not survive a round trip, so there is one file for each value.
"""

import json
import re
from collections.abc import Iterable
from typing import Any

from ..budget import LARGE_BYTES, LARGE_ITEMS, MAX_BYTES, MAX_DEPTH, MAX_ITEMS, MAX_TIMES, Budget
from ..verdicts import Malformed, expect

BRACKETS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[][{}]', re.DOTALL)
"""A string, up to its end or that of the text, so that nothing is scanned twice; or a bracket outside of strings."""
OPENING, CLOSING = ("[", "{"), ("]", "}")
Json = Any
"""The values that `json` returns: objects, lists, strings, integers, booleans, None (and floats, never allowed)."""


def read_document(data: bytes, budget: Budget, large: Iterable[str] = ()) -> Json:
    """Parse the one spelling of a JSON value, or raise Malformed; formats in ``large`` have other limits of size."""
    times = min(budget.factor, MAX_TIMES)
    most, items = times * MAX_BYTES, times * MAX_ITEMS
    if data.startswith(tuple(f'{{\n "format": "{name}",'.encode() for name in large)):
        most, items = max(LARGE_BYTES, most), max(LARGE_ITEMS, items)
    expect(len(data) <= most, "limit: more than {} bytes; --work {} allows more", most, 2 * budget.factor)
    budget.spend(len(data) >> 4)
    try:
        text = data.decode("ascii")
        fits = max(map(text.count, '",[{')) <= items
        expect(fits, "limit: more than {} items; --work {} allows more", items, 2 * budget.factor)
        expect_shallow(text)
        document = json.loads(text)
        expect_one_spelling(text, document)
    except ValueError as error:
        raise Malformed(describe_fault(error)) from None
    return document


def expect_shallow(text: str) -> None:
    """Reject nesting deeper than `MAX_DEPTH`, so that `json` does not recurse deeply.

    Up to the first syntax error, where `json` stops, this scan finds the same strings and brackets as `json`.
    """
    depth = 0
    for found in BRACKETS.finditer(text):
        depth += (found[0] in OPENING) - (found[0] in CLOSING)
        expect(depth <= MAX_DEPTH, "limit: nested too deep")


def expect_one_spelling(text: str, document: Json) -> None:
    """Check that the text is the spelling of the value, piece by piece, so that no second copy is in memory."""
    expect("\r" not in text, "line ends are CR LF, expected LF only, as it was written: not the one spelling")
    place = 0
    for piece in json.JSONEncoder(indent=1, ensure_ascii=True).iterencode(document):
        if not text.startswith(piece, place):
            break
        place += len(piece)
    line = text.count("\n", 0, place) + 1
    expect(text[place:] == "\n",
           "line {}: not the one spelling (json.dumps, indent 1, ASCII, final newline, no key twice)", line)


def describe_fault(error: ValueError) -> str:
    """Return a message about a parse error that contains no text of the file."""
    if isinstance(error, json.JSONDecodeError):
        return f"not JSON: {error.msg}: line {error.lineno}, column {error.colno}"
    if isinstance(error, UnicodeDecodeError):
        return f"not ASCII: byte {error.start + 1}"
    return "limit: an integer of too many digits"
