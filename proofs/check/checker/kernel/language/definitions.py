"""Definitions by users; not imported for a file without predicates of its own if no formula is required.

Predicates are ``NAME(k) := condition`` and ``NAME(k,n) := condition``. Before a formula, ``let p = ...; q = ...; ...``
defines names. A name is the place of its formula, so that no text is expanded, however often it is used.
"""

import re
from collections.abc import Iterator

from ..budget import MAX_FORMULA
from ..verdicts import expect, within
from .parser import Parser, Predicates, read_formula
from .printing import TextWriter
from .table import Place, Table
from .tokens import RESERVED, read_tokens

PREDICATE = re.compile(r" *([A-Za-z]\w*) *\( *([A-Za-z]\w*) *(?:, *([A-Za-z]\w*) *)?\) *:=(.*)", re.ASCII)
LET = re.compile(r"\s*let\b", re.ASCII)
DEFINITION = re.compile(r"\s*([A-Za-z]\w*)\s*=(?!=)(.*)", re.ASCII | re.DOTALL)


def read_predicate(table: Table, known: Predicates, text: str) -> tuple[str, Place]:
    """Parse the definition of a predicate; return its name and its place."""
    match = PREDICATE.fullmatch(text)
    name, position, length = match.group(1, 2, 3) if match else ("", "", None)
    is_new = not {name, position, length} & (RESERVED | known.keys()) and not name.startswith("Q_")
    expect(match and is_new and position != length,
           "expected NAME(k) := condition or NAME(k,n) := condition, with new names")
    variables = {position: "i"} | ({length: "n"} if length else {})
    condition = Parser(table, {}, variables).parse(match[4] if match else "")
    expect(not table.is_number(condition) and table.is_positional(condition), "expected a condition on the variables")
    return name, table.make("user", condition)


def read_with_definitions(table: Table, predicates: Predicates, text: str) -> Place:
    """Parse a formula, or ``let NAME = formula; ...; formula``, where each name may be used after its definition."""
    expect(len(text) <= MAX_FORMULA, "limit: a text of more than {} characters", MAX_FORMULA)
    begun = LET.match(text)
    if begun is None:
        return read_formula(table, predicates, text)
    known = dict(predicates)
    *definitions, last = split_at_semicolons(text[begun.end() :])
    expect(definitions, "let: expected NAME = formula; ... and a formula")
    for number, definition in enumerate(definitions, 1):
        with within(f"definition {number}"):
            match = DEFINITION.fullmatch(definition)
            name, formula = match.group(1, 2) if match else ("", "")
            is_new = name not in known and name not in RESERVED and not name.startswith("Q_")
            expect(match and is_new, "expected NAME = formula, with a new name")
            known[name] = read_formula(table, known, formula)
    return read_formula(table, known, last)


def split_at_semicolons(text: str) -> Iterator[str]:
    """Yield the parts between semicolons, except those inside of a quoted symbol."""
    start = 0
    for token in read_tokens(text):
        if token.written == ";":
            yield text[start : token.column - 1]
            start = token.column
    yield text[start:]


def write_definition(table: Table, name: str, predicate: Place) -> str:
    """Return the definition of a user's predicate as text."""
    condition = table.nodes[predicate].operands[0]
    variables = "k,n" if "n" in table.leaves(condition) else "k"
    return f"{name}({variables}) := {TextWriter(table, in_condition=True).write(condition)}"
