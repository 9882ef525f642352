"""The interface between a chapter and the rest of the checker: one `FileKind` for each kind of file."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .budget import Budget
from .reading.document import Json

WIDTH = 13  # of the first printed column
REGIMES = ("temperature", "position", "unstated")
"""The conditions that a claim may state on temperatures and position embeddings."""


@dataclass(frozen=True)
class FileKind:
    """The functions that read, prove and describe the files of a format.

    Attributes:
        about: the subject of claims of this kind, for the message about a required part that they lack.
        parts: the parts of the claim (attributes of it) that can be required besides alphabet and lengths.
        is_refutation: whether such files refute a claim, so that no part of it can be required.
        times: the factors of the default work and memory that such files may take.
    """

    read: Callable[[Json, Budget], Any]
    prove: Callable[[Any], Any]
    describe: Callable[[Any, Any], list[str]]
    about: str = ""
    parts: tuple[str, ...] = ()
    is_refutation: bool = False
    times: tuple[int, int] = (1, 1)


def entry(name: str, lines: Sequence[str]) -> list[str]:
    """Return the lines with ``name`` in the first column of the first one; an empty list for no lines."""
    return [f"{name if number == 0 else '':{WIDTH}}{line}" for number, line in enumerate(lines)]
