"""`certify list`: the shipped examples and their folder, claims about numbers, predicates, statements and guides.

Without a section it prints the names only, on one screen.
"""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from certify.claims.formula.examples import load_examples
from certify.common.look import SUFFIXES_OF_PROGRAMS
from certify.common.shipped import examples_folder, pages, title_of
from certify.common.terminal_tables import TableColumn, console, plain, print_table
from certify.common.words import show_alphabet
from constructions.errors import InputError, suggest
from constructions.language.diagnosis import quote
from constructions.language.predicates import BUILTIN
from constructions.statements.table import STATEMENTS
from proofs.numbers.instances.registry import EXAMINATIONS

LISTED = 700
"""Longer formulas, such as those of programs, are truncated in the listing."""
Rows = list[tuple[str, ...]]


def print_listing(out: Console | None = None) -> None:
    """Print on one screen the examples by file, the other files, and all other names."""
    out = out or console()
    folder = examples_folder()
    _print_names(out, f"examples in {_short(folder)}", {path.name: list(tomllib.loads(path.read_text(encoding="utf-8")))
                                                       for path in sorted(folder.glob("*.toml"))})
    _print_names(out, "files there", {name: _files(folder / name, endings) for name, endings in FOLDERS.items()})
    _print_names(out, "names", {
        "predicates": list(BUILTIN), "statements": [one.name.replace(", ", " ") for one in STATEMENTS],
        "claims": [f"{len(EXAMINATIONS)} about numbers, for the key examine of claims files"],
        "guides": [f"{len(pages())} pages"]})
    out.print(plain("certify list examples (or claims, predicates, statements, guides) describes each; --all: all",
                    style="dim"))
    out.print(plain("certify list examples --copy DIR copies the examples; certify list guides NAME prints a guide",
                    style="dim"))


FOLDERS: Mapping[str, tuple[str, ...]] = {
    "./": (".txt",), "programs/": SUFFIXES_OF_PROGRAMS, "models/": (".json",), "hard/": (".json",),
    "claims/": (".toml",), "trained/": ()}
"""The folders of examples, and the suffixes of the files there."""


def _files(folder: Path, endings: tuple[str, ...]) -> list[str]:
    """Return the names of the files with these suffixes; without suffixes, of the folders."""
    found = (path for path in folder.iterdir() if (path.name.endswith(endings) if endings else path.is_dir()))
    return sorted(path.name for path in found if not path.name.startswith(("_", ".")))


def _short(folder: Path) -> str:
    """Return a folder relative to the current one, if it is inside."""
    here = Path.cwd()
    return f"{folder.relative_to(here)}/" if folder.is_relative_to(here) else f"{folder}/"


def _print_names(out: Console, title: str, names: Mapping[str, list[str]]) -> None:
    """Print a line for each kind, wrapped between names."""
    out.print(plain(title, style="bold"))
    rows = [(plain(f"  {kind}"), plain(", ".join(those), style="dim")) for kind, those in names.items()]
    print_table(out, [TableColumn(""), TableColumn("", folds=True)], rows, titles=False)


# -- sections ----------------------------------------------------------------------------------------------------------


def print_sections(names: Sequence[str], entry: str | None = None) -> None:
    """Print the tables of these sections, one below the other; for an ``entry`` only its row."""
    out = console()
    for name in names:
        columns = SECTIONS[name][0]
        out.print(plain(name, style="bold"))
        shown = [[cell if len(cell) <= LISTED else cell[:LISTED] + "..." for cell in row]
                 for row in rows_of(name, entry)]
        print_table(out, [TableColumn(column, folds=column != "name") for column in columns], shown)
        out.print()


def listing_to_json(names: Sequence[str], entry: str | None = None) -> dict[str, Any]:
    """Return the tables of these sections as lists of objects."""
    return {name: [dict(zip(SECTIONS[name][0], row, strict=True)) for row in rows_of(name, entry)] for name in names}


def rows_of(section: str, entry: str | None) -> Rows:
    """Return the rows of a section, or only that of an entry.

    Raises:
        InputError: if no entry has this name.
    """
    rows = SECTIONS[section][1]()
    if entry is None:
        return rows
    found = [row for row in rows if row[0] == entry]
    if not found:
        names = [row[0] for row in rows]
        raise InputError(f"certify list {section}: found {quote(entry)}, expected one of {', '.join(names)}"
                         f"{suggest(entry, names)}")
    return found


def _predicates() -> Rows:
    return [(name, definition.description) for name, definition in BUILTIN.items()]


def _statements() -> Rows:
    return [(s.name, s.builds, s.regimes) for s in STATEMENTS]


def _claims() -> Rows:
    return [(e.name, e.statement, e.claim, e.covers) for e in EXAMINATIONS.values()]


def _guides() -> Rows:
    return [(name, title_of(path)) for name, path in pages().items()]


SECTIONS: Mapping[str, tuple[tuple[str, ...], Callable[[], Rows]]] = {
    "examples": (("name", "formula", "alphabet", "about"), lambda: [
        (e.name, e.text, show_alphabet(e.alphabet), e.about) for e in load_examples()]),
    "claims": (("name", "statement", "claim", "covers"), _claims),
    "predicates": (("name", "about"), _predicates),
    "statements": (("name", "builds", "regimes"), _statements),
    "guides": (("name", "title"), _guides),
}
