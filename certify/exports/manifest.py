"""The manifest of a folder of scripts: which there are, what they are about, and what a solver should say of them."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from certify.exports.script_text import check_script
from certify.formula.real_functions import functions_in
from certify.formula.sealed import Sealed
from certify.frame.files import read_text
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
    """One script, and the answer that is stated for it."""

    file: str
    status: str
    proves: str
    sha256: str
    is_probe: bool


def write_manifest(sealed: Sealed, scripts: Sequence[Mapping[str, Any]],
                   unscripted: Sequence[Mapping[str, Any]]) -> str:
    """The text of the manifest; ``unscripted`` are the obligations that exact evaluation decides."""
    return json.dumps({
        "format": FORMAT,
        "version": VERSION,
        "certificate": {"sha256": sealed.digest, **sealed.claim},
        **({"note": ROUNDED} if functions_in(sealed.transformer) else {}),
        "scripts": list(scripts),
        "decided_by_evaluation": list(unscripted),
    }, indent=1) + "\n"


def read_manifest(folder: str) -> list[Script]:
    """The scripts of a folder.

    Raises:
        InputError: if it has no manifest, or the scripts there are not the ones of the manifest with its answers, or do
            more than to state and to ask.
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
