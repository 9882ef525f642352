"""Tables and paragraphs of docs/background/formats.md."""

import textwrap
from collections.abc import Iterable, Sequence


def table(columns: Sequence[str], classes: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table with a column for each class after the others.

    >>> print(table(["network"], ["tf32"], [["`even`", "open"]]), end="")
    | network | `tf32` |
    |---|---|
    | `even` | open |
    """
    names = [*columns, *(f"`{each}`" for each in classes)]
    lines = [names, *rows]
    head, *rest = (f"| {' | '.join(line)} |\n" for line in lines)
    return "".join([head, "|---" * len(names), "|\n", *rest])


def wrapped(text: str) -> str:
    """Return the text with its paragraphs in lines of at most 100 columns; tables and headings are kept."""
    def lines_of(block: str) -> str:
        if block.lstrip("\n").startswith(("#", "|")):
            return block
        parts = block.splitlines() if block.startswith("- ") else [block]
        return "\n".join(textwrap.fill(each, 100, break_long_words=False, break_on_hyphens=False,
                                       subsequent_indent="  " if each.startswith("- ") else "") for each in parts)

    return "\n\n".join(map(lines_of, text.strip("\n").split("\n\n")))
