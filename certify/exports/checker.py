"""`certify export --to checker -o check.pyz`: the trusted folder as one file, which runs with Python alone.

The output is reproducible: files sorted by name, one fixed date, no compression. Its content can be read with any
program that reads zip files, and compared with `proofs/check`.
"""

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

import proofs.check
from certify.common.files import write_bytes

SHEBANG = b"#!/usr/bin/env python3\n"
FIXED_DATE = (1980, 1, 1, 0, 0, 0)  # the earliest date of a zip file
MODE = 0o644 << 16
LEFT_OUT = ("__init__.py",)  # at the top: only the package needs it, not a program


def checker_files() -> dict[str, bytes]:
    """Return the files of the trusted folder by their names in it, sorted."""
    folder = Path(proofs.check.__file__).parent
    found = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*.py")}
    found["README.md"] = (folder / "README.md").read_bytes()
    return {name: found[name] for name in sorted(found) if name not in LEFT_OUT}


def pack_checker() -> bytes:
    """Return the zip file, with a first line that makes it executable."""
    return pack(checker_files(), SHEBANG)


def pack(files: Mapping[str, bytes], first: bytes = b"") -> bytes:
    """Return the files as one reproducible zip file after the ``first`` bytes."""
    packed = io.BytesIO()
    packed.write(first)
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, FIXED_DATE)
            entry.external_attr, entry.create_system = MODE, 3
            archive.writestr(entry, content)
    return packed.getvalue()


def write_checker(place: str) -> None:
    """Write the checker as one file, atomically.

    Raises:
        InputError: if the file cannot be written.
    """
    write_bytes(place, pack_checker())
