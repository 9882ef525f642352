"""Files and text from outside: the one reader of files, and escapes for display."""

from contextlib import nullcontext
from pathlib import Path
from typing import BinaryIO

from constructions.errors import InputError, Unreadable


def read_file(place: str | Path | BinaryIO, most: int, where: str = "") -> bytes:
    """Return the content of a file, given by its path or open; errors name it ``where``, or its path.

    Raises:
        Unreadable: if there is no such file, or it cannot be read.
        InputError: if it is longer than ``most`` bytes.
    """
    where = where or str(place) or "''"
    try:
        with Path(place).open("rb") if isinstance(place, str | Path) else nullcontext(place) as file:
            data = file.read(most + 1)
    except OSError as error:
        raise Unreadable(f"{where}: {error.strerror or error}") from None
    if len(data) > most:
        raise InputError(f"{where}: longer than {most} bytes")
    return data


def utf8_of(data: bytes, where: str, encoding: str = "utf-8") -> str:
    """Decode the bytes.

    Raises:
        InputError: if they are not text in this encoding.
    """
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise InputError(f"{where}: byte {error.start + 1} is not UTF-8 text") from None


def printable(text: str) -> str:
    r"""Return the text on one line, with escapes for characters that a terminal or editor would act on or cannot show.

    >>> print(printable("red\x1b[31m\n"))
    red\x1b[31m\n
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
