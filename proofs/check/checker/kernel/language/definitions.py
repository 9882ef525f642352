"""The user's predicates: ``NAME(k) := condition`` and ``NAME(k,n) := condition``."""

from __future__ import annotations

import re

from ..verdicts import expect
from .parser import Parser, Predicates
from .table import Place, Table
from .tokens import RESERVED

DEFINITION = re.compile(r" *([A-Za-z]\w*) *\( *([A-Za-z]\w*) *(?:, *([A-Za-z]\w*) *)?\) *:=(.*)", re.ASCII)


def read_predicate(table: Table, known: Predicates, text: str) -> tuple[str, Place]:
    """The name and the place of a definition.

    Raises:
        Malformed: if it is none, or a name is in use.
    """
    match = DEFINITION.fullmatch(text)
    name, position, length = match.group(1, 2, 3) if match else ("", "", None)
    is_new = not {name, position, length} & (RESERVED | known.keys()) and not name.startswith("Q_")
    expect(match and is_new and position != length,
           "expected NAME(k) := condition or NAME(k,n) := condition, with new names")
    variables = {position: "i"} | ({length: "n"} if length else {})
    condition = Parser(table, {}, variables).parse(match[4] if match else "")
    expect(not table.is_number(condition) and table.is_positional(condition), "expected a condition on the variables")
    return name, table.make("user", condition)
