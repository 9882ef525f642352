"""`certify list`: the shipped examples and where they are, the predicates, the statements and the examinations.

Without a section everything is on one screen: names alone, and where to read more.
"""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from certify.claims.formula.examples import load_examples
from certify.common.look import SUFFIXES_OF_PROGRAMS
from certify.common.shipped import examples_folder
from certify.common.terminal_tables import TableColumn, console, plain, print_table
from certify.common.words import show_alphabet
from constructions.language.predicates import BUILTIN
from constructions.statements.table import STATEMENTS
from proofs.numbers.instances.registry import EXAMINATIONS

LISTED = 700
"""Of a formula as long as those of programs the listing shows the beginning."""
Rows = list[tuple[str, ...]]


def print_listing(out: Console | None = None) -> None:
    """One screen: the examples' names by their files, the other files, the names of everything else."""
    out = out or console()
    folder = examples_folder()
    _print_names(out, f"examples in {_short(folder)}", {path.name: list(tomllib.loads(path.read_text(encoding="utf-8")))
                                                       for path in sorted(folder.glob("*.toml"))})
    _print_names(out, "files there", {name: _files(folder / name, endings) for name, endings in FOLDERS.items()})
    _print_names(out, "names", {
        "predicates": list(BUILTIN), "statements": [one.name.replace(", ", " ") for one in STATEMENTS],
        "examinations": [f"{len(EXAMINATIONS)} statements about numbers, for claims files"]})
    out.print(plain("certify list examples (or predicates, statements, examinations) describes each; --all: all",
                    style="dim"))
    out.print(plain("certify examples DIR copies the examples", style="dim"))


FOLDERS: Mapping[str, tuple[str, ...]] = {
    "./": (".txt",), "programs/": SUFFIXES_OF_PROGRAMS, "models/": (".json",), "hard/": (".json",),
    "claims/": (".toml",), "trained/": ()}
"""The folders of examples that are files, and how these end."""


def _files(folder: Path, endings: tuple[str, ...]) -> list[str]:
    """Return the names of the files that end so; without endings, of the folders."""
    found = (path for path in folder.iterdir() if (path.name.endswith(endings) if endings else path.is_dir()))
    return sorted(path.name for path in found if not path.name.startswith(("_", ".")))


def _short(folder: Path) -> str:
    """Return a folder as it can be typed from here."""
    here = Path.cwd()
    return f"{folder.relative_to(here)}/" if folder.is_relative_to(here) else f"{folder}/"


def _print_names(out: Console, title: str, names: Mapping[str, list[str]]) -> None:
    """A line for each kind, which is broken between names."""
    out.print(plain(title, style="bold"))
    rows = [(plain(f"  {kind}"), plain(", ".join(those), style="dim")) for kind, those in names.items()]
    print_table(out, [TableColumn(""), TableColumn("", folds=True)], rows, titles=False)


# -- sections ----------------------------------------------------------------------------------------------------------


def print_sections(names: Sequence[str]) -> None:
    """The tables of these sections, one below the other."""
    out = console()
    for name in names:
        columns, rows = SECTIONS[name]
        out.print(plain(name, style="bold"))
        shown = [[cell if len(cell) <= LISTED else cell[:LISTED] + "..." for cell in row] for row in rows()]
        print_table(out, [TableColumn(column, folds=column != "name") for column in columns], shown)
        out.print()


def listing_to_json(names: Sequence[str]) -> dict[str, Any]:
    """Return the same tables as lists of objects."""
    return {name: [dict(zip(SECTIONS[name][0], row, strict=True)) for row in SECTIONS[name][1]()] for name in names}


def _examples() -> Rows:
    return [(e.name, e.text, show_alphabet(e.alphabet), e.about) for e in load_examples()]


def _predicates() -> Rows:
    return [(name, definition.description) for name, definition in BUILTIN.items()]


def _statements() -> Rows:
    return [(s.name, s.builds, s.regimes) for s in STATEMENTS]


def _examinations() -> Rows:
    return [(e.name, e.statement, e.claim, e.covers) for e in EXAMINATIONS.values()]


SECTIONS: Mapping[str, tuple[tuple[str, ...], Callable[[], Rows]]] = {
    "examples": (("name", "formula", "alphabet", "about"), _examples),
    "predicates": (("name", "about"), _predicates),
    "statements": (("name", "builds", "regimes"), _statements),
    "examinations": (("name", "statement", "claim", "covers"), _examinations),
}
