"""Third-party files of the site: Python, python-flint and Z3, one version of each, pinned by digest.

Python is the npm package pyodide without its packages; the libraries are wheels for browsers, which the prover needs.
"""

import hashlib
import io
import json
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from certify.common.output_guard import note_input
from constructions.errors import InputError
from constructions.text import read_file

VERSION = "314.0.7"
SHA_256 = "66b7949e5a0cba2250b586d7e368bf12fb482800748d182c4618254b685ffaa0"
"""The digest of the tarball that `npm pack pyodide@VERSION` writes."""
LICENCE = "MPL-2.0"
KEPT = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
LOCK = "pyodide-lock.json"
MOST_BYTES = 1 << 26
PLATFORM = "pyemscripten_2026_0_wasm32"


@dataclass(frozen=True)
class Wheel:
    """A wheel as pip downloads it, redistributed unchanged under its licence."""

    name: str
    version: str
    tag: str
    sha_256: str
    licence: str

    @property
    def file(self) -> str:
        """The name of its file."""
        return f"{self.name.replace('-', '_')}-{self.version}-{self.tag}-{PLATFORM}.whl"


FLINT = Wheel("python-flint", "0.9.0", "cp314-cp314",
              "b31f5c00e0e36040ab58d00b3025156e20869b990d776e4bf90f870b1ee11ad3", "MIT and LGPL-3.0-or-later")
Z3 = Wheel("z3-solver", "5.3.3.0", "py3-none",
           "9381d9516345f53b21a8f4df243c5d608e9625aac658c3fb3975457bad260f60", "MIT")
KNOWN = (FLINT, Z3)
DOWNLOAD = (f"pip download --no-deps --only-binary=:all: --platform {PLATFORM} --python-version 3.14 -d DIR "
            + " ".join(f"{each.name}=={each.version}" for each in KNOWN))
"""The command that fills the folder of wheels."""


def read_pyodide(path: str) -> dict[str, bytes]:
    """Return the files that the page loads, from the tarball; the lock lists no packages, since none is loaded.

    Raises:
        InputError: if the file has another digest, or cannot be read.
    """
    note_input(path)
    data = _read(Path(path), SHA_256, "--pyodide", f"npm pack pyodide@{VERSION}")
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        files = {name: _member(archive, name) for name in KEPT}
        lock = json.loads(_member(archive, LOCK))
    return {**files, LOCK: json.dumps({**lock, "packages": {}}).encode()}


def read_wheels(folder: str) -> Mapping[str, bytes]:
    """Return the wheels of a folder, by the names of their files.

    Raises:
        InputError: if one is missing, has another digest, or cannot be read.
    """
    note_input(folder)
    return {each.file: _read_wheel(Path(folder), each) for each in KNOWN}


def _read_wheel(folder: Path, wheel: Wheel) -> bytes:
    if not (folder / wheel.file).exists():
        raise InputError(f"--wheels: {folder} has no {wheel.file}, expected the folder that this fills: {DOWNLOAD}")
    return _read(folder / wheel.file, wheel.sha_256, "--wheels", f"pip download {wheel.name}=={wheel.version}")


def _read(path: Path, expected: str, option: str, writer: str) -> bytes:
    """Return the file with this digest, which a command writes."""
    data = read_file(path, MOST_BYTES)
    if (found := hashlib.sha256(data).hexdigest()) != expected:
        raise InputError(f"{option}: {path} has the SHA-256 {found}, expected {expected}: the file that {writer} "
                         "writes")
    return data


def _member(archive: tarfile.TarFile, name: str) -> bytes:
    file = archive.extractfile(f"package/{name}")
    assert file is not None, "the digest fixes the content"
    return file.read()
