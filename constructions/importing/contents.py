"""What a file holds: named tensors, not read until somebody takes them, and numbers beside them."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from constructions.errors import InputError
from constructions.trained.network import ELEMENT_BYTES

MAX_FILE_BYTES = 256_000_000
"""Of one file; more than a network may have, since optimisers are saved beside networks."""
MAX_DIMENSIONS = 8
_WHOLE = {"I8": "int8", "U8": "uint8", "I16": "int16", "U16": "uint16", "I32": "int32", "U32": "uint32", "I64": "int64",
          "|i1": "int8", "|u1": "uint8", "<i2": "int16", "<u2": "uint16", "<i4": "int32", "<u4": "uint32",
          "<i8": "int64"}
"""Whole numbers, in the words of safetensors and of npz."""


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

    def numbers_in(self, said: str) -> str:
        """Its format, one of ours; ``said`` where it has another."""
        if self.format is None:
            raise InputError(f"{said} {self.kind}, expected binary32, binary64, binary16 or bfloat16")
        return self.format

    def whole(self) -> tuple[str, NDArray[np.int64]] | None:
        """Return the name of the element type and the elements, if these are whole numbers."""
        name = _WHOLE.get(self.kind, self.kind)
        if name not in _WHOLE.values():
            return None
        return name, np.frombuffer(self.read(), np.dtype(name).newbyteorder("<")).astype(np.int64).reshape(self.shape)


@dataclass(frozen=True)
class Contents:
    """Tensors by name; ``settings``: what a checkpoint or config.json says of the architecture; ``others``: the names
    of what is no weight, each with what it is.
    """

    tensors: Mapping[str, Stored]
    settings: Mapping[str, Any] = field(default_factory=dict)
    others: Mapping[str, str] = field(default_factory=dict)


def merge(parts: Iterable[tuple[str, Contents]]) -> Contents:
    """Return the contents of several files together."""
    tensors: dict[str, Stored] = {}
    settings: dict[str, Any] = {}
    others: dict[str, str] = {}
    for where, part in parts:
        for name in part.tensors.keys() & tensors.keys():
            raise InputError(f"{where}: tensor {name} is in another file, too, expected it once")
        if part.settings and settings:
            raise InputError(f"{where}: settings of the network are in another file, too, expected them once")
        tensors |= part.tensors
        settings |= part.settings
        others |= part.others
    return Contents(tensors, settings, others)


_COMPILED, _PARALLEL = "_orig_mod", "module"
"""Names that torch.compile and DataParallel put before those of a module that they wrap."""


def unwrapped(names: Iterable[str]) -> Callable[[str], str] | None:
    """A function from a name to the one before wrapping; None if nothing is wrapped, or if two names would be one.

    ``_orig_mod`` is left out wherever it stands, ``module`` where all names begin with it.
    """
    whole = [*names]
    lines = [[part for part in name.split(".") if part != _COMPILED] for name in whole]
    count = min((next((k for k, part in enumerate(line[:-1]) if part != _PARALLEL), len(line) - 1) for line in lines
                 if line), default=0)

    def strip(name: str) -> str:
        parts = [part for part in name.split(".") if part != _COMPILED]
        return ".".join(parts[count:] if parts[:count] == [_PARALLEL] * count else parts)

    made = {strip(name) for name in whole}
    return strip if len(made) == len(whole) and made != {*whole} else None
