"""Writing a folder of files completely or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from constructions.errors import InputError


def check_new_folder(path: str) -> None:
    """Raise InputError unless ``write_folder`` could write there: nothing is there yet, or an empty folder."""
    if path in ("", "-"):
        raise InputError(f"-o: found {path!r}, expected a folder")
    try:
        reason = _find_obstacle(Path(os.path.realpath(path)))
    except OSError as error:
        reason = error.strerror or str(error)
    if reason:
        raise InputError(f"{path}: cannot be written: {reason}")


def _find_obstacle(target: Path) -> str | None:
    """Why no folder can be put there."""
    if not target.parent.is_dir():
        return f"there is no folder {target.parent}"
    if target.is_dir() and any(target.iterdir()):
        return "the folder is not empty"
    if target.exists() and not target.is_dir():
        return "it is no folder"
    return None if os.access(target.parent, os.W_OK) else "permission denied"


def write_folder(path: str, files: Mapping[str, str]) -> None:
    """Write all files into a temporary folder beside the place, then rename it.

    Raises:
        InputError: if the place cannot be written, or is a folder that is not empty.
    """
    check_new_folder(path)
    target = Path(os.path.realpath(path))
    try:
        temporary = Path(tempfile.mkdtemp(dir=target.parent, prefix=".certify-"))
        try:
            for name, text in files.items():
                (temporary / name).write_text(text, encoding="utf-8")
            temporary.chmod(0o755)
            temporary.replace(target)  # over an empty folder; one that has been filled since is an error
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror or error}") from None
