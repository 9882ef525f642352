"""Detection of packages that shadow those installed with certify.

``proofs`` and ``constructions`` are installed beside ``certify``. Another package of that name may precede them on the
path (a folder ./proofs under PYTHONPATH=.), or be installed into the same folder, where pip lets the later one
overwrite the earlier. A proof by foreign code is not a proof, so nothing runs then. Only the standard library is
imported here: the check comes before any other import.
"""

import base64
import hashlib
import importlib.util
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

HOME = Path(__file__).resolve().parents[2]
"""The folder that ``certify`` is in."""
NEIGHBOURS = ("constructions", "proofs")
LIBRARIES = ("click", "flint", "lark", "mpmath", "numpy", "rich", "sympy", "typer", "z3")
"""Modules needed at every start; a file with such a name in the current folder would shadow the library."""
COLUMNS_OF_A_RECORD = 3


def find_shadowed(home: Path = HOME) -> str | None:
    """Return one line about the first package or module that shadows one of certify's; None if there is none.

    If there is no current folder, its contents cannot be checked, and the line says so.
    """
    return next(_strangers(home), None)


def expect_own_packages() -> None:
    """Raise ImportError, in one line, if another package would be imported in the place of one of ours.

    Called where a name of ``certify`` is first used: in a notebook the current folder is on the path.
    """
    if stranger := next(_other_packages(HOME), None):
        raise ImportError(f"certify: {stranger}")


def _other_packages(home: Path) -> Iterator[str]:
    for name in NEIGHBOURS:
        found = place_of(name)
        if found != home / name:
            yield (f"the package {name} would be imported from {found or 'nowhere'}, expected {home / name}, beside "
                   "certify; rename the other one, take its folder off PYTHONPATH, or start elsewhere")


def _strangers(home: Path) -> Iterator[str]:
    yield from _other_packages(home)
    try:
        here = Path.cwd()
    except OSError as error:
        yield f"the current folder: {error.strerror}, expected one; start in a folder that exists"
        return
    if home != here and here in map(resolved, sys.path):
        for name in LIBRARIES:
            if (found := place_of(name)) is not None and found.parent == here:
                yield (f"{name} would be imported from {found}, expected the library of this name; rename the file or "
                       "folder, or take it off PYTHONPATH")
    yield from _overwritten(home)


def place_of(name: str) -> Path | None:
    """Return the folder of a package, or the file of a module, as it would be imported now; nothing is imported."""
    spec = importlib.util.find_spec(name)
    if spec is None:
        return None
    if spec.submodule_search_locations:
        return resolved(next(iter(spec.submodule_search_locations)))
    return resolved(spec.origin or "")


def resolved(entry: str) -> Path:
    """Return an entry of the path; the empty one is the current folder."""
    return Path(entry).resolve()


# -- two packages of one name in one folder ----------------------------------------------------------------------------


def _overwritten(home: Path) -> Iterator[str]:
    """Yield a line per package of ours that another one has overwritten; none in a checkout or editable install."""
    for record in sorted(home.glob("certify-*.dist-info/RECORD")):
        digests = _installed(record)
        if not any(path.startswith("certify/") for path in digests):
            continue  # an editable installation: the files are elsewhere
        for name in NEIGHBOURS:
            if foreign := _foreign_entry(home, name, digests):
                yield (f"{foreign} is of another package, which was installed into the folder of certify's own {name}: "
                       "one of them has overwritten the other; expected certify in an environment of its own "
                       "(python3 -m venv)")


def _installed(record: Path) -> Mapping[str, str]:
    """Return the installed files, each with its digest as the record has it."""
    rows = (line.split(",") for line in record.read_text(encoding="utf-8").splitlines())
    return {row[0]: row[1] for row in rows if len(row) == COLUMNS_OF_A_RECORD}


def _foreign_entry(home: Path, name: str, digests: Mapping[str, str]) -> Path | None:
    """Return the first entry of the folder that was not installed with certify, or is not as it was."""
    ours = {path.split("/")[1] for path in digests if path.startswith(f"{name}/")}
    for path in sorted((home / name).iterdir()):
        if path.name not in ours and path.name != "__pycache__":
            return path
    first = home / name / "__init__.py"
    return None if _digest(first) == digests.get(f"{name}/__init__.py") else first


def _digest(path: Path) -> str:
    """Return the SHA-256 digest of a file in the notation of RECORD files (PEP 376)."""
    found = hashlib.sha256(path.read_bytes()).digest()
    return f"sha256={base64.urlsafe_b64encode(found).decode().rstrip('=')}"
