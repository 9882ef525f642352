"""The sources of the Coq library: their order, and which of them a theorem about a network needs.

They are in one folder for each layer, but no two have one name; so imports do not name layers, and compiled or exported
files are in one folder.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

LIBRARY = Path(__file__).resolve().parent.parent / "coq"
LOGICAL_NAME = "Certify"
CHECKER = "check.v"
"""The file with ``check_computes``; theorems about networks import it and what it imports."""
STATEMENTS = "model_text.v"
"""The file with the statement that a model file is proved."""
DIAGNOSIS = "refusal.v"
"""The file that finds where the checker refused."""
FILES = "check_file.v"
"""The file with the checker of model files, which is extracted to OCaml."""
CERTIFICATES = "check_certificate.v"
"""The file with the checker of certificates, which is extracted to OCaml, too."""
DECISIONS = "wrong_word.v"
"""The checkers of decisions about trained networks by words, and of wrong words, and why they are right."""
TRACKS = "judge_tracks.v"
"""The checker of decisions about aligned words, and its theorem."""
SOFTENING = ("soft_for_every_n.v", "user_predicates.v")
"""The imports of a theorem on softened hard attention."""
INSTANCES = "instances.v"
"""The file with the theorems that theorems about one network instantiate; it prints their axioms."""
COMPILED = (DIAGNOSIS, FILES, CERTIFICATES, DECISIONS, TRACKS, INSTANCES)
"""The files that are compiled for each user, with their imports."""
FOLDER_SCRIPT = LIBRARY / "check_folder.sh"
"""The script that checks an exported folder from its sources."""
_IMPORTS = re.compile(r"From Certify Require Import ([^.]*)\.\s")


def listed_files() -> list[Path]:
    """Return every file of the library, each after its imports, in the order of ``_CoqProject``."""
    lines = (LIBRARY / "_CoqProject").read_text(encoding="utf-8").splitlines()
    return [LIBRARY / line for line in lines if line.endswith(".v")]


def imported_files(text: str) -> set[str]:
    r"""Return the files of the library that a Coq file imports.

    >>> sorted(imported_files("From Certify Require Import formula network.\n"))
    ['formula.v', 'network.v']
    """
    return {f"{name}.v" for names in _IMPORTS.findall(text) for name in names.split()}


def needed_sources(*entries: str) -> dict[str, str]:
    """Return the texts of files (by default, for theorems about networks) and of their imports, imports first."""
    needed, texts = set(entries or (CHECKER, STATEMENTS)), {}
    for path in reversed(listed_files()):
        if path.name in needed:
            texts[path.name] = path.read_text(encoding="utf-8")
            needed |= imported_files(texts[path.name])
    return dict(reversed(texts.items()))


def sealed_files() -> dict[str, str]:
    """Return the files common to all exported folders: the library, the allowed axioms and the checking script."""
    return {**{f"library/{name}": text for name, text in needed_sources().items()},
            "axioms.txt": (LIBRARY / "axioms.txt").read_text(encoding="utf-8"),
            "check.sh": FOLDER_SCRIPT.read_text(encoding="utf-8")}


def digests_of(files: Mapping[str, str]) -> str:
    """Return the SHA-256 of each file, as the command sha256sum writes and reads them."""
    return "".join(f"{hashlib.sha256(text.encode('utf-8')).hexdigest()}  {name}\n" for name, text in files.items())


def library_digest() -> str:
    """Return the SHA-256 of SHA256SUMS in an exported folder: of the theorem's meaning and of the check."""
    return hashlib.sha256(digests_of(sealed_files()).encode("utf-8")).hexdigest()


def digest(texts: Iterable[str]) -> str:
    """Return sixteen hexadecimal digits of a SHA-256 of texts."""
    whole = hashlib.sha256()
    for text in texts:
        whole.update(hashlib.sha256(text.encode("utf-8")).digest())
    return whole.hexdigest()[:16]


def digest_of_files(paths: Iterable[Path]) -> str:
    """Return the SHA-256 of the names and contents of files."""
    whole = hashlib.sha256()
    for path in paths:
        for part in (path.name.encode("utf-8"), path.read_bytes()):
            whole.update(hashlib.sha256(part).digest())
    return whole.hexdigest()
