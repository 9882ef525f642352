"""Detection of file kinds by the first bytes, with the next command; used by every command that reads files.

A file that is not recognised ("text", "json") is left to its reader, whose complaint says what is wrong in it.
"""

import re
import shlex
import tomllib
import zipfile
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from constructions.errors import InputError
from constructions.text import printable

SUFFIX_OF_FORMULAS = ".ltl"
SUFFIX_OF_COUNTING_PROGRAMS = ".cr"
SUFFIXES_OF_PROGRAMS = (".rasp", SUFFIX_OF_COUNTING_PROGRAMS)
"""Suffixes that determine the kind of a file."""
BEGINNING = 1 << 16
"""The number of bytes inspected."""
DECIDE = "certify decide {path} --claim CLAIM.toml"
IMPORT = "certify import {path} -o model.json"
CHECK = "certify check {path}"


@dataclass(frozen=True)
class FileKind:
    """The name of a kind of files, and the command that reads them ("" if none does); ``{path}`` is the file."""

    label: str
    then: str = ""


KINDS: Mapping[str, FileKind] = {
    "model": FileKind("a model file", "certify model {path}"),
    "trained": FileKind("a trained network", DECIDE),
    "certificate": FileKind("a certificate", CHECK),
    "trained certificate": FileKind("a certificate about a trained network", CHECK),
    "claims": FileKind("a claims file (.toml)", "certify audit {path}"),
    "claim": FileKind("a claim file of a trained network (.toml)", "certify decide MODEL.json --claim {path}"),
    "formula": FileKind("a file with a formula (.ltl)", "certify formula {path}"),
    "program": FileKind("a program (.rasp or .cr)", "certify run {path} WORD"),
    "automaton": FileKind("an automaton (HOA)", "certify formula --dfa {path}"),
    "torch": FileKind("a torch checkpoint", IMPORT),
    "torchscript": FileKind("a TorchScript archive", IMPORT),
    "pt2": FileKind("an exported program of torch (.pt2)", IMPORT),
    "safetensors": FileKind("a safetensors file", IMPORT),
    "npz": FileKind("arrays of numpy (.npz)", IMPORT),
    "onnx": FileKind("an ONNX graph", IMPORT),
    "config": FileKind("settings of a network (config.json)", "certify import {path} WEIGHTS -o model.json"),
    "gguf": FileKind("a GGUF file", IMPORT),
    "notebook": FileKind("a Jupyter notebook", "jupyter lab {path}"),
    "folder": FileKind("a folder"),
    "binary": FileKind("a file of unknown bytes", "certify list guides formats"),
    "json": FileKind("another JSON file"),
    "text": FileKind("a text"),
}
UNKNOWN = frozenset({"json", "text"})
WEIGHTS = frozenset({"torch", "torchscript", "pt2", "safetensors", "npz", "onnx", "config", "gguf"})
"""Files of other programs with a trained network in them; the importer reports what it cannot read."""
CERTIFICATES = frozenset({"certificate", "trained certificate"})
NETWORKS = frozenset({"model", "certificate"})
TRAINED = frozenset({"trained", "trained certificate"})
A_TRAINED_NETWORK = "a trained network (certify import writes one) or a certificate about one"
SUBJECTS = NETWORKS | {"formula", "program"}
OF_FORMULAS = frozenset({"certify-certificate", "certify-softened", "certify-margin"})
_FORMAT = re.compile(r'"format"\s*:\s*"(certify-[a-z-]+)"')
_SETTINGS = re.compile(r'"(model_type|architectures?|d_model|hidden_size|n_embd|transformers_version)"\s*:')
_DEFINES_A_VECTOR = re.compile(r"\(\s*i\s*\)\s*:=")
_BINARY = ((b"GGUF", "gguf"), (b"\x93NUMPY", "npz"), (b"\x80\x02", "torch"), (b"\x80\x04", "torch"))


def look(path: str) -> str | None:
    """Return the kind of a file, a key of KINDS; None if there is no such file, or it cannot be read twice."""
    if not path:
        return None
    place = Path(path)
    try:
        if place.is_dir():
            return "folder"
        if not place.is_file():
            return None
        with place.open("rb") as file:
            data = file.read(BEGINNING)
        if zipfile.is_zipfile(path) and data.startswith(b"PK"):
            with zipfile.ZipFile(path) as archive:
                return _kind_of_archive(archive.namelist())
    except (OSError, ValueError, zipfile.BadZipFile):
        return None
    return _kind_of_bytes(data, place.stat().st_size, place.suffix)


def _kind_of_archive(names: Collection[str]) -> str:
    if names and all(name.endswith(".npy") for name in names):
        return "npz"
    if any(name.endswith(("/archive_format", "/models/model.json", "serialized_exported_program.json"))
           for name in [f"/{name}" for name in names]):
        return "pt2"
    if any(name.endswith("data.pkl") for name in names):
        return "torchscript" if any(name.endswith("constants.pkl") for name in names) else "torch"
    return "binary"


def _kind_of_bytes(data: bytes, size: int, suffix: str) -> str:
    for beginning, kind in _BINARY:
        if data.startswith(beginning):
            return kind
    if data[8:9] == b"{" and int.from_bytes(data[:8], "little") <= size - 8:
        return "safetensors"
    if data[:1] == b"\x08" and (suffix == ".onnx" or data[2:3] in (b"\x12", b"\x1a", b"\x22", b"\x3a", b"\x42")):
        return "onnx"
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if size <= BEGINNING or error.start < len(data) - 4:  # else a character is cut at the end
            return "binary"
        text = data[: error.start].decode("utf-8-sig")
    return "binary" if "\0" in text else kind_of_text(text, suffix)


def kind_of_text(text: str, suffix: str = "") -> str:
    """Return the kind of a text, or of its beginning; ``suffix`` is that of its file.

    >>> kind_of_text('{"format": "certify-trained"'), kind_of_text("[[claim]]"), kind_of_text("HOA: v1")
    ('trained', 'claims', 'automaton')
    """
    if text.lstrip().startswith("{"):
        return _kind_of_object(text)
    if suffix == SUFFIX_OF_FORMULAS:
        return "formula"
    if suffix in SUFFIXES_OF_PROGRAMS or _DEFINES_A_VECTOR.search(text):
        return "program"
    if text.startswith("HOA:"):
        return "automaton"
    if re.search(r"^\[\[claim\]\]", text, re.MULTILINE):
        return "claims"
    if re.search(r"^\[\[answer\]\]|^(layout|machine)\s*=", text, re.MULTILINE) and _is_toml(text):
        return "claim"
    return "text"


def _kind_of_object(text: str) -> str:
    if found := _FORMAT.search(text):
        form = found[1]
        if form in ("certify-transformer", "certify-trained"):
            return {"certify-transformer": "model", "certify-trained": "trained"}[form]
        return "certificate" if form in OF_FORMULAS else "trained certificate"
    if re.search(r'"cells"\s*:\s*\[', text) and '"cell_type"' in text:
        return "notebook"
    return "config" if _SETTINGS.search(text) else "json"


def _is_toml(text: str) -> bool:
    try:
        tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return False
    return True


def complaint(path: str, kind: str, expected: str) -> str:
    """Return an error line: which file, what it is, what was expected, the next command."""
    found, name = KINDS[kind], printable(path)
    then = f"; {found.then.format(path=shlex.quote(name))}" if found.then else ""
    return f"{name}: found {found.label}, expected {expected}{then}"


def expect(path: str, taken: Collection[str], expected: str = "") -> None:
    """Raise InputError if the file is recognised and none of the kinds that are ``taken``."""
    kind = look(path)
    if kind is None or kind in UNKNOWN or kind in taken:
        return
    if "formula" in taken and kind in ("binary", "folder") and path.isidentifier():
        return  # the name is a formula
    raise InputError(complaint(path, kind, expected or " or ".join(KINDS[each].label for each in sorted(taken))))
