"""What a chapter says of one kind of file, so that the rest needs to know no more of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .budget import Budget
from .reading.document import Json

WIDTH = 13  # of the first column of what is printed
REGIMES = ("temperature", "position", "unstated")
"""What a claim may say of temperatures and position embeddings."""


@dataclass(frozen=True)
class FileKind:
    """Who reads, decides and describes the files of a format.

    Attributes:
        about: what the claims of this kind are about, for who asks for something that they do not say.
        parts: what may be asked for beside alphabet and lengths; attributes of its claim.
        is_refutation: whether such a file refutes a claim, so that nothing of it can be asked for.
        times: how many times the default work and memory it may take.
    """

    read: Callable[[Json, Budget], Any]
    prove: Callable[[Any], Any]
    describe: Callable[[Any, Any], list[str]]
    about: str = ""
    parts: tuple[str, ...] = ()
    is_refutation: bool = False
    times: tuple[int, int] = (1, 1)


def entry(name: str, lines: Sequence[str]) -> list[str]:
    """Return the lines under one name in the first column; none if there are none."""
    return [f"{name if number == 0 else '':{WIDTH}}{line}" for number, line in enumerate(lines)]
