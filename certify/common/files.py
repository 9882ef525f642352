"""Reading of users' files, and atomic writing."""

import contextlib
import os
import secrets
import stat
import sys
import tempfile
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from certify.common.look import complaint, look
from certify.common.output_guard import STANDARD_STREAM, current_guard, note_input
from constructions.errors import InputError
from constructions.text import printable, read_file

MAX_BYTES = 64_000_000


def read_text(path: str) -> str:
    """Return the text of a file, or of standard input for ``-``, without a byte order mark.

    Raises:
        InputError: if it cannot be read, is longer than MAX_BYTES or is not UTF-8; or if the command that runs would
            write there.
    """
    note_input(path)
    return read_own_text(path)


def read_own_text(path: str) -> str:
    """Return the text of a file of this program's own.

    Raises:
        InputError: if it cannot be read, is longer than MAX_BYTES or is not UTF-8.
    """
    try:
        return read_file(sys.stdin.buffer if path == STANDARD_STREAM else path, MAX_BYTES, path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: {_other_kind(path)}byte {error.start + 1} is not UTF-8 text") from None


def _other_kind(path: str) -> str:
    """Return the kind of a file that is not text, with the next command; empty if no kind is known."""
    kind = None if path == STANDARD_STREAM else look(path)
    return "" if kind in (None, "binary", "json", "text") else f"{complaint(path, str(kind), 'a text')}; "


def check_unicode(*texts: str) -> None:
    """Raise InputError if an argument of the command line was not UTF-8 text."""
    for text in texts:
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            place = error.start + 1
            raise InputError(f"argument {printable(text[:40])}: character {place} is not UTF-8 text") from None


@contextlib.contextmanager
def writing(path: str | Path, cannot: str = "cannot be written") -> Iterator[None]:
    """Convert an OSError about a path within the context to InputError."""
    try:
        yield
    except OSError as error:
        raise InputError(f"{path}: {cannot}: {error.strerror or error}") from None


def check_writable(path: str) -> None:
    """Raise InputError if ``write_text`` could not write there, or should not: an input would be lost."""
    target = _target(path)
    if path == STANDARD_STREAM:
        return
    with writing(path):
        reason = _why_not_writable(target)
    if reason:
        raise InputError(f"{path}: cannot be written: {reason}")
    if places := current_guard():
        places.check_no_input(path)


def _why_not_writable(target: Path) -> str:
    if target.is_dir():
        return "it is a folder"
    if _is_special(target):
        return "" if os.access(target, os.W_OK) else "permission denied"
    if not target.parent.is_dir():
        return f"there is no folder {target.parent}"
    protected = not _may_write(target.parent) or (target.exists() and not _may_write(target))
    return "permission denied" if protected else ""


def _may_write(place: Path) -> bool:
    """Return whether the file is writable for us and by its owner's mode bit, which protects it even from root."""
    return os.access(place, os.W_OK) and bool(place.stat().st_mode & stat.S_IWUSR)


def _is_special(target: Path) -> bool:
    """Return whether the path is a device or a pipe, which is written to directly."""
    return os.path.exists(target) and not target.is_file() and not target.is_dir()


def _target(path: str) -> Path:
    """Resolve symbolic links of the path, so that renaming does not replace a link.

    Raises:
        InputError: if it is not a file name.
    """
    if not path:
        raise InputError("-o: the name is empty, expected a file")
    if "\0" in path:
        raise InputError(f"{printable(path)}: a name with a null byte, expected a file")
    return Path(path) if _is_special(Path(path)) else Path(os.path.realpath(path))


def write_text(path: str, text: str) -> None:
    """Write the whole file or nothing: a temporary file beside it is renamed over it, with the mode of the old file.

    Raises:
        InputError: if the place cannot be written, or is one that the command which runs reads.
    """
    if path == STANDARD_STREAM:
        _check_noted(path)
        sys.stdout.write(text)
    else:
        write_bytes(path, text.encode())


def write_bytes(path: str, data: bytes) -> None:
    """Write the whole file or nothing.

    Raises:
        InputError: if the place cannot be written, or the running command reads it.
    """
    _check_noted(path)
    check_writable(path)
    target = _target(path)
    with writing(path):
        if _is_special(target):
            target.write_bytes(data)
        else:
            replace_file(target, data)


def _check_noted(path: str) -> None:
    if places := current_guard():
        places.check_noted(path)


def replace_file(target: Path, data: bytes) -> None:
    """Replace the file (or link, or pipe) atomically.

    The new file keeps the mode of the old one and, if we may change owners, its owner.

    Raises:
        OSError: if the place cannot be written.
    """
    _check_noted(str(target))
    temporary = target.parent / f".certify-{secrets.token_hex(8)}"
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)  # the umask applies to new files
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        _take_over(temporary, target)
        temporary.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def _take_over(new: Path, old: Path) -> None:
    """Copy the owner and mode of an existing file."""
    if old.is_symlink() or not (old.is_file() or old.is_dir()):
        return
    found = old.stat()
    with contextlib.suppress(OSError):
        os.chown(new, found.st_uid, found.st_gid)
    new.chmod(stat.S_IMODE(found.st_mode))


def holds_a_file(path: str) -> bool:
    """Return whether there is a file that would be replaced."""
    return path != STANDARD_STREAM and Path(path).is_file()


def remove_file(path: str) -> None:
    """Remove a file that the running command may write, if it exists.

    Raises:
        InputError: if it cannot be removed.
    """
    _check_noted(path)
    with writing(path, "cannot be removed"):
        Path(path).unlink(missing_ok=True)


# -- folders -----------------------------------------------------------------------------------------------------------


def make_folder(path: str, names: Collection[str]) -> None:
    """Make the folder unless it is there, for several files with these names, written one by one.

    Raises:
        InputError: if the folder cannot be made, or a file could not be written in it.
    """
    if path in ("", STANDARD_STREAM):
        raise InputError(f"-o {path or repr(path)}: there are several results, expected a folder for them")
    _check_noted(path)
    with writing(path, "cannot be a folder for the certificates"):
        Path(path).mkdir(parents=True, exist_ok=True)
    for name in names:
        check_writable(str(Path(path) / name))


def check_new_folder(path: str) -> None:
    """Raise InputError if ``write_folder`` could not write there: a folder with something in it is never touched."""
    if path in ("", STANDARD_STREAM):
        raise InputError(f"-o: found {path!r}, expected a folder")
    with writing(path):
        reason = _why_no_new_folder(_target(path))
    if reason:
        raise InputError(f"{path}: cannot be written: {reason}")


def _why_no_new_folder(target: Path) -> str:
    if target.exists() and not target.is_dir():
        return "it is no folder"
    if target.is_dir() and any(target.iterdir()):
        return "the folder is not empty"
    if not target.parent.is_dir():
        return f"there is no folder {target.parent}"
    return "" if _may_write(target if target.is_dir() else target.parent) else "permission denied"


def write_folder(path: str, files: Mapping[str, str | bytes], programs: Collection[str] = ()) -> None:
    """Write the whole folder or nothing, with its programs executable.

    A new folder is made beside its place and renamed. An existing one keeps its mode, and may be somebody's
    current folder: it is filled, not replaced.

    Raises:
        InputError: if the place cannot be written, or is a folder that is not empty.
    """
    _check_noted(path)
    check_new_folder(path)
    target = _target(path)
    is_there = target.is_dir()
    place = target if is_there else target.parent
    with writing(path), tempfile.TemporaryDirectory(dir=place, prefix=".certify-") as temporary:
        folder = Path(temporary) / "folder"
        _fill(folder, files, programs)
        if is_there:
            _move_all(folder, target)
        else:
            folder.replace(target)


def _fill(folder: Path, files: Mapping[str, str | bytes], programs: Collection[str]) -> None:
    for name, content in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        if name in programs:
            place.chmod(0o755)


def _move_all(source: Path, target: Path) -> None:
    """Move all entries of one folder into another, all or nothing."""
    moved: list[Path] = []
    try:
        for place in sorted(source.iterdir()):
            moved.append(place.replace(target / place.name))
    except BaseException:
        for place in moved:
            place.replace(source / place.name)
        raise
