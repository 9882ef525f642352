"""The kinds of claims: a row a format, with the chapter that reads, decides and describes its files.

A chapter is imported when a file needs it: who checks certificates of formulas alone runs the kernel and one chapter.
A new kind of claim is one folder of `chapters/`, whose `KIND` has what `FileKind` asks for (or whose
`find_kind` says so of each file), and one row here.
"""

from collections.abc import Mapping
from importlib import import_module

from .kernel.kind import Extension, FileKind
from .kernel.reading.document import Json

LARGE = ("certify-decision",)
"""The formats whose files hold the weights of a trained network."""

CHAPTERS: Mapping[str, str] = {
    "certify-certificate": "formula",
    "certify-softened": "softened",
    "certify-margin": "margin",
    "certify-decision": "trained"}

ADDITIONS: Mapping[str, Mapping[str, str]] = {"certify-certificate": {"floats": "floats"}}
"""Of some formats, the keys that another chapter reads."""


def find_kind(document: Mapping[str, Json]) -> FileKind:
    """Who knows a file that begins with its format."""
    chapter = import_module(f".chapters.{CHAPTERS[str(document['format'])]}", __package__)
    kind: FileKind = chapter.find_kind(document) if hasattr(chapter, "find_kind") else chapter.KIND
    return kind


def find_additions(name: str, keys: Mapping[str, object]) -> dict[str, Extension]:
    """Who knows the additional keys that a file of a format has."""
    found = {key: chapter for key, chapter in ADDITIONS.get(name, {}).items() if key in keys}
    return {key: import_module(f".chapters.{chapter}", __package__).ADDITION for key, chapter in found.items()}
