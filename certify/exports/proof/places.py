"""Where things stand in the text of a certificate: a certificate has one spelling, so lines follow from the data."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Path = tuple[str | int, ...]
"""Keys and indices from the outermost object inwards."""


@dataclass(frozen=True)
class Span:
    """The first and the last line of a part of the text, counted from 1."""

    first: int
    last: int

    def __str__(self) -> str:
        return f"line {self.first}" if self.first == self.last else f"lines {self.first}--{self.last}"


def find_spans(data: Any) -> Mapping[Path, Span]:
    """The lines of every part of data that is written by ``json.dumps(data, indent=1)``.

    >>> find_spans({"a": [1, {}]})[("a", 1)], find_spans({"a": [1, {}]})[()]
    (Span(first=4, last=4), Span(first=1, last=6))
    """
    found: dict[Path, Span] = {}
    _walk(data, (), 1, found)
    return found


def _walk(data: Any, path: Path, line: int, found: dict[Path, Span]) -> int:
    """Add the spans of what begins on a line; the line after it."""
    items = list(data.items() if isinstance(data, dict) else enumerate(data)) if isinstance(data, dict | list) else []
    following = line + 1
    for key, part in items:
        following = _walk(part, (*path, key), following, found)
    last = following if items else line
    found[path] = Span(line, last)
    return last + 1


def spell(path: Path) -> str:
    """The path as programs write it.

    >>> spell(("bounds", 3, "error_if_true"))
    'bounds[3].error_if_true'
    """
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".")
