"""What a file holds: named tensors, not read until somebody takes them, and numbers beside them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from constructions.errors import InputError
from constructions.trained.network import ELEMENT_BYTES

MAX_FILE_BYTES = 256_000_000
"""Of one file; more than a network may have, since optimisers are saved beside networks."""
MAX_DIMENSIONS = 8


@dataclass(frozen=True)
class Stored:
    """A tensor in a file; ``kind`` is its element type in the words of the file, ``format`` ours, if it is one of ours.

    ``read`` gives the bytes in row-major order, little-endian.
    """

    kind: str
    format: str | None
    shape: tuple[int, ...]
    read: Callable[[], bytes] = field(repr=False)

    @property
    def bytes(self) -> int:
        """How many bytes ``read`` gives, for one of our formats; 0 for others, which are never read."""
        return math.prod(self.shape) * ELEMENT_BYTES[self.format] if self.format else 0

    def __str__(self) -> str:
        return f"{self.kind} {list(self.shape)}"


@dataclass(frozen=True)
class Contents:
    """Tensors by name, and ``settings``: what a checkpoint or config.json says of the architecture."""

    tensors: Mapping[str, Stored]
    settings: Mapping[str, Any] = field(default_factory=dict)


def merge(parts: Iterable[tuple[str, Contents]]) -> Contents:
    """The contents of several files together.

    Raises:
        InputError: if two of them hold a tensor or a setting of the same name.
    """
    tensors: dict[str, Stored] = {}
    settings: dict[str, Any] = {}
    for where, part in parts:
        for name in part.tensors.keys() & tensors.keys():
            raise InputError(f"{where}: tensor {name} is in another file, too, expected it once")
        if part.settings and settings:
            raise InputError(f"{where}: settings of the network are in another file, too, expected them once")
        tensors |= part.tensors
        settings |= part.settings
    return Contents(tensors, settings)
