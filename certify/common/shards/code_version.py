"""A digest of the code, so that results of other versions are accepted neither from disk nor from workers."""

import functools
import hashlib
import importlib.metadata
import importlib.util
from pathlib import Path

PACKAGES = ("certify", "constructions", "proofs")
CODE = (".py", ".lark")
LIBRARIES = ("lark", "mpmath", "numpy", "python-flint", "sympy", "z3-solver")
"""Whose results could become part of ours."""


@functools.cache
def code_version(module: str) -> str:
    """Return the digest of our packages, of the libraries' versions, and of this module if it is not one of ours."""
    digest = hashlib.sha256()
    for library in LIBRARIES:
        digest.update(f"{library} {importlib.metadata.version(library)}\0".encode())
    for package in PACKAGES:
        for path in _sources(_folder(package)):
            digest.update(path.relative_to(_folder(package)).as_posix().encode() + b"\0")
            digest.update(hashlib.sha256(path.read_bytes()).digest())
    if module.partition(".")[0] not in PACKAGES:
        digest.update(_file_of(module).read_bytes())
    return digest.hexdigest()


def _folder(package: str) -> Path:
    spec = importlib.util.find_spec(package)
    assert spec and spec.origin
    return Path(spec.origin).parent


def _sources(folder: Path) -> list[Path]:
    """List the source files below a folder, except the examples, whose place depends on the installation."""
    return sorted(path for path in folder.rglob("*")
                  if path.suffix in CODE and path.relative_to(folder).parts[0] != "examples")


def _file_of(module: str) -> Path:
    import sys

    return Path(sys.modules[module].__file__ or "")
