"""Reading what users name, and writing without leaving anything half-written."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Collection, Mapping
from pathlib import Path

from constructions.errors import InputError
from constructions.text import printable

MAX_BYTES = 64_000_000
SUFFIX_OF_FORMULAS = ".ltl"
SUFFIX_OF_COUNTING_PROGRAMS = ".cr"
SUFFIXES_OF_PROGRAMS = (".rasp", SUFFIX_OF_COUNTING_PROGRAMS)


def read_text(path: str) -> str:
    """The text of a file, or of standard input for ``-``, without the mark that some editors begin UTF-8 with.

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
        return data.decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: byte {error.start + 1} is not UTF-8 text") from None


def check_unicode(*texts: str) -> None:
    """Raise InputError if an argument of the command line was not UTF-8 text."""
    for text in texts:
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            place = error.start + 1
            raise InputError(f"argument {printable(text[:40])}: character {place} is not UTF-8 text") from None


def check_writable(path: str) -> None:
    """Raise InputError if ``write_text`` could not write there."""
    target = _target(path)
    if path == "-":
        return
    reason = None
    if target.is_dir():
        reason = "it is a folder"
    elif not target.parent.is_dir():
        reason = f"there is no folder {target.parent}"
    elif not os.access(target if target.exists() and not target.is_file() else target.parent, os.W_OK):
        reason = "permission denied"
    if reason:
        raise InputError(f"{path}: cannot be written: {reason}")


def _target(path: str) -> Path:
    if not path:
        raise InputError("-o: found an empty name, expected a file")
    return Path(os.path.realpath(path))  # through symbolic links, so that renaming does not replace the link


def write_text(path: str, text: str) -> None:
    """Write the whole file or nothing: a temporary file beside it is renamed over it.

    Raises:
        InputError: if the place cannot be written.
    """
    if path == "-":
        sys.stdout.write(text)
    else:
        write_bytes(path, text.encode())


def write_bytes(path: str, data: bytes) -> None:
    """Write the whole file or nothing, likewise.

    Raises:
        InputError: if the place cannot be written.
    """
    target = _target(path)
    try:
        if target.exists() and not target.is_file():  # a device or a pipe: there is nothing to rename
            target.write_bytes(data)
        else:
            replace_file(target, data)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from None


def replace_file(target: Path, data: bytes) -> None:
    """Put a whole file there or nothing; what was there, a link or a pipe too, is gone.

    Raises:
        OSError: if the place cannot be written.
    """
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".certify-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(temporary).chmod(0o644)
        Path(temporary).replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(temporary).unlink()
        raise


# -- folders -----------------------------------------------------------------------------------------------------------


def make_folder(path: str) -> None:
    """Make the folder unless it is there, for several files that are written one by one.

    Raises:
        InputError: if it is no folder and cannot be one.
    """
    try:
        if path in ("", "-"):
            raise InputError(f"-o {path or repr(path)}: of several results it must be a folder for certificates")
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path}: cannot be a folder for the certificates: {error.strerror}") from None


def check_new_folder(path: str) -> None:
    """Raise InputError if ``write_folder`` could not write there: a folder with something in it is never touched."""
    if path in ("", "-"):
        raise InputError(f"-o: found {path!r}, expected a folder")
    try:
        reason = _why_no_new_folder(_target(path))
    except OSError as error:
        reason = error.strerror or str(error)
    if reason:
        raise InputError(f"{path}: cannot be written: {reason}")


def _why_no_new_folder(target: Path) -> str:
    if target.exists() and not target.is_dir():
        return "it is no folder"
    if target.is_dir() and any(target.iterdir()):
        return "the folder is not empty"
    if not target.parent.is_dir():
        return f"there is no folder {target.parent}"
    return "" if os.access(target.parent, os.W_OK) else "permission denied"


def write_folder(path: str, files: Mapping[str, str | bytes], programs: Collection[str] = ()) -> None:
    """Write the whole folder or nothing: a temporary folder beside it is renamed to it. The programs can be run.

    Raises:
        InputError: if the place cannot be written, or is a folder that is not empty.
    """
    check_new_folder(path)
    target = _target(path)
    try:
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=".certify-") as temporary:
            folder = Path(temporary) / "folder"
            for name, content in files.items():
                place = folder / name
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
                if name in programs:
                    place.chmod(0o755)
            folder.replace(target)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from None
