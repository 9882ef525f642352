"""The terminal: its width, plain text, and tables without rules."""

import contextlib
import html
import io
import os
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TextIO

from rich.cells import cell_len
from rich.console import Console
from rich.table import Column as RichColumn
from rich.table import Table
from rich.text import Text

from certify.common.verdicts import colour
from constructions.text import printable

WIDTH = 132
NARROW = 112
"""Below this width a table omits inessential columns, and says so."""
BETWEEN_COLUMNS = 2
FOLDED = 16
"""The least width of a column with wrapped cells."""


def console(file: TextIO | None = None) -> Console:
    """Return standard output (or ``file``), as wide as the terminal; without one, COLUMNS or else WIDTH columns.

    Lines outside tables are never broken, so that they can be copied.
    """
    out = Console(file=file, soft_wrap=True)
    if not out.is_terminal and "COLUMNS" not in os.environ:
        out.width = WIDTH
    return out


def plain(text: str, style: str = "") -> Text:
    """Return the text without any markup or control characters of its own."""
    return Text(printable(text), style=style)


def verdict_text(verdict: str) -> Text:
    """Return the verdict in its colour."""
    return plain(verdict, style=colour(verdict))


_instead: list[tuple[str, str]] = []
"""A stack of verdicts and reasons printed instead of those of an answer."""


@contextlib.contextmanager
def verdict_instead(verdict: str, why: str) -> Iterator[None]:
    """Replace the verdict of an answer printed within the context: it does not cover the whole question."""
    _instead.append((verdict, why))
    try:
        yield
    finally:
        _instead.pop()


def said_of_all(verdict: str, why: str) -> tuple[str, str]:
    """Return this verdict and its reason, or those that are printed in their place."""
    return _instead[-1] if _instead else (verdict, why)


def print_verdict(out: Console, verdict: str, why: str) -> None:
    """Print the last line of an answer, after an empty one: the verdict in its colour, and its reason."""
    verdict, why = said_of_all(verdict, why)
    out.print(Text("\n").append(verdict.upper(), style=colour(verdict)).append("  ").append_text(plain(why)))


@dataclass(frozen=True)
class TableColumn:
    """A column, omitted below the width ``needs``; cells are wrapped if it ``folds`` or they exceed ``most``."""

    name: str
    side: Literal["left", "right"] = "left"
    needs: int = 0
    folds: bool = False
    most: int | None = None


Cell = str | Text
"""The content of a cell; a str is shown without markup."""


def numbers(*names: str) -> list[TableColumn]:
    """Return columns with these names, aligned right."""
    return [TableColumn(name, "right") for name in names]


def print_table(out: Console, columns: Iterable[TableColumn], rows: Iterable[Sequence[Cell] | Mapping[str, Cell]], *,
                keys: int = 1, titles: bool = True, without_empty: bool = False) -> None:
    """Print a table without rules or cut cells; columns omitted for lack of room are named below.

    If it is too wide, it is printed in blocks of columns, each beginning with the first ``keys`` columns.

    A row has a cell for each column, or cells by the names of columns. Columns ``without_empty`` cells only are left
    out without a word.
    """
    columns = list(columns)
    lines = [[row.get(column.name, "") for column in columns] if isinstance(row, Mapping) else row for row in rows]
    filled = [place for place in range(len(columns)) if not without_empty or any(line[place] for line in lines)]
    kept = [place for place in filled if out.width >= columns[place].needs]
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, BETWEEN_COLUMNS, 0, 0), show_header=titles)
    for column in (columns[place] for place in kept):
        table.add_column(plain(column.name), justify=column.side, overflow="fold", no_wrap=not column.folds,
                         max_width=column.most)
    for line in lines:
        cells = (line[place] for place in kept)
        table.add_row(*(plain(cell) if isinstance(cell, str) else cell for cell in cells))
    for number, block in enumerate(_blocks(table.columns, out.width, keys)):
        if number:
            out.print()
        _print_whole(out, _part_of(table, block))
    if left_out := [columns[place].name for place in filled if place not in kept]:
        note = f"left out for lack of room (COLUMNS={WIDTH} or --json has them): {', '.join(left_out)}"
        for text in textwrap.wrap(note, out.width):
            out.print(plain(text, style="dim"))


def _print_whole(out: Console, table: Table) -> None:
    """Print a block at its full width even beyond the terminal's, as the rest would be cut or silently omitted."""
    width = out.width
    out.width = max(width, sum(map(_needed, table.columns)))
    out.print(table)
    out.width = width


def _blocks(columns: Sequence[RichColumn], width: int, keys: int) -> list[list[RichColumn]]:
    """Return the columns in blocks that fit; one that alone is wider than the terminal has a block of its own."""
    first, blocks = columns[:keys], [list(columns[:keys])]
    for column in columns[keys:]:
        if len(blocks[-1]) > keys and sum(map(_needed, [*blocks[-1], column])) > width + BETWEEN_COLUMNS:
            blocks.append(list(first))
        blocks[-1].append(column)
    return blocks


def _needed(column: RichColumn) -> int:
    """Return the width of a column with the space after it."""
    texts = [column.header, *column.cells]
    widest = max(cell_len(text.plain if isinstance(text, Text) else str(text)) for text in texts)
    return BETWEEN_COLUMNS + (widest if column.no_wrap else min(widest, FOLDED))


def _part_of(table: Table, columns: Sequence[RichColumn]) -> Table:
    """Return a table of the same kind with only these columns."""
    part = Table(box=table.box, pad_edge=False, header_style=table.header_style, padding=table.padding,
                 show_header=table.show_header)
    for column in columns:
        part.add_column(column.header, justify=column.justify, overflow=column.overflow, no_wrap=column.no_wrap,
                        max_width=column.max_width)
    for row in zip(*(column.cells for column in columns), strict=True):
        part.add_row(*row)
    return part


def printed_to_html(show: Callable[[Console], None]) -> str:
    """Return terminal output as HTML for a notebook: escaped, monospaced."""
    written = io.StringIO()
    show(Console(file=written, width=120, color_system=None))
    return f"<pre>{html.escape(written.getvalue().rstrip())}</pre>"
