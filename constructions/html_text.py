"""Small HTML tables for notebooks: every text is escaped, and the page around them needs nothing."""

from collections.abc import Iterable, Sequence
from html import escape

from constructions.text import printable

LONGEST = 80
"""Longer texts are cut."""
MOST_ROWS = 40


def html_text(text: object, longest: int = LONGEST) -> str:
    """Return the text printable, shortened and escaped.

    >>> html_text("a < b")
    'a &lt; b'
    """
    shown = printable(str(text))
    return escape(shown if len(shown) <= longest else shown[: longest - 3] + "...")


def html_table(names: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table of the first rows and the number of rows left out."""
    found = list(rows)
    head = "".join(f"<th style='text-align:left'>{html_text(name)}</th>" for name in names)
    body = "".join(f"<tr>{_cells(row)}</tr>" for row in found[:MOST_ROWS])
    more = f"<p>... and {len(found) - MOST_ROWS} more</p>" if len(found) > MOST_ROWS else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _cells(row: Sequence[object]) -> str:
    return "".join(f"<td style='text-align:left'>{html_text(cell)}</td>" for cell in row)
