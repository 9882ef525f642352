"""What an accepted file claims is printed as entries: a name in the first column, and lines beside it."""

from __future__ import annotations

from collections.abc import Sequence

WIDTH = 13  # of the first column


def entry(name: str, lines: Sequence[str]) -> list[str]:
    """The lines under one name in the first column; none if there are none."""
    return [f"{name if number == 0 else '':{WIDTH}}{line}" for number, line in enumerate(lines)]
