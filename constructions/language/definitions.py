"""Texts with definitions, ``let p = φ; q = ψ; χ``: the parts with their names and offsets; files of them."""

import re
from dataclasses import dataclass

from constructions.errors import FormulaError
from constructions.language.diagnosis import place_of, quote

_LET = re.compile(r"\s*let\b")
_NAMED = re.compile(r"\s*([A-Za-z][A-Za-z0-9_]*)\s*=(?![=>])")
_NUMBERS = frozenset("ijn")  # i = 3 is a comparison
_ASSIGNED = re.compile(r"\s*(?:let\s+)?([A-Za-z][A-Za-z0-9_]*)\s*:=")
_QUOTED = r"""'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*\""""
_END = re.compile(_QUOTED + "|;")
_COMMENT = re.compile(_QUOTED + r"|#(?=[\s#]|$)[^\n]*")


@dataclass(frozen=True)
class DefinitionText:
    """The text of one formula and its offset in the whole text; the last one has no name."""

    name: str
    name_offset: int
    offset: int
    text: str


def split_definitions(text: str) -> list[DefinitionText]:
    """Return the definitions in order and the formula after them; ``let`` may be left out.

    >>> [(part.name, part.text) for part in split_definitions("let p = Q_a; q = prev p; p & q")]
    [('p', ' Q_a'), ('q', ' prev p'), ('', ' p & q')]
    >>> split_definitions("Q_a")
    [DefinitionText(name='', name_offset=0, offset=0, text='Q_a')]

    Raises:
        FormulaError: if a part before the last ``;`` does not define a name, or the last part does.
    """
    let = _LET.match(text)
    if assigned := _ASSIGNED.match(text):
        raise FormulaError(f"found ':=', expected a definition such as let {assigned[1]} = Q_a;",
                           *place_of(text, assigned.end() - 2), text)
    first = let.end() if let else 0
    ends = [end.start() for end in _END.finditer(text, first) if end.group() == ";"]
    if let is None and (_NAMED.match(text) is None or not ends):
        return [_last(text, 0)]
    if not ends:
        raise FormulaError("found no ';', expected let p = ...; and then the formula", *place_of(text, first), text)
    starts = [first, *(end + 1 for end in ends)]
    parts = [_definition(text, start, end) for start, end in zip(starts, ends, strict=False)]
    return [*parts, _last(text, starts[-1])]


def _last(text: str, start: int) -> DefinitionText:
    named = _NAMED.match(text, start)
    name = named[1] if named else ""
    if named and name not in _NUMBERS and not name.startswith("Q_"):
        raise FormulaError(f"found a definition of {name} without a formula after it, expected one such as {name}",
                           *place_of(text, named.start(1)), text)
    return DefinitionText("", start, start, text[start:])


def _definition(text: str, start: int, end: int) -> DefinitionText:
    named = _NAMED.match(text, start, end)
    if named is None:
        found = text[start:end].strip()
        offset = start + len(text[start:end]) - len(text[start:end].lstrip())
        raise FormulaError(f"found {quote(found) if found else repr(';')}, expected a definition such as p = Q_a",
                           *place_of(text, offset), text)
    return DefinitionText(named[1], named.start(1), named.end(), text[named.end() : end])


def definitions_of_file(text: str) -> str:
    r"""Return the text of a file with a formula, without comments; lines and columns are preserved.

    A comment is ``#`` followed by a blank or the end of the line, up to the end of the line. In a file without ``;``
    each line except the last is a definition.

    >>> print(definitions_of_file("p = prev Q_a  # before\nq = p since Q_b\n# after\np | q\n"))
    p = prev Q_a          ;
    q = p since Q_b;
    <BLANKLINE>
    p | q
    """
    lines = _COMMENT.sub(lambda found: " " * len(found[0]) if found[0][0] == "#" else found[0], text).split("\n")
    whole = "\n".join(lines)
    if _NAMED.match(whole) and not any(end.group() == ";" for end in _END.finditer(whole)):
        *definitions, _ = [number for number, line in enumerate(lines) if line.strip()]
        for number in definitions:
            lines[number] += ";"
    return "\n".join(lines).rstrip()
