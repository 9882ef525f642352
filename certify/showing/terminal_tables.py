"""The terminal: how wide it is, text without effects of its own, and tables without lines."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from constructions.text import printable

WIDTH = 132
NARROW = 112
"""Below this many columns a table leaves out what is not essential."""


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
