"""Reading what users name, and writing without leaving anything half-written."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from pathlib import Path

from constructions.errors import InputError

MAX_BYTES = 64_000_000


def read_text(path: str) -> str:
    """The text of a file, or of standard input for ``-``.

    Raises:
        InputError: if it cannot be read, is longer than MAX_BYTES or is not UTF-8.
    """
    try:
        if path == "-":
            data = sys.stdin.buffer.read(MAX_BYTES + 1)
        else:
            with Path(path).open("rb") as file:
                data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise InputError(f"{path}: longer than {MAX_BYTES} bytes")
        return data.decode("utf-8")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: byte {error.start + 1} is not UTF-8 text") from None


def write_text(path: str, text: str) -> None:
    """Write the whole file or nothing: a temporary file beside it is renamed over it.

    Raises:
        InputError: if the place cannot be written.
    """
    if path == "-":
        sys.stdout.write(text)
        return
    target = Path(path)
    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            Path(temporary).chmod(0o644)
            Path(temporary).replace(target)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
            raise
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from None
