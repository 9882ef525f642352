"""The terminal: how wide it is, text without effects of its own, and tables without lines."""

from __future__ import annotations

import html
import io
import os
import textwrap
from collections.abc import Callable, Iterable, Sequence
from typing import TextIO

from rich.cells import cell_len
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from constructions.text import printable

WIDTH = 132
NARROW = 112
"""Below this many columns a table leaves out what is not essential, and says so."""
BETWEEN_COLUMNS = 2
FOLDED = 16
"""So narrow a column whose cells may be broken can become."""


def console(file: TextIO | None = None) -> Console:
    """Standard output (or ``file``), as wide as the terminal; without a terminal COLUMNS or else WIDTH columns.

    Lines outside tables are never broken, so that they can be copied.
    """
    out = Console(file=file, soft_wrap=True)
    if not out.is_terminal and "COLUMNS" not in os.environ:
        out.width = WIDTH
    return out


def plain(text: str, style: str = "") -> Text:
    """The text without any markup or control characters of its own."""
    return Text(printable(text), style=style)


def open_table(columns: Iterable[tuple[str, str]], fold: Iterable[str] = ()) -> Table:
    """A table without lines; each column has a title and a side; only the columns of ``fold`` may be broken."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for title, side in columns:
        table.add_column(title, justify="right" if side == "right" else "left", overflow="fold",
                         no_wrap=title not in fold)
    return table


def print_table(out: Console, table: Table, left_out: Sequence[str] = (), keys: int = 1) -> None:
    """The table, no cell of it cut: if it is too wide, in blocks of columns, each with the first ``keys`` again.

    ``left_out`` are the columns that the table would have on a wider terminal.
    """
    for number, block in enumerate(_blocks(table.columns, out.width, keys)):
        if number:
            out.print()
        _print_whole(out, _part_of(table, block))
    if left_out:
        note = f"left out for lack of room (COLUMNS={WIDTH} or --json has them): {', '.join(left_out)}"
        for line in textwrap.wrap(note, out.width):
            out.print(plain(line, style="dim"))


def _print_whole(out: Console, table: Table) -> None:
    """A block that is wider than the terminal stays so: what does not fit would be cut, or left out without a word."""
    width = out.width
    out.width = max(width, sum(map(_needed, table.columns)))
    out.print(table)
    out.width = width


def _blocks(columns: Sequence[Column], width: int, keys: int) -> list[list[Column]]:
    """The columns in blocks that fit; one that alone is wider than the terminal has a block of its own."""
    first, blocks = columns[:keys], [list(columns[:keys])]
    for column in columns[keys:]:
        if len(blocks[-1]) > keys and sum(map(_needed, [*blocks[-1], column])) > width + BETWEEN_COLUMNS:
            blocks.append(list(first))
        blocks[-1].append(column)
    return blocks


def _needed(column: Column) -> int:
    """The width of a column with the space after it."""
    texts = [column.header, *column.cells]
    widest = max(cell_len(text.plain if isinstance(text, Text) else str(text)) for text in texts)
    return BETWEEN_COLUMNS + (widest if column.no_wrap else min(widest, FOLDED))


def _part_of(table: Table, columns: Sequence[Column]) -> Table:
    """A table of the same kind with these columns alone."""
    part = Table(box=table.box, pad_edge=False, header_style=table.header_style, padding=table.padding,
                 show_header=table.show_header)
    for column in columns:
        part.add_column(column.header, justify=column.justify, overflow=column.overflow, no_wrap=column.no_wrap,
                        max_width=column.max_width)
    for row in zip(*(column.cells for column in columns), strict=True):
        part.add_row(*row)
    return part


def printed_to_html(show: Callable[[Console], None]) -> str:
    """What is printed in a terminal, for a notebook: escaped, in letters of one width."""
    written = io.StringIO()
    show(Console(file=written, width=120, color_system=None))
    return f"<pre>{html.escape(written.getvalue().rstrip())}</pre>"
