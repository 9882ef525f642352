"""`certify list`: the shipped examples, the predicates, the statements and the examinations."""

from __future__ import annotations

from typing import Any

from rich.table import Table

from certify.examples import load_examples
from certify.showing.terminal_tables import console, plain
from certify.showing.words import show_alphabet
from constructions.language.predicates import BUILTIN
from constructions.statements import STATEMENTS
from proofs.instances.registry import EXAMINATIONS

LISTED = 700
"""Of a formula as long as those of programs the listing shows the beginning."""


def print_listing() -> None:
    """The tables, one below the other."""
    out = console()
    for title, columns, rows in _listing():
        out.print(plain(title, style="bold"))
        table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
        for name in columns:
            table.add_column(overflow="fold", no_wrap=name == "name")
        for row in rows:
            table.add_row(*(plain(cell if len(cell) <= LISTED else cell[:LISTED] + "...") for cell in row))
        out.print(table)
        out.print()


def listing_to_json() -> dict[str, Any]:
    """The same tables as lists of objects."""
    return {title: [dict(zip(columns, row, strict=True)) for row in rows] for title, columns, rows in _listing()}


def _listing() -> list[tuple[str, tuple[str, ...], list[tuple[str, ...]]]]:
    return [
        ("examples", ("name", "formula", "alphabet", "about"),
         [(e.name, e.text, show_alphabet(e.alphabet), e.about) for e in load_examples()]),
        ("predicates", ("name", "about"),
         [(name, definition.description) for name, definition in BUILTIN.items()]),
        ("statements", ("name", "builds", "regimes"), [(s.name, s.builds, s.regimes) for s in STATEMENTS]),
        ("examinations", ("name", "statement", "claim", "covers"),
         [(e.name, e.statement, e.claim, e.covers) for e in EXAMINATIONS.values()]),
    ]
