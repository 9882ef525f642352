"""The sources of the Coq library: their order, and which of them a theorem about a network needs."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

LIBRARY = Path(__file__).resolve().parent.parent / "coq"
LOGICAL_NAME = "Certify"
CHECKER = "check.v"
"""The file with ``check_computes``; theorems about networks import it and what it imports."""
DIAGNOSIS = "refusal.v"
"""The file that says where the checker said no."""
FILES = "check_file.v"
"""The file with the checker of model files, which is extracted to OCaml."""
_IMPORTS = re.compile(r"From Certify Require Import ([^.]*)\.\s")


def listed_files() -> list[str]:
    """Every file of the library, each after those that it imports, as ``_CoqProject`` lists them."""
    lines = (LIBRARY / "_CoqProject").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.endswith(".v")]


def imported_files(text: str) -> set[str]:
    """The files of the library that a Coq file imports.

    >>> sorted(imported_files("From Certify Require Import formula network.\\n"))
    ['formula.v', 'network.v']
    """
    return {f"{name}.v" for names in _IMPORTS.findall(text) for name in names.split()}


def needed_sources(*entries: str) -> dict[str, str]:
    """Files, or the one with the checker, and all that they need, each after those that it imports, with their texts."""
    needed, texts = set(entries or (CHECKER,)), dict[str, str]()
    for name in reversed(listed_files()):
        if name in needed:
            texts[name] = (LIBRARY / name).read_text(encoding="utf-8")
            needed |= imported_files(texts[name])
    return dict(reversed(texts.items()))


def digest(texts: Iterable[str]) -> str:
    """Sixteen hexadecimal digits that other texts do not have."""
    whole = hashlib.sha256()
    for text in texts:
        whole.update(hashlib.sha256(text.encode("utf-8")).digest())
    return whole.hexdigest()[:16]


def digest_of_files(paths: Iterable[Path]) -> str:
    """The SHA-256 of the names and contents of files."""
    whole = hashlib.sha256()
    for path in paths:
        for part in (path.name.encode("utf-8"), path.read_bytes()):
            whole.update(hashlib.sha256(part).digest())
    return whole.hexdigest()
