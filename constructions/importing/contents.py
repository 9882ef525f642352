"""Contents of a file: named tensors, read on demand, and settings."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from constructions.errors import InputError
from constructions.trained.network import ELEMENT_BYTES

MAX_FILE_BYTES = 256_000_000
"""The most bytes of one file; more than the limit of a network, as optimisers are saved beside networks."""
MAX_DIMENSIONS = 8
_WHOLE = {"I8": "int8", "U8": "uint8", "I16": "int16", "U16": "uint16", "I32": "int32", "U32": "uint32", "I64": "int64",
          "|i1": "int8", "|u1": "uint8", "<i2": "int16", "<u2": "uint16", "<i4": "int32", "<u4": "uint32",
          "<i8": "int64"}
"""Integer types, in the notation of safetensors and of npz."""


@dataclass(frozen=True)
class Stored:
    """A tensor in a file; ``kind`` is its element type in the file's notation, ``format`` ours, or None.

    ``read`` returns the bytes in row-major order, little-endian.
    """

    kind: str
    format: str | None
    shape: tuple[int, ...]
    read: Callable[[], bytes] = field(repr=False)

    @property
    def bytes(self) -> int:
        """The number of bytes returned by ``read``, for our formats; 0 for others, which are never read."""
        return math.prod(self.shape) * ELEMENT_BYTES[self.format] if self.format else 0

    def __str__(self) -> str:
        return f"{self.kind} {list(self.shape)}"

    def numbers_in(self, said: str) -> str:
        """Return its format if it is one of ours; else raise an error that begins with ``said``."""
        if self.format is None:
            raise InputError(f"{said} {self.kind}, expected binary32, binary64, binary16 or bfloat16")
        return self.format

    def whole(self) -> tuple[str, NDArray[np.int64]] | None:
        """Return the name of the element type and the elements, if they are integers."""
        name = _WHOLE.get(self.kind, self.kind)
        if name not in _WHOLE.values():
            return None
        return name, np.frombuffer(self.read(), np.dtype(name).newbyteorder("<")).astype(np.int64).reshape(self.shape)


@dataclass(frozen=True)
class Contents:
    """The tensors of a file by name, with its settings.

    ``settings``: the architecture as stated by a checkpoint or config.json; ``others``: entries that are not weights,
    each with a description.
    """

    tensors: Mapping[str, Stored]
    settings: Mapping[str, Any] = field(default_factory=dict)
    others: Mapping[str, str] = field(default_factory=dict)


def merge(parts: Iterable[tuple[str, Contents]]) -> Contents:
    """Merge the contents of several files."""
    tensors: dict[str, Stored] = {}
    settings: dict[str, Any] = {}
    others: dict[str, str] = {}
    for where, part in parts:
        for name in part.tensors.keys() & tensors.keys():
            raise InputError(f"{where}: tensor {name} is also in another file, expected it in one file")
        if part.settings and settings:
            raise InputError(f"{where}: settings of the network are also in another file, expected them in one file")
        tensors |= part.tensors
        settings |= part.settings
        others |= part.others
    return Contents(tensors, settings, others)


_COMPILED, _PARALLEL = "_orig_mod", "module"
"""Prefixes of names added by torch.compile and DataParallel for a wrapped module."""


def unwrapped(names: Iterable[str]) -> Callable[[str], str] | None:
    """Return a function that removes wrapper prefixes; None if there are none, or names would collide.

    ``_orig_mod`` is removed everywhere, ``module`` only as a common prefix of all names.
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
