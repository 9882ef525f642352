"""The table of formats: one row for each, with the chapter that reads, decides and describes its files.

A chapter is imported when a file needs it: certificates of formulas need the kernel and one chapter only. A new kind of
claim is one folder of `chapters/` that defines `KIND` (a `FileKind`) or `find_kind(document)`, and one row here.
"""

from collections.abc import Mapping
from importlib import import_module

from .kernel.kind import FileKind
from .kernel.reading.document import Json

LARGE = ("certify-decision",)
"""The formats whose files hold the weights of a trained network."""

CHAPTERS: Mapping[str, str] = {
    "certify-certificate": "formula",
    "certify-softened": "softened",
    "certify-margin": "margin",
    "certify-decision": "trained"}


def find_kind(document: Mapping[str, Json]) -> FileKind:
    """Return the kind of a file by its format; a certificate with the key `floats` belongs to the chapter `floats`."""
    name = CHAPTERS[str(document["format"])]
    name = "floats" if name == "formula" and "floats" in document else name
    chapter = import_module(f".chapters.{name}", __package__)
    kind: FileKind = chapter.find_kind(document) if hasattr(chapter, "find_kind") else chapter.KIND
    return kind
