"""Texts with definitions, ``let p = φ; q = ψ; χ``: where each part begins, and what it is called."""

from __future__ import annotations

import re
from dataclasses import dataclass

from constructions.errors import FormulaError
from constructions.language.diagnosis import place_of, quote

_LET = re.compile(r"\s*let\b")
_NAMED = re.compile(r"\s*([A-Za-z][A-Za-z0-9_]*)\s*=(?!=)")
_END = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|;""", re.DOTALL)


@dataclass(frozen=True)
class Part:
    """The text of one formula, which begins at an offset of the whole; the last one has no name."""

    name: str
    name_offset: int
    offset: int
    text: str


def split_definitions(text: str) -> list[Part]:
    """The definitions in their order, and the formula after them.

    >>> [(part.name, part.text) for part in split_definitions("let p = Q_a; q = prev p; p & q")]
    [('p', ' Q_a'), ('q', ' prev p'), ('', ' p & q')]
    >>> split_definitions("Q_a")
    [Part(name='', name_offset=0, offset=0, text='Q_a')]

    Raises:
        FormulaError: if something before the last ``;`` does not define a name.
    """
    let = _LET.match(text)
    if let is None:
        return [Part("", 0, 0, text)]
    ends = [end.start() for end in _END.finditer(text, let.end()) if end.group() == ";"]
    if not ends:
        raise FormulaError("found no ';', expected let p = ...; and then the formula", *place_of(text, let.end()), text)
    starts = [let.end(), *(end + 1 for end in ends)]
    parts = [_definition(text, start, end) for start, end in zip(starts, ends, strict=False)]
    return [*parts, Part("", starts[-1], starts[-1], text[starts[-1]:])]


def _definition(text: str, start: int, end: int) -> Part:
    named = _NAMED.match(text, start, end)
    if named is None:
        found = text[start:end].strip()
        offset = start + len(text[start:end]) - len(text[start:end].lstrip())
        raise FormulaError(f"found {quote(found) if found else repr(';')}, expected a definition such as p = Q_a",
                           *place_of(text, offset), text)
    return Part(named[1], named.start(1), named.end(), text[named.end() : end])
