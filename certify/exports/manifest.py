"""The manifest of a folder of scripts: the scripts, their subjects, and the expected answers of a solver."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from certify.claims.formula.real_functions import functions_in
from certify.claims.formula.sealed import Sealed
from certify.common.files import read_text
from constructions.errors import InputError
from constructions.network.json_form import read_json

MANIFEST = "manifest.json"
FORMAT = "certify-smt2"
VERSION = 1
ROUNDED = ("in these scripts ln and sqrt are rounded down to multiples of 10^-30; the certificate is about the real "
           "functions")
_KEYS = ("file", "status", "proves", "sha256")


@dataclass(frozen=True)
class Script:
    """One script with its expected answer."""

    file: str
    status: str
    proves: str
    sha256: str
    is_probe: bool


def write_manifest(sealed: Sealed, scripts: Sequence[Mapping[str, Any]],
                   unscripted: Sequence[Mapping[str, Any]]) -> str:
    """Return the text of the manifest; ``unscripted`` are the obligations that exact evaluation decides."""
    return json.dumps({
        "format": FORMAT,
        "version": VERSION,
        "certificate": {"sha256": sealed.digest, **sealed.claim},
        **({"note": ROUNDED} if functions_in(sealed.transformer) else {}),
        "scripts": list(scripts),
        "decided_by_evaluation": list(unscripted),
    }, indent=1) + "\n"


def read_manifest(folder: str) -> list[Script]:
    """Return the scripts of a folder.

    Raises:
        InputError: if it has no manifest, or the scripts are not those of the manifest with its answers, or have other
            commands than COMMANDS.
    """
    where = str(Path(folder) / MANIFEST)
    data = read_json(read_text(where), where)
    if not isinstance(data, dict) or data.get("format") != FORMAT or data.get("version") != VERSION:
        raise InputError(f"{where}: expected a manifest of the format {FORMAT}, version {VERSION}")
    rows = data.get("scripts")
    if not isinstance(rows, list) or not rows:
        raise InputError(f"{where}: scripts: expected a list of at least one")
    scripts = [_read_row(row, f"{where}: script {place}") for place, row in enumerate(rows, start=1)]
    listed = {script.file for script in scripts}
    if len(listed) < len(scripts):
        raise InputError(f"{where}: a script is listed twice")
    for file in sorted(path.name for path in Path(folder).glob("*.smt2")):
        if file not in listed:
            raise InputError(f"{where}: does not list {file}")
    for script in scripts:
        path = str(Path(folder) / script.file)
        check_script(read_text(path), path, script.status, script.sha256)
    return scripts


def _read_row(row: Any, where: str) -> Script:
    if not isinstance(row, dict) or not all(isinstance(row.get(key), str) for key in _KEYS):
        raise InputError(f"{where}: expected an object with the texts {', '.join(_KEYS)}")
    if not re.fullmatch(r"\w[\w.-]*\.smt2", row["file"], re.ASCII):
        raise InputError(f"{where}: file: found {row['file'][:60]!r}, expected a name that ends in .smt2")
    if row["status"] not in ("sat", "unsat"):
        raise InputError(f"{where}: status: found {row['status'][:60]!r}, expected sat or unsat")
    return Script(row["file"], row["status"], row["proves"], row["sha256"], "probe_of" in row)


COMMANDS = frozenset({"set-info", "set-logic", "declare-fun", "declare-const", "define-fun", "assert", "check-sat",
                      "exit"})
_STATUS = re.compile(r"^\(set-info :status (\w+)\)$", re.MULTILINE)
_STRANGE = re.compile(r"[^ -~\n]")
_COMMENT = re.compile(r";.*")
_QUOTED = re.compile(r"[\"|]")
_PIECE = re.compile(r"[()]|[^\s()]+")


def digest_of_script(text: str) -> str:
    """Return the SHA-256 of a script, as in the manifest."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def check_script(text: str, where: str, status: str, digest: str) -> None:
    """Raise InputError unless the script has COMMANDS only, and this status and digest."""
    if (found := _STATUS.findall(text)) != [status]:
        raise InputError(f"{where}: states the status {', '.join(found) or 'nothing'}, and the manifest {status}")
    if strange := _STRANGE.search(text):
        raise InputError(f"{where}: found {strange[0]!r}, expected printable ASCII")
    code = _COMMENT.sub("", text)
    if _QUOTED.search(code):
        raise InputError(f"{where}: found a string or a quoted symbol, expected none")
    for command in _commands(code):
        if command not in COMMANDS:
            raise InputError(f"{where}: found {command[:40]!r}, expected the commands {', '.join(sorted(COMMANDS))}")
    if digest_of_script(text) != digest:
        raise InputError(f"{where}: was changed since it was exported: its SHA-256 is not the one of the manifest")


def _commands(code: str) -> Iterator[str]:
    r"""Yield the first token of each top-level bracket, and every other top-level token.

    >>> list(_commands("(assert (not a))\n(exit) more"))
    ['assert', 'exit', 'more']
    """
    depth, is_first = 0, False
    for piece in _PIECE.findall(code):
        if is_first or (depth == 0 and piece != "("):
            yield piece
        depth += (piece == "(") - (piece == ")")
        is_first = piece == "(" and depth == 1
