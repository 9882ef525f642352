"""Python for the page that checks: the npm package pyodide, one version of it, by digest, without its packages."""

import hashlib
import io
import json
import tarfile

from certify.frame.places import note_input
from constructions.errors import InputError, Unreadable

VERSION = "314.0.7"
SHA_256 = "66b7949e5a0cba2250b586d7e368bf12fb482800748d182c4618254b685ffaa0"
"""Of the tarball that `npm pack pyodide@VERSION` writes."""
LICENCE = "MPL-2.0"
KEPT = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
LOCK = "pyodide-lock.json"
MOST_BYTES = 1 << 26


def read_pyodide(path: str) -> dict[str, bytes]:
    """The files that the page loads, as they are in the tarball; the lock names no packages, as none is asked for.

    Raises:
        InputError: if the file is another one, or cannot be read.
    """
    note_input(path)
    try:
        with open(path, "rb") as file:
            data = file.read(MOST_BYTES)
    except OSError as error:
        raise Unreadable(f"{path}: {error.strerror or error}") from None
    if (found := hashlib.sha256(data).hexdigest()) != SHA_256:
        raise InputError(f"--pyodide: {path} has the SHA-256 {found}, expected {SHA_256}: the file that npm pack "
                         f"pyodide@{VERSION} writes")
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        files = {name: _member(archive, name) for name in KEPT}
        lock = json.loads(_member(archive, LOCK))
    return {**files, LOCK: json.dumps({**lock, "packages": {}}).encode()}


def _member(archive: tarfile.TarFile, name: str) -> bytes:
    file = archive.extractfile(f"package/{name}")
    assert file is not None, "the digest says what is in it"
    return file.read()
