"""Tables of docs/background/formats.md."""

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
